"""The dissipative law: impulses that take out as much energy as friction can, a convex problem.

    min 1/2 f'Gf + f'(c0 + (phi/dt + s) e_n)   over the friction cone K

Its gradient is the contact velocity, so friction opposes the slip, and there is one motion only. In place of normal
complementarity a sliding contact opens: c_n+ + phi/dt + s = mu |c_t+|. With s = mu |J_t v|, the slip at the start of
the step, it stays down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from surefoot.kernels.step import LawNumbers
from surefoot.laws.choices import belief, pyramid, smoothing
from surefoot.laws.law import Law


@dataclass(frozen=True)
class Dissipative(Law):
    """Convex contact with friction.

    Attributes:
        mu: the law's belief, overrides the scene's friction everywhere; None: the scene's; inf: no slip.
        edges: 4, 8 or 16 edges of the friction pyramid.
        offset: whether the slip at the start of the step makes room for itself; False: the plain form, in which a
            sliding contact hops.
        smooth: stage II, as in `Coulomb`.
    """

    mu: float | None = None
    edges: int = 4
    offset: bool = True
    smooth: bool | str = True
    name: ClassVar[str] = "dissipative"

    def __post_init__(self) -> None:
        """Check the numbers."""
        self.numbers()

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        return LawNumbers(
            mu=belief(self.mu),
            dissipative=True,
            slip_offset=self.offset,
            smooth=smoothing(self.smooth),
            edges=pyramid(self.edges),
        )
