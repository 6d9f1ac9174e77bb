"""What to do when the first guess of the modes fails: convex problems, sweeps, pivoting.

This is most of the machine code and rarely runs. It is compiled by itself and called through a function pointer:
linked into every loop that may need it, it would be optimised anew in each.
"""

from __future__ import annotations

import math
from typing import Any

from numba import int64, typeof, types

from surefoot.kernels.active_modes import checked_residual, solve_modes
from surefoot.kernels.cache import compiled_pointer, inlined
from surefoot.kernels.convex_route import solve_convex_route
from surefoot.kernels.status import INCONSISTENT, REGULARISED, SOLVED, UNSOLVED
from surefoot.kernels.sweeps import read_modes, sweep
from surefoot.kernels.working_set import VERY_ROUGH, solve_working_set

# Who found the answer.
GUESS = 1
CONVEX = 2
SWEEPS = 3
PIVOTS = 4


@inlined
def _smoothed(n, mu, mu_out):
    """Copy friction, none of it above VERY_ROUGH; True if that changed any."""
    changed = False
    for i in range(n):
        mu_out[i] = min(mu[i], VERY_ROUGH)
        changed = changed or mu[i] > VERY_ROUGH
    return changed


def _fallback(W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, box, f):
    """Returns (status, residual, method).

    Infinite friction may have no answer: held, a contact would be pulled; released, it would be driven in (Painleve's
    paradox). Then friction of 1e3 stands for it, and the answer is called REGULARISED.
    """
    pivoting = box.value
    inner = 1e-3 * tolerance
    verdict, residual = solve_convex_route(
        W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, pivoting.convex, f, pivoting.certificate
    )
    if verdict != UNSOLVED and verdict != INCONSISTENT:
        return verdict, residual, CONVEX
    # Inconsistent only if all closed contacts stay: some may lift, which the others find out.
    for r in range(3 * n):
        pivoting.best[r] = 0.0
    for stage in range(3):
        sweep(W, nu, n, c0, offset, kind, mu, bound, D, int64(10 << stage), s, pivoting.best)
        for r in range(3 * n):
            f[r] = pivoting.best[r]
        residual = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, int64(8), int64(24), s, f)
        if residual <= tolerance:
            return SOLVED, residual, SWEEPS
    status, residual = solve_working_set(W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, pivoting, f)
    if status == SOLVED:
        return status, residual, PIVOTS
    if verdict == INCONSISTENT or not _smoothed(n, mu, pivoting.mu):
        for r in range(3 * n):
            f[r] = 0.0
        return verdict, math.inf, PIVOTS
    status, residual = solve_convex_route(
        W, nu, n, c0, offset, kind, pivoting.mu, bound, D, scale, tolerance, s, pivoting.convex, f, pivoting.certificate
    )
    if status != SOLVED:
        for r in range(3 * n):
            pivoting.best[r] = max(f[r], 0.0) if r % 3 == 0 else 0.0
        status, residual = solve_working_set(
            W, nu, n, c0, offset, kind, pivoting.mu, bound, D, scale, tolerance, s, pivoting, f
        )
    if status != SOLVED:
        return UNSOLVED, math.inf, PIVOTS
    # Friction that is large but finite has the same modes: solve them with its own value.
    for r in range(3 * n):
        pivoting.best[r] = f[r]
    read_modes(W, nu, n, c0, kind, pivoting.mu, bound, D, s, f)
    exact = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, int64(8), int64(24), s, f)
    if exact <= tolerance:
        return SOLVED, exact, PIVOTS
    for r in range(3 * n):
        f[r] = pivoting.best[r]
    return REGULARISED, checked_residual(W, nu, n, c0, offset, kind, mu, bound, D, scale, s, f), PIVOTS


class Fallback(types.WrapperAddressProtocol):
    """`_fallback` as a function pointer for one kind of work arrays."""

    def __init__(self, scratch: Any, box: Any) -> None:
        vector, matrix = types.float64[::1], types.float64[:, ::1]
        self._signature = types.Tuple((types.int64, types.float64, types.int64))(
            *(matrix, types.int64, types.int64, vector, vector, types.int64[::1], vector, vector, matrix),
            *(types.float64, types.float64, typeof(scratch), typeof(box), vector),
        )

    def __wrapper_address__(self) -> int:
        """Address of the machine code; compiled on first need."""
        return compiled_pointer(_fallback, self._signature)

    def signature(self) -> Any:
        """Numba's view of the signature."""
        return self._signature
