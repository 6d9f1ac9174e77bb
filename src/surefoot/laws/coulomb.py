"""Coulomb friction with rigid contact, as a linear complementarity problem (Anitescu-Potra, Stewart-Trinkle).

0 <= f_n    perp  c_n+ + phi/dt      >= 0
0 <= beta   perp  D' c_t+ + E lam    >= 0        f_t = D beta
0 <= lam    perp  mu f_n - E' beta   >= 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.settings import LawNumbers
from surefoot.laws.choices import belief, pyramid, smoothing
from surefoot.laws.law import Law


@dataclass(frozen=True)
class Coulomb(Law):
    """Rigid contact with Coulomb friction: stick, slip or lift, with complementarity.

    The pyramid is inscribed in the cone: with four edges and no slip to align them it holds 0.707 mu at 45 degrees
    between two edges. More edges come nearer to the cone and cost a little time.

    Attributes:
        mu: the law's belief, overrides the scene's friction everywhere; None: the scene's; inf: no slip under load.
        edges: 4, 8 or 16 edges of the friction pyramid.
        smooth: stage II, for prescribed joints: of all impulses that give the same motion take those of least torque
            (True or "torque"), of least change of torque since the last call ("change") or of most even load
            ("load"); False: the first found.
        select: "nearest": find all solutions and take the one nearest to the last call's (at first, to no impulse);
            for a few contacts, since it takes ever longer with more. None: the first found.
    """

    mu: float | None = None
    edges: int = 4
    smooth: bool | str = False
    select: str | None = None
    name: ClassVar[str] = "coulomb"

    def __post_init__(self) -> None:
        """Check the numbers."""
        self.numbers()

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        checks.choice("select", self.select, (None, "nearest"))
        if self.select and self.smooth:
            raise InputError("select: expected None beside smooth, which leaves nothing to select, got 'nearest'")
        return LawNumbers(mu=belief(self.mu), smooth=smoothing(self.smooth), edges=pyramid(self.edges))
