"""Rigid contact with friction by guessing modes: solve the linear system of a guess, read off a better guess, repeat.

Every block is off, sticks, or slides on an edge or a face of its pyramid. With the modes fixed the law is linear:

    R'(W W' C x + c0 + offset) = 0,        f = C x

(R: the velocity rows that must vanish, C: how the unknowns x make impulses). The next modes are those of the
projection of f - r c on the law's set (a Newton step on the law's natural map). It ends when nothing changes, mostly
after two to five solves; it may cycle, so the caller checks the answer and has a fallback. Only blocks that carry
impulse enter the system (see dependent_rows.py), all others are priced in time linear in their number.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy import ndarray

from surefoot.kernels.box import box_type
from surefoot.kernels.cache import Pointer, inlined, part
from surefoot.kernels.dependent_rows import solve_dependent
from surefoot.kernels.linear_algebra import affine
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import PROBLEM_TYPE
from surefoot.kernels.pyramid import EDGE, OFF, STICK, boundary_mode, cone_mode, gauge, law_residual, opening

LOOSE = 1e-7  # a tolerance of this or more lets rows contradict each other a little
TOGETHER = 24  # while there are no more unknowns than this, all violated blocks are switched on at once, else the worst


class Scratch(NamedTuple):
    """Work arrays of the contact solvers, for up to `capacity` blocks and `unknowns` unknowns."""

    mode: ndarray  # (capacity,) int64
    known: ndarray  # (1,) bool: whether `mode` holds a first guess; a law that reads it forgets it
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
    kept: ndarray


def make_scratch(capacity: int, nv: int) -> Scratch:
    """Work arrays for problems of up to `capacity` blocks and `nv` free velocities."""
    unknowns = min(3 * capacity, 3 * nv + 24)

    def floats(*shape: int) -> ndarray:
        return np.zeros(shape)

    def ints(*shape: int) -> ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Scratch(
        mode=ints(capacity),
        known=np.zeros(1, dtype=bool),
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
        kept=floats(unknowns),
    )


@part
def contact_velocities(p, f, y, c):
    """Compute y = W'f and c = W y + c0 for all blocks."""
    W, nu, n, c0 = p.W, p.nu, p.n, p.c0
    for j in range(nu):
        y[j] = 0.0
    for r in range(3 * n):
        if f[r] != 0.0:
            for j in range(nu):
                y[j] += W[r, j] * f[r]
    affine(W, c0, y, 3 * n, nu, c)


@part
def checked_residual(p, s, f):
    """The law's residual of impulses f, computed from the problem; infinity if anything is not a number."""
    contact_velocities(p, f, s.y, s.c)
    total = 0.0
    for r in range(3 * p.n):
        total += abs(f[r]) + abs(s.c[r])
    return law_residual(p, f, s.c, s.g) if math.isfinite(total) else math.inf


def _solve_modes(p, guesses, s, f):
    """Guess modes until they repeat; `f` (3n,) receives the impulses. Returns the law's residual (infinity: no answer).

    Args:
        p: Problem; `s.g` must hold its row sizes (`prepare`).
        guesses: cap on the number of guesses.
        s: Scratch with the first guess in `s.mode`.
        f: result.
    """
    tol = 1e-3 * p.tolerance * p.scale
    consistent = True
    for _ in range(guesses):
        unknowns = _assemble(p, consistent, s, f)
        if unknowns < 0:
            return math.inf
        missed = solve_dependent(unknowns, p.nu, tol, p.tolerance >= LOOSE, s)
        if not missed < math.inf:
            return math.inf
        consistent = missed <= tol
        for a in range(unknowns):
            for r in range(3):
                f[3 * s.block[a] + r] += s.columns[a, r] * s.x[a]
        contact_velocities(p, f, s.y, s.c)
        if not _update(p, tol, unknowns, s, f):
            return checked_residual(p, s, f)
    return math.inf


def modes_solver(scratch: Any) -> Pointer:
    """`_solve_modes` as a pointer, for one kind of Scratch: many methods end with it."""
    signature = types.float64(PROBLEM_TYPE, types.int64, box_type(scratch), types.float64[::1])
    return Pointer(_solve_modes, signature)


@part
def cold_modes(p, s):
    """First guess: nothing touches, dry friction as the motion without impulses has it."""
    for i in range(p.n):
        s.mode[i] = STICK if p.dissipative and p.kind[i] == CONE and math.isinf(p.mu[i]) else OFF
        if p.kind[i] == BOX and s.g[i, 1] > 0.0:
            y = -p.c0[3 * i + 1] / s.g[i, 1]
            s.mode[i] = STICK if abs(y) <= p.bound[i] else (EDGE if y > 0.0 else EDGE + 1)


@inlined
def _assemble(problem, warm, s, f):
    """Fill S, rhs and the columns for the present modes; f keeps only saturated dry friction. Returns the unknowns.

    `warm`: whether f is worth starting from; impulses of modes that contradict each other are not.
    """
    W, nu, kind, mu, D, c0 = problem.W, problem.nu, problem.kind, problem.mu, problem.D, problem.c0
    capacity = s.block.shape[0]
    k = D.shape[0]
    p = 0
    sticking = True
    for i in range(problem.n):
        old_n, old_x, old_y = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        f[3 * i] = 0.0
        f[3 * i + 1] = 0.0
        f[3 * i + 2] = 0.0
        mode = s.mode[i]
        if mode == OFF:
            continue
        if kind[i] == BOX:
            if mode >= EDGE:
                f[3 * i + 1] = problem.bound[i] if mode == EDGE else -problem.bound[i]
                continue
            count = 1
        elif mode == STICK:
            count = 3 if kind[i] == CONE and mu[i] > 0.0 and s.g[i, 1] > 0.0 else 1
        else:
            count = 1 if mode < EDGE + k and not math.isinf(mu[i]) else 2
            sticking = problem.dissipative and sticking
        if p + count > capacity:
            return -1
        for q in range(count):
            # The unknown's impulse per unit (f), and the row that must vanish (r), on normal, tangent 1, tangent 2.
            fn, fx, fy, rn, rx, ry = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if kind[i] == BOX:
                fx, rx = 1.0, 1.0
            elif mode == STICK or math.isinf(mu[i]):
                if q + 3 - count == 0 or count == 1:
                    fn, rn = 1.0, 1.0
                elif q + 3 - count == 1:
                    fx, rx = 1.0, 1.0
                else:
                    fy, ry = 1.0, 1.0
            elif mode < EDGE + k:
                j = mode - EDGE
                fn, fx, fy, rn = 1.0, mu[i] * D[j, 0], mu[i] * D[j, 1], 1.0
                if problem.dissipative:
                    rx, ry = fx, fy
            else:
                a = mode - EDGE - k
                b = (a + 1) % k
                if q == 0:
                    fn, rn = 1.0, 1.0
                    fx = 0.5 * mu[i] * (D[a, 0] + D[b, 0])
                    fy = 0.5 * mu[i] * (D[a, 1] + D[b, 1])
                    if problem.dissipative:
                        rx, ry = fx, fy
                else:
                    fx, fy = D[a, 0] - D[b, 0], D[a, 1] - D[b, 1]
                    rx, ry = fx, fy
            s.block[p] = i
            s.columns[p, 0], s.columns[p, 1], s.columns[p, 2] = fn, fx, fy
            size = rn * fn + rx * fx + ry * fy
            # The unknown's value in the impulses so far: where the proximal steps start.
            s.x[p] = (rn * old_n + rx * old_x + ry * old_y) / size if warm else 0.0
            s.rhs[p] = -(rn * (c0[3 * i] + problem.offset[i]) + rx * c0[3 * i + 1] + ry * c0[3 * i + 2])
            s.weight[p] = size * (s.g[i, 1] if rn == 0.0 else s.g[i, 0])
            for j in range(nu):
                s.C[p, j] = fn * W[3 * i, j] + fx * W[3 * i + 1, j] + fy * W[3 * i + 2, j]
                s.R[p, j] = rn * W[3 * i, j] + rx * W[3 * i + 1, j] + ry * W[3 * i + 2, j]
            p += 1
    _known_impulses(problem, p, s, f)
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
def _known_impulses(p, unknowns, s, f):
    """Move saturated dry friction to the right side."""
    for i in range(p.n):
        if p.kind[i] == BOX and f[3 * i + 1] != 0.0:
            for a in range(unknowns):
                total = 0.0
                for j in range(p.nu):
                    total += s.R[a, j] * p.W[3 * i + 1, j]
                s.rhs[a] -= total * f[3 * i + 1]


@inlined
def _update(p, tol, unknowns, s, f):
    """Set each block's mode from its impulse and velocity; True if any mode changed."""
    n, kind, bound = p.n, p.kind, p.bound
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
            speed = opening(p, i, s.c)
            if speed < -tol and gn > 0.0:
                wanting += 3 if kind[i] == CONE else 1
                if -speed > deepest:
                    deepest = -speed
                    worst = i
            continue
        mode = _next_mode(i, p, tol, s, f)
        if mode != s.mode[i]:
            s.mode[i] = mode
            changed = True
    if worst < 0:
        return changed
    if unknowns + wanting > TOGETHER:
        s.mode[worst] = STICK
        return True
    for i in range(n):
        if kind[i] != BOX and s.mode[i] == OFF and opening(p, i, s.c) < -tol and s.g[i, 0] > 0.0:
            s.mode[i] = STICK
    return True


@inlined
def _next_mode(i, p, tol, s, f):
    """Mode of an active contact after a solve."""
    kind, mu, D = p.kind, p.mu, p.D
    gn, gt = s.g[i, 0], s.g[i, 1]
    push = f[3 * i]
    if p.dissipative and kind[i] == CONE and mu[i] > 0.0:
        speed = s.c[3 * i] + p.offset[i]
        if math.isinf(mu[i]):  # EDGE: held without load
            if s.mode[i] == STICK:
                return STICK if push * gn >= -tol else EDGE
            return STICK if speed < -tol else EDGE
        one = max(gn, gt)
        if s.mode[i] == STICK:  # nothing moves: the impulse decides, within rounding
            return (
                STICK
                if gauge(f[3 * i + 1], f[3 * i + 2], D) <= mu[i] * push + tol / one
                else cone_mode(push, f[3 * i + 1], f[3 * i + 2], mu[i], D)
            )
        return cone_mode(
            push - speed / one, f[3 * i + 1] - s.c[3 * i + 1] / one, f[3 * i + 2] - s.c[3 * i + 2] / one, mu[i], D
        )
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
