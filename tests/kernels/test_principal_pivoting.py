import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels import principal_pivoting as kernel
from surefoot.kernels import status as codes
from tests.kernels.door import door


def solve(W, b, basis=(), options=None):
    W, b = np.array(W, dtype=float), np.array(b, dtype=float)
    n, nu = W.shape
    rows = np.zeros(nu + 1, dtype=np.int64)
    rows[: len(basis)] = basis
    u, x, y = np.full(nu, np.inf), np.full(n, np.inf), np.full(n, np.inf)
    work, options = kernel.pivoting_work(n, nu), options or kernel.PivotingOptions()
    result = kernel.run_principal_pivoting(W, b, rows, len(basis), options, work, u, x, y)
    return result, x, u, y, rows[: result.basic]


def plain_twin(W, b, max_pivots=1000):
    """The same method written with least squares on the basis, in plain NumPy."""
    n, nu = W.shape
    size = np.linalg.norm(W, axis=1)
    demand = np.max(-b / size)
    A, x, u = [], np.zeros(n), np.zeros(nu)
    for _ in range(max_pivots):
        value = np.where(np.isin(np.arange(n), A), np.inf, (W @ u + b) / size)
        row = int(np.argmin(value))
        if value[row] >= -1e-11 * demand:
            return x, A
        while True:
            N = W[A].T
            change = np.linalg.lstsq(N, W[row], rcond=None)[0] if A else np.empty(0)
            outside = W[row] - N @ change
            full = np.inf
            if np.linalg.norm(outside) > 1e-9 * size[row] and len(A) < nu:
                full = -(W[row] @ u + b[row]) / (outside @ outside)
            ratios = [x[i] / c if c > 1e-12 * size[row] / size[i] else np.inf for i, c in zip(A, change, strict=True)]
            step = min([full, *ratios])
            if step == np.inf:
                return None, A
            x[A] -= step * change
            x[row] += step
            u = W.T @ x
            if full == step:
                A.append(row)
                break
            out = A.pop(int(np.argmin(ratios)))
            x[out] = 0.0
    raise AssertionError("cycles")


def test_known_answers():
    result, x, u, y, basis = solve([[1.0, 0.0], [0.0, 1.0]], [-2.0, 3.0])
    assert (result.status, x.tolist(), u.tolist(), y.tolist()) == (codes.SOLVED, [2.0, 0.0], [2.0, 0.0], [0.0, 0.0])
    assert basis.tolist() == [0]
    # The second row implies the first, which must leave by the ratio test.
    result, x, _, _, basis = solve([[1.0], [2.0]], [-1.0, -4.0])
    assert (result.status, x.tolist(), basis.tolist()) == (codes.SOLVED, [0.0, 1.0], [1])


def test_a_box_on_four_corners_carries_its_weight():
    corners = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]], dtype=float)
    result, x, u, _, basis = solve(corners, np.full(4, -9.81))
    assert result.status == codes.SOLVED
    np.testing.assert_allclose(u, [9.81, 0.0, 0.0], atol=1e-14)
    assert len(basis) <= 3
    assert x.sum() == pytest.approx(9.81, rel=1e-14)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12))
@settings(max_examples=100, deadline=None)
def test_solved_or_infeasible_with_proof_and_like_the_twin(seed, n, nu):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((n, nu)) * 10.0 ** rng.uniform(-2, 2)
    copies = rng.integers(0, n, n)
    W = np.where(rng.random(n)[:, None] < 0.3, W[copies], W)
    b = rng.standard_normal(n) + rng.uniform(-1, 2)
    result, x, u, y, basis = solve(W, b)
    twin, _ = plain_twin(W, b) if b.min() < 0 else (np.zeros(n), [])
    if result.status == codes.INFEASIBLE:
        assert twin is None
        assert (y >= 0).all()
        assert b @ y < 0
        assert np.abs(W.T @ y).max() <= 1e-8 * (y * np.linalg.norm(W, axis=1)).sum()
        return
    assert result.status == codes.SOLVED
    w = W @ u + b
    assert len(basis) <= nu
    np.testing.assert_allclose(u, W.T @ x, atol=1e-12 * max(1, np.abs(u).max()))
    assert x.min() >= 0
    assert w.min() >= -1e-9 * np.abs(b).max() * max(1, np.abs(u).max() * np.abs(W).max())
    np.testing.assert_allclose(u, W.T @ twin, rtol=1e-6, atol=1e-8 * max(1e-30, np.abs(u).max()))


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 8))
@settings(max_examples=50, deadline=None)
def test_any_start_gives_the_same_u_and_the_right_one_takes_no_pivot(seed, n, nu):
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((n, nu)), rng.standard_normal(n)
    W[:, 0] = np.abs(W[:, 0]) + 0.1  # there is an escape
    cold, _, u, _, basis = solve(W, b)
    start = rng.permutation(n)[: min(n, nu)]
    other, _, v, _, _ = solve(W, b, start)
    warm, _, again, _, _ = solve(W, b, basis)
    assert cold.status == other.status == warm.status == codes.SOLVED
    np.testing.assert_allclose(v, u, rtol=1e-6, atol=1e-9 * max(1, np.abs(u).max()))
    np.testing.assert_allclose(again, u, rtol=1e-9, atol=1e-12 * max(1, np.abs(u).max()))
    assert warm.pivots == 0


def test_infeasible_rows_and_zero_rows():
    result, _, _, y, _ = solve([[1.0, 0.0], [-1.0, 0.0]], [-1.0, -1.0])
    assert result.status == codes.INFEASIBLE
    np.testing.assert_allclose(y, [1.0, 1.0])
    result, _, _, y, _ = solve([[1.0], [0.0]], [-1.0, -1.0])
    assert (result.status, y.tolist()) == (codes.INFEASIBLE, [0.0, 1.0])
    assert solve([[1.0], [0.0]], [-1.0, 0.0])[0].status == codes.SOLVED


def test_edges_of_size_and_number():
    assert solve(np.empty((0, 3)), [])[0].status == codes.SOLVED
    assert solve(np.empty((2, 0)), [1.0, 0.0])[0].status == codes.SOLVED
    assert solve(np.empty((2, 0)), [1.0, -1.0])[0].status == codes.INFEASIBLE
    assert solve([[np.nan]], [1.0])[0].status == codes.NOT_FINITE
    assert solve([[1.0]], [-np.inf])[0].status == codes.NOT_FINITE
    assert solve([[1.0], [1.0]], [-1.0, -1.0], basis=[1])[1].tolist() == [0.0, 1.0]


def test_pivot_limit():
    rng = np.random.default_rng(0)
    W, b = np.abs(rng.standard_normal((20, 8))), -rng.random(20)
    assert solve(W, b, options=kernel.PivotingOptions(max_pivots=1))[0].status == codes.PIVOT_LIMIT


def test_is_certificate_refuses_what_proves_nothing():
    W, b, scratch = np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]), np.empty(1)
    size = np.ones(2)
    assert door(kernel.is_certificate)(W, b, np.array([1.0, 1.0]), size, scratch, 1e-9)
    assert not door(kernel.is_certificate)(W, b, np.array([1.0, 0.5]), size, scratch, 1e-9)
    assert not door(kernel.is_certificate)(W, b, np.array([-1.0, -1.0]), size, scratch, 1e-9)
    assert not door(kernel.is_certificate)(W, -b, np.array([1.0, 1.0]), size, scratch, 1e-9)
    assert not door(kernel.is_certificate)(W, b, np.array([np.nan, 1.0]), size, scratch, 1e-9)
