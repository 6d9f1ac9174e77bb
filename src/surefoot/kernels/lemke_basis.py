"""The basis of Lemke's method: its explicit inverse, exchanged column by column and rebuilt from the problem's data.

Variables are numbered w_0 .. w_{n-1}, z_0 .. z_{n-1}, and 2n for the artificial one, with the columns e_i, -M e_i and
-cover of `w - M z - cover z_art = q`. A basis names the variable of each of its n positions; x are their values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int64
from numpy.typing import NDArray

from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import lu_factor, lu_inverse, lu_solve, row_dot


class LemkeWork(NamedTuple):
    """Work arrays of one problem size n; make them with `lemke_work(n)`."""

    M: NDArray[np.float64]  # (n, n) scaled problem
    q: NDArray[np.float64]  # (n,)
    cover: NDArray[np.float64]  # (n,)
    row_scale: NDArray[np.float64]  # (n,)
    column_scale: NDArray[np.float64]  # (n,)
    inverse: NDArray[np.float64]  # (n, n) of the basis
    factor: NDArray[np.float64]  # (n, n) LU of the part of the basis that is not identity
    block: NDArray[np.float64]  # (n, n) inverse of that part
    columns: NDArray[np.float64]  # (n, n) columns of that part
    x: NDArray[np.float64]  # (n,) values of the basic variables
    column: NDArray[np.float64]  # (n,) entering column in the basis
    vector: NDArray[np.float64]  # (n,)
    other: NDArray[np.float64]  # (n,)
    z: NDArray[np.float64]  # (n,) scaled candidate
    best: NDArray[np.float64]  # (n,) best scaled candidate so far
    basis: NDArray[np.int64]  # (n,)
    rows: NDArray[np.int64]  # (n,) rows whose w is not basic
    places: NDArray[np.int64]  # (n,) positions that hold no w
    order: NDArray[np.int64]  # (n,) row order of the LU factors
    tied: NDArray[np.int64]  # (n,) candidates of the ratio test


def lemke_work(n: int) -> LemkeWork:
    """Return the work arrays for problems of size n."""

    def matrix() -> NDArray[np.float64]:
        return np.empty((n, n))

    def vector() -> NDArray[np.float64]:
        return np.empty(n)

    def index() -> NDArray[np.int64]:
        return np.empty(n, dtype=np.int64)

    return LemkeWork(
        *(matrix(), vector(), vector(), vector(), vector()),
        *(matrix(), matrix(), matrix(), matrix()),
        *(vector(), vector(), vector(), vector(), vector(), vector()),
        *(index(), index(), index(), index(), index()),
    )


@part
def start_basis(n, work):
    """Put every w in the basis."""
    for i in range(n):
        work.basis[i] = i
        work.x[i] = work.q[i]
        for j in range(n):
            work.inverse[i, j] = 0.0
        work.inverse[i, i] = 1.0


@part
def exchange(n, place, entering, column, row, basis, x, inverse):
    """Let `entering`, whose column in the basis is given, take a place in the basis; `row` is scratch."""
    step = x[place] / column[place]
    for i in range(n):
        x[i] -= column[i] * step
    x[place] = step
    _eliminate(n, place, column, inverse, row)
    basis[place] = entering


@part
def _eliminate(n, place, column, inverse, row):
    """Divide the row of `inverse` at `place` by the pivot and subtract its multiples from the others."""
    # The pivot row is copied: read from the matrix being written, it would keep the loop from vectorising.
    for j in range(n):
        row[j] = inverse[place, j] / column[place]
    for i in range(n):
        factor = column[i]
        if factor != 0.0:
            for j in range(n):
                inverse[i, j] -= factor * row[j]
    for j in range(n):
        inverse[place, j] = row[j]


@part
def entering_column(n, entering, M, cover, inverse, scratch, column_out):
    """Write B^-1 times the column of `entering`."""
    if entering < n:
        for i in range(n):
            column_out[i] = inverse[i, entering]
        return
    for j in range(n):
        scratch[j] = -M[j, entering - n] if entering < 2 * n else -cover[j]
    _multiply(n, inverse, scratch, column_out)


@part
def _multiply(n, A, b, out):
    """Write A b."""
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += A[i, j] * b[j]
        out[i] = total


@part
def factor_basis(n, work):
    """Factor the part of the basis that is not identity and solve for the basic variables, refined once.

    With R the rows whose w is not basic and C the other basic variables, `B_RC x_C = q_R` and `w = q - B_C x_C`.

    Returns:
        Size of that part, or -1 if it is singular. work.rows and work.places hold R and the positions of C.
    """
    rows, places, basis = work.rows, work.places, work.basis
    for i in range(n):
        rows[i] = 1
    size = int64(0)
    for p in range(n):
        if basis[p] < n:
            rows[basis[p]] = 0
        else:
            places[size] = p
            size += 1
    count = 0
    for i in range(n):
        if rows[i] == 1:
            rows[count] = i
            count += 1
    _gather(n, size, rows, places, basis, work.M, work.cover, work.columns, work.factor)
    # A singular basis means that rounding led the path astray; the caller tries another way.
    if lu_factor(work.factor, size, work.order) < 1e-15:
        return -1
    _solve_basis(
        n, size, rows, places, basis, work.q, work.columns, work.factor, work.order, work.x, work.vector, work.other
    )
    return size


@part
def _gather(n, size, rows, places, basis, M, cover, columns, factor):
    """Copy the columns of C, all rows of them and those of R."""
    for b in range(size):
        j = basis[places[b]] - n
        if j < n:
            for i in range(n):
                columns[i, b] = -M[i, j]
        else:
            for i in range(n):
                columns[i, b] = -cover[i]
    for a in range(size):
        i = rows[a]
        for b in range(size):
            factor[a, b] = columns[i, b]


@part
def _solve_basis(n, size, rows, places, basis, q, columns, factor, order, x, solution, rest):
    """Write the basic variables from the factors, with one step of iterative refinement."""
    for b in range(size):
        solution[b] = 0.0
    for _ in range(2):
        for a in range(size):
            rest[a] = q[rows[a]] - row_dot(columns, rows[a], solution, size)
        lu_solve(factor, order, size, rest, x)
        for b in range(size):
            solution[b] += x[b]
    for p in range(n):
        i = basis[p]
        if i < n:
            x[p] = q[i] - row_dot(columns, i, solution, size)
    for b in range(size):
        x[places[b]] = solution[b]


@part
def rebuild_inverse(n, work):
    """Rebuild the inverse of the basis and the basic variables from the problem; return False if it is singular."""
    size = factor_basis(n, work)
    if size < 0:
        return False
    lu_inverse(work.factor, work.order, size, work.block)
    _spread(n, size, work.rows, work.places, work.basis, work.columns, work.block, work.vector, work.inverse)
    return True


@part
def _spread(n, size, rows, places, basis, columns, block, line, inverse):
    """Write the inverse of the basis from that of its block: rows of C hold it, rows of w hold e - B_C times it."""
    for p in range(n):
        for j in range(n):
            inverse[p, j] = 0.0
    for b in range(size):
        for a in range(size):
            inverse[places[b], rows[a]] = block[b, a]
    for p in range(n):
        i = basis[p]
        if i < n:
            for a in range(size):
                line[a] = 0.0
            for b in range(size):
                entry = columns[i, b]
                if entry != 0.0:
                    for a in range(size):
                        line[a] -= entry * block[b, a]
            for a in range(size):
                inverse[p, rows[a]] = line[a]
            inverse[p, i] = 1.0
