"""A basis of rows of contacts on springs: the minimum where they hold, in the metric of the loaded springs.

A lead v of every loaded contact says how far its spring is pressed, load = -(v u + b) / R; a tie is a further row of
the same contact that equals its lead. Minimise over the nu velocities

    1/2 u'H u + sum over leads of b v u / R,  H = 1 + sum v v' / R,    subject to  (V_r - v) u + b_r - b = 0 for ties r
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.linear_algebra import backward_substitute, cholesky, forward_substitute, row_dot

RANK_TOLERANCE = 1e-9  # a tie whose part outside the others is smaller, relative to itself, is dependent


class SpringWork(NamedTuple):
    """Basis, answer and work arrays for n contacts with r rows in nu dimensions; make them with `spring_work`."""

    lead: ndarray  # (n,) int64: the row that says how far a spring is pressed, -1: no load
    ties: ndarray  # (nu + 1,) int64: rows equal to their contact's lead
    counts: ndarray  # (1,) int64: number of ties
    load: ndarray  # (n,) f
    tied: ndarray  # (nu + 1,) multipliers of the ties
    u: ndarray  # (nu,)
    member: ndarray  # (r,) bool: rows in the basis
    size: ndarray  # (r,) norms of the rows, spring and all
    slack: ndarray  # (r,) V u + b + R f
    H: ndarray  # (nu, nu) Cholesky factor L of the metric
    Q: ndarray  # (nu + 1, nu) orthonormal rows that span L^-1 (V_r - v) of the ties
    T: ndarray  # (nu + 1, nu + 1) tie k = sum over j <= k of T[k, j] Q[j]
    inside: ndarray  # (nu + 1,)
    outside: ndarray  # (nu,)
    change: ndarray  # (nu + 1,) of the multipliers of the ties
    stiffness: ndarray  # (n,) 1 / R
    rate: ndarray  # (n,) change of the loads
    falls: ndarray  # (n,) change of the multipliers of the leads, downwards
    share: ndarray  # (n,) multipliers of the leads
    rows: ndarray  # (nu,)


def spring_work(n: int, rows: int, nu: int) -> SpringWork:
    """Return the work arrays."""
    return SpringWork(
        lead=np.full(n, -1),
        ties=np.zeros(nu + 1, dtype=np.int64),
        counts=np.zeros(1, dtype=np.int64),
        load=np.zeros(n),
        tied=np.zeros(nu + 1),
        u=np.zeros(nu),
        member=np.zeros(rows, dtype=bool),
        size=np.zeros(rows),
        slack=np.zeros(rows),
        H=np.zeros((nu, nu)),
        Q=np.zeros((nu + 1, nu)),
        T=np.zeros((nu + 1, nu + 1)),
        inside=np.zeros(nu + 1),
        outside=np.zeros(nu),
        change=np.zeros(nu + 1),
        stiffness=np.zeros(n),
        rate=np.zeros(n),
        falls=np.zeros(n),
        share=np.zeros(n),
        rows=np.zeros(nu),
    )


@part
def factor_basis(V, owner, R, work):
    """Factors of the metric and of the ties; dependent ones leave. False if the metric is not positive definite."""
    nu, H = V.shape[1], work.H
    for i in range(nu):
        for j in range(i + 1):
            H[i, j] = 0.0
        H[i, i] = 1.0
    for g in range(R.shape[0]):
        lead = work.lead[g]
        if lead >= 0:
            for i in range(nu):
                a = V[lead, i] * work.stiffness[g]
                for j in range(i + 1):
                    H[i, j] += a * V[lead, j]
    if not cholesky(H, nu):
        return False
    given, count = work.counts[0], int64(0)
    for k in range(given):
        row, a = work.ties[k], work.outside
        lead = work.lead[owner[row]]
        for j in range(nu):
            a[j] = V[row, j] - V[lead, j]
        forward_substitute(H, nu, a)
        size = 0.0
        for j in range(nu):
            size += a[j] * a[j]
        free = split(nu, count, work, a)
        if count >= nu or not free > RANK_TOLERANCE * math.sqrt(size):
            work.member[row] = False
            continue
        for j in range(count):
            work.T[count, j] = work.inside[j]
        work.T[count, count] = free
        for j in range(nu):
            work.Q[count, j] = a[j] / free
        work.ties[count], work.tied[count] = row, work.tied[k]
        count += 1
    work.counts[0] = count
    return True


@part
def solve_basis(V, b, owner, R, work):
    """The minimum on the basis that was just factored."""
    for j in range(V.shape[1]):
        work.u[j] = 0.0
    for g in range(R.shape[0]):
        work.load[g] = 0.0
    for k in range(work.counts[0]):
        work.tied[k] = 0.0
    refine(V, b, owner, R, work)


@part
def refine(V, b, owner, R, work):
    """Newton's step to the minimum on the basis, exact but for rounding.

    du = e + sum v dload + ties' dtied, dload = rho - v du / R:    H du = e + sum v rho + ties' dtied
    """
    nu, n, ties, u, load, push = V.shape[1], R.shape[0], work.counts[0], work.u, work.load, work.rows
    for j in range(nu):
        push[j] = -u[j]
    for g in range(n):
        lead = work.lead[g]
        if lead >= 0:
            work.rate[g] = -(row_dot(V, lead, u, nu) + b[lead] + R[g] * load[g]) * work.stiffness[g]
            for j in range(nu):
                push[j] += V[lead, j] * (load[g] + work.rate[g])
    for k in range(ties):
        row = work.ties[k]
        lead = work.lead[owner[row]]
        missing = b[lead] - b[row]
        for j in range(nu):
            apart = V[row, j] - V[lead, j]
            push[j] += apart * work.tied[k]
            missing -= apart * u[j]
        work.change[k] = missing
    forward_substitute(work.H, nu, push)
    split(nu, ties, work, push)
    for k in range(ties):  # T y = missing
        total = work.change[k]
        for j in range(k):
            total -= work.T[k, j] * work.change[j]
        work.change[k] = total / work.T[k, k]
        for j in range(nu):
            push[j] += work.change[k] * work.Q[k, j]
    for k in range(ties - 1, -1, -1):  # T' dtied = y - inside
        total = work.change[k] - work.inside[k]
        for j in range(k + 1, ties):
            total -= work.T[j, k] * work.inside[j]
        work.inside[k] = total / work.T[k, k]
        work.tied[k] += work.inside[k]
    backward_substitute(work.H, nu, push)
    for j in range(nu):
        u[j] += push[j]
    for g in range(n):
        if work.lead[g] >= 0:
            load[g] += work.rate[g] - row_dot(V, work.lead[g], push, nu) * work.stiffness[g]


@part
def lead_shares(owner, n, work):
    """Multipliers of the leads, into `work.share`: what the ties leave of the loads."""
    for g in range(n):
        work.share[g] = work.load[g]
    for k in range(work.counts[0]):
        work.share[owner[work.ties[k]]] -= work.tied[k]


@part
def metric_project(nu, work, a):
    """A <- L^-T (1 - Q'Q) L^-1 a: how u moves when pushed along a, ties kept."""
    forward_substitute(work.H, nu, a)
    split(nu, work.counts[0], work, a)
    backward_substitute(work.H, nu, a)


@part
def split(nu, ties, work, a):
    """Take what lies in the span of Q out of a, into `work.inside`; return the norm of the rest."""
    for k in range(ties):
        work.inside[k] = 0.0
    for _ in range(2):
        for k in range(ties):
            part = row_dot(work.Q, k, a, nu)
            work.inside[k] += part
            for j in range(nu):
                a[j] -= part * work.Q[k, j]
    total = 0.0
    for j in range(nu):
        total += a[j] * a[j]
    return math.sqrt(total)
