"""Joint goals that take a point of a bolted robot along a line."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.errors import InputError
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]

CLOSE = 1e-9  # m
ITERATIONS = 100
STRIDE = 0.2  # rad that a joint turns at most in one iteration


def reach(robot: Scene, body: str, point: Any, targets: Any, *, start: Any = None) -> Array:
    """Joint positions at which a point of a body is where it shall be, one row a target.

    Only the place of the point is asked for: each row is the nearest to the one before that Gauss and Newton's method
    finds, with the least motion of the joints, and how the body turns follows from that. So targets that lie close
    together give joints that move smoothly.

    Args:
        robot: robot or scene; its base must be bolted down.
        body: name of the body.
        point: (3,) m in the body's frame.
        targets: (n, 3) m in the world's frame.
        start: (joints,) rad (m) from where the first target is sought; None: home.

    Returns:
        (n, joints) rad (m).

    Raises:
        InputError: no such body, a floating base, or a target out of reach.
    """
    if as_robot(robot).base is not None:
        raise InputError(f"robot: expected a robot that is bolted down, but {robot.name} floats")
    model = robot.model
    names = [model.body(i).name for i in range(model.nbody)]
    number = checks.indices("body", [body], names, "body")[0]
    local = checks.array("point", point, (3,))
    path = checks.array("targets", targets, (None, 3))
    data = mujoco.MjData(model)
    data.qpos[:] = robot.home().q
    if start is not None:
        data.qpos[robot.joint_positions] = checks.array("start", start, (len(robot.joints),))
    rows = np.empty((len(path), len(robot.joints)))
    for row, target in zip(rows, path, strict=True):
        if not _reached(robot, data, number, local, target):
            raise InputError(f"targets: {body} cannot reach ({', '.join(f'{x:g}' for x in target)}) m")
        row[:] = data.qpos[robot.joint_positions]
    return rows


def place(robot: Scene, body: str, point: Any, position: Any) -> tuple[Array, Array]:
    """Where a point of a body is at joint positions (joints,): (3,) m, and (3, 3) the body's axes as columns."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.home().q
    data.qpos[robot.joint_positions] = position
    mujoco.mj_kinematics(robot.model, data)
    axes = data.body(body).xmat.reshape(3, 3).copy()
    return data.body(body).xpos + axes @ np.asarray(point), axes


def _reached(robot: Scene, data: mujoco.MjData, body: int, local: Array, target: Array) -> bool:
    """Turn the joints until the point is at the target; whether it is."""
    jacobian = np.zeros((3, robot.nv))
    for _ in range(ITERATIONS):
        mujoco.mj_kinematics(robot.model, data)
        mujoco.mj_comPos(robot.model, data)
        position = data.xpos[body] + data.xmat[body].reshape(3, 3) @ local
        away = target - position
        if np.abs(away).max() < CLOSE:
            return True
        mujoco.mj_jac(robot.model, data, jacobian, None, position, body)
        turn = np.linalg.pinv(jacobian[:, robot.dofs], rcond=1e-6) @ away
        data.qpos[robot.joint_positions] += turn * min(1.0, STRIDE / max(np.abs(turn).max(), STRIDE))
    return False
