"""Outermost points of what a linear program allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot.errors import SolveError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OutermostPoints:
    """Outermost points of seen x + offset over rows x <= most, equal x = value, low <= x <= high.

    Attributes:
        rows: (m, n), `most` (m,).
        equal: (p, n), `value` (p,).
        low: (n,), `high` (n,).
        seen: (k, n), `offset` (k,).
        unit: N, about the size of the forces.
        lengths: how many of the last unknowns are lengths, not forces.
    """

    rows: Array
    most: Array
    equal: Array
    value: Array
    low: Array
    high: Array
    seen: Array
    offset: Array
    unit: float
    lengths: int = 0

    def __call__(self, direction: Array) -> Array:
        """The point that lies farthest in a direction."""
        # In units of the load, so that tolerances of the solver mean the same for a fly and for a crane.
        unit = np.full(self.rows.shape[1], self.unit)
        unit[len(unit) - self.lengths :] = 1.0
        found = scipy.optimize.linprog(
            -(direction @ self.seen) * unit / (1.0 if self.lengths else self.unit),
            A_ub=self.rows * unit / self.unit,
            b_ub=self.most / self.unit,
            A_eq=self.equal * unit / self.unit,
            b_eq=self.value / self.unit,
            bounds=np.column_stack([self.low / unit, self.high / unit]),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status == 2:
            raise SolveError("no forces within friction and torque limits do what was asked of them")
        if found.status != 0:
            raise SolveError(f"the linear program of the reachable forces failed: {found.message}")
        return self.seen @ (unit * found.x) + self.offset
