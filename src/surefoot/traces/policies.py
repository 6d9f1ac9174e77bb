"""Policies by kind, as tables of a scenario's file name them: each makes a controller for the nominal robot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from surefoot import checks
from surefoot.control import Command, Hold, JointPID, Pipeline, walker
from surefoot.control.walk import walking_limits
from surefoot.control.walker import KD, KP
from surefoot.errors import InputError
from surefoot.gait import GAITS, Gait
from surefoot.robots.scene import Scene


@dataclass(frozen=True)
class Walk:
    """The standard walking controller: a gait, inverse kinematics, inverse dynamics under Coulomb's law.

    Attributes:
        gait: "trot", "walk", "pace" or "bound".
        period, duty, step_height: of the gait, see `sf.gait.Gait`.
        forward, left, turn: commanded velocity in m/s, m/s and rad/s.
        ramp: s in which the command grows from zero.
        kp, kd: feedback in 1/s^2 and 1/s.
        law: contact law that it believes in.
    """

    gait: str = "trot"
    period: float = 0.3
    duty: float = 0.75
    step_height: float = 0.015
    forward: float = 0.2
    left: float = 0.0
    turn: float = 0.0
    ramp: float = 0.5
    kp: float = KP
    kd: float = KD
    law: str = "coulomb"

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("gait", self.gait, tuple(GAITS))
        self._gait()
        for name in ("forward", "left", "turn"):
            checks.number(name, getattr(self, name))
        for name in ("ramp", "kp", "kd"):
            checks.number(name, getattr(self, name), at_least=0.0)

    def _gait(self) -> Gait:
        return Gait.named(self.gait, period=self.period, duty=self.duty, step_height=self.step_height)

    def __call__(self, scene: Scene, dt: float) -> Pipeline:
        """The controller."""
        command = Command(self.forward, self.left, self.turn, ramp=self.ramp)
        limits = walking_limits(scene)
        return walker(
            scene, command, self._gait(), dt, law=self.law, kp=self.kp, kd=self.kd, torque_limits=limits
        )


@dataclass(frozen=True)
class Stand:
    """Joints held where they start.

    Attributes:
        kp, kd: feedback in N m and N m s.
    """

    kp: float = 30.0
    kd: float = 0.3

    def __post_init__(self) -> None:
        """Check."""
        for name in ("kp", "kd"):
            checks.number(name, getattr(self, name), at_least=0.0)

    def __call__(self, scene: Scene, dt: float) -> Pipeline:
        """The controller."""
        return Pipeline(scene, dt, [Hold(scene), JointPID(scene, self.kp, self.kd)])


KINDS: dict[str, Any] = {"walk": Walk, "stand": Stand}
"""Policies that a scenario's file may name."""


def from_table(kinds: dict[str, Any], where: str, table: Any, **more: Any) -> Any:
    """A thing of one of several kinds from a table with the key `kind`; its other keys are the thing's own fields.

    Args:
        kinds: dataclass by kind.
        where: what errors call the table.
        table: as read from a file.
        more: further fields.
    """
    with checks.told(f"{where}: "):
        if not isinstance(table, dict):
            raise InputError(f"expected a table with a kind, got {table!r}")
        rest = {key: _plain(value) for key, value in table.items() if key != "kind"} | more
        if "kind" not in table:
            raise InputError(f"expected a kind, one of {', '.join(map(repr, kinds))}, got none")
        made = kinds[_kind(table["kind"], kinds)]
        checks.indices("kind " + repr(table["kind"]), rest, [field.name for field in fields(made) if field.init], "key")
        try:
            return made(**rest)
        except TypeError as error:  # a key that must be given, or a number where a list should be
            raise InputError(_sentence(error, made)) from None
        except (ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(str(error)) from None


def _kind(kind: Any, kinds: dict[str, Any]) -> str:
    if not isinstance(kind, str):
        raise InputError(f"kind: expected one of {', '.join(map(repr, kinds))}, got {kind!r}")
    return checks.choice("kind", kind, kinds)


def _plain(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(_plain(item) for item in value) if isinstance(value, list) else value


def _sentence(error: TypeError, made: Any) -> str:
    """What a constructor's TypeError means."""
    text = str(error)
    if "missing" in text:
        return f"expected {text.split(': ')[-1]} to be given"
    return f"a value of {made.__name__} is of the wrong type: {text}"
