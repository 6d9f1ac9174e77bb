import numpy as np
import pytest

from surefoot.kernels.mode_leaf import FLAT, POINT, WIDE
from tests.kernels.test_mode_enumeration import LOAD, OFF, leaves, pairs


def test_a_point():
    """x = 2 in one, and the other is pushed off by it."""
    R = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert leaves(pairs(R, np.eye(2), np.array([-2.0, 1.0])))[0] == [((LOAD, OFF), (LOAD, OFF), POINT)]


def test_a_solution_on_the_border_of_two_modes_says_where_it_belongs():
    """With q = 0 the pair is neither off nor loaded; its row is zero, so it counts as loaded."""
    found = leaves(pairs(np.eye(1), np.eye(1), np.zeros(1)))[0]
    assert ((LOAD,), (LOAD,), POINT) in found
    assert all(inside == (LOAD,) for _, inside, _ in found)


@pytest.mark.parametrize("copies", [2, 3, 4])
def test_equal_rows_share_one_load(copies):
    """The velocity is known, the shares are not; leaves with some shares zero belong to the one with none."""
    ones = np.ones((copies, 1))
    found = leaves(pairs(ones, ones, -np.ones(copies)))[0]
    together = (LOAD,) * copies
    assert (together, together, FLAT) in found
    assert all(inside == together for _, inside, _ in found)


def test_equal_rows_that_are_asked_to_differ_have_no_solution():
    ones = np.ones((2, 1))
    assert ((LOAD, LOAD),) not in [leaf[:1] for leaf in leaves(pairs(ones, ones, np.array([-1.0, -1.0 - 1e-7])))[0]]


def test_shares_that_cannot_be_positive():
    """Opposite columns: x_1 - x_2 = -1 can be had, x_1 + x_2 = -1 cannot."""
    R = np.ones((2, 1))
    both = (LOAD, LOAD)
    assert (both, both, FLAT) in leaves(pairs(R, np.array([[1.0], [-1.0]]), np.ones(2)))[0]
    assert both not in [leaf for leaf, _, _ in leaves(pairs(R, R, np.ones(2)))[0]]


def test_a_velocity_that_stays_open():
    """The second unknown moves only what no row sees."""
    R = np.array([[1.0, 0.0], [1.0, 0.0]])
    found = {leaf: (inside, kind) for leaf, inside, kind in leaves(pairs(R, np.eye(2), -np.ones(2)))[0]}
    inside, kind = found[(LOAD, LOAD)]
    assert (inside[0], kind) == (-1, WIDE)


def test_an_open_velocity_that_others_rule_out():
    """As above, with a third pair whose row must be positive: y_2 >= 1 can be had, y_2 <= -1 cannot."""
    R = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    C = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    possible = [leaf for leaf, _, _ in leaves(pairs(R, C, np.array([-1.0, -1.0, -1.0])))[0]]
    assert (LOAD, LOAD, OFF) in possible
    R[2] *= -1.0
    impossible = [leaf for leaf, _, _ in leaves(pairs(R, C, np.array([-1.0, -1.0, -1.0])))[0]]
    assert (LOAD, LOAD, OFF) not in impossible
