"""The soft law where every velocity is prescribed [Todorov2014, section III]: impulses contact by contact.

    f = argmin over K of 1/2 f'R f + f'(c+ - c*),        y = R^-1 (c* - c+)

Nothing couples the contacts. In the variables x = sqrt(R) f of cones.py a contact's impulse is the nearest point of a
circular cone to sqrt(R) y.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.plant import BOX, CONE, TURN
from surefoot.kernels.status import NOT_FINITE, SOLVED

PROJECTION = 6  # who found the answer; see fallback.py for the others


@part
def project_law(p, R, target, turn, f):
    """Fill the impulses f (3n,), zero on entry, for contact velocities p.c0. Returns (status, residual, method).

    Args:
        p: Problem without free velocities.
        R, target: (3n,) of `soften`.
        turn: (n,) the contact whose turning a block is, else -1; rising where it is not.
        f: (3n,) impulses.
    """
    total, turning = 0.0, int64(0)
    for i in range(p.n):
        r = 3 * i
        if p.kind[i] == BOX:
            push = (target[r + 1] - p.c0[r + 1]) / R[r + 1]
            f[r + 1] = push if abs(push) <= p.bound[i] else math.copysign(p.bound[i], push)
            total += push
            continue
        if p.kind[i] == TURN or p.offset[i] > 0.0:
            continue
        push = (target[r] - p.c0[r]) / R[r]
        total += push
        if p.kind[i] != CONE or p.mu[i] == 0.0:
            f[r] = max(push, 0.0)
            continue
        if math.isinf(p.mu[i]):
            f[r] = max(push, 0.0)
            for k in range(r + 1, r + 3):
                f[k] = (target[k] - p.c0[k]) / R[k]
                total += f[k]
            continue
        while turning < p.n and turn[turning] < i:
            turning += 1
        t = turning if turning < p.n and turn[turning] == i else int64(-1)
        total += _project_cone(p, R, target, r, t, push, f)
    if math.isfinite(total):
        return SOLVED, 0.0, PROJECTION
    return NOT_FINITE, math.inf, PROJECTION


@inlined
def _project_cone(p, R, target, r, t, push, f):
    """Impulses of the contact with rows r, r + 1, r + 2 and of its turning, block t (-1: it has none); returns |y|.

    With x_0 and |x_t| of the unconstrained impulse and mu_hat = mu sqrt(R_1 / R_0): within the cone it stays; within
    the polar cone it is zero; else it goes to the nearest point of the cone's surface.
    """
    mu = p.mu[r // 3]
    side = 0.0
    for k in range(r + 1, r + 3):
        f[k] = (target[k] - p.c0[k]) / R[k]
        side += R[k] * f[k] * f[k]
    if t >= 0:
        for k in range(3):
            if (p.mu[t] if k == 0 else p.bound[t]) > 0.0:
                at = 3 * t + k
                f[at] = (target[at] - p.c0[at]) / R[at]
                side += R[at] * f[at] * f[at]
    side = math.sqrt(side)
    root = math.sqrt(R[r])
    top = root * push
    limit = mu * math.sqrt(R[r + 1]) / root
    shrink = 1.0
    if limit * side <= -top:
        top, shrink = 0.0, 0.0
    elif side > limit * top:
        top = (top + limit * side) / (1.0 + limit * limit)
        shrink = limit * top / side
    f[r] = top / root
    for k in range(r + 1, r + 3):
        f[k] *= shrink
    if t >= 0:
        for k in range(3 * t, 3 * t + 3):
            f[k] *= shrink
    return side
