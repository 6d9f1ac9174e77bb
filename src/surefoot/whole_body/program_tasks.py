"""Tasks as rows over (acceleration, torque, force), from MuJoCo's own Jacobians and their rates.

What a task moves accelerates with T a + bias. It wants that to be the reference's acceleration, plus kp times the error,
plus kd times the error's rate.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.kernels import task_rows as kinds
from surefoot.robots.scene import Scene
from surefoot.whole_body.program_parts import TaskRows
from surefoot.whole_body.tasks import Entry, Task

Array = NDArray[np.float64]


class Body:
    """Model and data at a state, and what tasks ask of them."""

    def __init__(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.robot, self.model, self.data = robot, model, data
        self.base = -1 if robot.base is None else int(model.body(robot.base).id)
        self.v = np.array(data.qvel)

    def jacobians(self, body: int, point: Array) -> tuple[Array, Array, Array, Array]:
        """Of a point of a body: J of its place, J of the turning, and both rates times the velocity."""
        nv = self.model.nv
        Jp, Jr, dJp, dJr = (np.zeros((3, nv)) for _ in range(4))
        mujoco.mj_jac(self.model, self.data, Jp, Jr, point, body)
        mujoco.mj_jacDot(self.model, self.data, dJp, dJr, point, body)
        return Jp, Jr, dJp @ self.v, dJr @ self.v

    def point(self, body: int, place: Array) -> Array:
        """A place in a body's frame, in the world."""
        return self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ place

    @property
    def mass(self) -> float:
        """Of all that hangs on the base, kg."""
        return float(self.model.body_subtreemass[self.base])

    def momentum(self) -> tuple[Array, Array]:
        """P (6, nv) and bias (6,): P a + bias is the rate of linear momentum and of that about the centre of mass."""
        model, data = self.model, self.data
        centre = data.subtree_com[self.base]
        P, bias = np.zeros((6, model.nv)), np.zeros(6)
        for body in range(1, model.nbody):
            if model.body_rootid[body] != model.body_rootid[self.base] or model.body_mass[body] == 0.0:
                continue
            at, R = data.xipos[body], data.ximat[body].reshape(3, 3)
            inertia = R @ np.diag(model.body_inertia[body]) @ R.T
            Jp, Jr, dp, dr = self.jacobians(body, at)
            arm, turning = at - centre, Jr @ self.v
            m = model.body_mass[body]
            P[:3] += m * Jp
            P[3:] += m * np.cross(arm, Jp.T).T + inertia @ Jr
            bias[:3] += m * dp
            bias[3:] += m * np.cross(arm, dp) + inertia @ dr + np.cross(turning, inertia @ turning)
        return P, bias


def task_rows(task: Task, name: str, level: int, goal: Array, body: Body, contacts: Any, n: int) -> list[TaskRows]:
    """Rows of a task, a block an entry.

    Args:
        task: what.
        name: what it is called.
        level: its place in the order.
        goal: the references that it follows.
        body: model and data.
        contacts: bodies (int), frames (3, 3) and first columns of the contacts' forces.
        n: number of variables.
    """
    blocks, at = [], 0
    entries = task.entries(body.robot)
    parts = ("", "") if len(entries) == 1 else (" place", " turn")
    for entry, part in zip(entries, parts, strict=False):
        numbers = np.array(goal[at : at + entry.length])
        at += entry.length
        make = _MAKERS[entry.kind]
        matrix, right, unit, error, error_unit = make(entry, numbers, body, contacts, n)
        blocks.append(TaskRows(name + part, level, matrix, right, entry.weight.copy(), unit, error, error_unit))
    return blocks


def _of_acceleration(J: Array, n: int) -> Array:
    matrix = np.zeros((len(J), n))
    matrix[:, : J.shape[1]] = J
    return matrix


def _centre(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    P, bias = body.momentum()
    J, rate = P[:3] / body.mass, bias[:3] / body.mass
    error = numbers[:3] - body.data.subtree_com[body.base]
    wanted = numbers[6:] + entry.kp * error + entry.kd * (numbers[3:6] - J @ body.v)
    return _of_acceleration(J, n), wanted - rate, "m/s^2", error, "m"


def _momentum(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    P, bias = body.momentum()
    error = numbers[:6] - P @ body.v
    wanted = numbers[6:] + entry.kd * error
    return _of_acceleration(P / body.mass, n), (wanted - bias) / body.mass, "N/kg, N m/kg", error, "N s, N m s"


def _posture(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    at, speed, acceleration = np.split(numbers, 3)
    error = at - body.data.qpos[entry.address]
    matrix = np.zeros((len(entry.dof), n))
    matrix[np.arange(len(entry.dof)), entry.dof] = 1.0
    wanted = acceleration + entry.kp * error + entry.kd * (speed - body.v[entry.dof])
    return matrix, wanted, "rad/s^2", error, "rad"


def _point(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    place = body.point(entry.body, entry.place)
    J, _, rate, _ = body.jacobians(entry.body, place)
    error = numbers[:3] - place
    wanted = numbers[6:] + entry.kp * error + entry.kd * (numbers[3:6] - J @ body.v)
    return _of_acceleration(J, n), wanted - rate, "m/s^2", error, "m"


def _turn(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    _, J, _, rate = body.jacobians(entry.body, body.point(entry.body, entry.place))
    error = rotation_between(body.data.xquat[entry.body], numbers[:4])
    wanted = numbers[7:] + entry.kp * error + entry.kd * (numbers[4:7] - J @ body.v)
    return _of_acceleration(J, n), wanted - rate, "rad/s^2", error, "rad"


def _force(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    matrix = np.zeros((3, n))
    for pushed, frame, column in contacts:
        if pushed == entry.body:
            matrix[:, column : column + 3] += frame.T
    return matrix, numbers, "N", None, ""


def _torque(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    matrix = np.zeros((len(numbers), n))
    matrix[np.arange(len(numbers)), body.model.nv + entry.dof] = 1.0
    return matrix, numbers, "N m", None, ""


def _motion(entry: Entry, numbers: Array, body: Body, contacts: Any, n: int) -> tuple:
    return np.eye(len(numbers), n), numbers, "m/s^2, rad/s^2", None, ""


def rotation_between(now: Array, goal: Array) -> Array:
    """(3,) rotation vector in the world that turns a quaternion into another, by the shorter way."""
    back, turn, result = np.zeros(4), np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(back, now)
    mujoco.mju_mulQuat(turn, goal / np.linalg.norm(goal), back)
    mujoco.mju_quat2Vel(result, turn, 1.0)
    return result


_MAKERS = {
    kinds.CENTRE: _centre,
    kinds.MOMENTUM: _momentum,
    kinds.POSTURE: _posture,
    kinds.POINT: _point,
    kinds.TURN: _turn,
    kinds.FORCE: _force,
    kinds.TORQUE: _torque,
    kinds.MOTION: _motion,
}
