"""Rigid contact with friction by guessing modes: solve the linear system of a guess, read off a better guess, repeat.

Every block is off, sticks, or slides on an edge or a face of its pyramid. With the modes fixed the law is linear:

    R'(W W' C x + c0 + offset) = 0,        f = C x

(R: the velocity rows that must vanish, C: how the unknowns x make impulses). The next modes are those of the
projection of f - r c on the law's set (a Newton step on the law's natural map). It ends when nothing changes, mostly
after two to five solves; it may cycle, so the caller checks the answer and has a fallback. Only blocks that carry
impulse enter the system, all others are priced in time linear in their number. Dependent rows get a proximal term
that is iterated away, which spreads the load evenly over redundant contacts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from surefoot.kernels.cache import inlined, kernel
from surefoot.kernels.linear_algebra import lu_factor, lu_solve
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.pyramid import EDGE, OFF, STICK, boundary_mode, gauge, law_residual


class Scratch(NamedTuple):
    """Work arrays of the contact solvers, for up to `capacity` blocks and `unknowns` unknowns."""

    mode: ndarray  # (capacity,) int64
    g: ndarray  # (capacity, 2) squared sizes of normal and tangent rows
    c: ndarray  # (3 capacity,) velocities
    y: ndarray  # (nv,) W'f
    block: ndarray  # (unknowns,) int64, the block of an unknown
    columns: ndarray  # (unknowns, 3) its impulse per unit, in the block's frame
    C: ndarray  # (unknowns, nv) W'C
    R: ndarray  # (unknowns, nv) W'R
    S: ndarray  # (unknowns, unknowns)
    LU: ndarray  # (unknowns, unknowns)
    order: ndarray  # (unknowns,) int64
    weight: ndarray  # (unknowns,) proximal weight
    rhs: ndarray
    x: ndarray
    step: ndarray
    residual: ndarray


def make_scratch(capacity: int, nv: int) -> Scratch:
    """Work arrays for problems of up to `capacity` blocks and `nv` free velocities."""
    unknowns = min(3 * capacity, 3 * nv + 24)

    def floats(*shape: int) -> ndarray:
        return np.zeros(shape)

    def ints(*shape: int) -> ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Scratch(
        mode=ints(capacity),
        g=floats(capacity, 2),
        c=floats(3 * capacity),
        y=floats(nv),
        block=ints(unknowns),
        columns=floats(unknowns, 3),
        C=floats(unknowns, nv),
        R=floats(unknowns, nv),
        S=floats(unknowns, unknowns),
        LU=floats(unknowns, unknowns),
        order=ints(unknowns),
        weight=floats(unknowns),
        rhs=floats(unknowns),
        x=floats(unknowns),
        step=floats(unknowns),
        residual=floats(unknowns),
    )


@kernel
def prepare(W, nu, n, kind, c0, g):
    """Row sizes of each block; returns the velocity scale max |c0| (rows in use)."""
    scale = 0.0
    for i in range(n):
        for r in range(3):
            size = 0.0
            for j in range(nu):
                size += W[3 * i + r, j] ** 2
            if r == 0:
                g[i, 0] = size
                g[i, 1] = 0.0
            else:
                g[i, 1] = max(g[i, 1], size)
            scale = max(scale, abs(c0[3 * i + r]))
    return scale


@kernel
def contact_velocities(W, nu, n, c0, f, y, c):
    """Compute y = W'f and c = W y + c0 for all blocks."""
    for j in range(nu):
        y[j] = 0.0
    for r in range(3 * n):
        if f[r] != 0.0:
            for j in range(nu):
                y[j] += W[r, j] * f[r]
    for r in range(3 * n):
        total = c0[r]
        for j in range(nu):
            total += W[r, j] * y[j]
        c[r] = total


@kernel
def checked_residual(W, nu, n, c0, offset, kind, mu, bound, D, scale, s, f):
    """The law's residual of impulses f, computed from the problem; infinity if anything is not a number."""
    contact_velocities(W, nu, n, c0, f, s.y, s.c)
    return _finite_residual(n, offset, kind, mu, bound, D, scale, s, f)


@inlined
def _finite_residual(n, offset, kind, mu, bound, D, scale, s, f):
    total = 0.0
    for r in range(3 * n):
        total += abs(f[r]) + abs(s.c[r])
    if not math.isfinite(total):
        return math.inf
    return law_residual(n, kind, offset, mu, bound, D, f, s.c, s.g, scale)


@kernel
def solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, iterations, together, s, f):
    """Guess modes until they repeat; `f` (3n,) receives the impulses. Returns the law's residual (infinity: no answer).

    Args:
        W: rows of (*), `nu` columns in use.
        nu: number of free velocities.
        n: number of blocks.
        c0: (3n,) velocities without impulses.
        offset: (n,) gap / dt of each block.
        kind, mu, bound: (n,) kind of block, friction (inf allowed), largest impulse of a BOX.
        D: (k, 6) table of the pyramid.
        scale: velocity scale from `prepare`, which must have been called.
        tolerance: relative to scale.
        iterations: cap on the number of guesses.
        together: as long as no more unknowns than this arise, all violated blocks are switched on at once, else the
            worst only.
        s: Scratch.
        f: result.
    """
    tol = tolerance * scale
    unknowns = 0
    for _ in range(iterations):
        unknowns = _assemble(W, nu, n, c0, offset, kind, mu, bound, D, s, f)
        if unknowns < 0:
            return math.inf
        if not _solve(unknowns, nu, tol, s):
            return math.inf
        for p in range(unknowns):
            for r in range(3):
                f[3 * s.block[p] + r] += s.columns[p, r] * s.x[p]
        contact_velocities(W, nu, n, c0, f, s.y, s.c)
        if not _update(n, offset, kind, mu, bound, D, tol, unknowns, together, s, f):
            return _finite_residual(n, offset, kind, mu, bound, D, scale, s, f)
    return math.inf


@kernel
def cold_modes(n, c0, kind, bound, s):
    """First guess: nothing touches, dry friction as the motion without impulses has it."""
    for i in range(n):
        s.mode[i] = OFF
        if kind[i] == BOX and s.g[i, 1] > 0.0:
            y = -c0[3 * i + 1] / s.g[i, 1]
            s.mode[i] = STICK if abs(y) <= bound[i] else (EDGE if y > 0.0 else EDGE + 1)


@inlined
def _assemble(W, nu, n, c0, offset, kind, mu, bound, D, s, f):
    """Fill S, rhs and the columns for the present modes; f keeps only saturated dry friction. Returns the unknowns."""
    capacity = s.block.shape[0]
    k = D.shape[0]
    p = 0
    sticking = True
    for i in range(n):
        old_n, old_x, old_y = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        f[3 * i] = 0.0
        f[3 * i + 1] = 0.0
        f[3 * i + 2] = 0.0
        mode = s.mode[i]
        if mode == OFF:
            continue
        if kind[i] == BOX:
            if mode >= EDGE:
                f[3 * i + 1] = bound[i] if mode == EDGE else -bound[i]
                continue
            count = 1
        elif mode == STICK:
            count = 3 if kind[i] == CONE and mu[i] > 0.0 and s.g[i, 1] > 0.0 else 1
        else:
            count = 1 if mode < EDGE + k else 2
            sticking = False
        if p + count > capacity:
            return -1
        for q in range(count):
            # The unknown's impulse per unit (f), and the row that must vanish (r), on normal, tangent 1, tangent 2.
            fn, fx, fy, rn, rx, ry = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if kind[i] == BOX:
                fx, rx = 1.0, 1.0
            elif mode == STICK:
                if q == 0:
                    fn, rn = 1.0, 1.0
                elif q == 1:
                    fx, rx = 1.0, 1.0
                else:
                    fy, ry = 1.0, 1.0
            elif mode < EDGE + k:
                j = mode - EDGE
                fn, fx, fy, rn = 1.0, mu[i] * D[j, 0], mu[i] * D[j, 1], 1.0
            else:
                a = mode - EDGE - k
                b = (a + 1) % k
                if q == 0:
                    fn, rn = 1.0, 1.0
                    fx = 0.5 * mu[i] * (D[a, 0] + D[b, 0])
                    fy = 0.5 * mu[i] * (D[a, 1] + D[b, 1])
                else:
                    fx, fy = D[a, 0] - D[b, 0], D[a, 1] - D[b, 1]
                    rx, ry = fx, fy
            s.block[p] = i
            s.columns[p, 0], s.columns[p, 1], s.columns[p, 2] = fn, fx, fy
            size = rn * fn + rx * fx + ry * fy
            # The unknown's value in the impulses so far: where the proximal steps start.
            s.x[p] = (rn * old_n + rx * old_x + ry * old_y) / size
            s.rhs[p] = -(rn * (c0[3 * i] + offset[i]) + rx * c0[3 * i + 1] + ry * c0[3 * i + 2])
            s.weight[p] = size * (s.g[i, 1] if rn == 0.0 else s.g[i, 0])
            for j in range(nu):
                s.C[p, j] = fn * W[3 * i, j] + fx * W[3 * i + 1, j] + fy * W[3 * i + 2, j]
                s.R[p, j] = rn * W[3 * i, j] + rx * W[3 * i + 1, j] + ry * W[3 * i + 2, j]
            p += 1
    _known_impulses(W, nu, n, kind, p, s, f)
    for a in range(p):
        # All sticking: R = C, and the matrix is symmetric.
        for b in range(a if sticking else 0, p):
            total = 0.0
            for j in range(nu):
                total += s.R[a, j] * s.C[b, j]
            s.S[a, b] = total
            if sticking:
                s.S[b, a] = total
    return p


@inlined
def _known_impulses(W, nu, n, kind, unknowns, s, f):
    """Move saturated dry friction to the right side."""
    for i in range(n):
        if kind[i] == BOX and f[3 * i + 1] != 0.0:
            for a in range(unknowns):
                total = 0.0
                for j in range(nu):
                    total += s.R[a, j] * W[3 * i + 1, j]
                s.rhs[a] -= total * f[3 * i + 1]


@inlined
def _solve(p, nu, tol, s):
    """Solve S x = rhs; dependent rows by proximal steps from the given x. False if the factors are unusable."""
    if p == 0:
        return True
    for proximal in (0.0, 1e-7, 1e-4):
        if proximal == 0.0 and p > nu:
            continue
        for a in range(p):
            for b in range(p):
                s.LU[a, b] = s.S[a, b]
            s.LU[a, a] += proximal * s.weight[a]
            if proximal == 0.0:
                s.x[a] = 0.0
        quality = lu_factor(s.LU, p, s.order)
        if quality < 1e-13 or (proximal == 0.0 and quality < 1e-9):
            continue
        previous = math.inf
        for _ in range(2 if proximal == 0.0 else 20):
            size = 0.0
            for a in range(p):
                total = s.rhs[a]
                for b in range(p):
                    total -= s.S[a, b] * s.x[b]
                s.residual[a] = total
                size = max(size, abs(total))
            if size <= 1e-3 * tol or size > 0.5 * previous:
                break
            previous = size
            lu_solve(s.LU, s.order, p, s.residual, s.step)
            for a in range(p):
                s.x[a] += s.step[a]
        return True
    return False


@inlined
def _update(n, offset, kind, mu, bound, D, tol, unknowns, together, s, f):
    """Set each block's mode from its impulse and velocity; True if any mode changed."""
    changed = False
    wanting = 0
    worst = -1
    deepest = tol
    for i in range(n):
        gn, gt = s.g[i, 0], s.g[i, 1]
        if kind[i] == BOX:
            if gt > 0.0:
                mode = s.mode[i]
                value = f[3 * i + 1]
                slip = s.c[3 * i + 1]
                # Within rounding of a bound the present mode stays.
                if mode == STICK and abs(value) > bound[i] + tol / gt:
                    s.mode[i] = EDGE if value > 0.0 else EDGE + 1
                    changed = True
                elif mode >= EDGE and slip * value > tol * abs(value):
                    s.mode[i] = STICK
                    changed = True
            continue
        if s.mode[i] == OFF:
            opening = s.c[3 * i] + offset[i]
            if opening < -tol and gn > 0.0:
                wanting += 3 if kind[i] == CONE else 1
                if -opening > deepest:
                    deepest = -opening
                    worst = i
            continue
        mode = _next_mode(i, kind, mu, D, tol, s, f)
        if mode != s.mode[i]:
            s.mode[i] = mode
            changed = True
    if worst < 0:
        return changed
    if unknowns + wanting > together:
        s.mode[worst] = STICK
        return True
    for i in range(n):
        if kind[i] != BOX and s.mode[i] == OFF and s.c[3 * i] + offset[i] < -tol and s.g[i, 0] > 0.0:
            s.mode[i] = STICK
    return True


@inlined
def _next_mode(i, kind, mu, D, tol, s, f):
    """Mode of an active contact after a solve."""
    gn, gt = s.g[i, 0], s.g[i, 1]
    push = f[3 * i]
    if push * gn < -tol:
        return OFF
    if kind[i] != CONE or mu[i] == 0.0:
        return STICK
    x, y = f[3 * i + 1], f[3 * i + 2]
    if math.isinf(mu[i]):
        return OFF if push * gn <= tol and gauge(x, y, D) * gt > tol else STICK
    if gt == 0.0:
        return s.mode[i]
    cx, cy = s.c[3 * i + 1], s.c[3 * i + 2]
    slack = tol / gt
    radius = mu[i] * max(push, 0.0)
    if s.mode[i] != STICK:
        x -= cx / gt
        y -= cy / gt
        slack = 0.0
    if gauge(x, y, D) <= radius + slack:
        return STICK
    return boundary_mode(x, y, radius, D)
