"""Coulomb's law and its no-slip limit, exactly: quick guesses first, pivoting if they fail, a check before "solved".

1. Guess modes from nothing (`active_modes`); enough for a robot that stands, walks or slides.
2. A sequence of convex problems (`convex_route`) shows the modes of redundant contact, or proves that the normals
   contradict.
3. Gauss-Seidel sweeps suggest modes, and the guess starts there; three rounds, each with more sweeps.
4. Lemke's method on a working set (`working_set`).

Whatever finds the impulses, the law's residual is computed anew from the problem.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.active_modes import cold_modes, prepare, solve_modes
from surefoot.kernels.cache import inlined, kernel
from surefoot.kernels.fallback import GUESS
from surefoot.kernels.plant import CONE
from surefoot.kernels.status import NOT_FINITE, SOLVED


@kernel
def solve_contacts(W, nu, n, c0, offset, kind, mu, bound, D, tolerance, s, pivoting, fallback, f):
    """Impulses `f` (3n,) that satisfy the law. Returns (status, residual, method).

    Args:
        W, nu, n, c0, offset, kind, mu, bound, D: as in `solve_modes`.
        tolerance: largest residual that counts as solved, relative to the velocity scale max |c0|.
        s: Scratch.
        pivoting: Box of a Pivoting; its certificate names the culprits of an impossible demand.
        fallback: Fallback, called when the first guess fails.
        f: result.
    """
    for r in range(3 * n):
        f[r] = 0.0
        if not math.isfinite(c0[r]):
            return NOT_FINITE, math.inf, GUESS
    for i in range(n):
        if math.isnan(mu[i]) or not math.isfinite(offset[i] + bound[i]):
            return NOT_FINITE, math.inf, GUESS
    scale = prepare(W, nu, n, kind, c0, s.g)
    if scale == 0.0:
        return SOLVED, 0.0, GUESS
    inner = 1e-3 * tolerance
    cold_modes(n, c0, kind, bound, s)
    residual = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, int64(8), int64(24), s, f)
    if residual <= tolerance:
        status, method = SOLVED, GUESS
    else:
        status, residual, method = fallback(W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, pivoting, f)
    _drag(n, c0, kind, mu, D, s.g, f)
    return status, residual, method


@inlined
def _drag(n, c0, kind, mu, D, g, f):
    """Friction where no free velocity can change the slip: it moves nothing, but what prescribes the slip feels it."""
    for i in range(n):
        if kind[i] != CONE or g[i, 1] > 0.0 or not f[3 * i] > 0.0 or math.isinf(mu[i]):
            continue
        best, most = -1, 0.0
        for e in range(D.shape[0]):
            against = -(D[e, 0] * c0[3 * i + 1] + D[e, 1] * c0[3 * i + 2])
            if against > most:
                most = against
                best = e
        if best >= 0:
            f[3 * i + 1] = mu[i] * f[3 * i] * D[best, 0]
            f[3 * i + 2] = mu[i] * f[3 * i] * D[best, 1]
