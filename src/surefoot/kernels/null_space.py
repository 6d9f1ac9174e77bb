"""Orthonormal vectors that span the rows of a matrix, and those that all rows leave alone.

Householder reflections of the rows, the largest row first: A[order] = [L 0] Q with Q orthonormal. Rows that depend on
those before leave nothing to reflect; they end the method, and their number is missing from the rank.
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import part


@part
def reflect_rows(A, m, n, tolerance, order_out, pivot_out):
    """Reflect the first m rows of A (m, n) onto a lower triangle, in place.

    Args:
        A: rows. Row k of the first `rank` then holds the triangle's k entries L[k, :k] and, from place k on, the vector
            of its reflection; the triangle's diagonal is in `pivot_out`.
        m: number of rows.
        n: their length.
        tolerance: a row whose rest is smaller, relative to the largest row, depends on the others.
        order_out: (m,) int64: which row stands at each place now.
        pivot_out: (m,).

    Returns:
        The rank.
    """
    largest = 0.0
    for i in range(m):
        order_out[i] = i
        largest = max(largest, _rest(A, i, 0, n))
    threshold = tolerance * tolerance * largest
    rank = 0
    while rank < min(m, n):
        best, size = rank, -1.0
        for i in range(rank, m):
            rest = _rest(A, i, rank, n)
            if rest > size:
                best, size = i, rest
        if not size > threshold:
            break
        if best != rank:
            order_out[rank], order_out[best] = order_out[best], order_out[rank]
            for j in range(n):
                A[rank, j], A[best, j] = A[best, j], A[rank, j]
        pivot = -math.copysign(math.sqrt(size), A[rank, rank])
        A[rank, rank] -= pivot
        scale = 1.0 / math.sqrt(_rest(A, rank, rank, n))
        for j in range(rank, n):
            A[rank, j] *= scale
        for i in range(rank + 1, m):
            twice = 0.0
            for j in range(rank, n):
                twice += A[i, j] * A[rank, j]
            twice *= 2.0
            for j in range(rank, n):
                A[i, j] -= twice * A[rank, j]
        pivot_out[rank] = pivot
        rank += 1
    return rank


@part
def _rest(A, i, first, n):
    total = 0.0
    for j in range(first, n):
        total += A[i, j] * A[i, j]
    return total


@part
def turn(A, rank, n, x):
    """X <- Q x in place."""
    for k in range(rank):
        twice = 0.0
        for j in range(k, n):
            twice += A[k, j] * x[j]
        twice *= 2.0
        for j in range(k, n):
            x[j] -= twice * A[k, j]


@part
def turn_back(A, rank, n, x):
    """X <- Q'x in place: what stands along the reflected axes, along the first ones."""
    for k in range(rank - 1, -1, -1):
        twice = 0.0
        for j in range(k, n):
            twice += A[k, j] * x[j]
        twice *= 2.0
        for j in range(k, n):
            x[j] -= twice * A[k, j]


@part
def null_vectors(A, rank, n, N_out):
    """Rows (n - rank, n): orthonormal, and orthogonal to every row that `reflect_rows` has seen."""
    count = n - rank
    for i in range(count):
        for j in range(n):
            N_out[i, j] = 0.0
        N_out[i, rank + i] = 1.0
    for k in range(rank - 1, -1, -1):  # vector by vector each would wait for its last product
        for i in range(count):
            twice = 0.0
            for j in range(k, n):
                twice += A[k, j] * N_out[i, j]
            twice *= 2.0
            for j in range(k, n):
                N_out[i, j] -= twice * A[k, j]


@part
def nearest_sum(A, m, n, y, tolerance, order_out, pivot_out):
    """Numbers x of least |A'x - y| for rows A (m, n), which are reflected: of dependent rows some are left out.

    Returns the rank; x of row order[k] is then y[k], for k below the rank.
    """
    rank = reflect_rows(A, m, n, tolerance, order_out, pivot_out)
    turn(A, rank, n, y)
    for k in range(rank - 1, -1, -1):
        for j in range(k + 1, rank):
            y[k] -= A[j, k] * y[j]
        y[k] /= pivot_out[k]
    return rank
