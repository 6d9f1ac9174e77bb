"""What linear equations leave free, by Gauss and Jordan: rows that share no column do not touch each other.

Each row is solved for the unknown that has its largest entry. For x scaled alike those are the joints of the leg that a
foot's row belongs to, so that the rows of one leg never meet those of another: sparse as the robot is.
"""

from __future__ import annotations

from surefoot.kernels.cache import part

NONE = -1


@part
def eliminate_rows(A, m, n, extra, tolerance, size_out, pivot_out):
    """Solve rows 0..m-1 of A, one after the other, each for one of its n unknowns, in place.

    Args:
        A: (>= m, >= n + extra) rows, then right sides. Afterwards x[pivot[i]] + sum of A[i, j] x[j] over the free
            unknowns j = right side.
        m: number of rows.
        n: number of unknowns.
        extra: number of right sides.
        tolerance: a row whose entries are smaller, relative to its largest before, depends on the others.
        size_out: (m,) work.
        pivot_out: (m,) int64: the unknown that a row is solved for, NONE if it depends on the others.

    Returns:
        The rank.
    """
    for i in range(m):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(A[i, j]))
        size_out[i] = largest
    rank = 0
    for i in range(m):
        best, largest = NONE, tolerance * size_out[i]
        for j in range(n):
            if abs(A[i, j]) > largest:
                best, largest = j, abs(A[i, j])
        pivot_out[i] = best
        if best == NONE:
            continue
        rank += 1
        scale = 1.0 / A[i, best]
        for j in range(n + extra):
            A[i, j] *= scale
        for r in range(m):
            factor = A[r, best]
            if r != i and factor != 0.0:
                for j in range(n + extra):
                    A[r, j] -= factor * A[i, j]
                A[r, best] = 0.0
    return rank


@part
def free_vectors(A, m, n, pivot, taken_out, N_out):
    """Rows (n - rank, n) that span what the equations leave free: one free unknown is 1, the others 0."""
    for j in range(n):
        taken_out[j] = 0
    for i in range(m):
        if pivot[i] != NONE:
            taken_out[pivot[i]] = 1
    count = 0
    for j in range(n):
        if taken_out[j]:
            continue
        for k in range(n):
            N_out[count, k] = 0.0
        N_out[count, j] = 1.0
        for i in range(m):
            if pivot[i] != NONE:
                N_out[count, pivot[i]] = -A[i, j]
        count += 1
    return count
