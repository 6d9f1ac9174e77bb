import numpy as np
import pytest

from surefoot.kernels.elimination import NONE, eliminate_rows, free_vectors
from surefoot.kernels.null_space import null_vectors, reflect_rows
from tests.kernels.door import door

eliminate = door(eliminate_rows)
span = door(free_vectors)
reflect = door(reflect_rows)
nulls = door(null_vectors)


def solved(A, b=None):
    m, n = A.shape
    work = np.hstack([A, np.zeros((m, 0)) if b is None else b[:, None]])
    pivot, taken, N = np.zeros(m, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros((n, n))
    rank = eliminate(work, m, n, 0 if b is None else 1, 1e-9, np.zeros(m), pivot)
    count = span(work, m, n, pivot, taken, N)
    return rank, N[:count], work, pivot


@pytest.mark.parametrize(("m", "n", "rank"), [(3, 7, 3), (6, 6, 6), (5, 8, 2), (1, 4, 1), (12, 18, 12)])
def test_what_is_left_free_has_the_right_size_and_satisfies_the_equations(m, n, rank):
    rng = np.random.default_rng(m + n)
    A = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    found, N, _, _ = solved(A)
    assert found == rank == np.linalg.matrix_rank(A)
    assert N.shape == (n - rank, n)
    assert np.abs(A @ N.T).max(initial=0.0) < 1e-10 * np.abs(A).max() * max(np.abs(N).max(initial=1.0), 1.0)
    assert np.linalg.matrix_rank(N) == n - rank


def test_right_sides_are_carried_along():
    rng = np.random.default_rng(3)
    A, x = rng.standard_normal((4, 9)), rng.standard_normal(9)
    _, _, work, pivot = solved(A, A @ x)
    start = np.zeros(9)
    start[pivot] = work[:, 9]
    assert np.abs(A @ start - A @ x).max() < 1e-12


def test_a_row_of_zeros_and_a_copy_are_dependent():
    A = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0, 0.0]])
    rank, N, _, pivot = solved(A)
    assert rank == 1
    assert pivot.tolist() == [1, NONE, NONE]
    assert len(N) == 2


def test_nothing_to_solve_leaves_all_free():
    rank, N, _, _ = solved(np.zeros((0, 3)))
    assert rank == 0
    assert N.tolist() == np.eye(3).tolist()


def test_rows_without_a_common_column_never_meet():
    """A leg's rows keep their zeros: that is where the speed comes from."""
    A = np.zeros((4, 6))
    A[:2, :3], A[2:, 3:] = np.random.default_rng(0).standard_normal((2, 2, 3))
    _, _, work, _ = solved(A)
    assert (work[:2, 3:] == 0.0).all()
    assert (work[2:, :3] == 0.0).all()


@pytest.mark.parametrize(("m", "n", "rank"), [(3, 7, 3), (6, 6, 6), (5, 8, 2), (9, 4, 4)])
def test_reflected_rows_leave_an_orthonormal_rest(m, n, rank):
    rng = np.random.default_rng(m * n)
    A = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    work, N = A.copy(), np.zeros((n, n))
    assert reflect(work, m, n, 1e-9, np.zeros(m, dtype=np.int64), np.zeros(m)) == rank
    nulls(work, rank, n, N)
    N = N[: n - rank]
    assert np.abs(N @ N.T - np.eye(n - rank)).max(initial=0.0) < 1e-13
    assert np.abs(A @ N.T).max(initial=0.0) < 1e-12 * np.abs(A).max()
