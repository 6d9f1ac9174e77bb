"""Newton's step of the convex route: to where the slip is the one assumed.

With the rows of the basis and the edges against which contacts slip held fixed, all is linear in the slips s. The rows
of the basis are R Q (see principal_pivoting.py), E_a says which of them are contact a's:

    du/ds_a = -Q'R^-1 E_a,        slip_a(u) = -mu_a D_a'c_t(u),        (1 - dslip/du du/ds) ds = slip - s

Where that matrix is singular the slip runs ahead of s, and both go on until a row enters or leaves the basis.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import affine_by_columns, lu_factor, lu_solve, row_dot
from surefoot.kernels.plant import CONE

SINGULAR = 1e-9  # smallest pivot ratio of a regular matrix
REGULAR = 1e-6  # added to the diagonal of a singular one
LONG = 10.0  # a step of so many times the way from s to the slip may leave where all is linear
FARTHEST = 1e6  # steps
ROUNDING = 1e-9  # a change that is smaller than this, relative to the largest, is none


class SlipWork(NamedTuple):
    """Work arrays for up to nv rows in the basis."""

    owner: ndarray  # (rows,) int64: the contact whose slip shifts a row, -1 if there is none
    moving: ndarray  # (nv,) int64: contacts with rows in the basis
    edge: ndarray  # (capacity,) int64: the edge against which a contact slips, -1 if it does not
    friction: ndarray  # (capacity,) mu where slip shifts rows, else 0
    tangents: ndarray  # (nv, 2 capacity) columns of W's tangent rows: x of all contacts, then y
    still: ndarray  # (2 capacity,) tangent velocities for u = 0
    sideways: ndarray  # (2 capacity,) tangent velocities, or their change
    ds: ndarray  # (capacity,) change of the slips
    along: ndarray  # (nv, nv) du/ds
    A: ndarray  # (nv, nv)
    order: ndarray  # (nv,) int64
    rhs: ndarray  # (nv,)
    step: ndarray  # (nv,)
    change: ndarray  # (nv,) of the multipliers
    du: ndarray  # (nv,)
    rise: ndarray  # (rows,) change of the slacks


def slip_work(capacity: int, rows: int, nv: int) -> SlipWork:
    """Work arrays."""
    return SlipWork(
        owner=np.zeros(rows, dtype=np.int64),
        moving=np.zeros(nv, dtype=np.int64),
        edge=np.zeros(capacity, dtype=np.int64),
        friction=np.zeros(capacity),
        tangents=np.zeros((nv, 2 * capacity)),
        still=np.zeros(2 * capacity),
        sideways=np.zeros(2 * capacity),
        ds=np.zeros(capacity),
        along=np.zeros((nv, nv)),
        A=np.zeros((nv, nv)),
        order=np.zeros(nv, dtype=np.int64),
        rhs=np.zeros(nv),
        step=np.zeros(nv),
        change=np.zeros(nv),
        du=np.zeros(nv),
        rise=np.zeros(rows),
    )


@part
def read_tangents(p, work):
    """Tangent rows and friction of all contacts, laid out so that their slips are computed side by side."""
    W, n, nu = p.W, p.n, p.nu
    for i in range(n):
        work.friction[i] = p.mu[i] if p.kind[i] == CONE and not math.isinf(p.mu[i]) else 0.0
        work.still[i], work.still[n + i] = p.c0[3 * i + 1], p.c0[3 * i + 2]
    for j in range(nu):
        for i in range(n):
            work.tangents[j, i], work.tangents[j, n + i] = W[3 * i + 1, j], W[3 * i + 2, j]


@part
def read_slip(p, convex):
    """Mu times the slip of the present u, into `convex.slip`; returns how far s is from it."""
    work, slip, D, n = convex.slips, convex.slip, p.D, p.n
    friction, sideways, edge = work.friction, work.sideways, work.edge
    affine_by_columns(work.tangents, work.still, convex.u, 2 * n, p.nu, sideways)
    for i in range(n):
        slip[i] = 0.0
        edge[i] = -1
    for e in range(D.shape[0]):
        x, y = -D[e, 0], -D[e, 1]
        for i in range(n):  # without a branch
            against = friction[i] * (x * sideways[i] + y * sideways[n + i])
            edge[i] = e if against > slip[i] else edge[i]
            slip[i] = against if against > slip[i] else slip[i]
    change = 0.0
    for i in range(n):
        change = max(change, abs(slip[i] - convex.shift[i]))
    return change


@part
def follow_slip(p, rows, basic, newton, convex):
    """Move `convex.u` towards where the slip is the one assumed.

    Args:
        p: Problem.
        rows: their number.
        basic: how many of them are in the basis.
        newton: whether to take Newton's step, or the one from s to the slip (should Newton's steps cycle).
        convex: a Convex.
    """
    work, nu, du = convex.slips, p.nu, convex.slips.du
    count = _derivatives(p, basic, convex)
    if not (newton and _newton(p, count, work)):
        for a in range(count):
            work.step[a] = work.rhs[a]
    ahead, longest, way = 0.0, 0.0, 0.0
    for a in range(count):
        ahead += work.step[a] * work.rhs[a]
        longest, way = max(longest, abs(work.step[a])), max(way, abs(work.rhs[a]))
    away = ahead < 0.0  # Newton's point repels s: go the other way
    for a in range(count):
        work.step[a] *= -1.0 if away else 1.0
    for j in range(nu):
        du[j] = 0.0
        for a in range(count):
            du[j] += work.step[a] * work.along[a, j]
    far = 1.0
    if longest > LONG * way or away or not newton:
        far = 1.001 * _until_rows_change(p, rows, basic, count, convex)
        if not newton:
            far = max(min(far, _until_slip(p, count, work)), 1.0)
        elif not away:
            far = min(far, 1.0)
    if not far < FARTHEST:
        far = 1.0
    for j in range(nu):
        convex.u[j] += far * du[j]


@part
def _newton(p, count, work):
    """Newton's step, into `work.step`; that of a singular matrix is long. False if there is none."""
    A = work.A
    for attempt in range(2):
        for a in range(count):
            for b in range(count):
                A[a, b] = -_slip_change(p, work.moving[a], work.edge[work.moving[a]], work.along[b])
            A[a, a] += 1.0 + attempt * REGULAR
        if lu_factor(A, count, work.order) >= SINGULAR:
            lu_solve(A, work.order, count, work.rhs, work.step)
            return True
    return False


@part
def _until_slip(p, count, work):
    """How many times the way from s to the slip to go until s is the slip."""
    along, size = 0.0, 0.0
    for a in range(count):
        along += work.rhs[a] * _slip_change(p, work.moving[a], work.edge[work.moving[a]], work.du)
        size += work.rhs[a] ** 2
    return size / (size - along) if along < size else FARTHEST


@part
def _until_rows_change(p, rows, basic, count, convex):
    """How much of the step to go until a row enters or leaves the basis, or a slip turns to another edge."""
    work, nu, du, change = convex.slips, p.nu, convex.slips.du, convex.slips.change
    basis, R, y = convex.basis, convex.work.R, convex.work.inside
    _slip_changes(p, work)
    fastest = 0.0
    for a in range(count):
        work.ds[work.moving[a]] = work.step[a]
        fastest = max(fastest, abs(work.step[a]))
    for k in range(basic):  # R y = E ds, change of the multipliers -R^-T y
        owner = work.owner[basis[k]]
        total = work.ds[owner] if owner >= 0 else 0.0
        for j in range(k):
            total -= R[k, j] * y[j]
        y[k] = total / R[k, k]
    until, steepest = math.inf, 0.0
    for k in range(basic - 1, -1, -1):
        total = -y[k]
        for j in range(k + 1, basic):
            total -= R[j, k] * change[j]
        change[k] = total / R[k, k]
        steepest = max(steepest, abs(change[k]))
    for k in range(basic):
        if change[k] < -ROUNDING * steepest:
            until = min(until, max(convex.work.multipliers[k], 0.0) / -change[k])
    rise = work.rise
    for row in range(rows):
        owner = work.owner[row]
        rise[row] = work.ds[owner] if owner >= 0 else 0.0
    affine_by_columns(convex.work.columns, rise, du, rows, nu, rise)
    for row in range(rows):
        slack = max(convex.work.slack[row], 0.0)
        # The rarest first; divides for a new smallest one only.
        if slack < until * -rise[row] and rise[row] < -ROUNDING * fastest and convex.work.member[row] == 0:
            until = slack / -rise[row]
    for a in range(count):
        until = min(until, _until_edge_changes(p, work.moving[a], work.edge[work.moving[a]], fastest, convex))
    return until


@part
def _until_edge_changes(p, i, edge, fastest, convex):
    """How much of the step to go until contact i slips most against another edge."""
    until = math.inf
    if edge < 0:
        return until
    W, D, u, du, nu = p.W, p.D, convex.u, convex.slips.du, p.nu
    cx, cy = p.c0[3 * i + 1] + row_dot(W, 3 * i + 1, u, nu), p.c0[3 * i + 2] + row_dot(W, 3 * i + 2, u, nu)
    dx, dy = row_dot(W, 3 * i + 1, du, nu), row_dot(W, 3 * i + 2, du, nu)
    for e in range(D.shape[0]):
        x, y = D[e, 0] - D[edge, 0], D[e, 1] - D[edge, 1]
        falls = p.mu[i] * (x * dx + y * dy)
        if falls < -ROUNDING * fastest:
            until = min(until, max(p.mu[i] * (x * cx + y * cy), 0.0) / -falls)
    return until


@part
def _derivatives(p, basic, convex):
    """Contacts with rows in the basis, du/ds, and slip - s of each; returns their number."""
    work, basis, R, Q, nu = convex.slips, convex.basis, convex.work.R, convex.work.Q, p.nu
    along, y = work.along, convex.work.inside
    count = int64(0)
    for k in range(basic):
        owner = work.owner[basis[k]]
        known = owner < 0
        for a in range(count):
            known = known or work.moving[a] == owner
        if not known:
            work.moving[count] = owner
            count += 1
    for a in range(count):
        i = work.moving[a]
        for j in range(nu):
            along[a, j] = 0.0
        for k in range(basic):  # R y = E_a
            total = 1.0 if work.owner[basis[k]] == i else 0.0
            for j in range(k):
                total -= R[k, j] * y[j]
            y[k] = total / R[k, k]
            for j in range(nu):
                along[a, j] -= y[k] * Q[k, j]
        work.rhs[a] = convex.slip[i] - convex.shift[i]
    return count


@part
def _slip_changes(p, work):
    """Change of mu times the slip of every contact along du, into `work.ds`."""
    sideways, n = work.sideways, p.n
    for r in range(2 * n):
        sideways[r] = 0.0
    affine_by_columns(work.tangents, sideways, work.du, 2 * n, p.nu, sideways)
    for i in range(n):
        x, y = (p.D[work.edge[i], 0], p.D[work.edge[i], 1]) if work.edge[i] >= 0 else (0.0, 0.0)
        work.ds[i] = -work.friction[i] * (x * sideways[i] + y * sideways[n + i])


@part
def _slip_change(p, i, edge, du):
    """Change of mu times the slip of contact i along du."""
    if edge < 0:
        return 0.0
    dx, dy = row_dot(p.W, 3 * i + 1, du, p.nu), row_dot(p.W, 3 * i + 2, du, p.nu)
    return -p.mu[i] * (p.D[edge, 0] * dx + p.D[edge, 1] * dy)
