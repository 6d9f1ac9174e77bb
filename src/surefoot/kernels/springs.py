"""Coulomb's law on springs: what convex_route.py does, without a dimension for every spring.

With the offset s held fixed the problem is convex, and `spring_pivoting` solves it in the space of the free velocities.
While its basis stays, u is linear in s: with P the projection that keeps the ties, v_a the lead of contact a and slip_a
mu times its slip against edge e,

    du/ds_a = -P v_a / R_a,  dslip_a/du = -mu D_e'W_t:    (1 - sum du/ds_a dslip_a/du) du = sum du/ds_a (slip_a - s_a)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from surefoot.kernels.active_modes import checked_residual
from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve, lu_factor, lu_solve, row_dot
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.spring_basis import SpringWork, lead_shares, metric_project, spring_work
from surefoot.kernels.spring_pivoting import spring_pivoting
from surefoot.kernels.status import PIVOT_LIMIT, SOLVED
from surefoot.kernels.sweeps import project_modes

ROUNDS = 24
SETTLED = 1e-13  # s is the slip, relative to the velocity scale
WARM = 24  # pivots from the last call's basis; with more, a start from nothing is faster
VISCOUS = 1e3  # damping of the first guess along the ground, relative to the springs
SINGULAR = 1e-9  # smallest pivot ratio of a regular matrix


class Springs(NamedTuple):
    """Work arrays for up to `capacity` contacts with k edges and nv free velocities."""

    V: ndarray  # (capacity k nv,) rows of all edges, packed
    b: ndarray  # (capacity k,)
    unshifted: ndarray  # (capacity k,) b for s = 0
    owner: ndarray  # (capacity k,) int64
    first: ndarray  # (capacity,) int64: a contact's first row
    R: ndarray  # (capacity,)
    shift: ndarray  # (capacity,) s
    slip: ndarray  # (capacity,) what s should be
    edge: ndarray  # (capacity,) int64: the edge against which a contact slips, -1 if it does not
    rows: ndarray  # (1,) int64: how many there were in the last call
    A: ndarray  # (nv, nv)
    order: ndarray  # (nv,) int64
    push: ndarray  # (nv,)
    rhs: ndarray  # (nv,)
    step: ndarray  # (nv,)
    x: ndarray  # (capacity k,) multipliers
    pivoting: SpringWork


def make_springs(capacity: int, edges: int, nv: int) -> Springs:
    """Work arrays."""
    rows = capacity * edges
    return Springs(
        V=np.zeros(rows * nv),
        b=np.zeros(rows),
        unshifted=np.zeros(rows),
        owner=np.zeros(rows, dtype=np.int64),
        first=np.zeros(capacity, dtype=np.int64),
        R=np.zeros(capacity),
        shift=np.zeros(capacity),
        slip=np.zeros(capacity),
        edge=np.zeros(capacity, dtype=np.int64),
        rows=np.zeros(1, dtype=np.int64),
        A=np.zeros((nv, nv)),
        order=np.zeros(nv, dtype=np.int64),
        push=np.zeros(nv),
        rhs=np.zeros(nv),
        step=np.zeros(nv),
        x=np.zeros(rows),
        pivoting=spring_work(capacity, rows, nv),
    )


@part
def all_on_springs(p):
    """Whether every block is a contact on a spring with finite friction, and every number finite."""
    nu = p.nu - p.n
    if nu == 0 or p.scale == 0.0:
        return False
    for i in range(p.n):
        if p.kind[i] == BOX or not p.W[3 * i, nu + i] > 0.0 or (p.kind[i] == CONE and not p.mu[i] < math.inf):
            return False
        if not math.isfinite(p.c0[3 * i] + p.c0[3 * i + 1] + p.c0[3 * i + 2] + p.offset[i]):
            return False
    return True


@part
def solve_crowd(p, s, warm, work, f):
    """Impulses `f` (3n,) of a problem with `all_on_springs`. Returns the residual, infinity if there is no answer.

    `warm`: whether the basis and the slips of the last call are worth starting from.
    """
    nu, here = p.nu - p.n, work.pivoting
    rows = _rows(p, nu, work)
    V, b, owner, R = work.V[: rows * nu].reshape(rows, nu), work.b[:rows], work.owner[:rows], work.R[: p.n]
    warm = warm and work.rows[0] == rows
    if not warm:
        _start(p, nu, V, work)
    work.rows[0] = 0
    for round in range(ROUNDS):
        _shift(rows, work)
        status, _ = spring_pivoting(V, b, owner, R, round > 0, WARM if warm and round == 0 else 20 * rows, here)
        if status == PIVOT_LIMIT and warm and round == 0:  # the robot has moved far
            _start(p, nu, V, work)
            _shift(rows, work)
            status, _ = spring_pivoting(V, b, owner, R, False, 20 * rows, here)
        if status != SOLVED:
            return math.inf
        if _slip(p, nu, work) <= SETTLED * p.scale:
            break
        if round % 3 != 2:
            _newton(p, nu, V, work)
            _slip(p, nu, work)
        for i in range(p.n):
            work.shift[i] = work.slip[i]
    _impulses(p, rows, work, f)
    residual = checked_residual(p, s, f)
    if residual <= p.tolerance:
        work.rows[0] = rows
        project_modes(p, s, f)
    return residual


@part
def _rows(p, nu, work):
    """One row for every edge, its constants for s = 0, and the springs; returns their number."""
    W, D, c0, V = p.W, p.D, p.c0, work.V
    count = 0
    for i in range(p.n):
        work.first[i] = count
        work.R[i] = W[3 * i, nu + i] ** 2
        mu = p.mu[i] if p.kind[i] == CONE else 0.0
        for e in range(D.shape[0] if mu > 0.0 else 1):
            x, y = mu * D[e, 0], mu * D[e, 1]
            work.owner[count] = i
            work.unshifted[count] = c0[3 * i] + p.offset[i] + x * c0[3 * i + 1] + y * c0[3 * i + 2]
            for j in range(nu):
                V[count * nu + j] = W[3 * i, j] + x * W[3 * i + 1, j] + y * W[3 * i + 2, j]
            count += 1
    return count


@part
def _shift(rows, work):
    """Constants for the present s."""
    for r in range(rows):
        work.b[r] = work.unshifted[r] + work.shift[work.owner[r]]


@part
def _start(p, nu, V, work):
    """From nothing: each contact that closes is loaded against the slip that it would have if friction were viscous."""
    here, A, rhs, u = work.pivoting, work.A, work.rhs, work.pivoting.u
    here.counts[0] = 0
    for j in range(nu):
        u[j] = 0.0
    for _ in range(2):  # those that close without impulses, then with them
        for i in range(nu):
            rhs[i] = 0.0
            for j in range(i + 1):
                A[i, j] = 0.0
            A[i, i] = 1.0
        for g in range(p.n):
            if p.c0[3 * g] + p.offset[g] + row_dot(p.W, 3 * g, u, nu) >= 0.0:
                continue
            for r in range(3 * g, 3 * g + (3 if p.kind[g] == CONE and p.mu[g] > 0.0 else 1)):
                weight = (1.0 if r == 3 * g else VISCOUS) / work.R[g]
                c = p.c0[r] + (p.offset[g] if r == 3 * g else 0.0)
                for i in range(nu):
                    a = weight * p.W[r, i]
                    rhs[i] -= a * c
                    for j in range(i + 1):
                        A[i, j] += a * p.W[r, j]
        if not cholesky(A, nu):
            break
        cholesky_solve(A, nu, rhs)
        for j in range(nu):
            u[j] = rhs[j]
    for g in range(p.n):
        here.lead[g] = -1
        work.shift[g] = 0.0
        if p.c0[3 * g] + p.offset[g] + row_dot(p.W, 3 * g, u, nu) >= 0.0:
            continue
        least = math.inf
        for r in range(work.first[g], work.first[g] + (p.D.shape[0] if p.kind[g] == CONE and p.mu[g] > 0.0 else 1)):
            slack = work.unshifted[r] + row_dot(V, r, u, nu)
            if slack < least:
                least, here.lead[g] = slack, r


@part
def _slip(p, nu, work):
    """Mu times the slip of the present u; returns how far s is from it."""
    W, D, u = p.W, p.D, work.pivoting.u
    change = 0.0
    for i in range(p.n):
        work.slip[i], work.edge[i] = 0.0, -1
        if p.kind[i] != CONE or p.mu[i] == 0.0:
            continue
        cx = p.c0[3 * i + 1] + row_dot(W, 3 * i + 1, u, nu)
        cy = p.c0[3 * i + 2] + row_dot(W, 3 * i + 2, u, nu)
        slip = 0.0
        for e in range(D.shape[0]):
            against = -(D[e, 0] * cx + D[e, 1] * cy)
            if against > slip:
                slip = against
                work.edge[i] = e
        work.slip[i] = p.mu[i] * slip
        change = max(change, abs(work.slip[i] - work.shift[i]))
    return change


@part
def _newton(p, nu, V, work):
    """Move u to where the slip is the one assumed; it stays if the matrix is singular."""
    here, A, rhs, push, W = work.pivoting, work.A, work.rhs, work.push, p.W
    for i in range(nu):
        rhs[i] = 0.0
        for j in range(nu):
            A[i, j] = 0.0
        A[i, i] = 1.0
    for a in range(p.n):
        if here.lead[a] < 0 or (work.edge[a] < 0 and work.slip[a] == work.shift[a]):
            continue
        for j in range(nu):
            push[j] = -V[here.lead[a], j] / work.R[a]
        metric_project(nu, here, push)
        for i in range(nu):
            rhs[i] += push[i] * (work.slip[a] - work.shift[a])
        e = work.edge[a]
        if e < 0:
            continue
        for j in range(nu):
            change = -p.mu[a] * (p.D[e, 0] * W[3 * a + 1, j] + p.D[e, 1] * W[3 * a + 2, j])
            for i in range(nu):
                A[i, j] -= push[i] * change
    if lu_factor(A, nu, work.order) >= SINGULAR:
        lu_solve(A, work.order, nu, rhs, work.step)
        for j in range(nu):
            here.u[j] += work.step[j]


@part
def _impulses(p, rows, work, f):
    """Impulses from the multipliers."""
    here, x = work.pivoting, work.x
    lead_shares(work.owner, p.n, here)
    for r in range(rows):
        x[r] = 0.0
    for i in range(p.n):
        if here.lead[i] >= 0:
            x[here.lead[i]] = max(here.share[i], 0.0)
    for k in range(here.counts[0]):
        x[here.ties[k]] = max(here.tied[k], 0.0)
    for i in range(p.n):
        f[3 * i], f[3 * i + 1], f[3 * i + 2] = 0.0, 0.0, 0.0
        mu = p.mu[i] if p.kind[i] == CONE else 0.0
        for e in range(p.D.shape[0] if mu > 0.0 else 1):
            push = x[work.first[i] + e]
            f[3 * i] += push
            f[3 * i + 1] += mu * p.D[e, 0] * push
            f[3 * i + 2] += mu * p.D[e, 1] * push
