"""Coulomb's law and its no-slip limit, exactly: quick guesses first, pivoting if they fail, and a check before "solved".

1. Guess modes from nothing (`active_modes`); enough for a robot that stands, walks or slides.
2. Gauss-Seidel sweeps suggest modes, and the guess starts there; three rounds, each with more sweeps.
3. Pivoting on a working set.

Whatever finds the impulses, the law's residual is computed anew from the problem.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy import ndarray

from surefoot.kernels.active_modes import cold_modes, prepare, solve_modes, sweep
from surefoot.kernels.cache import kernel
from surefoot.kernels.status import SOLVED, UNSOLVED

# Who found the answer.
GUESS = 1
SWEEPS = 2
PIVOTS = 3


class Pivoting(NamedTuple):
    """Work arrays of the pivoting fallback."""

    best: ndarray  # (3 capacity,) impulses
    certificate: ndarray  # (capacity,) weights that prove a demand impossible, or mark its culprits


@kernel
def solve_contacts(W, nu, n, c0, offset, kind, mu, bound, D, tolerance, s, pivoting, f):
    """Impulses `f` (3n,) that satisfy the law. Returns (status, residual, method).

    Args:
        W, nu, n, c0, offset, kind, mu, bound, D: as in `solve_modes`.
        tolerance: largest residual that counts as solved, relative to the velocity scale max |c0|.
        s: Scratch.
        pivoting: Pivoting.
        f: result.
    """
    for r in range(3 * n):
        f[r] = 0.0
    scale = prepare(W, nu, n, kind, c0, s.g)
    if scale == 0.0:
        return SOLVED, 0.0, GUESS
    inner = 1e-3 * tolerance
    cold_modes(n, c0, kind, bound, s)
    residual = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, 8, 24, s, f)
    if residual <= tolerance:
        return SOLVED, residual, GUESS
    for r in range(3 * n):
        pivoting.best[r] = 0.0
    for stage in range(3):
        sweep(W, nu, n, c0, offset, kind, mu, bound, D, 10 << stage, s, pivoting.best)
        for r in range(3 * n):
            f[r] = pivoting.best[r]
        residual = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, 8, 24, s, f)
        if residual <= tolerance:
            return SOLVED, residual, SWEEPS
    return UNSOLVED, math.inf, PIVOTS
