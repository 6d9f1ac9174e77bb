"""The normals alone: a projection in the space of the free velocities, without friction.

    min 1/2 |u|^2  subject to  c_n + offset >= 0,        c = W u + c0

Three contacts of a crowd carry a standing robot without friction, and mostly with it. And what contradicts itself here
contradicts itself under every rigid law.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import part
from surefoot.kernels.low_rank import is_certificate
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.principal_pivoting import principal_pivoting
from surefoot.kernels.status import INFEASIBLE, SOLVED


@part
def _solve_normals(p, work):
    """Returns (status, rows in the basis, rows); `work.first` holds the row of each block. `work`: a Convex."""
    W, nu = p.W, p.nu
    count = int64(0)
    for i in range(p.n):
        if p.kind[i] == BOX:
            continue
        work.first[i] = count
        work.b[count] = p.c0[3 * i] + p.offset[i]
        for j in range(nu):
            work.rows[count * nu + j] = W[3 * i, j]
        count += 1
    result = principal_pivoting(
        work.rows[: count * nu].reshape(count, nu), work.b[:count], work.basis[: nu + 1], int64(0), False,
        work.options, work.work, work.u[:nu], work.x[:count], work.certificate[:count],
    )  # fmt: skip
    return result.status, result.basic, count


@part
def normals_infeasible(p, work, certificate):
    """Whether the normals alone contradict: y >= 0, W_n'y = 0, (c0_n + offset)'y < 0, checked; else u opens them."""
    nu = p.nu
    status, _, count = _solve_normals(p, work)
    if status != INFEASIBLE:
        return False
    V, y = work.rows[: count * nu].reshape(count, nu), work.certificate[:count]
    if not is_certificate(V, work.b[:count], y, work.work.size[:count], work.u[:nu], 1e-9):
        return False
    total = 0.0
    weight = 0.0
    for row in range(count):
        total += work.b[row] * y[row]
        weight += y[row]
    if not total < -1e-9 * p.scale * weight:
        return False
    for i in range(p.n):
        certificate[i] = y[work.first[i]] if p.kind[i] != BOX else 0.0
    return True


@part
def first_basis(p, work):
    """Fill `work.start` and the basis with two opposite edges of each contact that carries load without friction."""
    status, _, _ = _solve_normals(p, work)
    k, place, row = p.D.shape[0], int64(0), int64(0)
    for i in range(p.n if status == SOLVED else 0):
        if p.kind[i] == BOX:
            continue
        cone = p.kind[i] == CONE and 0.0 < p.mu[i] < math.inf
        if cone and work.x[work.first[i]] > 0.0 and place + 1 < p.nu:
            work.basis[place], work.basis[place + 1] = row, row + k // 2
            place += 2
        row += k if cone else 5 if p.kind[i] == CONE and p.mu[i] > 0.0 else 1
    work.start[0] = place
