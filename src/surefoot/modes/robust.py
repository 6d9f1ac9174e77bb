"""Friction that is only known to lie between two bounds: modes that may happen, and torques that are sure of one.

Friction coefficients enter the equations of a mode at its sliding contacts only, each in one row. By Cramer's rule
every force and acceleration is a quotient of two determinants, and both are affine in each coefficient by itself. Such
a function is lowest at a corner of the box of coefficients. So if the determinant of the equations has one sign at all
corners, a torque allows the mode for every friction in the box exactly if it does so at the corners.

That a mode may happen for *some* friction is one polyhedron: sliding friction then lies in the wedge between both
bounds.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes.blocks import LARGEST_FRICTION
from surefoot.modes.mode import Mode
from surefoot.modes.region import Region
from surefoot.modes.response import Response
from surefoot.modes.scaling import scaled
from surefoot.modes.search import contact_blocks
from surefoot.modes.system import ContactSystem
from surefoot.solvers.polyhedron import Polyhedron

Array = NDArray[np.float64]


class Certain(NamedTuple):
    """Torques at which a mode can happen whatever the friction is.

    Attributes:
        torques: the set.
        proven: whether it holds for all friction between the bounds. If not (the mode slides and leaves forces open, or
            its equations turn singular in between), it is known to hold at the corners only.
    """

    torques: Polyhedron
    proven: bool


class RobustResponse:
    """The modes of a system whose friction lies between `low` and `high`.

    Attributes:
        system: the system; its own friction is not used.
        low: (k,).
        high: (k,).
        possible: a Response with every mode that some friction between the bounds allows.
    """

    def __init__(self, system: ContactSystem, low: Any, high: Any, *, progress: bool = False) -> None:
        """Take the bounds, one number or (k,) each."""
        k = system.contacts
        self.system = system
        self.low, self.high = (_friction(name, value, k) for name, value in (("low", low), ("high", high)))
        for i in range(k):
            if self.low[i] > self.high[i]:
                raise InputError(
                    f"low: expected no more than high, got {self.low[i]:g} and {self.high[i]:g} at index {i}"
                )
        self.possible = Response(system, progress=progress, friction=(self.low, self.high))

    def __repr__(self) -> str:
        return f"RobustResponse({len(self.possible.modes)} possible modes)"

    def certain(self, mode: str) -> Certain:
        """Torques at which a mode can happen for every friction between the bounds."""
        tokens = self.possible[mode].tokens
        slides = [i for i, token in enumerate(tokens) if token not in ("S", "F")]
        corners = [self._at(tokens, slides, ends) for ends in itertools.product((0, 1), repeat=len(slides))]
        shape = corners[0].torques
        for corner in corners[1:]:
            shape = shape.intersect(corner.torques)
        return Certain(shape.reduced(), not slides or _one_sign(corners))

    def guaranteed(self, mode: str) -> Region:
        """Torques at which a mode happens, and no other can, for every friction between the bounds."""
        return Region(mode, self.certain(mode).torques, self.possible)

    def _at(self, tokens: tuple[str, ...], slides: list[int], ends: tuple[int, ...]) -> Mode:
        """A mode at a corner of the box; where it is fixed the lowest friction is the hardest."""
        friction = self.low.copy()
        for i, end in zip(slides, ends, strict=True):
            friction[i] = self.high[i] if end else self.low[i]
        system = self.system.change(friction=friction)
        blocks = contact_blocks(system, friction, friction)
        leaf = np.array(
            [block.tokens.index(token) for block, token in zip(blocks, tokens, strict=True)], dtype=np.int64
        )
        return Mode(system, scaled(system), blocks, leaf)


def _friction(name: str, value: Any, k: int) -> Array:
    axes = checks.dimensions(name, value)
    values = [value] * k if axes == 0 else checks.array(name, value, (k,), finite=False)
    result = np.array([checks.friction(name, float(v) if axes else v) for v in values]).reshape(k)
    for i in np.flatnonzero(result >= LARGEST_FRICTION):
        raise InputError(f"{name}: expected friction below {LARGEST_FRICTION:g}, got {result[i]:g} at index {i}")
    return result


def _one_sign(corners: list[Mode]) -> bool:
    """Whether the equations of a mode are square and regular, with determinants of one sign, at all corners."""
    signs = set()
    for corner in corners:
        A, _, _ = corner.equations
        if A.shape[0] != A.shape[1] or corner.ambiguity_variables:
            return False
        signs.add(float(np.linalg.slogdet(A)[0]))
    return len(signs) == 1
