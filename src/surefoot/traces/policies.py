"""Policies by kind, as tables of a scenario's file name them: each makes a controller for the nominal robot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from surefoot import checks
from surefoot.control import PICKS, Command, GaitPolicy, Hold, JointPID, Pipeline, picker, walker
from surefoot.control.foot_walker import KD as FOOT_KD
from surefoot.control.foot_walker import KP as FOOT_KP
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
        return walker(scene, command, self._gait(), dt, law=self.law, kp=self.kp, kd=self.kd, torque_limits=limits)


@dataclass(frozen=True)
class Steps:
    """The walking controller of [Zapolsky2017]: feet on springs that follow a gait, see `sf.control.GaitPolicy`.

    Attributes:
        gait: "trot", "walk", "pace" or "bound".
        period, duty, step_height: of the gait, see `sf.gait.Gait`.
        forward, left, turn, points, ramp, kp, kd, feed_forward, at, after: see `sf.control.GaitPolicy`.
        length, width, height: of the stance.
        then: table of the gait to change over to.
    """

    gait: str = "walk"
    period: float = 0.3
    duty: float = 0.75
    step_height: float = 0.03
    forward: float = 0.2
    left: float = 0.0
    turn: float = 0.0
    points: Any = None
    ramp: float = 0.0
    length: float | None = None
    width: float | None = None
    height: float | None = None
    kp: float = FOOT_KP
    kd: float = FOOT_KD
    feed_forward: bool = False
    then: Any = None
    at: float = 0.0
    after: float = 1.0

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("gait", self.gait, tuple(GAITS))
        if self.then is not None and not isinstance(self.then, Steps):
            object.__setattr__(self, "then", from_table({"steps": Steps}, "then", _kinded(self.then)))
        checks.choice("feed_forward", self.feed_forward, (True, False))
        for name in ("forward", "left", "turn"):
            checks.number(name, getattr(self, name))
        for name in ("ramp", "kp", "kd"):
            checks.number(name, getattr(self, name), at_least=0.0)
        for name in ("length", "width", "height"):
            if getattr(self, name) is not None:
                checks.number(name, getattr(self, name), above=0.0)
        if self.points is not None:
            checks.array("points", self.points, (None, 2))
        self.policy()

    def policy(self) -> GaitPolicy:
        """The same as a `GaitPolicy`."""
        gait = Gait.named(self.gait, period=self.period, duty=self.duty, step_height=self.step_height)
        return GaitPolicy(
            gait, self.forward, self.left, self.turn, points=self.points, ramp=self.ramp, length=self.length,
            width=self.width, height=self.height, kp=self.kp, kd=self.kd, feed_forward=self.feed_forward,
            then=None if self.then is None else self.then.policy(), at=self.at, after=self.after,
        )  # fmt: skip

    def joints(self, scene: Scene) -> dict[str, float]:
        """Joint positions in rad (m) by name in which the robot stands."""
        return self.policy().joints(scene)

    def __call__(self, scene: Scene, dt: float) -> Pipeline:
        """The controller."""
        return self.policy()(scene, dt)


@dataclass(frozen=True)
class Picking:
    """A hand that picks up a ball, see `sf.control.picker`.

    Attributes:
        way: "direct" or "indirect".
    """

    way: str

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("way", self.way, tuple(PICKS))

    def __call__(self, scene: Scene, dt: float) -> Pipeline:
        """The controller."""
        return picker(scene, self.way, dt)


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


KINDS: dict[str, Any] = {"steps": Steps, "walk": Walk, "stand": Stand, "picking": Picking}
"""Policies that a scenario's file may name."""


def from_table(kinds: dict[str, Any], where: str, table: Any, **more: Any) -> Any:
    """A thing of one of several kinds from a table with the key `kind`; its other keys are the thing's own fields.

    Args:
        kinds: dataclass by kind.
        where: what errors call the table.
        table: as read from a file.
        more: further fields, which the table may not have.
    """
    with checks.told(f"{where}: "):
        if not isinstance(table, dict):
            raise InputError(f"expected a table with a kind, got {table!r}")
        if "kind" not in table:
            raise InputError(f"expected a kind, one of {', '.join(map(repr, kinds))}, got none")
        made = kinds[checks.choice("kind", table["kind"], kinds)]
        known = {field.name: str(field.type) for field in fields(made) if field.name not in more}
        rest = {key: _plain(value) for key, value in table.items() if key != "kind"}
        checks.indices(f"kind {table['kind']!r}", rest, list(known), "key")
        for key, value in rest.items():
            _check_type(key, value, known[key])
        try:
            return made(**rest, **more)
        except TypeError as error:  # a key that must be given, or a number where a list should be
            raise InputError(_sentence(error, made)) from None
        except (ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(str(error)) from None


def _check_type(key: str, value: Any, kind: str) -> None:
    """Texts and lists, where a field is of such; all else is checked by the thing itself."""
    if kind.startswith("str") and not isinstance(value, str):
        raise InputError(f"{key}: expected a text, got {value!r}")
    if kind.startswith("tuple[str") and not (isinstance(value, tuple) and all(isinstance(x, str) for x in value)):
        raise InputError(f"{key}: expected a list of texts, got {value!r}")
    if kind.startswith("tuple[float") and not (
        isinstance(value, tuple) and all(type(x) in (int, float) for x in value)
    ):
        raise InputError(f"{key}: expected a list of {kind.count('float')} numbers, got {value!r}")


def _kinded(table: Any) -> Any:
    return {"kind": "steps", **table} if isinstance(table, dict) else table


def _plain(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(_plain(item) for item in value) if isinstance(value, list) else value


def _sentence(error: TypeError, made: Any) -> str:
    """What a constructor's TypeError means."""
    text = str(error)
    if "missing" in text:
        return f"expected {text.split(': ')[-1]} to be given"
    return f"a value of {made.__name__} is of the wrong type: {text}"
