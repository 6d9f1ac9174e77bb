"""Coordinates that strict levels leave free: beta = s + Y'gamma, where the rows of Y are orthonormal.

A level first turns them, so that those which its rows weigh come first; afterwards they are narrowed to what neither
moves its rows nor a limit that holds it.
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import row_dot
from surefoot.kernels.null_space import null_vectors, reflect_rows, turn_back

SAME = 1e-9  # rows that leave less, relative to the largest, depend on the others; of a row: it is settled


@part
def rows_of_free(work, m, count, dim, plain):
    """Rows of the tasks in the free coordinates, by columns, into Dy; where those are beta itself D will do.

    A row that earlier levels have settled is zero there, not what rounding has left of it.
    """
    if plain:
        return
    for k in range(dim):
        for i in range(m):
            work.Dy[k, i] = 0.0
        for b in range(count):
            along = work.Y[k, b]
            if along != 0.0:
                for i in range(m):
                    work.Dy[k, i] += along * work.D[b, i]
    for i in range(m):
        left, whole = 0.0, 0.0
        for k in range(dim):
            left += work.Dy[k, i] ** 2
        for b in range(count):
            whole += work.D[b, i] ** 2
        if left <= SAME * SAME * whole:
            for k in range(dim):
                work.Dy[k, i] = 0.0


@part
def turn_to_rows(work, D, m, count, dim, plain):
    """Turn the free coordinates: first those that the rows weigh, then those that they do not. Returns their number."""
    A = work.kept
    for i in range(m):
        for k in range(dim):
            A[i, k] = D[k, i]
    rank = reflect_rows(A, m, dim, SAME, work.order, work.pivot)
    for k in range(dim):
        for j in range(dim):
            work.N[k, j] = 0.0
        work.N[k, k] = 1.0
        turn_back(A, rank, dim, work.N[k])
    _compose(work, count, dim, dim, plain)
    work.turned[0] = True
    return rank


@part
def _compose(work, count, dim, left, plain):
    """Y <- N Y for the first `left` rows of N."""
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


@part
def narrow(work, limits, D, m, rows, count, dim, plain):
    """Go on in what the rows of D and the limits that have become equations leave alone. Returns how much that is."""
    A, number = work.kept, 0
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
        before = size if task else square_of_row(limits.G, i - m, count)
        if size <= SAME * SAME * before:  # an equation that holds already
            continue
        size = 1.0 / math.sqrt(size)
        for k in range(dim):
            A[number, k] *= size
        number += 1
    rank = reflect_rows(A, number, dim, SAME, work.order, work.pivot)
    null_vectors(A, rank, dim, work.N)
    _compose(work, count, dim, dim - rank, plain)
    work.turned[0] = True
    return dim - rank


@part
def square_of_row(A, i, n):
    """Sum of the squares of the first n entries of a row."""
    total = 0.0
    for j in range(n):
        total += A[i, j] * A[i, j]
    return total


@part
def move(work, gamma, count, dim, plain):
    """Beta += Y'gamma."""
    for k in range(dim):
        value = gamma[k]
        if plain:
            work.s[k] += value
        elif value != 0.0:
            for b in range(count):
                work.s[b] += work.Y[k, b] * value


@part
def slack(work, limits, i, count):
    """How far beta is within limit i."""
    return limits.g[i] + work.give[i] + row_dot(limits.G, i, work.s, count)


@part
def largest_violation(work, limits, rows, count):
    """How far beta is beyond a limit that did not give way, in that limit's scale; 0 if it is within all."""
    worst = 0.0
    for i in range(rows):
        worst = max(worst, -slack(work, limits, i, count) / limits.scale[i])
    return worst
