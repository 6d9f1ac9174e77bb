"""The friction pyramid with k edges: gauge, projection, and the law's residual.

Its table D (k, 6) holds per edge j: the edge D_j (unit vector in the tangent plane, two columns); the normal of face
j, which lies between the edges j and j + 1 (two columns); the cosine and sine of half a sector, pi / k.
"""

from __future__ import annotations

import math

import numpy as np

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import EXACT

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


@part
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


@part
def cone_mode(n, x, y, mu, D):
    """Where a point (n, x, y) is projected to on the cone of impulses with slope mu: STICK inside, OFF at the apex."""
    if gauge(x, y, D) <= mu * n:
        return STICK
    k = D.shape[0]
    a = boundary_mode(x, y, 0.0, D) - EDGE  # the edge nearest to the tangent part
    b = (a + 1) % k
    if D[b, 0] * x + D[b, 1] * y < D[(a + k - 1) % k, 0] * x + D[(a + k - 1) % k, 1] * y:
        b = a
        a = (a + k - 1) % k
    # Coordinates in the plane of the edges (1, mu D_a), (1, mu D_b): both positive: on the face between them.
    size, across = 1.0 + mu * mu, 1.0 + mu * mu * (D[a, 0] * D[b, 0] + D[a, 1] * D[b, 1])
    along_a = n + mu * (D[a, 0] * x + D[a, 1] * y)
    along_b = n + mu * (D[b, 0] * x + D[b, 1] * y)
    if size * along_a - across * along_b > 0.0 and size * along_b - across * along_a > 0.0:
        return EDGE + k + a
    if max(along_a, along_b) <= 0.0:
        return OFF
    return EDGE + (a if along_a >= along_b else b)


@part
def project_on_cone(n, x, y, mu, D):
    """Nearest point of the cone of impulses {gauge(x, y) <= mu n}."""
    mode = cone_mode(n, x, y, mu, D)
    if mode == STICK:
        return n, x, y
    if mode == OFF:
        return 0.0, 0.0, 0.0
    k = D.shape[0]
    a = (mode - EDGE) % k
    size = 1.0 + mu * mu
    along_a = n + mu * (D[a, 0] * x + D[a, 1] * y)
    if mode < EDGE + k:
        return along_a / size, mu * D[a, 0] * along_a / size, mu * D[a, 1] * along_a / size
    b = (a + 1) % k
    along_b = n + mu * (D[b, 0] * x + D[b, 1] * y)
    across = 1.0 + mu * mu * (D[a, 0] * D[b, 0] + D[a, 1] * D[b, 1])
    share_a = (size * along_a - across * along_b) / (size * size - across * across)
    share_b = (size * along_b - across * along_a) / (size * size - across * across)
    return share_a + share_b, mu * (share_a * D[a, 0] + share_b * D[b, 0]), mu * (share_a * D[a, 1] + share_b * D[b, 1])


@part
def project_on_round_cone(n, x, y, mu):
    """Nearest point of the cone {|(x, y)| <= mu n}."""
    size = math.sqrt(x * x + y * y)
    if size <= mu * n:
        return n, x, y
    if mu * size <= -n:
        return 0.0, 0.0, 0.0
    push = (n + mu * size) / (1.0 + mu * mu)
    return push, mu * push * x / size, mu * push * y / size


@inlined
def opening(p, i, c):
    """Speed at which block i opens, c_n + offset; under the dissipative law less mu times the slip."""
    result = c[3 * i] + p.offset[i]
    if p.dissipative and p.kind[i] == CONE and not math.isinf(p.mu[i]):
        slip = 0.0
        for e in range(p.D.shape[0]):
            slip = max(slip, -(p.D[e, 0] * c[3 * i + 1] + p.D[e, 1] * c[3 * i + 2]))
        result -= p.mu[i] * slip
    return result


@part
def law_residual(p, f, c, g):
    """Largest violation of the law over all blocks, relative to the velocity `scale`.

    The natural map: f is right exactly where projecting f - r c on the law's set gives f back. Impulses are turned into
    velocities by g (2 columns: squared size of the block's normal row and of its larger tangent row in W), so that
    every entry is in m/s:

        |min(g f_n, c_n + offset)|             contact and its complementarity
        |g f_t - P(g f_t - c_t)|               friction, P onto g mu max(f_n, 0) conv(D), or onto the interval of a BOX
        |g f_t|                                where there is no friction
        min(|c_t|, |g f|), |g f_t| if f_n = 0  infinite friction: load means no slip, no load means no friction

    The dissipative law instead has |g f - P(g f - c - offset e_n)| with P onto the cone; infinite friction: |c_t|.

    Args:
        p: Problem.
        f: (3n,) impulses.
        c: (3n,) end-of-step velocities, c = W W'f + c0.
        g: (n, 2).
    """
    kind, mu = p.kind, p.mu
    worst = 0.0
    for i in range(p.n):
        gn, gt = g[i, 0], g[i, 1]
        x, y, cx, cy = gt * f[3 * i + 1], gt * f[3 * i + 2], c[3 * i + 1], c[3 * i + 2]
        if kind[i] == BOX:
            limit = gt * p.bound[i]
            worst = max(worst, abs(x - min(max(x - cx, -limit), limit)), abs(y))
            continue
        push = gn * f[3 * i]
        if not (p.dissipative and kind[i] == CONE and 0.0 < mu[i] < math.inf):
            worst = max(worst, abs(min(push, c[3 * i] + p.offset[i])))
        if kind[i] != CONE or mu[i] == 0.0:
            worst = max(worst, abs(x), abs(y))
        elif p.dissipative:
            if math.isinf(mu[i]):
                worst = max(worst, abs(cx), abs(cy))
                continue
            g_one = max(gn, gt)
            n, x, y = g_one * f[3 * i], g_one * f[3 * i + 1], g_one * f[3 * i + 2]
            if p.form == EXACT:
                nearest = project_on_round_cone(n - c[3 * i] - p.offset[i], x - cx, y - cy, mu[i])
            else:
                nearest = project_on_cone(n - c[3 * i] - p.offset[i], x - cx, y - cy, mu[i], p.D)
            worst = max(worst, abs(n - nearest[0]), abs(x - nearest[1]), abs(y - nearest[2]))
        elif math.isinf(mu[i]):
            worst = max(worst, min(max(abs(cx), abs(cy)), max(push, abs(x), abs(y))))
            if push <= 1e-12 * p.scale:
                worst = max(worst, abs(x), abs(y))
        elif gt > 0.0:
            nearest = project(x - cx, y - cy, gt * mu[i] * max(f[3 * i], 0.0), p.D)
            worst = max(worst, abs(x - nearest[0]), abs(y - nearest[1]))
    return worst / p.scale
