import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels import linear_algebra as la
from tests.kernels.door import door

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 30)


def _work(n):
    return np.empty(n + 2, dtype=np.int64)


def test_dot_counts_only_the_first_entries():
    assert la.dot(np.array([1.0, 2.0, 5.0]), np.array([3.0, 4.0, 7.0]), 2) == 11.0
    assert la.row_dot(np.array([[0.0, 0.0], [1.0, 2.0]]), 1, np.array([3.0, 4.0]), 2) == 11.0
    assert la.dot(np.empty(0), np.empty(0), 0) == 0.0


@pytest.mark.parametrize("rows", [0, 1, 7, 40])
@pytest.mark.parametrize("nu", [0, 1, 2, 5, 6])
def test_rows_and_columns_of_a_matrix_give_the_same_affine_map(rows, nu):
    rng = np.random.default_rng(rows + 10 * nu)
    W, b, u, kept = rng.normal(size=(rows + 1, nu + 2)), rng.normal(size=rows), rng.normal(size=nu), np.ones(rows + 3)
    by_rows, by_columns = kept.copy(), kept.copy()
    door(la.affine)(W, b, u, rows, nu, by_rows)
    door(la.affine_by_columns)(np.ascontiguousarray(W.T), b, u, rows, nu, by_columns)
    for out in (by_rows, by_columns):
        assert out[:rows] == pytest.approx(W[:rows, :nu] @ u + b, abs=1e-13)
        assert (out[rows:] == 1.0).all()


@given(seeds, sizes)
@settings(max_examples=40, deadline=None)
def test_lu_solves_and_inverts_like_numpy(seed, n):
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    LU, order, x, inverse = np.full((n + 2, n + 2), np.nan), _work(n), np.full(n, np.inf), np.full((n, n), np.inf)
    LU[:n, :n] = A
    growth = la.lu_factor(LU, n, order)
    assert 0.0 < growth <= 1.0
    la.lu_solve(LU, order, n, b, x)
    la.lu_inverse(LU, order, n, inverse)
    tolerance = 1e-13 * n * np.linalg.cond(A)
    np.testing.assert_allclose(A @ x, b, atol=tolerance)
    np.testing.assert_allclose(inverse @ A, np.eye(n), atol=tolerance)
    lower, upper = np.tril(LU[:n, :n], -1) + np.eye(n), np.triu(LU[:n, :n])
    np.testing.assert_allclose(lower @ upper, A[order[:n]], atol=1e-13 * n)


def test_lu_needs_a_row_exchange_for_a_zero_pivot():
    A, order, x = np.array([[0.0, 2.0], [4.0, 0.0]]), _work(2), np.empty(2)
    assert la.lu_factor(A, 2, order) == 1.0
    la.lu_solve(A, order, 2, np.array([2.0, 8.0]), x)
    np.testing.assert_array_equal(x, [2.0, 1.0])


@pytest.mark.parametrize("A", [np.zeros((2, 2)), np.array([[1.0, 2.0], [2.0, 4.0]]), np.full((2, 2), np.nan)])
def test_lu_of_a_singular_or_nan_matrix_returns_zero(A):
    assert la.lu_factor(A.copy(), 2, _work(2)) == 0.0


@given(seeds, sizes)
@settings(max_examples=40, deadline=None)
def test_cholesky_like_numpy(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n + 3))
    A, b = X @ X.T, rng.standard_normal(n)
    L, x = A.copy(), b.copy()
    assert la.cholesky(L, n)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-9, atol=1e-9)
    la.cholesky_solve(L, n, x)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-6, atol=1e-6 * np.abs(x).max())


@pytest.mark.parametrize("A", [[[1.0, 2.0], [2.0, 1.0]], [[0.0]], [[np.nan]], [[1.0, 1.0], [1.0, 1.0]]])
def test_cholesky_refuses_what_is_not_positive_definite(A):
    A = np.array(A)
    assert not la.cholesky(A, len(A))


@given(seeds, sizes, st.integers(0, 12))
@settings(max_examples=40, deadline=None)
def test_pivoted_cholesky_finds_the_rank_and_the_factor(seed, n, rank):
    rng = np.random.default_rng(seed)
    rank = min(rank, n)
    X = rng.standard_normal((n, rank)) * 10.0 ** rng.integers(-2, 3)
    A, order, W = X @ X.T, _work(n), np.full((n, n), np.nan)
    found = la.pivoted_cholesky(A.copy(), n, 1e-11, order, W)
    assert found <= rank
    np.testing.assert_allclose(W @ W.T, A, atol=1e-9 * max(1e-30, np.abs(A).max()))
    assert not W[:, found:].any()
    assert sorted(order[:n]) == list(range(n))
    assert np.linalg.matrix_rank(W[order[:found]], tol=1e-12) == found


def test_pivoted_cholesky_names_an_indefinite_matrix():
    assert la.pivoted_cholesky(np.array([[1.0, 0.0], [0.0, -1.0]]), 2, 1e-12, _work(2), np.empty((2, 2))) == -1
    assert la.pivoted_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), 2, 1e-12, _work(2), np.empty((2, 2))) == -1
