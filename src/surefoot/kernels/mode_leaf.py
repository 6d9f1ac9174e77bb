"""The linear system of contacts whose modes are chosen, and whether its answers have the right signs.

Block i is in one of its modes m. A mode has unknowns x, columns C that turn them into a change of the free velocities
y, rows R that must vanish and rows V that must not be negative:

    y = sum C'x,    R y + r = 0,    V y + v >= 0,    F x >= 0,        as many rows R as unknowns

If the system determines x, the signs decide. If it does not, its solutions are x + t'null, and the least |t| that
satisfies all inequalities is sought by principal pivoting, which finds it or proves that there is none.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels.cache import part
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.status import INFEASIBLE

Array = NDArray[np.float64]

# Kinds of leaves.
POINT = 0  # x is known, and so is y
FLAT = 1  # y is known, x is not
WIDE = 2  # neither is


class Modes(NamedTuple):
    """The modes of n blocks; arrays are filled up with zeros to the largest size."""

    count: NDArray[np.int64]  # (n,) modes
    unknowns: NDArray[np.int64]  # (n, M)
    signs: NDArray[np.int64]  # (n, M) rows F
    bounds: NDArray[np.int64]  # (n, M) rows V
    C: Array  # (n, M, 3, nu)
    R: Array  # (n, M, 3, nu)
    r: Array  # (n, M, 3)
    F: Array  # (n, M, S, 3)
    V: Array  # (n, M, 2, nu)
    v: Array  # (n, M, 2)


class ModeOptions(NamedTuple):
    """Tolerances, for rows of size 1 and velocities of size 1."""

    tolerance: float = 1e-9  # a sign may be wrong by this, and a border is as wide
    rank_tolerance: float = 1e-11  # pivots of a leaf below this times the largest count as zero
    smallest: float = 1e-13  # rows and pivots below this are rounding
    dependent: float = 1e-8  # rows whose part outside the others is smaller, relative to themselves, are dependent
    contradiction: float = 1e-6  # dependent rows may differ by this before a branch of the tree is cut
    pivoting: PivotingOptions = PivotingOptions()


class LeafWork(NamedTuple):
    """Work arrays; make them with `leaf_work(n, nu, signs)`."""

    S: Array  # (3n, 3n + 1) the system, its last column the right-hand side
    x: Array  # (3n,)
    y: Array  # (nu,)
    null: Array  # (3n, 3n) rows span the kernel of S
    change: Array  # (3n, nu) change of y along them
    order: NDArray[np.int64]  # (3n,) unknown at each column of S
    block: NDArray[np.int64]  # (3n,) block of each unknown
    part: NDArray[np.int64]  # (3n,) which unknown of its block
    flat: Array  # (rows * 3n,) inequalities in the kernel of S, row by row
    slack: Array  # (rows,)
    multipliers: Array  # (rows,)
    certificate: Array  # (rows,)
    t: Array  # (3n,)
    basis: NDArray[np.int64]  # (3n + 1,)
    pivoting: PivotingWork


def leaf_work(n: int, nu: int, signs: int) -> LeafWork:
    """Return the work arrays for n blocks in nu dimensions, with up to `signs` rows F in a mode."""
    size, rows = 3 * n, n * (signs + 2)
    return LeafWork(
        S=np.zeros((size, size + 1)),
        x=np.zeros(size),
        y=np.zeros(nu),
        null=np.zeros((size, size)),
        change=np.zeros((size, nu)),
        order=np.zeros(size, dtype=np.int64),
        block=np.zeros(size, dtype=np.int64),
        part=np.zeros(size, dtype=np.int64),
        flat=np.zeros(rows * size),
        slack=np.zeros(rows),
        multipliers=np.zeros(rows),
        certificate=np.zeros(rows),
        t=np.zeros(size),
        basis=np.zeros(size + 1, dtype=np.int64),
        pivoting=pivoting_work(rows, size),
    )


@part
def solve_leaf(modes, mode, options, work):
    """Solve the system of the modes `mode` (n,); returns its kind, or -1 if there is no solution.

    `work.x` and `work.y` receive the solution if it is a POINT, y also if it is FLAT.
    """
    n = len(mode)
    S, x, y = work.S, work.x, work.y
    nu = len(y)
    size = 0
    for i in range(n):
        for a in range(modes.unknowns[i, mode[i]]):
            work.block[size] = i
            work.part[size] = a
            size += 1
    for p in range(size):
        i, a = work.block[p], work.part[p]
        for q in range(size):
            j, b = work.block[q], work.part[q]
            total = 0.0
            for k in range(nu):
                total += modes.R[i, mode[i], a, k] * modes.C[j, mode[j], b, k]
            S[p, q] = total
        S[p, size] = -modes.r[i, mode[i], a]
        work.order[p] = p
    rank = _eliminate(S, size, options.rank_tolerance, options.smallest, work.order)
    for p in range(rank, size):
        if abs(S[p, size]) > 10.0 * options.tolerance:
            return -1
    for p in range(rank, size):
        x[work.order[p]] = 0.0
    _substitute(S, rank, size, work.order, x)
    for k in range(nu):
        y[k] = 0.0
    for p in range(size):
        i, a = work.block[p], work.part[p]
        for k in range(nu):
            y[k] += modes.C[i, mode[i], a, k] * x[p]
    if rank == size:
        return POINT if _signs(modes, mode, options, work) and _bounds(modes, mode, options, work) else -1
    wide = _null_space(modes, mode, rank, size, options.dependent, work)
    if not wide and not _bounds(modes, mode, options, work):
        return -1
    margin = 2.0 * options.tolerance if wide else -options.tolerance  # what lies on a border belongs to other modes
    if not _has_solution(modes, mode, size - rank, margin, options, work):
        return -1
    return WIDE if wide else FLAT


@part
def _null_space(modes, mode, rank, size, tolerance, work):
    """Write unit vectors that span the kernel of S to rows of `work.null`; returns whether y changes along them."""
    S, change = work.S, work.change
    wide = False
    for p in range(rank, size):  # one of the unknowns left over is 1
        d = p - rank
        vector = work.null[d]
        for q in range(rank):
            S[q, size] = -S[q, p]
        for q in range(rank, size):
            vector[work.order[q]] = 1.0 if q == p else 0.0
        _substitute(S, rank, size, work.order, vector)
        length = 0.0
        for q in range(size):
            length += vector[q] * vector[q]
        length = math.sqrt(length)
        for k in range(len(work.y)):
            change[d, k] = 0.0
        for q in range(size):
            vector[q] /= length
            i, a = work.block[q], work.part[q]
            for k in range(len(work.y)):
                change[d, k] += modes.C[i, mode[i], a, k] * vector[q]
        for k in range(len(work.y)):
            wide = wide or abs(change[d, k]) > tolerance
    return wide


@part
def _has_solution(modes, mode, free, margin, options, work):
    """Whether some x + t'null, with t of length `free`, has F x >= 0 and V y + v >= margin in all blocks."""
    flat, slack = work.flat, work.slack
    rows, start = 0, 0
    for i in range(len(mode)):
        m = mode[i]
        for a in range(modes.signs[i, m]):
            slack[rows] = options.tolerance
            for b in range(modes.unknowns[i, m]):
                slack[rows] += modes.F[i, m, a, b] * work.x[start + b]
            for d in range(free):
                flat[rows * free + d] = 0.0
                for b in range(modes.unknowns[i, m]):
                    flat[rows * free + d] += modes.F[i, m, a, b] * work.null[d, start + b]
            rows += 1
        for a in range(modes.bounds[i, m]):
            slack[rows] = row_value(modes.V[i, m, a], modes.v[i, m, a], work.y) - margin
            for d in range(free):
                flat[rows * free + d] = row_value(modes.V[i, m, a], 0.0, work.change[d])
            rows += 1
        start += modes.unknowns[i, m]
    for k in range(rows * free):
        if abs(flat[k]) <= options.dependent:
            flat[k] = 0.0
    pivoting, W = work.pivoting, flat[: rows * free].reshape((rows, free))
    t, x, certificate = work.t[:free], work.multipliers[:rows], work.certificate[:rows]
    result = principal_pivoting(W, slack[:rows], work.basis, 0, False, options.pivoting, pivoting, t, x, certificate)
    return result.status != INFEASIBLE


@part
def _eliminate(S, size, tolerance, smallest, order):
    """Gauss elimination with complete pivoting, the right-hand side in column `size`; returns the rank."""
    first = 0.0
    for p in range(size):
        best, row, column = 0.0, p, p
        for i in range(p, size):
            for j in range(p, size):
                if abs(S[i, j]) > best:
                    best, row, column = abs(S[i, j]), i, j
        if p == 0:
            first = best
        if best <= max(tolerance * first, smallest):
            return p
        if row != p:
            for j in range(size + 1):
                S[p, j], S[row, j] = S[row, j], S[p, j]
        if column != p:
            order[p], order[column] = order[column], order[p]
            for i in range(size):
                S[i, p], S[i, column] = S[i, column], S[i, p]
        for i in range(p + 1, size):
            factor = S[i, p] / S[p, p]
            if factor != 0.0:
                for j in range(p + 1, size + 1):
                    S[i, j] -= factor * S[p, j]
    return size


@part
def _substitute(S, rank, size, order, x):
    """Solve the triangle of `_eliminate` for the first `rank` unknowns, the others not counted."""
    for p in range(rank - 1, -1, -1):
        total = S[p, size]
        for j in range(p + 1, rank):
            total -= S[p, j] * x[order[j]]
        x[order[p]] = total / S[p, p]


@part
def _signs(modes, mode, options, work):
    """Whether F x >= 0 in all blocks."""
    start = 0
    for i in range(len(mode)):
        m = mode[i]
        for a in range(modes.signs[i, m]):
            total = 0.0
            for b in range(modes.unknowns[i, m]):
                total += modes.F[i, m, a, b] * work.x[start + b]
            if not total >= -options.tolerance:
                return False
        start += modes.unknowns[i, m]
    return True


@part
def _bounds(modes, mode, options, work):
    """Whether V y + v >= 0 in all blocks."""
    for i in range(len(mode)):
        m = mode[i]
        for a in range(modes.bounds[i, m]):
            if not row_value(modes.V[i, m, a], modes.v[i, m, a], work.y) >= -options.tolerance:
                return False
    return True


@part
def row_value(row, start, y):
    """Return start + row'y."""
    total = start
    for k in range(len(y)):
        total += row[k] * y[k]
    return total
