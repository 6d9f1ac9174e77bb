"""The compiled UR10 carries the numbers of Moby's example ur10."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.robots import families
from surefoot.robots.compose import scene
from surefoot.robots.families import with_values
from surefoot.robots.families.ur10 import UR10
from surefoot.robots.objects import Box

# Body: origin at zero (m), mass (kg), centre of mass in the world at zero (m), principal inertias about it (kg m^2).
LINKS = {
    "base": ((0, 0, 0), 4.0, (0, 0, 0), (0.00610633, 0.00610633, 0.01125)),
    "shoulder": ((0, 0, 0.1273), 7.778, (0, 0, 0.1273), (0.0314743, 0.0314743, 0.0218756)),
    "upper_arm": ((0, 0.220941, 0.1273), 12.93, (0.306, 0.220941, 0.1273), (0.421754, 0.421754, 0.0363656)),
    "forearm": ((0.612, 0.049041, 0.1273), 3.87, (0.89815, 0.049041, 0.1273), (0.11107, 0.11107, 0.0108844)),
    "wrist_1": ((1.1843, 0.049041, 0.1273), 1.96, (1.1843, 0.049041, 0.1273), (0.00510825, 0.00510825, 0.0055125)),
    "wrist_2": ((1.1843, 0.163941, 0.1273), 1.96, (1.1843, 0.163941, 0.1273), (0.00510825, 0.00510825, 0.0055125)),
    "wrist_3": ((1.1843, 0.163941, 0.0116), 0.202, (1.1843, 0.163941, 0.0116), (5.26462e-4, 5.26462e-4, 5.68125e-4)),
    "hand": ((1.1843, 0.256, 0.0116), 0.96, (1.1843, 0.291, 0.0116), (5.3312e-4, 6.5312e-4, 9.04e-4)),
    "left_finger": ((1.1843, 0.256, 0.0116), 0.12, (1.1638, 0.3358, 0.0116), (9.5236e-6, 7.2e-6, 5.2036e-6)),
    "right_finger": ((1.1843, 0.256, 0.0116), 0.12, (1.2048, 0.3358, 0.0116), (9.5236e-6, 7.2e-6, 5.2036e-6)),
}
ALONG = {"upper_arm": [2, 1, 0], "forearm": [2, 1, 0]}  # these lie along x: their axis of symmetry is the first


def at(robot, q=None):
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.home().q if q is None else q
    mujoco.mj_forward(robot.model, data)
    return data


@pytest.mark.parametrize("name", LINKS)
def test_link(name):
    robot = families.build("ur10")
    data, body = at(robot, np.zeros(8)), robot.model.body(name)
    place, mass, centre, inertia = LINKS[name]
    np.testing.assert_allclose(data.body(name).xpos, place, atol=1e-12)
    assert body.mass[0] == pytest.approx(mass)
    np.testing.assert_allclose(data.body(name).xipos, centre, atol=1e-12)
    turn = data.body(name).ximat.reshape(3, 3)
    wanted = np.array(inertia)[ALONG.get(name, [0, 1, 2])]
    np.testing.assert_allclose(turn @ np.diag(body.inertia) @ turn.T, np.diag(wanted), rtol=3e-6, atol=1e-12)


def test_total_mass():
    assert families.build("ur10").model.body_mass.sum() == pytest.approx(33.9)


def test_joints():
    robot = families.build("ur10")
    data = at(robot, np.zeros(8))
    axes = ([0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, -1], [0, 1, 0], [1, 0, 0], [1, 0, 0])
    for name, axis in zip(robot.joints, axes, strict=True):
        np.testing.assert_allclose(data.joint(name).xaxis, axis, atol=1e-15)
    model = robot.model
    np.testing.assert_allclose(model.jnt_range[:6], [[-6.28319, 6.28319]] * 6)
    np.testing.assert_allclose(model.jnt_range[6:], [[0, 0.014], [-0.014, 0]])
    assert model.jnt_limited.all()
    assert [int(kind) for kind in model.jnt_type] == [int(mujoco.mjtJoint.mjJNT_HINGE)] * 6 + [
        int(mujoco.mjtJoint.mjJNT_SLIDE)
    ] * 2
    np.testing.assert_allclose(model.actuator_ctrlrange[:6, 1], [330, 330, 150, 54, 54, 54])
    assert [joint.speed for joint in UR10.joints[:6]] == [2.16, 2.16, 3.15, 3.2, 3.2, 3.2]


def test_the_gripper_closes_on_mobys_block():
    # Moby has the block at x = 1.185 m, 0.3 mm deep in the right finger; here it is between the fingers.
    block = Box(size=(0.02825, 0.025, 0.025), mass=1.0, position=(1.1843, 0.336, 0.012), mu=np.inf, name="block")
    held = scene(families.build("ur10"), objects=[block])
    assert at(held).ncon == 0  # open, the fingers leave 0.75 mm
    q = held.home().q.copy()
    q[6:8] = [0.002, -0.002]
    data = at(held, q)
    touching = {held.model.geom(g).name for contact in data.contact for g in contact.geom}
    assert touching == {"block", "left_finger", "right_finger"}
    assert np.isinf(data.contact.friction[:, 0]).all()


def test_lengths_vary_with_all_that_follows():
    longer = with_values(UR10, {"upper_arm.length": 0.7, "forearm.mass": None, "forearm.density": 400.0})
    robot = longer.scene()
    data = at(robot, np.zeros(8))
    np.testing.assert_allclose(data.body("hand").xpos, [1.2723, 0.256, 0.0116], atol=1e-12)
    assert robot.model.body("forearm").mass[0] == pytest.approx(400 * np.pi * 0.075**2 * 0.5723)


def test_the_arm_touches_the_world_unless_told_not_to():
    robot = families.build("ur10").model
    assert robot.geom("forearm").conaffinity[0] == 1
    gripper = replace(UR10, arm_collides=False).scene().model
    touching = {gripper.geom(i).name for i in range(gripper.ngeom) if gripper.geom_conaffinity[i]}
    assert touching == {"ground", "left_finger", "right_finger"}
    assert replace(UR10, hand_collides=True).scene().model.geom("hand").conaffinity[0] == 1


def test_errors():
    with pytest.raises(InputError, match=r"Ur10.home_pose: expected 8 of them, got 6"):
        replace(UR10, home_pose=(0.0,) * 6)
    with pytest.raises(InputError, match=r"Ur10.elbow_offset: expected a finite number, got nan"):
        replace(UR10, elbow_offset=float("nan"))
