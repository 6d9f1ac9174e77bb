"""The home pose: how the robot rests on the ground, and which of its links touch there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

# How far a robot is moved up or down to find the ground, in m.
REACH = 100.0
# Links closer than this at home are said to touch, in m.
TOUCH = 1e-6


def rest(model: mujoco.MjModel, reference: Mapping[str, Sequence[float]]) -> tuple[NDArray[np.float64], list[str]]:
    """Joint positions of the home pose, before the robot is lowered to the ground.

    Args:
        model: the robot.
        reference: wanted positions by joint name; the others keep the model's own zero.

    Returns:
        q (nq,), and the names of the joints that were put at mid-range because zero is outside their limits.
    """
    q = np.array(model.qpos0)
    moved = []
    for j in range(model.njnt):
        joint = model.joint(j)
        start, size = int(model.jnt_qposadr[j]), _size(model.jnt_type[j])
        wanted = reference.get(joint.name)
        if wanted is not None and len(wanted) == size:
            q[start : start + size] = wanted
        elif wanted is not None and len(wanted) == 2 and size == 1:  # a continuous joint as cosine and sine
            q[start] = np.arctan2(wanted[1], wanted[0])
        elif size == 1 and model.jnt_limited[j]:
            low, high = model.jnt_range[j]
            if not low - 1e-9 <= q[start] <= high + 1e-9:
                q[start] = (low + high) / 2
                moved.append(joint.name)
    mujoco.mj_normalizeQuat(model, q)
    return follow(model, q), moved


def follow(model: mujoco.MjModel, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put every joint that an equality ties to another (or to a value) where that equality wants it."""
    q = q.copy()
    for e in range(model.neq):
        if model.eq_type[e] != mujoco.mjtEq.mjEQ_JOINT or not model.eq_active0[e]:
            continue
        follower, leader = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        x = 0.0
        if leader >= 0:
            x = q[model.jnt_qposadr[leader]] - model.qpos0[model.jnt_qposadr[leader]]
        y = float(np.polynomial.polynomial.polyval(x, model.eq_data[e, :5]))
        q[model.jnt_qposadr[follower]] = model.qpos0[model.jnt_qposadr[follower]] + y
    return q


def lower(model: mujoco.MjModel, q: NDArray[np.float64], joint: int, bodies: set[int]) -> NDArray[np.float64] | None:
    """Move a floating robot straight up or down until it just touches the ground.

    Args:
        model: the scene.
        q: (nq,) its pose.
        joint: index of the free joint of its base.
        bodies: indices of the robot's bodies.

    Returns:
        (nq,) the pose in which the nearest point of the robot touches to 1e-11 m, or None if no ground lies within
        100 m below (or nothing of the robot can touch it).
    """
    data = mujoco.MjData(model)
    q = q.copy()
    height = int(model.jnt_qposadr[joint]) + 2

    def touches(z: float) -> bool:
        data.qpos[:] = q
        data.qpos[height] = z
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        return any(
            data.contact.dist[k] <= 0 and _meets_world(model, data.contact.geom[k], bodies) for k in range(data.ncon)
        )

    start = float(q[height])
    step = 1e-3
    inside = touches(start)
    high = low = start
    while touches(low) == touches(high):
        if step > REACH:
            return None
        if inside:
            high, low = high + step, high
        else:
            high, low = low, low - step
        step *= 1.5
    while high - low > 1e-11:
        middle = (high + low) / 2
        if middle in (high, low):
            break
        high, low = (high, middle) if touches(middle) else (middle, low)
    q[height] = low
    return q


def is_level(model: mujoco.MjModel) -> bool:
    """Whether the ground is a level plane and nothing else."""
    fixed = np.flatnonzero(
        (model.body_weldid[model.geom_bodyid] == 0) & ((model.geom_contype != 0) | (model.geom_conaffinity != 0))
    )
    if len(fixed) != 1 or model.geom_type[fixed[0]] != mujoco.mjtGeom.mjGEOM_PLANE:
        return False
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return float(data.geom_xmat[fixed[0], 8]) > 1 - 1e-12


def turn_between(first: NDArray[np.float64], second: NDArray[np.float64], start: int) -> NDArray[np.float64]:
    """(3,) vector part of the quaternion that takes the one at `start` in `first` to that in `second`."""
    back, turn = np.empty(4), np.empty(4)
    mujoco.mju_negQuat(back, first[start : start + 4])
    mujoco.mju_mulQuat(turn, second[start : start + 4], back)
    return turn[1:]


def touching_pairs(model: mujoco.MjModel, q: NDArray[np.float64], bodies: set[int]) -> list[tuple[int, int]]:
    """Pairs of the robot's bodies that touch in pose `q`, although MuJoCo checks them for collision."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    pairs = set()
    for k in range(data.ncon):
        first, second = sorted(int(model.geom_bodyid[g]) for g in data.contact.geom[k])
        if data.contact.dist[k] <= TOUCH and first in bodies and second in bodies:
            pairs.add((first, second))
    return sorted(pairs)


def _meets_world(model: mujoco.MjModel, geoms: NDArray[np.int32], bodies: set[int]) -> bool:
    first, second = (int(model.geom_bodyid[g]) for g in geoms)
    return (first in bodies and not model.body_weldid[second]) or (second in bodies and not model.body_weldid[first])


def _size(kind: int) -> int:
    return {int(mujoco.mjtJoint.mjJNT_FREE): 7, int(mujoco.mjtJoint.mjJNT_BALL): 4}.get(int(kind), 1)
