"""Least torque of few contacts: the nearest point of a polyhedron, in the impulses themselves.

In coordinates x of the faces (see faces.py) the torques are T'x, and

    min 1/2 |t - T'x|^2 + eps/2 |x|^2    subject to  W'x = W'x*,   n_e . x >= 0   for every side e of a face

With H = T T' + eps 1 = L L' and y = L'x this is the point y nearest to L^-1 T t. The equalities are taken out by an
orthonormal basis; what is left is for `principal_pivoting`, which has nothing to do if no side is touched.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.faces import HELD, NOTHING, PYRAMID, RAYS, TANGENTS
from surefoot.kernels.linear_algebra import backward_substitute, cholesky, forward_substitute
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.status import SOLVED


class Few(NamedTuple):
    """Work arrays for up to `blocks` blocks with k edges; X = blocks max(k, 3) unknowns, S = blocks max(k, 3) sides."""

    block: ndarray  # (X,) int64, the block of an unknown
    direction: ndarray  # (X, 3) its impulse per unit
    torque: ndarray  # (X, nv)
    H: ndarray  # (X, X), then its Cholesky factor
    x: ndarray  # (X,)
    start: ndarray  # (X,) x of stage I
    equal: ndarray  # (columns, X) L^-1 W, then an orthonormal basis of it
    side: ndarray  # (S, 4): the first unknown of a side, and its normal
    rows: ndarray  # (S X,) sides, packed
    b: ndarray  # (S,)
    multipliers: ndarray  # (S,)
    certificate: ndarray  # (S,)
    basis: ndarray  # (X + 1,) int64
    u: ndarray  # (X,)
    options: PivotingOptions
    work: PivotingWork


def make_few(blocks: int, edges: int, nv: int, columns: int) -> Few:
    """Work arrays; `columns`: those of W."""
    size = blocks * max(edges, 3)
    return Few(
        block=np.zeros(size, dtype=np.int64),
        direction=np.zeros((size, 3)),
        torque=np.zeros((size, nv)),
        H=np.zeros((size, size)),
        x=np.zeros(size),
        start=np.zeros(size),
        equal=np.zeros((columns, size)),
        side=np.zeros((size, 4)),
        rows=np.zeros(size * size),
        b=np.zeros(size),
        multipliers=np.zeros(size),
        certificate=np.zeros(size),
        basis=np.zeros(size + 1, dtype=np.int64),
        u=np.zeros(size),
        options=PivotingOptions(),
        work=pivoting_work(size, size),
    )


@part
def few_contacts(p, dt, J, felt, wanted, allowed, faces, work, f):
    """Replace f by impulses of least torque that keep W'f within `allowed`; False if none are found.

    Args:
        p: Problem.
        dt: step in s.
        J: (3n, nv) rows of the blocks.
        felt: (nv,) bool: whose torques count; if none does the load is spread evenly.
        wanted: (nv,) torques t to take away.
        allowed: see above.
        faces: Faces.
        work: Few.
        f: (3n,) changed in place.
    """
    unknowns, sides = _unknowns(p, faces, f, work)
    _objective(dt, J, felt, wanted, unknowns, work)
    if not cholesky(work.H, unknowns):
        return False
    forward_substitute(work.H, unknowns, work.x)  # y where nothing constrains it
    rank = _keep_motion(p, unknowns, work)
    if not _keep_sides(unknowns, sides, rank, work):
        return False
    backward_substitute(work.H, unknowns, work.x)
    for a in range(unknowns):
        for r in range(3):
            f[3 * work.block[a] + r] = 0.0
    for a in range(unknowns):
        for r in range(3):
            f[3 * work.block[a] + r] += work.direction[a, r] * work.x[a]
    missed = 0.0
    for j in range(p.nu):
        change = 0.0
        for a in range(unknowns):
            i = work.block[a]
            for r in range(3):
                change += p.W[3 * i + r, j] * work.direction[a, r] * (work.x[a] - work.start[a])
        missed = max(missed, abs(change))
    return missed <= allowed


@inlined
def _unknowns(p, faces, f, work):
    """Unknowns and sides of every face, and the unknowns' values in f; returns their numbers."""
    count, sides = int64(0), int64(0)
    D = p.D
    for i in range(p.n):
        kind = faces.kind[i]
        if kind == NOTHING:
            continue
        if kind == RAYS:
            _weights(faces, i, f, count, work)
            for e in range(faces.count[i]):
                _unknown(i, faces.ray[i, e, 0], faces.ray[i, e, 1], faces.ray[i, e, 2], count, work)
                sides = _side(count, 1.0, 0.0, 0.0, sides, work)
                count += 1
            continue
        first = int64(1 if kind == TANGENTS else 0)
        for r in range(first, 3):
            _unknown(i, 1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0, 1.0 if r == 2 else 0.0, count + r - first, work)
            work.start[count + r - first] = f[3 * i + r]
        if kind == HELD:
            sides = _side(count, 1.0, 0.0, 0.0, sides, work)
        elif kind == PYRAMID:
            for e in range(D.shape[0]):
                sides = _side(count, D[0, 4], -D[e, 2] / faces.slope[i], -D[e, 3] / faces.slope[i], sides, work)
        count += 3 - first
    return count, sides


@part
def _unknown(i, n, x, y, place, work):
    work.block[place] = i
    work.direction[place, 0] = n
    work.direction[place, 1] = x
    work.direction[place, 2] = y


@part
def _side(unknown, n, x, y, sides, work):
    work.side[sides, 0] = unknown
    work.side[sides, 1] = n
    work.side[sides, 2] = x
    work.side[sides, 3] = y
    return sides + 1


@part
def _weights(faces, i, f, first, work):
    """Weights of the rays of block i in f; more than two only where any will do."""
    push = f[3 * i]
    for e in range(faces.count[i]):
        work.start[first + e] = 0.0
    work.start[first] = push
    if faces.count[i] > 1:  # how far f is from the first ray towards the second
        ray = faces.ray[i]
        across, along = 0.0, 0.0
        for r in range(1, 3):
            side = ray[1, r] - ray[0, r]
            across += side * side
            along += side * (f[3 * i + r] - push * ray[0, r])
        work.start[first + 1] = along / across
        work.start[first] = push - along / across


@inlined
def _objective(dt, J, felt, wanted, unknowns, work):
    """H = T T' + eps 1 and x = T t."""
    nv = felt.shape[0]
    for a in range(unknowns):
        i = work.block[a]
        n, x, y = work.direction[a, 0] / dt, work.direction[a, 1] / dt, work.direction[a, 2] / dt
        work.x[a] = 0.0
        for j in range(nv):
            torque = 0.0
            if felt[j]:
                torque = n * J[3 * i, j] + x * J[3 * i + 1, j] + y * J[3 * i + 2, j]
                work.x[a] += torque * wanted[j]
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
        for b in range(unknowns):  # of |f|^2
            if work.block[b] == work.block[a]:
                same = 0.0
                for r in range(3):
                    same += work.direction[a, r] * work.direction[b, r]
                work.H[a, b] += eps * (same + (1e-3 if a == b else 0.0))


@inlined
def _keep_motion(p, unknowns, work):
    """Move y to where W'x is that of stage I; `equal` becomes an orthonormal basis of the rows. Returns its rank."""
    rank = int64(0)
    W, x = p.W, work.x
    for a in range(unknowns):  # L'x*
        work.u[a] = 0.0
        for b in range(a, unknowns):
            work.u[a] += work.H[b, a] * work.start[b]
    for j in range(p.nu):
        q = work.equal[rank]
        for a in range(unknowns):
            i = work.block[a]
            q[a] = 0.0
            for r in range(3):
                q[a] += work.direction[a, r] * W[3 * i + r, j]
        forward_substitute(work.H, unknowns, q)
        size, left = 0.0, 0.0
        for a in range(unknowns):
            size += q[a] * q[a]
        for _ in range(2):
            for other in range(rank):
                along = 0.0
                for a in range(unknowns):
                    along += work.equal[other, a] * q[a]
                for a in range(unknowns):
                    q[a] -= along * work.equal[other, a]
        for a in range(unknowns):
            left += q[a] * q[a]
        if left <= 1e-14 * size or left == 0.0:
            continue  # follows from the others
        left = math.sqrt(left)
        for a in range(unknowns):
            q[a] /= left
        rank += 1
    for k in range(rank):
        along = 0.0
        for a in range(unknowns):
            along += work.equal[k, a] * (work.u[a] - x[a])
        for a in range(unknowns):
            x[a] += along * work.equal[k, a]
    return rank


@inlined
def _keep_sides(unknowns, sides, rank, work):
    """Move y to the nearest point inside all sides that keeps the motion; False if none is found."""
    rows = work.rows[: sides * unknowns].reshape(sides, unknowns)
    for s in range(sides):
        line = rows[s]
        for b in range(unknowns):
            line[b] = 0.0
        first = int64(work.side[s, 0])
        for r in range(3):
            if work.side[s, 1 + r] != 0.0:
                line[first + r] = work.side[s, 1 + r]
        forward_substitute(work.H, unknowns, line)
        work.b[s] = 0.0
        for b in range(unknowns):
            work.b[s] += line[b] * work.x[b]
        for other in range(rank):
            along = 0.0
            for b in range(unknowns):
                along += work.equal[other, b] * line[b]
            for b in range(unknowns):
                line[b] -= along * work.equal[other, b]
    result = principal_pivoting(
        rows, work.b[:sides], work.basis[: unknowns + 1], int64(0), False, work.options, work.work, work.u[:unknowns],
        work.multipliers[:sides], work.certificate[:sides],
    )  # fmt: skip
    if result.status != SOLVED:
        return False
    for b in range(unknowns):
        work.x[b] += work.u[b]
    return True
