import math

import numpy as np
import pytest

from surefoot.kernels import status
from surefoot.solvers.contact_samples import KINDS, contact_case, random_contact
from tests.kernels.known import KNOWN, WITH_DRY_FRICTION, check_known, dragged_apart, plates
from tests.kernels.problems import TOLERANCE, UP, from_sample, made, solve, violation


@pytest.mark.parametrize("edges", [4, 8, 16])
@pytest.mark.parametrize("name", [name for name in KNOWN if name not in WITH_DRY_FRICTION])
def test_known_answers(name, edges):
    check_known(name, "convex", edges)


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


@pytest.mark.parametrize("index", [57319, 93654])
def test_multipliers_are_the_answer_where_the_modes_do_not_settle(index):
    """Stacks with masses a million apart: the modes of the right impulses never repeat within rounding."""
    kinds = ("forward", "inverse", "redundant", "degenerate", "mass_ratio")
    problem = from_sample(contact_case(1, index, kinds=kinds).problem)
    result = solve(problem, "convex")
    assert result.status == status.SOLVED
    assert violation(problem, result.f) <= 2 * TOLERANCE


@pytest.mark.parametrize("push", [0.0, 3.0, 8.0])
@pytest.mark.parametrize("heavy", [1e2, 1e6, 1e8, 1e9])
def test_a_heavy_box_on_a_light_one(heavy, push):
    """Impulses on both faces of the light box cancel: no answer in double precision is better than their rounding."""
    corners = [(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    J = np.zeros((24, 12))
    for i, (x, y) in enumerate(corners):
        J[3 * i : 3 * i + 3, :6] = _moves(x, y, -0.1)
        J[12 + 3 * i : 15 + 3 * i, :6] = -_moves(x, y, 0.1)
        J[12 + 3 * i : 15 + 3 * i, 6:] = _moves(x, y, -0.1)
    inertia = np.diag(np.concatenate([m * np.array([1, 1, 1, 0.01, 0.01, 0.01]) for m in (1.0, heavy)]))
    velocity_before = np.tile([push * 1e-3, 0, -9.81e-3, 0, 0, 0], 2)
    problem = made(J, inertia, velocity_before)
    result = solve(problem, "convex")
    assert result.status == status.SOLVED
    assert violation(problem, result.f) <= max(2 * TOLERANCE, 2e-15 * heavy)
    if push < 0.5 * 9.81:  # else the light box tips
        assert result.f[12::3].sum() == pytest.approx(heavy * 9.81e-3, rel=1e-9)


def _moves(x, y, z):
    """Rows normal, tangents of a point (x, y, z) of a body with velocity (v, omega)."""
    turn = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    return UP @ np.hstack([np.eye(3), turn])
