import re

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.design import HandTask
from surefoot.design.hand import Hand
from surefoot.errors import InputError
from tests.design import small


def place(robot, geom, joints):
    """(3,) m by MuJoCo."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.home().q
    data.qpos[robot.joint_positions] = joints
    mujoco.mj_kinematics(robot.model, data)
    return data.geom_xpos[robot.model.geom(geom).id].copy()


# Known answers


def test_two_links_obey_the_law_of_cosines():
    q, v, missing = Hand(small.arm(), ("tip",)).track(small.GOAL[None, None], np.zeros((1, 1, 3)))
    assert 1.2 + q[0, 1] == pytest.approx(small.elbow_angle(0.3), abs=1e-9)
    assert v == pytest.approx(np.zeros((1, 2)))
    assert missing == [[0.0]]


def test_what_is_out_of_reach_is_missed_by_the_rest_of_the_way():
    """1 m along x from the shoulder, links of 0.3 and 0.25 m: 0.45 m are missing."""
    q, _, missing = Hand(small.arm(), ("tip",)).track([[[1.0, 0.0, 1.0]]], np.zeros((1, 1, 3)))
    assert missing[0, 0] == pytest.approx(0.45, rel=1e-3)
    assert place(small.arm(), "tip", q[0])[0] == pytest.approx(0.55, rel=1e-3)


# Properties


@given(st.floats(0.15, 0.5), st.floats(-1.0, 1.0), st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=30)
def test_places_and_velocities_are_those_of_the_joints(radius, angle, vx, vz):
    robot = small.arm()
    goal = np.array([radius * np.cos(angle), 0.0, 1.0 + radius * np.sin(angle)])
    q, v, missing = Hand(robot, ("tip",)).track(goal[None, None], np.array([[[vx, 0.0, vz]]]))
    assert missing[0, 0] == 0.0
    assert place(robot, "tip", q[0]) == pytest.approx(goal, abs=1e-9)
    h = 1e-6
    moved = (place(robot, "tip", q[0] + h * v[0]) - place(robot, "tip", q[0] - h * v[0])) / (2 * h)
    assert moved == pytest.approx([vx, 0.0, vz], abs=1e-6)


def test_an_arm_of_many_joints_follows_without_a_jump():
    robot = sf.load("ur10")
    here = place(robot, robot.feet[0].geoms[0], robot.home().q[robot.joint_positions])
    course = HandTask(robot.feet[0].name, [here, here + np.array([0.1, 0.1, 0.05]), here], 2.0, dt=5e-3).course(
        robot, 1.0
    )
    q, v, missing = Hand(robot, (robot.feet[0].name,)).track(course.points, course.velocities)
    assert missing.max() == 0.0
    slopes = (q[2:] - q[:-2]) / (2 * course.dt)
    assert slopes == pytest.approx(v[1:-1], abs=5e-3)
    for i in range(0, len(q), 40):
        assert place(robot, robot.feet[0].geoms[0], q[i]) == pytest.approx(course.points[i, 0], abs=1e-9)


# Edge cases


def test_it_looks_from_where_it_is_told():
    """Elbow up and elbow down reach the same place."""
    hand = Hand(small.arm(), ("tip",))
    one, _, _ = hand.track(small.GOAL[None, None], np.zeros((1, 1, 3)))
    other, _, missing = hand.track(small.GOAL[None, None], np.zeros((1, 1, 3)), np.array([[0.9, -2.5]]))
    assert missing == [[0.0]]
    assert 1.2 + other[0, 1] == pytest.approx(-(1.2 + one[0, 1]), abs=1e-9)


def test_an_arm_has_no_stretch():
    assert np.isnan(Hand(small.arm(), ("tip",)).stretch(small.GOAL[None, None], np.zeros((1, 2)))).all()


# Error texts


def test_an_unknown_part_is_refused():
    text = "HandTask.part: no geom is called 'top'; did you mean 'tip'? The choices are: upper, lower, tip"
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Hand(small.arm(), ("top",))
