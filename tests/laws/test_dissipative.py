import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError
from surefoot.kernels import status
from surefoot.kernels.plant import BOX
from surefoot.solvers.contact_samples import KINDS, random_contact
from tests.contact.scenes import ball, block, random_state
from tests.kernels.convex_oracle import objective, solve_convex
from tests.kernels.known import KNOWN, plates
from tests.kernels.problems import TOLERANCE, from_sample, point_mass, solve, velocity, violation

G = 9.81
DT = 1e-3
LAW_PARTS = ("normal", "friction", "joints", "reduction")


def dissipative(problem):
    return problem._replace(dissipative=True)


def with_dry_joints(problem, rng, joints):
    """The same problem with dry friction on some of the free velocities."""
    nu = problem.W.shape[1]
    joints = min(joints, nu)
    W = np.zeros((3 * joints, nu))
    W[1::3] = 0.1 * rng.normal(size=(joints, nu))
    W[1 + 3 * np.arange(joints), rng.choice(nu, joints, replace=False)] += 2.0
    speed = np.abs(problem.c0).max(initial=1e-3)
    c0 = np.zeros(3 * joints)
    c0[1::3] = speed * rng.normal(size=joints)
    return problem._replace(
        W=np.concatenate([problem.W, W]),
        c0=np.concatenate([problem.c0, c0]),
        offset=np.append(problem.offset, np.zeros(joints)),
        kind=np.append(problem.kind, np.full(joints, BOX)),
        mu=np.append(problem.mu, np.zeros(joints)),
        bound=np.append(problem.bound, speed * 10.0 ** rng.uniform(-2, 1, joints)),
    )


# Known answers


def test_defaults_ask_the_scene_and_make_room_for_the_slip():
    law = sf.Dissipative()
    assert law.name == "dissipative"
    numbers = law.numbers()
    assert np.isnan(numbers.mu)
    assert (numbers.edges, numbers.dissipative, numbers.slip_offset, numbers.stiffness) == (4, True, True, np.inf)
    assert sf.Dissipative(mu=0.3, edges=8, offset=False).numbers()[:3] == (0.3, True, False)


SAME = ("at rest", "nothing moves", "sticks", "just sticks", "lifts off", "without friction", "infinite friction")
SAME += ("falls towards the ground", "reaches the ground", "open contacts have no friction", "a bar on two points")
SAME += ("a rod leans on rough walls", "a heavy block on a light one", "a light block on a heavy one")
SAME += ("dry friction holds", "dry friction is overcome", "dry friction of a joint on its stop")


@pytest.mark.parametrize("name", SAME)
def test_where_nothing_slides_it_is_coulombs_law(name):
    problem, f, motion = KNOWN[name]
    result = solve(dissipative(problem))
    assert result.status == status.SOLVED
    size = max(np.abs(problem.c0).max(), 1e-300)
    if motion is not None:
        assert np.abs(velocity(problem, result.f).ravel() - motion).max() <= 2e-9 * size
    if f is not None:
        assert np.abs(result.f - f).max() <= 1e-8 * max(np.abs(f).max(), 1e-300)


@pytest.mark.parametrize("edges", [4, 8, 16])
@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("speed", [2.0, 20.0])
def test_plain_a_sliding_point_opens_at_mu_times_its_slip(edges, mu, speed):
    """From c_n = -1 + f / m, c_t = v - mu f / m and c_n = mu c_t: f = m (1 + mu v) / (1 + mu^2)."""
    mass = 3.0
    problem = dissipative(point_mass([speed, 0, -1], mass=mass, mu=mu))
    result = solve(problem, edges=edges)
    push = mass * (1 + mu * speed) / (1 + mu**2)
    assert result.status == status.SOLVED
    assert result.f == pytest.approx([push, -mu * push, 0], rel=1e-9, abs=1e-9)
    c = velocity(problem, result.f)[0]
    assert c[0] == pytest.approx(mu * c[1])


def test_an_offset_of_mu_times_the_slip_keeps_it_down():
    """With s = mu v: f = m / (1 + mu^2) in the first step; sliding on, the push is the weight (see the block below)."""
    mu, mass = 0.5, 3.0
    result = solve(dissipative(point_mass([2, 0, -1], mass=mass, mu=mu, offset=mu * 2)))
    push = mass / (1 + mu**2)
    assert result.f == pytest.approx([push, -mu * push, 0], rel=1e-9)


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("heading", [0.0, 0.4, 2.5])
def test_a_sliding_block_decelerates_by_mu_g_and_does_not_hop(mu, heading):
    scene = block(mu=mu)
    start = scene.state(v=[2 * np.cos(heading), 2 * np.sin(heading), 0, 0, 0, 0])
    trace = sf.Simulator(scene, dt=DT, law=sf.Dissipative()).rollout(start, duration=0.1)
    assert trace.ok
    speed = np.linalg.norm(trace.v[:, :2], axis=1)
    assert np.diff(speed[40:]) / DT == pytest.approx(np.full(60, -mu * G), rel=1e-9)
    assert speed[0] - speed[-1] == pytest.approx(mu * G * 0.1, rel=0.03)  # a few steps until the push is the weight
    height = trace.q[:, 2] - 0.05
    assert height.max() <= 1e-12
    # It sinks by mu^2 g dt a step, of which a fifth of what is over 1e-6 m is taken away again.
    assert height.min() >= -1.01e-6 - 5.01 * mu**2 * G * DT**2
    assert np.abs(trace.v[:, 3:]).max() < 1e-9


def test_without_offset_a_sliding_block_hops():
    """1 m/s, mu 0.5, 1 ms: 41 times the weight, and 8 mm up."""
    mu = 0.5
    scene = block(mu=mu)
    start = scene.state(v=[1.0, 0, 0, 0, 0, 0])
    law = sf.Dissipative(offset=False)
    answer = sf.forward_dynamics(scene, start, dt=DT, law=law)
    assert answer.contact_velocity[:, 0] == pytest.approx(mu * answer.contact_velocity[:, 1], rel=1e-9)
    assert answer.contact_velocity[:, 0].min() > 0.3
    assert answer.forces[:, 0].sum() == pytest.approx((mu + G * DT) / (1 + mu**2) / DT)
    assert answer.forces[:, 0].sum() > 41 * G
    assert max(answer.residuals()[part] for part in LAW_PARTS) <= TOLERANCE
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(start, duration=0.1)
    assert trace.q[:, 2].max() - 0.05 == pytest.approx(8e-3, rel=0.1)


@pytest.mark.parametrize("offset", [True, False])
def test_at_rest_it_is_coulombs_law(offset):
    robot = sf.load("links")
    wanted = sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=DT)
    same = sf.inverse_dynamics(
        robot, robot.home(), np.zeros(12), dt=DT, law=sf.Dissipative(offset=offset, smooth=False)
    )
    assert same.velocity == pytest.approx(wanted.velocity, abs=1e-12)
    assert same.torque == pytest.approx(wanted.torque, abs=1e-9)


@pytest.mark.parametrize("offset", [True, False])
def test_without_friction_it_is_coulombs_law(offset):
    scene = block()
    for v in ([1.0, 0, -0.5, 0, 0.3, 0], [0.3, 2.0, 0.1, 1, 0.3, -2]):
        state = scene.state(v=v)
        wanted = sf.forward_dynamics(scene, state, dt=DT, law=sf.Coulomb(mu=0.0))
        same = sf.forward_dynamics(scene, state, dt=DT, law=sf.Dissipative(mu=0.0, offset=offset))
        assert same.velocity == pytest.approx(wanted.velocity, abs=1e-12)


def test_infinite_friction_holds():
    scene = ball(radius=0.1)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=DT, law=sf.Dissipative(mu=np.inf))
    assert answer.velocity[[0, 4]] == pytest.approx([5 / 7, 5 / 7 / 0.1])
    assert max(answer.residuals()[part] for part in LAW_PARTS) <= TOLERANCE


def test_contact_that_slides_where_nothing_can_change_the_slip():
    """A body on a vertical rail over ground that moves: the law opens it at mu times the slip."""
    problem = KNOWN["at rest"].problem
    W = problem.W.copy()
    W[1:] = 0.0
    moving = dissipative(problem._replace(W=W, c0=np.array([-1.0, 0.8, 0.0]), mu=np.array([0.5])))
    result = solve(moving)
    assert result.status == status.SOLVED
    assert velocity(moving, result.f)[0] == pytest.approx([0.4, 0.8, 0])
    assert result.f == pytest.approx(3.0 * np.array([1.4, -0.7, 0]))


def test_plates_that_close_have_no_answer_and_both_are_blamed():
    result = solve(dissipative(plates()))
    assert result.status == status.INFEASIBLE
    assert (result.certificate[:2] > 0).all()
    assert solve(dissipative(plates(closing=-0.1))).status == status.SOLVED


def test_nothing_to_solve():
    still = dissipative(KNOWN["nothing moves"].problem)
    assert solve(still).f.tolist() == [0, 0, 0]


# Properties


@settings(max_examples=60)
@given(
    v=st.tuples(*[st.floats(-3, 3)] * 3),
    mass=st.floats(1e-3, 1e3),
    mu=st.one_of(st.just(0.0), st.floats(0.01, 5), st.just(np.inf)),
    copies=st.integers(1, 6),
    edges=st.sampled_from([4, 8, 16]),
)
def test_a_point_mass_always_has_an_answer(v, mass, mu, copies, edges):
    problem = dissipative(point_mass(v, mass=mass, mu=mu, copies=copies))
    result = solve(problem, edges=edges)
    assert result.status == status.SOLVED
    assert violation(problem, result.f, edges) <= 2 * TOLERANCE
    c = velocity(problem, result.f)[0]
    energy = 0.5 * mass * (np.sum(c**2) - np.sum(np.square(v)))
    assert energy <= 1e-9 * mass * max(np.sum(np.square(v)), 1e-12)


@settings(max_examples=40)
@given(index=st.integers(0, 10_000), factor=st.floats(-6, 6), mass=st.floats(-6, 6))
def test_order_and_units_do_not_matter(index, factor, mass):
    """There is one motion only."""
    rng = np.random.default_rng([3, index])
    problem = dissipative(from_sample(random_contact(rng, int(rng.integers(1, 8)), KINDS[index % 3])))
    n = len(problem.kind)
    order = rng.permutation(n)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    speed, inertia = 10.0**factor, 10.0**mass
    other = problem._replace(
        W=np.ascontiguousarray(problem.W[rows]) / np.sqrt(inertia),
        c0=speed * problem.c0[rows],
        offset=speed * problem.offset[order],
        kind=problem.kind[order],
        mu=problem.mu[order],
    )
    a, b = solve(problem), solve(other)
    assert a.status == b.status
    if a.status == status.SOLVED:
        u = problem.W.T @ a.f
        size = max(np.abs(u).max(), np.abs(problem.c0).max() / np.abs(problem.W).max())
        assert other.W.T @ b.f / speed / np.sqrt(inertia) == pytest.approx(u, abs=1e-7 * size)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), offset=st.booleans(), mu=st.sampled_from([0.1, 0.6, 1.5]))
def test_forward_and_inverse_match(seed, offset, mu):
    """One motion only, so the round trip is exact."""
    robot = sf.load("links")
    rng = np.random.default_rng(seed)
    state = random_state(robot, rng, reach=0.003, speed=0.1)
    law = sf.Dissipative(mu=mu, offset=offset)
    forward = sf.forward_dynamics(robot, state, 0.5 * rng.normal(size=12), dt=DT, law=law)
    inverse = sf.inverse_dynamics(robot, state, forward.acceleration[robot.dofs], dt=DT, law=law)
    again = sf.forward_dynamics(robot, state, inverse.torque, dt=DT, law=law)
    for answer in (forward, inverse, again):
        assert max(answer.residuals()[part] for part in LAW_PARTS) <= 2 * TOLERANCE
        assert answer.velocity == pytest.approx(forward.velocity, abs=1e-7)


# DAQP


@pytest.mark.parametrize("joints", [0, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_motion_and_objective_are_those_of_a_quadratic_programme(kind, joints):
    answered = 0
    for index in range(25):
        rng = np.random.default_rng([5, KINDS.index(kind), index])
        problem = dissipative(from_sample(random_contact(rng, int(rng.integers(1, 15)), kind)))
        edges = int(rng.choice([4, 8, 16]))
        if joints:
            problem = with_dry_joints(problem, rng, joints)
        result, wanted = solve(problem, edges=edges), solve_convex(problem, edges)
        if not wanted.feasible:
            assert kind == "grasp", index
            assert result.status == (status.UNSOLVED if joints else status.INFEASIBLE), index
            continue
        answered += 1
        assert result.status == status.SOLVED, index
        assert violation(problem, result.f, edges) <= 2 * TOLERANCE, index
        assert np.linalg.norm(problem.W.T @ result.f - wanted.u) <= 1e-8 * wanted.size, index
        assert abs(objective(problem, result.f) - wanted.value) <= 1e-8 * wanted.size**2, index
    assert answered >= (5 if kind == "grasp" else 25)


@pytest.mark.parametrize("joints", [0, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_infinite_friction_here_and_there_is_a_quadratic_programme_too(kind, joints):
    unsolved = []
    for index in range(25):
        rng = np.random.default_rng([6, KINDS.index(kind), index])
        problem = dissipative(from_sample(random_contact(rng, int(rng.integers(1, 15)), kind)))
        share = 1.0 if index % 2 else 0.4
        problem = problem._replace(mu=np.where(rng.random(len(problem.mu)) < share, np.inf, problem.mu))
        if joints:
            problem = with_dry_joints(problem, rng, joints)
        result, wanted = solve(problem), solve_convex(problem)
        if not wanted.feasible:
            assert result.status in (status.INFEASIBLE, status.UNSOLVED), index
        elif result.status != status.SOLVED:
            unsolved.append(index)
        else:
            assert violation(problem, result.f) <= 2 * TOLERANCE, index
            assert np.linalg.norm(problem.W.T @ result.f - wanted.u) <= 1e-7 * wanted.size, index
    assert len(unsolved) <= 1, unsolved


def test_a_step_of_a_robot_is_that_of_a_quadratic_programme():
    robot = sf.load("links")
    rng = np.random.default_rng(8)
    for _ in range(10):
        state = random_state(robot, rng, reach=0.0, speed=0.3)
        answer = sf.forward_dynamics(robot, state, 0.3 * rng.normal(size=12), dt=DT, law=sf.Dissipative(mu=0.4))
        p = answer._problem
        names = ("W", "c0", "offset", "kind", "mu", "bound")
        problem = point_mass([0, 0, 0])._replace(**{name: p[name] for name in names}, dissipative=True)
        wanted = solve_convex(problem)
        assert np.linalg.norm(problem.W.T @ p["f"] - wanted.u) <= 1e-8 * wanted.size


# What is not a number, and what is no law


@pytest.mark.parametrize("where", ["c0", "offset", "mu", "W", "bound"])
@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_what_is_not_finite_never_leaves_as_solved(where, bad):
    for name in ("at rest", "slides along x", "a bar on two points"):
        problem = dissipative(KNOWN[name].problem)
        for place in range(getattr(problem, where).size):
            values = getattr(problem, where).copy()
            if where == "W" and not values[place // 3].any():
                continue  # a row that is not in use
            if where == "mu" and np.isinf(bad):
                continue
            values.ravel()[place] = bad
            assert solve(problem._replace(**{where: values})).status != status.SOLVED, (name, place)


@pytest.mark.parametrize("mu", [1e-300, 1e-9, 1e6, 1e300])
def test_friction_from_nearly_none_to_nearly_infinite(mu):
    robot = sf.load("links")
    answer = sf.forward_dynamics(robot, robot.home(), dt=DT, law=sf.Dissipative(mu=mu))
    assert answer.status is sf.Status.SOLVED
    assert max(answer.residuals()[part] for part in LAW_PARTS) <= TOLERANCE


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"mu": -0.1}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got -0.1"),
        ({"mu": np.nan}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got nan"),
        ({"edges": 5}, "edges: expected one of 4, 8, 16, got 5"),
        ({"edges": "4"}, "edges: expected one of 4, 8, 16, got '4'"),
    ],
)
def test_bad_numbers_are_refused(arguments, text):
    with pytest.raises(InputError, match=text):
        sf.Dissipative(**arguments)
