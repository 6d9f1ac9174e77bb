"""Rigid contact without slip: the limit of infinite friction.

Closed contacts hold their tangent velocities at zero as long as they carry load; normals obey 0 <= f_n perp c_n+ +
phi/dt >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from surefoot.laws.law import Law


@dataclass(frozen=True)
class NoSlip(Law):
    """Rigid contact that never slips under load. A motion that drags two loaded feet apart is named as inconsistent."""

    name: ClassVar[str] = "no-slip"

    @property
    def believed_mu(self) -> float:
        """Infinite, whatever the scene says."""
        return np.inf
