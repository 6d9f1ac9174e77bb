"""Gaits: when each foot touches down, for how long it stands, how high it steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError

Array = NDArray[np.float64]

GAITS: dict[str, tuple[float, ...]] = {
    "trot": (0.25, 0.75, 0.75, 0.25),
    "walk": (0.25, 0.75, 0.0, 0.5),
    "pace": (0.25, 0.75, 0.25, 0.75),
    "bound": (0.25, 0.25, 0.75, 0.75),
}
"""Touchdown of the left front, right front, left hind and right hind foot, as a share of the period."""


@dataclass(frozen=True)
class Gait:
    """A gait: all times are shares of the period.

    Attributes:
        touchdown: when each foot begins to stand, 0 to 1 (1 left out), in the order of the feet.
        duty: how long each foot stands, one number for all or one a foot; below 0.5 a trot flies between steps.
        period: in s.
        step_height: how far a foot is lifted, in m.
        overshoot: how far a foot swings beyond its foothold before it comes down, relative to the step.
        redirect: share of a swing during which it still follows a change of the command.
        reach_speed: least speed in m/s with which a foot that misses the ground reaches down for it.
        stand: whether the feet stay on the ground while the command is zero.
    """

    touchdown: tuple[float, ...]
    duty: float | tuple[float, ...] = 0.75
    period: float = 0.3
    step_height: float = 0.015
    overshoot: float = 0.0
    redirect: float = 0.75
    reach_speed: float = 0.1
    stand: bool = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        touchdown = checks.array("touchdown", self.touchdown, (None,))
        for foot, value in enumerate(touchdown):
            if not 0.0 <= value < 1.0:
                raise InputError(f"touchdown[{foot}]: expected a share of the period from 0 to below 1, got {value:g}")
        for foot, value in enumerate(self.duties()):
            if not 0.0 < value < 1.0:
                raise InputError(f"duty[{foot}]: expected a share of the period between 0 and 1, got {value:g}")
        checks.number("period", self.period, above=0.0)
        checks.number("step_height", self.step_height, at_least=0.0)
        checks.number("overshoot", self.overshoot, at_least=0.0)
        checks.number("redirect", self.redirect, at_least=0.0, at_most=1.0)
        checks.number("reach_speed", self.reach_speed, above=0.0)

    @classmethod
    def named(cls, name: str, **numbers: Any) -> Gait:
        """One of `GAITS`, with other numbers if wanted.

        Example:
            trot = sf.gait.Gait.named("trot", period=0.4, duty=0.6)
        """
        return cls(GAITS[checks.choice("gait", name, tuple(GAITS))], **numbers)

    def duties(self) -> Array:
        """(feet,) share of the period that each foot stands."""
        count = len(self.touchdown)
        if np.ndim(self.duty) == 0:
            return np.full(count, checks.number("duty", self.duty))
        return checks.array("duty", self.duty, (count,))

    def stance(self, phase: Any) -> NDArray[np.bool_]:
        """Which feet stand at a phase 0 to 1 (or many): (..., feet)."""
        since = (np.asarray(phase, dtype=float)[..., None] - np.array(self.touchdown)) % 1.0
        return since < self.duties()

    def flight(self) -> float:
        """The longest time in s in which no foot stands, 0 if there always is one."""
        ends = np.sort(np.concatenate([self.touchdown, (np.array(self.touchdown) + self.duties()) % 1.0]))
        pieces = np.diff(np.append(ends, ends[0] + 1.0))
        middles = (ends + 0.5 * pieces) % 1.0
        return float(self.period * max(pieces[~self.stance(middles).any(axis=-1)], default=0.0))
