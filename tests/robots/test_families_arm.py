"""The compiled arm carries the numbers of Pacer's example arm."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.robots import families
from surefoot.robots.compose import scene
from surefoot.robots.families import with_values
from surefoot.robots.families.arm import ARM
from surefoot.robots.objects import Box
from surefoot.robots.terrains import Plane

FINGERS = ("00", "01", "10", "11")
SIDE = 0.050710678  # m, the paper's box: exactly the gap between opposite fingertips


def at(robot, q=None):
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.home().q if q is None else q
    mujoco.mj_forward(robot.model, data)
    return data


def test_joints_at_zero():
    robot = families.build("arm")
    assert robot.joints == ("X_1", "Y_2", "Z_3", "X_4", "Y_5", "Z_6", "X_7", "F_00", "F_01", "F_10", "F_11")
    assert (robot.nq, robot.nv, robot.base) == (11, 11, None)
    data = at(robot, np.zeros(11))
    axis = {"X": [1, 0, 0], "Y": [0, 1, 0], "Z": [0, 0, 1]}
    for i, name in enumerate(robot.joints[:7]):
        np.testing.assert_allclose(data.joint(name).xanchor, [0.05 + 0.1 * i, 0, 0], atol=1e-15)
        np.testing.assert_allclose(data.joint(name).xaxis, axis[name[0]], atol=1e-15)
    for name, y, turn in (("00", -0.02, 1), ("01", 0.02, 1), ("10", -0.02, -1), ("11", 0.02, -1)):
        np.testing.assert_allclose(data.joint(f"F_{name}").xanchor, [0.65, y, 0], atol=1e-15)
        np.testing.assert_allclose(data.joint(f"F_{name}").xaxis, [0, turn, 0], atol=1e-15)
        np.testing.assert_allclose(data.geom(f"TIP_{name}").xpos, [0.70, y, 0], atol=1e-15)


def test_hand_and_fingertips_at_home():
    robot = families.build("arm")
    np.testing.assert_allclose(robot.home().q, [math.pi / 2] * 7 + [math.pi / 4] * 4)
    data = at(robot)
    np.testing.assert_allclose(data.body("HAND").xpos, [0.25, 0, 0.20], atol=1e-12)
    tips = {name: data.geom(f"TIP_{name}").xpos for name in FINGERS}
    for name, y, z in (("00", 1, 0.18), ("01", 1, 0.22), ("10", -1, 0.18), ("11", -1, 0.22)):
        np.testing.assert_allclose(tips[name], [0.2854, y * 0.0354, z], atol=5e-5)
    assert tips["00"][1] - tips["10"][1] - 2 * 0.010 == pytest.approx(SIDE, abs=1e-9)


def test_masses_and_inertias():
    model = families.build("arm").model
    assert model.body("LINK_0").mass[0] == 1.0
    others = [f"LINK_{i}" for i in range(1, 7)] + ["HAND"] + [f"FINGER_{name}" for name in FINGERS]
    for name in others:
        assert model.body(name).mass[0] == pytest.approx(0.10, abs=1e-15)
    assert model.body_mass.sum() == pytest.approx(2.1)
    bar = 0.1 / 12 * np.array([0.1**2 + 0.02**2, 0.1**2 + 0.02**2, 2 * 0.02**2])
    np.testing.assert_allclose(model.body("LINK_3").inertia, bar, rtol=1e-12)
    np.testing.assert_allclose(model.body("LINK_3").ipos, [0.05, 0, 0], atol=1e-15)
    np.testing.assert_allclose(model.body("HAND").inertia, 0.4 * 0.1 * 0.025**2, rtol=1e-12)
    rod = 0.1 * np.array([*[0.005**2 / 4 + 0.05**2 / 12] * 2, 0.005**2 / 2])
    np.testing.assert_allclose(model.body("FINGER_01").inertia, rod, rtol=1e-12)


def test_only_the_fingertips_touch_and_nothing_limits_it():
    model = families.build("arm").model
    touching = {model.geom(i).name for i in range(model.ngeom) if model.geom_contype[i] or model.geom_conaffinity[i]}
    assert touching == {"ground", *(f"TIP_{name}" for name in FINGERS)}
    assert not model.jnt_limited.any()
    assert model.nu == 11
    assert not model.actuator_ctrllimited.any()


def test_the_papers_box_fits_between_the_fingertips():
    held = scene(families.build("arm"), objects=[Box(size=(SIDE,) * 3, density=6000, position=(0.31, 0, 0.20))])
    box = held.model.body("box")
    assert box.mass[0] == pytest.approx(0.7824, abs=1e-4)
    np.testing.assert_allclose(box.inertia, 3.353e-4, atol=1e-7)
    tips = [held.model.geom(f"TIP_{name}").id for name in FINGERS]
    model = held.model.__copy__()
    model.geom_gap[tips] = 1e-6  # report contacts that all but touch
    data = mujoco.MjData(model)
    data.qpos[:] = held.home().q
    mujoco.mj_forward(model, data)
    assert {int(g) for contact in data.contact for g in contact.geom} == {held.model.geom("box").id, *tips}
    np.testing.assert_allclose(data.contact.dist, 0, atol=1e-9)


def test_ground_lies_under_the_pedestal():
    assert families.build("arm").model.geom("ground").pos[2] == -0.2
    assert families.build("arm", Plane(z=-1.0)).model.geom("ground").pos[2] == -1.0
    assert families.build("arm", None).surfaces == ()


def test_lengths_and_zero_offsets_vary():
    longer = with_values(ARM, {"links.2.length": 0.13, "fingers.3.limb.length": 0.06, "joints.0.tare": 0.1})
    data = at(longer.scene(), np.zeros(11))
    np.testing.assert_allclose(data.joint("X_4").xanchor, [0.38, 0, 0], atol=1e-15)
    np.testing.assert_allclose(data.geom("TIP_11").xpos[0], 0.65 + 0.03 + 0.06, atol=1e-15)
    assert data.body("LINK_6").xmat.reshape(3, 3)[2, 1] == pytest.approx(math.sin(0.1))


def test_errors():
    with pytest.raises(InputError, match=r"Arm.links: expected 6 of them, got 5"):
        replace(ARM, links=ARM.links[:5])
    with pytest.raises(InputError, match=r"Arm.pedestal: expected a number of at least 0, got -1"):
        replace(ARM, pedestal=-1.0)
