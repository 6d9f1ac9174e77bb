"""Proof that a linear complementarity problem has no solution.

If some y >= 0 has `M'y <= 0` and `q'y < 0`, then `y'(M z + q) < 0` for every z >= 0, so no w = M z + q is non-negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.scaling import equilibrate


def rounding_allowed(gain: float, tolerance: float) -> float:
    """Return how far above zero entries of M'y may be in a proof with -q'y = gain.

    Entries up to d leave room for solutions whose z sum up to at least gain / d. In the scaled problem, where q and the
    largest y are 1, that is over 1 / tolerance, or over 1e6 where the gain is as small as `tolerance`: no impulse is
    that large against its demand.
    """
    return max(1e-14, tolerance * gain)


def is_certificate(problem: LinearComplementarity, y: Any, tolerance: float = 1e-8) -> bool:
    """Return whether y proves that the problem is infeasible, within rounding (see `rounding_allowed`).

    Args:
        problem: the problem.
        y: (n,) multipliers.
        tolerance: smallest -q'y in the scaled problem with largest |q| and y equal to 1.
    """
    y = checks.array("y", y, (problem.size,))
    if problem.size == 0 or not (y >= 0).all() or not y.any():
        return False
    r, s = equilibrate(problem.M)
    y = y / r
    y = y / y.max()
    q = r * problem.q
    gain = -float(q @ y) / max(np.abs(q).max(), np.finfo(float).tiny)
    return bool(gain > tolerance and ((r[:, None] * problem.M * s).T @ y <= rounding_allowed(gain, tolerance)).all())


def find_certificate(problem: LinearComplementarity, tolerance: float = 1e-8) -> NDArray[np.float64] | None:
    """Return y (n,) that proves the problem infeasible, checked, or None if a linear program finds none."""
    if problem.size == 0 or not (problem.q < 0).any():
        return None
    r, s = equilibrate(problem.M)
    M, q = r[:, None] * problem.M * s, r * problem.q
    # Near the edge of feasibility one setting of the linear program fails where another does not.
    for options in ({"primal_feasibility_tolerance": 1e-10}, {}, {"presolve": False}):
        answer = scipy.optimize.linprog(
            q / np.abs(q).max(),
            A_ub=M.T,
            b_ub=np.zeros(problem.size),
            bounds=(0.0, 1.0),
            method="highs",
            options=options,
        )
        if answer.x is not None:
            y = np.maximum(answer.x, 0.0) * r
            if is_certificate(problem, y, tolerance):
                return y
            if answer.fun > -tolerance:
                return None
    return None
