"""Levels of least squares within limits, small enough to know the answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from surefoot.kernels import status as codes
from tests.kernels.small_program import solve

BOX = (np.vstack([np.eye(2), -np.eye(2)]), np.ones(4))  # |beta| <= 1


def test_within_the_limits_it_is_least_squares():
    found = solve(*BOX, [([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1.0, 0.5, 0.2])])
    wanted = np.linalg.lstsq(np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1.0, 0.5, 0.2]), rcond=None)[0]
    assert found.status == codes.SOLVED
    assert found.beta == pytest.approx(wanted)
    assert (found.x == 0.0).all()


def test_a_limit_pushes():
    found = solve(*BOX, [(np.eye(2), [3.0, 0.5])])
    assert found.beta == pytest.approx([1.0, 0.5])
    assert found.x == pytest.approx([0.0, 0.0, 2.0, 0.0])  # (1 - 3) e_x = -x e_x


def test_a_later_level_gets_what_is_left():
    """x + y = 2 first, which the box only has in its corner; then nothing can be chosen."""
    found = solve(*BOX, [([[1.0, 1.0]], [3.0]), (np.eye(2), [0.0, 0.0])])
    assert found.status == codes.SOLVED
    assert found.beta == pytest.approx([1.0, 1.0])
    found = solve(*BOX, [([[1.0, 1.0]], [1.0]), (np.eye(2), [1.0, -1.0])])
    assert found.beta == pytest.approx([1.0, 0.0])


def test_a_level_that_says_the_same_again_changes_nothing():
    """Rows that are settled are not tasks of rounding's making: the third level still has its freedom."""
    D = np.array([[1.0, 1.0 / 3.0]])
    found = solve(*BOX, [(D, [0.3]), (1e3 * D, [900.0]), (np.eye(2), [0.2, 0.1])])
    along = np.array([1.0, -3.0]) / np.sqrt(10.0)
    start = np.array([0.3, 0.0])
    assert found.beta == pytest.approx(start + along * (along @ (np.array([0.2, 0.1]) - start)), abs=1e-12)


@pytest.mark.parametrize("within", [False, True])
def test_limits_without_a_point_have_no_answer(within):
    found = solve([[1.0, 0.0], [-1.0, 0.0]], [-1.0, -1.0], [(np.eye(2), [0.0, 0.0])], within=within)
    assert found.status != codes.SOLVED


def test_a_nan_is_told():
    assert solve(*BOX, [(np.eye(2), [np.nan, 0.0])]).status != codes.SOLVED
    assert solve(BOX[0], [np.nan, 1.0, 1.0, 1.0], [(np.eye(2), [3.0, 0.0])]).status != codes.SOLVED


def test_a_level_without_rows_leaves_all_open():
    found = solve(*BOX, [(np.zeros((1, 2)), [0.0]), (np.eye(2), [0.5, 0.25])])
    assert found.beta == pytest.approx([0.5, 0.25])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 6))
def test_a_box_is_that_of_bounded_least_squares(seed, rows):
    rng = np.random.default_rng(seed)
    D, e = rng.normal(size=(rows, 4)), 3 * rng.normal(size=rows)
    found = solve(np.vstack([np.eye(4), -np.eye(4)]), np.ones(8), [(D, e), (np.eye(4), np.zeros(4))], within=True)
    wanted = lsq_linear(D, e, (-1.0, 1.0), method="bvls", tol=1e-14)
    assert found.status == codes.SOLVED
    assert D @ found.beta == pytest.approx(D @ wanted.x, abs=1e-8)
    assert np.abs(found.beta).max() <= 1.0 + 1e-9
