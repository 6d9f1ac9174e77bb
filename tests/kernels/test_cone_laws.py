import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.kernels import problem as kernel
from surefoot.kernels import status
from surefoot.kernels.cone_laws import NEWTON, make_cone_work, solve_exact_law, solve_soft_law
from surefoot.kernels.contact_law import law_pointer, make_solver
from surefoot.kernels.plant import BOX, TURN
from surefoot.laws.conditions import law_conditions
from surefoot.solvers.contact_problem import edge_directions
from surefoot.solvers.contact_samples import KINDS, random_contact
from tests.contact.scenes import block, random_state
from tests.kernels.door import call
from tests.kernels.known import KNOWN, plates
from tests.kernels.problems import Result, from_sample, kernels_see, made, point_mass, velocity
from tests.laws.rigid_oracle import least_motion

DT = 1e-3
TOLERANCE = 1e-9


def solve(problem, form=kernel.EXACT, *, R=None, target=None, turn=None):
    """Solve by a law with round cones."""
    n = len(problem.kind)
    solver, ladder = make_solver(max(n, 1), 4, problem.W.shape[1])
    p = kernels_see(problem, solver.scratch.g)._replace(dissipative=True, form=form)
    solver.R[: 3 * n] = 1.0 if R is None else R
    solver.target[: 3 * n] = 0.0 if target is None else target
    solver.turn[:n] = -1 if turn is None else turn
    f = np.full(3 * n, np.inf)
    function = solve_exact_law if form == kernel.EXACT else solve_soft_law
    code, residual, by = call(law_pointer(function, solver), p, solver, f)
    assert by == NEWTON
    return Result(code, residual, by, f, ladder.certificate)


def violation(problem, f):
    data = {**problem._asdict(), "f": f, "edges": edge_directions(4), "dissipative": True, "form": kernel.EXACT}
    return max(law_conditions(data).values())


# The dissipative law with round cones


SAME = ("at rest", "nothing moves", "sticks", "just sticks", "without friction", "infinite friction")
SAME += ("falls towards the ground", "reaches the ground", "a bar on two points", "a rod leans on rough walls")
SAME += ("a heavy block on a light one", "dry friction holds", "dry friction is overcome")


@pytest.mark.parametrize("name", SAME)
def test_where_nothing_slides_it_is_coulombs_law(name):
    problem, f, motion = KNOWN[name]
    result = solve(problem)
    assert result.status == status.SOLVED
    size = max(np.abs(problem.c0).max(), 1e-300)
    if motion is not None:
        assert np.abs(velocity(problem, result.f).ravel() - motion).max() <= 2e-9 * size
    if f is not None:
        assert np.abs(result.f - f).max() <= 1e-7 * max(np.abs(f).max(), 1e-300)


@settings(max_examples=40)
@given(speed=st.floats(2.0, 20.0), angle=st.floats(0, 6.28), mu=st.floats(0.05, 1.5), mass=st.floats(1e-3, 1e3))
def test_a_sliding_point_in_any_direction(speed, angle, mu, mass):
    """f_n = m (1 + mu v) / (1 + mu^2) and friction mu f_n exactly against the slip: no direction is special."""
    along = np.array([np.cos(angle), np.sin(angle)])
    problem = point_mass([*(speed * along), -1.0], mass=mass, mu=mu)
    result = solve(problem)
    push = mass * (1 + mu * speed) / (1 + mu**2)
    if mu * push / mass < speed:  # else it sticks
        assert result.f == pytest.approx(push * np.array([1.0, *(-mu * along)]), rel=1e-8, abs=1e-8 * push)
    assert result.status == status.SOLVED


def check_optimum(problem, f, wanted, size):
    """As good as Clarabel's u = W'f, and optimal by its own duality gap, which bounds |u - u*|^2."""
    u = problem.W.T @ f
    c = problem.W @ u + problem.c0
    c[::3] += problem.offset
    assert abs(f @ c) <= 1e-11 * size**2
    assert np.linalg.norm(u) == pytest.approx(np.linalg.norm(wanted), abs=1e-8 * size)
    assert np.linalg.norm(u - wanted) <= 2e-6 * size  # Clarabel's own gap of 1e-12 leaves that much


@pytest.mark.parametrize("kind", KINDS)
def test_motion_is_that_of_a_conic_programme(kind):
    answered = 0
    for index in range(25):
        rng = np.random.default_rng([7, KINDS.index(kind), index])
        problem = from_sample(random_contact(rng, int(rng.integers(1, 15)), kind))
        result = solve(problem)
        feasible, u, size = least_motion(problem)
        if not feasible:
            assert kind == "grasp", index
            assert result.status in (status.INFEASIBLE, status.UNSOLVED), index
            continue
        answered += 1
        assert result.status == status.SOLVED, index
        assert violation(problem, result.f) <= 2 * TOLERANCE, index
        check_optimum(problem, result.f, u, max(size, np.linalg.norm(u)))
    assert answered >= (5 if kind == "grasp" else 25)


def test_a_step_of_a_robot_is_that_of_a_conic_programme():
    robot = sf.load("links")
    rng = np.random.default_rng(8)
    for _ in range(10):
        state = random_state(robot, rng, reach=0.0, speed=0.3)
        law = sf.Dissipative(mu=0.4, cone="exact")
        answer = sf.forward_dynamics(robot, state, 0.3 * rng.normal(size=12), dt=DT, law=law)
        p = answer._problem
        names = ("W", "c0", "offset", "kind", "mu", "bound")
        problem = point_mass([0, 0, 0])._replace(**{name: p[name] for name in names})
        _, u, size = least_motion(problem)
        check_optimum(problem, p["f"], u, size)


@pytest.mark.parametrize("heading", [0.0, 0.4, 0.785])
def test_a_sliding_block_does_not_hop(heading):
    mu = 0.5
    scene = block(mu=mu)
    start = scene.state(v=[2 * np.cos(heading), 2 * np.sin(heading), 0, 0, 0, 0])
    trace = sf.Simulator(scene, dt=DT, law=sf.Dissipative(cone="exact")).rollout(start, duration=0.1)
    assert trace.ok
    speed = np.linalg.norm(trace.v[:, :2], axis=1)
    assert np.diff(speed[40:]) / DT == pytest.approx(np.full(60, -mu * 9.81), rel=1e-6)
    assert (trace.q[:, 2] - 0.05).max() <= 1e-9


def test_plates_that_close_have_no_answer_and_both_are_blamed():
    result = solve(plates())
    assert result.status == status.INFEASIBLE
    assert (result.certificate[:2] > 0).all()
    assert not result.f.any()
    assert solve(plates(closing=-0.1)).status == status.SOLVED


@pytest.mark.parametrize("form", [kernel.EXACT, kernel.SOFT])
def test_no_blocks(form):
    empty = made(np.zeros((0, 3)), np.eye(3), [0, 0, -1.0])
    assert solve(empty, form).status == status.SOLVED


@pytest.mark.parametrize("form", [kernel.EXACT, kernel.SOFT])
@pytest.mark.parametrize("where", ["c0", "offset", "mu", "W", "bound"])
@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_what_is_not_finite_never_leaves_as_solved(form, where, bad):
    for name in ("at rest", "slides along x", "a bar on two points", "dry friction is overcome"):
        problem = KNOWN[name].problem
        dry = (problem.kind == BOX).any()
        used = {"offset": not dry and form == kernel.EXACT, "mu": not dry, "bound": dry}.get(where, True)
        if not used or (where == "mu" and np.isinf(bad)):
            continue
        for place in range(getattr(problem, where).size):
            values = getattr(problem, where).copy()
            if where == "W" and not values[place // values.shape[1]].any():
                continue  # a row that is not in use
            if dry and where == "c0" and place != 1:
                continue
            values.ravel()[place] = bad
            result = solve(problem._replace(**{where: values}), form)
            assert result.status != status.SOLVED or np.isfinite(result.f).all(), (name, place)
            assert result.status != status.SOLVED, (name, place)


# The soft law


def test_soft_impulses_of_one_contact():
    """m = 2, R = eps / m: f_n = (c* - c0)_n m / (1 + eps); tangents within the cone likewise."""
    problem = point_mass([0.1, -0.05, -1.0], mass=2.0, mu=0.5)
    R = np.full(3, 0.1 / 2.0)
    target = np.array([-0.2, 0.05, 0.0])
    result = solve(problem, kernel.SOFT, R=R, target=target)
    assert result.status == status.SOLVED
    assert result.f == pytest.approx((target - problem.c0) * 2.0 / 1.1)


def test_soft_open_contacts_and_turns_without_a_contact_are_left_out():
    problem = point_mass([0.1, 0.0, -1.0], mu=0.5, offset=1e-6)
    assert not solve(problem, kernel.SOFT).f.any()
    assert not solve(problem._replace(kind=np.array([TURN])), kernel.SOFT).f.any()


def test_soft_dry_friction_is_clipped():
    problem = KNOWN["dry friction is overcome"].problem
    soft = solve(problem, kernel.SOFT, R=np.full(3, 0.05))
    assert soft.f.tolist() == [0, 1, 0]
    held = solve(problem._replace(bound=np.array([10.0])), kernel.SOFT, R=np.full(3, 0.05))
    assert held.f[1] == pytest.approx(3.0 / 0.55)  # c0 = -3, A = 1/2, R = 0.05


def test_soft_infinite_friction_is_free_of_sign():
    problem = point_mass([7.0, 5.0, -1.0], mu=np.inf)
    result = solve(problem, kernel.SOFT, R=np.full(3, 0.25))
    assert result.f == pytest.approx(-problem.c0 / 1.25)


def test_soft_torsion_shares_the_cone():
    """A ball that slides and spins: (f_t / mu, m / mu_t) together at most f_n."""
    J = np.zeros((6, 4))
    J[:3, :3] = np.eye(3)  # normal, two tangents
    J[3, 3] = 1.0  # spin about the normal
    problem = made(J, np.eye(4), [-1.0, 3.0, 0.0, 40.0], kind=[1, TURN], mu=[0.5, 0.1], bound=0.0)
    R = np.array([0.1, 0.1, 0.1, 0.1 * 25.0, 1.0, 1.0])
    f = solve(problem, kernel.SOFT, R=R, turn=[-1, 0]).f
    assert np.hypot(f[1] / 0.5, f[3] / 0.1) == pytest.approx(f[0])
    assert f[1] < 0
    assert f[3] < 0
    assert f[4:].tolist() == [0, 0]


def test_work_arrays_have_room_for_every_row():
    work = make_cone_work(4, 6)
    assert work.V.shape == (12, 6)
    assert {len(values) for values in (work.b, work.R, work.mu, work.row, work.first, work.f)} == {12}
