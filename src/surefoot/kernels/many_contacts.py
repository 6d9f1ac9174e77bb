"""Least torque of many contacts: weights of the rays of their faces, in the space of torques and motions.

    min 1/2 |T'b - t|^2    subject to  W'b = W'f*,   b >= 0

T and W are the torques and the motion of each ray. The equality is a term of its own, 1/2 |w (W'b - W'f*) - lam|^2,
whose multipliers lam converge in a few rounds. What is left, weights in nv dimensions, is for `principal_pivoting`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.faces import HELD, NOTHING, PYRAMID, RAYS, TANGENTS
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.status import SOLVED

FIRMNESS = 100.0  # weight of the motion beside the torques
ROUNDS = 8


class Many(NamedTuple):
    """Work arrays for up to `capacity` blocks; dims: torques, then free velocities."""

    block: ndarray  # (rays,) int64
    ray: ndarray  # (rays, 3) impulse per unit weight
    rows: ndarray  # (rays dims,) torque and motion per unit weight, packed
    wanted: ndarray  # (dims,) what their sum shall be
    b: ndarray  # (rays,)
    weight: ndarray  # (rays,)
    certificate: ndarray  # (rays,)
    basis: ndarray  # (dims + 1,) int64
    u: ndarray  # (dims,)
    options: PivotingOptions
    work: PivotingWork


def make_many(capacity: int, edges: int, dims: int) -> Many:
    """Work arrays."""
    rays = capacity * max(edges, 5)
    return Many(
        block=np.zeros(rays, dtype=np.int64),
        ray=np.zeros((rays, 3)),
        rows=np.zeros(rays * dims),
        wanted=np.zeros(dims),
        b=np.zeros(rays),
        weight=np.zeros(rays),
        certificate=np.zeros(rays),
        basis=np.zeros(dims + 1, dtype=np.int64),
        u=np.zeros(dims),
        options=PivotingOptions(),
        work=pivoting_work(rays, dims),
    )


@part
def many_contacts(p, dt, J, felt, wanted, allowed, faces, kept, work, f):
    """Replace f by impulses of least torque that keep W'f within `allowed`; False if none are found.

    Args:
        p: Problem.
        dt: step in s.
        J: (3n, nv) rows of the blocks.
        felt: (nv,) bool: whose torques count.
        wanted: (nv,) torques t to take away.
        allowed: see above.
        faces: Faces.
        kept: (columns,) work.
        work: Many.
        f: (3n,) changed in place.
    """
    rays = _rays(p, faces, work)
    dims, torques, firm = _objective(p, dt, J, felt, wanted, rays, work)
    rows = work.rows[: rays * dims].reshape(rays, dims)
    size = 0.0
    for j in range(p.nu):
        kept[j] = 0.0
        for i in range(p.n):
            if faces.kind[i] != NOTHING:
                for r in range(3 * i, 3 * i + 3):
                    kept[j] += p.W[r, j] * f[r]
        work.wanted[torques + j] = firm * kept[j]
        size = max(size, abs(kept[j]))
    basic, missed = int64(0), math.inf
    for _ in range(ROUNDS):
        for a in range(rays):
            work.b[a] = 0.0
            for j in range(dims):
                work.b[a] -= rows[a, j] * work.wanted[j]
        result = principal_pivoting(
            rows, work.b[:rays], work.basis[: dims + 1], basic, False, work.options, work.work, work.u[:dims],
            work.weight[:rays], work.certificate[:rays],
        )  # fmt: skip
        if result.status != SOLVED:
            return False
        basic = result.basic
        before, missed = missed, 0.0
        for j in range(p.nu):
            error = kept[j] - (work.u[torques + j] / firm if firm > 0.0 else 0.0)
            missed = max(missed, abs(error))
            work.wanted[torques + j] += firm * error
        if missed <= 1e-12 * size or missed > 0.5 * before:
            break
    for a in range(rays):
        for r in range(3):
            f[3 * work.block[a] + r] = 0.0
    for a in range(rays):
        for r in range(3):
            f[3 * work.block[a] + r] += work.ray[a, r] * work.weight[a]
    return missed <= allowed


@inlined
def _rays(p, faces, work):
    """Rays of every face; returns their number."""
    count = int64(0)
    D = p.D
    for i in range(p.n):
        kind = faces.kind[i]
        if kind == RAYS:
            for e in range(faces.count[i]):
                count = _ray(i, faces.ray[i, e, 0], faces.ray[i, e, 1], faces.ray[i, e, 2], count, work)
        elif kind == PYRAMID:
            small = min(1.0, 1.0 / faces.slope[i])
            for e in range(D.shape[0]):
                slope = small * faces.slope[i]
                count = _ray(i, small, slope * D[e, 0], slope * D[e, 1], count, work)
            if small < 1.0:  # without it a push would be a small sum of large frictions
                count = _ray(i, 1.0, 0.0, 0.0, count, work)
        if kind == HELD:
            count = _ray(i, 1.0, 0.0, 0.0, count, work)
        if kind == HELD or kind == TANGENTS:
            for way in range(4):
                sign = 1.0 - 2.0 * (way % 2)
                count = _ray(i, 0.0, sign if way < 2 else 0.0, 0.0 if way < 2 else sign, count, work)
    return count


@part
def _ray(i, n, x, y, count, work):
    work.block[count] = i
    work.ray[count, 0] = n
    work.ray[count, 1] = x
    work.ray[count, 2] = y
    return count + 1


@inlined
def _objective(p, dt, J, felt, wanted, rays, work):
    """Fill rows and the torques they shall sum up to. Returns (dims, torques, weight of the motion)."""
    torques = int64(0)
    for j in range(felt.shape[0]):
        if felt[j]:
            work.wanted[torques] = wanted[j]
            torques += 1
    dims = torques + p.nu
    rows = work.rows[: rays * dims].reshape(rays, dims)
    size, motion = 0.0, 0.0
    for a in range(rays):
        i = work.block[a]
        n, x, y = work.ray[a, 0], work.ray[a, 1], work.ray[a, 2]
        place = int64(0)
        for j in range(felt.shape[0]):
            if felt[j]:
                rows[a, place] = (n * J[3 * i, j] + x * J[3 * i + 1, j] + y * J[3 * i + 2, j]) / dt
                size += rows[a, place] ** 2
                place += 1
        for j in range(p.nu):
            rows[a, place] = n * p.W[3 * i, j] + x * p.W[3 * i + 1, j] + y * p.W[3 * i + 2, j]
            motion += rows[a, place] ** 2
            place += 1
    firm = FIRMNESS * math.sqrt((size if size > 0.0 else motion) / motion) if motion > 0.0 else 0.0
    for j in range(torques, dims):
        for a in range(rays):
            rows[a, j] *= firm
    return dims, torques, firm
