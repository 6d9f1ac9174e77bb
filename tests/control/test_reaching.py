"""Joint goals that take a point of an arm along a line."""

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.control import reach

POINT = (0.04, 0.0, 0.0)


@pytest.fixture(scope="module")
def arm():
    return sf.load("arm")


def places(robot, rows, body="HAND", point=POINT):
    data = mujoco.MjData(robot.model)
    found = []
    for row in rows:
        data.qpos[robot.joint_positions] = row
        mujoco.mj_kinematics(robot.model, data)
        found.append(data.body(body).xpos + data.body(body).xmat.reshape(3, 3) @ point)
    return np.array(found)


def line(robot, way, n=40):
    start = places(robot, [robot.home().q[robot.joint_positions]])[0]
    return start + np.outer(np.linspace(0.0, 1.0, n), way)


def test_the_point_is_where_it_shall_be(arm):
    targets = line(arm, (0.05, 0.1, -0.15))
    np.testing.assert_allclose(places(arm, reach(arm, "HAND", POINT, targets)), targets, atol=2e-9)


def test_joints_move_no_more_than_they_must(arm):
    """The motion to a target nearby is that of the pseudo-inverse, and joints that do not help stay."""
    targets = line(arm, (1e-5, -2e-5, 1e-5), 2)
    first, second = reach(arm, "HAND", POINT, targets)
    data = mujoco.MjData(arm.model)
    data.qpos[:] = arm.home().q
    mujoco.mj_kinematics(arm.model, data)
    mujoco.mj_comPos(arm.model, data)
    jacobian = np.zeros((3, arm.nv))
    mujoco.mj_jac(arm.model, data, jacobian, None, targets[0], data.body("HAND").id)
    np.testing.assert_allclose(second - first, np.linalg.pinv(jacobian) @ (targets[1] - targets[0]), atol=1e-8)
    assert np.array_equal(second[7:], first[7:])  # fingers


def test_any_body_and_any_start():
    robot = sf.load("ur10")
    start = robot.home().q[robot.joint_positions] + 0.1
    here = places(robot, [start], "wrist_3", (0.0, 0.1, 0.0))[0]
    there = here + np.array([0.0, 0.0, 0.05])
    rows = reach(robot, "wrist_3", (0.0, 0.1, 0.0), [here, there], start=start)
    assert np.array_equal(rows[0], start)
    np.testing.assert_allclose(places(robot, rows, "wrist_3", (0.0, 0.1, 0.0))[1], there, atol=2e-9)


def test_again_the_same_bits(arm):
    targets = line(arm, (0.05, 0.1, -0.15), 5)
    assert np.array_equal(reach(arm, "HAND", POINT, targets), reach(arm, "HAND", POINT, targets))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"targets": [(2.0, 0.0, 0.0)]}, "targets: HAND cannot reach (2, 0, 0) m"),
        ({"targets": [0.0, 0.0, 0.0]}, "targets: expected shape (any, 3), got (3,)"),
        ({"point": (0.0, 0.0)}, "point: expected shape (3,), got (2,)"),
        ({"start": np.zeros(7)}, "start: expected shape (11,), got (7,)"),
    ],
)
def test_what_cannot_be_is_named(arm, arguments, text):
    with pytest.raises(sf.InputError) as found:
        reach(arm, **{"body": "HAND", "point": POINT, "targets": [(0.3, 0.1, 0.1)], **arguments})
    assert str(found.value) == text


def test_only_bolted_robots_with_such_a_body_reach(arm):
    with pytest.raises(sf.InputError, match=r"^robot: expected a robot that is bolted down, but links floats$"):
        reach(sf.load("links"), "HAND", POINT, np.zeros((1, 3)))
    with pytest.raises(sf.InputError, match=r"^body: no body is called 'HANDS'; did you mean 'HAND'\?"):
        reach(arm, "HANDS", POINT, np.zeros((1, 3)))
