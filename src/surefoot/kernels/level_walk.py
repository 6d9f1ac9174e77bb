"""A level of a task program on foot: from a point within the limits straight to the minimum, along what is reached.

    min |D gamma - e|^2   subject to   G beta + g >= 0,   beta = s + Y'gamma

The primal active set method [Nocedal2006] (Algorithm 16.3): to the least distance on the limits that are reached, as
far as the others let it; then limits that would have to pull are left. Orthogonal factors throughout, and nothing
squared or weighed faintly: slow, but right where the usual way fails.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import part
from surefoot.kernels.free_coordinates import SAME, move, slack, square_of_row
from surefoot.kernels.linear_algebra import row_dot
from surefoot.kernels.null_space import nearest_sum, null_vectors, reflect_rows, turn

PULL = 1e-14  # of what the gradient is made of: a multiplier that is more negative pulls, a smaller one is rounding
ROUNDING = 1e-12  # relative: what is left of rows that all limits have settled


@part
def walk_level(work, D, limits, level, m, rows, count, dim, plain):
    """Move beta, which is within the limits, to the least |D gamma - ey|; multipliers go to `work.x`.

    Rows of limits that are reached are written to the level's basis. It ends after so many turns in any case, where
    rounding lets limits leave and come for ever: whether that is the minimum is for the caller to check.

    D: (dim, m) rows of the tasks, by columns.
    """
    basis, x, c, step = work.basis[level], work.x, work.c, work.u
    basic = int64(0)
    square, size = 0.0, 0.0
    for i in range(rows):
        x[i] = 0.0
    for i in range(m):
        size = max(size, abs(work.e[i]), abs(work.ey[i]))
    for k in range(dim):
        square += square_of_row(D, k, m)
        work.pushed[0] = max(work.pushed[0], abs(row_dot(D, k, work.ey, m)))
    pull = PULL * size * math.sqrt(square)
    most = 5 * (rows + dim) + 100
    for turns in range(most):
        basic = _hold(work, limits, basis, basic, count, dim, plain)
        _least_step(work, D, m, dim, basic, step)
        way, blocking = _room_for(work, limits, basis, basic, rows, count, dim, plain, step)
        for k in range(dim):
            c[k] = way * step[k]
            for i in range(m):
                work.ey[i] -= D[k, i] * c[k]
        move(work, c, count, dim, plain)
        if blocking >= 0 and turns < most - 1:
            basis[basic] = blocking
            basic += 1
            continue
        leaving = _that_pulls(work, D, m, basic, dim, pull, turns > rows + dim)
        if leaving < 0 or turns == most - 1:
            break
        for a in range(leaving, basic - 1):
            basis[a] = basis[a + 1]
        basic -= 1
    for a in range(basic):
        x[basis[a]] = max(work.pivot[a], 0.0)
    work.basic[level] = basic


@part
def _hold(work, limits, basis, basic, count, dim, plain):
    """Reflect the rows of the limits that are reached, each with length one; those that depend on others are left."""
    A, order = work.held, work.held_order
    while True:
        for a in range(basic):
            i, square = basis[a], 0.0
            for k in range(dim):
                A[a, k] = limits.G[i, k] if plain else row_dot(limits.G, i, work.Y[k], count)
                square += A[a, k] ** 2
            work.b[a] = math.sqrt(square)
            for k in range(dim):
                A[a, k] /= work.b[a]
        rank = reflect_rows(A, basic, dim, SAME, order, work.held_pivot)
        if rank == basic:
            return basic
        for p in range(rank, basic):
            basis[order[p]] = -1
        kept = int64(0)
        for a in range(basic):
            if basis[a] >= 0:
                basis[kept] = basis[a]
                kept += 1
        basic = kept


@part
def _least_step(work, D, m, dim, basic, step):
    """The step (dim,) to the least |D gamma - ey| along what the limits that are reached leave free."""
    N, Dn, order, pivot, turned = work.N, work.Dn, work.order, work.pivot, work.e_turned
    free = dim - basic
    null_vectors(work.held, basic, dim, N)
    square = 0.0
    for k in range(dim):
        square += square_of_row(D, k, m)
        step[k] = 0.0
    for j in range(free):
        for i in range(m):
            Dn[j, i] = 0.0
        for k in range(dim):
            along = N[j, k]
            if along != 0.0:
                for i in range(m):
                    Dn[j, i] += along * D[k, i]
        if square_of_row(Dn, j, m) <= ROUNDING * ROUNDING * square:
            for i in range(m):
                Dn[j, i] = 0.0
    for i in range(m):
        turned[i] = work.ey[i]
    rank = nearest_sum(Dn, free, m, turned, SAME, order, pivot)
    for p in range(rank):
        for k in range(dim):
            step[k] += turned[p] * N[order[p], k]


@part
def _room_for(work, limits, basis, basic, rows, count, dim, plain, step):
    """What share of a step the limits allow, at most 1, and the one that stops it, or -1."""
    along = work.Y_next[0]
    for b in range(count):
        along[b] = step[b] if plain else 0.0
    length = 0.0
    for k in range(dim):
        length += step[k] ** 2
        if not plain:
            for b in range(count):
                along[b] += step[k] * work.Y[k, b]
    way, blocking = 1.0, int64(-1)
    for i in range(rows):
        if work.fixed[i]:
            continue
        toward = -row_dot(limits.G, i, along, count)
        if toward <= 0.0 or toward * toward <= SAME * SAME * length * square_of_row(limits.G, i, count):
            continue
        room = max(slack(work, limits, i, count), 0.0)
        if room < way * toward:
            held = False
            for a in range(basic):
                held = held or basis[a] == i
            if not held:
                way, blocking = room / toward, int64(i)
    return way, blocking


@part
def _that_pulls(work, D, m, basic, dim, pull, first):
    """Multipliers of the limits that are reached, into `pivot`; returns the one that pulls most, or first, or -1."""
    A, g, x = work.held, work.c, work.pivot
    for k in range(dim):
        g[k] = -row_dot(D, k, work.ey, m)
    turn(A, basic, dim, g)
    for p in range(basic - 1, -1, -1):
        for q in range(p + 1, basic):
            g[p] -= A[q, p] * g[q]
        g[p] /= work.held_pivot[p]
    leaving, worst = int64(-1), -pull
    for p in range(basic):
        x[work.held_order[p]] = g[p]
    for a in range(basic):
        if x[a] < worst and not (first and leaving >= 0):
            leaving, worst = int64(a), x[a]
        x[a] /= work.b[a]
    return leaving
