"""The dissipative law in the form of its authors: impulses that leave the least kinetic energy.

    min 1/2 f'Gf + f'g   over f in K,  c_n+ + phi/dt >= 0,        g = J_u A^-1 kappa_u

With the edges of the pyramids as unknowns beta, V their rows and N those of the normals, a linear complementarity
problem with a positive semidefinite matrix:

    0 <= beta  perp  V V'beta + V y_e - V N' lam  >= 0,       0 <= lam  perp  N V'beta + c0_n + phi/dt  >= 0

g is not the contact velocity: it also brakes a robot whose feet do not slip, and forward and inverse do not match. Dry
joints and motors at their limit oppose their own velocity c0, not g: such an impulse is an unknown a = f + B of its own
between 0 and 2B, with a multiplier for the upper bound.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import inlined
from surefoot.kernels.fallback import PIVOTS
from surefoot.kernels.lemke import lemke
from surefoot.kernels.linear_algebra import row_dot
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import STANDARD, Problem
from surefoot.kernels.status import CAPACITY, INFEASIBLE, NOT_FINITE, SOLVED
from surefoot.kernels.working_set import VERY_ROUGH

GROW = 4  # contacts that join the set at a time
SHED = 16  # rounds in which contacts without load leave the set again; after these it only grows, so that it ends


def solve_energy_law(p, solver, f):
    """Impulses of least energy; g stands in `solver.target` (3n,). Returns (status, residual, method).

    Few contacts carry load: Lemke's method on a set of them that starts with those of the last call. In each round
    those without load leave, and those that violate their conditions most join.
    """
    work, s = solver.ladder.working_set, solver.scratch
    if p.n > work.member.shape[0]:
        return CAPACITY, math.inf, PIVOTS
    complete, fastest = True, 0.0
    for i in range(p.n):
        work.member[i] = p.kind[i] == BOX or (s.known[0] and work.member[i])
        complete = complete and work.member[i]
        for r in range(3 * i, 3 * i + 3):
            f[r] = 0.0
            if not math.isfinite(p.c0[r] + solver.target[r] + p.offset[i] + p.bound[i]):
                return NOT_FINITE, math.inf, PIVOTS
            fastest = max(fastest, abs(solver.target[r]))
    s.known[0] = False
    scale = p.scale if p.scale > 0.0 else fastest  # contacts at rest may be braked all the same
    if scale == 0.0:
        return SOLVED, 0.0, PIVOTS
    rounds = 0
    while True:
        size, count = _fill(p, solver, work)
        if size < 0:
            return CAPACITY, math.inf, PIVOTS
        _matrix(p, size, count, work)
        result = lemke(work.M, work.q[:size], work.cover[:size], work.strict, work.lemke, work.z[:size])
        if result.status != SOLVED and complete:
            # Normals that contradict each other leave no answer under any law.
            status, _, _ = solver.fallback(_coulomb(p), s, solver.ladder, f)
            return status if status in (INFEASIBLE, CAPACITY) else result.status, math.inf, PIVOTS
        if result.status == SOLVED:
            _unpack(p, work, f)
            worst = _price(p, solver, work, f)
            if rounds < SHED:
                _shed(p, work, f)
            rounds += 1
            if worst <= p.tolerance * scale:
                return SOLVED, max(result.residual, worst / scale), PIVOTS
        complete = _grow(p, result.status == SOLVED, work, solver.ladder.best)


@inlined
def _matrix(p, size, count, work):
    """M of the problem above; boxes push -B before anything is chosen."""
    for a in range(size):
        for b in range(a + 1):
            total = 0.0
            if b < count:
                for j in range(p.nu):
                    total += work.V[a, j] * work.V[b, j]
            work.M[a, b] = total
            work.M[b, a] = total if a < count else -total
    for i in range(p.n):
        a, upper = work.first[i, 1], work.first[i, 2]
        if p.kind[i] != BOX or a < 0:
            continue
        for b in range(size):
            for j in range(p.nu):
                work.q[b] -= work.V[b, j] * work.V[a, j] * p.bound[i]
        work.M[a, upper], work.M[upper, a] = 1.0, -1.0
    for i in range(p.n):
        if p.kind[i] == BOX and work.first[i, 1] >= 0:
            work.q[work.first[i, 2]] = 2.0 * p.bound[i]


@inlined
def _unpack(p, work, f):
    """Impulses from the variables; zero outside the set."""
    for i in range(p.n):
        f[3 * i], f[3 * i + 1], f[3 * i + 2] = 0.0, 0.0, 0.0
        if not work.member[i]:
            continue
        if p.kind[i] == BOX:
            f[3 * i + 1] = work.z[work.first[i, 1]] - p.bound[i] if work.first[i, 1] >= 0 else 0.0
            continue
        mu = _friction(p, i)
        for e in range(p.D.shape[0] if mu > 0.0 else 1):
            push = work.z[work.first[i, 1] + e]
            f[3 * i] += push
            f[3 * i + 1] += mu * p.D[e, 0] * push
            f[3 * i + 2] += mu * p.D[e, 1] * push


@inlined
def _price(p, solver, work, f):
    """How much each contact outside the set violates its conditions, into `solver.ladder.best`; the largest (m/s)."""
    W, nu, y, free, best = p.W, p.nu, solver.scratch.y, solver.ladder.convex.u, solver.ladder.best
    for j in range(nu):
        y[j], free[j] = 0.0, 0.0
    for i in range(p.n):
        lam = work.z[work.first[i, 0]] if work.member[i] and p.kind[i] != BOX else 0.0
        for j in range(nu):
            y[j] += W[3 * i, j] * f[3 * i] + W[3 * i + 1, j] * f[3 * i + 1] + W[3 * i + 2, j] * f[3 * i + 2]
            free[j] -= W[3 * i, j] * lam
    worst = 0.0
    for i in range(p.n):
        best[i] = 0.0
        if work.member[i]:
            continue
        opens = p.c0[3 * i] + p.offset[i] + row_dot(W, 3 * i, y, nu)
        push, x, z = solver.target[3 * i], solver.target[3 * i + 1], solver.target[3 * i + 2]
        for j in range(nu):
            velocity = y[j] + free[j]
            push += W[3 * i, j] * velocity
            x += W[3 * i + 1, j] * velocity
            z += W[3 * i + 2, j] * velocity
        mu, least = _friction(p, i), push
        for e in range(p.D.shape[0] if mu > 0.0 else 0):
            least = min(least, push + mu * (p.D[e, 0] * x + p.D[e, 1] * z))
        best[i] = max(-opens, -least)
        worst = max(worst, best[i])
    return worst


@inlined
def _shed(p, work, f):
    """Let contacts leave the set that neither push nor are held open."""
    for i in range(p.n):
        if p.kind[i] != BOX and work.member[i]:
            work.member[i] = f[3 * i] > 0.0 or work.z[work.first[i, 0]] > 0.0


@inlined
def _grow(p, some, work, violation):
    """Let the worst of those that violate something join the set, or all; returns whether it holds all now."""
    for _ in range(GROW if some else p.n):
        worst = -1
        for i in range(p.n):
            wanted = not work.member[i] and (violation[i] > 0.0 or not some)
            if wanted and (worst < 0 or violation[i] > violation[worst]):
                worst = i
        if worst < 0:
            break
        work.member[worst] = True
    for i in range(p.n):
        if not work.member[i]:
            return False
    return True


@inlined
def _coulomb(p):
    """The same contacts under Coulomb's law."""
    return Problem(p.W, p.nu, p.n, p.c0, p.offset, p.kind, p.mu, p.bound, p.D, False, STANDARD, p.scale, p.tolerance)


@inlined
def _friction(p, i):
    """Of block i, infinite friction taken as very rough."""
    return min(p.mu[i], VERY_ROUGH) if p.kind[i] == CONE else 0.0


@inlined
def _fill(p, solver, work):
    """Rows V and constants q of the set: edges and boxes, then normals, then upper bounds (rows of zeros).

    Returns (size, number of edges and boxes), or -1 as size if there is no room. `work.first` (n, 3) holds the places
    of a block's normal, of its first edge or box (-1: nothing moves it), and of its upper bound.
    """
    target = solver.target
    members, count = int64(0), int64(0)
    for i in range(p.n):
        members += work.member[i]
    for i in range(p.n):
        box, mu = p.kind[i] == BOX, _friction(p, i)
        if not work.member[i] or (box and solver.scratch.g[i, 1] == 0.0):
            work.first[i, 1] = -1
            continue
        edges = p.D.shape[0] if mu > 0.0 else 1
        if count + edges + 2 * members > work.q.shape[0]:
            return int64(-1), count
        work.first[i, 1] = count
        for e in range(edges):
            x, y = (1.0, 0.0) if box else (mu * p.D[e, 0], mu * p.D[e, 1])
            push = 0.0 if box else 1.0
            work.q[count] = p.c0[3 * i + 1] if box else target[3 * i] + x * target[3 * i + 1] + y * target[3 * i + 2]
            for j in range(p.nu):
                work.V[count, j] = push * p.W[3 * i, j] + x * p.W[3 * i + 1, j] + y * p.W[3 * i + 2, j]
            count += 1
    size = count
    for i in range(p.n):
        if p.kind[i] != BOX and work.member[i]:
            work.first[i, 0] = size
            work.q[size] = p.c0[3 * i] + p.offset[i]
            for j in range(p.nu):
                work.V[size, j] = p.W[3 * i, j]
            size += 1
    for i in range(p.n):
        if p.kind[i] == BOX and work.first[i, 1] >= 0:
            work.first[i, 2] = size
            for j in range(p.nu):
                work.V[size, j] = 0.0
            size += 1
    return size, count
