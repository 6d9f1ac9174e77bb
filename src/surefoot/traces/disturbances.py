"""What befalls a robot in the middle of a trace: pushes from outside, and parts that fail."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.families import with_values
from surefoot.robots.scene import Scene
from surefoot.simulate.push import Push, Pushes, step_at
from surefoot.simulate.roll_out import RollOut
from surefoot.traces.imperfect import Errors, reading_count, readings

STUCK = 1e4  # N m (N): dry friction of a joint that is stuck
FAULTS = ("stuck", "weak", "dead", "dropout")


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
        self._pushes = Pushes(tuple(pushes), scene, dt)
        self._faults = [(step_at(f.time, dt), step_at(f.until, dt), f) for f in faults]
        self._readings = readings(scene)
        self._strength = errors.strength.copy()
        self._friction: np.ndarray | None = None
        self.steps = sorted({k for a, b, *_ in (*self._pushes.spans, *self._faults) for k in (a, b)})

    def next(self, step: int) -> int:
        """The next step at which to call `apply`."""
        later = next((k for k in self.steps if k > step), 2**62)
        return min(later, self._pushes.next(step))

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
        self._pushes.add(step, space.model, space.data, space.data.qfrc_applied)
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
