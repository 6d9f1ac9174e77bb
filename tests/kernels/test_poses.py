import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels.poses import clearances, places

MOST = 0.05


@pytest.fixture(scope="module")
def robot():
    return sf.load("links-light")


@pytest.fixture(scope="module")
def poses(robot):
    """(40, nq) wild poses: legs go through each other."""
    rng, found = np.random.default_rng(0), []
    for _ in range(40):
        q = robot.home().q.copy()
        mujoco.mj_integratePos(robot.model, q, 1.5 * rng.normal(size=robot.nv), 1.0)
        found.append(q)
    return np.array(found)


def placed(robot, q):
    data = mujoco.MjData(robot.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(robot.model, data)
    return data


def views(robot):
    data = mujoco.MjData(robot.model)
    return data, (robot.model._address, data._address, data.qpos, data.geom_xpos)


def test_places_are_mujocos(robot, poses):
    geoms = np.array([9, 1, 17], dtype=np.int64)
    out = np.full((len(poses), 3, 3), np.inf)
    data, arguments = views(robot)
    places(*arguments, poses, geoms, out)
    wanted = [placed(robot, q).geom_xpos[geoms] for q in poses]
    assert np.array_equal(out, wanted)
    assert np.array_equal(data.qpos, poses[-1])


def test_places_of_no_geoms_and_no_poses(robot, poses):
    _, arguments = views(robot)
    places(*arguments, poses, np.empty(0, dtype=np.int64), np.empty((len(poses), 0, 3)))
    places(*arguments, poses[:0], np.zeros(1, dtype=np.int64), np.empty((0, 1, 3)))


def nearest(robot, q, pairs):
    """The least distance by trying all pairs, none left out."""
    data = placed(robot, q)
    return min(mujoco.mj_geomDistance(robot.model, data, a, b, MOST, None) for a, b in pairs)


@pytest.fixture(scope="module")
def pairs():
    return np.array([(a, b) for a in range(1, 18) for b in range(a + 1, 18)], dtype=np.int64)


def test_clearances_are_the_least_of_all_pairs(robot, poses, pairs):
    out = np.full(len(poses), np.inf)
    clearances(*views(robot)[1], poses, 1, pairs, robot.model.geom_rbound, MOST, out)
    wanted = np.array([nearest(robot, q, pairs) for q in poses])
    assert out == pytest.approx(wanted, abs=1e-12)
    assert (wanted < 0.0).all()  # links that carry each other overlap, many at once


def test_what_is_far_apart_is_as_far_as_it_need_be(robot):
    out, feet = np.empty(1), np.array([(5, 17)], dtype=np.int64)
    clearances(*views(robot)[1], robot.home().q[None], 1, feet, robot.model.geom_rbound, MOST, out)
    assert out == [MOST]


def test_what_has_no_ball_round_it_is_never_left_out(robot, poses, pairs):
    with_ground = np.vstack([pairs, [(0, 5), (0, 9), (0, 13), (0, 17)]])
    out = np.empty(len(poses))
    clearances(*views(robot)[1], poses, 1, with_ground, robot.model.geom_rbound, MOST, out)
    assert out == pytest.approx([nearest(robot, q, with_ground) for q in poses], abs=1e-12)
    assert robot.model.geom_rbound[0] == 0.0


def test_poses_between_have_the_value_of_the_last_that_was_looked_at(robot, poses, pairs):
    full, some = np.empty(len(poses)), np.empty(len(poses))
    clearances(*views(robot)[1], poses, 1, pairs, robot.model.geom_rbound, MOST, full)
    clearances(*views(robot)[1], poses, 7, pairs, robot.model.geom_rbound, MOST, some)
    assert np.array_equal(some, full[np.arange(len(poses)) // 7 * 7])
