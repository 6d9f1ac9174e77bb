"""Painleve's paradox: a slide whose friction presses its own contact together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot.modes.blocks import Block
from surefoot.modes.system import ContactSystem

Array = NDArray[np.float64]


class Painleve(NamedTuple):
    """A contact and a way to slide in which more normal force means less normal acceleration.

    Attributes:
        contact: its name.
        slide: "L", "R" or a sector.
        coefficient: d a_n / d f_n while it slides [1/kg], negative.
        text: a sentence.
    """

    contact: str
    slide: str
    coefficient: float
    text: str


def painleve(system: ContactSystem, blocks: list[Block]) -> tuple[Painleve, ...]:
    """All such slides that the velocities allow; forces that a constraint or a massless leg ties are left out."""
    found, d = [], system.dimension
    tied = np.abs(system.physical_rows.force).max(axis=0, initial=0.0).reshape(-1, d).max(axis=1) > 0
    for i, block in enumerate(blocks):
        mu = system.friction[i]
        J = system.jacobian[i * d : (i + 1) * d]
        if tied[i] or not 0 < mu < np.inf or J[:, ~system.weighs].any():
            continue
        heavy = J[:, system.weighs]
        inertia = system.inertia[np.ix_(system.weighs, system.weighs)]
        give = heavy[0] @ scipy.linalg.cho_solve(scipy.linalg.cho_factor(inertia), heavy.T)
        for slide in block.tokens:
            direction = _direction(slide, system.edges)
            if direction is None:
                continue
            coefficient = float(give[0] - mu * direction @ give[1:])  # friction opposes the slide
            if coefficient < -1e-12 * give[0]:
                words = {"L": "to the left", "R": "to the right"}.get(slide, f"in sector {slide}")
                text = (
                    f"Painleve: {system.names[i]} sliding {words} is pressed together by its own friction "
                    f"(d a_n / d f_n = {coefficient:.4g} 1/kg): there may be no solution, or several"
                )
                found.append(Painleve(system.names[i], slide, coefficient, text))
    return tuple(found)


def _direction(slide: str, edges: int | None) -> Array | None:
    """(d - 1,) unit vector of a slide, None for other modes and borders of sectors."""
    if edges is None:
        return {"L": np.array([-1.0]), "R": np.array([1.0])}.get(slide)
    if not slide.isdigit():
        return None
    angle = 2 * np.pi * int(slide) / edges
    return np.array([np.cos(angle), np.sin(angle)])
