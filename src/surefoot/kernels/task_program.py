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
from surefoot.kernels.free_coordinates import (
    largest_violation,
    move,
    narrow,
    rows_of_free,
    slack,
    square_of_row,
    turn_to_rows,
)
from surefoot.kernels.level_walk import walk_level
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve, row_dot
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.status import SOLVED, UNSOLVED

FLAT = 1e-13  # a pivot of D'D that is smaller, relative to its diagonal, belongs to a direction that nothing weighs
FAINT = 1e-7  # weight of such directions in a proximal step, relative to the mean of the others
LOADED = 1e-9  # of the gradient: a multiplier that is larger holds its limit for all later levels
ROOM = 1e-8  # of a row's scale: what rounding may take away from a limit on the way from level to level
STEPS = 100  # proximal steps at most
STILL = 1e-12  # relative: a proximal step that moves less is the last
MISSED = 1e-6  # in a limit's scale: an answer that is farther beyond is none
OPTIMAL = 1e-10  # of a level's rows: if a step to the optimum on the active limits moves them more, there is no answer


class Quadratic(NamedTuple):
    """Work for up to m rows of tasks, r limits, nb coordinates and l levels."""

    D: ndarray  # (nb, m) rows of the tasks, by columns
    e: ndarray  # (m,)
    Dy: ndarray  # (nb, m) the same in the coordinates that are free
    ey: ndarray  # (m,)
    kept: ndarray  # (m + nb, nb) rows that later levels must keep, reflected
    fixed: ndarray  # (r,) int64: 1 for limits that have become equations
    Y: ndarray  # (nb, nb)
    Y_next: ndarray  # (nb, nb)
    N: ndarray  # (nb, nb)
    Dn: ndarray  # (nb, max(m, r)) rows of the tasks along what the limits that are reached leave free
    e_turned: ndarray  # (max(m, r),)
    held: ndarray  # (nb + 1, nb) rows of limits that are reached, reflected
    held_order: ndarray  # (nb + 1,) int64
    held_pivot: ndarray  # (nb + 1,)
    s: ndarray  # (nb,) beta
    s_first: ndarray  # (nb,) where a level began
    ey_first: ndarray  # (m,)
    H: ndarray  # (nb, nb)
    weight: ndarray  # (nb,) diagonal of D'D
    c: ndarray  # (nb,)
    W: ndarray  # (r nb,)
    b: ndarray  # (r,)
    u: ndarray  # (nb,)
    x: ndarray  # (r,)
    certificate: ndarray  # (r,)
    pushed: ndarray  # (1,) size of the cost's gradient, that of the multipliers
    turned: ndarray  # (1,) bool: whether the free coordinates are no longer beta itself
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
        Y=floats(nb, nb), Y_next=floats(nb, nb), N=floats(nb, nb), Dn=floats(nb, max(m, r)), e_turned=floats(max(m, r)),
        held=floats(nb + 1, nb), held_order=ints(nb + 1), held_pivot=floats(nb + 1), s=floats(nb), s_first=floats(nb),
        ey_first=floats(m), H=floats(nb, nb), weight=floats(nb), c=floats(nb),
        W=floats(r * nb), b=floats(r), u=floats(nb), x=floats(r), certificate=floats(r), pushed=floats(1),
        turned=np.zeros(1, dtype=bool), basis=ints(levels, nb + 1), basic=ints(levels), rows=ints(1),
        order=ints(m + nb), pivot=floats(m + nb), give=floats(r), options=PivotingOptions(residual_tolerance=1e-7),
        work=pivoting_work(r, nb), W_give=floats(r * (nb + r)), u_give=floats(nb + r), basis_give=ints(nb + r + 1),
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
    work.turned[0] = False


@part
def solve_level(work, limits, level, last, m, rows, count, dim, within):
    """One level: rows 0..m-1 of D and e in `dim` free coordinates. Returns (status, free coordinates left).

    `within`: beta is within the limits, as it is after a level before: then a level on which the usual way fails, or
    ends where it is not optimal, is walked.
    """
    plain = dim == count and not work.turned[0]
    for i in range(m):
        work.ey[i] = work.e[i]
    for b in range(count):
        value = work.s[b]
        if value != 0.0:
            for i in range(m):
                work.ey[i] -= work.D[b, i] * value
    rows_of_free(work, m, count, dim, plain)
    D = work.D if plain else work.Dy
    weighed = int64(dim)
    work.pushed[0] = 0.0
    status = int64(SOLVED)
    if not (last and _factor(work, D, m, dim)):
        weighed = turn_to_rows(work, D, m, count, dim, plain)
        plain = False
        rows_of_free(work, m, count, dim, plain)
        D = work.Dy
        if not _factor(work, D, m, weighed):
            status = int64(UNSOLVED)
            _diagonal(work, weighed)
        _weigh_faintly(work, weighed, dim)
    for i in range(m):
        work.ey_first[i] = work.ey[i]
    for b in range(count):
        work.s_first[b] = work.s[b]
    if status == SOLVED:
        status = _proximal(work, D, limits, level, m, rows, count, dim, weighed, plain)
    if status == SOLVED and not _is_optimal(work, D, limits, level, m, count, dim, weighed, plain):
        status = int64(UNSOLVED)
    if within and (status != SOLVED or largest_violation(work, limits, rows, count) > MISSED):
        for i in range(m):
            work.ey[i] = work.ey_first[i]
        for b in range(count):
            work.s[b] = work.s_first[b]
        walk_level(work, D, limits, level, m, rows, count, dim, plain)
        good = largest_violation(work, limits, rows, count) <= MISSED
        good = good and _is_optimal(work, D, limits, level, m, count, dim, weighed, plain)
        status = int64(SOLVED if good else UNSOLVED)
    if status != SOLVED:
        return status, dim
    if last:
        return status, int64(0)
    for i in range(rows):
        if work.x[i] * math.sqrt(square_of_row(limits.G, i, count)) > LOADED * work.pushed[0]:
            work.fixed[i] = 1
    return status, narrow(work, limits, D, m, rows, count, dim, plain)


@part
def _is_optimal(work, D, limits, level, m, count, dim, weighed, plain):
    """Whether the limits' multipliers, none negative, hold the level's gradient.

    What they do not hold is measured by the step R^-1 that Newton would make of it, in the rows of the level. What
    nothing weighs counts as if it were weighed like the rest: a faint weight would make rounding look large.
    """
    H, left, size, length = work.H, work.c, 0.0, 0.0
    for i in range(m):
        size += work.e[i] ** 2 + work.ey_first[i] ** 2
    for k in range(dim):
        left[k] = -row_dot(D, k, work.ey, m)
    for a in range(work.basic[level]):
        i = work.basis[level, a]
        push = work.x[i]
        if push != 0.0:
            for k in range(dim):
                left[k] -= push * (limits.G[i, k] if plain else row_dot(limits.G, i, work.Y[k], count))
    for k in range(dim):
        for j in range(min(k, weighed)):
            left[k] -= H[k, j] * left[j]
        left[k] /= H[k, k]
        length += left[k] ** 2 * (1.0 if k < weighed else FAINT)
    return length <= OPTIMAL * OPTIMAL * size


@part
def _proximal(work, D, limits, level, m, rows, count, dim, weighed, plain):
    """Steps of `_least_distance` until what nothing weighs stays where it is; one if all is weighed."""
    for _ in range(STEPS):
        status, moved, far = _least_distance(work, D, limits, level, m, rows, count, dim, weighed, plain)
        if status != SOLVED:
            return status
        if not moved > STILL * far:
            return int64(SOLVED)
    return int64(UNSOLVED)


@part
def _factor(work, D, m, weighed):
    """R of D'D = R R' into H for the first coordinates. False if nothing weighs some direction of them."""
    H = work.H
    for a in range(weighed):
        for b in range(a + 1):
            total = 0.0
            for i in range(m):
                total += D[a, i] * D[b, i]
            H[a, b] = total
        work.weight[a] = H[a, a]
    if not cholesky(H, weighed):
        return False
    for a in range(weighed):
        if not H[a, a] * H[a, a] > FLAT * work.weight[a]:
            return False
    return True


@part
def _diagonal(work, weighed):
    """In place of R, where it is none, the roots of the diagonal of D'D."""
    for a in range(weighed):
        for b in range(a):
            work.H[a, b] = 0.0
        work.H[a, a] = math.sqrt(work.weight[a]) if work.weight[a] > 0.0 else 1.0


@part
def _weigh_faintly(work, weighed, dim):
    """R of the coordinates that nothing weighs."""
    mean = 0.0
    for a in range(weighed):
        mean += work.weight[a] / weighed
    root = math.sqrt(FAINT * mean) if mean > 0.0 else 1.0
    for a in range(weighed, dim):
        for b in range(a):
            work.H[a, b] = 0.0
        work.H[a, a] = root


@part
def _least_distance(work, D, limits, level, m, rows, count, dim, weighed, plain):
    """Move beta to the least |D beta - e| within the limits; what nothing weighs moves as little as it must.

    Returns (status, how far the latter moved, how far beta is).
    """
    c, H, s = work.c, work.H, work.s
    pushed = 0.0
    for k in range(dim):
        c[k] = row_dot(D, k, work.ey, m) if k < weighed else 0.0
        pushed = max(pushed, abs(c[k]))
    work.pushed[0] = max(pushed, work.pushed[0])
    cholesky_solve(H, weighed, c)
    move(work, c, count, dim, plain)
    worst, moved, far = 0.0, 0.0, 1.0
    for i in range(rows):
        work.x[i] = 0.0
        work.b[i] = 0.0 if work.fixed[i] else slack(work, limits, i, count)
        if level > 0 and -ROOM * limits.scale[i] <= work.b[i] < 0.0:
            work.b[i] = 0.0
        worst = min(worst, work.b[i] / limits.scale[i])
    if worst < -1e-12:
        W = work.W[: rows * dim].reshape(rows, dim)
        _limits_of_free(work, limits, rows, count, dim, plain, W)
        basis = work.basis[level, : dim + 1]
        result = principal_pivoting(
            W, work.b[:rows], basis, work.basic[level], False, work.options, work.work, work.u[:dim], work.x[:rows],
            work.certificate[:rows],
        )  # fmt: skip
        work.basic[level] = 0
        if result.status != SOLVED:
            return int64(result.status), moved, far
        work.basic[level] = result.basic
        for attempt in range(3):  # u, and then what rounding has left of it
            if attempt > 0:
                _correct(work, limits, basis, result.basic, count, dim)
            u = work.u
            for k in range(dim - 1, -1, -1):  # R'gamma = u
                u[k] /= H[k, k]
                for j in range(k):
                    u[j] -= H[k, j] * u[k]
            move(work, u, count, dim, plain)
            for k in range(dim):
                c[k] += u[k]
    for k in range(dim):
        for i in range(m):
            work.ey[i] -= D[k, i] * c[k]
        if k >= weighed:
            moved = max(moved, abs(c[k]))
    for b in range(count):
        far = max(far, abs(s[b]))
    return int64(SOLVED), moved, far


@part
def _limits_of_free(work, limits, rows, count, dim, plain, W):
    """W = G Y' R^-T."""
    H = work.H
    for i in range(rows):
        if work.fixed[i]:
            for k in range(dim):
                W[i, k] = 0.0
            continue
        for k in range(dim):
            total = limits.G[i, k] if plain else 0.0
            if not plain:
                for b in range(count):
                    total += limits.G[i, b] * work.Y[k, b]
            for j in range(k):
                total -= H[k, j] * W[i, j]
            W[i, k] = total / H[k, k]


@part
def _correct(work, limits, basis, basic, count, dim):
    """The least u that takes the active limits' slack away, by the factors of the pivoting: W_A = R Q."""
    Q, R, y = work.work.Q, work.work.R, work.work.inside
    for k in range(basic):
        total = -slack(work, limits, basis[k], count)
        for j in range(k):
            total -= R[k, j] * y[j]
        y[k] = total / R[k, k]
    for j in range(dim):
        work.u[j] = 0.0
    for k in range(basic):
        for j in range(dim):
            work.u[j] += y[k] * Q[k, j]
