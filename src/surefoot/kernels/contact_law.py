"""Coulomb's law and its no-slip limit, exactly: quick guesses first, pivoting if they fail, and a check before "solved".

1. Guess modes from nothing (`active_modes`); enough for a robot that stands, walks or slides.
2. A sequence of convex problems (`convex_route`) shows the modes of redundant contact, or proves that the normals contradict.
3. Gauss-Seidel sweeps suggest modes, and the guess starts there; three rounds, each with more sweeps.
4. Lemke's method on a working set (`working_set`).

Whatever finds the impulses, the law's residual is computed anew from the problem.
"""

from __future__ import annotations

from surefoot.kernels.active_modes import cold_modes, prepare, solve_modes, sweep
from surefoot.kernels.cache import kernel
from surefoot.kernels.convex_route import solve_convex_route
from surefoot.kernels.status import INFEASIBLE, SOLVED
from surefoot.kernels.working_set import solve_working_set

# Who found the answer.
GUESS = 1
CONVEX = 2
SWEEPS = 3
PIVOTS = 4


@kernel
def solve_contacts(W, nu, n, c0, offset, kind, mu, bound, D, tolerance, s, pivoting, f):
    """Impulses `f` (3n,) that satisfy the law. Returns (status, residual, method).

    Args:
        W, nu, n, c0, offset, kind, mu, bound, D: as in `solve_modes`.
        tolerance: largest residual that counts as solved, relative to the velocity scale max |c0|.
        s: Scratch.
        pivoting: Pivoting; its certificate names the culprits of an impossible demand.
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
    verdict, residual = solve_convex_route(
        W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, pivoting.convex, f, pivoting.certificate
    )
    if verdict == SOLVED or verdict == INFEASIBLE:
        return verdict, residual, CONVEX
    for r in range(3 * n):
        pivoting.best[r] = 0.0
    for stage in range(3):
        sweep(W, nu, n, c0, offset, kind, mu, bound, D, 10 << stage, s, pivoting.best)
        for r in range(3 * n):
            f[r] = pivoting.best[r]
        residual = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, 8, 24, s, f)
        if residual <= tolerance:
            return SOLVED, residual, SWEEPS
    status, residual = solve_working_set(W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, pivoting, f)
    return (verdict if status != SOLVED else status), residual, PIVOTS
