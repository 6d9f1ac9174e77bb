import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from surefoot.kernels import status as codes
from surefoot.kernels.simplex import UNBOUNDED, SimplexOptions, feasible, maximise, simplex

OPTIONS = SimplexOptions()


def random_problem(rng, m, n):
    """Rows with zeros, repetitions and round numbers, so that ties and dependent rows occur."""
    A = rng.normal(size=(m, n))
    if rng.random() < 0.5:
        A = np.round(A)
    if m > 1 and rng.random() < 0.5:
        A[-1] = A[0] * rng.choice([1.0, -1.0, 2.0])
    return A, np.round(rng.normal(size=m), 1)


def random_bounds(rng, s):
    count = len(s.x)
    s.low[:] = np.where(rng.random(count) < 0.4, -np.inf, np.round(rng.normal(size=count), 1) - 0.5)
    s.high[:] = np.where(rng.random(count) < 0.4, np.inf, np.maximum(s.low, -2.0) + rng.choice([0.0, 0.5, 2.0], count))


def by_scipy(A, b, s, c):
    n = A.shape[1]
    low, high = s.low[n : n + len(A)], s.high[n : n + len(A)]
    upper, lower = np.isfinite(high), np.isfinite(low)
    rows = np.vstack([A[upper], -A[lower]])
    limits = np.concatenate([high[upper] - b[upper], b[lower] - low[lower]])
    bounds = [
        (None if np.isinf(l) else l, None if np.isinf(h) else h) for l, h in zip(s.low[:n], s.high[:n], strict=True)
    ]
    return linprog(-c, A_ub=rows if len(rows) else None, b_ub=limits if len(rows) else None, bounds=bounds)


def miss(A, b, s):
    n = A.shape[1]
    y = A @ s.x[:n] + b
    values, low, high = np.concatenate([s.x[:n], y]), s.low[: n + len(A)], s.high[: n + len(A)]
    return max((low - values).max(), (values - high).max())


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 12), n=st.integers(1, 8))
def test_feasible_as_highs_says_through_a_walk_of_bounds(seed, m, n):
    """One basis serves problem after problem, as in a tree of cases."""
    rng = np.random.default_rng(seed)
    A, b = random_problem(rng, m, n)
    s = simplex(A, b)
    for _ in range(6):
        random_bounds(rng, s)
        wanted = by_scipy(A, b, s, np.zeros(n)).status
        assert feasible(s, OPTIONS) == (codes.SOLVED if wanted == 0 else codes.INFEASIBLE)
        if wanted == 0:
            assert miss(A, b, s) <= 1e-9


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 10), n=st.integers(1, 7))
def test_maximise_as_highs_says(seed, m, n):
    rng = np.random.default_rng(seed)
    A, b = random_problem(rng, m, n)
    s = simplex(np.vstack([A, np.zeros(n)]), np.concatenate([b, [0.0]]))
    for _ in range(4):
        random_bounds(rng, s)
        s.low[-1], s.high[-1] = -np.inf, np.inf
        c = np.round(rng.normal(size=n), 1)
        s.A[-1, :-1] = c
        wanted = by_scipy(A, b, s, c)
        code = maximise(s, m, OPTIONS)
        if wanted.status == 0:
            assert code == codes.SOLVED
            assert c @ s.x[:n] == pytest.approx(-wanted.fun, abs=1e-7)
            assert miss(A, b, s) <= 1e-9
        elif by_scipy(A, b, s, 0 * c).status == 2:
            assert code == codes.INFEASIBLE
        else:
            assert code == UNBOUNDED


def test_dependent_equalities_that_agree_and_that_do_not():
    A = np.array([[1.0, 2.0], [2.0, 4.0]])
    s = simplex(A, np.zeros(2))
    s.low[2:] = s.high[2:] = [1.0, 2.0]
    assert feasible(s, OPTIONS) == codes.SOLVED
    s.low[3] = s.high[3] = 2.1
    assert feasible(s, OPTIONS) == codes.INFEASIBLE
    s.low[3] = s.high[3] = 2.0
    assert feasible(s, OPTIONS) == codes.SOLVED


def test_cycling_example_ends():
    """[Beale1955]: cycles under the rule of the largest coefficient without care for ties."""
    A = np.array(
        [[0.25, -60.0, -1 / 25, 9.0], [0.5, -90.0, -1 / 50, 3.0], [0.0, 0.0, 1.0, 0.0], [0.75, -150.0, 0.02, -6.0]]
    )
    s = simplex(A, np.zeros(4))
    s.low[:4] = 0.0
    s.high[4:7] = [0.0, 0.0, 1.0]
    assert maximise(s, 3, OPTIONS) == codes.SOLVED
    assert s.A[3, :-1] @ s.x[:4] == pytest.approx(0.05)


def test_no_rows_and_no_columns():
    s = simplex(np.zeros((0, 2)), np.zeros(0))
    s.low[:] = 1.0
    assert feasible(s, OPTIONS) == codes.SOLVED
    assert s.x.tolist() == [1.0, 1.0]
    s = simplex(np.zeros((1, 0)), np.array([1.0]))
    s.high[:] = 0.0
    assert feasible(s, OPTIONS) == codes.INFEASIBLE


def test_many_pivots_do_not_drift():
    rng = np.random.default_rng(5)
    A, b = rng.normal(size=(30, 20)), rng.normal(size=30)
    s = simplex(A, b)
    for _ in range(400):
        random_bounds(rng, s)
        if feasible(s, OPTIONS) == codes.SOLVED:
            assert miss(A, b, s) <= 1e-9
    assert s.pivots[1] > 1000
