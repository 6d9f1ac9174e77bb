"""One file a law. A law speaks of impulses, new contact velocities and the state only: so forward and inverse match."""

from __future__ import annotations

from surefoot import checks
from surefoot.errors import InputError
from surefoot.laws.compliant import Compliant
from surefoot.laws.coulomb import Coulomb
from surefoot.laws.dissipative import Dissipative
from surefoot.laws.law import Law
from surefoot.laws.no_slip import NoSlip
from surefoot.laws.soft import Soft

__all__ = ["LAWS", "Compliant", "Coulomb", "Dissipative", "Law", "NoSlip", "Soft", "as_law"]

LAWS: dict[str, type[Law]] = {law.name: law for law in (Coulomb, NoSlip, Dissipative, Soft)}
"""Laws that a name is enough for."""


def as_law(law: Law | str) -> Law:
    """A law from itself or from its name, with default parameters."""
    if isinstance(law, Law):
        return law
    if not isinstance(law, str):
        raise InputError(f"law: expected a law such as sf.Coulomb() or its name, got {law!r}")
    if law == Compliant.name:
        raise InputError("law: 'compliant' needs a stiffness, give sf.Compliant(stiffness=...) instead of its name")
    return LAWS[checks.choice("law", law, LAWS)]()
