"""Principal pivoting where every contact stands on a spring: a projection in the metric of the loaded springs.

    min 1/2 |u|^2 + 1/2 sum_i R_i f_i^2   subject to   V_r u + b_r + R_i f_i >= 0  for every row r of contact i

f_i is the sum of the multipliers of contact i's rows. The dual active set method of principal_pivoting.py, but a spring
is no dimension of its own: `spring_basis` solves in nu dimensions, anew for every basis of leads and at most nu ties.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.linear_algebra import affine, backward_substitute, forward_substitute, row_dot
from surefoot.kernels.spring_basis import RANK_TOLERANCE, factor_basis, lead_shares, refine, solve_basis, split
from surefoot.kernels.status import NOT_FINITE, PIVOT_LIMIT, SOLVED, UNSOLVED

TOLERANCE = 1e-12  # a row is violated below this times the largest demand -b / |row|


@part
def spring_pivoting(V, b, owner, R, again, limit, work):
    """Solve the problem above from the basis in `work`, which ends as that of the answer. Returns (status, pivots).

    Args:
        V: (r, nu) rows.
        b: (r,).
        owner: (r,) int64, the contact of each row.
        R: (n,) softness of each contact's spring, positive.
        again: whether only b is new since the last call with this `work`.
        limit: of the pivots.
        work: SpringWork with `lead`, `ties` and `counts`; `u`, `load` and `tied` are the answer.
    """
    rows = V.shape[0]
    if not again:
        _mark(V, owner, R, work)
    demand, finite = 0.0, True
    for r in range(rows):
        finite = finite and math.isfinite(b[r] + work.size[r])
        if -b[r] > demand * work.size[r]:  # divides for a new largest one only
            demand = -b[r] / work.size[r]
    if not finite:
        return NOT_FINITE, int64(0)
    pivots = int64(0)
    starts, known = True, False  # known: u and the multipliers were led to this basis step by step
    while pivots < limit:
        if not factor_basis(V, owner, R, work):
            return UNSOLVED, pivots
        if not known:
            solve_basis(V, b, owner, R, work)
        if starts and _drop_negative(owner, R.shape[0], 0.0, work):
            pivots += 1
            continue
        starts = False
        row = _most_violated(V, b, owner, R, TOLERANCE * demand, work)
        if row < 0:
            # Rounding may have left a negative multiplier behind; without one this is the answer.
            refine(V, b, owner, R, work)
            if not _drop_negative(owner, R.shape[0], TOLERANCE * demand, work):
                return SOLVED, pivots
            pivots += 1
            known = False
            continue
        known, pivots = _enter(V, b, owner, R, row, pivots, limit, work)
        if not known:
            return (PIVOT_LIMIT if pivots >= limit else UNSOLVED), pivots
    return PIVOT_LIMIT, pivots


@kernel
def run_spring_pivoting(V, b, owner, R, work):
    """`spring_pivoting` for Python."""
    return spring_pivoting(V, b, owner, R, False, 20 * sum(V.shape) + 100, work)


@part
def _mark(V, owner, R, work):
    """Sizes of the rows, and which are in the basis."""
    nu = V.shape[1]
    for r in range(V.shape[0]):
        work.member[r] = False
        work.size[r] = math.sqrt(row_dot(V, r, V[r], nu) + R[owner[r]])
    for g in range(R.shape[0]):
        work.stiffness[g] = 1.0 / R[g]
        if work.lead[g] >= 0:
            work.member[work.lead[g]] = True
    for k in range(work.counts[0]):
        work.member[work.ties[k]] = True


@part
def _leave(owner, g, work):
    """Take the lead of contact g out of the basis; a tie of the same contact becomes the lead."""
    work.member[work.lead[g]] = False
    work.lead[g] = -1
    for k in range(work.counts[0]):
        if owner[work.ties[k]] == g:
            work.lead[g] = work.ties[k]
            _untie(k, work)
            return


@part
def _untie(place, work):
    """Take a tie out of the list."""
    work.counts[0] -= 1
    for k in range(place, work.counts[0]):
        work.ties[k], work.tied[k] = work.ties[k + 1], work.tied[k + 1]


@part
def _drop_negative(owner, n, threshold, work):
    """Drop the rows whose multipliers are below -threshold; whether there were any."""
    lead_shares(owner, n, work)
    dropped = False
    for k in range(work.counts[0] - 1, -1, -1):
        row = work.ties[k]
        if work.tied[k] * work.size[row] < -threshold:
            work.member[row] = False
            _untie(k, work)
            dropped = True
    for g in range(n):
        if work.lead[g] >= 0 and work.share[g] * work.size[work.lead[g]] < -threshold:
            _leave(owner, g, work)
            dropped = True
    return dropped


@part
def _most_violated(V, b, owner, R, threshold, work):
    """The row outside the basis with the smallest slack relative to its size below -threshold, or -1."""
    rows, nu = V.shape
    size, slack = work.size, work.slack
    affine(V, b, work.u, rows, nu, slack)
    lowest, worst = -threshold, int64(-1)
    for r in range(rows):
        g = owner[r]
        if work.lead[g] >= 0:
            slack[r] += R[g] * work.load[g]
        if slack[r] < lowest * size[r] and not work.member[r]:  # divides for a new smallest one only
            lowest = slack[r] / size[r]
            worst = int64(r)
    return worst


@part
def _enter(V, b, owner, R, row, pivots, limit, work):
    """Raise the multiplier of a violated row until it holds; rows whose multiplier reaches zero on the way leave.

    Returns (whether it entered, pivots).
    """
    nu, n, u, load, g = V.shape[1], R.shape[0], work.u, work.load, owner[row]
    a, multiplier = work.outside, 0.0
    if work.lead[g] < 0:
        load[g] = 0.0
    while pivots < limit:
        pivots += 1
        lead, ties = work.lead[g], work.counts[0]
        slack = b[row] + row_dot(V, row, u, nu) + R[g] * load[g]
        for j in range(nu):
            a[j] = V[row, j] - (V[lead, j] if lead >= 0 else 0.0)
        forward_substitute(work.H, nu, a)
        whole = 0.0
        for j in range(nu):
            whole += a[j] * a[j]
        free = split(nu, ties, work, a)
        curvature = free * free + (R[g] if lead < 0 else 0.0)
        full = math.inf
        if lead < 0 or (free > RANK_TOLERANCE * math.sqrt(whole) and ties < nu):
            full = max(-slack / curvature, 0.0)
        backward_substitute(work.H, nu, a)
        for k in range(ties - 1, -1, -1):  # T' change = inside
            total = work.inside[k]
            for j in range(k + 1, ties):
                total -= work.T[j, k] * work.change[j]
            work.change[k] = total / work.T[k, k]
        step, leaving, tie = full, int64(-1), int64(-1)
        for k in range(ties):
            if work.change[k] > 1e-12:
                ratio = max(work.tied[k], 0.0) / work.change[k]
                if ratio < step:
                    step, tie = ratio, int64(k)
        lead_shares(owner, n, work)
        for i in range(n):
            work.rate[i], work.falls[i] = 0.0, 0.0
            if work.lead[i] >= 0:
                work.rate[i] = -row_dot(V, work.lead[i], a, nu) * work.stiffness[i]
                work.falls[i] = -work.rate[i]
        for k in range(ties):
            work.falls[owner[work.ties[k]]] -= work.change[k]
        if lead >= 0:
            work.falls[g] += 1.0
            work.share[g] -= multiplier
        for i in range(n):
            if work.falls[i] > 1e-12:
                ratio = max(work.share[i], 0.0) / work.falls[i]
                if ratio < step:
                    step, leaving, tie = ratio, int64(i), int64(-1)
        if step == math.inf:
            return False, pivots
        multiplier += step
        for j in range(nu):
            u[j] += step * a[j]
        for k in range(ties):
            work.tied[k] -= step * work.change[k]
        for i in range(n):
            load[i] += step * work.rate[i]
        if lead < 0:
            load[g] += step
        if tie < 0 and leaving < 0:
            work.member[row] = True
            if lead < 0:
                work.lead[g] = row
            else:
                work.ties[ties], work.tied[ties] = row, multiplier
                work.counts[0] = ties + 1
            return True, pivots
        if tie >= 0:
            work.member[work.ties[tie]] = False
            _untie(tie, work)
        else:
            _leave(owner, leaving, work)
            if work.lead[leaving] < 0:
                load[leaving] = multiplier if leaving == g else 0.0
        if not factor_basis(V, owner, R, work):
            return False, pivots
    return False, pivots
