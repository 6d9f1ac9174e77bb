"""Strict levels against an oracle that solves the printed rows from scratch: what it says the three solvers say."""

import numpy as np
import pytest

import surefoot as sf
from tests.whole_body.lexicographic import Rows, optimum, rounded, rows_of
from tests.whole_body.programs import random_program, touching
from tests.whole_body.standing import FEET

wb = sf.whole_body
SOLVERS = ("daqp", "clarabel", "pivoting")
CLOSE = 1e-8
"""Relative to the residuals of a level, to torques."""
ROUNDING = 20.0
"""If other rounding of the rows, by 1e-15, moves the optimum itself by more than CLOSE, solvers may differ by so many
times as much: nobody can know it better."""


@pytest.fixture(scope="module")
def links():
    return sf.load("links")


def off(rows, best, x):
    """How far a point is from the optimum: by levels, the largest difference of residuals over their size."""
    z = x / rows.scale
    return np.array([
        np.abs(T @ z - t - wanted).max() / max(np.abs(wanted).max(), np.abs(t).max(), 1e-6 * np.linalg.norm(T))
        for (T, t), wanted in zip(rows.levels, best.residuals, strict=True)
    ])  # fmt: skip


def torque_off(program, best, x):
    """How far torques are off, relative to the largest or to 1 N m."""
    wanted, got = (program.variables.split(one)[1] for one in (best.x, x))
    return np.abs(got - wanted).max() / max(np.abs(wanted).max(), 1.0)


def distances(program, rows, best, x):
    """Levels and torques."""
    return np.append(off(rows, best, x), torque_off(program, best, x))


def check(program, solvers=SOLVERS):
    """Every solver finds the oracle's residuals level by level, its torques, and the least sum of violations.

    Returns whether 1e-8 had to be widened because rounding of the rows alone moves the optimum by more, and whether the
    oracle has checked itself.
    """
    rows = rows_of(program)
    best = optimum(rows)
    widened, allowed = False, np.full(len(rows.levels) + 1, CLOSE)
    for solver in solvers:
        solution = program.solve(solver)
        assert solution.status is (sf.Status.RELAXED if best.give.any() else sf.Status.SOLVED)
        violation = np.maximum(-(rows.G @ (solution.x / rows.scale) + rows.g), 0.0)
        assert (violation**2).sum() == pytest.approx((best.give**2).sum(), rel=CLOSE, abs=1e-14)
        found = distances(program, rows, best, solution.x)
        if (found > allowed).any() and not widened:
            others = [optimum(rounded(rows, np.random.default_rng(k))).x for k in range(3)]
            by_rounding = np.max([distances(program, rows, best, x) for x in others], axis=0)
            allowed, widened = np.maximum(CLOSE, ROUNDING * by_rounding), True
        assert (found <= allowed).all(), (solver, found, allowed)
    return widened, best.sure


def test_random_programs(links):
    """Weights over six decades, friction of 0.1 to 1, limits of all kinds; of 40 at most 6 are ill-conditioned."""
    found = np.array([check(random_program(links, seed)) for seed in range(2000, 2040)])
    assert found[:, 0].sum() <= 6
    assert found[:, 1].sum() >= 38


def test_weights_alike_seldom_need_an_allowance(links):
    found = np.array([check(random_program(links, seed, spread=1.0, speed=0.0)) for seed in range(2100, 2120)])
    assert found[:, 0].sum() <= 2
    assert found[:, 1].all()


@pytest.mark.parametrize("seed", [125, 174, 193, 241, 292, 709])
def test_compiled_controller_where_its_usual_way_fails(links, seed):
    """Proximal steps that creep, rows that earlier levels have settled, and limits that give way by next to nothing."""
    check(random_program(links, seed), ["pivoting"])


@pytest.mark.parametrize("most_force", [8.0, np.inf])
def test_strict_levels_near_a_posture_with_symmetries(links, most_force):
    """Four feet that share loads alike: many limits are reached at once, and multipliers are many as well."""
    rng = np.random.default_rng(3)
    tasks = [
        wb.CentreOfMass(name="com"), wb.Orientation(weight=0.3, level=1), wb.Posture(weight=1e-3, level=2),
        wb.Acceleration(weight=1e-6, level=2),
    ]  # fmt: skip
    controller = wb.WholeBody(links, 1e-3, tasks, settle=0.02, most_force=most_force, check="trust")
    for _ in range(40):
        controller.goals["com"][6:9] = rng.choice([0.0, 2.0, 30.0]) * rng.normal(size=3)
        check(controller.build(links.state(v=0.05 * rng.normal(size=18))), ["pivoting"])


@pytest.mark.parametrize("seed", range(8))
def test_limits_that_contradict_each_other(links, seed):
    """Feet that may push with 6 N each and joints that may hardly move: levels are those of the closest program."""
    rng = np.random.default_rng(seed)
    state = links.state(v=0.05 * rng.normal(size=18))
    tasks = [wb.CentreOfMass(name="com"), wb.Orientation(level=1), wb.Posture(level=1), wb.Acceleration(level=1)]
    controller = wb.WholeBody(
        links, 1e-3, tasks, most_force=6.0, least_force=float(rng.choice([0.0, 5.0])), speed_limits=1e-3,
        torque_limits=float(rng.choice([0.2, 1.0])), check="trust",
    )  # fmt: skip
    program = controller.build(state, contacts=touching(links, state, FEET, 0.4))
    check(program)
    assert program.solve("pivoting").violations


def test_the_oracle_knows_a_program_by_hand():
    """min (x + y - 4)^2, then (x - y)^2, then what is left, with x <= 1: x = 1, y = 3."""
    E, G = np.array([[0.0, 0.0, 1.0]]), np.array([[-1.0, 0.0, 0.0]])
    levels = [(np.array([[1.0, 1.0, 0.0]]), np.array([4.0])), (np.array([[1.0, -1.0, 0.0]]), np.zeros(1))]
    best = optimum(Rows(np.ones(3), E, np.array([2.0]), G, np.array([1.0]), levels))
    assert best.sure
    assert best.x == pytest.approx([1.0, 3.0, 2.0])
    assert best.residuals[1] == pytest.approx([-2.0])
    against = np.vstack([G, [[1.0, 0.0, 0.0]]])  # and x >= 2: each gives way by a half
    best = optimum(Rows(np.ones(3), E, np.array([2.0]), against, np.array([1.0, -2.0]), levels))
    assert best.give == pytest.approx([0.5, 0.5])
    assert best.x == pytest.approx([1.5, 2.5, 2.0])
