"""Linear systems of contact rows, of which some depend on others.

Such rows get a proximal term that is iterated away, which spreads the load evenly over redundant contacts.
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.linear_algebra import lu_factor, lu_solve


@inlined
def solve_dependent(p, nu, tol, loose, s):
    """Solve S x = rhs; dependent rows by proximal steps from the given x.

    Returns the largest equation missed, infinity if the factors are unusable. `loose`: rows may contradict a little,
    and a larger proximal term keeps that from raising impulses which only cancel.
    """
    if p == 0:
        return 0.0
    if p <= nu:
        missed = _refine(p, 0.0, 0.5, tol, s)
        if missed < math.inf:
            return missed
    missed = _refine(p, 1e-6 if loose else 1e-7, 0.97 if loose else 0.5, tol, s)
    if missed == math.inf:
        return _refine(p, 1e-4, 0.5, tol, s)
    if not loose and 1e-2 * tol < missed < 1e6 * tol:
        # Rows that nearly depend on others converge slowly, rows that contradict others never do.
        size = 0.0
        for a in range(p):
            s.kept[a] = s.x[a]
            size = max(size, abs(s.x[a]))
        better, growth = _refine(p, 1e-12, 0.5, tol, s), 0.0
        for a in range(p):
            growth = max(growth, abs(s.x[a]))
        if better <= min(tol, missed) and growth <= 10.0 * size:
            return better
        for a in range(p):
            s.x[a] = s.kept[a]
    return missed


@part
def _refine(p, proximal, pace, tol, s):
    """Proximal steps on S x = rhs while each misses less than `pace` times the one before.

    Returns the largest equation missed, infinity if the factors are unusable.
    """
    for a in range(p):
        for b in range(p):
            s.LU[a, b] = s.S[a, b]
        s.LU[a, a] += proximal * s.weight[a]
    quality = lu_factor(s.LU, p, s.order)
    if quality < (1e-9 if proximal == 0.0 else 1e-13):
        return math.inf
    if proximal == 0.0:  # not before: proximal steps start from the impulses so far
        for a in range(p):
            s.x[a] = 0.0
    size, previous = 0.0, math.inf
    for _ in range(2 if proximal == 0.0 else 200):
        size = 0.0
        for a in range(p):
            total = s.rhs[a]
            for b in range(p):
                total -= s.S[a, b] * s.x[b]
            s.residual[a] = total
            size = max(size, abs(total))
        if size <= 1e-3 * tol or size > pace * previous:
            break
        previous = size
        lu_solve(s.LU, s.order, p, s.residual, s.step)
        for a in range(p):
            s.x[a] += s.step[a]
    return size
