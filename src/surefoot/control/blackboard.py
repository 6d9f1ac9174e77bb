"""The blackboard of a robot: which values stages exchange, their shapes and units, and who may write them when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]
Shape = tuple[int | str, ...]

PERCEPTION, PLANNING, CONTROL = PHASES = ("perception", "planning", "control")
LENGTHS = ("nq", "nv", "joints", "feet")


@dataclass(frozen=True)
class Value:
    """A named value on the blackboard: float64, of one shape and unit for all stages.

    Attributes:
        name: what stages call it.
        shape: lengths of its axes, () for a single number; "nq", "nv", "joints" and "feet" stand for the robot's.
        unit: SI unit as text, such as "N m"; "1" for a pure number.
    """

    name: str
    shape: Shape
    unit: str

    def __post_init__(self) -> None:
        """Check."""
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InputError(f"Value.name: expected a name such as 'torque', got {self.name!r}")
        if not isinstance(self.shape, tuple):
            raise InputError(f"Value.shape: expected a tuple such as (3,) or ('joints',), got {self.shape!r}")
        for length in self.shape:
            if isinstance(length, str):
                checks.choice("Value.shape", length, LENGTHS)
            elif isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 0:
                raise InputError(f"Value.shape: expected whole numbers or names of lengths, got {length!r}")
        if not isinstance(self.unit, str):
            raise InputError(f"Value.unit: expected a text such as 'N m', got {self.unit!r}")

    def shape_for(self, robot: Scene) -> tuple[int, ...]:
        """The shape with the robot's lengths in numbers."""
        lengths = {"nq": robot.nq, "nv": robot.nv, "joints": len(robot.joints), "feet": len(robot.feet)}
        return tuple(lengths[n] if isinstance(n, str) else int(n) for n in self.shape)

    def of(self, robot: Scene) -> Value:
        """The same value with the robot's lengths in numbers."""
        return Value(self.name, self.shape_for(robot), self.unit)

    def __str__(self) -> str:
        """Shape and unit."""
        return f"{self.shape} in {self.unit}"


@dataclass(frozen=True)
class Known:
    """A value that every pipeline knows.

    Attributes:
        value: name, shape and unit.
        phases: in which it may be written or added to.
        adds: whether stages add to it, from zero in each tick; else one stage writes it.
        meaning: one sentence.
    """

    value: Value
    phases: tuple[str, ...]
    adds: bool
    meaning: str


def _known(name: str, shape: Shape, unit: str, phases: Any, meaning: str, *, adds: bool = False) -> tuple[str, Known]:
    return name, Known(Value(name, shape, unit), (phases,) if isinstance(phases, str) else phases, adds, meaning)


_FEET, _JOINTS = ("feet", 3), ("joints",)

# Rotations are in radians; for a slide read m for rad and N for N m.
KNOWN: dict[str, Known] = dict(
    (
        _known("time", (), "s", PERCEPTION, "time of the tick; given"),
        _known("q", ("nq",), "m, rad", PERCEPTION, "positions as in State.q; given, a stage may change them"),
        _known("v", ("nv",), "m/s, rad/s", PERCEPTION, "velocities as in State.v; given, a stage may change them"),
        _known(
            "torque_now",
            _JOINTS,
            "N m",
            PERCEPTION,
            "torques of the last tick as measured, zero in the first; given, a stage may change them",
        ),
        _known(
            "command",
            (3,),
            "m/s, rad/s",
            (PERCEPTION, PLANNING),
            "wanted velocity forward and to the left, and turning rate, in the base frame",
        ),
        _known("foot_position_now", _FEET, "m", PERCEPTION, "where each foot is, in the base frame"),
        _known("foot_velocity_now", _FEET, "m/s", PERCEPTION, "how each foot moves, in the base frame"),
        _known("contact", ("feet",), "1", PERCEPTION, "1 for a foot that touches something, else 0"),
        _known("phase", (), "1", PLANNING, "how much of the gait's cycle has passed, 0 to 1"),
        _known("stance", ("feet",), "1", PLANNING, "1 for a foot that shall stand, else 0"),
        _known("foot_position", _FEET, "m", PLANNING, "goal of each foot, in the base frame"),
        _known("foot_velocity", _FEET, "m/s", PLANNING, "its velocity"),
        _known("foot_acceleration", _FEET, "m/s^2", PLANNING, "its acceleration"),
        _known("joint_position", _JOINTS, "rad", PLANNING, "goal of each joint"),
        _known("joint_velocity", _JOINTS, "rad/s", PLANNING, "its velocity"),
        _known("joint_acceleration", _JOINTS, "rad/s^2", PLANNING, "its acceleration"),
        _known(
            "acceleration", _JOINTS, "rad/s^2", CONTROL, "what inverse dynamics shall give each joint; a sum", adds=True
        ),
        _known("torque", _JOINTS, "N m", CONTROL, "what the motors give; a sum, the pipeline's result", adds=True),
    )
)

GIVEN: tuple[str, ...] = ("time", "q", "v", "torque_now")
"""What the pipeline itself puts on the blackboard at the start of each tick."""


def known(robot: Scene, *names: str) -> tuple[Value, ...]:
    """Well-known values with this robot's lengths: a stage made for another robot is then refused."""
    return tuple(KNOWN[name].value.of(robot) for name in names)


def names_of(items: Iterable[str | Value]) -> tuple[str, ...]:
    """Names of values given by name or in full."""
    return tuple(item.name if isinstance(item, Value) else item for item in items)


class Board:
    """What a stage in Python sees of the blackboard: the values it has declared, by name.

    `board["q"]` is a view of the value's shape: read-only for what the stage reads, zero for what it adds.
    `board["phase"] = 0.5` writes all of a value.
    """

    def __init__(self, stage: str, views: Mapping[str, Array]) -> None:
        self._stage = stage
        self._views = views

    def __getitem__(self, name: str) -> Array:
        """View of a value."""
        return self._views[self._declared(name)]

    def __setitem__(self, name: str, value: Any) -> None:
        """Write a value."""
        view = self._views[self._declared(name)]
        if not view.flags.writeable:
            raise InputError(f"stage {self._stage!r}: reads {name!r}; to write it, name it in writes or adds")
        view[...] = checks.array(f"stage {self._stage!r}: {name}", value, view.shape, finite=False)

    def __iter__(self) -> Iterator[str]:
        """Names of the values."""
        return iter(self._views)

    def _declared(self, name: str) -> str:
        checks.indices(f"stage {self._stage!r}", [name], list(self._views), "declared value")
        return name
