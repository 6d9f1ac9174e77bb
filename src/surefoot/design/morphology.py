"""What may change about a robot: parameters by name or pattern, their bounds, and its motors."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.design.motors import Motor, as_motor
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Plane
from surefoot.traces.fabricate import Parts
from surefoot.traces.fabricate_file import FileRobot

Array = NDArray[np.float64]
HEAD = "robot."
ODD = frozenset("#\\'\"")  # that scripts give a meaning of their own


@dataclass(frozen=True)
class Parameter:
    """One number of the design, which stands for one or more numbers of the robot that stay equal to the bit.

    Attributes:
        name: what tables call it, in words with single spaces, so that scripts can say it; "front ..." and "hind ..."
            with the same rest are counterparts.
        targets: names or patterns, in which * stands for any text, as in `sf.falsify`: "robot.?f.thigh.length". A
            leading - takes the value with the other sign, for what is mirrored.
        low, high: bounds, in the unit of the targets; factors if `factor`.
        weight: how dear a change is; 2 makes half of the change.
        factor: whether it multiplies what the targets are at the start, which may then differ from each other.
    """

    name: str
    targets: tuple[str, ...] | str
    low: float
    high: float
    weight: float = 1.0
    factor: bool = False

    def __post_init__(self) -> None:
        """Check."""
        what = f"parameter {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"parameter: expected a name, got {self.name!r}")
        if self.name != " ".join(self.name.split()) or not set(self.name).isdisjoint(ODD):
            raise InputError(f"{what}: expected words with single spaces, without quotes, \\ and #")
        targets = (self.targets,) if isinstance(self.targets, str) else self.targets
        targets = tuple(targets) if isinstance(targets, Iterable) else ()
        if not targets or not all(isinstance(target, str) for target in targets):
            raise InputError(f"{what}: expected targets such as 'robot.lf.thigh.length', got {self.targets!r}")
        object.__setattr__(self, "targets", targets)
        low, high = checks.number(f"{what}: low", self.low), checks.number(f"{what}: high", self.high)
        if not low < high:
            raise InputError(f"{what}: expected low below high, got {low:g} and {high:g}")
        checks.number(f"{what}: weight", self.weight, above=0.0)
        if not isinstance(self.factor, bool):
            raise InputError(f"{what}: factor: expected true or false, got {self.factor!r}")

    @property
    def range(self) -> float:
        """From low to high."""
        return self.high - self.low


class Morphology:
    """A robot, what may change about it, and its motors.

    Example:
        front = sf.design.Parameter("front thigh length", ("robot.lf.thigh.length", "robot.rf.thigh.length"), 0.05, 0.2)
        morphology = sf.design.Morphology("links", [front], motors={"*": "RX-24F"})
        scene = morphology.scene([0.1])

    Attributes:
        parameters: in the order of all vectors.
        parts: the robot as it is at the start, on its ground.
        start: (m,) their values at the start.
        low, high: (m,) bounds.
        motors: motor by pattern of joint names; of two that match one joint the later one counts.
        first_motors: motor by joint at the start, None where none was given; the links' masses are with these.
    """

    def __init__(
        self,
        robot: Any,
        parameters: Sequence[Parameter],
        motors: Mapping[str, Motor | str] | None = None,
        terrain: Any = None,
    ) -> None:
        """Take stock.

        Args:
            robot: bundled name or dataclass, path of an MJCF or URDF file, or a Scene.
            parameters: what may change.
            motors: by pattern of joint names; None: as in the robot's file, without a limit of speed.
            terrain: what it stands on; None: a plane of friction 0.7.

        Raises:
            InputError: an unknown or doubled target, targets that differ, or a start beyond the bounds.
        """
        self.parts = robot if isinstance(robot, Parts) else Parts(robot, Plane(mu=0.7) if terrain is None else terrain)
        if isinstance(parameters, str) or not isinstance(parameters, Iterable):
            raise InputError(f"parameters: expected a list of Parameters, got {parameters!r}")
        self.parameters = tuple(parameters)
        for parameter in self.parameters:
            if not isinstance(parameter, Parameter):
                raise InputError(f"parameters: expected Parameters, got {parameter!r}")
        names = [parameter.name for parameter in self.parameters]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"parameters: {name!r} stands there twice")
        self._targets = _resolved(self.parameters, self.parts.names)
        self.start = np.array([self._first(k) for k in range(len(self.parameters))])
        self.low = np.array([parameter.low for parameter in self.parameters])
        self.high = np.array([parameter.high for parameter in self.parameters])
        joints = self.parts.scene.joints
        if motors is not None and not isinstance(motors, Mapping):
            raise InputError(f"motors: expected motors by pattern of joint names, got {motors!r}")
        self.motors = {k: as_motor(f"motors[{k!r}]", m) for k, m in (motors or {}).items()}
        for pattern in self.motors:
            if not isinstance(pattern, str) or not fnmatch.filter(joints, pattern):
                raise InputError(f"motors: no joint matches {pattern!r}; the joints are {', '.join(joints)}")
        self.first_motors = {joint: self.motor(joint) for joint in joints}

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    def motor(self, joint: str) -> Motor | None:
        """That of a joint; None if none was given."""
        found = [motor for pattern, motor in self.motors.items() if fnmatch.fnmatchcase(joint, pattern)]
        return found[-1] if found else None

    def with_motor(self, pattern: str, motor: Motor | str) -> Morphology:
        """The same with another motor at the joints of a pattern."""
        other = Morphology(self.parts, self.parameters, {**self.motors, pattern: motor})
        other.first_motors = self.first_motors
        return other

    @property
    def torque(self) -> Array:
        """(joints,) N m at standstill; of joints without a motor what the robot's file says."""
        scene = self.parts.scene
        own = np.abs(scene.torque_limits).min(axis=1)
        return np.array([own[k] if (m := self.motor(j)) is None else m.torque for k, j in enumerate(scene.joints)])

    @property
    def speed(self) -> Array:
        """(joints,) rad/s without load; infinite for joints without a motor."""
        return np.array([math.inf if (m := self.motor(j)) is None else m.speed for j in self.parts.scene.joints])

    def values(self, p: Any) -> dict[str, float]:
        """Value by name of all targets, for parameters (m,)."""
        p = self.checked(p)
        found = {}
        for parameter, value, targets in zip(self.parameters, p.tolist(), self._targets, strict=True):
            for target, sign in targets:
                found[target] = value * self.parts.names[target] if parameter.factor else sign * value
        return found

    def checked(self, p: Any) -> Array:
        """(m,) parameters, refused beyond their bounds."""
        p = checks.array("p", p, (len(self.parameters),))
        for parameter, value in zip(self.parameters, p, strict=True):
            if not parameter.low <= value <= parameter.high:
                raise InputError(
                    f"p: {parameter.name!r} is {value:g}, beyond its bounds {parameter.low:g} to {parameter.high:g}"
                )
        return p

    def at(self, p: Any) -> Parts:
        """The robot with these parameters (m,), as a plant whose numbers can be uncertain in turn."""
        return _at(self, self.checked(p).tobytes())

    def scene(self, p: Any) -> Scene:
        """The robot with these parameters (m,) on its ground."""
        return self.at(p).scene

    def heavier(self, scene: Scene) -> Scene:
        """A scene of this robot whose links carry the motors of today, not those of the start."""
        changes: dict[str, float] = {}
        for joint, first in self.first_motors.items():
            motor = self.motor(joint)
            if first is not None and motor is not None and motor.mass != first.mass:
                b = int(scene.model.jnt_bodyid[scene.model.joint(joint).id])
                link = scene.model.body(scene.model.body_parentid[b])
                key = f"{link.name}.mass"
                changes[key] = changes.get(key, float(link.mass[0])) + motor.mass - first.mass
        if not changes:
            return scene
        robot = FileRobot(scene)
        known = {name: mass for name, mass in changes.items() if name in robot.names}
        return robot.built(known, robot.ground, ())[0]

    def _first(self, k: int) -> float:
        """Value of a parameter at the start."""
        parameter, targets = self.parameters[k], self._targets[k]
        if parameter.factor:
            value = 1.0
        else:
            values = {target: sign * self.parts.names[target] for target, sign in targets}
            value = next(iter(values.values()))
            if any(other != value for other in values.values()):
                differ = ", ".join(f"{target} {number:g}" for target, number in values.items())
                raise InputError(
                    f"parameter {parameter.name!r}: its targets differ ({differ}); name them one by one, or set factor"
                )
        if not parameter.low <= value <= parameter.high:
            raise InputError(
                f"parameter {parameter.name!r}: it starts at {value:g}, beyond its bounds {parameter.low:g} to "
                f"{parameter.high:g}"
            )
        return value


@lru_cache(maxsize=64)
def _at(morphology: Morphology, p: bytes) -> Parts:
    """See `Morphology.at`: finite differences ask for the same robots again and again."""
    parts = morphology.parts.redesigned(morphology.values(np.frombuffer(p)))
    if morphology.heavier(parts.scene) is parts.scene:
        return parts
    laden = replace(parts)
    laden.__dict__["_robot"] = _Laden(parts._robot, morphology)  # a cached property: names stay those of the robot
    return laden


class _Laden:
    """A robot of which every copy, as drawn or as built, carries other motors than at the start."""

    def __init__(self, robot: Any, morphology: Morphology) -> None:
        self.names, self.ground = robot.names, robot.ground
        self._robot, self._morphology = robot, morphology

    def built(self, values: Mapping[str, Any], ground: Any, objects: Sequence[Any]) -> tuple[Scene, Any]:
        scene, standing = self._robot.built(values, ground, objects)
        return self._morphology.heavier(scene), standing


def _resolved(parameters: Sequence[Parameter], known: Mapping[str, Any]) -> list[list[tuple[str, float]]]:
    """By parameter the names that its targets stand for, with their signs."""
    names = [name for name, value in known.items() if name.startswith(HEAD) and value is not None]
    taken: dict[str, str] = {}
    found = []
    for parameter in parameters:
        mine: list[tuple[str, float]] = []
        for target in parameter.targets:
            sign, pattern = (-1.0, target[1:]) if target.startswith("-") else (1.0, target)
            matched = [pattern] if pattern in names else fnmatch.filter(names, pattern)
            if not matched:
                checks.indices(f"parameter {parameter.name!r}: targets", [pattern], names, "number")
            mine += [(name, sign) for name in matched]
        for name, _ in mine:
            if name in taken:
                raise InputError(f"parameter {parameter.name!r}: {name} belongs to {taken[name]!r} already")
            taken[name] = parameter.name
        found.append(mine)
    return found
