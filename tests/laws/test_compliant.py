import math

import daqp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError
from surefoot.kernels import status
from surefoot.solvers.contact_samples import random_contact
from tests.contact.scenes import ball, block, compiled, random_state
from tests.kernels.problems import TOLERANCE, from_sample, solve, violation

G = 9.81
DT = 1e-3
LAW_PARTS = ("normal", "friction", "joints", "reduction", "dynamics")


def spring_force(law, gap, speed, dt=DT):
    """N: k and d on the end of the step, never pulling."""
    damping = np.where(gap <= 0.0, law.damping, 0.0)  # nothing damps in mid-air
    return np.maximum(0.0, -law.stiffness * (gap + dt * speed) - damping * speed)


def check(answer):
    """The law, computed from gaps, forces and end velocities alone."""
    law, f, c = answer.law, answer.forces, answer.contact_velocity
    assert answer.status is sf.Status.SOLVED
    expected = spring_force(law, answer.contacts.gaps, c[:, 0], answer.dt)
    assert f[:, 0] == pytest.approx(expected, rel=1e-6, abs=1e-6 * max(expected.max(initial=0.0), 1.0))
    for i, mu in enumerate(answer.contacts.mu):
        if not answer.contacts.closed[i]:
            assert not f[i, 1:].any()
        elif math.isinf(mu):
            assert f[i, 0] == 0 or np.abs(c[i, 1:]).max() <= 1e-8
        else:
            most = mu * f[i, 0]
            assert np.abs(f[i, 1:]).sum() <= most * (1 + 1e-6) + 1e-9
            # Friction takes out all the power that four edges can.
            assert f[i, 1:] @ c[i, 1:] == pytest.approx(-most * np.abs(c[i, 1:]).max(), rel=1e-6, abs=1e-6 * (1 + most))
    assert max(answer.residuals()[part] for part in LAW_PARTS) <= 2 * TOLERANCE


# Known answers


def test_numbers():
    law = sf.Compliant(stiffness=1e4)
    assert law.name == "compliant"
    numbers = law.numbers()
    assert np.isnan(numbers.mu)
    assert (numbers.dissipative, numbers.stiffness, numbers.damping, numbers.edges) == (False, 1e4, 0.0, 4)
    assert sf.Compliant(1e4, 20.0, mu=0.3, edges=8).numbers().damping == 20.0


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("mass", [0.1, 5.0])
def test_a_ball_sinks_in_by_its_weight_over_the_stiffness(stiffness, mass):
    scene = ball(mass=mass)
    law = sf.Compliant(stiffness=stiffness, damping=2 * math.sqrt(stiffness * mass))
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=3.0)
    assert trace.ok, trace.message
    assert 0.1 - trace.q[-1, 2] == pytest.approx(mass * G / stiffness, rel=1e-9, abs=1e-15)
    assert np.abs(trace.v[-1]).max() <= 1e-12
    answer = sf.forward_dynamics(scene, trace.state(-1), dt=DT, law=law)
    assert answer.forces[0] == pytest.approx([mass * G, 0, 0], rel=1e-6, abs=1e-9)
    check(answer)


def test_a_block_sinks_in_evenly():
    scene = block(mass=2.0)
    law = sf.Compliant(stiffness=1e4, damping=100.0)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.state(v=[0.5, 0.2, 0, 0, 0, 0]), duration=2.0)
    assert trace.ok, trace.message
    assert 0.05 - trace.q[-1, 2] == pytest.approx(2.0 * G / 4e4, rel=1e-9)
    assert np.abs(trace.v[-1]).max() <= 1e-12


def test_a_sliding_block_is_braked_by_mu_times_its_weight():
    scene = block(mu=0.4)
    law = sf.Compliant(stiffness=1e5, damping=300.0)
    rest = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=1.0).state(-1)
    start = scene.state(rest.q, [2.0, 0, 0, 0, 0, 0])
    answer = sf.forward_dynamics(scene, start, dt=DT, law=law)
    assert answer.acceleration[0] == pytest.approx(-0.4 * G, rel=1e-3)  # it tips forward a little on its springs
    check(answer)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(start, duration=0.3)
    assert trace.v[0, 0] - trace.v[-1, 0] == pytest.approx(0.3 * 0.4 * G, rel=1e-3)


@pytest.mark.parametrize("yaw", [0, 30])
def test_a_block_on_a_slope_does_not_creep(yaw):
    mu, angle = 0.5, math.atan(0.34)
    slope = sf.Slope(angle=angle, yaw=math.radians(yaw), mu=mu)
    box = sf.Box(
        size=(0.2, 0.2, 0.1), mass=1.5, position=tuple(0.05 * slope.normal), quaternion=tuple(slope.quaternion)
    )
    scene = sf.scene(terrain=slope, objects=[box])
    law = sf.Compliant(stiffness=2e4, damping=200.0)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=6.0)
    assert trace.ok, trace.message
    settled = trace.q[2000:]
    assert np.abs(settled - settled[-1]).max() < 1e-9
    sunk = -(trace.q[-1, :3] - trace.q[0, :3]) @ slope.normal
    assert sunk == pytest.approx(1.5 * G * math.cos(angle) / 8e4, rel=1e-4)  # it tips a little


@pytest.mark.parametrize("gap", [-5e-2, -5e-3, -1e-6, 0.0, 5e-7, 1e-4, 9e-4])
@pytest.mark.parametrize("speed", [-1.0, 0.0, 0.5])
def test_any_sign_of_the_gap(gap, speed):
    scene = ball(above=gap)
    law = sf.Compliant(stiffness=1e4, damping=5.0)
    answer = sf.forward_dynamics(scene, scene.state(v=[0.3, 0, speed, 0, 0, 0]), dt=DT, law=law)
    check(answer)
    # f = dt (-k (gap + dt c) - d c) and c = speed - g dt + f / m, by hand.
    free = speed - G * DT
    damping = 5.0 if gap <= 0.0 else 0.0
    push = DT * (-1e4 * (gap + DT * free) - damping * free) / (1 + DT * (DT * 1e4 + damping))
    assert answer.velocity[2] == pytest.approx(free + max(push, 0.0), rel=1e-9, abs=1e-12)


def test_depth_is_a_load_and_is_not_taken_away():
    """A spring of 1e4 N/m pressed in by 10 mm throws a ball of 1 kg upwards with its whole energy."""
    scene = ball(above=-1e-2)
    law = sf.Compliant(stiffness=1e4)
    trace = sf.Simulator(scene, dt=1e-5, law=law, speed=5.0).rollout(scene.home(), duration=0.05)
    energy = 0.5 * 1e4 * 1e-4 - G * (trace.q[-1, 2] - 0.09)
    assert 0.5 * trace.v[-1, 2] ** 2 == pytest.approx(energy, rel=0.01)
    assert trace.q[-1, 2] > 0.1


def test_a_stiff_spring_is_rigid():
    robot = sf.load("links")
    rng = np.random.default_rng(4)
    for _ in range(5):
        state = random_state(robot, rng, reach=0.0, speed=0.2)
        torque = 0.3 * rng.normal(size=12)
        rigid = sf.forward_dynamics(robot, state, torque, dt=DT)
        stiff = sf.forward_dynamics(robot, state, torque, dt=DT, law=sf.Compliant(stiffness=1e13))
        assert stiff.velocity == pytest.approx(rigid.velocity, abs=1e-6)


# Prescribed motion


PLATES = """
<body name="left" pos="-0.06 0 0"><joint name="left" type="slide" axis="1 0 0"/>
  <geom name="left" type="box" size="0.01 0.1 0.1" mass="1"/></body>
<body name="right" pos="0.06 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
  <geom name="right" type="box" size="0.01 0.1 0.1" mass="1"/></body>
<body name="ball"><freejoint/><geom name="ball" type="sphere" size="0.05" mass="0.5"/></body>
"""


def test_plates_that_close_on_a_ball_squeeze_it():
    """What is impossible between rigid bodies has an answer, and the squeeze is determined."""
    scene = compiled(PLATES, joints=("left", "right"), objects=("ball",))
    law = sf.Compliant(stiffness=1e4, damping=10.0)
    closing = {"left": 0.1, "right": 0.1}
    assert not sf.solve(scene, scene.home(), dt=DT, velocity=closing, throw=False).ok
    answer = sf.solve(scene, scene.home(), dt=DT, velocity=closing, law=law)
    check(answer)
    assert answer.forces[:, 0] == pytest.approx(np.full(2, 1e4 * 1e-4 + 10.0 * 0.1))
    assert answer.torque == pytest.approx(np.full(2, 2.0) + 0.1 / DT)
    still = sf.solve(scene, scene.home(), dt=DT, velocity={"left": 0.0, "right": 0.0}, law=law)
    assert still.status is sf.Status.SOLVED
    assert not still.forces.any()


def test_nothing_free_to_move():
    """A bolted press, pushed into the floor: the spring alone says how hard."""
    world = (
        '<geom name="ground" type="plane" size="1 1 1"/><body name="ram" pos="0 0 0.1">'
        '<joint name="lift" type="slide" axis="0 0 1"/><geom name="ram" type="sphere" size="0.1" mass="1"/></body>'
    )
    scene = compiled(world, joints=("lift",))
    law = sf.Compliant(stiffness=1e4, damping=10.0)
    for speed, force in ((-0.1, 2.0), (0.0, 0.0), (0.1, 0.0)):
        answer = sf.solve(scene, scene.home(), dt=DT, velocity={"lift": speed}, law=law)
        check(answer)
        assert answer.forces[0] == pytest.approx([force, 0, 0])
        assert answer.torque == pytest.approx([G + speed / DT - force])


def test_joint_limits_stay_rigid():
    world = (
        '<body name="w"><joint name="a" type="slide" axis="0 0 1" limited="true" range="-0.1 0.1"/>'
        '<geom type="sphere" size="0.1" mass="2"/></body>'
    )
    scene = compiled(world, joints=("a",))
    answer = sf.forward_dynamics(scene, scene.state([-0.1]), dt=DT, law=sf.Compliant(stiffness=10.0))
    assert answer.velocity[0] == pytest.approx(0.0, abs=1e-12)
    assert answer.joint_rows[0].force == pytest.approx(2 * G)
    assert answer.residuals()["normal"] <= TOLERANCE


def test_dry_joint_friction_beside_springs():
    world = (
        '<geom name="ground" type="plane" size="1 1 1"/><body name="a" pos="0 0 0.1">'
        '<joint name="z" type="slide" axis="0 0 1" frictionloss="3"/>'
        '<joint name="x" type="slide" axis="1 0 0" frictionloss="1"/><geom type="sphere" size="0.1" mass="1"/></body>'
    )
    scene = compiled(world, joints=("z", "x"))
    law = sf.Compliant(stiffness=1e4, damping=10.0, mu=0.5)
    for v in ([-0.2, 1.0], [0.0, 0.0], [0.3, -0.1]):
        check(sf.forward_dynamics(scene, scene.state(v=v), dt=DT, law=law))


# Properties


@settings(max_examples=60)
@given(
    gap=st.floats(-2e-2, 2e-3),
    v=st.tuples(*[st.floats(-2, 2)] * 3),
    stiffness=st.floats(1, 9).map(lambda power: 10.0**power),
    damping=st.one_of(st.just(0.0), st.floats(0, 4).map(lambda power: 10.0**power)),
    mu=st.sampled_from([0.0, 0.5, 2.0, np.inf]),
    dt=st.sampled_from([1e-4, 1e-3, 1e-2]),
)
def test_a_ball_always_has_an_answer(gap, v, stiffness, damping, mu, dt):
    scene = ball(above=gap)
    law = sf.Compliant(stiffness=stiffness, damping=damping, mu=mu)
    check(sf.forward_dynamics(scene, scene.state(v=[*v, 0, 0, 0]), dt=dt, law=law))


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), lift=st.floats(-3e-3, 5e-4), mu=st.sampled_from([0.0, 0.4, 1.0]))
def test_forward_and_inverse_match(seed, lift, mu):
    robot = sf.load("links")
    rng = np.random.default_rng(seed)
    state = random_state(robot, rng, reach=0.0, speed=0.1)
    q = state.q.copy()
    q[2] += lift
    state = robot.state(q, state.v)
    law = sf.Compliant(stiffness=2e4, damping=20.0, mu=mu)
    forward = sf.forward_dynamics(robot, state, 0.3 * rng.normal(size=12), dt=DT, law=law)
    inverse = sf.inverse_dynamics(robot, state, forward.acceleration[robot.dofs], dt=DT, law=law)
    for answer in (forward, inverse):
        check(answer)
    again = sf.forward_dynamics(robot, state, inverse.torque, dt=DT, law=law)
    assert again.velocity == pytest.approx(inverse.velocity, abs=1e-7)


# Oracle


@pytest.mark.parametrize("kind", ["forward", "inverse", "redundant", "grasp"])
def test_without_friction_it_is_a_quadratic_programme_with_one_answer(kind):
    """min 1/2 f'(Gnn + R) f + f'g over f >= 0, which is strictly convex: any prescribed motion has an answer."""
    for index in range(20):
        rng = np.random.default_rng([9, index])
        problem = from_sample(random_contact(rng, int(rng.integers(1, 12)), kind))
        n = len(problem.kind)
        give = 10.0 ** rng.uniform(-2, 0, n)
        springs = np.zeros((3 * n, n))
        springs[3 * np.arange(n), np.arange(n)] = give
        offset = problem.offset - np.abs(rng.normal(size=n)) * (rng.random(n) < 0.3)  # pressed in: negative
        soft = problem._replace(W=np.hstack([problem.W, springs]), offset=offset, mu=np.zeros(n))
        result = solve(soft)
        assert result.status == status.SOLVED
        assert violation(soft, result.f) <= 2 * TOLERANCE
        N = problem.W[::3]
        H, g = N @ N.T + np.diag(give**2), problem.c0[::3] + offset
        # In u = V'f, V = [N, give], as the dual: min 1/2 |u|^2 with V u + g >= 0.
        V = np.hstack([N, np.diag(give)])
        size = np.linalg.norm(V, axis=1)
        sense = np.zeros(n, dtype=np.int32)
        u, _, flag, _ = daqp.solve(
            np.eye(V.shape[1]), np.zeros(V.shape[1]), V / size[:, None], np.full(n, 1e30), -g / size, sense,
            primal_tol=1e-12,
        )  # fmt: skip
        assert flag == 1
        pushes = np.array(u)[-n:] / give
        assert result.f[::3] == pytest.approx(pushes, abs=1e-7 * max(np.abs(pushes).max(), 1e-9))
        w = H @ result.f[::3] + g
        assert np.abs(np.minimum(w, result.f[::3])).max() <= 1e-7 * np.abs(g).max()


# Errors


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"stiffness": 0.0}, "stiffness: expected a number above 0, got 0"),
        ({"stiffness": -1.0}, "stiffness: expected a number above 0, got -1"),
        ({"stiffness": np.nan}, "stiffness: expected a finite number, got nan"),
        ({"stiffness": np.inf}, "stiffness: expected a finite number, got inf"),
        ({"stiffness": "stiff"}, "stiffness: expected a finite number, got 'stiff'"),
        ({"stiffness": 1.0, "damping": -1.0}, "damping: expected a number of at least 0, got -1"),
        ({"stiffness": 1.0, "damping": np.nan}, "damping: expected a finite number, got nan"),
        (
            {"stiffness": 1.0, "mu": -0.1},
            r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got -0.1",
        ),
        ({"stiffness": 1.0, "edges": 5}, "edges: expected one of 4, 8, 16, got 5"),
    ],
)
def test_bad_numbers_are_refused(arguments, text):
    with pytest.raises(InputError, match=text):
        sf.Compliant(**arguments)


def test_a_state_that_is_not_a_number_is_refused():
    scene = ball()
    with pytest.raises(InputError, match=r"v: expected finite numbers, got nan at index 2"):
        sf.forward_dynamics(scene, scene.state(v=[0, 0, np.nan, 0, 0, 0]), dt=DT, law=sf.Compliant(1e4))
