"""The dissipative law: impulses that take out as much energy as friction can, a convex problem.

    min 1/2 f'Gf + f'(c0 + (phi/dt + s) e_n)   over the friction cone K

Its gradient is the contact velocity, so friction opposes the slip, and there is one motion only. In place of normal
complementarity a sliding contact opens: c_n+ + phi/dt + s = mu |c_t+|. With s = mu |J_t v|, the slip at the start of
the step, it stays down.
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
class Dissipative(Law):
    """Convex contact with friction.

    Attributes:
        mu: the law's belief, overrides the scene's friction everywhere; None: the scene's; inf: no slip.
        edges: 4, 8 or 16 edges of the friction pyramid.
        offset: whether the slip at the start of the step makes room for itself; False: the plain form, in which a
            sliding contact hops.
    """

    mu: float | None = None
    edges: int = 4
    offset: bool = True
    name: ClassVar[str] = "dissipative"

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.mu is not None:
            checks.friction("mu", self.mu)
        if not isinstance(self.edges, int) or self.edges not in (4, 8, 16):
            raise InputError(f"edges: expected one of 4, 8, 16, got {self.edges!r}")

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        mu = np.nan if self.mu is None else float(self.mu)
        return LawNumbers(mu=mu, dissipative=True, slip_offset=self.offset, edges=self.edges)
