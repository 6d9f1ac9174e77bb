"""Every public entry refuses bad input with an error of Surefoot's own, and its text says what to do."""

import dataclasses
import re
import warnings

import numpy as np
import pytest

import surefoot as sf

DT = 1e-3
nan, inf = np.nan, np.inf


class Things:
    """What the cases below speak of; made once."""

    def __init__(self):
        self.robot = sf.load("links")
        self.arm = sf.load("arm")
        self.home = self.robot.home()
        self.zero = np.zeros(12)
        self.sim = sf.Simulator(self.robot, DT)
        self.inverse = sf.InverseDynamics(self.robot, DT)
        self.trace = self.sim.rollout(self.home, duration=5 * DT)
        self.point = sf.Contacts.from_points(self.robot, self.home, [[0.0, 0.0, 0.0]], ["BASE"])
        self.lifted = self.home.replace(q=self.home.q + np.eye(19)[2])

    def solve(self, torque=None, **options):
        return sf.solve(self.robot, self.home, **{"dt": DT, "torque": torque, **options})

    def contacts(self, points=((0.0, 0.0, 0.0),), bodies=("BASE",), **options):
        return sf.Contacts.from_points(self.robot, self.home, points, bodies, **options)


@pytest.fixture(scope="module")
def x():
    return Things()


@sf.policy
def idle(t, q, v, torque_out, memory, params):
    return 0


JOINTS = "LF_X1, LF_Y2, LF_Y3, RF_X1, RF_Y2, RF_Y3, LH_X1, LH_Y2, LH_Y3, RH_X1, RH_Y2, RH_Y3"
FEET = "LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT"
BODIES = (
    "world, BASE, LF_HIP, LF_THIGH, LF_SHANK, RF_HIP, RF_THIGH, RF_SHANK, LH_HIP, LH_THIGH, LH_SHANK, RH_HIP, "
    "RH_THIGH, RH_SHANK"
)
MU = "expected a friction coefficient of at least 0 (inf allowed), got"
SIX = "(t, q, v, torque_out, memory, params)"

SOLVE = [
    (lambda x: sf.solve("links", x.home, dt=DT), "robot: expected a robot or scene (see sf.load), got str"),
    (
        lambda x: sf.forward_dynamics(None, x.home, dt=DT),
        "robot: expected a robot or scene (see sf.load), got NoneType",
    ),
    (
        lambda x: sf.inverse_dynamics("links", x.home, {}, dt=DT),
        "robot: expected a robot or scene (see sf.load), got str",
    ),
    (lambda x: sf.solve(x.robot, None, dt=DT), "state: expected a State (see robot.home()), got NoneType"),
    (lambda x: sf.solve(x.robot, x.home.q, dt=DT), "state: expected a State (see robot.home()), got ndarray"),
    (lambda x: sf.solve(x.robot, x.arm.home(), dt=DT), "state.q: expected shape (19,), got (11,)"),
    (lambda x: sf.solve(x.robot, sf.State(x.home.q, [0.0]), dt=DT), "state.v: expected shape (18,), got (1,)"),
    (
        lambda x: sf.solve(x.robot, x.home.replace(q=np.r_[x.home.q[:3], np.zeros(4), x.home.q[7:]]), dt=DT),
        "state.q: expected a quaternion of some length at index 3 to 6, got zeros",
    ),
    (lambda x: x.solve(dt=0), "dt: expected a number above 0, got 0"),
    (lambda x: x.solve(dt=-1e-3), "dt: expected a number above 0, got -0.001"),
    (lambda x: x.solve(dt=nan), "dt: expected a finite number, got nan"),
    (lambda x: x.solve(dt=inf), "dt: expected a finite number, got inf"),
    (lambda x: x.solve(dt="1e-3"), "dt: expected a finite number, got '1e-3'"),
    (lambda x: x.solve(dt=None), "dt: expected a finite number, got None"),
    (lambda x: x.solve(dt=True), "dt: expected a finite number, got True"),
    (lambda x: x.solve(dt=1e-9), "dt: expected a number of at least 1e-07, got 1e-09"),
    (lambda x: x.solve(dt=1e200), "dt: expected a number of at most 1, got 1e+200"),
    (lambda x: x.solve(np.zeros(3)), "torque: expected shape (12,), got (3,)"),
    (lambda x: x.solve(np.zeros((12, 1))), "torque: expected shape (12,), got (12, 1)"),
    (lambda x: x.solve(3.0), "torque: expected shape (12,), got ()"),
    (lambda x: x.solve("abc"), "torque: expected an array of numbers, got str"),
    (lambda x: x.solve(["a"] * 12), "torque: expected an array of numbers, got list"),
    (lambda x: x.solve([[1, 2], [3]]), "torque: expected an array of numbers, got list"),
    (lambda x: x.solve({1, 2}), "torque: expected an array of numbers, got set"),
    (lambda x: x.solve(x.zero + nan), "torque: expected finite numbers, got nan at index 0"),
    (lambda x: x.solve(x.zero - inf), "torque: expected finite numbers, got -inf at index 0"),
    (lambda x: x.solve({"LF_X1": nan}), "torque['LF_X1']: expected a finite number, got nan"),
    (lambda x: x.solve({"LF_X1": "1"}), "torque['LF_X1']: expected a finite number, got '1'"),
    (
        lambda x: x.solve({"LF_X": 1}),
        f"torque: no actuated joint is called 'LF_X'; did you mean 'LF_X1'? The choices are: {JOINTS}",
    ),
    (lambda x: x.solve({3: 1}), f"torque: no actuated joint is called 3; The choices are: {JOINTS}"),
    (lambda x: x.solve(velocity=x.zero + nan), "velocity: expected finite numbers, got nan at index 0"),
    (lambda x: x.solve(velocity="x"), "velocity: expected an array of numbers, got str"),
    (lambda x: x.solve(acceleration=x.zero + inf), "acceleration: expected finite numbers, got inf at index 0"),
    (
        lambda x: x.solve({"LF_Y2": 1}, velocity={"LF_Y2": 1}),
        "torque: joint 'LF_Y2' has both a torque and a prescribed motion; give one of them",
    ),
    (
        lambda x: x.solve(x.zero, acceleration={"RH_Y3": 1}),
        "torque: joint 'RH_Y3' has both a torque and a prescribed motion; give one of them",
    ),
    (
        lambda x: x.solve(velocity=x.zero, acceleration={"RF_X1": 1}),
        "acceleration: joint 'RF_X1' has both a velocity and an acceleration; give one of them",
    ),
    (
        lambda x: sf.inverse_dynamics(x.robot, x.home, None, dt=DT),
        "acceleration: expected one for every actuated joint, got None; use solve(...) to leave some free",
    ),
    (
        lambda x: sf.inverse_dynamics(x.robot, x.home, dict.fromkeys(x.robot.joints[1:], 0.0), dt=DT),
        "acceleration: expected every actuated joint, missing LF_X1; use solve(...) to leave some free",
    ),
    (lambda x: x.solve(law="colomb"), "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'colomb'"),
    (lambda x: x.solve(law=3), "law: expected a law such as sf.Coulomb() or its name, got 3"),
    (
        lambda x: x.solve(law=sf.NoSlip),
        "law: expected a law such as sf.Coulomb() or its name, got <class 'surefoot.laws.no_slip.NoSlip'>",
    ),
    (lambda x: x.solve(law=x.zero[:2]), "law: expected a law such as sf.Coulomb() or its name, got array([0., 0.])"),
    (lambda x: x.solve(contacts="LF_FOOT"), "contacts: expected a list of foot names, got the string 'LF_FOOT'"),
    (
        lambda x: x.solve(contacts=["LF_FOT"]),
        f"contacts: no foot is called 'LF_FOT'; did you mean 'LF_FOOT'? The choices are: {FEET}",
    ),
    (lambda x: x.solve(contacts=3), "contacts: expected None, a list of foot names or Contacts, got int"),
    (lambda x: x.solve(contacts=[3]), "contacts: expected a list of foot names, got int in it"),
    (lambda x: x.solve(contacts=np.zeros((2, 3))), "contacts: expected a list of foot names, got ndarray in it"),
    (
        lambda x: sf.solve(x.robot, x.lifted, dt=DT, contacts=["LF_FOOT"]),
        "contacts: 'LF_FOOT' is not within 4.5 mm of the ground at this state, so it cannot be a planned contact",
    ),
    (
        lambda x: sf.solve(x.arm, x.arm.home(), dt=DT, contacts=x.point),
        "contacts: expected contacts of a scene with nv 11, got nv 18",
    ),
    (
        lambda x: x.solve(contacts=dataclasses.replace(x.point, bodies=(("TRUNK", "world"),))),
        "contacts: expected contacts of this scene, got some of a body 'TRUNK' that it lacks",
    ),
    (lambda x: x.solve(contacts=dataclasses.replace(x.point, mu=-x.point.mu)), f"contacts.mu: {MU} -1.0"),
    (
        lambda x: x.solve(contacts=dataclasses.replace(x.point, J=x.point.J * nan)),
        "contacts.J: expected finite numbers, got nan at index (0, 0, 0)",
    ),
    (
        lambda x: x.solve(contacts=dataclasses.replace(x.point, frames=x.point.frames[0])),
        "contacts.frames: expected shape (1, 3, 3), got (3, 3)",
    ),
]

CONTROLLER = [
    (lambda x: sf.InverseDynamics("links", DT), "robot: expected a robot or scene (see sf.load), got str"),
    (lambda x: sf.InverseDynamics(x.robot, 0), "dt: expected a number above 0, got 0"),
    (
        lambda x: sf.InverseDynamics(x.robot, DT, "glue"),
        "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'glue'",
    ),
    (lambda x: sf.InverseDynamics(x.robot, DT).answer(), "answer: call the controller first"),
    (lambda x: x.inverse(None, x.zero), "state: expected a State (see robot.home()), got NoneType"),
    (lambda x: x.inverse(x.arm.home(), x.zero), "state.q: expected shape (19,), got (11,)"),
    (lambda x: x.inverse(x.home, None), "acceleration: expected an array of numbers, got NoneType"),
    (lambda x: x.inverse(x.home, {"LF_X1": 1}), "acceleration: expected an array of numbers, got dict"),
    (lambda x: x.inverse(x.home, x.zero + nan), "acceleration: expected finite numbers, got nan at index 0"),
    (
        lambda x: x.inverse(x.home, x.zero, contacts=["TAIL"]),
        f"contacts: no foot is called 'TAIL'; The choices are: {FEET}",
    ),
    (lambda x: sf.Coulomb(mu=-1), f"mu: {MU} -1"),
    (lambda x: sf.Coulomb(mu=nan), f"mu: {MU} nan"),
    (lambda x: sf.Coulomb(mu="rough"), f"mu: {MU} 'rough'"),
    (lambda x: sf.Coulomb(edges=5), "edges: expected one of 4, 8, 16, got 5"),
    (lambda x: sf.Coulomb(edges=4.0), "edges: expected one of 4, 8, 16, got 4.0"),
    (lambda x: sf.Coulomb(edges=np.array([4, 8])), "edges: expected one of 4, 8, 16, got array([4, 8])"),
]

POINTS = [
    (
        lambda x: sf.Contacts.from_points(None, x.home, [], []),
        "scene: expected a robot or scene (see sf.load), got NoneType",
    ),
    (
        lambda x: sf.Contacts.from_points(x.robot, None, [], []),
        "state: expected a State (see robot.home()), got NoneType",
    ),
    (
        lambda x: sf.Contacts.from_points(x.robot, x.arm.home(), [[0, 0, 0]], ["BASE"]),
        "State.q: expected shape (19,), got (11,)",
    ),
    (lambda x: x.contacts([0, 0, 0]), "points: expected shape (any, 3), got (3,)"),
    (lambda x: x.contacts("abc"), "points: expected an array of numbers, got str"),
    (lambda x: x.contacts([[0, 0, nan]]), "points: expected finite numbers, got nan at index (0, 2)"),
    (lambda x: x.contacts(bodies="BASE"), "bodies: expected a list of 1 names, one a point, got 'BASE'"),
    (lambda x: x.contacts(bodies=None), "bodies: expected a list of 1 names, one a point, got None"),
    (lambda x: x.contacts(bodies=["BASE"] * 2), "bodies: expected a list of 1 names, one a point, got 2 of them"),
    (
        lambda x: x.contacts(bodies=["LF_THIG"]),
        f"bodies: no body is called 'LF_THIG'; did you mean 'LF_THIGH'? The choices are: {BODIES}",
    ),
    (lambda x: x.contacts(against=["moon"]), f"against: no body is called 'moon'; The choices are: {BODIES}"),
    (lambda x: x.contacts(against=3), "against: expected a list of 1 names, one a point, got 3"),
    (lambda x: x.contacts(against=["BASE"]), "against: expected another body than 'BASE' itself, at index 0"),
    (lambda x: x.contacts(bodies=["world"]), "against: expected another body than 'world' itself, at index 0"),
    (lambda x: x.contacts(mu=-0.1), f"mu: {MU} -0.1"),
    (lambda x: x.contacts(mu=np.array([-0.1])), f"mu: {MU} -0.1"),
    (lambda x: x.contacts(mu="rough"), f"mu: {MU} 'rough'"),
    (lambda x: x.contacts(mu=[0.5, 0.5]), "mu: expected one number or 1, got 2"),
    (lambda x: x.contacts(gaps=[0.0, 0.0]), "gaps: expected one number or 1, got 2"),
    (lambda x: x.contacts(gaps=nan), "gaps: expected finite numbers, got nan at index 0"),
    (lambda x: x.contacts(gaps="wide"), "gaps: expected an array of numbers, got list"),
    (lambda x: x.contacts(normals=[0, 0, 1]), "normals: expected shape (1, 3), got (3,)"),
    (lambda x: x.contacts(normals=[[0, 0, 0]]), "normals: expected a direction, got a zero vector at index 0"),
]

SIMULATOR = [
    (lambda x: sf.Simulator("links"), "scene: expected a robot or scene (see sf.load), got str"),
    (lambda x: sf.Simulator(x.robot, 0), "dt: expected a number above 0, got 0"),
    (lambda x: sf.Simulator(x.robot, 1e-200), "dt: expected a number of at least 1e-07, got 1e-200"),
    (lambda x: sf.Simulator(x.robot, 2.0), "dt: expected a number of at most 1, got 2"),
    (
        lambda x: sf.Simulator(x.robot, law="x"),
        "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'x'",
    ),
    (
        lambda x: sf.Simulator(x.robot, control_dt=1.5e-3),
        "control_dt: expected a multiple of dt = 0.001 s, got 0.0015",
    ),
    (lambda x: sf.Simulator(x.robot, control_dt=1e-4), "control_dt: expected a multiple of dt = 0.001 s, got 0.0001"),
    (lambda x: sf.Simulator(x.robot, control_dt=1e300), "control_dt: expected a multiple of dt = 0.001 s, got 1e+300"),
    (lambda x: sf.Simulator(x.robot, control_dt=-1), "control_dt: expected a number above 0, got -1"),
    (lambda x: sf.Simulator(x.robot, restitution=-0.1), "restitution: expected a number of at least 0, got -0.1"),
    (lambda x: sf.Simulator(x.robot, restitution=1.1), "restitution: expected a number of at most 1, got 1.1"),
    (lambda x: sf.Simulator(x.robot, restitution=nan), "restitution: expected a finite number, got nan"),
    (lambda x: sf.Simulator(x.robot, speed=0), "speed: expected a number above 0, got 0"),
    (lambda x: sf.Simulator(x.robot, speed=1e300), "speed: expected a number of at most 1e+06, got 1e+300"),
    (lambda x: x.sim.step(x.home.q), "state: expected a State (see robot.home()), got ndarray"),
    (lambda x: x.sim.step(x.arm.home()), "state.q: expected shape (19,), got (11,)"),
    (lambda x: x.sim.step(x.home, x.zero[1:]), "torque: expected shape (12,), got (11,)"),
    (lambda x: x.sim.step(x.home, x.zero + nan), "torque: expected finite numbers, got nan at index 0"),
    (lambda x: x.sim.rollout(None), "state: expected a State (see robot.home()), got NoneType"),
    (lambda x: x.sim.rollout(x.home, duration=0), "duration: expected a number above 0, got 0"),
    (lambda x: x.sim.rollout(x.home, duration=-1), "duration: expected a number above 0, got -1"),
    (lambda x: x.sim.rollout(x.home, duration="long"), "duration: expected a finite number, got 'long'"),
    (lambda x: x.sim.rollout(x.home, duration=1e-5), "duration: expected at least one step of 0.001 s, got 1e-05"),
    (
        lambda x: x.sim.rollout(x.home, progress=3),
        "progress: expected a function of (done, steps) or None, got int",
    ),
    (lambda x: x.sim.rollout(x.home, 3), "policy: expected @sf.policy, a function of a State, or None, got int"),
    (lambda x: x.sim.rollout(x.home, lambda: 0), "policy: expected a function of one State, got <lambda>()"),
    (
        lambda x: x.sim.rollout(x.home, idle.function),
        f"policy: expected a function of one State, got idle{SIX}; decorate it with @sf.policy",
    ),
    (
        lambda x: x.sim.rollout(x.home, lambda s: None),
        "the policy's torque: expected an array of numbers, got NoneType",
    ),
    (lambda x: x.sim.rollout(x.home, lambda s: s.v), "the policy's torque: expected shape (12,), got (18,)"),
    (lambda x: x.sim.rollout(x.home, lambda s: "x"), "the policy's torque: expected an array of numbers, got str"),
    (lambda x: x.trace.state(1.5), "step: expected -6 to 5, got 1.5"),
    (lambda x: x.trace.state("x"), "step: expected -6 to 5, got 'x'"),
    (lambda x: x.trace.state(6), "step: expected -6 to 5, got 6"),
    (lambda x: x.trace.contacts_of(-1), "step: expected 0 to 4, got -1"),
    (lambda x: x.trace.contacts_of(5), "step: expected 0 to 4, got 5"),
    (lambda x: x.trace.replay(-1), "step: expected 0 to 4, got -1"),
    (lambda x: x.trace.replay(5), "step: expected 0 to 4, got 5"),
    (lambda x: x.trace.replay(1.0), "step: expected 0 to 4, got 1.0"),
    (lambda x: x.trace.plot(3), "path: expected a file name, got 3"),
]

SCENES = [
    (
        lambda x: sf.scene(x.robot, terrain=sf.Plane),
        "terrain: expected a terrain such as Plane(), None or 'keep', got <class 'surefoot.robots.terrains.Plane'>",
    ),
    (
        lambda x: sf.scene(objects=[sf.Ball]),
        "objects: expected a Box, a Ball or the like, got <class 'surefoot.robots.objects.Ball'>",
    ),
    (lambda x: sf.HeightMap(size=(1e6, 1e6)), "HeightMap.size: expected at most 10000000 cells, got 1e+06 m of them"),
    (
        lambda x: sf.HeightMap(size=(100, 100), cell=1e-2),
        "HeightMap.size: expected at most 10000000 points, got 10001 x 10001",
    ),
    (
        lambda x: sf.HeightMap(hills=10**10),
        "HeightMap.hills: expected at most 331125 on 151 x 151 points, got 10000000000",
    ),
    (
        lambda x: sf.scene(terrain=sf.HeightMap(covariance=1e-12)),
        "HeightMap.covariance: expected hills that rise between points 0.02 m apart, got 1e-12 m^2",
    ),
    (lambda x: sf.Ball(radius=1e200, density=1.0), "Ball: expected a mass above 0 kg, got inf"),
    (lambda x: sf.Ball(radius=1.0, mass=1.0, name="a\0b"), "Ball.name: expected a name, got 'a\\x00b'"),
    (lambda x: sf.Box(size=("1", "1", "1"), density=1.0), "Box.size: expected an array of numbers, got tuple"),
]

CASES = [
    pytest.param(call, text, id=f"{room}-{k}")
    for room, cases in {
        "solve": SOLVE,
        "controller": CONTROLLER,
        "points": POINTS,
        "simulator": SIMULATOR,
        "scene": SCENES,
    }.items()
    for k, (call, text) in enumerate(cases)
]


@pytest.mark.parametrize(("call", "text"), CASES)
def test_is_refused_in_these_words(x, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(x)


@pytest.mark.parametrize("given", [False, True])
def test_numbers_too_large_to_mean_anything_end_in_a_named_status(x, given):
    text = "links, coulomb law: not finite: a NaN, an infinity or a number over 1e12 has come in"
    contacts = x.point if given else None
    for options in ({"torque": x.zero + 1e300}, {"velocity": x.zero - 1e300}, {"acceleration": x.zero + 1e308}):
        with pytest.raises(sf.SolveError, match=f"^{re.escape(text)}") as error:
            x.solve(**options, contacts=contacts)
        assert error.value.result.status is sf.Status.NOT_FINITE
        assert not x.solve(**options, contacts=contacts, throw=False).ok


def test_a_rollout_too_long_for_the_memory_is_refused(x):
    for duration in (1e10, 1e300):
        with pytest.raises(
            sf.InputError, match=r"^duration: .* steps need .* GB, more than this machine has; simulate"
        ):
            x.sim.rollout(x.home, duration=duration)


def test_no_warning_comes_before_an_answer_or_a_refusal(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        normals = x.contacts(normals=[[0.0, 3e200, 4e200]]).frames[0, 0]
        pose = sf.Box(size=(1, 1, 1), mass=1.0, quaternion=(1e-200, 0, 1e-200, 0)).pose[3:]
        assert x.solve(law=sf.Coulomb(mu=1e300)).residuals()["friction"] < 1e-9
    assert normals == pytest.approx([0.0, 0.6, 0.8])
    assert pose == pytest.approx(np.sqrt([0.5, 0.0, 0.5, 0.0]))


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("drop", "links", "--dt", "fast"), 2, "Invalid value for '--dt'"),
        (("drop", "links", "--dt", "nan"), 1, "error: dt: expected a finite number, got nan\n"),
        (("drop", "links", "--dt", "1e-12"), 1, "error: dt: expected a number of at least 1e-07, got 1e-12\n"),
        (("drop", "links", "--mu", "nan"), 1, f"error: mu: {MU} nan\n"),
        (("drop", "links", "--tilt", "400"), 1, "error: tilt: expected a number of at most 180, got 400\n"),
        (("drop", "links", "--duration", "1e-9"), 1, "duration: expected at least one step of 0.001 s, got 1e-09\n"),
        (("drop", "links", "--duration", "1e12"), 1, "more than this machine has"),
        (("drop", "lnks"), 1, "error: robot: no bundled robot and no file is called 'lnks'; did you mean 'links'?"),
        (("drop",), 2, "Missing argument 'ROBOT'"),
        (("drop", "links", "--wind", "3"), 2, "No such option: --wind"),
        (("show", "links", "--width", "0"), 1, "error: width: expected a number of at least 16, got 0\n"),
        (("show", "links", "-o", "/nowhere/a.png"), 1, "error: --output: the folder '/nowhere' does not exist\n"),
        (("show", "/dev/null"), 1, "error: /dev/null: not readable as XML: no element found: line 1, column 0\n"),
        (("robots", "extra"), 2, "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_options_end_in_a_line_and_a_code(monkeypatch, words, code, text):
    from typer.testing import CliRunner

    from surefoot.cli import app

    for name, value in {"COLUMNS": "160", "TERM": "dumb", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output
    assert text in result.stderr
    assert "Traceback" not in result.output
