"""Boxes and balls weigh what they should and lie where they say."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.robots.objects import Ball, Box, Loose

angle = st.floats(-3, 3)


def compiled(*things):
    spec = mujoco.MjSpec()
    for thing in things:
        thing.add_to(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def test_a_box_as_compiled():
    box = Box(size=(0.1, 0.2, 0.3), mass=12.0, position=(1, 2, 3), name="brick")
    model, data = compiled(box)
    np.testing.assert_allclose(model.geom("brick").size, [0.05, 0.1, 0.15])
    # MuJoCo sorts principal inertias; a box that is longest along z has them in falling order.
    np.testing.assert_allclose(model.body("brick").inertia, [0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04])
    np.testing.assert_allclose(data.body("brick").xpos, [1, 2, 3])
    np.testing.assert_allclose(model.qpos0, box.pose)
    assert model.joint("brick").type[0] == int(mujoco.mjtJoint.mjJNT_FREE)


def test_a_ball_as_compiled():
    model, data = compiled(Ball(radius=0.025355, mass=0.7824, position=(0.30, 0.14, -0.0246)))
    np.testing.assert_allclose(model.body("ball").inertia, 0.4 * 0.7824 * 0.025355**2)
    np.testing.assert_allclose(data.body("ball").xpos, [0.30, 0.14, -0.0246])


def test_mass_from_density():
    assert Box(size=(0.050710678,) * 3, density=6000).kilograms == pytest.approx(0.7824, abs=1e-4)
    assert Ball(radius=0.1, density=1000).kilograms == pytest.approx(4 / 3 * math.pi)


@settings(max_examples=30, deadline=None)
@given(roll=angle, pitch=angle, yaw=angle)
def test_roll_pitch_yaw_turn_about_fixed_axes_in_that_order(roll, pitch, yaw):
    def about(axis, by):
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = math.cos(by)
        turn[j, i], turn[i, j] = math.sin(by), -math.sin(by)
        return turn

    _, data = compiled(Box(size=(1, 1, 1), mass=1, rpy=(roll, pitch, yaw)))
    wanted = about(2, yaw) @ about(1, pitch) @ about(0, roll)
    np.testing.assert_allclose(data.body("box").xmat.reshape(3, 3), wanted, atol=1e-12)


def test_a_quaternion_of_any_length_is_made_a_unit_one():
    np.testing.assert_allclose(Box(size=(1, 1, 1), mass=1, quaternion=(0, 0, 0, 2)).pose[3:], [0, 0, 0, 1])


def test_friction_beats_that_of_what_has_none():
    slick, plain = Ball(radius=0.1, mass=1, mu=0.05), Box(size=(1, 1, 0.1), mass=1, position=(0, 0, -0.1499))
    _, data = compiled(slick, plain)
    assert data.contact.friction[0, 0] == pytest.approx(0.05)
    _, data = compiled(replace(slick, mu=None), plain)
    assert data.contact.friction[0, 0] == pytest.approx(1.0)
    _, data = compiled(replace(slick, mu=math.inf), plain)
    assert math.isinf(data.contact.friction[0, 0])


def test_both_are_loose_things():
    assert isinstance(Box(size=(1, 1, 1), mass=1), Loose)
    assert isinstance(Ball(radius=1, mass=1), Loose)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Box(size=(1, 1, 1)), "Box: expected either mass or density, got mass=None, density=None"),
        (lambda: Ball(radius=1, mass=1, density=1), "Ball: expected either mass or density, got mass=1, density=1"),
        (lambda: Box(size=(1, 1, 0), mass=1), "Box.size: expected a number above 0, got 0"),
        (lambda: Box(size=(1, 1), mass=1), r"Box.size: expected shape \(3,\), got \(2,\)"),
        (lambda: Box(size=(1, 1, 1), mass=0), "Box: expected a mass above 0 kg, got 0"),
        (lambda: Box(size=(1, 1, 1), mass=-1), "Box.mass: expected a number of at least 0, got -1"),
        (lambda: Box(size=(1, 1, 1), mass=1, mu=-1), "Box.mu: expected a friction coefficient of at least 0"),
        (
            lambda: Box(size=(1, 1, 1), mass=1, quaternion=(1, 0, 0, 0), rpy=(0, 0, 0)),
            "Box: expected quaternion or rpy, got both",
        ),
        (
            lambda: Box(size=(1, 1, 1), mass=1, quaternion=(0, 0, 0, 0)),
            "Box.quaternion: expected a quaternion of some length",
        ),
        (
            lambda: Box(size=(1, 1, 1), mass=1, rpy=(0, 0, math.nan)),
            "Box.rpy: expected finite numbers, got nan at index 2",
        ),
        (lambda: Ball(radius=-1, mass=1), "Ball.radius: expected a number above 0, got -1"),
        (lambda: Ball(radius=1, mass=1, position=(0, 0)), r"Ball.position: expected shape \(3,\), got \(2,\)"),
        (lambda: Ball(radius=1, mass=1, name=""), "Ball.name: expected a name, got ''"),
        (lambda: Ball(radius=1, mass=1, colour=(1, 0, 0)), r"Ball.colour: expected shape \(4,\), got \(3,\)"),
    ],
)
def test_bad_objects_are_refused(make, text):
    with pytest.raises(InputError, match=text):
        make()
