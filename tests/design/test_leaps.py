import numpy as np
import pytest

from surefoot.design.leaps import LEAPS, SCOUTS, merit_of, neighbours, scouts
from tests.design import small

LOW, HIGH = np.array([0.05, 0.05]), np.array([0.2, 0.2])


def test_neighbours_move_one_parameter_part_of_the_way_to_a_bound():
    look = small.trotting(dt=4e-2).look([0.1, 0.15], 0.1)
    found = neighbours(look, LOW, HIGH)
    assert len(found) == 2 * 2 * len(LEAPS)
    assert all(np.count_nonzero(p != look.p) == 1 for p in found)
    assert found[0] == pytest.approx([0.1 - LEAPS[0] * 0.05, 0.15])
    assert look.p.tolist() == [0.1, 0.15]


def test_scouts_are_all_over_the_bounds_and_always_the_same():
    found = np.array(scouts(LOW, HIGH))
    assert found.shape == (SCOUTS, 2)
    assert ((found >= LOW) & (found <= HIGH)).all()
    counts, _, _ = np.histogram2d(*found.T, bins=4, range=[(0.05, 0.2)] * 2)
    assert (counts == SCOUTS / 16).all()
    assert (found == np.array(scouts(LOW, HIGH))).all()


def test_merit_is_that_of_a_look():
    problem = small.trotting(dt=4e-2)
    assert merit_of(problem, np.array([0.1, 0.1]), 0.1) == problem.look([0.1, 0.1], 0.1).merit


def test_without_parameters_there_is_nowhere_to_go():
    assert scouts(np.zeros(0), np.zeros(0)) == []
