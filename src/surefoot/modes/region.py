"""Torques at which one mode happens and no other can."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.modes.mode import Mode
from surefoot.solvers.polyhedron import Polyhedron

if TYPE_CHECKING:
    from surefoot.modes.response import Response

Array = NDArray[np.float64]


class Region:
    """T_c*, (34) of [Greenfield2005]: in general not convex, so a union of convex pieces.

    Ambiguity is that of physics: task constraints are laid on afterwards, never on the other modes.

    Attributes:
        mode: name of the mode.
        torques: all torques at which it can happen.
    """

    def __init__(self, mode: str, torques: Polyhedron, response: Response) -> None:
        """Take the torques of a mode, and the response that knows its rivals."""
        self.mode, self.torques, self._response = mode, torques, response

    @cached_property
    def rivals(self) -> list[Mode]:
        """Modes that share torques with this one, and not only borders."""
        size = self.torques.dimension
        near = [other for other in self._response.modes_within(self.torques) if other.name != self.mode]
        return [other for other in near if self.torques.intersect(other.torques).dimension == size]

    @cached_property
    def pieces(self) -> list[Polyhedron]:
        """Convex sets of torques without common inner points; borders with rivals belong to neither."""
        if self.torques.is_empty:
            return []
        pieces = [self.torques]
        for rival in self.rivals:
            pieces = [part for piece in pieces for part in piece.minus(rival.torques)]
        return pieces

    @property
    def is_empty(self) -> bool:
        """Whether every torque of the mode allows another one, too."""
        return not self.pieces

    def contains(self, torque: Any) -> bool:
        """Whether the mode is sure to happen at these torques (t,)."""
        tau = checks.array("torque", torque, (self.torques.space,))
        return self.torques.contains(tau) and {mode.name for mode in self._response.modes_at(tau)} <= {self.mode}

    def bounds(self) -> tuple[Array, Array]:
        """(t,) lowest and highest torques of all pieces; NaN if there is none."""
        if not self.pieces:
            nowhere = np.full(self.torques.space, np.nan)
            return nowhere, nowhere
        ends = [piece.bounds() for piece in self.pieces]
        return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)
