"""Other designs to try where slopes show no way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from surefoot.design.problem import Look, Problem

Array = NDArray[np.float64]
LEAPS = (0.15, 0.3, 0.6)  # of the way to a bound
SCOUTS = 256  # designs all over the bounds


def neighbours(look: Look, low: Array, high: Array) -> list[Array]:
    """Each parameter by itself part of the way to its bounds."""
    tries = []
    for j in range(len(look.p)):
        for bound in (low[j], high[j]):
            for share in LEAPS:
                p = look.p.copy()
                p[j] += share * (bound - p[j])
                tries.append(p)
    return tries


def scouts(low: Array, high: Array) -> list[Array]:
    """Designs all over the bounds."""
    if not len(low):
        return []
    points = qmc.Sobol(len(low), scramble=False).random(SCOUTS)
    return [low + share * (high - low) for share in points]


def merit_of(problem: Problem, p: Array, difficulty: float) -> tuple[float, float]:
    """Of a design."""
    return problem.look(p, difficulty).merit
