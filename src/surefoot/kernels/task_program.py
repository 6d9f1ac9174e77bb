"""The quadratic program of a whole-body controller, in the coordinates beta of the space of dynamics.

    level by level:   min |D beta - e|^2   subject to   G beta + g >= 0,   D beta as found for all levels before

A level's optimum is kept by going on in what its rows leave alone, and the limits that hold it: where a multiplier is
positive no later level can leave the limit, so that it becomes an equation. Then beta = s + Y'gamma. With D'D = R R' a
level is the least distance u = R'(gamma - gamma*) with W u + b >= 0, W = G Y' R^-T, which `principal_pivoting` solves
from the rows that were active in the last call. If the limits contradict each other they first give way, by as little
as can be; those that do are equations from then on:

    min sum (w_i / scale_i)^2   subject to   G beta + g + w >= 0
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve, row_dot
from surefoot.kernels.null_space import null_vectors, reflect_rows
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.status import SOLVED

FLAT = 1e-13  # a pivot of D'D that is smaller, relative to its diagonal, belongs to a direction that nothing weighs
FAINT = 1e-10  # weight of such directions, relative to the others
LOADED = 1e-9  # of the gradient: a multiplier that is larger holds its limit for all later levels
SAME = 1e-9  # rows of a task that leave less, relative to the largest, depend on the others
ROOM = 1e-10  # of a row's scale: what rounding may take away from a limit on the way from level to level
LIGHT = 1e-5  # weight of the coordinates against limits that give way, in proximal steps
STEPS = 4  # so many of them at most


class Quadratic(NamedTuple):
    """Work for up to m rows of tasks, r limits, nb coordinates and l levels."""

    D: ndarray  # (nb, m) rows of the tasks, by columns
    e: ndarray  # (m,)
    Dy: ndarray  # (nb, m) the same in the coordinates that are free
    ey: ndarray  # (m,)
    kept: ndarray  # (m + nb, nb) rows that later levels must keep
    fixed: ndarray  # (r,) int64: 1 for limits that have become equations
    Y: ndarray  # (nb, nb)
    Y_next: ndarray  # (nb, nb)
    N: ndarray  # (nb, nb)
    s: ndarray  # (nb,) beta
    H: ndarray  # (nb, nb)
    c: ndarray  # (nb,)
    W: ndarray  # (r nb,)
    b: ndarray  # (r,)
    u: ndarray  # (nb,)
    x: ndarray  # (r,)
    certificate: ndarray  # (r,)
    pushed: ndarray  # (1,) size of the cost's gradient, that of the multipliers
    basis: ndarray  # (l, nb + 1) int64
    basic: ndarray  # (l,) int64: rows of the basis to start from
    rows: ndarray  # (1,) int64: number of limits in the last call
    order: ndarray  # (m,) int64
    pivot: ndarray  # (m,)
    give: ndarray  # (r,) how much each limit gives way
    options: PivotingOptions
    work: PivotingWork
    W_give: ndarray  # (r (nb + r),)
    u_give: ndarray  # (nb + r,)
    basis_give: ndarray  # (nb + r + 1,) int64
    work_give: PivotingWork


def make_quadratic(m: int, r: int, nb: int, levels: int) -> Quadratic:
    """Work arrays."""

    def floats(*shape: int) -> ndarray:
        return np.zeros(shape)

    def ints(*shape: int) -> ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Quadratic(
        D=floats(nb, m), e=floats(m), Dy=floats(nb, m), ey=floats(m), kept=floats(m + nb, nb), fixed=ints(r),
        Y=floats(nb, nb), Y_next=floats(nb, nb), N=floats(nb, nb), s=floats(nb), H=floats(nb, nb), c=floats(nb),
        W=floats(r * nb), b=floats(r), u=floats(nb), x=floats(r), certificate=floats(r), pushed=floats(1),
        basis=ints(levels, nb + 1), basic=ints(levels), rows=ints(1), order=ints(m + nb), pivot=floats(m + nb),
        give=floats(r), options=PivotingOptions(residual_tolerance=1e-7), work=pivoting_work(r, nb),
        W_give=floats(r * (nb + r)), u_give=floats(nb + r), basis_give=ints(nb + r + 1),
        work_give=pivoting_work(r, nb + r),
    )  # fmt: skip


@part
def start_program(work, rows, count):
    """Forget what does not fit: another number of limits, another space."""
    if work.rows[0] != rows:
        work.rows[0] = rows
        for level in range(work.basic.shape[0]):
            work.basic[level] = 0
    for i in range(rows):
        work.give[i] = 0.0
        work.fixed[i] = 0
    for b in range(count):
        work.s[b] = 0.0


@part
def solve_level(work, limits, level, last, m, rows, count, dim):
    """One level: rows 0..m-1 of D and e in `dim` free coordinates. Returns (status, free coordinates left)."""
    plain = dim == count
    D = work.D if plain else work.Dy
    for i in range(m):
        work.ey[i] = work.e[i]
    for b in range(count):
        value = work.s[b]
        if value != 0.0:
            for i in range(m):
                work.ey[i] -= work.D[b, i] * value
    if not plain:
        for k in range(dim):
            for i in range(m):
                D[k, i] = 0.0
            for b in range(count):
                along = work.Y[k, b]
                for i in range(m):
                    D[k, i] += along * work.D[b, i]
    flat = _factor(work, D, m, dim)
    status = SOLVED
    for _ in range(3 if flat else 1):  # what nothing weighs stays where it was: a proximal step, taken again
        status = _least_distance(work, D, limits, level, m, rows, count, dim, plain)
        if status != SOLVED:
            return status, dim
    if last:
        return SOLVED, int64(0)
    for i in range(rows):
        if work.x[i] * math.sqrt(_square(limits.G, i, count)) > LOADED * work.pushed[0]:
            work.fixed[i] = 1
    return SOLVED, narrow(work, limits, D, m, rows, count, dim)


@part
def narrow(work, limits, D, m, rows, count, dim):
    """Go on in what the rows of D and the limits that have become equations leave alone. Returns how much that is."""
    A, plain, number = work.kept, dim == count, 0
    for i in range(m + rows):
        task = i < m
        if not task and (work.fixed[i - m] == 0 or number == A.shape[0]):
            continue
        size = 0.0
        for k in range(dim):
            if task:
                value = D[k, i]
            elif plain:
                value = limits.G[i - m, k]
            else:
                value = 0.0
                for b in range(count):
                    value += limits.G[i - m, b] * work.Y[k, b]
            A[number, k] = value
            size += value * value
        before = size if task else _square(limits.G, i - m, count)
        if size <= SAME * SAME * before:  # an equation that holds already
            continue
        size = 1.0 / math.sqrt(size)
        for k in range(dim):
            A[number, k] *= size
        number += 1
    rank = reflect_rows(A, number, dim, SAME, work.order, work.pivot)
    null_vectors(A, rank, dim, work.N)
    left = dim - rank
    for k in range(left):
        for b in range(count):
            work.Y_next[k, b] = work.N[k, b] if plain else 0.0
        if not plain:
            for j in range(dim):
                along = work.N[k, j]
                for b in range(count):
                    work.Y_next[k, b] += along * work.Y[j, b]
    for k in range(left):
        for b in range(count):
            work.Y[k, b] = work.Y_next[k, b]
    return left


@part
def _square(A, i, n):
    total = 0.0
    for j in range(n):
        total += A[i, j] * A[i, j]
    return total


@part
def _factor(work, D, m, dim):
    """R of D'D = R R' into H. Returns True if nothing weighs some direction; then each has a faint weight."""
    H = work.H
    faint = 0.0
    for attempt in range(2):
        largest = 0.0
        for a in range(dim):
            for b in range(a + 1):
                total = 0.0
                for i in range(m):
                    total += D[a, i] * D[b, i]
                H[a, b] = total
            largest = max(largest, H[a, a])
        if attempt == 1:
            faint = FAINT * largest if largest > 0.0 else 1.0
        for a in range(dim):
            H[a, a] += faint
            work.c[a] = H[a, a]
        if cholesky(H, dim):
            smallest = 1.0
            for a in range(dim):
                smallest = min(smallest, H[a, a] * H[a, a] / work.c[a])
            if attempt == 1 or smallest > FLAT:
                return faint > 0.0
    return True


@part
def _least_distance(work, D, limits, level, m, rows, count, dim, plain):
    """Move beta to the least |D beta - e| within the limits, seen from where it is now."""
    c, H, s = work.c, work.H, work.s
    for k in range(dim):
        c[k] = row_dot(D, k, work.ey, m)
    cholesky_solve(H, dim, c)
    _move(work, c, count, dim, plain)
    worst, room = 0.0, ROOM if level > 0 or not plain else 0.0
    for i in range(rows):
        work.x[i] = 0.0
        total = limits.g[i] + work.give[i]
        for b in range(count):
            total += limits.G[i, b] * s[b]
        if work.fixed[i] or -room * limits.scale[i] <= total < 0.0:
            total = 0.0
        work.b[i] = total
        worst = min(worst, total / limits.scale[i])
    work.pushed[0] = 0.0
    for k in range(dim):
        work.pushed[0] = max(work.pushed[0], abs(row_dot(D, k, work.ey, m)))
    if worst < -1e-12:
        W = work.W[: rows * dim].reshape(rows, dim)
        for i in range(rows):
            for k in range(dim):
                if work.fixed[i]:
                    W[i, k] = 0.0
                    continue
                if plain:
                    total = limits.G[i, k]
                else:
                    total = 0.0
                    for b in range(count):
                        total += limits.G[i, b] * work.Y[k, b]
                for j in range(k):
                    total -= H[k, j] * W[i, j]
                W[i, k] = total / H[k, k]
        result = principal_pivoting(
            W, work.b[:rows], work.basis[level, : dim + 1], work.basic[level], False, work.options, work.work,
            work.u[:dim], work.x[:rows], work.certificate[:rows],
        )  # fmt: skip
        work.basic[level] = 0
        if result.status != SOLVED:
            return int64(result.status)
        work.basic[level] = result.basic
        u = work.u
        for k in range(dim - 1, -1, -1):  # R'gamma = u
            u[k] /= H[k, k]
            for j in range(k):
                u[j] -= H[k, j] * u[k]
        _move(work, u, count, dim, plain)
        for k in range(dim):
            c[k] += u[k]
    for k in range(dim):  # what is left of the rows, for the next proximal step
        for i in range(m):
            work.ey[i] -= D[k, i] * c[k]
    return SOLVED


@part
def _move(work, gamma, count, dim, plain):
    """Beta += Y'gamma."""
    for k in range(dim):
        value = gamma[k]
        if plain:
            work.s[k] += value
        elif value != 0.0:
            for b in range(count):
                work.s[b] += work.Y[k, b] * value


@part
def give_way(work, limits, rows, count):
    """The least amounts by which the limits must give way, into `work.give`; beta goes where they are least.

    Limits that give way become equations. Returns the number of coordinates that are then free.
    """
    width = count + rows
    W = work.W_give[: rows * width].reshape(rows, width)
    for i in range(rows):
        for b in range(count):
            W[i, b] = limits.G[i, b] / (LIGHT * limits.scale[i])
        for j in range(rows):
            W[i, count + j] = 0.0
        W[i, count + i] = 1.0
        work.give[i] = 0.0
        work.fixed[i] = 0
    basic = int64(0)
    for b in range(count):
        work.s[b] = 0.0
    for _ in range(STEPS):
        moved, far = 0.0, 1.0
        for i in range(rows):
            total = limits.g[i]
            for b in range(count):
                total += limits.G[i, b] * work.s[b]
            work.b[i] = total / limits.scale[i]
        result = principal_pivoting(
            W, work.b[:rows], work.basis_give[: width + 1], basic, False, work.options, work.work_give,
            work.u_give[:width], work.x[:rows], work.certificate[:rows],
        )  # fmt: skip
        basic = result.basic
        for b in range(count):
            change = work.u_give[b] / LIGHT
            work.s[b] += change
            moved, far = max(moved, abs(change)), max(far, abs(work.s[b]))
        if moved <= 1e-12 * far:
            break
    for i in range(rows):
        total = limits.g[i]
        for b in range(count):
            total += limits.G[i, b] * work.s[b]
        if total < -ROOM * limits.scale[i]:
            work.give[i] = -total
            work.fixed[i] = 1
    return narrow(work, limits, work.D, int64(0), rows, count, count)


@part
def largest_violation(work, limits, rows, count):
    """How far the answer is beyond a limit that did not give way, in that limit's scale; 0 if it is within all."""
    worst = 0.0
    for i in range(rows):
        total = limits.g[i] + work.give[i]
        for b in range(count):
            total += limits.G[i, b] * work.s[b]
        worst = max(worst, -total / limits.scale[i])
    return worst
