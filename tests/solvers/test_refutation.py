import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.solvers import LinearComplementarity, Refutation, Status, lemke, refute, samples
from tests.solvers.test_samples import every_solution


@pytest.mark.parametrize("name", samples.TEXTBOOK)
def test_textbook_problems_are_solved_or_refuted(name):
    sample = samples.TEXTBOOK[name]()
    search = refute(sample.problem)
    if sample.solvable:
        assert search.refutation is None
        assert np.abs(np.minimum(search.z, sample.problem.slack(search.z))).max() <= 1e-12
    else:
        assert search.z is None
        assert search.refutation.check()


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_like_trying_every_basis(seed, n):
    rng = np.random.default_rng(seed)
    M, q = rng.standard_normal((n, n)), rng.standard_normal(n)
    search = refute(LinearComplementarity(M, q))
    assert (search.z is not None) == any(True for _ in every_solution(M, q))
    assert (search.refutation is not None) == (search.z is None)


def test_grasps_that_lemke_leaves_open():
    """Feasible and yet without a solution: friction needs a proof by cases."""
    problem = samples.contact_case(1, 341).problem.lcp()
    assert lemke(problem, throw=False).status is Status.UNSOLVED
    solution = lemke(problem, prove=2000, throw=False)
    assert solution.status is Status.INFEASIBLE
    assert isinstance(solution.certificate, Refutation)
    assert solution.certificate.cases > 1
    assert solution.check()
    other = LinearComplementarity(problem.M, problem.q + 1.0)
    assert not Refutation(other, solution.certificate.tree).check()


def test_branching_where_the_product_is_largest_keeps_the_tree_small():
    """75 cases; 155 where the branch is taken at the largest min(z, w)."""
    search = refute(samples.contact_case(1, 45, kinds=("grasp",)).problem.lcp(), max_nodes=110)
    assert search.refutation is not None
    assert search.refutation.check()


def test_a_solution_beyond_lemke():
    sample = samples.beyond_lemke()
    solution = lemke(sample.problem, prove=100)
    np.testing.assert_allclose(solution.z, sample.z, atol=1e-14)
    assert solution.check(1e-14)


def test_running_out_of_nodes():
    search = refute(samples.contact_case(1, 341).problem.lcp(), max_nodes=3)
    assert (search.z, search.refutation, search.nodes) == (None, None, 3)


def test_a_tree_with_a_hole_proves_nothing():
    problem = samples.feasible_unsolvable().problem
    tree = refute(problem).refutation.tree
    assert Refutation(problem, tree).check()
    assert not Refutation(problem, tree._replace(zero=np.zeros(2))).check()
    assert not Refutation(problem, tree._replace(zero=tree.tight, tight=tree.zero)).check()


def test_no_variables_and_bad_arguments():
    empty = LinearComplementarity(np.empty((0, 0)), np.empty(0))
    assert refute(empty).z.shape == (0,)
    with pytest.raises(InputError, match=r"^max_nodes: expected a number of at least 1, got 0$"):
        refute(empty, 0)
    with pytest.raises(InputError, match=r"^prove: expected a number of at least 0, got -1$"):
        lemke(samples.beyond_lemke().problem, prove=-1)
