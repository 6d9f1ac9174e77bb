"""Soft contact that can be inverted in closed form [Todorov2014].

    min 1/2 f'(G + R) f + f'(c0 - c*)   over friction loss, limits and elliptic cones

R > 0 makes the minimum unique and the inverse a projection, contact by contact. R is epsilon times a constant of the
bodies that touch (or of the joint, tendon or loop): their mean inverse inertia A in the reference pose, see
kernels/softness.py. c* pulls the violation back with the time constant kappa, critically damped. At rest a contact that
carries the force F sinks in by kappa^2 epsilon A F / (1 + epsilon): a free body on one contact by kappa^2 epsilon g /
(1 + epsilon), whatever its mass, and on n contacts by an n-th of that. A link of a robot is lighter than the robot, so
its A is larger than 1 / m of the whole, and it sinks in deeper. Contacts feel sliding, torsional and rolling friction
as the model's `condim` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from surefoot import checks
from surefoot.kernels.problem import SOFT
from surefoot.kernels.settings import LawNumbers
from surefoot.laws.choices import belief, switch
from surefoot.laws.law import Law


@dataclass(frozen=True)
class Soft(Law):
    """Convex soft contact with an analytic inverse.

    Attributes:
        epsilon: softness relative to the inverse inertia of the bodies that touch; small is hard.
        kappa: time constant in s in which a violation goes back; at least two steps.
        critical: damp critically across coupled contacts: stiffness and damping that are not diagonal.
        mu: the law's belief, overrides the scene's sliding friction everywhere; None: the scene's; inf: no slip.
    """

    epsilon: float = 0.01
    kappa: float = 0.02
    critical: bool = False
    mu: float | None = None
    name: ClassVar[str] = "soft"

    def __post_init__(self) -> None:
        """Check the numbers."""
        self.numbers()

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        return LawNumbers(
            mu=belief(self.mu),
            epsilon=checks.number("epsilon", self.epsilon, above=0.0),
            kappa=checks.number("kappa", self.kappa, above=0.0),
            critical=switch("critical", self.critical),
            form=SOFT,
        )
