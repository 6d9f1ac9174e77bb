from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels import lemke as kernel
from surefoot.kernels import status as codes
from surefoot.kernels.lemke_basis import factor_basis, rebuild_inverse
from surefoot.solvers import samples
from tests.kernels.door import door


def exact_path(M, q, cover, max_pivots):
    """Lemke's method with the lexicographic rule in rational arithmetic on the full tableau [I, -M, -cover | q]."""
    n = len(q)
    T = [[Fraction(int(i == j)) for j in range(n)] + [-Fraction(M[i][j]) for j in range(n)] for i in range(n)]
    T = [[*row, -Fraction(cover[i]), Fraction(q[i])] for i, row in enumerate(T)]
    basis = list(range(n))
    entering, place = 2 * n, min(range(n), key=lambda i: (Fraction(q[i]) / Fraction(cover[i]), -i))
    for pivots in range(1, max_pivots + 1):
        T[place] = [v / T[place][entering] for v in T[place]]
        for i in range(n):
            if i != place:
                T[i] = [a - T[i][entering] * b for a, b in zip(T[i], T[place], strict=True)]
        leaving, basis[place] = basis[place], entering
        if leaving == 2 * n:
            return kernel.SOLUTION, pivots, basis, [row[-1] for row in T]
        entering = leaving + n if leaving < n else leaving - n
        rows = [i for i in range(n) if T[i][entering] > 0]
        if not rows:
            return kernel.RAY, pivots, basis, [row[-1] for row in T]
        ratio = {i: T[i][-1] / T[i][entering] for i in rows}
        artificial = [i for i in rows if basis[i] == 2 * n and ratio[i] == min(ratio.values())]
        key = {i: [ratio[i]] + [T[i][j] / T[i][entering] for j in range(n)] for i in rows}
        place = artificial[0] if artificial else min(rows, key=lambda i: key[i])
    return kernel.LIMIT, max_pivots, basis, [row[-1] for row in T]


def run_kernel(M, q, cover, max_pivots=200, rule=kernel.LEXICOGRAPHIC, every=24):
    n = len(q)
    work = kernel.lemke_work(n)
    work.M[:], work.q[:], work.cover[:] = M, q, cover
    end, pivots = door(kernel.complementary_pivots)(n, rule, every, max_pivots, 1e-9, 1e-9, work)
    return end, pivots, work


def solve(M, q, options=None, cover=None):
    M, q = np.array(M, dtype=float), np.array(q, dtype=float)
    z = np.full(len(q), np.nan)
    cover = np.ones(len(q)) if cover is None else cover
    return kernel.run_lemke(M, q, cover, options or kernel.LemkeOptions(), kernel.lemke_work(len(q)), z), z


@pytest.mark.parametrize("name", [n for n, make in samples.TEXTBOOK.items() if make().z is not None])
def test_known_answers(name):
    sample = samples.TEXTBOOK[name]()
    result, z = solve(sample.problem.M, sample.problem.q)
    if name == "beyond_lemke":
        assert result.status == codes.UNSOLVED
        return
    assert result.status == codes.SOLVED
    assert result.regularisation == 0.0
    np.testing.assert_allclose(z, sample.z, rtol=1e-12, atol=1e-13 * np.abs(sample.z).max())


integers = st.integers(-4, 4)


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(integers, min_size=n * n, max_size=n * n), st.lists(integers, min_size=n, max_size=n)
        )
    )
)
@settings(max_examples=150, deadline=None)
def test_same_path_as_exact_arithmetic(data):
    n = len(data[1])
    M, q = np.array(data[0], dtype=float).reshape(n, n), np.array(data[1], dtype=float)
    if q.min() >= 0:
        return
    end, pivots, basis, x = exact_path(M.tolist(), q.tolist(), [1] * n, 60)
    got_end, got_pivots, work = run_kernel(M, q, np.ones(n), 60)
    assert (got_end, got_pivots) == (end, pivots)
    assert work.basis.tolist() == basis
    np.testing.assert_allclose(work.x, [float(v) for v in x], rtol=1e-8, atol=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(0, 30))
@settings(max_examples=60, deadline=None)
def test_positive_semidefinite_problems_with_an_answer_are_solved(seed, n, rank):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, min(n, rank)))
    skew = rng.standard_normal((n, n))
    M = X @ X.T + skew - skew.T
    z = rng.random(n) * rng.integers(0, 2, n)
    w = rng.random(n) * rng.integers(0, 2, n) * (z == 0)
    result, found = solve(M, w - M @ z)
    assert result.status == codes.SOLVED
    slack = M @ found + w - M @ z
    assert np.abs(np.minimum(found, slack)).max() <= 1e-7 * max(1.0, np.abs(w - M @ z).max())


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(-6, 6))
@settings(max_examples=30, deadline=None)
def test_scaling_rows_columns_and_demand_scales_the_answer(seed, n, power):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n))
    M, q = X @ X.T + 0.1 * np.eye(n), rng.standard_normal(n)
    scale = 10.0 ** rng.uniform(-3, 3, n)
    _, z = solve(M, q)
    result, other = solve(scale[:, None] * M * scale, scale * q * 10.0**power)
    assert result.status == codes.SOLVED
    np.testing.assert_allclose(other * scale, z * 10.0**power, rtol=1e-6, atol=1e-9 * np.abs(z).max() * 10.0**power)


@pytest.mark.parametrize("rule", [kernel.LEXICOGRAPHIC, kernel.LARGEST_PIVOT])
@pytest.mark.parametrize("every", [1, 3, 1000])
def test_rules_and_rebuilds_agree_on_a_nondegenerate_problem(rule, every):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((12, 12))
    M, q = X @ X.T + np.eye(12), rng.standard_normal(12)
    end, _, work = run_kernel(M, q, np.ones(12), rule=rule, every=every)
    assert end == kernel.SOLUTION
    assert door(kernel.read_solution)(12, 0.0, work) < 1e-12
    np.testing.assert_allclose(work.z, solve(M, q)[1], rtol=1e-9, atol=1e-12)


def test_the_rebuilt_inverse_is_the_updated_one():
    rng = np.random.default_rng(3)
    M, q = rng.standard_normal((9, 9)), rng.standard_normal(9)
    _, _, work = run_kernel(M, q, np.ones(9), max_pivots=6, every=1000)
    inverse, x = work.inverse.copy(), work.x.copy()
    work.inverse[:], work.x[:] = np.inf, np.inf
    assert door(rebuild_inverse)(9, work)
    np.testing.assert_allclose(work.inverse, inverse, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(work.x, x, rtol=1e-8, atol=1e-9)


def test_a_singular_basis_is_named():
    work = kernel.lemke_work(2)
    work.M[:], work.q[:], work.cover[:], work.basis[:] = np.ones((2, 2)), -1.0, 1.0, [2, 3]
    assert door(factor_basis)(2, work) == -1


def test_statuses():
    assert solve([[0, 1], [0, 0]], [-1, 1])[0].status == codes.UNSOLVED
    assert solve([[np.nan]], [-1])[0].status == codes.NOT_FINITE
    assert solve([[1.0]], [np.inf])[0].status == codes.NOT_FINITE
    assert solve([[1.0]], [1.0], cover=np.array([np.nan]))[0].status == codes.NOT_FINITE
    sample = samples.murty_exponential()
    options = kernel.LemkeOptions(attempts=1, regularise=False)
    assert solve(sample.problem.M, sample.problem.q, options)[0].status == codes.PIVOT_LIMIT
    # M + eps I has the answer z = 1 / eps, which misses the tolerance of M = 0 but not a loose one.
    loose = kernel.LemkeOptions(softened_tolerance=10.0)
    result, _ = solve([[0.0]], [-1.0], loose)
    assert result.status == codes.REGULARISED
    assert result.regularisation > 0.0
    assert solve([[0.0]], [-1.0], loose._replace(regularise=False))[0].status == codes.UNSOLVED


def test_a_ray_starts_other_attempts():
    sample = samples.ray_but_solvable()
    one = kernel.LemkeOptions(attempts=1, regularise=False)
    assert solve(sample.problem.M, sample.problem.q, one)[0].status == codes.UNSOLVED
    result, _ = solve(sample.problem.M, sample.problem.q)
    assert result.status == codes.SOLVED
    assert result.attempts > 1


def test_edges_of_size_and_number():
    result, z = solve(np.empty((0, 0)), [])
    assert (result.status, len(z)) == (codes.SOLVED, 0)
    assert solve([[2.0]], [-3.0])[1].tolist() == [1.5]
    assert solve([[2.0]], [3.0])[1].tolist() == [0.0]
    assert solve(np.zeros((3, 3)), np.zeros(3))[0].status == codes.SOLVED
    tiny = 5e-310
    result, z = solve([[2 * tiny, tiny], [tiny, 2 * tiny]], [-3 * tiny, -3 * tiny])
    assert result.status == codes.SOLVED
    np.testing.assert_allclose(z, [1.0, 1.0], rtol=1e-12)


def test_same_bits_twice_and_from_used_work_arrays():
    problem = samples.random_contact(np.random.default_rng(1), 8, "redundant").lcp()
    work, first, second = kernel.lemke_work(problem.size), np.empty(problem.size), np.empty(problem.size)
    cover = np.ones(problem.size)
    kernel.run_lemke(problem.M, problem.q, cover, kernel.LemkeOptions(), work, first)
    kernel.run_lemke(problem.M, problem.q, cover, kernel.LemkeOptions(), work, second)
    assert first.tobytes() == second.tobytes()
