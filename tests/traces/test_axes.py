"""Axes lean by what they are told, in directions across them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.traces.axes import across, leaning

components = st.floats(-10, 10)


@pytest.mark.parametrize(
    ("axis", "wanted"),
    [((1, 0, 0), (1, 0.1, 0.2)), ((0, -3, 0), (0.2, -1, 0.1)), ((0, 0, 2), (0.1, 0.2, 1))],
)
def test_an_axis_along_a_coordinate_leans_towards_the_next_two(axis, wanted):
    np.testing.assert_allclose(leaning(axis, 0.1, 0.2), np.array(wanted) / math.sqrt(1.05), rtol=1e-15)


@settings(max_examples=100, deadline=None)
@given(x=components, y=components, z=components, tilt1=st.floats(-0.5, 0.5), tilt2=st.floats(-0.5, 0.5))
def test_the_angle_of_the_cone_is_that_of_the_tilts(x, y, z, tilt1, tilt2):
    axis = np.array([x, y, z])
    if np.linalg.norm(axis) < 1e-3:
        return
    unit = tuple(axis / np.linalg.norm(axis))
    frame = np.array([unit, *across(unit)])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    new = np.array(leaning(axis, tilt1, tilt2))
    np.testing.assert_allclose(new @ unit, 1 / math.sqrt(1 + tilt1**2 + tilt2**2), rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(new), 1.0, rtol=1e-12)
