"""MuJoCo's own physics as a plant, against plain loops of `mj_step`."""

import copy
import pickle
import re

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Hold, JointPID, Pipeline
from surefoot.errors import InputError, SolveError
from surefoot.report.landing import landing

DT = 1e-3


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder for the line that MuJoCo writes when a simulation explodes."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plain(scene, state, torque, steps, **options):
    """qpos and qvel of a hand-written loop; `torque` is a function of (t, q, v)."""
    model = copy.copy(scene.model)
    model.opt.timestep = DT
    for name, value in options.items():
        setattr(model.opt, name, value)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    q, v = [data.qpos.copy()], [data.qvel.copy()]
    for k in range(steps):
        data.qfrc_applied[scene.dofs] = torque(k * DT, data.qpos, data.qvel)
        mujoco.mj_step(model, data)
        q.append(data.qpos.copy())
        v.append(data.qvel.copy())
    return np.array(q), np.array(v)


def spring(robot):
    home = robot.home().q[robot.joint_positions]
    return lambda q, v: 30.0 * (home - q[robot.joint_positions]) - 0.3 * v[robot.dofs]


# The motion is MuJoCo's


def test_free_fall():
    flying = sf.Box(size=(0.2, 0.2, 0.2), mass=2.0, position=(0.0, 0.0, 1.0))
    scene = sf.scene(terrain=sf.Plane(mu=0.5), objects=[flying])
    trace = sf.MujocoPlant(scene, DT).rollout(scene.home(), duration=0.2)
    q, v = plain(scene, scene.home(), lambda t, q, v: (), 200)
    assert np.array_equal(trace.q, q)
    assert np.array_equal(trace.v, v)
    assert trace.v[-1, 2] == pytest.approx(-9.81 * 0.2)
    assert (len(trace.contact_gaps), trace.ok, trace.message) == (0, True, "200 steps of MuJoCo")


@pytest.mark.parametrize("integrator", ["euler", "implicit", "implicitfast", "rk4"])
def test_an_arm_with_damping_and_limits(integrator):
    robot = sf.load("ur10")
    kind = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    state = robot.state(v=np.linspace(-1.0, 1.0, robot.nv))
    wave = np.linspace(1.0, 2.0, len(robot.joints))
    plant = sf.MujocoPlant(robot, DT, integrator=integrator)
    trace = plant.rollout(state, lambda state: 3.0 * np.sin(9.0 * state.t * wave), duration=0.3)
    assert np.array_equal(
        trace.q, plain(robot, state, lambda t, q, v: 3.0 * np.sin(9.0 * t * wave), 300, integrator=kind)[0]
    )
    assert plant.integrator == integrator


def test_a_quadruped_on_its_feet(links):
    """Contacts are recorded between the steps, which changes no bit of them."""
    control = spring(links)
    trace = sf.MujocoPlant(links, DT).rollout(links.home(), lambda state: control(state.q, state.v), duration=0.5)
    q, v = plain(links, links.home(), lambda t, q, v: control(q, v), 500)
    assert np.array_equal(trace.q, q)
    assert np.array_equal(trace.v, v)
    assert np.array_equal(trace.torque[100], control(q[100], v[100]))


def test_a_step_is_that_of_a_fresh_start(links):
    torque = np.linspace(-1.0, 1.0, 12)
    after = sf.MujocoPlant(links, DT).step(links.home().replace(t=3.0), torque)
    q, v = plain(links, links.home(), lambda t, q, v: torque, 1)
    assert after == sf.State(q[1], v[1], 3.0 + DT)
    named = sf.MujocoPlant(links, DT).step(links.home().replace(t=3.0), dict(zip(links.joints, torque, strict=True)))
    assert named == after


def test_actuators_of_the_file_are_off(tmp_path):
    path = tmp_path / "servo.xml"
    path.write_text("""<mujoco><worldbody><body name="rod"><joint name="turn" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0"/></body></worldbody>
        <actuator><position name="servo" joint="turn" kp="1000" ctrlrange="1 2"/></actuator></mujoco>""")
    robot = sf.load(path)
    trace = sf.MujocoPlant(robot, DT).rollout(robot.home(), duration=0.1)
    loose = copy.copy(robot.model)
    loose.opt.timestep = DT
    loose.actuator_gainprm[:] = loose.actuator_biasprm[:] = 0.0
    data = mujoco.MjData(loose)
    for _ in range(100):
        mujoco.mj_step(loose, data)
    assert np.array_equal(trace.q[-1], data.qpos)


def test_the_scene_is_not_touched(links):
    before = copy.copy(links.model.opt.timestep), int(links.model.opt.disableflags)
    sf.MujocoPlant(links, 2e-3, integrator="rk4").rollout(links.home(), duration=0.01)
    assert (links.model.opt.timestep, int(links.model.opt.disableflags)) == before


# Policies


@sf.policy
def pull(t, q, v, torque_out, memory, params):
    memory[0] += 1.0
    for i in range(torque_out.size):
        torque_out[i] = params[0] * np.sin(7.0 * t + i) + 1e-3 * memory[0]
    return 0 if t < params[1] else 7


def test_compiled_and_python_policies_do_the_same(links):
    calls = [0]

    def same(state):
        calls[0] += 1
        return 0.5 * np.sin(7.0 * state.t + np.arange(12)) + 1e-3 * calls[0]

    plant = sf.MujocoPlant(links, DT, control_dt=4e-3)
    compiled = plant.rollout(links.home(), pull.bind([0.5, 9.0], 1), duration=0.1)
    python = plant.rollout(links.home(), same, duration=0.1)
    assert compiled.torque == pytest.approx(python.torque, abs=1e-14)
    assert calls == [25]
    assert (np.diff(python.torque[:4], axis=0) == 0.0).all()
    assert (python.torque[4] != python.torque[3]).any()


def test_the_same_pipeline_drives_both_plants(links):
    ground = sf.scene(links, terrain=sf.Plane(mu=0.7))
    pipeline = Pipeline(links, DT, [Hold(links), JointPID(links, kp=30.0, kd=0.2)])
    for plant in (sf.Simulator(ground, DT), sf.MujocoPlant(ground, DT)):
        trace = plant.rollout(ground.home(), pipeline.policy(), duration=1.0)
        assert trace.ok
        assert np.abs(trace.q[:, 2] - trace.q[0, 2]).max() < 8e-3
        rows = trace.contacts_of(999)
        assert trace.contact_forces[rows, 0].sum() == pytest.approx(9.81 * links.mass, rel=0.02)
    again = sf.MujocoPlant(ground, DT).rollout(ground.home(), lambda state: pipeline(state), duration=1.0)
    assert np.array_equal(again.q, trace.q)


def test_every_roll_out_has_the_same_bits(links):
    plant = sf.MujocoPlant(links, DT)
    traces = [
        p.rollout(links.home(), pull.bind([0.5, 9.0], 1), duration=0.3)
        for p in (plant, plant, sf.MujocoPlant(links, DT))
    ]
    for other in traces[1:]:
        for name in ("q", "v", "torque", "contact_forces", "contact_velocities"):
            assert np.array_equal(getattr(traces[0], name), getattr(other, name))


def test_pickles_and_copies_keep_the_options(links):
    plant = sf.MujocoPlant(links, DT, control_dt=2e-3, integrator="implicitfast")
    plant.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    first = plant.rollout(links.home(), pull.bind([0.5, 9.0], 1), duration=0.1)
    for twin in (pickle.loads(pickle.dumps(plant)), copy.deepcopy(plant), copy.copy(plant)):
        assert (twin.integrator, twin.control_dt, twin.model.opt.cone) == (
            "implicitfast",
            2e-3,
            mujoco.mjtCone.mjCONE_ELLIPTIC,
        )
        assert twin.model is not plant.model
        assert np.array_equal(first.q, twin.rollout(links.home(), pull.bind([0.5, 9.0], 1), duration=0.1).q)


def test_progress(links):
    seen = []
    sf.MujocoPlant(links, DT).rollout(links.home(), duration=2.5, progress=lambda *now: seen.append(now))
    assert seen == [(1000, 2500), (2000, 2500), (2500, 2500)]


# What it leaves behind


def test_traces_are_drawn_and_judged_as_ours_are(links, tmp_path):
    trace = sf.MujocoPlant(links, DT).rollout(links.home(), duration=0.3)
    assert trace.plot(tmp_path / "fall.png").stat().st_size > 1000
    assert landing(trace).penetration > 0.0
    assert trace.law is None
    assert np.isnan(trace.residual).all()
    assert set(trace.status) == {sf.Status.SOLVED.code}


def test_a_replay_is_refused(links):
    trace = sf.MujocoPlant(links, DT).rollout(links.home(), duration=0.01)
    text = (
        "replay: the trace is of MuJoCo's own physics, which has no Answer; "
        "sf.Simulator(trace.scene, trace.dt).solve(trace.state(k), trace.torque[k]) has one of a law"
    )
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        trace.replay()


# When it goes wrong


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1e13])
def test_a_torque_that_is_not_finite_ends_it(links, bad, here):
    trace = sf.MujocoPlant(links, DT).rollout(
        links.home(), lambda state: np.full(12, bad if state.t > 0.0045 else 0.0), duration=0.1
    )
    assert (trace.ok, trace.end, len(trace)) == (False, sf.Status.NOT_FINITE, 5)
    assert trace.message == f"stopped at step 5, t = 0.005 s: {sf.Status.NOT_FINITE}"
    assert np.isfinite(trace.q).all()
    assert not list(here.iterdir())


def test_an_explosion_ends_it_and_nothing_is_reset(links, here):
    trace = sf.MujocoPlant(links, DT).rollout(links.home(), lambda state: np.full(12, 1e9), duration=0.1)
    assert trace.end is sf.Status.NOT_FINITE
    assert len(trace) < 5
    with pytest.raises(SolveError, match=f"^{re.escape(str(sf.Status.NOT_FINITE))}$"):
        sf.MujocoPlant(links, DT).step(links.home(), np.full(12, 1e11))
    assert "QACC" in (here / "MUJOCO_LOG.TXT").read_text()


def test_after_an_explosion_the_plant_is_as_new(links, here):
    plant = sf.MujocoPlant(links, DT)
    plant.rollout(links.home(), lambda state: np.full(12, 1e9), duration=0.1)
    assert np.array_equal(
        plant.rollout(links.home(), duration=0.1).q, sf.MujocoPlant(links, DT).rollout(links.home(), duration=0.1).q
    )


def test_contacts_that_do_not_fit_are_told(here):
    boxes = "".join(
        f'<body pos="{0.3 * i} 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05"/></body>' for i in range(20)
    )
    ground = '<geom name="ground" type="plane" size="5 5 1"/>'
    (here / "many.xml").write_text(
        f'<mujoco><size memory="20K"/><worldbody>{ground}{boxes}</worldbody></mujoco>', encoding="utf-8"
    )
    scene = sf.load(here / "many.xml")
    trace = sf.MujocoPlant(scene, DT).rollout(scene.home(), duration=0.01)
    assert (trace.end, len(trace)) == (sf.Status.CONTACTS_DROPPED, 0)


def test_a_policy_that_returns_a_code_ends_it(links):
    trace = sf.MujocoPlant(links, DT).rollout(links.home(), pull.bind([0.5, 0.0195], 1), duration=0.1)
    assert (trace.end, len(trace)) == (sf.Status.POLICY, 20)
    assert np.isfinite(trace.contact_velocities).all()


def test_an_error_in_a_compiled_policy_is_raised(links):
    @sf.policy
    def beyond(t, q, v, torque_out, memory, params):
        torque_out[99] = 1.0
        return 0

    with pytest.raises(
        InputError, match=r"^policy: beyond raised IndexError: index 99 is out of bounds .*, at t = 0 s$"
    ):
        sf.MujocoPlant(links, DT).rollout(links.home(), beyond, duration=0.1)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"scene": "links"}, "scene: expected a robot or scene (see sf.load), got str"),
        ({"dt": 0.0}, "dt: expected a number above 0, got 0"),
        ({"control_dt": 1.5e-3}, "control_dt: expected a multiple of dt = 0.001 s, got 0.0015"),
        (
            {"integrator": "Euler"},
            "integrator: expected one of 'euler', 'implicit', 'implicitfast', 'rk4', got 'Euler'",
        ),
    ],
)
def test_bad_plants(links, change, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        sf.MujocoPlant(**{"scene": links, "dt": DT, **change})


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"state": 1.0}, "state: expected a State (see robot.home()), got float"),
        ({"state": sf.State(np.ones(3), np.ones(18))}, "state.q: expected shape (19,), got (3,)"),
        ({"duration": 1e-5}, "duration: expected at least one step of 0.001 s, got 1e-05"),
        ({"policy": 3}, "policy: expected @sf.policy, a function of a State, or None, got int"),
        ({"policy": lambda state: np.zeros(3)}, "the policy's torque: expected shape (12,), got (3,)"),
        ({"progress": 3}, "progress: expected a function of (done, steps) or None, got int"),
    ],
)
def test_bad_roll_outs(links, change, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        sf.MujocoPlant(links, DT).rollout(**{"state": links.home(), "duration": 0.01, **change})


def test_a_quaternion_of_zeros(links):
    q = links.home().q.copy()
    q[3:7] = 0.0
    text = "state.q: expected a quaternion of some length at index 3 to 6, got zeros"
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        sf.MujocoPlant(links, DT).step(links.home().replace(q=q))


def test_bad_torques(links):
    with pytest.raises(InputError, match=r"^torque: expected shape \(12,\), got \(3,\)$"):
        sf.MujocoPlant(links, DT).step(links.home(), np.zeros(3))
