"""What a contact law is: a few numbers that the one problem needs. One file a law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Law:
    """Base of all contact laws: says which impulses go with which contact velocities.

    Attributes:
        name: what it is called on the command line.
    """

    name: ClassVar[str] = ""

    @property
    def believed_mu(self) -> float:
        """Friction that overrides the scene's; NaN: the scene's own."""
        return np.nan

    @property
    def edge_count(self) -> int:
        """Edges of the friction pyramid."""
        return 4
