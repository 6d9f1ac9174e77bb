"""Laws with round cones: soft contact, and the dissipative law without pyramids. Both by Newton's method.

Soft [Todorov2014]: min 1/2 f'(G + R) f + f'(c0 - c*) over friction loss, limits and elliptic cones, one minimum always.
Exact dissipative: the limit R -> 0 with c* = -(phi/dt + s) e_n.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.cone_newton import solve_rigid, solve_soft
from surefoot.kernels.cones import ELLIPTIC, FREE, HALF, INTERVAL, Cones, NewtonWork, newton_work
from surefoot.kernels.plant import BOX, CONE, TURN
from surefoot.kernels.soft_inverse import project_law
from surefoot.kernels.status import INFEASIBLE, NOT_FINITE, SOLVED

ROUNDING = 1e-14  # relative to the largest offset
NEWTON = 5  # who found the answer; see fallback.py for the others


class ConeWork(NamedTuple):
    """Work arrays for up to `capacity` blocks of three rows."""

    V: ndarray  # (3 capacity, columns)
    b: ndarray  # (3 capacity,)
    R: ndarray  # (3 capacity,)
    mu: ndarray  # (3 capacity,)
    row: ndarray  # (3 capacity,) int64: the problem's row
    first: ndarray  # (3 capacity,) int64
    size: ndarray  # (3 capacity,) int64
    kind: ndarray  # (3 capacity,) int64
    bound: ndarray  # (3 capacity,)
    u: ndarray  # (columns,)
    f: ndarray  # (3 capacity,)
    newton: NewtonWork


def make_cone_work(capacity: int, columns: int) -> ConeWork:
    """Work arrays."""
    rows = 3 * capacity

    def floats() -> ndarray:
        return np.zeros(rows)

    def ints() -> ndarray:
        return np.zeros(rows, dtype=np.int64)

    return ConeWork(
        V=np.zeros((rows, columns)),
        b=floats(),
        R=floats(),
        mu=floats(),
        row=ints(),
        first=ints(),
        size=ints(),
        kind=ints(),
        bound=floats(),
        u=np.zeros(columns),
        f=floats(),
        newton=newton_work(rows, columns),
    )


@inlined
def _row(p, r, b, R, mu, rows, work):
    """Append row r of the problem."""
    for j in range(p.nu):
        work.V[rows, j] = p.W[r, j]
    work.row[rows] = r
    work.b[rows] = b
    work.R[rows] = R
    work.mu[rows] = mu


@part
def _gather(p, soft, R, target, turn, work):
    """Blocks of the round-cone problem; returns (blocks, rows). Open contacts are left out of the soft law."""
    blocks, rows = int64(0), int64(0)
    for i in range(p.n):
        n = 3 * i
        if p.kind[i] == BOX:
            work.first[blocks], work.size[blocks], work.kind[blocks] = rows, 1, INTERVAL
            work.bound[blocks] = p.bound[i]
            _row(p, n + 1, p.c0[n + 1] - target[n + 1], R[n + 1] if soft else 1.0, 0.0, rows, work)
            rows += 1
            blocks += 1
            continue
        if p.kind[i] == TURN or (soft and p.offset[i] > 0.0):
            continue
        push = -target[n] if soft else p.offset[i]
        work.first[blocks] = rows
        _row(p, n, p.c0[n] + push, R[n] if soft else 1.0, 0.0, rows, work)
        if p.kind[i] != CONE or p.mu[i] == 0.0 or math.isinf(p.mu[i]):
            work.size[blocks], work.kind[blocks] = 1, HALF
            rows += 1
            blocks += 1
            if p.kind[i] == CONE and math.isinf(p.mu[i]):
                for r in range(n + 1, n + 3):
                    work.first[blocks], work.size[blocks], work.kind[blocks] = rows, 1, FREE
                    _row(p, r, p.c0[r] - target[r], R[r] if soft else 1.0, 0.0, rows, work)
                    rows += 1
                    blocks += 1
            continue
        rows += 1
        for r in range(n + 1, n + 3):
            _row(p, r, p.c0[r] - target[r], R[r] if soft else 1.0, p.mu[i], rows, work)
            rows += 1
        size = 3
        if soft:
            for t in range(i + 1, p.n):
                if turn[t] == i:  # its torsion and rolling
                    for r in range(3):
                        mu = p.mu[t] if r == 0 else p.bound[t]
                        if mu > 0.0:
                            _row(p, 3 * t + r, p.c0[3 * t + r] - target[3 * t + r], R[3 * t + r], mu, rows, work)
                            rows += 1
                            size += 1
        work.size[blocks], work.kind[blocks] = size, ELLIPTIC
        blocks += 1
    return blocks, rows


@inlined
def _pose(p, soft, solver, work):
    """The round-cone problem and a start from nothing. Returns (Cones, rows)."""
    blocks, rows = _gather(p, soft, solver.R, solver.target, solver.turn, work)
    for j in range(p.nu):
        work.u[j] = 0.0
    for r in range(rows):
        work.f[r] = 0.0
    return Cones(work.V, p.nu, blocks, work.b, work.R, work.first, work.size, work.kind, work.mu, work.bound), rows


def solve_soft_law(p, solver, f):
    """Impulses of the soft law, R and c* in `solver.R` and `solver.target`. Returns (status, residual, method)."""
    for r in range(3 * p.n):
        f[r] = 0.0
    if p.nu == 0:
        return project_law(p, solver.R, solver.target, solver.turn, f)
    work = solver.cones
    cones, rows = _pose(p, True, solver, work)
    status, residual, _ = solve_soft(cones, 1e-3 * p.tolerance, work.newton, work.u, work.f)
    for r in range(rows):
        f[work.row[r]] = work.f[r]
    return (SOLVED if residual <= p.tolerance else status), residual, NEWTON


def solve_exact_law(p, solver, f):
    """Impulses of the dissipative law with round cones. Returns (status, residual, method)."""
    work = solver.cones
    certificate = solver.ladder.certificate
    for i in range(p.n):
        certificate[i] = 0.0
        for r in range(3 * i, 3 * i + 3):
            f[r] = 0.0
            if not math.isfinite(p.c0[r]):
                return NOT_FINITE, math.inf, NEWTON
    cones, rows = _pose(p, False, solver, work)
    largest = p.scale  # open contacts and rough ones at speed have large offsets, which are no measure of the answer
    for r in range(rows):
        largest = max(largest, abs(work.b[r]))
    share = p.scale / largest if largest > 0.0 else 1.0
    status, residual, _ = solve_rigid(cones, 1e-3 * p.tolerance * share, work.newton, work.u, work.f)
    if not residual <= p.tolerance * share and not residual <= ROUNDING:
        # Impulses that cancel and still push against the motion prove that there is no answer.
        power, length, moved = 0.0, 0.0, 0.0
        for r in range(rows):
            power += work.f[r] * work.b[r]
            size = 0.0
            for j in range(p.nu):
                size += work.V[r, j] ** 2
            length += abs(work.f[r]) * math.sqrt(size)
        for j in range(p.nu):
            total = 0.0
            for r in range(rows):
                total += work.V[r, j] * work.f[r]
            moved = max(moved, abs(total))
        if power < 0.0 and moved <= 1e-6 * length:
            for r in range(rows):
                certificate[work.row[r] // 3] += abs(work.f[r])
            return INFEASIBLE, math.inf, NEWTON
        return status, residual / share, NEWTON
    for r in range(rows):
        f[work.row[r]] = work.f[r]
    return SOLVED, residual / share, NEWTON
