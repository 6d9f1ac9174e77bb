"""Reflected rows: triangles, turns and least squares known from textbooks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels.null_space import nearest_sum, null_vectors, reflect_rows, turn, turn_back
from tests.kernels.door import door

reflect, nulls, forth, back = door(reflect_rows), door(null_vectors), door(turn), door(turn_back)
nearest = door(nearest_sum)


def reflected(A):
    """(rank, reflected rows, order, diagonal)."""
    work, order, pivot = A.copy(), np.zeros(len(A), dtype=np.int64), np.zeros(len(A))
    return int(reflect(work, *A.shape, 1e-9, order, pivot)), work, order, pivot


@settings(max_examples=30, deadline=None, derandomize=True)
@given(m=st.integers(1, 6), n=st.integers(1, 6), rank=st.integers(1, 6), seed=st.integers(0, 1000))
def test_rows_are_a_triangle_times_the_turn(m, n, rank, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, min(rank, m, n))) @ rng.normal(size=(min(rank, m, n), n))
    found, work, order, pivot = reflected(A)
    assert found == np.linalg.matrix_rank(A, tol=1e-8)
    for k in range(found):
        row = np.zeros(n)
        row[:k], row[k] = work[k, :k], pivot[k]
        back(work, found, n, row)
        assert row == pytest.approx(A[order[k]], abs=1e-12 * np.abs(A).max())


def test_turning_forth_and_back():
    rng = np.random.default_rng(0)
    A, x = rng.normal(size=(3, 5)), rng.normal(size=5)
    rank, work, _, _ = reflected(A)
    there = x.copy()
    forth(work, rank, 5, there)
    assert np.linalg.norm(there) == pytest.approx(np.linalg.norm(x))
    back(work, rank, 5, there)
    assert there == pytest.approx(x)


def test_a_line_through_points():
    """Gauss's regression: y = 1 + 2 t through four points of which two are off by as much."""
    A, y = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 3.0]]), np.array([1.1, 2.9, 4.9, 7.1])
    wanted = np.linalg.lstsq(A.T, y, rcond=None)[0]
    order = np.zeros(2, dtype=np.int64)
    assert nearest(A.copy(), 2, 4, y, 1e-9, order, np.zeros(2)) == 2
    assert y[np.argsort(order)] == pytest.approx(wanted)


def test_of_equal_rows_one_is_left_out():
    A, y = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([3.0, 1.0])
    assert nearest(A, 2, 2, y, 1e-9, np.zeros(2, dtype=np.int64), np.zeros(2)) == 1
    assert y[0] == pytest.approx(2.0)


def test_no_rows_and_rows_of_zeros():
    N = np.zeros((3, 3))
    for A in (np.zeros((0, 3)), np.zeros((2, 3))):
        rank, work, _, _ = reflected(A)
        assert rank == 0
        nulls(work, rank, 3, N)
        assert N.tolist() == np.eye(3).tolist()


def test_a_nan_has_no_rank():
    assert reflected(np.array([[np.nan, 1.0], [1.0, 0.0]]))[0] <= 1
