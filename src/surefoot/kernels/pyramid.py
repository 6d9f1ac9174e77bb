"""The friction pyramid with k edges: gauge, projection, and the law's residual.

Its table D (k, 6) holds per edge j: the edge D_j (unit vector in the tangent plane, two columns); the normal of face
j, which lies between the edges j and j + 1 (two columns); the cosine and sine of half a sector, pi / k.
"""

from __future__ import annotations

import math

import numpy as np

from surefoot.kernels.cache import inlined, kernel
from surefoot.kernels.plant import BOX, CONE

# Modes of a block; an edge mode is EDGE + j, a face mode EDGE + k + j (between edges j and j+1).
OFF = 0
STICK = 1
EDGE = 2


def pyramid_table(edges):
    """The table D of a pyramid with these (k, 2) edges."""
    half = np.pi / len(edges)
    turn = np.array([[np.cos(half), np.sin(half)], [-np.sin(half), np.cos(half)]])
    return np.column_stack([edges, edges @ turn, np.full(len(edges), np.cos(half)), np.full(len(edges), np.sin(half))])


@inlined
def gauge(x, y, D):
    """Smallest r >= 0 with (x, y) in r conv(D): the l1 norm for four edges."""
    largest = 0.0
    for j in range(D.shape[0]):
        largest = max(largest, D[j, 2] * x + D[j, 3] * y)
    return largest / D[0, 4]


@inlined
def boundary_mode(x, y, radius, D):
    """Where a point outside radius conv(D) is projected to: an edge mode or a face mode."""
    best = 0
    farthest = -1.0
    for j in range(D.shape[0]):
        distance = D[j, 2] * x + D[j, 3] * y
        if distance > farthest:
            farthest = distance
            best = j
    along = D[best, 2] * y - D[best, 3] * x
    reach = radius * D[0, 5]
    if along >= reach:
        return EDGE + (best + 1) % D.shape[0]
    if along <= -reach:
        return EDGE + best
    return EDGE + D.shape[0] + best


@kernel
def project(x, y, radius, D):
    """Nearest point of radius conv(D)."""
    if gauge(x, y, D) <= radius:
        return x, y
    k = D.shape[0]
    mode = boundary_mode(x, y, radius, D) - EDGE
    if mode < k:
        return radius * D[mode, 0], radius * D[mode, 1]
    a = mode - k
    b = (a + 1) % k
    sx, sy = D[b, 0] - D[a, 0], D[b, 1] - D[a, 1]
    along = ((x - radius * D[a, 0]) * sx + (y - radius * D[a, 1]) * sy) / (sx * sx + sy * sy)
    return radius * D[a, 0] + along * sx, radius * D[a, 1] + along * sy


@kernel
def law_residual(n, kind, offset, mu, bound, D, f, c, g, scale):
    """Largest violation of the law over all blocks, relative to the velocity `scale`.

    The natural map: f is right exactly where projecting f - r c on the law's set gives f back. Impulses are turned into
    velocities by g (2 columns: squared size of the block's normal row and of its larger tangent row in W), so that
    every entry is in m/s:

        |min(g f_n, c_n + offset)|             contact and its complementarity
        |g f_t - P(g f_t - c_t)|               friction, P onto g mu max(f_n, 0) conv(D), or onto the interval of a BOX
        |g f_t|                                where there is no friction
        min(|c_t|, |g f|), |g f_t| if f_n = 0  infinite friction: load means no slip, no load means no friction

    Args:
        n: number of blocks.
        kind, offset, mu, bound: as in `solve_modes`.
        D: (k, 6) table of edges.
        f: (3n,) impulses.
        c: (3n,) end-of-step velocities, c = W W'f + c0.
        g: (n, 2).
        scale: m/s.
    """
    worst = 0.0
    for i in range(n):
        gn, gt = g[i, 0], g[i, 1]
        x, y, cx, cy = gt * f[3 * i + 1], gt * f[3 * i + 2], c[3 * i + 1], c[3 * i + 2]
        if kind[i] == BOX:
            limit = gt * bound[i]
            worst = max(worst, abs(x - min(max(x - cx, -limit), limit)), abs(y))
            continue
        push = gn * f[3 * i]
        worst = max(worst, abs(min(push, c[3 * i] + offset[i])))
        if kind[i] != CONE or mu[i] == 0.0:
            worst = max(worst, abs(x), abs(y))
        elif math.isinf(mu[i]):
            worst = max(worst, min(max(abs(cx), abs(cy)), max(push, abs(x), abs(y))))
            if push <= 1e-12 * scale:
                worst = max(worst, abs(x), abs(y))
        elif gt > 0.0:
            nearest = project(x - cx, y - cy, gt * mu[i] * max(f[3 * i], 0.0), D)
            worst = max(worst, abs(x - nearest[0]), abs(y - nearest[1]))
    return worst / scale
