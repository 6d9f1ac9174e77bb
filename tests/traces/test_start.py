"""Starts: offsets add up, angular velocities are the world's, and nothing starts in the ground."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import surefoot as sf
from surefoot.traces.fabricate import Parts, build

small = st.floats(-0.02, 0.02)
PLANE = Parts("links-light", sf.Plane(mu=0.9))
CURB = Parts("links-light", sf.Curb(position=(0.12, 0.0), mu=0.9))


def deepest(scene, q):
    """Least distance in m between the robot and the ground; 1 if none is near."""
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(scene.model, data)
    mujoco.mj_comPos(scene.model, data)
    mujoco.mj_collision(scene.model, data)
    return float(min(data.contact.dist, default=1.0))


def touches(scene, q, tolerance=1e-12):
    """Whether nothing is in the ground, but would be a nanometre lower."""
    lower = q.copy()
    lower[2] -= 1e-9
    return deepest(scene, q) > -tolerance and deepest(scene, lower) < 0


def turn(q):
    return Rotation.from_quat(q[3:7], scalar_first=True)


def test_names_of_a_floating_and_of_a_bolted_robot():
    floating = [name for name in PLANE.names if name.startswith("start.")]
    assert len(floating) == 36
    assert floating[:7] == [f"start.{name}" for name in ("x", "y", "z", "roll", "pitch", "yaw", "LF_X1")]
    assert "start.velocity.yaw" in floating
    assert "start.velocity.RH_Y3" in floating
    bolted = [name for name in Parts("arm").names if name.startswith("start.")]
    assert bolted[:2] == ["start.X_1", "start.Y_2"]
    assert len(bolted) == 22


def test_offsets_are_added():
    home = PLANE.scene.home()
    values = {"start.x": 0.1, "start.y": -0.2, "start.z": 0.3, "start.LF_Y2": 0.01, "start.velocity.z": 0.5}
    state = build(PLANE, values | {"start.velocity.RH_Y3": -0.4}).state
    wanted, speed = home.q.copy(), np.zeros(18)
    wanted[:3] += [0.1, -0.2, 0.3]
    wanted[8] += 0.01
    speed[2], speed[17] = 0.5, -0.4
    np.testing.assert_array_equal(state.q, wanted)
    np.testing.assert_array_equal(state.v, speed)


@settings(max_examples=30, deadline=None)
@given(roll=small, pitch=small, yaw=st.floats(-3, 3), spin=st.tuples(small, small, small))
def test_turns_and_spins_are_about_the_worlds_axes(roll, pitch, yaw, spin):
    values = {"start.roll": roll, "start.pitch": pitch, "start.yaw": yaw, "start.z": 0.1}
    values |= dict(zip(("start.velocity.roll", "start.velocity.pitch", "start.velocity.yaw"), spin, strict=True))
    state = build(PLANE, values).state
    wanted = Rotation.from_euler("xyz", [roll, pitch, yaw]) * turn(PLANE.scene.home().q)
    np.testing.assert_allclose(turn(state.q).as_matrix(), wanted.as_matrix(), atol=1e-12)
    data = mujoco.MjData(PLANE.scene.model)
    state.to_mujoco(data)
    mujoco.mj_forward(PLANE.scene.model, data)
    seen = np.empty(6)
    mujoco.mj_objectVelocity(PLANE.scene.model, data, mujoco.mjtObj.mjOBJ_XBODY, 1, seen, 0)
    np.testing.assert_allclose(seen[:3], spin, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(x=small, z=small, roll=small, pitch=small, knee=small, thigh=small)
@pytest.mark.parametrize("parts", [PLANE, CURB], ids=["plane", "curb"])
def test_nothing_starts_in_the_ground_and_what_is_above_it_stays(parts, x, z, roll, pitch, knee, thigh):
    values = {"start.x": x, "start.z": z, "start.roll": roll, "start.pitch": pitch, "start.RF_Y3": knee}
    built = build(parts, values | {"robot.rf.thigh.length": 0.077 + thigh})
    home = built.scene.home().q
    assert deepest(built.scene, built.state.q) >= -1e-12
    assert built.state.q[2] >= home[2] + z - 1e-15
    if built.state.q[2] > home[2] + z + 1e-12:  # lifted, and no further than needed
        assert touches(built.scene, built.state.q)


def test_joints_put_elsewhere_lower_the_robot_until_it_touches():
    parts = Parts("links-light", sf.Plane(mu=0.9), joints={"LF_Y3": 0.6, "RH_Y3": 0.6})
    state = build(parts, {}).state
    assert state.q[9] == 0.6
    assert state.q[8] == parts.scene.home().q[8]
    assert touches(parts.scene, state.q)
    assert build(parts, {"start.z": 0.05}).state.q[2] == pytest.approx(state.q[2] + 0.05, abs=1e-15)


def test_without_ground_nothing_is_lifted():
    built = build(Parts("links-light", None), {"start.z": -1.0})
    assert built.state.q[2] == built.scene.home().q[2] - 1.0


def test_a_bolted_arm_starts_where_it_is_told():
    parts = Parts("arm", joints={"Z_3": 0.25})
    state = build(parts, {"start.Z_3": 0.5, "start.velocity.F_00": -1.0}).state
    assert state.q[2] == 0.75
    assert state.q[0] == math.pi / 2
    assert state.v[7] == -1.0


def test_the_nominal_model_is_not_touched_by_a_look_at_the_ground():
    margin, flags = CURB.scene.model.geom_gap.copy(), CURB.scene.model.opt.disableflags
    built = build(CURB, {"start.roll": 0.1, "robot.lf.thigh.length": 0.08})
    for model in (CURB.scene.model, built.scene.model):
        np.testing.assert_array_equal(model.geom_gap, margin)
        assert model.opt.disableflags == flags
