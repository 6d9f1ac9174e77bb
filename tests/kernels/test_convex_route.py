import math

import numpy as np
import pytest

from surefoot.kernels import status
from surefoot.solvers.contact_samples import KINDS, random_contact
from tests.kernels.known import KNOWN, WITH_DRY_FRICTION, dragged_apart, plates
from tests.kernels.problems import TOLERANCE, from_sample, made, solve, velocity, violation


@pytest.mark.parametrize("edges", [4, 8, 16])
@pytest.mark.parametrize("name", [name for name in KNOWN if name not in WITH_DRY_FRICTION])
def test_known_answers(name, edges):
    problem, f, motion = KNOWN[name]
    if not problem.c0.any() or (name == "slides across a face" and edges > 4):
        return  # the first is the caller's, the second is not a face of more than four edges
    result = solve(problem, "convex", edges)
    assert result.status == status.SOLVED
    assert violation(problem, result.f, edges) <= 2 * TOLERANCE
    if motion is not None:
        assert np.abs(velocity(problem, result.f).ravel() - motion).max() <= 2e-9 * np.abs(problem.c0).max()
    if f is not None:
        assert np.abs(result.f - f).max() <= 1e-8 * np.abs(f).max(initial=1e-300)


@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0, math.inf])
def test_plates_that_close_are_infeasible(mu):
    result = solve(plates(mu=mu), "convex")
    assert result.status == status.INFEASIBLE
    assert (result.certificate[:2] > 0).all()


def test_feet_dragged_apart_are_inconsistent_without_slip():
    result = solve(dragged_apart(), "convex")
    assert result.status == status.INCONSISTENT
    assert result.certificate[:2].tolist() == [1.0, 1.0]
    assert solve(dragged_apart(mu=0.5), "convex").status == status.SOLVED


def test_only_the_plates_are_blamed():
    problem = plates()
    floor = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    three = problem._replace(
        W=np.concatenate([floor, problem.W]),
        c0=np.concatenate([[-1.0, 0, 0], problem.c0]),
        offset=np.zeros(3),
        kind=np.append(problem.kind, problem.kind[0]),
        mu=np.full(3, 0.5),
        bound=np.zeros(3),
    )
    result = solve(three, "convex")
    assert result.status == status.INFEASIBLE
    assert result.certificate[0] == 0.0
    assert (result.certificate[1:3] > 0).all()


def test_dry_friction_is_left_to_others():
    for name in WITH_DRY_FRICTION:
        result = solve(KNOWN[name].problem, "convex")
        assert (result.status, result.residual) == (status.UNSOLVED, math.inf)


def test_nothing_free_to_move():
    opening = made(np.zeros((3, 1)), [[1.0]], [0.0], ground=[-1.0, 0, 0])._replace(W=np.zeros((3, 0)))
    closing = opening._replace(c0=-opening.c0)
    assert solve(opening, "convex").status == status.UNSOLVED  # no impulse does anything: the caller's guess answers
    result = solve(closing, "convex")
    assert result.status == status.INFEASIBLE
    assert result.certificate[0] == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_most_samples(kind):
    """What it says is true; what it leaves is little."""
    left = 0
    for index in range(30):
        rng = np.random.default_rng([31, KINDS.index(kind), index])
        sample = random_contact(rng, int(rng.integers(1, 20)), kind)
        problem = from_sample(sample)
        if not problem.c0.any():
            continue
        result = solve(problem, "convex")
        if result.status == status.SOLVED:
            assert violation(problem, result.f) <= 2 * TOLERANCE, index
        elif result.status == status.INFEASIBLE:
            y = result.certificate[: sample.size]
            assert (problem.c0[::3] + problem.offset) @ y < 0
            assert np.abs(problem.W[::3].T @ y).max() <= 1e-6 * y.sum()
        else:
            left += 1
    assert left <= 6
