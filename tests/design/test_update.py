import re

import clarabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from surefoot.design import least_update
from surefoot.design.update import DEAR, FIRM
from surefoot.errors import InputError

WIDE = 1e3  # trust that never binds


def plain(slopes, values, trust=WIDE, size=100.0):
    """An update of parameters at 0 between wide bounds."""
    m = np.shape(slopes)[1]
    one = np.ones(m)
    return least_update(slopes, values, np.zeros(len(values)), 0 * one, -size * one, size * one, one, trust)


def made(seed):
    """A random program: slopes, values, aims, p, low, high, weights, trust."""
    rng = np.random.default_rng(seed)
    m, r = int(rng.integers(1, 7)), int(rng.integers(1, 12))
    low, high = -rng.uniform(0.0, 1.0, m), rng.uniform(0.01, 1.0, m)
    p = np.clip(low + rng.choice([0.0, 0.2, 0.5, 1.0], m) * (high - low), low, high)
    slopes = rng.normal(size=(r, m)) * 10.0 ** rng.uniform(-1, 1) * rng.choice([0.0, 1.0], (r, 1), p=[0.1, 0.9])
    trust = float(rng.choice([0.01, 0.1, 10.0]))
    return slopes, rng.normal(size=r), rng.uniform(0, 0.1, r), p, low, high, rng.uniform(0.3, 3.0, m), trust


def objective(program, change):
    """Of the program in the file's docstring, with the least slack."""
    slopes, values, aims, _, low, high, weights, _ = program
    x, s = weights * change / (high - low), max(0.0, float((aims - values - slopes @ change).max()))
    return 0.5 * x @ x + DEAR * s + 0.5 * FIRM * s * s


# Known answers


def test_one_row_one_parameter():
    update = plain([[2.0]], [-1.0])
    assert update.change == pytest.approx([0.5], abs=1e-12)
    assert update.left == 0.0
    assert update.held == [0.0]


def test_a_row_that_is_met_asks_for_nothing():
    assert plain([[2.0, 1.0]], [0.3]).change.tolist() == [0.0, 0.0]


def test_a_parameter_that_is_dearer_moves_less():
    """min (w1 x1)^2 + (w2 x2)^2 with x1 + x2 = 1: x is inverse to the squares of the weights."""
    one = np.ones(2)
    update = least_update(np.ones((1, 2)), [-1.0], [0.0], 0 * one, -one * 9, one * 9, np.array([1.0, 2.0]), WIDE)
    assert update.change == pytest.approx([0.8, 0.2], abs=1e-9)


def test_changes_are_counted_by_the_ranges():
    """A parameter of twice the range moves four times as far for the same slope."""
    low, high = np.array([-10.0, -20.0]), np.array([10.0, 20.0])
    update = least_update(np.ones((1, 2)), [-1.0], [0.0], np.zeros(2), low, high, np.ones(2), WIDE)
    assert update.change == pytest.approx([0.2, 0.8], abs=1e-9)


def test_a_guard_is_kept():
    """The second witness may not fall below 0: the first alone would take x = (1, 0)."""
    update = plain([[1.0, 0.0], [-1.0, 1.0]], [-1.0, 0.0])
    assert update.change == pytest.approx([1.0, 1.0], abs=1e-9)


def test_a_bound_is_met_to_the_bit_and_named():
    low, high, p = np.array([0.1]), np.array([0.3]), np.array([0.25])
    update = least_update([[1.0]], [-1.0], [0.0], p, low, high, np.ones(1), WIDE)
    assert p + update.change == high
    assert update.left == pytest.approx(0.95)
    assert update.held[0] > 1.0


def test_trust_is_a_share_of_the_range_and_holds_nothing():
    update = plain([[1.0]], [-1.0], trust=0.001, size=5.0)
    assert update.change == pytest.approx([0.01])
    assert update.held == [0.0]


# Properties


@given(st.integers(0, 10**6))
def test_bounds_and_trust_are_never_crossed(seed):
    program = made(seed)
    _, _, _, p, low, high, _, trust = program
    new = p + least_update(*program).change
    assert (low - 1e-15 <= new).all()  # the sum is rounded
    assert (new <= high + 1e-15).all()
    assert (np.abs(new - p) <= trust * (high - low) * (1 + 1e-9)).all()


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_without_bounds_it_is_the_least_norm_solution_of_the_pseudo_inverse(seed, m, r):
    """[Zapolsky2017, algorithm 2, line 15], in units of ranges over weights; all multipliers are positive."""
    rng = np.random.default_rng(seed)
    r = min(m, r)
    slopes, weights = rng.normal(size=(r, m)), rng.uniform(0.5, 2.0, m)
    low, high = -rng.uniform(50, 100, m), rng.uniform(50, 100, m)
    unit = (high - low) / weights
    scaled = slopes * unit
    values = -scaled @ scaled.T @ (rng.uniform(0.1, 1.0, r) * 1e-4)
    update = least_update(slopes, values, np.zeros(r), np.zeros(m), low, high, weights, WIDE)
    wanted = unit * (np.linalg.pinv(scaled) @ -values)
    assert update.change == pytest.approx(wanted, rel=1e-8, abs=1e-8 * np.abs(wanted).max())
    assert update.left <= 1e-9


@given(st.integers(0, 10**6))
def test_more_trust_never_leaves_more(seed):
    program = made(seed)
    left = [least_update(*program[:-1], trust).left for trust in (0.01, 0.1, 1.0)]
    assert left[0] >= left[1] - 1e-9 >= left[2] - 2e-9


# Oracles


def test_the_optimum_is_that_of_clarabel():
    solved = 0
    for seed in range(150):
        program = made(seed)
        slopes, values, aims, p, low, high, weights, trust = program
        m, r, unit = len(p), len(values), (high - low) / weights
        box = np.clip([(low - p) / unit, (high - p) / unit], -trust * weights, trust * weights)
        rows = np.hstack([-slopes * unit, -np.full((r, 1), FIRM**-0.5)])
        eye = np.eye(m + 1)
        G = np.vstack([rows, -eye[m:], eye[:m], -eye[:m]])
        h = np.concatenate([values - aims, [0.0], box[1], -box[0]])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        cost = np.append(np.zeros(m), DEAR * FIRM**-0.5)
        cones = [clarabel.NonnegativeConeT(len(h))]
        eyes = sparse.csc_matrix(np.eye(m + 1))
        solution = clarabel.DefaultSolver(eyes, cost, sparse.csc_matrix(G), h, cones, settings).solve()
        if str(solution.status) != "Solved":
            continue
        solved += 1
        ours = objective(program, least_update(*program).change)
        assert ours == pytest.approx(solution.obj_val, rel=1e-8, abs=1e-8)
    assert solved > 120


def test_what_is_left_is_the_least_that_a_linear_program_finds():
    for seed in range(100):
        program = made(seed)
        slopes, values, aims, p, low, high, _, trust = program
        span = trust * (high - low)
        bounds = [*zip(np.maximum(low - p, -span), np.minimum(high - p, span), strict=True), (0, None)]
        rows = np.hstack([-slopes, -np.ones((len(values), 1))])
        least = linprog(np.append(np.zeros(len(p)), 1.0), rows, values - aims, bounds=bounds).fun
        # Violations are dear, not infinitely so: the price of one unit is DEAR, that of a change at most of order one.
        assert least - 1e-9 <= least_update(*program).left <= least + 1e-2


# Edge cases


def test_a_row_of_zeros_cannot_be_mended_and_moves_nothing():
    update = plain([[0.0, 0.0]], [-0.5])
    assert update.change.tolist() == [0.0, 0.0]
    assert update.left == pytest.approx(0.5)


def test_a_hopeless_row_does_not_hide_one_that_can_be_mended_as_far_as_it():
    update = plain([[0.0], [1.0]], [-0.5, -0.9])
    assert update.change == pytest.approx([0.4], abs=1e-6)


def test_a_parameter_without_slopes_stays():
    assert plain([[1.0, 0.0]], [-1.0]).change[1] == 0.0


def test_the_same_row_twice_is_that_row():
    assert plain([[1.0, 2.0]] * 2, [-1.0] * 2).change == pytest.approx(plain([[1.0, 2.0]], [-1.0]).change, abs=1e-9)


def test_no_rows_and_no_parameters():
    assert plain(np.zeros((0, 2)), []).change.tolist() == [0.0, 0.0]
    update = plain(np.zeros((1, 0)), [-1.0])
    assert update.change.shape == (0,)
    assert update.left == pytest.approx(1.0)


# Error texts


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        (0, [[np.nan]], "slopes: expected finite numbers, got nan at index (0, 0)"),
        (0, [[1.0, 2.0]], "slopes: expected shape (1, 1), got (1, 2)"),
        (1, [np.inf], "values: expected finite numbers, got inf at index 0"),
        (1, None, "values: expected an array of numbers, got NoneType"),
        (2, [0.0, 0.0], "aims: expected shape (1,), got (2,)"),
        (3, [2.0], "p: expected parameters within their bounds, and low below high"),
        (4, [1.0], "p: expected parameters within their bounds, and low below high"),
        (6, [0.0], "weights: expected numbers above 0, got 0"),
        (7, 0.0, "trust: expected a number above 0, got 0"),
        (7, np.nan, "trust: expected a finite number, got nan"),
    ],
)
def test_bad_input_is_refused(place, value, text):
    arguments = [[[1.0]], [-1.0], [0.0], [0.0], [-1.0], [1.0], [1.0], 0.1]
    arguments[place] = value
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        least_update(*arguments)
