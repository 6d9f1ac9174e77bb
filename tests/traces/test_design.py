"""Dataclasses as built: masses follow sizes and densities, inertias are those of the shapes, axes lean."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.robots.families import FAMILIES, parameters
from surefoot.robots.families.links import LINKS, LINKS_LIGHT
from surefoot.robots.families.parts import Bar, Block, Orb, Rod
from surefoot.traces.design import Design


def inertia(model, body):
    """(3, 3) of a body about its centre of mass, in its own frame, as MuJoCo has compiled it."""
    frame = np.empty(9)
    mujoco.mju_quat2Mat(frame, model.body(body).iquat)
    frame = frame.reshape(3, 3)
    return frame @ np.diag(model.body(body).inertia) @ frame.T


@pytest.mark.parametrize("robot", FAMILIES)
def test_every_number_of_a_family_has_a_name(robot):
    design = Design(FAMILIES[robot], "robot")
    numbers = parameters(FAMILIES[robot])
    assert {name: design.names[name] for name in numbers} == numbers
    assert design.changed({}) is FAMILIES[robot]


def test_a_density_is_mass_over_volume():
    names = Design(LINKS_LIGHT, "robot").names
    assert names["lf.thigh.density"] == pytest.approx(0.1 / (math.pi * 0.0095**2 * 0.077), rel=1e-14)
    assert names["base.density"] == pytest.approx(2.6 / (0.155 * 0.150 * 0.035), rel=1e-14)
    assert names["lf.foot.density"] == 0.0
    assert Design(Orb(radius=0.1, density=700), "part").names["density"] == 700
    assert Design(sf.Ball(radius=0.1, mass=1.0), "ball").names["density"] == pytest.approx(750 / math.pi)
    assert Design(sf.Box(size=(0.1, 0.2, 0.3), mass=1.2), "box").names["density"] == pytest.approx(200)


def test_a_longer_cylinder_weighs_more_and_has_the_inertia_of_its_shape():
    made = Design(LINKS_LIGHT, "robot").changed({"lf.thigh.length": 0.09, "lf.thigh.radius": 0.01})
    mass = 0.1 * 0.09 * 0.01**2 / (0.077 * 0.0095**2)
    assert made.lf.thigh.kilograms == pytest.approx(mass, rel=1e-14)
    model = made.scene(None).model
    assert model.body("LF_THIGH").mass[0] == pytest.approx(mass, rel=1e-14)
    across, along = mass * (3 * 0.01**2 + 0.09**2) / 12, mass * 0.01**2 / 2
    np.testing.assert_allclose(inertia(model, "LF_THIGH"), np.diag([along, across, across]), rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(model.body("LF_SHANK").pos, [0.09, 0, 0])
    assert made.rf == LINKS_LIGHT.rf


def test_a_box_and_a_sphere_too():
    made = Design(LINKS, "robot").changed({"base.size.0": 0.2, "base.density": 1000.0, "rh.hip.width": 0.04})
    model = made.scene(None).model
    mass = 1000 * 0.2 * 0.08 * 0.05
    wanted = mass / 12 * np.diag([0.08**2 + 0.05**2, 0.2**2 + 0.05**2, 0.2**2 + 0.08**2])
    np.testing.assert_allclose(inertia(model, "BASE"), wanted, rtol=1e-12, atol=1e-18)
    assert made.rh.hip.kilograms == pytest.approx(0.1 * 4 / 3)
    arm = Design(FAMILIES["arm"], "robot").changed({"hand.radius": 0.03})
    mass = 0.1 * (0.03 / 0.025) ** 3
    np.testing.assert_allclose(inertia(arm.scene(None).model, "HAND"), 0.4 * mass * 0.03**2 * np.eye(3), rtol=1e-9)


def test_a_foot_of_some_density_weighs_on_its_shank():
    made = Design(LINKS_LIGHT, "robot").changed({"lf.foot.density": 1100.0})
    foot, rod = 1100 * 4 / 3 * math.pi * 0.01**3, 0.1
    model = made.scene(None).model
    assert model.body("LF_SHANK").mass[0] == pytest.approx(foot + rod, rel=1e-12)
    centre = (rod * 0.05 + foot * 0.1) / (foot + rod)
    np.testing.assert_allclose(model.body("LF_SHANK").ipos, [centre, 0, 0], atol=1e-12)
    across = rod * (3 * 0.0095**2 + 0.1**2) / 12 + rod * (centre - 0.05) ** 2
    across += 0.4 * foot * 0.01**2 + foot * (0.1 - centre) ** 2
    assert inertia(model, "LF_SHANK")[1, 1] == pytest.approx(across, rel=1e-12)


@pytest.mark.parametrize(
    ("solid", "values"),
    [
        (Rod(length=1.0, radius=0.1, mass=2.0), {"length": 2.0}),
        (Bar(length=1.0, width=0.1, depth=0.2, mass=2.0), {"depth": 0.4}),
        (Block(size=(1.0, 1.0, 1.0), mass=2.0), {"size.2": 2.0}),
        (Block(size=(1.0, 1.0, 1.0), density=2.0), {"size.2": 2.0}),
        (sf.Box(size=(1.0, 1.0, 1.0), mass=2.0), {"size.0": 2.0}),
        (sf.Ball(radius=1.0, mass=2.0), {"radius": 2.0 ** (1 / 3)}),
    ],
)
def test_twice_the_volume_weighs_twice(solid, values):
    assert Design(solid, "part").changed(values).kilograms == pytest.approx(4.0, rel=1e-12)


def test_a_mass_that_is_given_stays():
    rod = Rod(length=1.0, radius=0.1, mass=2.0)
    made = Design(rod, "part").changed({"mass": 3.0, "length": 2.0})
    assert (made.kilograms, made.length) == (3.0, 2.0)
    assert "mass" not in Design(replace(rod, mass=None, density=500.0), "part").names


def test_an_axis_leans():
    made = Design(LINKS_LIGHT, "robot").changed({"lf.y2.axis.tilt1": 0.3, "rf.x1.axis.tilt2": -0.4})
    np.testing.assert_allclose(made.lf.y2.axis, np.array([0, 1, 0.3]) / math.hypot(1, 0.3))
    np.testing.assert_allclose(made.rf.x1.axis, np.array([1, 0, -0.4]) / math.hypot(1, 0.4))
    assert made.lf.y3 == LINKS_LIGHT.lf.y3


def test_terrain_and_friction_that_may_be_given():
    design = Design(sf.Curb(), "ground")
    assert design.names == {
        "height": 0.03,
        "position.0": 0.4,
        "position.1": 0.0,
        "length": 1.0,
        "thickness": 0.01,
        "yaw": 0.0,
        "mu": None,
        "curb_mu": None,
    }
    assert design.changed({"mu": 0.5, "position.0": 0.3}) == sf.Curb(mu=0.5, position=(0.3, 0.0))


def test_whole_numbers_are_rounded():
    changed = Design(sf.HeightMap(), "ground").changed({"seed": 3.4, "hills": 10.6, "height": 0.02})
    assert changed == sf.HeightMap(seed=3, hills=11, height=0.02)


def test_colours_have_no_names_and_what_is_no_dataclass_has_none():
    assert not [name for name in Design(sf.Ball(radius=1, mass=1), "ball").names if "colour" in name]
    assert Design(None, "ground").names == {}
    assert Design("keep", "ground").names == {}


def test_mass_and_density_cannot_both_be_uncertain():
    with pytest.raises(InputError) as error:
        Design(LINKS_LIGHT, "robot").changed({"lf.thigh.mass": 1.0, "lf.thigh.density": 2.0})
    assert str(error.value) == "robot.lf.thigh.mass: expected either mass or density to be uncertain, got both"


def test_a_value_that_a_part_refuses():
    with pytest.raises(InputError, match=r"^robot: lf.thigh: Rod.length: expected a number above 0, got -1$"):
        Design(LINKS_LIGHT, "robot").changed({"lf.thigh.length": -1.0})
