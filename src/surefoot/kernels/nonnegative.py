"""Least squares without negative unknowns, for a handful of them: the active set method of [Lawson1974].

min 1/2 x'G x - g'x  subject to  x >= 0,        G = A'A positive definite, g = A'b
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve


@kernel
def nonnegative_least_squares(G, g, tolerance, x, free, trial, factor):
    """Find x (n,), none of it negative; what is at zero would only be pulled below.

    Args:
        G: (n, n) symmetric, positive definite.
        g: (n,).
        tolerance: x_i stays at zero unless g - G x there is larger.
        x: (n,) result.
        free: (n,) result, 1 for unknowns that are not held at zero.
        trial: (n,) work.
        factor: (n, n) work.

    Returns:
        Whether it was found; else x is the best so far (numbers that are not finite, G not positive definite).
    """
    n = g.shape[0]
    for i in range(n):
        x[i] = 0.0
        free[i] = 0.0
    for _ in range(3 * n + 1):
        best, steepest = -1, tolerance
        for i in range(n):
            slope = g[i]
            for j in range(n):
                slope -= G[i, j] * x[j]
            if free[i] == 0.0 and slope > steepest:
                best, steepest = i, slope
            if not math.isfinite(slope):
                return False
        if best < 0:
            return True
        free[best] = 1.0
        for _ in range(n):
            if not _solve_free(G, g, free, trial, factor):
                return False
            if _step_inside(x, trial, free):
                break
    return False


@part
def _solve_free(G, g, free, trial, factor):
    """`trial` <- the least squares of the free unknowns, the others at zero."""
    count = 0
    for i in range(g.shape[0]):
        if free[i] == 0.0:
            continue
        trial[count] = g[i]
        column = 0
        for j in range(i + 1):
            if free[j] != 0.0:
                factor[count, column] = G[i, j]
                column += 1
        count += 1
    if not cholesky(factor, count):
        return False
    cholesky_solve(factor, count, trial)
    for i in range(g.shape[0] - 1, -1, -1):
        if free[i] != 0.0:
            count -= 1
            trial[i] = trial[count]
    return True


@part
def _step_inside(x, trial, free):
    """Go from x towards `trial` as far as nothing turns negative, and hold there what is zero. True: all the way."""
    way, first = 1.0, -1
    for i in range(x.shape[0]):
        if free[i] != 0.0 and not trial[i] > 0.0 and x[i] <= way * (x[i] - trial[i]):
            way, first = (x[i] / (x[i] - trial[i]) if x[i] > 0.0 else 0.0), i
    for i in range(x.shape[0]):
        if free[i] != 0.0:
            x[i] += way * (trial[i] - x[i])
            if i == first or not x[i] > 0.0:
                x[i] = 0.0
                free[i] = 0.0
    return first < 0
