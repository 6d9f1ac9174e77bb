"""Solids weigh what they should, joints refuse what makes no sense, and numbers are reached by path."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.robots.families import FAMILIES, parameters, with_values
from surefoot.robots.families.links import LINKS
from surefoot.robots.families.parts import Bar, Block, Joint, Orb, Rod, add_limb
from surefoot.robots.families.stance import rest

lengths = st.floats(0.001, 2.0)


def compiled(solid, limb=False):
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="body")
    body.add_freejoint()
    if limb:
        add_limb(body, "geom", solid, along=-1.0)
    else:
        solid.add_to(body, "geom")
    return spec.compile()


@settings(max_examples=25, deadline=None)
@given(a=lengths, b=lengths, c=lengths, density=st.floats(10, 8000))
def test_mass_is_density_times_volume_as_mujoco_has_it(a, b, c, density):
    for solid in (
        Block(size=(a, b, c), density=density),
        Orb(radius=a, density=density),
        Rod(length=a, radius=b, density=density),
        Bar(length=a, width=b, depth=c, density=density),
    ):
        model = compiled(solid)
        assert solid.kilograms == pytest.approx(density * solid.volume)
        assert model.body_mass[1] == pytest.approx(solid.kilograms)


def test_volumes():
    assert Block(size=(1, 2, 3), mass=1).volume == 6
    assert Bar(length=1, width=2, depth=3, mass=1).volume == 6
    assert Orb(radius=2, mass=1).volume == pytest.approx(32 / 3 * math.pi)
    assert Rod(length=3, radius=2, mass=1).volume == pytest.approx(12 * math.pi)


def test_a_limb_lies_along_x_with_its_width_along_y_and_its_depth_along_z():
    model = compiled(Bar(length=0.4, width=0.2, depth=0.1, mass=12.0), limb=True)
    np.testing.assert_allclose(model.body_ipos[1], [-0.2, 0, 0])
    frame = np.empty(9)
    mujoco.mju_quat2Mat(frame, model.body_iquat[1])
    turn = frame.reshape(3, 3)
    inertia = turn @ np.diag(model.body_inertia[1]) @ turn.T
    wanted = np.diag([0.2**2 + 0.1**2, 0.4**2 + 0.1**2, 0.4**2 + 0.2**2])
    np.testing.assert_allclose(inertia, wanted, atol=1e-12)


def test_joint_carries_damping_dry_friction_and_rotor():
    robot = with_values(
        LINKS, {"lf.y2.damping": 0.3, "lf.y2.friction": 0.2, "lf.y2.armature": 0.01, "rh.x1.effort": 2.6}
    )
    model = robot.scene().model
    dof = model.joint("LF_Y2").dofadr[0]
    assert model.dof_damping[dof] == 0.3
    assert model.dof_frictionloss[dof] == 0.2
    assert model.dof_armature[dof] == 0.01
    np.testing.assert_array_equal(model.actuator("RH_X1").ctrlrange, [-2.6, 2.6])
    assert model.actuator("RH_X1").ctrllimited[0]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_number_can_be_read_and_written_back(name):
    robot = FAMILIES[name]
    values = parameters(robot)
    assert all(isinstance(value, float) for value in values.values())
    assert with_values(robot, values) == robot
    moved = with_values(robot, {path: value + 1e-3 for path, value in values.items() if path.endswith(".length")})
    assert moved != robot
    moved.spec().compile()


def test_paths_of_a_quadruped():
    values = parameters(LINKS)
    assert values["lf.thigh.length"] == 0.077
    assert values["rh.y3.axis.1"] == -1.0
    assert values["base.size.0"] == 0.15
    assert "lf.thigh.density" not in values  # None: its mass is given


def test_values_change_together_and_leave_the_original_alone():
    robot = with_values(LINKS, {"lf.thigh.mass": None, "lf.thigh.density": 1100.0, "rf": replace(LINKS.rf, drop=0.01)})
    assert robot.lf.thigh == Bar(length=0.077, width=0.03, depth=0.02, density=1100.0)
    assert robot.rf.drop == 0.01
    assert (LINKS.lf.thigh.mass, LINKS.rf.drop) == (0.10, 0.0)


def test_wrong_paths_are_named():
    with pytest.raises(InputError, match=r"values: no parameter is called 'lf.thig'; did you mean 'lf.thigh'\?"):
        with_values(LINKS, {"lf.thig.length": 0.1})
    with pytest.raises(InputError, match=r"values: no parameter is called 'base.size.3'"):
        with_values(LINKS, {"base.size.3": 0.1})
    with pytest.raises(InputError, match=r"values: no parameter is called 'lf.drop.x'; There are none"):
        with_values(LINKS, {"lf.drop.x": 0.1})
    with pytest.raises(InputError, match=r"values: 'lf.thigh.length' lies within a part that is replaced as a whole"):
        with_values(LINKS, {"lf": LINKS.lf, "lf.thigh.length": 0.1})
    with pytest.raises(InputError, match=r"values: 'lf' is replaced as a whole, but a value within it is given too"):
        with_values(LINKS, {"lf.thigh.length": 0.1, "lf": LINKS.lf})


def test_bad_parts_are_refused():
    with pytest.raises(InputError, match=r"Rod: expected either mass or density, got mass=1, density=2"):
        Rod(length=1, radius=1, mass=1, density=2)
    with pytest.raises(InputError, match=r"Orb: expected either mass or density, got mass=None, density=None"):
        Orb(radius=1)
    with pytest.raises(InputError, match=r"Orb.radius: expected a number above 0, got 0"):
        Orb(radius=0, mass=1)
    with pytest.raises(InputError, match=r"Block.mass: expected a number of at least 0, got -1"):
        Block(size=(1, 1, 1), mass=-1)
    with pytest.raises(InputError, match=r"Block.size: expected shape \(3,\), got \(2,\)"):
        Block(size=(1, 1), mass=1)  # pyright: ignore
    with pytest.raises(InputError, match=r"Joint.low, Joint.high: expected both or neither, got 1.0, None"):
        Joint(axis=(1, 0, 0), low=1.0)
    with pytest.raises(InputError, match=r"Joint.low, Joint.high: expected low below high, got 1, -1"):
        Joint(axis=(1, 0, 0), low=1.0, high=-1.0)
    with pytest.raises(InputError, match=r"Joint.effort: expected a number above 0, got 0"):
        Joint(axis=(1, 0, 0), effort=0.0)
    with pytest.raises(InputError, match=r"Joint.damping: expected a number of at least 0, got -0.1"):
        Joint(axis=(1, 0, 0), damping=-0.1)


def heights(feet, radii, height, quaternion):
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, quaternion)
    return feet @ turn.reshape(3, 3)[2] + height - radii


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_body_rests_on_three_feet_and_no_foot_is_in_the_ground(seed):
    rng = np.random.default_rng(seed)
    feet = np.array([[0.2, 0.1, -0.2], [0.2, -0.1, -0.2], [-0.2, 0.1, -0.2], [-0.2, -0.1, -0.2]])
    feet += rng.uniform(-0.01, 0.01, (4, 3))
    radii = rng.uniform(0.005, 0.015, 4)
    height, quaternion = rest(feet, radii, np.zeros(3))
    gaps = np.sort(heights(feet, radii, height, quaternion))
    np.testing.assert_allclose(gaps[:3], 0, atol=1e-12)
    assert gaps[3] >= -1e-12
    assert quaternion[3] == 0  # it does not turn


def test_level_feet_leave_the_body_level_and_two_feet_too():
    feet = np.array([[0.2, 0.1, -0.2], [0.2, -0.1, -0.2], [-0.2, 0.1, -0.2]])
    height, quaternion = rest(feet, np.full(3, 0.01), np.zeros(3))
    assert height == pytest.approx(0.21)
    np.testing.assert_array_equal(quaternion, [1, 0, 0, 0])
    height, quaternion = rest(feet[:2] + np.array([[0, 0, 0], [0, 0, -0.1]]), np.full(2, 0.01), np.zeros(3))
    assert height == pytest.approx(0.31)
    np.testing.assert_array_equal(quaternion, [1, 0, 0, 0])


def test_of_two_planes_the_one_with_the_lower_centre_of_mass_is_taken():
    feet = np.array([[0.2, 0.1, -0.2], [0.2, -0.1, -0.21], [-0.2, 0.1, -0.2], [-0.2, -0.1, -0.2]])
    com = np.array([0.15, 0.0, 0.0])  # forward: it stands on both front feet and one hind foot
    gaps = heights(feet, np.full(4, 0.01), *rest(feet, np.full(4, 0.01), com))
    np.testing.assert_allclose(gaps[:2], 0, atol=1e-12)
    assert gaps[2:].max() > 1e-3
