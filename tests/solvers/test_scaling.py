import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels.lemke import lemke_work, scale_problem
from surefoot.solvers import samples
from surefoot.solvers.scaling import equilibrate, natural_residual
from tests.kernels.door import door


@given(st.integers(0, 2**32 - 1), st.sampled_from(samples.KINDS))
@settings(max_examples=40, deadline=None)
def test_powers_of_two_that_bring_entries_near_one_as_the_kernel_does(seed, kind):
    rng = np.random.default_rng(seed)
    problem = samples.random_contact(rng, int(rng.integers(1, 8)), kind).lcp()
    r, s = equilibrate(problem.M)
    np.testing.assert_array_equal(np.frexp(r)[0], 0.5)
    np.testing.assert_array_equal(np.frexp(s)[0], 0.5)
    largest = np.abs(r[:, None] * problem.M * s).max()
    assert 0.5 <= largest <= 8.0
    work = lemke_work(problem.size)
    door(scale_problem)(problem.M, problem.q, problem.size, work)
    np.testing.assert_array_equal(work.row_scale, r)
    np.testing.assert_array_equal(work.column_scale, s)
    np.testing.assert_array_equal(work.M, r[:, None] * problem.M * s)


def test_zero_rows_and_no_rows():
    r, s = equilibrate(np.zeros((2, 2)))
    assert r.tolist() == s.tolist() == [1.0, 1.0]
    assert natural_residual(np.empty((0, 0)), np.empty(0), np.empty(0)) == 0.0
    assert natural_residual(np.zeros((1, 1)), np.zeros(1), np.array([3.0])) == 0.0
    assert natural_residual(np.eye(1), np.array([-2.0]), np.array([np.inf])) == np.inf
