"""What [Zapolsky2015, table 6] says of contact forces in words (continuous, distributed, excessive), in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import surefoot as sf

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Marks:
    """Numbers of the forces that a controller predicted.

    Attributes:
        change: N: mean of |f_k - f_(k-1)| over feet, median over steps; small where forces are continuous.
        mean_change: N: mean over steps, landings included.
        share: mean share of the most loaded foot, where two or more bear load; small where load is distributed.
        large: N on one foot, exceeded in 1 % of the steps.
    """

    change: float
    mean_change: float
    share: float
    large: float


def marks(forces: Array) -> Marks:
    """Numbers of predicted forces (n, feet, 3) in N, in world axes."""
    load = np.linalg.norm(forces, axis=2)
    several = load[(load > 0.0).sum(axis=1) >= 2]
    share = float((several.max(axis=1) / several.sum(axis=1)).mean()) if len(several) else float("nan")
    change = np.linalg.norm(np.diff(forces, axis=0), axis=2).mean(axis=1)
    return Marks(float(np.median(change)), float(change.mean()), share, float(np.percentile(load.max(axis=1), 99)))


def forces_on(answer: sf.Answer, feet: Sequence[str]) -> Array:
    """(feet, 3) N in world axes: sums of an answer's forces in contacts whose names tell of each foot."""
    found = np.zeros((len(feet), 3))
    for name, force, frame in zip(answer.contacts.names, answer.forces, answer.contacts.frames, strict=True):
        for i, foot in enumerate(feet):
            if foot in name:
                found[i] += force @ frame
    return found
