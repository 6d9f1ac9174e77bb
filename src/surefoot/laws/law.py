"""What a contact law is: a few numbers that the one problem needs. One file a law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from surefoot.kernels.settings import LawNumbers


@dataclass(frozen=True)
class Law:
    """Base of all contact laws: says which impulses go with which contact velocities.

    Attributes:
        name: what it is called on the command line.
    """

    name: ClassVar[str] = ""

    @property
    def selects(self) -> bool:
        """Whether all solutions are looked for and the one nearest to the last is taken."""
        return getattr(self, "select", None) == "nearest"

    def numbers(self) -> LawNumbers:
        """What the kernels need to know."""
        return LawNumbers()
