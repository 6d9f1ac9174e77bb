"""Stage II: among all impulses that give the same motion under the same law, those of least torque.

With v+ fixed every law is convex contact by contact: impulse i may lie in a face F_i of its cone. So

    min 1/2 |tau_0 - J_a'f / dt - tau_last|^2 + eps |f|^2    subject to  W'f = W'f*,  f_i in F_i

has one answer, reached from the impulses f* of stage I; it moves nothing and changes smoothly with the state. In the
coordinates x of the faces the matrix is L L'; with y = L'x, the equalities taken out by an orthonormal basis, what is
left is the nearest point of a polyhedron, which `principal_pivoting` finds.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import int64, typeof, types
from numpy import ndarray

from surefoot.kernels.active_modes import checked_residual
from surefoot.kernels.box import boxed, opened
from surefoot.kernels.cache import Pointer, inlined, part
from surefoot.kernels.linear_algebra import backward_substitute, cholesky, forward_substitute
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.problem import ENERGY, EXACT, PROBLEM_TYPE
from surefoot.kernels.status import SOLVED

# What smoothing aims at.
NOTHING = 0
LEAST_TORQUE = 1
LEAST_CHANGE = 2  # of torque since the last call
EVEN_LOAD = 3


class Smoothing(NamedTuple):
    """Work arrays for up to `capacity` blocks with k edges and nv velocities; X = 3 capacity unknowns."""

    block: ndarray  # (X,) int64, the block of an unknown
    direction: ndarray  # (X, 3) its impulse per unit
    torque: ndarray  # (X, nv) its J_a' / dt
    H: ndarray  # (X, X), then its Cholesky factor
    x: ndarray  # (X,)
    equal: ndarray  # (nv, X) L^-1 W, then an orthonormal basis of it
    rows: ndarray  # (capacity max(k, 3) X,) inequalities, packed
    b: ndarray  # (capacity max(k, 3),)
    multipliers: ndarray
    certificate: ndarray
    basis: ndarray  # (X + 1,) int64
    u: ndarray  # (X,)
    before: ndarray  # (X,) impulses of stage I
    options: PivotingOptions
    work: PivotingWork


def make_smoothing(capacity: int, edges: int, nv: int, columns: int) -> Smoothing:
    """Work arrays; `columns`: those of W."""
    unknowns, rows = 3 * capacity, capacity * max(edges, 3)
    return Smoothing(
        block=np.zeros(unknowns, dtype=np.int64),
        direction=np.zeros((unknowns, 3)),
        torque=np.zeros((unknowns, nv)),
        H=np.zeros((unknowns, unknowns)),
        x=np.zeros(unknowns),
        equal=np.zeros((columns, unknowns)),
        rows=np.zeros(rows * unknowns),
        b=np.zeros(rows),
        multipliers=np.zeros(rows),
        certificate=np.zeros(rows),
        basis=np.zeros(unknowns + 1, dtype=np.int64),
        u=np.zeros(unknowns),
        before=np.zeros(unknowns),
        options=PivotingOptions(),
        work=pivoting_work(rows, unknowns),
    )


def _smooth(p, goal, dt, J, prescribed, tau_0, tau_last, scratch, box, f):
    """Replace impulses f (3n,) that satisfy the law of Problem p; returns its residual for the new ones.

    Args:
        p: Problem.
        goal: LEAST_TORQUE, LEAST_CHANGE or EVEN_LOAD.
        dt: step in s.
        J: (3n, nv) rows of the blocks.
        prescribed: (nv,) bool.
        tau_0: (nv,) forces that the prescribed velocities would need without impulses.
        tau_last: (nv,) forces of the last call.
        scratch: Scratch.
        box: Box of a Smoothing.
        f: impulses, changed in place; as they were if nothing better satisfies the law.
    """
    work = opened(box)
    before = checked_residual(p, scratch, f)
    if p.form == ENERGY:
        before = 0.0  # any impulse in the cones that keeps the motion will do
    unknowns, count = _faces(p, scratch.c, f, work)
    for r in range(3 * p.n):
        work.before[r] = f[r]
    if unknowns == 0 or not before < math.inf:
        return before
    _objective(p, goal, dt, J, prescribed, tau_0, tau_last, unknowns, work)
    if not cholesky(work.H, unknowns):
        return before
    forward_substitute(work.H, unknowns, work.x)  # y where nothing constrains it
    _meet_equalities(p, unknowns, f, work)
    if not _meet_inequalities(p, unknowns, count, work):
        return before
    backward_substitute(work.H, unknowns, work.x)
    for i in range(p.n):
        if p.kind[i] != BOX:
            for r in range(3):
                f[3 * i + r] = 0.0
    for a in range(unknowns):
        for r in range(3):
            f[3 * work.block[a] + r] += work.direction[a, r] * work.x[a]
    after = 0.0 if p.form == ENERGY else checked_residual(p, scratch, f)
    if after <= max(before, p.tolerance):
        return after
    for r in range(3 * p.n):
        f[r] = work.before[r]
    return before


def _keep(p, goal, dt, J, prescribed, tau_0, tau_last, scratch, box, f):
    """Stands where no smoothing is wanted."""
    return 0.0


def smoother(scratch: Any, capacity: int, edges: int, nv: int, columns: int, wanted: bool) -> tuple[Any, Pointer]:
    """Box of a Smoothing, and `_smooth` as a pointer if it is wanted."""
    box = boxed(make_smoothing(capacity if wanted else 1, edges, nv, columns))
    vector, number = types.float64[::1], types.float64
    signature = number(
        *(PROBLEM_TYPE, types.int64, number, types.float64[:, ::1], types.boolean[::1], vector, vector),
        *(typeof(scratch), typeof(box), vector),
    )
    return box, Pointer(_smooth if wanted else _keep, signature)


@inlined
def _faces(p, c, f, work):
    """Unknowns of every block, from velocities c and impulses f; returns how many, and how many inequalities."""
    unknowns, count = int64(0), int64(0)
    tol = 1e-7 * p.scale
    k = p.D.shape[0]
    for i in range(p.n):
        closed = p.kind[i] != BOX and c[3 * i] + p.offset[i] <= tol
        if p.kind[i] == BOX:
            continue
        if p.kind[i] != CONE or p.mu[i] == 0.0:
            if closed:
                unknowns = _unknown(i, 1.0, 0.0, 0.0, unknowns, work)
                count += 1
            continue
        if math.isinf(p.mu[i]):
            # Held whether loaded or not under the dissipative law; else only if loaded.
            if closed and (p.dissipative or f[3 * i] > 0.0):
                unknowns = _unknown(i, 1.0, 0.0, 0.0, unknowns, work)
                count += 1
            if p.dissipative or (closed and f[3 * i] > 0.0):
                unknowns = _unknown(i, 0.0, 1.0, 0.0, unknowns, work)
                unknowns = _unknown(i, 0.0, 0.0, 1.0, unknowns, work)
            continue
        slip = 0.0
        for e in range(k):
            slip = max(slip, -(p.D[e, 0] * c[3 * i + 1] + p.D[e, 1] * c[3 * i + 2]))
        if p.form == EXACT:
            slip = math.sqrt(c[3 * i + 1] ** 2 + c[3 * i + 2] ** 2)
        opens = c[3 * i] + p.offset[i] - (p.mu[i] * slip if p.dissipative else 0.0)
        if opens > tol and p.form != ENERGY:
            continue
        if p.form == EXACT and slip > tol:
            x, y = -p.mu[i] * c[3 * i + 1] / slip, -p.mu[i] * c[3 * i + 2] / slip
            unknowns = _unknown(i, 1.0, x, y, unknowns, work)
            count += 1
            continue
        if slip <= tol or p.form == ENERGY:
            unknowns = _unknown(i, 1.0, 0.0, 0.0, unknowns, work)
            unknowns = _unknown(i, 0.0, 1.0, 0.0, unknowns, work)
            unknowns = _unknown(i, 0.0, 0.0, 1.0, unknowns, work)
            count += k
            continue
        for e in range(k):
            if -(p.D[e, 0] * c[3 * i + 1] + p.D[e, 1] * c[3 * i + 2]) >= slip - tol:
                unknowns = _unknown(i, 1.0, p.mu[i] * p.D[e, 0], p.mu[i] * p.D[e, 1], unknowns, work)
                count += 1
    return unknowns, count


@part
def _unknown(i, n, x, y, unknowns, work):
    work.block[unknowns] = i
    work.direction[unknowns, 0] = n
    work.direction[unknowns, 1] = x
    work.direction[unknowns, 2] = y
    return unknowns + 1


@inlined
def _objective(p, goal, dt, J, prescribed, tau_0, tau_last, unknowns, work):
    """H = T T' + eps I and x = T t, with a row of T the torque of an unknown and t the torque to be taken away."""
    nv = prescribed.shape[0]
    for a in range(unknowns):
        i = work.block[a]
        n, x, y = work.direction[a, 0] / dt, work.direction[a, 1] / dt, work.direction[a, 2] / dt
        work.x[a] = 0.0
        for j in range(nv):
            torque = 0.0
            if prescribed[j] and goal != EVEN_LOAD:
                torque = n * J[3 * i, j] + x * J[3 * i + 1, j] + y * J[3 * i + 2, j]
                work.x[a] += torque * (tau_0[j] - (tau_last[j] if goal == LEAST_CHANGE else 0.0))
            work.torque[a, j] = torque
    trace = 0.0
    for a in range(unknowns):
        for b in range(a + 1):
            total = 0.0
            for j in range(nv):
                total += work.torque[a, j] * work.torque[b, j]
            work.H[a, b] = total
            work.H[b, a] = total
        trace += work.H[a, a]
    eps = 1e-8 * trace / unknowns if trace > 0.0 else 1.0
    for a in range(unknowns):
        work.H[a, a] += eps


@inlined
def _meet_equalities(p, unknowns, f, work):
    """Move y = L'x to where W'f is kept, and leave an orthonormal basis of the rows of that in `equal`."""
    rank = int64(0)
    W, x = p.W, work.x
    for j in range(p.nu):
        q = work.equal[rank]
        kept = 0.0
        for i in range(p.n):
            if p.kind[i] != BOX:
                for r in range(3):
                    kept += W[3 * i + r, j] * f[3 * i + r]
        largest = 0.0
        for a in range(unknowns):
            i = work.block[a]
            q[a] = (
                work.direction[a, 0] * W[3 * i, j]
                + work.direction[a, 1] * W[3 * i + 1, j]
                + work.direction[a, 2] * W[3 * i + 2, j]
            )
        forward_substitute(work.H, unknowns, q)
        for a in range(unknowns):
            largest += q[a] * q[a]
        for _ in range(2):
            for other in range(rank):
                along = 0.0
                for a in range(unknowns):
                    along += work.equal[other, a] * q[a]
                kept -= along * work.u[other]
                for a in range(unknowns):
                    q[a] -= along * work.equal[other, a]
        left = 0.0
        for a in range(unknowns):
            left += q[a] * q[a]
        if left <= 1e-20 * largest or left == 0.0:
            continue  # follows from the others
        left = math.sqrt(left)
        for a in range(unknowns):
            q[a] /= left
        work.u[rank] = kept / left  # q'y of the wanted y
        rank += 1
    for k in range(rank):
        along = work.u[k]
        for a in range(unknowns):
            along -= work.equal[k, a] * x[a]
        for a in range(unknowns):
            x[a] += along * work.equal[k, a]
    work.basis[unknowns] = rank


@inlined
def _meet_inequalities(p, unknowns, count, work):
    """Move y to the nearest point that keeps W'f and satisfies the faces' inequalities; False if none is found."""
    rank = work.basis[unknowns]
    rows = work.rows[: count * unknowns].reshape(count, unknowns)
    k = p.D.shape[0]
    row, a = int64(0), int64(0)
    while a < unknowns:
        i = work.block[a]
        three = a + 2 < unknowns and work.block[a + 2] == i and not math.isinf(p.mu[i])
        tangent = work.direction[a, 0] == 0.0  # of a contact without slip: free
        for e in range(k if three else 0 if tangent else 1):
            for b in range(unknowns):
                rows[row, b] = 0.0
            if three:
                rows[row, a] = p.mu[i] * p.D[0, 4]
                rows[row, a + 1] = -p.D[e, 2]
                rows[row, a + 2] = -p.D[e, 3]
            else:
                rows[row, a] = 1.0
            line = rows[row]
            forward_substitute(work.H, unknowns, line)
            work.b[row] = 0.0
            for b in range(unknowns):
                work.b[row] += line[b] * work.x[b]
            for other in range(rank):
                along = 0.0
                for b in range(unknowns):
                    along += work.equal[other, b] * line[b]
                for b in range(unknowns):
                    line[b] -= along * work.equal[other, b]
            row += 1
        a += 3 if three else 1
    result = principal_pivoting(
        rows, work.b[:count], work.basis[: unknowns + 1], int64(0), work.options, work.work, work.u[:unknowns],
        work.multipliers[:count], work.certificate[:count],
    )  # fmt: skip
    if result.status != SOLVED:
        return False
    for b in range(unknowns):
        work.x[b] += work.u[b]
    return True
