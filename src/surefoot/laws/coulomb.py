"""Coulomb friction with rigid contact, as a linear complementarity problem [AnitescuPotra1997], [StewartTrinkle1996].

0 <= f_n    perp  c_n+ + phi/dt      >= 0
0 <= beta   perp  D' c_t+ + E lam    >= 0        f_t = D beta
0 <= lam    perp  mu f_n - E' beta   >= 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.step import LawNumbers
from surefoot.laws.law import Law


@dataclass(frozen=True)
class Coulomb(Law):
    """Rigid contact with Coulomb friction: stick, slip or lift, with complementarity.

    The pyramid is inscribed in the cone: with four edges and no slip to align them it holds 0.707 mu at 45 degrees
    between two edges. More edges come nearer to the cone and cost a little time.

    Attributes:
        mu: the law's belief, overrides the scene's friction everywhere; None: the scene's; inf: no slip under load.
        edges: 4, 8 or 16 edges of the friction pyramid.
    """

    mu: float | None = None
    edges: int = 4
    name: ClassVar[str] = "coulomb"

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.mu is not None:
            checks.friction("mu", self.mu)
        if not isinstance(self.edges, int) or self.edges not in (4, 8, 16):
            raise InputError(f"edges: expected one of 4, 8, 16, got {self.edges!r}")

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        return LawNumbers(mu=np.nan if self.mu is None else float(self.mu), edges=self.edges)
