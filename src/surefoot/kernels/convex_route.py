"""Coulomb's law by a sequence of convex problems, each a projection in the space of the free velocities.

With the offset s held fixed the problem

    min 1/2 |u|^2  subject to  c_n + offset + s + mu D_j'c_t >= 0  for every edge j,        c = W u + c0

is convex, and its multipliers make impulses inside the pyramids. Where s equals mu max_j(-D_j'c_t), the slip that the
answer itself has, the answer satisfies Coulomb's law: complementarity, and friction against the slip. So: solve, set
s to the slip found, solve again from the same basis. At most nu multipliers are positive however many contacts there
are, and the modes that they show let `active_modes` finish exactly. Infinite friction: tangent rows as pairs of
inequalities; a contact held without load is released.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.active_modes import solve_modes
from surefoot.kernels.cache import inlined, kernel
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.principal_pivoting import (
    PivotingOptions,
    PivotingWork,
    is_certificate,
    pivoting_work,
    principal_pivoting,
)
from surefoot.kernels.pyramid import gauge
from surefoot.kernels.status import INCONSISTENT, INFEASIBLE, SOLVED, UNSOLVED
from surefoot.kernels.sweeps import read_modes


class Convex(NamedTuple):
    """Work arrays for up to `capacity` blocks with k edges and nv free velocities."""

    rows: ndarray  # (capacity * max(k, 5) * nv,) constraint rows, packed
    b: ndarray  # (capacity * max(k, 5),)
    x: ndarray  # multipliers
    certificate: ndarray
    first: ndarray  # (capacity,) a block's first row
    released: ndarray  # (capacity,) bool: held contacts that carry nothing
    shift: ndarray  # (capacity,) s
    basis: ndarray  # (nv + 1,) int64
    u: ndarray  # (nv,)
    options: PivotingOptions
    work: PivotingWork


def make_convex(capacity: int, edges: int, nv: int) -> Convex:
    """Work arrays."""
    rows = capacity * max(edges, 5)
    return Convex(
        rows=np.empty(rows * nv),
        b=np.empty(rows),
        x=np.empty(rows),
        certificate=np.zeros(rows),
        first=np.zeros(capacity, dtype=np.int64),
        released=np.zeros(capacity, dtype=bool),
        shift=np.zeros(capacity),
        basis=np.zeros(nv + 1, dtype=np.int64),
        u=np.zeros(nv),
        options=PivotingOptions(),
        work=pivoting_work(rows, nv),
    )


@kernel
def solve_convex_route(W, nu, n, c0, offset, kind, mu, bound, D, scale, tolerance, s, work, f, certificate):
    """Returns (status, residual). INFEASIBLE and INCONSISTENT leave their culprits in `certificate` (n,).

    Infinite friction holds a closed contact; one that ends without load is let go.
    """
    for i in range(n):
        work.released[i] = False
        work.shift[i] = 0.0
        certificate[i] = 0.0
        if kind[i] == BOX and s.g[i, 1] > 0.0:
            return UNSOLVED, math.inf  # dry friction bounds a multiplier: not a projection
    if nu == 0:
        return _all_prescribed(n, c0, offset, kind, tolerance * scale, certificate)
    count = _rows(W, nu, n, c0, offset, kind, mu, D, work)
    V = work.rows[: count * nu].reshape(count, nu)
    basic = int64(0)
    widened = 0
    inner = 1e-3 * tolerance
    for round in range(40):
        result = principal_pivoting(
            V, work.b[:count], work.basis[: nu + 1], basic, work.options, work.work, work.u[:nu], work.x[:count],
            work.certificate[:count],
        )  # fmt: skip
        if result.status != SOLVED:
            if result.status != INFEASIBLE or widened == 3:
                return UNSOLVED, math.inf
            held = _mark_held(n, kind, mu, count, scale, work, certificate)
            proven = _normals_infeasible(W, nu, n, c0, offset, kind, scale, work, certificate)
            if proven or held:
                return (INFEASIBLE if proven else INCONSISTENT), math.inf
            # The normals alone can open with velocity u: the slip of u makes room for it in every pyramid.
            widened += 1
            _next_shift(W, nu, n, c0, kind, mu, D, work)
            count = _rows(W, nu, n, c0, offset, kind, mu, D, work)
            V = work.rows[: count * nu].reshape(count, nu)
            basic = 0
            continue
        basic = result.basic
        change = _next_shift(W, nu, n, c0, kind, mu, D, work)
        _impulses(n, kind, mu, D, work, f)
        released = _release(n, kind, mu, D, s, work, f)
        if released or round in (0, 1, 2, 4, 8, 16, 32, 39) or change <= 1e-12 * scale:
            read_modes(W, nu, n, c0, kind, mu, bound, D, s, f)
            residual = solve_modes(W, nu, n, c0, offset, kind, mu, bound, D, scale, inner, int64(8), int64(24), s, f)
            if residual <= tolerance:
                return SOLVED, residual
        if released:
            count = _rows(W, nu, n, c0, offset, kind, mu, D, work)
            V = work.rows[: count * nu].reshape(count, nu)
            basic = 0
        else:
            if change <= 1e-12 * scale:
                break
            _shift_rows(W, n, c0, offset, kind, mu, D, work)
    return UNSOLVED, math.inf


@inlined
def _all_prescribed(n, c0, offset, kind, tol, certificate):
    """No velocity is free: every contact opens or stays, or the demand is impossible."""
    feasible = True
    for i in range(n):
        if kind[i] != BOX and c0[3 * i] + offset[i] < -tol:
            certificate[i] = 1.0
            feasible = False
    return (UNSOLVED if feasible else INFEASIBLE), math.inf


@inlined
def _has_cone(i, kind, mu, work):
    return kind[i] == CONE and mu[i] > 0.0 and not work.released[i]


@inlined
def _rows(W, nu, n, c0, offset, kind, mu, D, work):
    """Constraint rows of all blocks; returns their number."""
    count = 0
    for i in range(n):
        work.first[i] = count
        if kind[i] == BOX:
            continue
        cone = _has_cone(i, kind, mu, work)
        if cone and not math.isinf(mu[i]):
            for e in range(D.shape[0]):
                x, y = mu[i] * D[e, 0], mu[i] * D[e, 1]
                for j in range(nu):
                    work.rows[count * nu + j] = W[3 * i, j] + x * W[3 * i + 1, j] + y * W[3 * i + 2, j]
                count += 1
            continue
        for j in range(nu):
            work.rows[count * nu + j] = W[3 * i, j]
        count += 1
        if cone:
            for e in range(4):
                sign = 1.0 - 2.0 * (e % 2)
                for j in range(nu):
                    work.rows[count * nu + j] = sign * W[3 * i + 1 + e // 2, j]
                count += 1
    _shift_rows(W, n, c0, offset, kind, mu, D, work)
    return count


@inlined
def _shift_rows(W, n, c0, offset, kind, mu, D, work):
    """Right sides for the present shift."""
    for i in range(n):
        if kind[i] == BOX:
            continue
        row = work.first[i]
        cone = _has_cone(i, kind, mu, work)
        if cone and not math.isinf(mu[i]):
            for e in range(D.shape[0]):
                slip = D[e, 0] * c0[3 * i + 1] + D[e, 1] * c0[3 * i + 2]
                work.b[row + e] = c0[3 * i] + offset[i] + work.shift[i] + mu[i] * slip
            continue
        work.b[row] = c0[3 * i] + offset[i]
        if cone:
            for e in range(4):
                work.b[row + 1 + e] = (1.0 - 2.0 * (e % 2)) * c0[3 * i + 1 + e // 2]


@inlined
def _next_shift(W, nu, n, c0, kind, mu, D, work):
    """Set s to mu times the slip of the present u; returns the largest change."""
    change = 0.0
    for i in range(n):
        if not _has_cone(i, kind, mu, work) or math.isinf(mu[i]):
            continue
        cx, cy = c0[3 * i + 1], c0[3 * i + 2]
        for j in range(nu):
            cx += W[3 * i + 1, j] * work.u[j]
            cy += W[3 * i + 2, j] * work.u[j]
        slip = 0.0
        for e in range(D.shape[0]):
            slip = max(slip, -(D[e, 0] * cx + D[e, 1] * cy))
        change = max(change, abs(mu[i] * slip - work.shift[i]))
        work.shift[i] = mu[i] * slip
    return change


@inlined
def _impulses(n, kind, mu, D, work, f):
    for i in range(n):
        f[3 * i] = 0.0
        f[3 * i + 1] = 0.0
        f[3 * i + 2] = 0.0
        if kind[i] == BOX:
            continue
        row = work.first[i]
        cone = _has_cone(i, kind, mu, work)
        if cone and not math.isinf(mu[i]):
            for e in range(D.shape[0]):
                push = work.x[row + e]
                f[3 * i] += push
                f[3 * i + 1] += mu[i] * D[e, 0] * push
                f[3 * i + 2] += mu[i] * D[e, 1] * push
            continue
        f[3 * i] = work.x[row]
        if cone:
            f[3 * i + 1] = work.x[row + 1] - work.x[row + 2]
            f[3 * i + 2] = work.x[row + 3] - work.x[row + 4]


@inlined
def _release(n, kind, mu, D, s, work, f):
    """Let go of held contacts that end with friction but without load; True if there was one."""
    found = False
    largest = 0.0
    for i in range(n):
        largest = max(largest, s.g[i, 0] * f[3 * i])
    for i in range(n):
        if _has_cone(i, kind, mu, work) and math.isinf(mu[i]) and s.g[i, 0] * f[3 * i] <= 1e-12 * largest:
            if s.g[i, 1] * gauge(f[3 * i + 1], f[3 * i + 2], D) > 1e-12 * largest:
                work.released[i] = True
                found = True
    return found


@inlined
def _mark_held(n, kind, mu, count, scale, work, certificate):
    """Mark contacts of infinite friction whose tangents the certificate of infeasibility uses; True if there is one."""
    held = False
    missing = 0.0
    weight = 0.0
    for row in range(count):
        missing -= work.b[row] * work.certificate[row]
        weight += work.certificate[row]
    if missing <= 1e-7 * scale * weight:
        return False  # rounding in dependent rows, not a contradiction
    for i in range(n):
        if kind[i] == BOX or not (_has_cone(i, kind, mu, work) and math.isinf(mu[i])):
            continue
        for row in range(work.first[i] + 1, work.first[i] + 5):
            if work.certificate[row] > 0.0:
                certificate[i] = 1.0
                held = True
    return held


@inlined
def _normals_infeasible(W, nu, n, c0, offset, kind, scale, work, certificate):
    """Whether the normals alone contradict: y >= 0, W_n'y = 0, (c0_n + offset)'y < 0, checked; else u opens them."""
    count = 0
    for i in range(n):
        if kind[i] == BOX:
            continue
        work.first[i] = count
        work.b[count] = c0[3 * i] + offset[i]
        for j in range(nu):
            work.rows[count * nu + j] = W[3 * i, j]
        count += 1
    V = work.rows[: count * nu].reshape(count, nu)
    y = work.certificate[:count]
    result = principal_pivoting(
        V, work.b[:count], work.basis[: nu + 1], int64(0), work.options, work.work, work.u[:nu], work.x[:count], y
    )
    if result.status != INFEASIBLE:
        return False
    if not is_certificate(V, work.b[:count], y, work.work.size[:count], work.u[:nu], 1e-9):
        return False
    total = 0.0
    weight = 0.0
    for row in range(count):
        total += work.b[row] * y[row]
        weight += y[row]
    if not total < -1e-9 * scale * weight:
        return False
    for i in range(n):
        certificate[i] = y[work.first[i]] if kind[i] != BOX else 0.0
    return True
