from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from surefoot.design import Look, Row
from surefoot.design.rows import DIPS, NEAR, choose_rows, limiting, violations

DT = 0.01


def made(values, whose=None):
    values = np.array(values, dtype=float)
    whose = np.zeros(values.shape, dtype=np.int64) if whose is None else np.array(whose)
    names = tuple(f"w{k}" for k in range(values.shape[1]))
    return Look(np.array([0.3]), 0.1, names, values, whose, (SimpleNamespace(t=DT * np.arange(len(values))),))


# Known answers


def test_all_violated_witnesses_at_their_minima_and_those_near_their_limits():
    column = [1.0, -0.5, 1.0, -0.2, 1.0, 1.0]
    near = [1.0, 1.0, 1.0, 1.0, 0.1, 1.0]
    far = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0]
    look = made(np.transpose([column, near, far]))
    assert choose_rows(look, 0.0, "all") == [Row(1, 0, 0), Row(3, 0, 0), Row(4, 1, 0)]


def test_the_first_sample_that_violates_one():
    """As algorithm 2 does."""
    look = made([[1.0, 0.1], [-0.1, 0.1], [-0.5, -0.5]])
    assert choose_rows(look, 0.0, "first") == [Row(1, 0, 0)]
    assert choose_rows(look, 0.2, "first") == [Row(0, 1, 0)]


def test_rows_are_of_the_particle_that_has_the_value():
    look = made([[-1.0], [0.5], [0.5]], [[4], [0], [0]])
    assert choose_rows(look, 0.0, "all") == [Row(0, 0, 4)]
    assert choose_rows(look, 0.0, "first") == [Row(0, 0, 4)]


def test_violations_are_the_worst_of_each_the_worst_first():
    look = made([[0.3, 1.0, 1.0], [-0.1, 0.5, 1.0], [-0.2, -0.5, 1.0], [0.1, 0.5, 1.0]])
    found = violations(look, 0.0)
    assert [one.witness for one in found] == ["w1", "w0"]
    assert [one.value for one in found] == [-0.5, -0.2]
    assert [one.phase for one in found] == [0.5, 0.5]
    assert [one.time for one in found] == pytest.approx([0.015, 0.0075])


def test_the_limiting_witness_and_its_bounds_are_named():
    look = made([[0.5], [-0.25]])
    morphology = SimpleNamespace(names=("a",), low=np.array([0.3]), high=np.array([0.9]))
    start = ": at difficulty 0.1 w0 stays at -0.250 at 50 % of the course"
    assert limiting(look, 0.0, morphology, np.array([2.0])) == f"{start}; at their bounds: a (lowest 0.3)"
    assert limiting(look, 0.0, morphology, np.array([0.0])) == f"{start}; no parameter is at a bound that would help"
    assert limiting(look, 0.0, morphology, None) == f"{start}; no parameter is at a bound that would help"
    assert limiting(made([[0.5]]), 0.0, morphology, None) == ""


# Properties


@given(hnp.arrays(float, (12, 4), elements=st.floats(-1, 1)), st.floats(-0.5, 0.5))
def test_the_worst_sample_of_every_violated_witness_is_among_the_rows(values, aim):
    look = made(values)
    rows = choose_rows(look, aim, "all")
    for k in range(4):
        mine = [row for row in rows if row.witness == k]
        assert len(mine) <= DIPS
        if values[:, k].min() < aim:
            assert min(values[row.sample, k] for row in mine) == values[:, k].min()
        if values[:, k].min() >= aim + NEAR:
            assert mine == []


# Edge cases


def test_a_witness_that_is_flat_has_one_row():
    assert choose_rows(made(np.full((5, 1), -1.0)), 0.0, "all") == [Row(0, 0, 0)]


def test_a_dip_at_either_end_of_the_course_is_seen():
    assert choose_rows(made([[-1.0], [1.0], [1.0], [1.0]]), 0.0, "all") == [Row(0, 0, 0)]
    assert choose_rows(made([[1.0], [1.0], [1.0], [-1.0]]), 0.0, "all") == [Row(3, 0, 0)]


def test_what_is_unknown_before_a_violation_gives_its_sample():
    found = violations(made([[np.inf], [-0.1]]), 0.0)
    assert found[0].time == DT
