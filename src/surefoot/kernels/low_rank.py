"""Checks of what solves, or cannot solve, a linear complementarity problem of low rank, M = W W'."""

from __future__ import annotations

import math

from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import row_dot


@part
def is_certificate(W, b, y, size, scratch, tolerance):
    """Return whether y >= 0, W'y = 0 and b'y < 0 hold, with |W'y| at most tolerance times the sum of y |row|."""
    n, nu = W.shape
    total = 0.0
    weight = 0.0
    for c in range(nu):
        scratch[c] = 0.0
    for i in range(n):
        if not y[i] >= 0.0:
            return False
        if y[i] > 0.0:
            total += y[i] * b[i]
            weight += y[i] * size[i]
            for c in range(nu):
                scratch[c] += y[i] * W[i, c]
    return total < 0.0 and math.sqrt(_square(scratch, nu)) <= tolerance * weight


@part
def low_rank_residual(W, b, x, size, u_out):
    """Return the largest |min(x |row|, w / |row|)| with w = W W'x + b, and write u = W'x."""
    n, nu = W.shape
    for c in range(nu):
        u_out[c] = 0.0
    for i in range(n):
        if x[i] != 0.0:
            for c in range(nu):
                u_out[c] += x[i] * W[i, c]
    worst = 0.0
    for i in range(n):
        if size[i] > 0.0:
            w = b[i] + row_dot(W, i, u_out, nu)
            if x[i] != 0.0 or not w >= 0.0:
                violation = abs(min(x[i] * size[i], w / size[i]))
                if not violation <= worst:
                    worst = violation
    return worst


@part
def _square(a, n):
    total = 0.0
    for k in range(n):
        total += a[k] * a[k]
    return total
