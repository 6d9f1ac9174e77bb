"""The way to a point as a command, for a car and for one that walks sideways."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels.steering import steer

angles = st.floats(-math.pi, math.pi)
places = st.tuples(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))


def base(x=0.0, y=0.0, heading=0.0):
    return np.array([x, y, 0.2, math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)])


def command(where, goal, sideways=0, look=math.nan, speed=0.2, turning=0.5):
    out = np.full(3, np.nan)
    steer(where, np.array(goal, dtype=float), speed, turning, sideways, look, out)
    return out


def test_a_car_drives_to_what_lies_ahead():
    assert command(base(), (1.0, 0.0)) == pytest.approx([0.2, 0.0, 0.0])


def test_a_car_turns_in_place_towards_what_lies_aside():
    assert command(base(), (0.0, 1.0)) == pytest.approx([0.0, 0.0, 0.5])
    assert command(base(heading=math.pi / 2), (1.0, 0.0)) == pytest.approx([0.0, 0.0, -0.5])
    just_inside, just_outside = (command(base(), (math.cos(a), math.sin(a))) for a in (0.78, 0.79))  # pi/4 = 0.7854
    assert just_inside[0] > 0.0
    assert just_outside[0] == 0.0


def test_it_slows_down_where_the_point_is_near():
    assert command(base(), (0.01, 0.0))[0] == pytest.approx(0.03)


@given(place=places, goal=places, heading=angles)
def test_a_holonomic_robot_moves_straight_at_the_goal(place, goal, heading):
    out = command(base(*place, heading), goal, sideways=1)
    c, s = math.cos(heading), math.sin(heading)
    world = np.array([c * out[0] - s * out[1], s * out[0] + c * out[1]])
    away = np.array(goal) - place
    assert world @ [away[1], -away[0]] == pytest.approx(0.0, abs=1e-9)
    assert world @ away >= 0.0
    assert np.linalg.norm(world) == pytest.approx(min(0.2, 3.0 * np.linalg.norm(away)), abs=1e-12)
    assert out[2] == 0.0


@given(heading=angles, look=angles)
def test_it_turns_the_short_way_to_where_it_shall_look(heading, look):
    turn = command(base(heading=heading), (1.0, 0.0), sideways=1, look=look, turning=10.0)[2]
    assert abs(turn) <= 3.0 * math.pi + 1e-9
    assert math.cos(heading + turn / 3.0 - look) == pytest.approx(1.0, abs=1e-9)


@given(place=places, goal=places, heading=angles, sideways=st.integers(0, 1))
def test_limits_hold(place, goal, heading, sideways):
    out = command(base(*place, heading), goal, sideways)
    assert math.hypot(out[0], out[1]) <= 0.2 + 1e-12
    assert abs(out[2]) <= 0.5
