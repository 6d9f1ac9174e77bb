"""A hand that picks up a ball in two ways."""

import copy
import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.control import PICKS, Pick, picker
from surefoot.control.picking import STEP, plan
from surefoot.traces.scenario_file import load_scenario

WAYS = tuple(PICKS)
ABOVE = np.array([0.0, 0.0, 0.008])  # m
TIPS = ("TIP_00", "TIP_01", "TIP_10", "TIP_11")


@pytest.fixture(scope="module")
def scene():
    return load_scenario("picking").nominal()


@pytest.fixture(scope="module")
def ball(scene):
    return scene.home().q[-7:-4]


@pytest.fixture(scope="module")
def plans(scene, ball):
    return {way: plan(scene, pick, ball) for way, pick in PICKS.items()}


def poses(scene, rows):
    """Grasp points (n, 3), axes of the hand (n, 3, 3), and tips (n, 4, 3), by MuJoCo."""
    data = mujoco.MjData(scene.model)
    data.qpos[:] = scene.home().q
    points, axes, tips = [], [], []
    for row in rows:
        data.qpos[scene.joint_positions] = row
        mujoco.mj_kinematics(scene.model, data)
        axes.append(data.body("HAND").xmat.reshape(3, 3).copy())
        points.append(data.body("HAND").xpos + 0.04 * axes[-1][:, 0])
        tips.append([data.geom(tip).xpos.copy() for tip in TIPS])
    return np.array(points), np.array(axes), np.array(tips)


def picked(scene, way, **changed):
    policy = picker(scene, replace(PICKS[way], **changed)).policy()
    return sf.Simulator(scene).rollout(scene.home(), policy, duration=2.0)


@pytest.mark.parametrize("way", WAYS)
def test_the_nominal_arm_holds_and_lifts_the_ball(scene, ball, way):
    trace = picked(scene, way)
    assert trace.ok
    lifted = trace.q[-1, -5] - ball[2]
    assert 0.07 < lifted < 0.11
    rows = trace.contacts_of(1999)
    geoms = trace.contact_geoms[rows][trace.contact_forces[rows][:, 0] > 0.0]
    touching = {scene.model.geom(int(geom)).name for pair in geoms for geom in pair}
    assert touching == {"ball", *TIPS}


def test_the_same_bits_again(scene):
    one, other = picked(scene, "direct"), picked(scene, "direct")
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.torque, other.torque)


def test_fingers_that_do_not_close_lift_nothing(scene, ball):
    trace = picked(scene, "direct", closed=0.8)
    assert trace.q[-1, -5] == pytest.approx(ball[2], abs=1e-6)


def test_the_direct_way_is_one_line_at_one_speed(scene, ball, plans):
    points, axes, _ = poses(scene, plans["direct"].position)
    grab = round(plans["direct"].grab / STEP)
    way = points[grab] - points[0]
    np.testing.assert_allclose(points[grab], ball + ABOVE, atol=1e-8)
    off = (points[: grab + 1] - points[0]) - np.outer((points[: grab + 1] - points[0]) @ way / (way @ way), way)
    assert np.abs(off).max() < 1e-8
    speed = np.linalg.norm(np.diff(points, axis=0), axis=1) / STEP
    assert np.allclose(speed[10 : grab - 10], 0.4)
    assert speed.max() < 0.4 + 1e-6
    assert axes[grab, 2, 0] < -0.8  # it points down


def test_the_indirect_way_comes_along_x_at_the_balls_height(scene, ball, plans):
    points, axes, _ = poses(scene, plans["indirect"].position)
    grab = round(plans["indirect"].grab / STEP)
    np.testing.assert_allclose(points[grab], ball + ABOVE, atol=1e-8)
    last = points[: grab + 1][-20:]  # 0.1 s, 6 cm but for the round corners
    assert np.abs(last[:, 1:] - points[grab, 1:]).max() < 1e-8
    assert np.ptp(last[:, 0]) > 0.04
    assert (np.diff(last[:, 0]) >= -1e-12).all()
    assert points[:, 0].min() == pytest.approx(ball[0] - 0.08, abs=0.005)
    assert axes[grab, 0, 0] > 0.6  # it points along x


@pytest.mark.parametrize("way", WAYS)
def test_on_the_way_no_finger_meets_ball_or_ground(scene, ball, plans, way):
    *_, tips = poses(scene, plans[way].position)
    grab = round(plans[way].grab / STEP)
    assert (tips[: grab + 1, :, 2] - 0.010 + 0.15).min() > 0.001
    away = np.linalg.norm(tips[: grab - 10] - ball, axis=2) - 0.010 - 0.025355
    assert away.min() > 0.0


@pytest.mark.parametrize("way", WAYS)
def test_opposite_fingers_are_level_at_the_ball(scene, ball, plans, way):
    grab = round(plans[way].grab / STEP)
    *_, tips = poses(scene, plans[way].position[[grab]])
    assert np.abs(tips[0, :2, 2] - tips[0, 2:, 2]).max() < 1e-9
    *_, tips = poses(scene, plan(scene, replace(PICKS[way], level=False), ball).position[[grab]])
    assert np.abs(tips[0, :2, 2] - tips[0, 2:, 2]).max() > 0.01


def test_the_hand_waits_for_the_fingers_then_rises(scene, plans):
    for found in plans.values():
        grab, lift = round(found.grab / STEP), round(found.lift / STEP)
        points, *_ = poses(scene, found.position)
        assert lift - grab == 100  # half a radian at 1 rad/s
        assert np.abs(points[grab:lift] - points[grab]).max() < 1e-8
        assert np.array_equal(found.position[:grab, 7:], np.full((grab, 4), 0.8))
        assert np.allclose(found.position[lift:, 7:], 0.3)
        np.testing.assert_allclose(points[-1] - points[grab], [0.0, 0.0, 0.1], atol=1e-8)


def test_the_torques_are_mujocos_own_of_the_same_motion(scene, plans):
    model = copy.copy(scene.model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    rows = plans["indirect"].position
    for k in (3, 60, 120, 200, 330):
        data.qpos[:] = scene.home().q
        data.qpos[:11] = rows[k]
        data.qvel[:11] = (rows[k + 1] - rows[k - 1]) / (2 * STEP)
        data.qacc[:11] = (rows[k + 2] - 2 * rows[k] + rows[k - 2]) / (2 * STEP) ** 2
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(plans["indirect"].torque[k], data.qfrc_inverse[:11], atol=1e-6)


def test_the_arm_keeps_to_the_plan_in_the_air(scene, plans):
    trace = picked(scene, "indirect")
    ticks = np.arange(0, round(plans["indirect"].grab / 1e-3), 5)
    error = trace.q[ticks, :7] - plans["indirect"].position[: len(ticks), :7]
    assert np.abs(error).max() < 0.02
    assert np.sqrt((error**2).mean()) < 2e-3


def test_the_ball_may_be_elsewhere(scene, ball, plans):
    there = ball + np.array([0.02, -0.01, 0.0])
    stage = picker(scene, "direct", ball=there).stages[0]
    moved = plan(scene, PICKS["direct"], there)
    assert np.array_equal(stage.params[3:].reshape(-1, 2, 11)[:, 0], moved.position)
    points, *_ = poses(scene, moved.position[[round(moved.grab / STEP)]])
    np.testing.assert_allclose(points[0], there + ABOVE, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"way": "around"}, "Pick.way: expected one of 'direct', 'indirect', got 'around'"),
        ({"speed": 0.0}, "Pick.speed: expected a number above 0, got 0"),
        ({"closing": -1.0}, "Pick.closing: expected a number above 0, got -1"),
        ({"lift": 0.0}, "Pick.lift: expected a number above 0, got 0"),
        ({"blend": -0.1}, "Pick.blend: expected a number of at least 0, got -0.1"),
        ({"open": math.nan}, "Pick.open: expected a finite number, got nan"),
        ({"grasp": (0.04, 0.0)}, "Pick.grasp: expected shape (3,), got (2,)"),
    ],
)
def test_bad_picks_are_named(arguments, text):
    with pytest.raises(sf.InputError) as found:
        Pick(**{"way": "direct", "speed": 0.4, **arguments})
    assert str(found.value) == text


def test_wrong_robots_and_balls_are_named(scene):
    with pytest.raises(sf.InputError, match=r"^pick: expected one of 'direct', 'indirect', got 'round'$"):
        picker(scene, "round")
    with pytest.raises(sf.InputError, match=r"^pick: expected a Pick, 'direct' or 'indirect', got 3$"):
        picker(scene, 3)
    with pytest.raises(sf.InputError, match=r"^robot: expected an arm of the family 'arm', but ur10 has no joint X_1$"):
        picker(sf.load("ur10"), "direct", ball=(1.0, 0.0, 0.0))
    with pytest.raises(sf.InputError, match=r"^ball: expected where it is, for arm has no loose object$"):
        picker(sf.load("arm"), "direct")
    with pytest.raises(sf.InputError, match=r"^targets: HAND cannot reach \([-0-9., e]+\) m$"):
        picker(scene, "direct", ball=(2.0, 0.0, 0.0))
    with pytest.raises(sf.InputError, match=r"^robot: expected a robot or scene \(see sf.load\), got str$"):
        picker("arm", "direct", ball=(0.3, 0.0, 0.0))
