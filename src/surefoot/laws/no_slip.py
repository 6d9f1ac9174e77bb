"""Rigid contact without slip.

Closed contacts hold their tangent velocities at zero; normals obey 0 <= f_n perp c_n+ + phi/dt >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from surefoot.kernels.settings import LawNumbers
from surefoot.laws.choices import smoothing, switch
from surefoot.laws.law import Law


@dataclass(frozen=True)
class NoSlip(Law):
    """Rigid contact that never slips. A motion that drags two loaded feet apart is named as inconsistent.

    Attributes:
        release: True: a contact that carries no load carries no friction either (the limit of infinite friction; now
            and then it has several motions or none, and then friction of 1e3 stands for it). False: closed contacts
            are held even while they lift, which is a convex problem: there is always one motion and only one, unless
            the demand contradicts it.
        smooth: stage II, as in `Coulomb`.
    """

    release: bool = True
    smooth: bool | str = False
    name: ClassVar[str] = "no-slip"

    def __post_init__(self) -> None:
        """Check the choices."""
        self.numbers()

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        return LawNumbers(mu=np.inf, dissipative=not switch("release", self.release), smooth=smoothing(self.smooth))
