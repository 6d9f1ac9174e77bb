"""The dissipative law in the form of its authors: impulses that leave the least kinetic energy.

    min 1/2 f'Gf + f'g   over f in K,  c_n+ + phi/dt >= 0,        g = J_u A^-1 kappa_u

With the edges of the pyramids as unknowns beta, V their rows and N those of the normals, a linear complementarity
problem with a positive semidefinite matrix:

    0 <= beta  perp  V V'beta + V y_e - V N' lam  >= 0,       0 <= lam  perp  N V'beta + c0_n + phi/dt  >= 0

g is not the contact velocity: it also brakes a robot whose feet do not slip, and forward and inverse do not match.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.box import opened
from surefoot.kernels.fallback import PIVOTS
from surefoot.kernels.lemke import lemke
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.status import CAPACITY, NOT_FINITE, SOLVED, UNSOLVED


def solve_energy_law(p, solver, f):
    """Impulses of least energy; g stands in `solver.target` (3n,). Returns (status, residual, method)."""
    work = opened(opened(solver.ladder).working_set)
    for i in range(p.n):
        for r in range(3 * i, 3 * i + 3):
            f[r] = 0.0
            if not math.isfinite(p.c0[r] + solver.target[r]):
                return NOT_FINITE, math.inf, PIVOTS
        if p.kind[i] == BOX and solver.scratch.g[i, 1] > 0.0:
            return UNSOLVED, math.inf, PIVOTS  # dry joints and torque limits have no place in this form
    k = p.D.shape[0]
    count = int64(0)
    for i in range(p.n):
        work.first[i, 1] = count
        cone = p.kind[i] == CONE and p.mu[i] > 0.0
        edges = 0 if p.kind[i] == BOX else k if cone else 1
        if count + edges + p.n > work.q.shape[0]:
            return CAPACITY, math.inf, PIVOTS
        for e in range(edges):
            x = min(p.mu[i], 1e3) * p.D[e, 0] if cone else 0.0
            y = min(p.mu[i], 1e3) * p.D[e, 1] if cone else 0.0
            work.q[count] = solver.target[3 * i] + x * solver.target[3 * i + 1] + y * solver.target[3 * i + 2]
            for j in range(p.nu):
                work.V[count, j] = p.W[3 * i, j] + x * p.W[3 * i + 1, j] + y * p.W[3 * i + 2, j]
            count += 1
    size = count
    for i in range(p.n):
        work.first[i, 0] = -1
        if p.kind[i] != BOX:
            work.first[i, 0] = size
            work.q[size] = p.c0[3 * i] + p.offset[i]
            for j in range(p.nu):
                work.V[size, j] = p.W[3 * i, j]
            size += 1
    for a in range(size):
        for b in range(a + 1):
            total = 0.0
            for j in range(p.nu):
                total += work.V[a, j] * work.V[b, j]
            both = b < count
            work.M[a, b] = total if both else 0.0
            work.M[b, a] = (total if a < count else -total) if both else 0.0
    result = lemke(work.M, work.q[:size], work.cover[:size], work.options, work.lemke, work.z[:size])
    if result.status != SOLVED:
        return result.status, result.residual, PIVOTS
    for i in range(p.n):
        cone = p.kind[i] == CONE and p.mu[i] > 0.0
        for e in range(0 if p.kind[i] == BOX else k if cone else 1):
            push = work.z[work.first[i, 1] + e]
            f[3 * i] += push
            if cone:
                f[3 * i + 1] += min(p.mu[i], 1e3) * p.D[e, 0] * push
                f[3 * i + 2] += min(p.mu[i], 1e3) * p.D[e, 1] * push
    return SOLVED, result.residual, PIVOTS
