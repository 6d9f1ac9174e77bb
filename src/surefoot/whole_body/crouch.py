"""A stance with bent knees, for robots whose legs are straight at home: straight legs can neither lift nor lower."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Foot, Scene
from surefoot.whole_body.moves import flat_feet, height

Array = NDArray[np.float64]
STRAIGHT = 0.05  # least stretch of a unit of joint speeds by a leg, lengths over the height of the centre of mass
BEND = 0.08  # how far down a crouch goes, as a share of that height
_SEED = 0.2  # of the way to the middle of a joint's range, from where knees are sought
_ROUNDS, _NEAR = 200, 1e-9


def ready(robot: Scene, bend: float = BEND) -> Scene:
    """The robot as it is, or if some leg is straight at home, with a crouch as its home.

    Args:
        robot: robot or scene with a floating base that stands on flat ground.
        bend: see `crouched`.
    """
    data = mujoco.MjData(robot.model)
    robot.home().to_mujoco(data)
    tall = height(robot)
    legs = [_leg(robot, data, foot, flat, tall)[0] for foot, flat in zip(robot.feet, flat_feet(robot), strict=True)]
    stretches = [np.linalg.svd(J, compute_uv=False).min() for J in legs]
    return crouched(robot, bend) if min(stretches, default=1.0) < STRAIGHT else robot


def crouched(robot: Scene, bend: float = BEND) -> Scene:
    """The robot with another home: lower, with its feet where they were, and its other joints too.

    Args:
        robot: robot or scene with a floating base that stands on flat ground.
        bend: how far down, as a share of the height of the centre of mass.

    Raises:
        InputError: no angles of the legs within their ranges bring the base there.
    """
    tall, data = height(robot), mujoco.MjData(robot.model)
    down = checks.number("bend", bend, above=0.0, at_most=1.0) * tall
    robot.home().to_mujoco(data)
    feet = list(zip(robot.feet, flat_feet(robot), strict=True))
    goals = [_leg(robot, data, foot, flat, tall)[2] for foot, flat in feet]
    data.qpos[int(robot.model.jnt_qposadr[robot.model.body(robot.base).jntadr[0]]) + 2] -= down
    joints = [robot.model.joint(name).id for name in robot.joints]
    limited = robot.model.jnt_limited[joints].astype(bool)
    low, high = np.where(limited[:, None], robot.model.jnt_range[joints], [-np.inf, np.inf]).T
    for (foot, flat), goal in zip(feet, goals, strict=True):
        mine = _leg(robot, data, foot, flat, tall)[1]
        at = robot.joint_positions[mine]
        home = data.qpos[at].copy()
        bent = np.where(limited[mine], 0.5 * robot.model.jnt_range[joints][mine].sum(axis=1) - home, 0.0)
        zigzag = np.where(np.arange(len(mine)) % 2, 1.0, -1.0)
        for seed in (_SEED * bent, _SEED * zigzag, -_SEED * zigzag):
            data.qpos[at] = np.clip(home + seed, low[mine], high[mine])
            if _reaches(robot, data, foot, flat, goal, tall, (low[mine], high[mine])):
                break
        else:
            raise InputError(f"bend: {robot.name} cannot go down by {down:.3g} m with {foot.name} where it is")
    return Scene(
        robot.spec.copy(), name=robot.name, joints=robot.joints, base=robot.base, feet=robot.feet,
        objects=robot.objects, surfaces=robot.surfaces, notes=robot.notes, home=data.qpos.copy(),
    )  # fmt: skip


def _reaches(
    robot: Scene, data: mujoco.MjData, foot: Foot, flat: bool, goal: Array, tall: float, ranges: tuple[Array, Array]
) -> bool:
    """Whether Newton's steps from the pose in `data` bring a foot to a place; they are taken in `data`."""
    unit = np.array([tall] * 3 + [1.0] * 3)
    for _ in range(_ROUNDS):
        J, mine, place = _leg(robot, data, foot, flat, tall)
        off = (_between(goal, place) / unit)[: len(J)]
        if np.abs(off).max() < _NEAR:
            return True
        at = robot.joint_positions[mine]
        step = np.linalg.solve(J.T @ J + 1e-6 * np.eye(J.shape[1]), J.T @ off)
        data.qpos[at] = np.clip(data.qpos[at] + np.clip(step, -_SEED, _SEED), *ranges)
    return False


def _leg(
    robot: Scene, data: mujoco.MjData, foot: Foot, flat: bool, tall: float
) -> tuple[Array, NDArray[np.int64], Array]:
    """A foot's Jacobian (6 or 3, n), with lengths over `tall`, of the n joints that move it; these; its place (7,).

    Only a flat foot has three rows more for how it is turned.
    """
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    body = robot.model.body(foot.body).id
    place = data.geom_xpos[robot.foot_geoms([foot.name])[0]].mean(axis=0)
    moves, turns = np.zeros((3, robot.nv)), np.zeros((3, robot.nv))
    mujoco.mj_jac(robot.model, data, moves, turns, place, body)
    J = np.vstack([moves / tall, turns])[:, robot.dofs]
    mine = np.flatnonzero(np.abs(J).max(axis=0) > 1e-9)
    return J[: 6 if flat else 3, mine], mine, np.concatenate([place, data.xquat[body]])


def _between(goal: Array, place: Array) -> Array:
    """(6,) m and rad from a place to another, each a point and a quaternion."""
    turn, inverse, angle = np.zeros(4), np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(inverse, place[3:])
    mujoco.mju_mulQuat(turn, goal[3:], inverse)
    mujoco.mju_quat2Vel(angle, turn, 1.0)
    return np.concatenate([goal[:3] - place[:3], angle])
