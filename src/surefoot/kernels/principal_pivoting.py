"""Principal pivoting on a positive semidefinite matrix of low rank, M = W W'.

Find x with `w = W W'x + b, x >= 0, w >= 0, x'w = 0`: the conditions of `min 1/2 |W'x|^2 + b'x, x >= 0`, and those of

    min 1/2 |u|^2  subject to  W u + b >= 0,        u = W'x in nu dimensions.

The dual active set method [Goldfarb1983] on the latter: take the most violated row into the basis, and let rows whose
multiplier would turn negative leave by a ratio test on the way. Rows in the basis are independent, so there are at most
nu of them; pricing all n rows costs n nu. Algorithm 2 of [Zapolsky2015] lacks this exchange.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import int64
from numpy.typing import NDArray

from surefoot.kernels import status as codes
from surefoot.kernels.cache import kernel, part
from surefoot.kernels.linear_algebra import affine_by_columns, row_dot
from surefoot.kernels.low_rank import is_certificate, low_rank_residual


class PivotingOptions(NamedTuple):
    """Tolerances and limits."""

    max_pivots: int = 0  # 0: 20 (n + nu) + 100
    tolerance: float = 1e-11  # a row is violated below this times the largest demand -b / |row|
    rank_tolerance: float = 1e-9  # a row whose part outside the basis is smaller, relative to itself, is dependent
    residual_tolerance: float = 1e-9  # largest scaled |min(x, w)| of a solution, relative to the largest demand; inf:
    # it is not computed, the caller has a check of his own


class PivotingWork(NamedTuple):
    """Work arrays for n rows in nu dimensions; make them with `pivoting_work(n, nu)`."""

    Q: NDArray[np.float64]  # (nu + 1, nu) orthonormal rows that span the basis
    R: NDArray[np.float64]  # (nu + 1, nu + 1) basis row k = sum over j <= k of R[k, j] Q[j]
    multipliers: NDArray[np.float64]  # (nu + 1,)
    change: NDArray[np.float64]  # (nu + 1,) change of the multipliers per unit of the entering one
    inside: NDArray[np.float64]  # (nu + 1,) entering row in the basis of Q
    outside: NDArray[np.float64]  # (nu,) entering row outside the span of Q
    columns: NDArray[np.float64]  # (nu, n) the rows once more, to price them all
    size: NDArray[np.float64]  # (n,) norms of the rows
    member: NDArray[np.int64]  # (n,) 1 for rows in the basis
    slack: NDArray[np.float64]  # (n,) W u + b


class PivotingResult(NamedTuple):
    """How the solve ended."""

    status: int  # see kernels/status.py
    pivots: int
    residual: float  # largest |min(x_i |W_i|, w_i / |W_i|)| over the largest demand
    basic: int  # number of rows in the basis


def pivoting_work(n: int, nu: int) -> PivotingWork:
    """Return the work arrays for n rows in nu dimensions."""
    return PivotingWork(
        Q=np.empty((nu + 1, nu)),
        R=np.empty((nu + 1, nu + 1)),
        multipliers=np.empty(nu + 1),
        change=np.empty(nu + 1),
        inside=np.empty(nu + 1),
        outside=np.empty(nu),
        columns=np.empty((nu, n)),
        size=np.empty(n),
        member=np.empty(n, dtype=np.int64),
        slack=np.empty(n),
    )


@part
def principal_pivoting(W, b, basis, basic, again, options, work, u_out, x_out, certificate_out):
    """Solve `w = W W'x + b, x >= 0, w >= 0, x'w = 0`.

    Args:
        W: (n, nu) rows.
        b: (n,).
        basis: (nu + 1,) int64. Rows to start from; modified in place to those of the answer, for the next call.
        basic: how many entries of `basis` to start from.
        again: whether W, basis and basic are those that the last call with this `work` left behind, and only b is new.
        options: PivotingOptions.
        work: PivotingWork.
        u_out: (nu,) W'x.
        x_out: (n,) the solution.
        certificate_out: (n,) zero, or if INFEASIBLE y >= 0 with W'y = 0 and b'y < 0.

    Returns:
        PivotingResult.
    """
    n, nu = W.shape
    size = work.size
    demand = 0.0
    wrong = 0  # numbers that are not finite
    if not again:
        _read_rows(W, work)
    impossible = int64(-1)
    for i in range(n):
        x_out[i] = 0.0
        certificate_out[i] = 0.0
        wrong += not math.isfinite(b[i] + size[i])
    for i in range(n):
        if -b[i] > demand * size[i]:  # divides for a new largest one only
            if size[i] > 0.0:
                demand = -b[i] / size[i]
            else:
                impossible = i
    for k in range(nu):
        u_out[k] = 0.0
    if wrong > 0:
        return PivotingResult(codes.NOT_FINITE, 0, np.inf, 0)
    if impossible >= 0:
        certificate_out[impossible] = 1.0
        return PivotingResult(codes.INFEASIBLE, 0, np.inf, 0)
    if demand == 0.0:
        return PivotingResult(codes.SOLVED, 0, 0.0, 0)
    limit = options.max_pivots if options.max_pivots > 0 else 20 * (n + nu) + 100
    if not again:
        basic = _start(W, basis, basic, options.rank_tolerance, work)
    basic = _drop_negative(W, b, basis, basic, 0.0, work, u_out)
    pivots: Any = int64(0)
    exact = True  # whether u was solved for with this basis, not led here step by step
    while True:
        row = _most_violated(b, u_out, options.tolerance * demand, work)
        if row < 0 and exact:
            break
        if row < 0:  # rounding may have left a negative multiplier behind
            before = basic
            basic = _drop_negative(W, b, basis, basic, options.tolerance * demand, work, u_out)
            pivots += before - basic
            exact = True
            continue
        exact = False
        basic, pivots, blocked = _enter(W, b, basis, basic, row, pivots, limit, options.rank_tolerance, work, u_out)
        if blocked:
            _write_certificate(basis, basic, row, work.change, certificate_out)
            status = codes.UNSOLVED
            if is_certificate(W, b, certificate_out, work.size, work.outside, 1e3 * options.rank_tolerance):
                status = codes.INFEASIBLE
            return PivotingResult(status, pivots, np.inf, basic)
        if pivots >= limit:
            break
    for k in range(basic):
        x_out[basis[k]] = max(work.multipliers[k], 0.0)
    if math.isinf(options.residual_tolerance):
        return PivotingResult(codes.PIVOT_LIMIT if pivots >= limit else codes.SOLVED, pivots, 0.0, basic)
    residual = low_rank_residual(W, b, x_out, work.size, u_out) / demand
    status = codes.SOLVED if residual <= options.residual_tolerance else codes.UNSOLVED
    if pivots >= limit and status != codes.SOLVED:
        status = codes.PIVOT_LIMIT
    return PivotingResult(status, pivots, residual, basic)


@kernel
def run_principal_pivoting(W, b, basis, basic, options, work, u_out, x_out, certificate_out):
    """`principal_pivoting` for Python."""
    return principal_pivoting(W, b, basis, basic, False, options, work, u_out, x_out, certificate_out)


@part
def _read_rows(W, work):
    """Columns and norms of the rows; none of them is in the basis."""
    n, nu = W.shape
    columns, size = work.columns, work.size
    for i in range(n):
        work.member[i] = 0
        size[i] = 0.0
    for j in range(nu):
        for i in range(n):
            columns[j, i] = W[i, j]
        for i in range(n):
            size[i] += columns[j, i] ** 2
    for i in range(n):
        size[i] = math.sqrt(size[i])


@part
def _start(W, basis, basic, rank_tolerance, work):
    """Take the independent ones of the given rows into the basis; returns their number."""
    nu = W.shape[1]
    count = int64(0)
    for k in range(basic):
        i = basis[k]
        if 0 <= i < W.shape[0] and work.member[i] == 0 and count < nu:
            basis[count] = i
            if _append(W, i, count, rank_tolerance, work):
                work.member[i] = 1
                count += 1
    return count


@part
def _drop_negative(W, b, basis, basic, threshold, work, u):
    """Solve on the basis and drop rows, the worst first, until no multiplier is below -threshold."""
    while True:
        _solve(W, b, basis, basic, work, u)
        worst = int64(-1)
        lowest = -threshold
        for k in range(basic):
            value = work.multipliers[k] * work.size[basis[k]]
            if value < lowest:
                lowest = value
                worst = k
        if worst < 0:
            return basic
        basic = _remove(W, basis, basic, worst, work)


@part
def _most_violated(b, u, threshold, work):
    """The row outside the basis with the smallest (W u + b) / |row| below -threshold, or -1."""
    size, member, slack = work.size, work.member, work.slack
    affine_by_columns(work.columns, b, u, b.shape[0], u.shape[0], slack)
    lowest, row = -threshold, int64(-1)
    for i in range(b.shape[0]):
        if slack[i] < lowest * size[i] and member[i] == 0 and size[i] > 0.0:  # divides for a new smallest one only
            lowest = slack[i] / size[i]
            row = int64(i)
    return row


@part
def _enter(W, b, basis, basic, row, pivots, limit, rank_tolerance, work, u):
    """Raise the multiplier of a violated row until it holds; rows whose multiplier reaches zero on the way leave.

    Returns:
        (basic, pivots, blocked); blocked: the row is dependent and no row can leave, so the problem is infeasible.
    """
    nu = W.shape[1]
    multiplier = 0.0
    while pivots < limit:
        pivots += 1
        free = _project(W, row, basic, work)
        # Rows of the basis are sum_j R[k, j] Q[j]: the change of their multipliers solves R' change = inside.
        for k in range(basic - 1, -1, -1):
            total = work.inside[k]
            for j in range(k + 1, basic):
                total -= work.R[j, k] * work.change[j]
            work.change[k] = total / work.R[k, k]
        independent = free > rank_tolerance * work.size[row] and basic < nu
        full = np.inf
        if independent:
            full = -(b[row] + row_dot(W, row, u, nu)) / (free * free)
            if full <= 0.0:  # rows that left have already satisfied this one
                full = 0.0
        step = full
        leaving = int64(-1)
        for k in range(basic):
            if work.change[k] > 1e-12 * work.size[row] / work.size[basis[k]]:
                ratio = max(work.multipliers[k], 0.0) / work.change[k]
                if ratio < step:
                    step = ratio
                    leaving = k
        if step == np.inf:
            return basic, pivots, True
        multiplier += step
        for k in range(basic):
            work.multipliers[k] -= step * work.change[k]
        if independent:
            for c in range(nu):
                u[c] += step * work.outside[c]
        if leaving < 0:
            basis[basic] = row
            _store(basic, free, nu, work)
            work.multipliers[basic] = multiplier
            work.member[row] = 1
            return basic + 1, pivots, False
        basic = _remove(W, basis, basic, leaving, work)
    _solve(W, b, basis, basic, work, u)
    return basic, pivots, False


@part
def _project(W, row, basic, work):
    """Split a row into work.inside (in the basis of Q) and work.outside; return the norm of the latter."""
    nu = W.shape[1]
    for c in range(nu):
        work.outside[c] = W[row, c]
    for k in range(basic):
        work.inside[k] = 0.0
    before = work.size[row] ** 2
    for _ in range(2):
        for k in range(basic):  # all products first: none waits for another
            work.change[k] = row_dot(work.Q, k, work.outside, nu)
        for k in range(basic):
            work.inside[k] += work.change[k]
            for c in range(nu):
                work.outside[c] -= work.change[k] * work.Q[k, c]
        after = _dot(work.outside, work.outside, nu)
        if after > 0.5 * before:  # else a second pass removes what rounding left of the first
            break
        before = after
    return math.sqrt(after)


@part
def _append(W, row, place, rank_tolerance, work):
    """Extend Q and R by a row at this place; return False if it is dependent."""
    free = _project(W, row, place, work)
    if not free > rank_tolerance * work.size[row]:
        return False
    _store(place, free, W.shape[1], work)
    return True


@part
def _store(place, free, nu, work):
    """Make the row that was just projected the one at this place of Q and R."""
    for k in range(place):
        work.R[place, k] = work.inside[k]
    work.R[place, place] = free
    for c in range(nu):
        work.Q[place, c] = work.outside[c] / free


@part
def _remove(W, basis, basic, place, work):
    """Take a row out of the basis and rebuild Q and R from there; return the new size of the basis."""
    work.member[basis[place]] = 0
    count = place
    for k in range(place + 1, basic):
        basis[count] = basis[k]
        work.multipliers[count] = work.multipliers[k]
        if _append(W, basis[count], count, 0.0, work):
            count += 1
        else:
            work.member[basis[count]] = 0
    return count


@part
def _solve(W, b, basis, basic, work, u):
    """Solve W_A u + b_A = 0, u = W_A' multipliers, from the factors, refined once."""
    nu = W.shape[1]
    for c in range(nu):
        u[c] = 0.0
    for k in range(basic):
        work.multipliers[k] = 0.0
    for _ in range(2):
        for k in range(basic):  # R y = -(b + W u)
            total = -b[basis[k]] - row_dot(W, basis[k], u, nu)
            for j in range(k):
                total -= work.R[k, j] * work.inside[j]
            work.inside[k] = total / work.R[k, k]
        for k in range(basic - 1, -1, -1):  # R' change = y
            total = work.inside[k]
            for j in range(k + 1, basic):
                total -= work.R[j, k] * work.change[j]
            work.change[k] = total / work.R[k, k]
        for k in range(basic):
            work.multipliers[k] += work.change[k]
            for c in range(nu):
                u[c] += work.inside[k] * work.Q[k, c]


@part
def _write_certificate(basis, basic, row, change, certificate_out):
    """Write y: the entering row is the sum of change times the basis rows, none positive."""
    certificate_out[row] = 1.0
    for k in range(basic):
        certificate_out[basis[k]] = max(-change[k], 0.0)


@part
def _dot(a, b, n):
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total
