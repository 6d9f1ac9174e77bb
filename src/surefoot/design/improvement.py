"""A design and how it came about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.design.history import Step
from surefoot.design.morphology import Morphology
from surefoot.design.problem import Problem
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Improvement:
    """A design and how it came about.

    Attributes:
        problem: what was designed, with the motors that it ended with.
        start: (m,) parameters at the start.
        p: (m,) parameters at the end.
        difficulty: the highest at which all limits hold; NaN: none.
        wanted: the highest asked for.
        margin: the least witness at the difficulty that it ended with.
        steps: all of them.
        reason: why it ended, in a sentence.
        updates: how many were made or tried.
    """

    problem: Problem
    start: Array
    p: Array
    difficulty: float
    wanted: float
    margin: float
    steps: tuple[Step, ...]
    reason: str
    updates: int

    @property
    def reached(self) -> bool:
        """Whether all that was asked for is done."""
        return self.difficulty == self.wanted

    @property
    def morphology(self) -> Morphology:
        """Of the problem."""
        return self.problem.morphology

    @property
    def scene(self) -> Scene:
        """The robot at the end."""
        return self.morphology.scene(self.p)

    def table(self) -> str:
        """Parameters before and after, and why it ended."""
        names = self.morphology.names
        width = max(map(len, names), default=0)
        lines = [
            f"{name:{width}}  {a:10.4g} -> {b:10.4g}   {b - a:+.3g}"
            for name, a, b in zip(names, self.start, self.p, strict=True)
        ]
        return "\n".join([*lines, self.reason])
