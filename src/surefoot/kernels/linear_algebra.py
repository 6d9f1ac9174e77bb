"""Small dense linear algebra without allocation: the leading n x n block of arrays that the caller owns.

All matrices are row-major float64. Every function takes the size `n` apart from the array's own, so one large work
array serves problems of any smaller size.
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import kernel, part


@kernel
def dot(a, b, n):
    """Return the sum of a[i] b[i] over the first n entries."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@part
def affine(W, b, u, rows, nu, out):
    """Fill out = W u + b for the first `rows` rows, four at a time: a short sum alone waits for its last addition."""
    for i in range(0, rows - rows % 4, 4):
        first, second, third, fourth = b[i], b[i + 1], b[i + 2], b[i + 3]
        for j in range(nu):
            first += W[i, j] * u[j]
            second += W[i + 1, j] * u[j]
            third += W[i + 2, j] * u[j]
            fourth += W[i + 3, j] * u[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = first, second, third, fourth
    for i in range(rows - rows % 4, rows):
        out[i] = b[i] + row_dot(W, i, u, nu)


@part
def affine_by_columns(columns, b, u, rows, nu, out):
    """Fill out = W u + b from the columns of W: many short rows then go through the processor's lanes side by side."""
    for i in range(rows):
        out[i] = b[i]
    for j in range(0, nu - 1, 2):  # two at a time: half the way through `out`
        first, second = u[j], u[j + 1]
        for i in range(rows):
            out[i] += columns[j, i] * first + columns[j + 1, i] * second
    if nu % 2 == 1:
        for i in range(rows):
            out[i] += columns[nu - 1, i] * u[nu - 1]


@kernel
def row_dot(A, i, b, n):
    """Return the inner product of row i of A with the first n entries of b."""
    total = 0.0
    for j in range(n):
        total += A[i, j] * b[j]
    return total


@kernel
def lu_factor(A, n, order_out):
    """Factor A[order] = L U in place with partial pivoting.

    Args:
        A: (>= n, >= n). Modified in place: U on and above the diagonal, the multipliers of L below.
        n: size.
        order_out: (>= n,) int64. Row of A that stands at each position of the factors.

    Returns:
        The smallest ratio of a pivot to the largest entry of U in its column: not far from 1 for a well-behaved matrix,
        0.0 for a singular one (the factors are then unusable).
    """
    smallest = 1.0
    for i in range(n):
        order_out[i] = i
    for k in range(n):
        size = 0.0
        for i in range(k):
            size = max(size, abs(A[i, k]))
        best = k
        largest = abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > largest:
                largest = abs(A[i, k])
                best = i
        if largest == 0.0 or not math.isfinite(largest):
            return 0.0
        smallest = min(smallest, largest / max(size, largest))
        if best != k:
            order_out[k], order_out[best] = order_out[best], order_out[k]
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        pivot = A[k, k]
        for i in range(k + 1, n):
            factor = A[i, k]
            if factor != 0.0:
                factor /= pivot
                A[i, k] = factor
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    return smallest


@kernel
def lu_solve(LU, order, n, b, x_out):
    """Solve A x = b with the factors of `lu_factor`; `x_out` must not be `b`."""
    for i in range(n):
        total = b[order[i]]
        for j in range(i):
            total -= LU[i, j] * x_out[j]
        x_out[i] = total
    for i in range(n - 1, -1, -1):
        total = x_out[i]
        for j in range(i + 1, n):
            total -= LU[i, j] * x_out[j]
        x_out[i] = total / LU[i, i]


@kernel
def lu_inverse(LU, order, n, inverse_out):
    """Write the inverse of A from the factors of `lu_factor`, row operations only (they vectorise)."""
    for i in range(n):
        for j in range(n):
            inverse_out[i, j] = 0.0
        inverse_out[i, order[i]] = 1.0
    for i in range(n):
        for k in range(i):
            factor = LU[i, k]
            if factor != 0.0:
                for j in range(n):
                    inverse_out[i, j] -= factor * inverse_out[k, j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            factor = LU[i, k]
            if factor != 0.0:
                for j in range(n):
                    inverse_out[i, j] -= factor * inverse_out[k, j]
        pivot = LU[i, i]
        for j in range(n):
            inverse_out[i, j] /= pivot


@kernel
def cholesky(A, n):
    """Factor the symmetric A = L L' in place (lower triangle read and written).

    Returns:
        True if A is positive definite; False as soon as a pivot is not positive (A is then spoilt).
    """
    for i in range(n):
        for j in range(i):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / A[j, j]
        pivot = A[i, i]
        for k in range(i):
            pivot -= A[i, k] * A[i, k]
        if not pivot > 0.0:
            return False
        A[i, i] = math.sqrt(pivot)
    return True


@kernel
def forward_substitute(L, n, x):
    """Solve L y = x for lower triangular L, in place."""
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]


@kernel
def backward_substitute(L, n, x):
    """Solve L' y = x for lower triangular L, in place, reading L by rows."""
    for i in range(n - 1, -1, -1):
        x[i] /= L[i, i]
        value = x[i]
        for j in range(i):
            x[j] -= L[i, j] * value


@kernel
def cholesky_solve(L, n, x):
    """Solve L L' y = x in place with the factor of `cholesky`."""
    forward_substitute(L, n, x)
    backward_substitute(L, n, x)


@kernel
def pivoted_cholesky(A, n, tolerance, order_out, W_out):
    """Write A[order][:, order] = W W' for a symmetric positive semidefinite A, largest pivot first.

    Args:
        A: (>= n, >= n). Modified in place: its diagonal ends as what W W' leaves out.
        n: size.
        tolerance: relative to the largest diagonal entry; smaller pivots count as zero.
        order_out: (>= n,) int64. Which row was taken at each step; the first `rank` are independent.
        W_out: (>= n, >= n). Row i belongs to row i of A (not permuted): A = W W' to within `tolerance`.

    Returns:
        The rank, or -1 if a diagonal entry falls below -tolerance times the largest (A is indefinite).
    """
    largest = 0.0
    for i in range(n):
        order_out[i] = i
        largest = max(largest, abs(A[i, i]))
        for j in range(n):
            W_out[i, j] = 0.0
    threshold = tolerance * largest
    rank = 0
    while rank < n:
        best = rank
        for k in range(rank, n):
            if A[order_out[k], order_out[k]] < -threshold:
                return -1
            if A[order_out[k], order_out[k]] > A[order_out[best], order_out[best]]:
                best = k
        p = order_out[best]
        if not A[p, p] > threshold:
            break
        order_out[best] = order_out[rank]
        order_out[rank] = p
        root = math.sqrt(A[p, p])
        W_out[p, rank] = root
        for k in range(rank + 1, n):
            i = order_out[k]
            total = A[i, p]
            for c in range(rank):
                total -= W_out[i, c] * W_out[p, c]
            W_out[i, rank] = total / root
            A[i, i] -= W_out[i, rank] * W_out[i, rank]
        A[p, p] = 0.0
        rank += 1
    return rank
