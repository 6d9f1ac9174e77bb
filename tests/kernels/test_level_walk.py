"""Walking to the minimum of a level, from a point within the limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from surefoot.kernels.level_walk import walk_level
from tests.kernels.door import door
from tests.kernels.small_program import program, put

walk = door(walk_level)


def walked(G, g, D, e, start=None):
    """(beta, multipliers, reached) of one level."""
    work, limits = program(G, g, m=len(e), levels=1)
    n = limits.G.shape[1]
    m = put(work, D, e)
    work.s[:] = 0.0 if start is None else start
    work.ey[:m] = work.e[:m] - np.atleast_2d(D) @ work.s
    walk(work, work.D, limits, 0, m, len(limits.g), n, n, True)
    return work.s.copy(), work.x.copy(), set(work.basis[0, : work.basic[0]].tolist())


def test_example_16_4_of_nocedal_and_wright():
    """min (x - 1)^2 + (y - 2.5)^2 with five limits, from (2, 0): the answer is (1.4, 1.7), on the first."""
    G = [[1.0, -2.0], [-1.0, -2.0], [-1.0, 2.0], [1.0, 0.0], [0.0, 1.0]]
    beta, x, reached = walked(G, [2.0, 6.0, 2.0, 0.0, 0.0], np.eye(2), [1.0, 2.5], [2.0, 0.0])
    assert beta == pytest.approx([1.4, 1.7])
    assert reached == {0}
    assert x == pytest.approx([0.4, 0.0, 0.0, 0.0, 0.0])


def test_what_nothing_weighs_stays():
    beta, _, _ = walked([[1.0, 0.0]], [0.0], [[1.0, 0.0]], [-1.0], [2.0, 7.0])
    assert beta == pytest.approx([0.0, 7.0])


def test_the_same_limit_many_times_over():
    G = np.repeat([[-1.0, 0.0]], 5, axis=0)
    beta, x, reached = walked(G, np.ones(5), np.eye(2), [3.0, 1.0])
    assert beta == pytest.approx([1.0, 1.0])
    assert len(reached) == 1
    assert x.sum() == pytest.approx(2.0)


def test_no_limits():
    assert walked(np.zeros((0, 2)), [], np.eye(2), [3.0, 1.0])[0] == pytest.approx([3.0, 1.0])


def test_a_corner_of_more_limits_than_coordinates():
    """A pyramid's tip, where four faces meet in three coordinates."""
    G = [[1.0, 0.0, -1.0], [-1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, -1.0, -1.0]]
    beta, x, _ = walked(G, np.ones(4), np.eye(3), [0.0, 0.0, 5.0])
    assert beta == pytest.approx([0.0, 0.0, 1.0])
    assert (x >= 0.0).all()
    assert np.array(G).T @ x == pytest.approx([0.0, 0.0, -4.0])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 6), decades=st.floats(0.0, 4.0))
def test_a_box_is_that_of_bounded_least_squares(seed, rows, decades):
    rng = np.random.default_rng(seed)
    D, e = 10.0 ** rng.uniform(-decades, 0, size=(rows, 1)) * rng.normal(size=(rows, 4)), rng.normal(size=rows)
    G, g = np.vstack([np.eye(4), -np.eye(4)]), np.ones(8)
    beta, x, _ = walked(G, g, D, e)
    wanted = lsq_linear(D, e, (-1.0, 1.0), method="bvls", tol=1e-15)
    assert np.abs(beta).max() <= 1.0 + 1e-12
    assert (x >= 0.0).all()
    assert x * (G @ beta + g) == pytest.approx(np.zeros(8), abs=1e-10)
    assert D.T @ (D @ beta - e) == pytest.approx(G.T @ x, abs=1e-10)
    assert np.linalg.norm(D @ beta - e) <= np.linalg.norm(D @ wanted.x - e) + 1e-9
