import mujoco
import numpy as np
import pytest

from surefoot.robots.load import load
from surefoot.robots.terrains import Slope
from tests.robots.files import (
    BALL,
    TWO_HINGES,
    from_mjcf,
    noted,
    shape,
    walker,
    write,
)


def test_a_floating_robot_stands_on_a_plane(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", 3))
    assert len(scene.surfaces) == 1
    assert scene.home().q[2] == pytest.approx(0.1, abs=1e-9)


def test_no_ground_on_demand_leaves_the_pose(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", 3), ground=None)
    assert scene.surfaces == ()
    assert scene.home().q[2] == 3


def test_a_file_with_a_floor_gets_no_second_one(tmp_path):
    floor = '<geom name="floor" type="plane" size="1 1 1" pos="0 0 0.5"/>'
    scene = from_mjcf(tmp_path, floor + BALL.format("ball", 3))
    assert scene.surfaces == ()
    assert scene.home().q[2] == pytest.approx(0.6, abs=1e-9)


def test_a_bolted_robot_gets_no_ground(tmp_path):
    assert from_mjcf(tmp_path, TWO_HINGES).surfaces == ()


def test_a_slope_is_touched_along_its_normal(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", 3), ground=Slope(0.3))
    assert scene.home().q[2] == pytest.approx(0.1 / np.cos(0.3), abs=1e-9)


def test_a_robot_that_starts_in_the_ground_is_lifted(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", -0.7))
    assert scene.home().q[2] == pytest.approx(0.1, abs=1e-9)


def test_home_is_the_first_keyframe(tmp_path):
    key = '<keyframe><key name="home" qpos="0 0 0.4 2 0 0 0"/><key qpos="1 1 1 1 0 0 0"/></keyframe>'
    scene = from_mjcf(tmp_path, BALL.format("ball", 3), key)
    assert scene.home().q == pytest.approx([0, 0, 0.4, 1, 0, 0, 0])  # the quaternion of length 2 is normalised


def test_joints_whose_limits_leave_zero_out_start_at_mid_range(tmp_path):
    scene = load(write(tmp_path, walker().replace('lower="-1" upper="2"', 'lower="0.5" upper="1.5"')))
    assert scene.home().q[7:] == pytest.approx([1, 1, 1])
    assert noted(scene, "assumed", "left_hip")


def test_the_pose_of_an_srdf_is_home(tmp_path):
    pose = '<joint name="left_hip" value="0.3"/><joint name="root_joint" value="0 0 1 0 0 1 0"/>'
    write(tmp_path, f'<robot><group_state name="standing">{pose}</group_state></robot>', "srdf/walker.srdf")
    scene = load(write(tmp_path, walker(), "urdf/walker_v2.urdf"))
    assert scene.state().q[scene.joint_positions[0]] == 0.3
    assert noted(scene, "assumed", "home")[0] == "home is the pose 'standing' of walker.srdf, lowered to the ground"


def test_an_srdf_switches_pairs_off_and_names_passive_joints(tmp_path):
    text = '<disable_collisions link1="left_foot" link2="right_foot"/><disable_collisions link1="left_foot" link2="x"/>'
    write(tmp_path, f'<robot>{text}<passive_joint name="hind_hip"/></robot>', "robot.srdf")
    scene = load(write(tmp_path, walker()))
    assert scene.model.nexclude == 1
    assert noted(scene, "excluded", "1 link pairs") == ["the file robot.srdf says that they need no collision check"]
    assert scene.joints == ("left_hip", "right_hip")


def test_a_broken_srdf_is_noted_and_left(tmp_path):
    write(tmp_path, "<robot>", "robot.srdf")
    scene = load(write(tmp_path, walker()))
    assert "is not readable" in noted(scene, "ignored", "robot.srdf")[0]


def test_links_that_touch_at_home_are_excluded_and_listed(tmp_path):
    text = walker(foot=shape('<sphere radius="0.15"/>'))  # the front feet overlap
    scene = load(write(tmp_path, text))
    assert noted(scene, "excluded", "left_foot and right_foot")
    data = mujoco.MjData(scene.model)
    scene.home().to_mujoco(data)
    mujoco.mj_forward(scene.model, data)
    ground = scene.model.geom("ground").id
    assert all(ground in geoms for geoms in data.contact.geom)
