"""Limits that contradict each other: least sums of squares known by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from surefoot.kernels.give_way import give_way
from tests.kernels.door import door
from tests.kernels.small_program import program

give = door(give_way)


def given_way(G, g, scale=None):
    """(amounts, beta, coordinates left)."""
    work, limits = program(G, g, scale=scale)
    left = give(work, limits, len(limits.g), limits.G.shape[1])
    return work.give.copy(), work.s.copy(), int(left)


def test_limits_that_agree_give_nothing():
    amounts, beta, left = given_way([[1.0, 0.0], [-1.0, 0.0]], [-1.0, 2.0])
    assert (amounts == 0.0).all()
    assert 1.0 - 1e-9 <= beta[0] <= 2.0 + 1e-9
    assert left == 2


def test_two_limits_share_by_the_squares_of_their_scales():
    amounts, beta, left = given_way([[1.0, 0.0], [-1.0, 0.0]], [-3.0, 1.0])  # x >= 3 and x <= 1
    assert amounts == pytest.approx([1.0, 1.0])
    assert beta[0] == pytest.approx(2.0)
    assert left == 1
    amounts, _, _ = given_way([[1.0, 0.0], [-1.0, 0.0]], [-3.0, 1.0], [1.0, 2.0])
    assert amounts == pytest.approx([0.4, 1.6])


def test_no_limits_and_a_limit_that_nothing_moves():
    assert given_way(np.zeros((0, 2)), [])[2] == 2
    amounts, _, left = given_way([[0.0, 0.0]], [-1.0])
    assert amounts == pytest.approx([1.0])
    assert left == 2


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 12))
def test_the_sum_is_that_of_bounded_least_squares(seed, rows):
    rng = np.random.default_rng(seed)
    G, g = rng.normal(size=(rows, 3)), rng.normal(size=rows) - 0.5
    amounts, beta, _ = given_way(G, g)
    low = np.concatenate([np.full(3, -np.inf), np.zeros(rows)])
    wanted = lsq_linear(np.hstack([G, -np.eye(rows)]), -g, (low, np.inf), method="bvls", tol=1e-15, max_iter=1000)
    assert (amounts**2).sum() == pytest.approx(2 * wanted.cost, rel=1e-9, abs=1e-14)
    assert (G @ beta + g + amounts).min() >= -1e-9
