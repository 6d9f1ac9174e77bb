"""Proof that a linear complementarity problem has no solution.

If some y >= 0 has `M'y <= 0` and `q'y < 0`, then `y'(M z + q) < 0` for every z >= 0, so no w = M z + q is non-negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from surefoot import checks
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.scaling import equilibrate


def is_certificate(problem: LinearComplementarity, y: Any, tolerance: float = 1e-9) -> bool:
    """Return whether y proves that the problem is infeasible.

    In the scaled problem, with y >= 0 and the largest y equal to 1: `M'y <= tolerance` and `q'y < -tolerance |q|`.
    Within rounding this rules out solutions whose scaled z sum up to less than |q'y| / tolerance.

    Args:
        problem: the problem.
        y: (n,) multipliers.
        tolerance: see above.
    """
    y = checks.array("y", y, (problem.size,))
    if problem.size == 0 or not (y >= 0).all() or not y.any():
        return False
    r, s = equilibrate(problem.M)
    y = y / r
    y = y / y.max()
    q = r * problem.q
    return bool(((r[:, None] * problem.M * s).T @ y <= tolerance).all() and q @ y < -tolerance * np.abs(q).max())


def find_certificate(problem: LinearComplementarity, tolerance: float = 1e-9) -> NDArray[np.float64] | None:
    """Return y (n,) that proves the problem infeasible, checked, or None if a linear program finds none."""
    if problem.size == 0 or not (problem.q < 0).any():
        return None
    r, s = equilibrate(problem.M)
    M, q = r[:, None] * problem.M * s, r * problem.q
    answer = linprog(
        q / np.abs(q).max(),
        A_ub=M.T,
        b_ub=np.zeros(problem.size),
        bounds=(0.0, 1.0),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.x is None:
        return None
    y = np.maximum(answer.x, 0.0) * r
    return y if is_certificate(problem, y, tolerance) else None
