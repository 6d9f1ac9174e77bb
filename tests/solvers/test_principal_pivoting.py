import daqp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from surefoot.errors import InputError, SolveError
from surefoot.solvers import LinearComplementarity, Status, lemke, principal_pivoting, samples, solve_low_rank
from surefoot.solvers.principal_pivoting import low_rank_factor


@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.integers(1, 10))
@settings(max_examples=60, deadline=None)
def test_least_squares_with_non_negative_unknowns_like_scipy(seed, n, nu):
    """min |W'x - d| over x >= 0 has M = W W', b = -W d."""
    rng = np.random.default_rng(seed)
    W, d = rng.standard_normal((n, nu)), rng.standard_normal(nu)
    answer = solve_low_rank(W, -W @ d)
    assert answer.status is Status.SOLVED
    x, distance = nnls(W.T, d)
    np.testing.assert_allclose(answer.u, W.T @ x, atol=1e-9)
    assert np.linalg.norm(answer.u - d) == pytest.approx(distance, abs=1e-10)


def test_normal_contact_like_daqp():
    for seed in range(30):
        problem = samples.random_contact(np.random.default_rng(seed), 12, "redundant")
        W, b = problem.W[::3], problem.c0[::3] + problem.gap_rate
        answer = solve_low_rank(W, b)
        nu = W.shape[1]
        u, _, flag, _ = daqp.solve(
            np.eye(nu),
            np.zeros(nu),
            np.ascontiguousarray(W),
            np.full(len(b), 1e30),
            -b,
            np.zeros(len(b), dtype=np.int32),
        )
        assert answer.status is Status.SOLVED
        assert flag == 1
        np.testing.assert_allclose(answer.u, u, atol=1e-5 * max(1e-3, np.abs(u).max()))
        assert len(answer.basis) <= nu


def test_dense_problems_like_lemke():
    rng = np.random.default_rng(1)
    for n, rank in [(1, 1), (5, 2), (12, 12), (30, 6)]:
        X = rng.standard_normal((n, rank))
        problem = LinearComplementarity(X @ X.T, X @ rng.standard_normal(rank))
        solution = principal_pivoting(problem)
        assert solution.check(1e-9)
        np.testing.assert_allclose(solution.w, lemke(problem).w, atol=1e-7 * np.abs(problem.q).max())


def test_the_last_basis_starts_the_next_solve():
    problem = samples.random_contact(np.random.default_rng(4), 30, "inverse")
    W, b = problem.W[::3], problem.c0[::3] + problem.gap_rate
    cold = solve_low_rank(W, b)
    assert cold.pivots > 0
    warm = solve_low_rank(W, b, basis=cold.basis)
    assert warm.pivots == 0
    np.testing.assert_allclose(warm.x, cold.x, rtol=1e-9, atol=1e-12)
    assert solve_low_rank(W, b, basis=range(30)).status is Status.SOLVED


def test_infeasible_with_a_certificate():
    answer = solve_low_rank([[1.0], [-1.0]], [-1.0, -1.0])
    assert answer.status is Status.INFEASIBLE
    np.testing.assert_allclose(answer.certificate, [1.0, 1.0])
    problem = LinearComplementarity([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])
    solution = principal_pivoting(problem, throw=False)
    assert solution.status is Status.INFEASIBLE
    assert solution.check()
    with pytest.raises(SolveError, match=r"^linear complementarity problem of size 2: infeasible: no impulses satisfy"):
        principal_pivoting(problem)


def test_pivot_limit():
    rng = np.random.default_rng(0)
    answer = solve_low_rank(np.abs(rng.standard_normal((20, 8))), -rng.random(20), max_pivots=1)
    assert answer.status is Status.PIVOT_LIMIT


@given(st.integers(0, 2**32 - 1), st.integers(1, 15), st.integers(0, 15))
@settings(max_examples=40, deadline=None)
def test_low_rank_factor(seed, n, rank):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, min(n, rank))) * 10.0 ** rng.uniform(-3, 3, (n, 1))
    W = low_rank_factor(X @ X.T)
    size = np.maximum(np.linalg.norm(X, axis=1), 1e-100)
    np.testing.assert_allclose((W @ W.T) / np.outer(size, size), (X @ X.T) / np.outer(size, size), atol=1e-10)
    assert W.shape[1] <= min(n, rank)


def test_bad_input():
    with pytest.raises(InputError, match=r"^M: expected a symmetric matrix, got 2 at \(0, 1\) and 3 at \(1, 0\)$"):
        principal_pivoting(LinearComplementarity([[5.0, 2.0], [3.0, 5.0]], [1.0, 1.0]))
    with pytest.raises(
        InputError,
        match=r"got one with eigenvalue -1 when its diagonal is scaled to ones$",
    ):
        principal_pivoting(LinearComplementarity([[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0]))
    with pytest.raises(
        InputError, match=r"^M: expected a positive semidefinite matrix, got one with eigenvalue -1 when"
    ):
        principal_pivoting(LinearComplementarity([[-1.0]], [1.0]))
    with pytest.raises(InputError, match=r"^basis: expected row numbers from 0 to 1, got 2$"):
        solve_low_rank(np.eye(2), -np.ones(2), basis=[2])
    with pytest.raises(InputError, match=r"^W: expected shape \(2, any\), got \(3, 3\)$"):
        solve_low_rank(np.eye(3), -np.ones(2))
    with pytest.raises(InputError, match=r"^b: expected finite numbers, got nan at index 1$"):
        solve_low_rank(np.eye(2), [0.0, np.nan])
    with pytest.raises(InputError, match=r"^max_pivots: expected a number of at least 1, got 0$"):
        solve_low_rank(np.eye(2), -np.ones(2), max_pivots=0)
