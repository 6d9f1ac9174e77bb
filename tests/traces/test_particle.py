import math

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import surefoot as sf
from surefoot.robots.scene import Foot
from surefoot.traces.contact_requirements import NoBodyContact
from surefoot.traces.disturbances import Fault, Push
from surefoot.traces.particle import LOOK, failed
from surefoot.traces.requirements import Upright, Workspace
from surefoot.traces.result import BROKEN, KNOWN, SUCCESS, UNKNOWN
from surefoot.traces.witness import FunctionWitness
from tests.traces import small
from tests.traces.small import DT

FAR = (-math.inf,) * 3, (math.inf,) * 3


@pytest.fixture(scope="module")
def flyer():
    return small.flyer()


@pytest.fixture(scope="module")
def ball():
    return sf.scene(None, terrain=None, objects=[sf.Ball(radius=0.1, mass=2.0, position=(0.0, 0.0, 2.0))])


def above(height):
    """Must stay above a height in m."""
    return Workspace((-math.inf, -math.inf, height), (math.inf, math.inf, math.inf), name=f"above {height:g}")


def seen(name, function):
    return FunctionWitness(function, name)


@pytest.mark.parametrize("height", [1.9, 1.5, 1.31])
def test_a_crossing_is_located_between_steps(ball, height):
    result = small.result(ball, small.idle, 0.6, requirements=[above(height)])
    k = np.arange(600)
    z = 2.0 - 9.81 * DT * DT * k * (k + 1) / 2  # semi-implicit Euler, exactly
    wanted = DT * (599 - np.interp(height, z[::-1], k.astype(float)))
    assert (result.outcome, result.requirement) == (KNOWN, f"above {height:g}")
    assert result.time == pytest.approx(wanted, abs=1e-12)
    assert result.time == pytest.approx(math.sqrt(2 * (2.0 - height) / 9.81), abs=DT)
    assert -9.81 * 0.6 * DT < result.margins[f"above {height:g}"] < 0.0
    assert result.final["ball.z"] == pytest.approx(z[math.ceil(wanted / DT)], abs=1e-12)
    assert result.telemetry["t"][-1] == pytest.approx(DT * math.ceil(wanted / DT))


def test_a_rod_that_falls_over_does_so_when_the_pendulum_equation_says():
    """A rod balanced on its end, 0.1 rad off: the time until it leans by 1 rad, against MuJoCo's own integrator."""
    world = (
        '<body name="rod" pos="0 0 1"><joint name="pivot" axis="1 0 0"/><geom name="rod" type="capsule" size="0.01" '
    )
    robot = small.scene(world + 'fromto="0 0 0 0 0 1" mass="1"/></body>', joints=("pivot",))
    limit = seen("leans", lambda span: 1.0 - np.abs(span.q[:, 0]))
    result = small.result(robot, small.idle, 1.5, state=robot.state([0.1]), requirements=[limit])
    model, data = robot.model, mujoco.MjData(robot.model)
    model.opt.timestep, model.opt.integrator = 1e-5, mujoco.mjtIntegrator.mjINT_RK4
    data.qpos[0] = 0.1
    while data.qpos[0] < 1.0:
        before = data.qpos[0]
        mujoco.mj_step(model, data)
    falls = data.time - 1e-5 * (data.qpos[0] - 1.0) / (data.qpos[0] - before)
    assert result.time == pytest.approx(falls, abs=2 * DT)
    assert result.outcome == KNOWN


def test_a_crossing_at_the_seam_of_two_looks(ball):
    """The step before the violation lies in the look before."""
    result = small.result(ball, small.idle, 0.6, requirements=[seen("seam", lambda span: (LOOK - 0.25) * DT - span.t)])
    assert result.time == pytest.approx((LOOK - 0.25) * DT, abs=1e-12)
    assert result.telemetry["t"][-1] == pytest.approx(LOOK * DT)


@pytest.mark.parametrize("order", [1, -1])
def test_the_first_violation_ends_it_whatever_the_order(ball, order):
    late = seen("late", lambda span: 0.0405 - span.t)
    early = seen("early", lambda span: 0.0203 - span.t)
    result = small.result(ball, small.idle, 0.1, requirements=[late, early][::order])
    assert (result.requirement, result.outcome) == ("early", KNOWN)
    assert result.time == pytest.approx(0.0203, abs=1e-12)
    assert result.margins == pytest.approx({"late": 0.0195, "early": -0.0007})
    assert list(result.margins) == ["late", "early"][::order]


def test_a_start_in_violation_ends_at_once(ball):
    result = small.result(ball, small.idle, 0.1, state=ball.state(t=4.0), requirements=[above(2.5)])
    assert (result.outcome, result.time) == (KNOWN, 4.0)
    assert result.telemetry["t"].tolist() == [4.0]
    assert result.telemetry["witness above 2.5"].tolist() == [-0.5]
    assert result.events == {"t": [], "kind": [], "feature": []}
    assert result.final["ball.z"] == 2.0


def test_zero_is_no_violation(ball):
    assert (
        small.result(ball, small.idle, 0.01, requirements=[seen("zero", lambda s: np.zeros(len(s)))]).outcome == SUCCESS
    )


def test_a_nan_is_a_violation_at_its_step(ball):
    def lost(span):
        return np.where(span.t < 0.0045, 1.0, np.nan)

    result = small.result(ball, small.idle, 0.02, requirements=[seen("later", lambda s: 0.0102 - s.t), lost])
    assert (result.outcome, result.requirement) == (KNOWN, "lost")
    assert result.time == pytest.approx(0.005)
    assert math.isnan(result.margins["lost"])


def test_an_objective_counts_at_the_end_alone(ball):
    reached = small.result(ball, small.idle, 0.1, objective=[seen("late", lambda s: s.t - 0.0999)])
    assert (reached.outcome, reached.requirement, reached.time) == (SUCCESS, "", 0.1)
    assert reached.margins == pytest.approx({"late": 1e-4})
    missed = small.result(
        ball, small.idle, 0.1, objective=[above(0.0), above(2.0), above(3.0)], requirements=[above(1.0)]
    )
    assert (missed.outcome, missed.requirement, missed.time) == (UNKNOWN, "above 2", 0.1)
    assert list(missed.margins) == ["above 1", "above 0", "above 2", "above 3"]
    fallen = 9.81 * DT * DT * 100 * 101 / 2
    assert missed.margins["above 2"] == pytest.approx(-fallen, abs=1e-12)  # at the end, not a step before
    assert small.result(ball, small.idle, 0.1, objective=[seen("none", lambda s: s.t * np.nan)]).outcome == UNKNOWN


def test_a_violation_leaves_the_objective_out(ball):
    result = small.result(ball, small.idle, 0.1, requirements=[above(1.99)], objective=[above(0.0)])
    assert list(result.margins) == ["above 1.99"]


def test_requirements_hold_at_the_end_too(ball):
    limit = seen("limit", lambda span: 0.0997 - span.t)
    result = small.result(ball, small.idle, 0.1, requirements=[limit])
    assert (result.outcome, result.requirement) == (KNOWN, "limit")
    assert result.time == pytest.approx(0.0997)
    assert result.margins["limit"] == pytest.approx(-0.0003)
    assert result.telemetry["witness limit"][-1] == pytest.approx(-0.0003)
    assert len(small.traced(ball, small.idle, 0.1, requirements=[limit]).full_trace()) == 100


def test_margins_are_the_least_on_the_way(flyer):
    def wave(span):
        return 1.0 + np.sin(100.0 * span.t)

    result = small.result(flyer, small.idle, 0.1, requirements=[wave])
    assert result.outcome == SUCCESS
    assert result.margins["wave"] == pytest.approx((1.0 + np.sin(100.0 * DT * np.arange(101))).min())


@sf.policy
def lost(t, q, v, torque_out, memory, params):
    """A torque that is no number after a while."""
    torque_out[0] = np.nan if t > params[0] else 0.0
    return 0


@sf.policy
def breaks(t, q, v, torque_out, memory, params):
    """An error after a while."""
    if t > params[0]:
        torque_out[7] = 1.0
    return 0


def test_a_torque_that_is_not_finite_breaks_it_and_says_so(flyer):
    for policy in (lost.bind([0.0045]), lambda state: [math.nan if state.t > 0.0045 else 0.0]):
        result = small.result(flyer, policy, 0.02, requirements=[Upright()])
        assert result.outcome == BROKEN
        assert result.message.startswith(
            "at t = 0.005 s: not finite: a NaN, an infinity or a number over 1e12 has come in"
        )
        assert result.time == pytest.approx(0.005)
        assert len(result.telemetry["t"]) == 2
        assert result.margins["upright"] == pytest.approx(1.0)
    at_once = small.result(flyer, lost.bind([-1.0]), 0.02, requirements=[Upright()], objective=[Upright(name="end")])
    assert (at_once.outcome, at_once.time, at_once.margins) == (BROKEN, 0.0, {})
    assert np.isnan(at_once.telemetry["witness upright"]).all()
    assert at_once.final["z"] == 1.0


def test_a_code_of_the_policy_breaks_it(flyer):
    @sf.policy
    def enough(t, q, v, torque_out, memory, params):
        return 1 if t > 0.0045 else 0

    result = small.result(flyer, enough, 0.02)
    text = "at t = 0.005 s: policy: the policy stopped the roll-out by returning a code other than 0"
    assert (result.outcome, result.message) == (BROKEN, text)


def test_a_policys_error_comes_through(flyer):
    text = "^policy: breaks raised IndexError: index 7 is out of bounds for axis 0 with size 1, at t = 0.005 s$"
    with pytest.raises(sf.InputError, match=text):
        small.result(flyer, breaks.bind([0.0045]), 0.02, requirements=[above(0.5)])
    with pytest.raises(ZeroDivisionError):
        small.result(flyer, lambda state: [1.0 / 0.0], 0.02)


def test_a_policys_error_after_the_violation_is_none(flyer):
    def also(state):
        if state.t > 0.0155:
            raise ValueError("too late")
        return [0.0]

    limit = seen("limit", lambda span: 0.0123 - span.t)
    for policy in (breaks.bind([0.0155]), also, lost.bind([0.0155])):
        result = small.result(flyer, policy, 0.02, requirements=[limit])
        assert (result.outcome, result.requirement, result.message) == (KNOWN, "limit", "")
        assert result.time == pytest.approx(0.0123)


def test_what_does_not_touch_the_simulation_changes_no_bit(flyer):
    policy = small.telling(flyer, factor=0.2, calls=0.1, q=[7], v=[6])
    plain = sf.Simulator(flyer, DT).rollout(flyer.home(), policy, 0.45)
    looked = small.traced(flyer, policy, 0.45, requirements=[Upright(math.pi)], objective=[above(0.0)]).full_trace()
    for name in ("t", "q", "v", "torque", "contact_forces"):
        assert getattr(looked, name).tobytes() == getattr(plain, name).tobytes()


def test_the_full_trace_ends_with_the_violation(ball):
    particle = small.traced(ball, small.idle, 0.6, requirements=[seen("limit", lambda span: 0.0203 - span.t)])
    trace = particle.full_trace()
    assert len(trace) == particle.at == 21
    assert trace.ok
    assert trace.q.tobytes() == sf.Simulator(ball, DT).rollout(ball.home(), duration=0.021).q.tobytes()


def test_telemetry_is_the_trace_thinned(flyer):
    start = flyer.state([0, 0, 0.35, 1, 0, 0, 0, 0], t=1.0)
    policy = small.telling(flyer, calls=0.01)
    particle = small.traced(flyer, policy, 0.095, state=start, telemetry_dt=0.01, requirements=[Upright()])
    columns, trace = particle.result("p", 1, {}, 0.0).telemetry, particle.full_trace()
    rows = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95]
    assert np.array_equal(columns["t"], trace.t[rows])
    for i in range(8):
        assert np.array_equal(columns[f"q{i}"], trace.q[rows, i])
    for i in range(7):
        assert np.array_equal(columns[f"v{i}"], trace.v[rows, i])
    steps = np.minimum(rows, 94)
    assert np.array_equal(columns["torque hip"], trace.torque[steps, 0])
    sole = flyer.model.geom("sole").id
    forces = []
    for k in steps:
        inside = trace.contacts_of(int(k))
        mine = (trace.contact_geoms[inside] == sole).any(axis=1)
        forces.append(trace.contact_forces[inside][mine, 0].sum())
    assert columns["force foot"] == pytest.approx(forces, abs=1e-9)
    assert columns["force foot"].max() > 1.0
    assert len({len(column) for column in columns.values()}) == 1
    assert columns["witness upright"][0] == pytest.approx(1.0)
    assert list(columns)[-3:] == ["torque hip", "force foot", "witness upright"]


@pytest.mark.parametrize("telemetry_dt", [1e-9, 1e-3, 10.0])
def test_telemetry_at_any_rate_has_start_and_end(flyer, telemetry_dt):
    columns = small.result(flyer, small.idle, 0.01, telemetry_dt=telemetry_dt, requirements=[Upright()]).telemetry
    assert (columns["t"][0], columns["t"][-1]) == (0.0, pytest.approx(0.01))
    assert len(columns["t"]) == (2 if telemetry_dt == 10.0 else 11)


def test_the_final_pose_is_scipys(flyer):
    turn = Rotation.from_euler("xyz", [0.3, -0.8, 2.5])
    x, y, z, w = turn.as_quat()
    final = small.result(flyer, small.idle, 0.001, state=flyer.state([1, 2, 3, w, x, y, z, 0])).final
    assert list(final) == ["x", "y", "z", "roll", "pitch", "yaw"]
    assert list(final.values()) == pytest.approx([1, 2, 3, 0.3, -0.8, 2.5], abs=2e-5)
    assert small.result(small.rod(), small.idle, 0.001).final == {}


def test_events_stop_with_the_violation():
    robot = sf.scene(None, terrain=sf.Plane(), objects=[sf.Ball(radius=0.1, mass=1.0, position=(0, 0, 0.12))])
    falls = math.sqrt(2 * 0.02 / 9.81)
    whole = small.result(robot, small.idle, 0.2)
    assert (whole.events["kind"], whole.events["feature"]) == (["touchdown"], ["ball/ground"])
    assert whole.events["t"] == [pytest.approx(falls, abs=2 * DT)]
    assert small.result(robot, small.idle, 0.2, requirements=[above(0.11)]).events["kind"] == []


def test_what_befalls_one_particle_is_gone_for_the_next(flyer):
    particle = small.started(flyer, small.idle, 0.05, pushes=[Push((9, 9, 9), 0.0, 9.0)])
    particle.trace()
    space = particle.run.plant.space
    assert not space.data.qfrc_applied.any()
    again = particle.run.plant.rollout(flyer.home(), small.idle, 0.05)
    assert again.q.tobytes() == sf.Simulator(flyer, DT).rollout(flyer.home(), small.idle, 0.05).q.tobytes()
    rod = small.rod()
    particle = small.started(rod, small.idle, 0.05, faults=[Fault("stuck", "*", 0.0)])
    particle.trace()
    again = particle.run.plant.rollout(rod.home(), small.idle, 0.05)
    assert again.q.tobytes() == sf.Simulator(rod, DT).rollout(rod.home(), small.idle, 0.05).q.tobytes()


def test_a_body_that_lands_is_caught_between_steps():
    """A trunk 2 cm above the ground: its own corner touches when Galileo says."""
    robot = small.scene(small.FLYER, joints=("hip",), base="trunk", feet=(Foot("foot", "leg", ("sole", "leg")),))
    q = robot.home().q.copy()
    q[2], q[7] = 0.04, math.pi / 2  # the leg lies flat
    data = mujoco.MjData(robot.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(robot.model, data)
    gap = mujoco.mj_geomDistance(robot.model, data, 0, robot.model.geom("trunk").id, 1.0, None)
    free = small.scene(small.FLYER, '<option gravity="0 0 -9.81"/>', joints=("hip",), base="trunk", feet=robot.feet)
    result = small.result(free, small.idle, 0.2, state=robot.state(q), requirements=[NoBodyContact()])
    assert result.outcome == KNOWN
    assert result.time == pytest.approx(math.sqrt(2 * gap / 9.81), abs=0.01)


def test_a_particle_that_could_not_be_built_has_an_empty_result():
    result = failed("mine", 7, {"a": 1.0}, sf.InputError("a: no"), 0.0)
    assert (result.policy, result.particle, result.outcome, result.message) == ("mine", 7, BROKEN, "InputError: a: no")
    assert math.isnan(result.time)
    assert (result.values, result.margins, result.final, result.events, result.telemetry) == (
        {"a": 1.0},
        {},
        {},
        {},
        {},
    )
    assert result.seconds > 0.0


class Short:
    """A witness of the user's own that tells of the last step alone."""

    name = "short"

    def values(self, span):
        return np.array([1.0 + span.v[-1, 2]])


def test_what_a_witness_of_ones_own_returns_is_checked_in_every_look(flyer):
    """At the start, where a scenario asks it once, its one number would do; as an objective it does at the end."""
    assert small.result(flyer, small.nothing, 0.01, objective=[Short()]).margins["short"] > 0.0
    with pytest.raises(sf.InputError, match=r"^requirement 'short': expected shape \(10,\), got \(1,\)$"):
        small.result(flyer, small.nothing, 0.01, requirements=[Short()])
