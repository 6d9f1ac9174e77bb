"""One stage until a time, then another of its kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from surefoot import checks
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.kernels.cache import caller
from surefoot.kernels.pipeline import STAGE_SIGNATURE

SOON = 1e-9  # s: ticks are sums of steps, and may fall short of a time by a rounding

_call = caller(STAGE_SIGNATURE)


class Changeover(Stage):
    """A stage that has other numbers from some time on: another gait, another command.

    Both stages are of one kind, and what the first remembers the second goes on with: a foot in mid-swing stays where
    it is, a path goes on to its next point. It runs and is called as the first is.

    Example:
        trot = sf.control.GaitPlanner(sf.gait.Planner(legs, "trot", dt))
        walk = sf.control.GaitPlanner(sf.gait.Planner(legs, "walk", dt))
        stage = sf.control.Changeover(walk, trot, 1.2)

    Attributes:
        first, then: the stages.
        time: s from which on the second one runs.
    """

    def __init__(self, first: Stage, then: Stage, time: float) -> None:
        """Prepare.

        Args:
            first: a compiled stage.
            then: one of the same kind, which reads and writes the same.
            time: s from which on it runs in place of the first.
        """
        for name, stage in (("first", first), ("then", then)):
            if not isinstance(stage, Stage) or not stage.compiled:
                raise InputError(f"{name}: expected a compiled stage, got {stage!r}")
        kinds = [(s.function, s.phase, s.reads, s.writes, s.adds, s.every, s.memory, s.period) for s in (first, then)]
        if kinds[0] != kinds[1]:
            raise InputError(f"then: expected a stage of the same kind as {first!r}, got {then!r}")
        self.first, self.then = first, then
        self.time = checks.number("time", time)
        self.period = first.period
        super().__init__(
            first.name,
            first.phase,
            reads=first.reads,
            writes=first.writes,
            adds=first.adds,
            every=first.every,
            function=_changed,
            memory=first.memory,
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(3 + both stages' parameters,): address of the code, the time, how many parameters the first stage has."""
        first, then = self.first.params, self.then.params
        return np.concatenate([[float(self.first.address()), self.time, len(first)], first, then])


def _changed(t, board, where, memory, params):
    split = 3 + int(params[2])
    numbers = params[3:split] if t < params[1] - SOON else params[split:]
    return _call(types.uintp(params[0]), (t, board, where, memory, numbers))
