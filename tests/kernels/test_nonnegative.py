"""Least squares without negative unknowns, against SciPy."""

import numpy as np
import pytest
import scipy.optimize

from surefoot.kernels.nonnegative import nonnegative_least_squares


def solve(A, b, tolerance=0.0):
    n = A.shape[1]
    x, free, trial, factor = np.full(n, np.nan), np.zeros(n), np.zeros(n), np.zeros((n, n))
    found = nonnegative_least_squares(A.T @ A, A.T @ b, tolerance, x, free, trial, factor)
    return found, x, free


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
def test_as_scipy_finds_it(n):
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(200):
        A, b = rng.standard_normal((n + 2, n)), rng.standard_normal(n + 2)
        found, x, free = solve(A, b, 1e-12)
        assert found
        np.testing.assert_allclose(x, scipy.optimize.nnls(A, b)[0], atol=1e-9)
        assert np.array_equal(free != 0.0, x > 0.0)
        held += np.count_nonzero(x == 0.0)
    assert 0 < held < 200 * n


def test_known_answers():
    A = np.array([[1.0, -1.0], [0.0, 1e-3]])
    assert solve(A, np.array([1.0, 0.0]))[1] == pytest.approx([1.0, 0.0])
    assert solve(A, np.array([-1.0, 0.0]))[1] == pytest.approx([0.0, 1.0 / (1.0 + 1e-6)])
    assert solve(np.eye(3), -np.ones(3))[1].tolist() == [0.0, 0.0, 0.0]
    assert solve(np.eye(3), np.zeros(3))[1].tolist() == [0.0, 0.0, 0.0]


def test_two_that_do_the_same_share_with_a_little_softness():
    A = np.vstack([[[1.0, 1.0, -1.0]], 1e-3 * np.eye(3)])
    assert solve(A, np.array([1.0, 0.0, 0.0, 0.0]))[1] == pytest.approx([0.5, 0.5, 0.0], abs=1e-6)


def test_what_cannot_be_solved_is_said():
    assert not solve(np.eye(2), np.array([np.nan, 1.0]))[0]
    assert not solve(np.full((2, 2), np.nan), np.ones(2))[0]
    assert not solve(np.zeros((2, 2)), np.ones(2), -1.0)[0]
