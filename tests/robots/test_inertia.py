import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.robots.inertia import balanced, defect, needs_rounding, rounded

POINTS = st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=1, max_size=6)


def of_points(points):
    """Inertia about the origin of unit masses: possible by construction."""
    return sum(np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in np.array(points))


@given(POINTS)
def test_real_bodies_have_no_defect(points):
    assert defect(1.0, of_points(points)) is None


@given(POINTS)
def test_rounding_changes_next_to_nothing_and_is_final(points):
    matrix = of_points(points)
    near = rounded(matrix)
    assert np.abs(near - matrix).max() <= 1e-11 * np.abs(matrix).max() + 1e-13
    a, b, c = np.linalg.eigvalsh(near)
    assert a > 0
    assert a + b >= c


@given(st.tuples(*[st.floats(0.01, 1)] * 3))
def test_balanced_keeps_the_trace(principal):
    matrix = np.diag(principal)
    mean = balanced(matrix)
    assert np.trace(mean) == pytest.approx(np.trace(matrix))
    assert defect(1.0, mean) is None


def test_what_cannot_be_balanced():
    assert balanced(-np.eye(3)) is None
    assert balanced(np.full((3, 3), np.nan)) is None


def test_sound_inertias_need_no_rounding():
    assert not needs_rounding(np.diag([1.0, 1.0, 1.5]))
    assert needs_rounding(np.diag([0.0, 1.0, 1.0]))


def test_dust_is_zero():
    """iCub's head: off-diagonal terms of 1e-35 and nothing else."""
    assert defect(0.0, 1e-35 * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])) is None


def test_messages():
    assert defect(-1.0, np.eye(3)) == "its mass is negative (-1 kg)"
    assert defect(1.0, np.diag([1.0, 1.0, 3.0])) == (
        "its principal inertias 1, 1, 3 kg m^2 break the triangle inequality: 1 + 1 < 3"
    )
    assert defect(1.0, np.diag([-1.0, 1.0, 1.0])) == "its principal inertias -1, 1, 1 kg m^2 include a negative one"
    assert defect(np.inf, np.eye(3)) == "its mass or inertia is not finite"
