"""Oracles for single steps and roll-outs: MuJoCo's own dynamics, every contact mode by brute force, joints, replay."""

import itertools
import math

import mujoco
import numpy as np
import pytest

import surefoot as sf
from tests.contact.scenes import inertia_and_bias

G = 9.81
DT = 1e-3


def load(folder, xml, **options):
    path = folder / "model.xml"
    path.write_text(xml)
    return sf.load(path, **options)


def random_state(robot, rng, speed=1.0):
    q = np.array(robot.home().q)
    mujoco.mj_integratePos(robot.model, q, 0.3 * rng.standard_normal(robot.nv), 1.0)
    return robot.state(q, speed * rng.standard_normal(robot.nv))


# --- MuJoCo ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["links", "links-light", "ur10"])
def test_without_contact_forward_dynamics_is_mujocos(name):
    robot = sf.load(name, ground=None)
    robot.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data, rng = mujoco.MjData(robot.model), np.random.default_rng(0)
    compared = 0
    for _ in range(40):
        state = random_state(robot, rng)
        torque = rng.standard_normal(len(robot.joints))
        answer = sf.forward_dynamics(robot, state, torque, dt=DT)
        state.to_mujoco(data)
        data.qfrc_applied[robot.dofs] = torque
        mujoco.mj_forward(robot.model, data)
        if not len(answer.contacts) and not any(row.force for row in answer.joint_rows):
            assert answer.acceleration == pytest.approx(data.qacc, rel=1e-8, abs=1e-8 * np.abs(data.qacc).max())
            compared += 1
    assert compared >= 10


def test_without_contact_inverse_dynamics_is_mujocos():
    robot = sf.load("arm", ground=None)
    data, rng = mujoco.MjData(robot.model), np.random.default_rng(1)
    compared = 0
    for _ in range(20):
        state, wanted = random_state(robot, rng), rng.standard_normal(11)
        answer = sf.inverse_dynamics(robot, state, wanted, dt=DT, throw=False)
        if len(answer.contacts):
            continue
        state.to_mujoco(data)
        data.qacc[:] = wanted
        mujoco.mj_inverse(robot.model, data)
        assert answer.torque == pytest.approx(data.qfrc_inverse[robot.dofs], abs=1e-9)
        compared += 1
    assert compared >= 10


CHAIN = """
<mujoco model="chain"><worldbody><body pos="0 0 1">
  <joint name="a" axis="0 1 0" damping="2.0" armature="0.01" stiffness="3" springref="10"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="0.2" contype="0" conaffinity="0"/>
  <body pos="0 0 -0.3"><joint name="b" axis="1 0 0" damping="0.5"/>
    <geom type="capsule" fromto="0 0 0 0.1 0 -0.3" size="0.02" mass="0.1" contype="0" conaffinity="0"/></body>
</body></worldbody></mujoco>
"""


@pytest.mark.parametrize("dt", [1e-3, 2e-2])
def test_damping_is_implicit_as_in_mujocos_euler(tmp_path, dt):
    robot = load(tmp_path, CHAIN)
    robot.model.opt.timestep = dt
    data = mujoco.MjData(robot.model)
    start = robot.state([0.4, -0.7], [3.0, -8.0])
    start.to_mujoco(data)
    trace = sf.Simulator(robot, dt=dt).rollout(start, duration=50 * dt)
    for k in range(50):
        mujoco.mj_step(robot.model, data)
        assert trace.q[k + 1] == pytest.approx(data.qpos, abs=1e-10)
        assert trace.v[k + 1] == pytest.approx(data.qvel, abs=1e-9)


def test_standing_forces_are_those_that_the_soft_engine_settles_to():
    robot = sf.load("links")
    state = robot.home()
    standing = sf.inverse_dynamics(robot, state, np.zeros(12), dt=DT)
    data = mujoco.MjData(robot.model)
    robot.model.opt.timestep = DT
    state.to_mujoco(data)
    for _ in range(3000):
        data.qfrc_applied[robot.dofs] = standing.torque + 20 * (state.q[7:] - data.qpos[7:]) - 0.2 * data.qvel[6:]
        mujoco.mj_step(robot.model, data)
    rigid = sf.forward_dynamics(robot, state, standing.torque, dt=DT)
    soft = np.zeros((data.ncon, 6))
    for k in range(data.ncon):
        mujoco.mj_contactForce(robot.model, data, k, soft[k])
    assert rigid.ground_force[2] == pytest.approx(robot.mass * G, rel=1e-9)
    assert soft[:, 0].sum() == pytest.approx(rigid.ground_force[2], rel=1e-3)
    assert np.sort(soft[:, 0]) == pytest.approx(np.sort(rigid.forces[:, 0]), rel=0.02)


# --- every mode by brute force -----------------------------------------------------------------------------------

EDGES = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])


def contact_modes(mu):
    """Names of a closed contact's modes: open, hold, slide against one edge, slide between two."""
    if np.isinf(mu):
        return ["open", "hold"]
    return ["open", "hold", *(("slide", k) for k in range(4)), *(("between", k) for k in range(4))]


def rows_of(mode, i, n, mu):
    """Three linear conditions on (f, c) of contact i: (A, B, offset factor) with A f + B c = -(factor) gap/dt."""
    A, B = np.zeros((3, 3 * n)), np.zeros((3, 3 * n))
    at = slice(3 * i, 3 * i + 3)
    if mode == "open":
        A[:, at] = np.eye(3)
        return A, B
    B[0, 3 * i] = 1.0
    if mode == "hold":
        B[1:, 3 * i + 1 : 3 * i + 3] = np.eye(2)
    elif mode[0] == "slide":
        A[1:, 3 * i + 1 : 3 * i + 3] = np.eye(2)
        A[1:, 3 * i] = -mu * EDGES[mode[1]]
    else:
        first, second = EDGES[mode[1]], EDGES[(mode[1] + 1) % 4]
        A[1, 3 * i : 3 * i + 3] = [-mu, *(first + second)]
        B[2, 3 * i + 1 : 3 * i + 3] = first - second
    return A, B


def allowed(f, c, slack, mu, scale):
    """Whether impulses (n, 3) and velocities (n, 3) satisfy contact and the friction pyramid."""
    tiny = 1e-9 * scale
    if (f[:, 0] < -tiny).any() or (slack < -tiny).any() or np.abs(np.minimum(f[:, 0], slack)).max() > tiny:
        return False
    for fi, ci in zip(f, c, strict=True):
        if np.isinf(mu):
            if fi[0] > tiny and np.abs(ci[1:]).max() > tiny:
                return False
            continue
        if np.abs(fi[1:]).sum() > mu * fi[0] + tiny:
            return False
        if abs(fi[1:] @ ci[1:] + mu * fi[0] * np.abs(ci[1:]).max()) > tiny * max(1.0, np.abs(ci).max()):
            return False
    return True


def all_motions(G_matrix, c0, mu, gaps):
    """Every contact velocity (n, 3) that some mode allows, without repeats."""
    n, scale = len(gaps), max(1.0, np.abs(c0).max())
    shift = np.zeros(3 * n)
    shift[::3] = np.maximum(gaps, 0) / DT
    found = []
    for modes in itertools.product(contact_modes(mu), repeat=n):
        pairs = [rows_of(mode, i, n, mu) for i, mode in enumerate(modes)]
        A, B = np.vstack([a for a, _ in pairs]), np.vstack([b for _, b in pairs])
        f = np.linalg.lstsq(A + B @ G_matrix, -B @ (c0 + shift), rcond=1e-12)[0]
        c = G_matrix @ f + c0
        if np.abs(A @ f + B @ (c + shift)).max() > 1e-9 * scale:
            continue
        blocks = f.reshape(n, 3), c.reshape(n, 3)
        if allowed(*blocks, (c + shift)[::3], mu, scale) and not any(np.abs(c - other).max() < 1e-8 for other in found):
            found.append(c)
    return found


def capsule_scene():
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    body = spec.worldbody.add_body(name="bar", pos=[0, 0, 0.05])
    body.add_freejoint(name="bar")
    body.add_geom(
        name="bar", type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[-0.2, 0, 0, 0.3, 0, 0], size=[0.05, 0, 0], mass=1.5
    )
    return sf.Scene(spec, name="bar", joints=(), objects=("bar",), home=np.array([0, 0, 0.05, 1, 0, 0, 0]))


def ball_scene():
    return sf.scene(terrain=sf.Plane(), objects=[sf.Ball(radius=0.1, mass=1.0, position=(0, 0, 0.1))])


@pytest.mark.parametrize("mu", [0.0, 0.2, 1.0, np.inf])
@pytest.mark.parametrize(("build", "count"), [(ball_scene, 1), (capsule_scene, 2)], ids=["ball", "capsule"])
def test_the_answer_is_one_of_all_that_the_modes_allow(build, count, mu):
    scene, rng = build(), np.random.default_rng(9)
    law = sf.Coulomb(mu=mu)
    several = 0
    for _ in range(25):
        state = scene.state(v=rng.choice([0.0, 0.01, 1.0]) * rng.standard_normal(6))
        answer = sf.forward_dynamics(scene, state, dt=DT, law=law)
        assert len(answer.contacts) == count
        assert answer.contacts.closed.all()
        M, h = inertia_and_bias(scene, state)
        J = answer.contacts.J.reshape(3 * count, 6)
        v_free = state.v - DT * np.linalg.solve(M, h)
        motions = all_motions(J @ np.linalg.solve(M, J.T), J @ v_free, mu, answer.contacts.gaps)
        if not motions:  # the law of infinite friction has no answer: that of ever larger friction then counts
            assert np.isinf(mu)
            large = sf.forward_dynamics(scene, state, dt=DT, law=sf.Coulomb(mu=1e3))
            assert answer.velocity == pytest.approx(large.velocity, abs=1e-2 * np.abs(state.v).max())
            continue
        nearest = min(np.abs(answer.contact_velocity.ravel() - c).max() for c in motions)
        assert nearest < 1e-8 * max(1.0, np.abs(J @ v_free).max())
        several += len(motions) > 1
    print(f"{several} of 25 problems have several motions")
    assert several <= 2


# --- joints ------------------------------------------------------------------------------------------------------

SLIDER = """
<mujoco model="slider"><worldbody><body><joint name="x" type="slide" axis="1 0 0" frictionloss="2"/>
  <geom type="sphere" size="0.1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>
"""


def test_dry_friction_holds_below_its_limit_and_slides_above_it(tmp_path):
    robot = load(tmp_path, SLIDER)
    sim = sf.Simulator(robot, dt=DT)
    held = sim.rollout(robot.home(), lambda state: [1.99], 1.0)
    assert np.abs(held.q).max() < 1e-12
    slid = sim.rollout(robot.home(), lambda state: [-2.5], 1.0)
    assert slid.v[:, 0] == pytest.approx(-0.5 * slid.t, abs=1e-9)
    stopping = sim.rollout(robot.state(v=[1.0]), None, 1.0)
    assert stopping.v[:, 0] == pytest.approx(np.maximum(1.0 - 2.0 * stopping.t, 0.0), abs=1e-9)
    answer = sf.forward_dynamics(robot, robot.home(), [1.0], dt=DT)
    assert [(row.joint, row.kind) for row in answer.joint_rows] == [("x", "dry friction")]
    assert answer.joint_rows[0].force == pytest.approx(-1.0, rel=1e-9)
    moving = sf.inverse_dynamics(robot, robot.state(v=[0.5]), [3.0], dt=DT)
    assert moving.torque == pytest.approx([3.0 + 2.0], rel=1e-9)


LIMITED = """
<mujoco model="limited"><worldbody><body><joint name="pivot" axis="0 1 0" limited="true" range="-60 30"/>
  <geom type="sphere" size="0.05" pos="0 0 -0.5" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("side", [1, -1])
def test_a_pendulum_stops_at_its_limit_without_a_bounce(tmp_path, side):
    robot = load(tmp_path, LIMITED)
    limit = math.radians(30 if side > 0 else -60)
    trace = sf.Simulator(robot, dt=DT).rollout(robot.state(v=[side * 6.0]), lambda state: [side * 8.0], 1.0)
    assert trace.ok
    angle = side * trace.q[:, 0]
    assert angle.max() <= side * limit + 1e-9
    hit = int(np.argmax(angle > side * limit - 1e-9))
    assert 0 < hit < 500
    assert trace.q[hit:, 0] == pytest.approx(np.full(len(angle) - hit, limit), abs=1e-9)
    assert np.abs(trace.v[hit + 1 :]).max() < 1e-9
    answer = trace.replay()
    assert [(row.joint, row.kind) for row in answer.joint_rows] == [("pivot", "limit")]
    assert side * answer.joint_rows[0].force == pytest.approx(-8.0 + G * 0.5 * math.sin(abs(limit)), rel=1e-6)


# --- replay and policies -----------------------------------------------------------------------------------------


@sf.policy
def stiff(t, q, v, torque_out, memory, params):
    """Springs and dampers to params, with a clock in the memory."""
    memory[0] += 1.0
    for i in range(torque_out.shape[0]):
        torque_out[i] = 5.0 * (params[i] - q[7 + i]) - 0.02 * v[6 + i] + 0.2 * math.sin(10.0 * t) + 1e-4 * memory[0]
    return 0


@sf.policy
def poisoned(t, q, v, torque_out, memory, params):
    """NaN from params[0] seconds on."""
    for i in range(torque_out.shape[0]):
        torque_out[i] = math.nan if t >= params[0] - 1e-9 else 0.0
    return 0


def shaken(law="coulomb", **options):
    """`links` dropped while its legs shake: (simulator, start, compiled policy)."""
    robot = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.4))
    q = np.array(robot.home().q)
    q[2] += 0.02
    return sf.Simulator(robot, dt=DT, law=law, **options), robot.state(q), stiff.bind(q[7:], memory=1)


def same(one, two):
    fields = ("t", "q", "v", "torque", "contact_forces", "contact_points", "contact_gaps", "contact_start", "residual")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in fields)


@pytest.mark.parametrize("law", ["coulomb", "no-slip", "dissipative"])
def test_rollouts_repeat_bit_for_bit(law):
    sim, start, policy = shaken(law)
    first = sim.rollout(start, policy, 0.5)
    assert first.ok, first.message
    assert len(first.contact_forces) > 500
    assert same(first, sim.rollout(start, policy, 0.5))
    fresh, start, policy = shaken(law)
    assert same(first, fresh.rollout(start, policy, 0.5))
    state = start
    for k in range(100):
        state, _ = fresh.step(state, first.torque[k])
        assert np.array_equal(state.q, first.q[k + 1])
        assert np.array_equal(state.v, first.v[k + 1])


@pytest.mark.parametrize("control_dt", [1e-3, 4e-3])
def test_a_python_policy_equals_the_compiled_one_bit_for_bit(control_dt):
    sim, start, policy = shaken(control_dt=control_dt)
    memory, torque = np.zeros(1), np.zeros(12)

    def python(state):
        policy(state.t, state.q, state.v, torque, memory, policy.params)
        return torque

    trace = sim.rollout(start, policy, 0.3)
    assert trace.ok, trace.message
    assert same(trace, sim.rollout(start, python, 0.3))


@pytest.mark.parametrize("options", [{}, {"restitution": 0.7}, {"speed": 10.0}], ids=str)
def test_a_replayed_step_has_the_forces_of_the_trace(options):
    sim, start, policy = shaken(**options)
    trace = sim.rollout(start, policy, 0.3)
    forces = np.zeros(len(trace))
    for k in range(0, len(trace), 3):
        rows, answer = trace.contacts_of(k), trace.replay(k)
        assert np.array_equal(answer.forces, trace.contact_forces[rows]), k
        assert answer.velocity == pytest.approx(trace.v[k + 1], abs=1e-12)
        forces[k] = trace.contact_forces[rows, 0].sum()
    assert forces.max() > 60  # the landing is among them


@pytest.mark.parametrize("compiled", [True, False])
def test_a_policy_that_writes_nan_stops_the_rollout_at_its_step(compiled):
    sim, start, _ = shaken()
    policy = poisoned.bind([0.1]) if compiled else lambda s: np.full(12, math.nan if s.t >= 0.1 - 1e-9 else 0.0)
    trace = sim.rollout(start, policy, 0.5)
    assert not trace.ok
    assert trace.end is sf.Status.NOT_FINITE
    assert len(trace) == 100
    assert "stopped at step 100, t = 0.1 s: not finite" in trace.message
    assert np.isfinite(trace.q).all()
    again = sim.rollout(start, None, 0.1)
    assert again.ok, again.message  # the simulator itself is not poisoned
    assert np.isnan(trace.failed_torque).all()
    assert trace.replay().status is sf.Status.NOT_FINITE  # as the message promises


def test_a_rollout_that_diverged_leaves_the_simulator_usable():
    robot = sf.load("links")
    sim = sf.Simulator(robot, dt=DT)
    before = sim.rollout(robot.home(), None, 0.05)
    wild = sim.rollout(robot.home(), lambda state: 10.0 - 1e4 * state.v[6:], 0.3)  # a damper far too stiff for the step
    assert wild.end is sf.Status.NOT_FINITE
    after = sim.rollout(robot.home(), None, 0.05)
    assert after.ok, after.message
    assert same(before, after)
