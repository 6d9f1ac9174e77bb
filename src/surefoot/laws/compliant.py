"""Contact on springs and dampers with Coulomb friction, closed on the end of the step.

    f_n = dt max(0, -k (phi + dt c_n+) - d c_n+)

which is Coulomb's law with G_nn + R_n, R_n = 1 / (dt (dt k + d)), and phi k / (dt k + d) in place of phi/dt. It has an
answer for every prescribed motion and every depth; at rest a contact sinks in by its load over k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from surefoot import checks
from surefoot.kernels.settings import LawNumbers
from surefoot.laws.choices import belief, pyramid
from surefoot.laws.law import Law


@dataclass(frozen=True)
class Compliant(Law):
    """Springs and dampers at the contacts, implicit, so that no stiffness is too large for the step.

    Attributes:
        stiffness: N/m of every contact.
        damping: N s/m of every contact.
        mu: the law's belief, overrides the scene's friction everywhere; None: the scene's.
        edges: 4, 8 or 16 edges of the friction pyramid.
    """

    stiffness: float
    damping: float = 0.0
    mu: float | None = None
    edges: int = 4
    name: ClassVar[str] = "compliant"

    def __post_init__(self) -> None:
        """Check the numbers."""
        self.numbers()

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        return LawNumbers(
            mu=belief(self.mu),
            stiffness=checks.number("stiffness", self.stiffness, above=0.0),
            damping=checks.number("damping", self.damping, at_least=0.0),
            edges=pyramid(self.edges),
        )
