import numpy as np
import pytest
from quantecon.optimize import lcp_lemke

from surefoot.errors import InputError, SolveError
from surefoot.solvers import LinearComplementarity, Status, lemke, samples


@pytest.mark.parametrize("name", samples.TEXTBOOK)
def test_textbook_problems_end_as_they_must(name):
    sample = samples.TEXTBOOK[name]()
    solution = lemke(sample.problem, throw=False)
    if not sample.feasible:
        assert solution.status is Status.INFEASIBLE
        assert solution.check()
    elif not sample.solvable or name == "beyond_lemke":
        assert solution.status is Status.UNSOLVED
        assert not solution.check()
    else:
        assert solution.status is Status.SOLVED
        assert solution.check(1e-12)
        assert solution.regularisation == 0.0


@pytest.mark.parametrize("kind", samples.KINDS)
def test_contact_problems_of_every_kind(kind):
    """Solved with a residual of the contact law itself below 1e-8, whatever the redundancy."""
    unsolved = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 77])
        problem = samples.random_contact(rng, int(rng.integers(1, 21)), kind)
        solution = lemke(problem.lcp(), throw=False)
        if solution.is_solved:
            assert solution.check(1e-8)
            assert solution.regularisation == 0.0
            assert problem.residual(problem.impulses(solution.z)) <= 1e-8
        elif solution.status is Status.INFEASIBLE:
            assert solution.check()
            assert kind == "grasp"
        else:
            unsolved += 1
    assert unsolved == 0 or kind == "grasp"


@pytest.mark.parametrize("edges", [4, 8, 16])
def test_more_edges(edges):
    problem = samples.random_contact(np.random.default_rng(2), 8, "redundant")
    f = problem.impulses(lemke(problem.lcp(edges)).z, edges)
    assert problem.residual(f, edges) <= 1e-9


def test_agrees_with_quantecon_where_the_solution_is_unique():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 10, 20, 40):
        X, skew = rng.standard_normal((2, n, n))
        M, q = X @ X.T + skew - skew.T + np.eye(n), rng.standard_normal(n)
        z = lemke(LinearComplementarity(M, q)).z
        np.testing.assert_allclose(z, lcp_lemke(M, q).z, rtol=1e-8, atol=1e-10)


def test_a_covering_vector_may_lead_to_another_solution():
    problem = LinearComplementarity(np.ones((2, 2)), -np.ones(2))
    first = lemke(problem, cover=[1.0, 2.0])
    second = lemke(problem, cover=[2.0, 1.0])
    assert first.check(1e-12)
    assert second.check(1e-12)
    assert first.z.tolist() != second.z.tolist()


def test_no_variables():
    solution = lemke(LinearComplementarity(np.empty((0, 0)), np.empty(0)))
    assert solution.is_solved
    assert solution.check(0.0)
    assert (solution.pivots, solution.negativity, solution.violation, solution.complementarity) == (0, 0, 0, 0)


def test_throwing_carries_the_solution():
    with pytest.raises(SolveError, match=r"^linear complementarity problem of size 2: unsolved: no method found") as e:
        lemke(samples.feasible_unsolvable().problem)
    assert e.value.result.status is Status.UNSOLVED
    with pytest.raises(SolveError, match=r"^linear complementarity problem of size 3: infeasible: no impulses"):
        lemke(samples.murty_2_9().problem)
    with pytest.raises(SolveError, match="pivot limit: stopped before an answer was found; raise max_pivots"):
        lemke(samples.murty_exponential().problem, max_pivots=2, attempts=1, regularise=False)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"cover": [1.0]}, r"cover: expected shape \(2,\), got \(1,\)"),
        ({"cover": [1.0, 0.0]}, r"cover\[1\]: expected a number above 0, got 0"),
        ({"cover": [np.nan, 0.0]}, "cover: expected finite numbers, got nan at index 0"),
        ({"max_pivots": 0}, "max_pivots: expected a number of at least 1, got 0"),
        ({"tolerance": 0.0}, "tolerance: expected a number above 0, got 0"),
        ({"attempts": 0}, "attempts: expected a number of at least 1, got 0"),
    ],
)
def test_bad_arguments(arguments, text):
    problem = LinearComplementarity(np.eye(2), -np.ones(2))
    with pytest.raises(InputError, match=f"^{text}$"):
        lemke(problem, **arguments)
