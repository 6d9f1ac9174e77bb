"""Pushes from outside during a roll-out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene

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


class Pushes:
    """Pushes of one roll-out, laid on MuJoCo's data as their time comes.

    Attributes:
        spans: first step of each push, and the first after it.
    """

    def __init__(self, pushes: Sequence[Push], scene: Scene, dt: float) -> None:
        if isinstance(pushes, Push) or not isinstance(pushes, Sequence):
            raise InputError(f"pushes: expected a list of sf.Push, got {type(pushes).__name__}")
        for push in pushes:
            if not isinstance(push, Push):
                raise InputError(f"pushes: expected a list of sf.Push, got {type(push).__name__} in it")
        lasting = [_lasting(push, dt) for push in pushes]
        self.spans = [(first, last) for first, last, _ in lasting]
        self._wrenches = [
            (share * np.array(push.force), share * np.array(push.torque), push.body_of(scene))
            for push, (_, _, share) in zip(pushes, lasting, strict=True)
        ]

    def __bool__(self) -> bool:
        return bool(self.spans)

    def next(self, step: int) -> int:
        """The next step at which to call `add`."""
        later = min((k for span in self.spans for k in span if k > step), default=2**62)
        pushed = any(a <= step < b for a, b in self.spans)
        return min(later, step + _TURN) if pushed else later

    def add(self, step: int, model: mujoco.MjModel, data: mujoco.MjData, force: Any) -> None:
        """Add the generalised force of what pushes at a step to `force` (nv,), where the bodies of `data.qpos` are."""
        for (a, b), (push, torque, body) in zip(self.spans, self._wrenches, strict=True):
            if a <= step < b:
                mujoco.mj_kinematics(model, data)  # the step before left those of its start
                mujoco.mj_comPos(model, data)
                mujoco.mj_applyFT(model, data, push, torque, data.xipos[body].copy(), body, force)


def step_at(t: float, dt: float) -> int:
    """Number of the step that begins at a time; a huge one for times that never come."""
    return round(t / dt) if t < 1e9 else 2**62


def _lasting(push: Push, dt: float) -> tuple[int, int, float]:
    """First step of a push, the first after it, and the share of its force that has the same effect in whole steps."""
    first = step_at(push.time, dt)
    if push.duration == 0.0:
        return first, first, 0.0
    steps = max(1, step_at(push.duration, dt))
    share = push.duration / (steps * dt)
    return first, first + steps, 1.0 if abs(share - 1.0) < 1e-9 else share
