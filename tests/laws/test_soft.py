import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError
from surefoot.laws import as_law
from tests.contact.scenes import ball, block, compiled, random_state
from tests.laws.soft_scenes import LAWS, figure, figure_state, pressed, rod, rolling_ball

DT = 1e-3
G = 9.81
PARTS = ("normal", "friction", "joints", "reduction", "dynamics")


@pytest.fixture(scope="module")
def body():
    return figure()


def miss(a, b):
    """Largest difference of two answers' forces, torques and moments, relative to the largest force or 1 N."""
    size = max(1.0, np.abs(b.forces).max(initial=0.0))
    pairs = ((a.forces, b.forces), (a.torque, b.torque), (a.moments, b.moments))
    return max(np.abs(x - y).max(initial=0.0) for x, y in pairs) / size


# Known answers


def test_defaults_and_name():
    law = sf.Soft()
    assert (law.name, law.epsilon, law.kappa, law.critical, law.mu) == ("soft", 0.01, 0.02, False, None)
    assert as_law("soft") == law


@pytest.mark.parametrize("mass", [0.1, 20.0])
@pytest.mark.parametrize(("epsilon", "kappa"), [(0.01, 0.02), (0.5, 0.05)])
def test_rest_depth_does_not_depend_on_the_mass(mass, epsilon, kappa):
    scene = ball(mass=mass)
    law = sf.Soft(epsilon=epsilon, kappa=kappa)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=40 * kappa)
    assert trace.ok
    assert 0.1 - trace.q[-1, 2] == pytest.approx(kappa**2 * epsilon * G / (1 + epsilon), rel=1e-9)
    assert np.abs(trace.v[-1]).max() <= 1e-12


def test_at_rest_depth_the_force_is_the_weight(body):
    depth = 0.02**2 * 0.01 * G / 1.01
    scene = ball(mass=3.0)
    state = scene.state([0, 0, 0.1 - depth, 1, 0, 0, 0])
    answer = sf.forward_dynamics(scene, state, dt=DT, law=sf.Soft())
    assert answer.forces[0] == pytest.approx([3.0 * G, 0, 0], rel=1e-9)
    assert np.abs(answer.velocity).max() <= 1e-12


def test_contacts_that_share_a_load_sink_less():
    """Each of a body's contacts is as soft as if it carried all: four corners sink by a quarter."""
    scene = block(mass=3.0)
    trace = sf.Simulator(scene, dt=DT, law=sf.Soft()).rollout(scene.home(), duration=1.0)
    assert 0.05 - trace.q[-1, 2] == pytest.approx(0.02**2 * 0.01 * G / 1.01 / 4, rel=1e-9)


def test_a_wheel_on_an_axle_is_soft_though_its_centre_cannot_move():
    """Pressed against a wall at its rim: the depth is R f / (dt K), R = epsilon A with A about 1/m."""
    scene = compiled(
        """<geom name="ground" type="plane" size="0 0 1" condim="1"/>
        <body name="wheel" pos="0 0 0.1"><joint name="axle" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>
        <geom name="spoke" type="sphere" size="0.01" pos="0.1 0 -0.09" condim="1"/></body>""",
        joints=("axle",),
    )
    trace = sf.Simulator(scene, dt=DT, law=sf.Soft()).rollout(scene.home(), lambda state: [0.5], duration=0.5)
    assert trace.ok
    depth = 0.1 * np.sin(trace.q[-1, 0])
    assert depth == pytest.approx(0.02**2 * 0.01 / 1.01 * (0.5 / 0.1) / 2 / 3, rel=0.02)
    assert np.abs(trace.v[-1]).max() <= 1e-9


def test_given_contacts_are_as_soft_as_found_ones(links):
    state = pressed(links, np.random.default_rng(5))
    found = sf.forward_dynamics(links, state, dt=DT, law=sf.Soft())
    given = sf.forward_dynamics(links, state, dt=DT, law=sf.Soft(), contacts=found.contacts)
    assert found.forces.any()
    assert given.velocity == pytest.approx(found.velocity, abs=1e-12)


@pytest.mark.parametrize("down", [0.0, 0.4])
@pytest.mark.parametrize("critical", [False, True])
def test_a_swing_foot_half_a_millimetre_up_feels_nothing(links, down, critical):
    q = links.home().q.copy()
    q[2] += 5e-4
    state = links.state(q, np.r_[1.0, 0.5, -down, np.zeros(15)])
    law = sf.Soft(mu=0.7, critical=critical)
    for answer in (
        sf.forward_dynamics(links, state, dt=DT, law=law),
        sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=law),
        sf.inverse_dynamics(links, state, velocity_next=state.v, dt=DT, law=law),
    ):
        assert len(answer.contacts) == 4
        assert not answer.forces.any()


HINGE = (
    '<body name="arm"><joint name="hinge" axis="0 1 0" frictionloss="{loss}" {more}/>'
    '<inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body>'
)


@pytest.mark.parametrize("torque", [0.0, 1.0, 1.9, 2.5, -7.0])
@pytest.mark.parametrize("v", [0.0, 0.2])
def test_friction_loss_of_one_joint(torque, v):
    """One row: f = clip((c* - c0) / (A + R)) with A = 1/I, R = eps/I, c* = (1 - 2 (1 + eps) dt / kappa) v."""
    scene = compiled(HINGE.format(loss=2.0, more=""), joints=("hinge",))
    inertia, eps, kappa = 0.2, 0.05, 0.02
    law = sf.Soft(epsilon=eps, kappa=kappa)
    answer = sf.forward_dynamics(scene, scene.state(v=[v]), [torque], dt=DT, law=law)
    c0, aim = v + DT * torque / inertia, v * (1 - 2 * (1 + eps) * DT / kappa)
    f = np.clip((aim - c0) * inertia / (1 + eps), -2.0 * DT, 2.0 * DT)
    assert answer.velocity[0] == pytest.approx(c0 + f / inertia, abs=1e-15)
    assert answer.joint_rows[0].force == pytest.approx(f / DT, abs=1e-12)
    back = sf.inverse_dynamics(scene, scene.state(v=[v]), velocity_next=answer.velocity, dt=DT, law=law)
    assert back.torque[0] == pytest.approx(torque, abs=1e-11)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_limit_pulls_back_with_the_time_constant(side):
    """Beyond its limit by x: v+ = v - dt (2 v / kappa + x / kappa^2), whatever epsilon."""
    hinge = HINGE.format(loss=0.0, more='range="-0.5 0.5" limited="true"')
    scene = compiled(hinge, '<compiler angle="radian"/>', joints=("hinge",))
    law = sf.Soft(epsilon=0.02, kappa=0.04)
    answer = sf.forward_dynamics(scene, scene.state([0.51 * side], [0.1 * side]), dt=DT, law=law)
    wanted = 0.1 - DT * (2 * 0.1 / 0.04 + 0.01 / 0.04**2)
    assert side * answer.velocity[0] == pytest.approx(wanted, abs=1e-12)
    within = sf.forward_dynamics(scene, scene.state([0.499 * side], [0.1 * side]), dt=DT, law=law)
    assert within.velocity == pytest.approx([0.1 * side], abs=1e-15)


def test_infinite_friction_holds_and_a_belief_overrides():
    scene = block(mu=0.1)
    state = scene.state([0, 0, 0.0499, 1, 0, 0, 0], [0.2, 0, 0, 0, 0, 0])
    held = sf.forward_dynamics(scene, state, dt=DT, law=sf.Soft(mu=np.inf, epsilon=1e-6, kappa=2e-3))
    assert held.forces[:, 0].any()
    assert np.abs(held.contact_velocity[:, 1:]).max() < 1e-5
    for mu in (0.0, 0.3):
        answer = sf.forward_dynamics(scene, state, dt=DT, law=sf.Soft(mu=mu))
        normal = answer.forces[:, 0].sum()
        assert normal > 0
        assert answer.forces[:, 1].sum() == pytest.approx(-mu * normal, abs=1e-9 * normal)


@pytest.mark.parametrize("condim", [4, 6])
def test_torsion_and_rolling_slow_a_ball_down(condim):
    """A ball that spins about the normal is braked by mu_t f_n; one that rolls, by mu_r f_n."""
    scene = rolling_ball(condim, spin=0.004, roll=0.002)
    depth = 0.02**2 * 0.01 * G / 1.01
    q = [0, 0, 0.1 - depth, 1, 0, 0, 0]
    spun = sf.forward_dynamics(scene, scene.state(q, [0, 0, 0, 0, 0, 3.0]), dt=DT, law=sf.Soft())
    assert spun.moments[0, 0] == pytest.approx(-0.004 * spun.forces[0, 0], rel=1e-3)
    rolled = sf.forward_dynamics(scene, scene.state(q, [0.3, 0, 0, 0, 3.0, 0]), dt=DT, law=sf.Soft())
    turning = np.linalg.norm(rolled.moments[0, 1:])
    assert turning == pytest.approx(0.002 * rolled.forces[0, 0] if condim == 6 else 0.0, rel=0.05)
    assert not sf.forward_dynamics(scene, scene.state(q, [0, 0, 0, 0, 0, 3.0]), dt=DT).moments.any()


# Critical damping of coupled contacts


def gaps_of(scene, q):
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(scene.model, data)
    return np.array([data.geom(name).xpos[2] - 0.02 for name in ("left", "right")])


def decay(critical, epsilon, kappa=0.05, away=1e-4):
    """Gaps less those at rest (steps, 2) of a rod let go `away` m below its rest, and the times."""
    scene = rod()
    sim = sf.Simulator(scene, dt=DT, law=sf.Soft(epsilon=epsilon, kappa=kappa, critical=critical))
    settled = sim.rollout(scene.state([-0.002, 0.0]), duration=60 * kappa)
    rest = settled.q[-1]
    assert np.abs(settled.v[-1]).max() <= 1e-10
    trace = sim.rollout(scene.state(rest - [away, 0.0]), duration=6 * kappa)
    x = np.array([gaps_of(scene, q) for q in trace.q]) - gaps_of(scene, rest)
    return x / away, trace.t - trace.t[0]


@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_critical_coupled_contacts_decay_as_one(epsilon):
    """x = x_0 (1 + t/kappa) exp(-t/kappa) for both contacts, whatever couples them; and its own discrete steps."""
    kappa = 0.05
    x, t = decay(True, epsilon)
    assert x == pytest.approx(np.outer((1 + t / kappa) * np.exp(-t / kappa), x[0]), abs=0.01)
    y, c = [x[0]], np.zeros(2)
    for _ in t[1:]:
        c = c - DT * (2 / kappa * c + y[-1] / kappa**2)
        y.append(y[-1] + DT * c)
    assert x == pytest.approx(np.array(y), abs=1e-4)


def test_diagonal_coupled_contacts_do_not():
    kappa = 0.05
    x, t = decay(False, 1.0)
    assert np.abs(x - np.outer((1 + t / kappa) * np.exp(-t / kappa), x[0])).max() > 0.03


# One law, three ways: nothing, the joints, everything prescribed


@pytest.mark.parametrize("critical", [False, True])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_forward_partly_and_fully_prescribed_impulses_agree(body, links, law, critical):
    law = sf.Soft(epsilon=law.epsilon, kappa=law.kappa, critical=critical)
    rng, pushed = np.random.default_rng(1), 0
    for robot, make in ((body, figure_state), (links, pressed)):
        for _ in range(6):
            state = make(robot, rng)
            torque = rng.normal(size=len(robot.joints)) * (5.0 if robot is body else 0.3)
            forward = sf.forward_dynamics(robot, state, torque, dt=DT, law=law)
            partly = sf.inverse_dynamics(robot, state, forward.acceleration[robot.dofs], dt=DT, law=law)
            fully = sf.inverse_dynamics(robot, state, velocity_next=forward.velocity, dt=DT, law=law)
            pushed += forward.forces.any()
            assert partly.velocity == pytest.approx(forward.velocity, abs=1e-9)
            assert forward.torque == pytest.approx(torque, abs=1e-15)
            assert miss(partly, forward) <= 1e-9
            assert miss(fully, forward) <= 1e-9
            assert (forward.method, fully.method) == ("Newton's method", "projection")
            assert np.abs(fully.unactuated).max() <= 1e-9 * max(1.0, np.abs(forward.forces).max())
            for answer in (forward, partly, fully):
                assert answer.status is sf.Status.SOLVED
                assert max(answer.residuals()[part] for part in PARTS) <= 1e-9
    assert pushed >= 6


def test_some_joints_prescribed_others_driven(body):
    rng = np.random.default_rng(2)
    law = sf.Soft()
    for _ in range(5):
        state = figure_state(body, rng)
        torque = 3.0 * rng.normal(size=12)
        forward = sf.forward_dynamics(body, state, torque, dt=DT, law=law)
        chosen = rng.permutation(12)[:5]
        velocity = {body.joints[i]: forward.velocity[body.dofs[i]] for i in chosen}
        given = {body.joints[i]: torque[i] for i in range(12) if i not in chosen}
        mixed = sf.solve(body, state, dt=DT, velocity=velocity, torque=given, law=law)
        assert mixed.velocity == pytest.approx(forward.velocity, abs=1e-9)
        assert miss(mixed, forward) <= 1e-9


def test_an_unphysical_motion_leaves_a_force_on_the_base(links):
    state = links.home()
    answer = sf.inverse_dynamics(links, state, velocity_next=np.zeros(18), dt=DT, law=sf.Soft())
    weight = links.model.body_mass.sum() * G
    assert answer.unactuated[:3] == pytest.approx([0, 0, weight], rel=1e-9)
    assert not answer.unactuated[links.dofs].any()


# Properties and edges


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), critical=st.booleans())
def test_round_trip(seed, critical):
    robot, rng = sf.load("links"), np.random.default_rng(seed)
    state = random_state(robot, rng, reach=0.003, speed=0.2)
    law = sf.Soft(epsilon=10 ** rng.uniform(-4, 0), kappa=10 ** rng.uniform(-2.6, -1), critical=critical, mu=0.6)
    forward = sf.forward_dynamics(robot, state, 0.5 * rng.normal(size=12), dt=DT, law=law)
    inverse = sf.inverse_dynamics(robot, state, forward.acceleration[robot.dofs], dt=DT, law=law)
    again = sf.forward_dynamics(robot, state, inverse.torque, dt=DT, law=law)
    assert inverse.velocity == pytest.approx(forward.velocity, abs=1e-9)
    assert again.velocity == pytest.approx(forward.velocity, abs=1e-9)


def test_large_torque_limits_change_nothing(links):
    rng = np.random.default_rng(4)
    state, wanted = pressed(links, rng), 5.0 * rng.normal(size=12)
    free = sf.inverse_dynamics(links, state, wanted, dt=DT, law=sf.Soft())
    limited = sf.inverse_dynamics(links, state, wanted, dt=DT, law=sf.Soft(), torque_limits=1e3)
    assert limited.velocity == pytest.approx(free.velocity, abs=1e-9)
    assert limited.torque == pytest.approx(free.torque, abs=1e-6)
    assert not limited.missed.any()


def test_nothing_to_solve():
    scene = compiled(HINGE.format(loss=0.0, more=""), joints=("hinge",))
    assert sf.forward_dynamics(scene, scene.home(), [1.0], dt=DT, law=sf.Soft()).velocity == pytest.approx([DT / 0.2])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"epsilon": 0.0}, "epsilon: expected a number above 0, got 0"),
        ({"epsilon": np.nan}, "epsilon: expected a finite number, got nan"),
        ({"kappa": -0.1}, "kappa: expected a number above 0, got -0.1"),
        ({"critical": 1}, "critical: expected True or False, got 1"),
        ({"mu": -0.1}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got -0.1"),
    ],
)
def test_bad_numbers_are_refused(arguments, text):
    with pytest.raises(InputError, match=text):
        sf.Soft(**arguments)


@pytest.mark.parametrize(
    "call",
    [
        lambda robot, law: sf.forward_dynamics(robot, robot.home(), dt=0.02, law=law),
        lambda robot, law: sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=0.02, law=law),
        lambda robot, law: sf.InverseDynamics(robot, 0.02, law),
        lambda robot, law: sf.Simulator(robot, dt=0.02, law=law),
    ],
)
def test_a_time_constant_below_two_steps_is_refused(links, call):
    with pytest.raises(InputError, match=r"kappa: expected at least two steps of dt = 0.02 s, got 0.039"):
        call(links, sf.Soft(kappa=0.039))
    call(links, sf.Soft(kappa=0.04))
