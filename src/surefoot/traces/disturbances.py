"""What befalls a robot in the middle of a trace: pushes from outside, and parts that fail."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import mujoco
import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.families import with_values
from surefoot.robots.scene import Scene
from surefoot.simulate.roll_out import RollOut
from surefoot.traces.imperfect import Errors, reading_count, readings

STUCK = 1e4  # N m (N): dry friction of a joint that is stuck
FAULTS = ("stuck", "weak", "dead", "dropout")
_TURN = 10  # steps after which a push is laid on anew, where the body is then


@dataclass(frozen=True)
class Push:
    """A force from outside on one body.

    Attributes:
        force: (3,) N in the world's frame, at the body's centre of mass.
        time: when it begins, in s after the start of the trace; rounded to a step.
        duration: in s; rounded to steps, at least one, with the force scaled so that force times duration stays.
        torque: (3,) N m in the world's frame.
        body: name of the body; None: the robot's base, or the first loose object of a robot that is bolted down.
    """

    force: tuple[float, float, float]
    time: float
    duration: float = 0.1
    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
    body: str | None = None

    def __post_init__(self) -> None:
        """Check."""
        checks.array("Push.force", self.force, (3,))
        checks.array("Push.torque", self.torque, (3,))
        checks.number("Push.time", self.time, at_least=0.0)
        checks.number("Push.duration", self.duration, at_least=0.0)

    def body_of(self, scene: Scene) -> int:
        """Number of the body in MuJoCo's model."""
        name = self.body or scene.base or (scene.objects[0] if scene.objects else None)
        if name is None:
            raise InputError(f"Push.body: {scene.name!r} has no base that floats and no loose object; name a body")
        bodies = [scene.model.body(i).name for i in range(1, scene.model.nbody)]
        return checks.indices("Push.body", [name], bodies, "body")[0] + 1


@dataclass(frozen=True)
class Fault:
    """A part that fails.

    Attributes:
        kind: "stuck": a joint that no longer moves; "weak": a motor that gives a part of its torque; "dead": one that
            gives none; "dropout": a sensor that repeats its last reading.
        part: name of the joint; for a dropout name of a reading, such as "encoder.LF_Y2" or "gps.x"; a pattern with *
            means all that match.
        time: when it fails, in s after the start of the trace.
        until: when it works again, in s.
        strength: of a weak motor, as a share.
    """

    kind: str
    part: str
    time: float
    until: float = math.inf
    strength: float = 0.5

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("Fault.kind", self.kind, FAULTS)
        if not isinstance(self.part, str):
            raise InputError(f"Fault.part: expected the name of a joint or of a reading, got {self.part!r}")
        checks.number("Fault.time", self.time, at_least=0.0)
        if self.until != math.inf and checks.number("Fault.until", self.until) < self.time:
            raise InputError(f"Fault.until: expected at least time = {self.time:g} s, got {self.until:g}")
        checks.number("Fault.strength", self.strength, at_least=0.0)

    def parts(self, scene: Scene) -> list[str]:
        """Names of the joints or readings that fail."""
        known = list(readings(scene)) if self.kind == "dropout" else list(scene.joints)
        matched = [name for name in known if fnmatchcase(name, self.part)]
        if not matched:
            checks.indices("Fault.part", [self.part], known, "reading" if self.kind == "dropout" else "joint")
        return matched


class Disturbances:
    """The pushes and faults of one trace, laid on a roll-out as its time comes.

    Attributes:
        steps: step numbers at which something begins or ends, in order.
    """

    def __init__(
        self, pushes: Sequence[Push], faults: Sequence[Fault], scene: Scene, dt: float, errors: Errors
    ) -> None:
        self._scene, self._errors = scene, errors
        self._pushes = [(*_lasting(push, dt), push) for push in pushes]
        self._faults = [(_step(f.time, dt), _step(f.until, dt), f) for f in faults]
        self._bodies = [push.body_of(scene) for push in pushes]
        self._readings = readings(scene)
        self._strength = errors.strength.copy()
        self._friction: np.ndarray | None = None
        self.steps = sorted({k for a, b, *_ in (*self._pushes, *self._faults) for k in (a, b)})

    def next(self, step: int) -> int:
        """The next step at which to call `apply`."""
        later = next((k for k in self.steps if k > step), 2**62)
        pushed = any(a <= step < b for a, b, *_ in self._pushes)
        return min(later, step + _TURN) if pushed else later

    def apply(self, run: RollOut, params: Any) -> None:
        """Lay on what holds now.

        Args:
            run: the roll-out.
            params: of the `Imperfect` policy as it runs, see `Errors.params`.
        """
        if not self.steps:
            return
        step, space = run.done, run.plant.space
        space.data.qfrc_applied[:] = 0.0
        for (a, b, share, push), body in zip(self._pushes, self._bodies, strict=True):
            if a <= step < b:
                mujoco.mj_kinematics(space.model, space.data)  # the step before left those of its start
                mujoco.mj_comPos(space.model, space.data)
                force, torque = share * np.array(push.force), share * np.array(push.torque)
                at = space.data.xipos[body].copy()
                mujoco.mj_applyFT(space.model, space.data, force, torque, at, body, space.data.qfrc_applied)
        strength, held = self._strength.copy(), np.zeros(reading_count(self._scene))
        if self._friction is None:
            self._friction = space.plant.dof_frictionloss.copy()
        friction = self._friction.copy()
        for a, b, fault in self._faults:
            if not a <= step < b:
                continue
            for part in fault.parts(self._scene):
                self._fail(fault, part, strength, held, friction)
        space.plant.dof_frictionloss[:] = friction
        for i, value in enumerate(strength):
            params[self._errors.strength_place(i)] = value
        params[self._errors.held_place(0) : self._errors.held_place(len(held))] = held

    def clear(self, run: RollOut) -> None:
        """Take all off: the plant is as it was."""
        if self._friction is not None:
            run.plant.space.data.qfrc_applied[:] = 0.0
            run.plant.space.plant.dof_frictionloss[:] = self._friction

    def _fail(self, fault: Fault, part: str, strength: Any, held: Any, friction: Any) -> None:
        scene = self._scene
        if fault.kind == "dropout":
            place = self._readings[part]
            if place < len(held):
                held[place] = 1.0
            else:  # a turn is read as the whole quaternion
                at = self._readings["estimate.z"] + 1
                held[at : at + 4] = 1.0
            return
        joint = scene.joints.index(part)
        if fault.kind == "stuck":
            friction[scene.dofs[joint]] = STUCK
        else:
            strength[joint] *= fault.strength if fault.kind == "weak" else 0.0


def disturbed(word: str, things: Sequence[Any], values: Mapping[str, Any]) -> list[Any]:
    """Pushes or faults with their uncertain numbers as drawn.

    Args:
        word: "push" or "fault".
        things: as in the scenario.
        values: drawn numbers by name, such as "push.0.force.1"; all others are passed over.
    """
    result = []
    for k, thing in enumerate(things):
        head = f"{word}.{k}."
        new = {name.removeprefix(head): value for name, value in values.items() if name.startswith(head)}
        result.append(with_values(thing, new) if new else thing)
    return result


def _step(t: float, dt: float) -> int:
    return round(t / dt) if t < 1e9 else 2**62


def _lasting(push: Push, dt: float) -> tuple[int, int, float]:
    """First step of a push, the first after it, and the share of its force that has the same effect in whole steps."""
    first = _step(push.time, dt)
    if push.duration == 0.0:
        return first, first, 0.0
    steps = max(1, _step(push.duration, dt))
    share = push.duration / (steps * dt)
    return first, first + steps, 1.0 if abs(share - 1.0) < 1e-9 else share
