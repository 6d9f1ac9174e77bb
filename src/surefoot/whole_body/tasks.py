"""Tasks of a whole-body controller: what shall move where, how much it matters, and what comes first.

A task wants an acceleration: that of its reference, plus kp times the error, plus kd times the error's rate. Tasks of
one level are weighed against each other; a level never gives up anything for a later one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import task_rows as kinds
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]


class Entry(NamedTuple):
    """A task as kernels see it: rows, gains and the numbers that it follows."""

    kind: int
    body: int
    place: Array
    weight: Array
    kp: Array
    kd: Array
    dof: NDArray[np.int64]
    address: NDArray[np.int64]
    length: int


@dataclass(kw_only=True)
class Task:
    """What all tasks have.

    Attributes:
        name: what tables and errors call it.
        weight: how much its squared error matters within its level; a number, or one a row.
        level: 0 comes first; a level never gives up anything for a later one.
        kp: 1/s^2, of the error; a number, or one a row.
        kd: 1/s, of its rate; None: critically damped.
    """

    name: str = ""
    weight: Any = 1.0
    level: int = 0
    kp: Any = 100.0
    kd: Any = None

    def entries(self, robot: Scene) -> list[Entry]:
        """Rows for kernels, checked."""
        raise NotImplementedError

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """References that hold what is there, of the state in `data`."""
        raise NotImplementedError

    def title(self) -> str:
        """Its name, or what it is."""
        return self.name or type(self).__name__

    def _entry(
        self, kind: int, rows: int, length: int, *, body: int = 0, place: Any = (0.0, 0.0, 0.0), dof: Any = None,
        address: Any = None, gains: bool = True,
    ) -> Entry:  # fmt: skip
        weight = _per_row(f"{self.title()}: weight", self.weight, rows)
        kp = _per_row(f"{self.title()}: kp", self.kp, rows) if gains else np.zeros(rows)
        kd = 2.0 * np.sqrt(kp) if self.kd is None else _per_row(f"{self.title()}: kd", self.kd, rows)
        empty = np.zeros(rows, dtype=np.int64)
        dof = empty if dof is None else np.asarray(dof, dtype=np.int64)
        address = empty if address is None else np.asarray(address, dtype=np.int64)
        return Entry(kind, body, np.array(place, dtype=float), weight, kp, kd, dof, address, length)


@dataclass(kw_only=True)
class CentreOfMass(Task):
    """The robot's centre of mass goes to a place: references are place, velocity and acceleration, three each."""

    def entries(self, robot: Scene) -> list[Entry]:
        """Three rows."""
        _floats(self, robot)
        return [self._entry(kinds.CENTRE, 3, 9)]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """Where it is."""
        return np.concatenate([data.subtree_com[model.body(robot.base).rootid[0]], np.zeros(6)])


@dataclass(kw_only=True)
class Momentum(Task):
    """Linear (N s) and angular momentum (N m s) about the centre of mass; references are they and their rates.

    The rate wanted is that of the reference plus kd times the error; errors count over the robot's mass.
    """

    kp: Any = 0.0
    kd: Any = 10.0

    def entries(self, robot: Scene) -> list[Entry]:
        """Six rows."""
        _floats(self, robot)
        return [self._entry(kinds.MOMENTUM, 6, 12)]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """None."""
        return np.zeros(12)


@dataclass(kw_only=True)
class Posture(Task):
    """Joints go to their angles: references are positions, velocities, accelerations.

    Attributes:
        joints: names; None: all that are actuated.
    """

    weight: Any = 1e-2
    joints: Any = None

    def _places(self, robot: Scene) -> list[int]:
        if self.joints is None:
            return list(range(len(robot.joints)))
        if isinstance(self.joints, str):
            raise InputError(f"{self.title()}: joints: expected a list of names, got the string {self.joints!r}")
        return checks.indices(f"{self.title()}: joints", self.joints, robot.joints, "actuated joint")

    def entries(self, robot: Scene) -> list[Entry]:
        """A row a joint."""
        at = self._places(robot)
        return [self._entry(kinds.POSTURE, len(at), 3 * len(at), dof=robot.dofs[at], address=robot.joint_positions[at])]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """The angles that there are."""
        at = self._places(robot)
        return np.concatenate([data.qpos[robot.joint_positions[at]], np.zeros(2 * len(at))])


@dataclass(kw_only=True)
class Orientation(Task):
    """A body turns to an orientation: references are quaternion (w, x, y, z), angular velocity and acceleration.

    Attributes:
        body: its name; None: the base.
    """

    body: str | None = None

    def entries(self, robot: Scene) -> list[Entry]:
        """Three rows."""
        return [self._entry(kinds.TURN, 3, 10, body=_body(self, robot, self.body))]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """The one that there is."""
        return np.concatenate([data.xquat[_body(self, robot, self.body)], np.zeros(6)])


@dataclass(kw_only=True)
class Position(Task):
    """A point of a body, a foot or a hand goes to a place: references are place, velocity and acceleration.

    Attributes:
        body: name of a body, or of a foot (then the middle of its geoms); None: the base.
        point: (3,) m in the body's frame; for a foot by default its middle.
    """

    body: str | None = None
    point: Any = None

    def _place(self, robot: Scene) -> tuple[int, Array]:
        foot = next((foot for foot in robot.feet if foot.name == self.body), None)
        point = None if self.point is None else checks.array(f"{self.title()}: point", self.point, (3,))
        if foot is None:
            return _body(self, robot, self.body), np.zeros(3) if point is None else point
        body = robot.model.body(foot.body).id
        if point is None:
            centres = [_in_body(robot.model, robot.model.geom(name).id, body) for name in foot.geoms]
            point = np.mean(centres, axis=0)
        return body, point

    def entries(self, robot: Scene) -> list[Entry]:
        """Three rows."""
        body, point = self._place(robot)
        return [self._entry(kinds.POINT, 3, 9, body=body, place=point)]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """Where it is."""
        body, point = self._place(robot)
        return np.concatenate([data.xpos[body] + data.xmat[body].reshape(3, 3) @ point, np.zeros(6)])


@dataclass(kw_only=True)
class Pose(Task):
    """A foot, a hand or any body goes to a place and turns to an orientation.

    References are place, velocity, acceleration, then quaternion, angular velocity, angular acceleration.

    Attributes:
        body: name of a body or of a foot.
        point: (3,) m in the body's frame that shall be at the place.
    """

    body: str | None = None
    point: Any = None

    def _parts(self) -> tuple[Position, Orientation]:
        weight, kp, kd = (
            (one, one) if one is None or np.ndim(one) == 0 else (np.asarray(one)[:3], np.asarray(one)[3:])
            for one in (self.weight, self.kp, self.kd)
        )
        common = {"name": self.title(), "level": self.level}
        place = Position(**common, weight=weight[0], kp=kp[0], kd=kd[0], body=self.body, point=self.point)
        return place, Orientation(**common, weight=weight[1], kp=kp[1], kd=kd[1], body=self.body)

    def entries(self, robot: Scene) -> list[Entry]:
        """Three rows, and three."""
        place, turn = self._parts()
        foot = next((foot for foot in robot.feet if foot.name == self.body), None)
        turn.body = self.body if foot is None else foot.body
        return place.entries(robot) + turn.entries(robot)

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """Where it is."""
        place, turn = self._parts()
        foot = next((foot for foot in robot.feet if foot.name == self.body), None)
        turn.body = self.body if foot is None else foot.body
        return np.concatenate([place.start(robot, model, data), turn.start(robot, model, data)])


@dataclass(kw_only=True)
class ContactForce(Task):
    """The force on a foot: references are its three components in the world, in N. Errors count in newtons.

    Attributes:
        foot: its name.
    """

    foot: str = ""

    def entries(self, robot: Scene) -> list[Entry]:
        """Three rows."""
        checks.indices(f"{self.title()}: foot", [self.foot], [foot.name for foot in robot.feet], "foot")
        foot = next(foot for foot in robot.feet if foot.name == self.foot)
        return [self._entry(kinds.FORCE, 3, 3, body=robot.model.body(foot.body).id, gains=False)]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """None."""
        return np.zeros(3)


@dataclass(kw_only=True)
class Torque(Task):
    """Torques near their references (N m), by default none: the least torques that do."""

    weight: Any = 1e-4

    def entries(self, robot: Scene) -> list[Entry]:
        """A row a joint."""
        n = len(robot.joints)
        return [self._entry(kinds.TORQUE, n, n, dof=np.arange(n), gains=False)]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """None."""
        return np.zeros(len(robot.joints))


@dataclass(kw_only=True)
class Acceleration(Task):
    """All accelerations near their references, by default none: what no other task wants stays as it is."""

    weight: Any = 1e-6

    def entries(self, robot: Scene) -> list[Entry]:
        """A row a velocity."""
        return [self._entry(kinds.MOTION, robot.nv, robot.nv, dof=np.arange(robot.nv), gains=False)]

    def start(self, robot: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> Array:
        """None."""
        return np.zeros(robot.nv)


def _per_row(name: str, value: Any, rows: int) -> Array:
    """One number a row, none of them negative."""
    if isinstance(value, bool) or value is None:
        raise InputError(f"{name}: expected a number, or one a row ({rows},), got {value!r}")
    numbers = np.full(rows, checks.number(name, value)) if np.ndim(value) == 0 else checks.array(name, value, (rows,))
    for number in numbers:
        if number < 0.0 or math.isnan(number):
            raise InputError(f"{name}: expected numbers of at least 0, got {number:g}")
    return numbers


def _floats(task: Task, robot: Scene) -> None:
    if robot.base is None:
        raise InputError(f"{task.title()}: expected a floating base, but {robot.name} is bolted down")


def _body(task: Task, robot: Scene, name: str | None) -> int:
    """Number of a body, the base by default."""
    if name is None:
        _floats(task, robot)
        return int(robot.model.body(robot.base).id)
    names = [robot.model.body(i).name for i in range(1, robot.model.nbody)]
    checks.indices(f"{task.title()}: body", [name], names, "body")
    return int(robot.model.body(name).id)


def _in_body(model: mujoco.MjModel, geom: int, body: int) -> Array:
    """Centre of a geom in the frame of a body that it is fixed to."""
    place, at = model.geom_pos[geom].copy(), int(model.geom_bodyid[geom])
    turned = np.zeros(3)
    while at != body and at > 0:
        mujoco.mju_rotVecQuat(turned, place, model.body_quat[at])
        place, at = turned + model.body_pos[at], int(model.body_parentid[at])
    return place
