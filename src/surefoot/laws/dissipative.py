"""The dissipative law: impulses that take out as much energy as friction can, a convex problem.

    min 1/2 f'Gf + f'(c0 + (phi/dt + s) e_n)   over the friction cone K

Its gradient is the contact velocity, so friction opposes the slip, and there is one motion only. In place of normal
complementarity a sliding contact opens: c_n+ + phi/dt + s = mu |c_t+|. With s = mu |J_t v|, the slip at the start of
the step, it stays down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.problem import ENERGY, EXACT, STANDARD
from surefoot.kernels.settings import LawNumbers
from surefoot.laws.choices import belief, pyramid, smoothing, switch
from surefoot.laws.law import Law


@dataclass(frozen=True)
class Dissipative(Law):
    """Convex contact with friction.

    Attributes:
        mu: the law's belief, overrides the scene's friction everywhere; None: the scene's; inf: no slip.
        edges: 4, 8 or 16 edges of the friction pyramid.
        form: "slip": the convex problem above. "energy": least kinetic energy with normals that do not close in, the
            form of its authors; it brakes a robot whose feet do not slip, forward and inverse do not match, and free
            joints with dry friction or torque limits are refused (unsolved).
        cone: "pyramid", or "exact" for round cones (of the slip form).
        offset: whether the slip at the start of the step makes room for itself; False: the plain form, in which a
            sliding contact hops.
        smooth: stage II, as in `Coulomb`.
    """

    mu: float | None = None
    edges: int = 4
    form: str = "slip"
    cone: str = "pyramid"
    offset: bool = True
    smooth: bool | str = True
    name: ClassVar[str] = "dissipative"

    def __post_init__(self) -> None:
        """Check the numbers."""
        self.numbers()

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        slip = checks.choice("form", self.form, ("slip", "energy")) == "slip"
        exact = checks.choice("cone", self.cone, ("pyramid", "exact")) == "exact"
        if exact and not slip:
            raise InputError("cone: expected 'pyramid' with form='energy', got 'exact'")
        edges = pyramid(self.edges)
        return LawNumbers(
            mu=belief(self.mu),
            dissipative=slip,
            slip_offset=switch("offset", self.offset) and slip,
            form=EXACT if exact else STANDARD if slip else ENERGY,
            smooth=smoothing(self.smooth),
            edges=16 if exact else edges,
        )
