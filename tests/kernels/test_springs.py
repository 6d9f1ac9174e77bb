import numpy as np
import pytest

from surefoot.kernels import status
from surefoot.kernels.contact_law import law_pointer, make_solver, solve_spring_law
from surefoot.kernels.fallback import CONVEX
from surefoot.kernels.plant import BOX
from surefoot.kernels.springs import all_on_springs, make_springs, solve_crowd
from surefoot.solvers.contact_samples import contact_case, random_contact
from tests.kernels.door import call, door
from tests.kernels.problems import TOLERANCE, from_sample, kernels_see, point_mass, solve, velocity, violation


def on_springs(problem, softness):
    """Every contact on a spring, which is one more velocity; softness relative to its rigid mobility."""
    n = len(problem.kind)
    R = softness * np.maximum(np.sum(problem.W[::3] ** 2, axis=1), 1e-12)
    columns = np.zeros((3 * n, n))
    columns[::3] = np.diag(np.sqrt(R))
    return problem._replace(W=np.ascontiguousarray(np.hstack([problem.W, columns])))


def crowd(problem, edges=4, work=None, warm=False):
    """Solve by the route for crowds only: residual, impulses, work arrays."""
    n, nu = len(problem.kind), problem.W.shape[1]
    solver, _ = make_solver(max(n, 1), edges, nu)
    p, f = kernels_see(problem, solver.scratch.g, edges), np.zeros(3 * n)
    assert door(all_on_springs)(p)
    work = make_springs(n, edges, nu) if work is None else work
    return door(solve_crowd)(p, solver.scratch, warm, work, f), f, work


def law(problem):
    """Solve as a step does: status, residual, method, impulses."""
    n = len(problem.kind)
    solver, _ = make_solver(n, 4, problem.W.shape[1])
    f = np.full(3 * n, np.inf)
    return *call(law_pointer(solve_spring_law, solver), kernels_see(problem, solver.scratch.g), solver, f), f


@pytest.mark.parametrize("edges", [4, 8, 16])
def test_a_block_on_three_springs_slides(edges):
    problem = on_springs(point_mass([2.0, 0.0, -1.0], copies=3, mu=0.5), 3.0)
    residual, f, _ = crowd(problem, edges)
    assert residual <= TOLERANCE
    # u_n = 3 f, u_n - 1 + 3 f = 0: each carries 1/6, and all friction acts against the slip
    assert f.reshape(3, 3) == pytest.approx(np.tile([1 / 6, -1 / 12, 0.0], (3, 1)), abs=1e-12)
    assert velocity(problem, f)[0, 1] == pytest.approx(1.75)


@pytest.mark.parametrize("kind", ["forward", "inverse", "redundant", "degenerate"])
@pytest.mark.parametrize("softness", [1e-3, 0.1, 1.0, 100.0])
def test_the_law_holds_on_hard_problems(kind, softness):
    """The route for crowds answers most of them, and never wrongly; the methods behind it answer the rest."""
    answered = 0
    for index in range(60):
        problem = on_springs(from_sample(contact_case(5, index, 40, (kind,)).problem), softness)
        scale = np.abs(problem.c0).max()
        residual, f, _ = crowd(problem) if scale > 0.0 else (0.0, np.zeros_like(problem.c0), None)
        if residual <= TOLERANCE:
            answered += 1
        else:
            result = law(problem)
            assert result[0] == status.SOLVED
            f = result[3]
        assert violation(problem, f) <= 10 * TOLERANCE * max(1.0, scale)
    print(f"{kind}, softness {softness}: {answered} of 60")
    assert answered >= 40


def test_as_with_a_dimension_for_every_spring():
    """Velocities and normal impulses are those that the rigid methods find with the springs as velocities."""
    for index in range(20):
        sample = from_sample(random_contact(np.random.default_rng([9, index]), 24, "inverse"))
        problem = on_springs(sample._replace(mu=np.full(24, 0.3)), 1.0)
        residual, f, _ = crowd(problem)
        other = solve(problem)
        assert residual <= TOLERANCE
        assert other.status == status.SOLVED
        assert velocity(problem, f) == pytest.approx(velocity(problem, other.f), abs=1e-8)


def test_the_last_call_is_a_start_and_a_bad_one_does_no_harm():
    first, second = (from_sample(random_contact(np.random.default_rng([4, k]), 30, "inverse")) for k in range(2))
    first, second = on_springs(first, 1.0), on_springs(second._replace(kind=first.kind), 1.0)
    cold, f, _ = crowd(second)
    _, _, work = crowd(first)
    warm, g, work = crowd(second, work=work, warm=True)
    assert max(cold, warm) <= TOLERANCE
    assert velocity(second, g) == pytest.approx(velocity(second, f), abs=1e-9)
    again, h, _ = crowd(second, work=work, warm=True)
    assert again <= TOLERANCE
    assert velocity(second, h) == pytest.approx(velocity(second, f), abs=1e-9)


def test_what_has_no_spring_takes_the_other_way():
    n = 8
    problem = on_springs(point_mass([1.0, 0.0, -1.0], copies=n), 1.0)
    code, residual, method, _ = law(problem)
    assert (code, method) == (status.SOLVED, CONVEX)
    assert residual <= 1e-14
    for changed in (
        problem._replace(mu=np.full(n, np.inf)),
        problem._replace(W=np.where(np.arange(problem.W.shape[1]) == 3, 0.0, problem.W)),
        problem._replace(kind=np.array([BOX] + [problem.kind[0]] * (n - 1)), bound=np.full(n, 0.1)),
    ):
        assert not door(all_on_springs)(kernels_see(changed, np.zeros((n, 2))))
        code, residual, _, f = law(changed)
        assert code == status.SOLVED
        assert violation(changed, f) <= TOLERANCE
    code, _, _, f = law(problem._replace(c0=np.full(3 * n, np.nan)))
    assert code == status.NOT_FINITE
    assert np.isfinite(f).all() or code != status.SOLVED
