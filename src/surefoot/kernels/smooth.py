"""Stage II: among all impulses that give the same motion under the same law, those of least torque.

With v+ fixed every law is convex contact by contact: impulse i may be any sum of some rays r_e, weighted by at least 0.
So

    min 1/2 |tau_0 - T'b - tau_last|^2    subject to  W'f = W'f*,   f = sum_e b_e r_e,   b >= 0

T b being their torques J_a'f / dt, W'f* what stage I found. The torque of the minimum is unique, so it moves nothing
and changes smoothly with the state. The equality is a term of its own, 1/2 |w (W'f - W'f*) - lam|^2, whose multipliers
converge in a few rounds; what is left, weights in nv dimensions, is for `principal_pivoting`. Up to EVEN_BLOCKS blocks
a small term |f|^2 makes the impulses unique, too. Even load is that term alone, for up to MOST_EVEN blocks.
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
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.problem import ENERGY, EXACT, PROBLEM_TYPE
from surefoot.kernels.status import SOLVED
from surefoot.kernels.working_set import VERY_ROUGH

# What smoothing aims at.
NOTHING = 0
LEAST_TORQUE = 1
LEAST_CHANGE = 2  # of torque since the last call
EVEN_LOAD = 3

EVEN_BLOCKS = 8  # more blocks than this, and the cost of unique impulses outgrows that of everything else
MOST_EVEN = 100
AT_REST = 1e-7  # times the velocity scale: feet that slip less are free to choose their friction
FIRMNESS = 10.0  # weight of the motion beside the torques
ROUNDS = 8


class Smoothing(NamedTuple):
    """Work arrays for up to `capacity` blocks; dims: prescribed and free velocities, and impulses if they count."""

    block: ndarray  # (rays,) int64
    ray: ndarray  # (rays, 3) impulse per unit weight
    rows: ndarray  # (rays dims,) torque, motion and impulse per unit weight, packed
    wanted: ndarray  # (dims,) what their sum shall be
    kept: ndarray  # (columns,) W'f*
    b: ndarray  # (rays,)
    weight: ndarray  # (rays,)
    certificate: ndarray  # (rays,)
    basis: ndarray  # (dims + 1,) int64
    u: ndarray  # (dims,)
    before: ndarray  # (3 capacity,) impulses of stage I
    options: PivotingOptions
    work: PivotingWork


def make_smoothing(goal: int, capacity: int, edges: int, nv: int, columns: int) -> Smoothing:
    """Work arrays; `columns`: those of W."""
    rays = capacity * max(edges, 5)
    dims = nv + columns + 3 * min(capacity, MOST_EVEN if goal == EVEN_LOAD else EVEN_BLOCKS)
    return Smoothing(
        block=np.zeros(rays, dtype=np.int64),
        ray=np.zeros((rays, 3)),
        rows=np.zeros(rays * dims),
        wanted=np.zeros(dims),
        kept=np.zeros(columns),
        b=np.zeros(rays),
        weight=np.zeros(rays),
        certificate=np.zeros(rays),
        basis=np.zeros(dims + 1, dtype=np.int64),
        u=np.zeros(dims),
        before=np.zeros(3 * capacity),
        options=PivotingOptions(tolerance=1e-12),
        work=pivoting_work(rays, dims),
    )


def _smooth(p, goal, dt, J, prescribed, tau_0, tau_last, residual, scratch, box, f):
    """Replace impulses f (3n,) that satisfy the law of Problem p; returns its residual for the new ones.

    Args:
        p: Problem.
        goal: LEAST_TORQUE, LEAST_CHANGE or EVEN_LOAD.
        dt: step in s.
        J: (3n, nv) rows of the blocks.
        prescribed: (nv,) bool.
        tau_0: (nv,) forces that the prescribed velocities would need without impulses.
        tau_last: (nv,) forces of the last call.
        residual: that of f.
        scratch: Scratch.
        box: Box of a Smoothing.
        f: impulses, changed in place; as they were if nothing better satisfies the law.
    """
    work = opened(box)
    if not checked_residual(p, scratch, f) < math.inf:  # leaves the velocities in scratch.c
        return residual
    rays = _rays(p, scratch.c, work)
    if rays == 0:
        return residual
    for r in range(3 * p.n):
        work.before[r] = f[r]
    dims, torques, firm = _objective(p, goal, dt, J, prescribed, tau_0, tau_last, rays, work)
    if dims > 0 and _minimise(p, rays, dims, torques, firm, scratch.g, f, work):
        after = residual if p.form == ENERGY else checked_residual(p, scratch, f)
        if after <= max(AT_REST, residual):
            return after
    for r in range(3 * p.n):
        f[r] = work.before[r]
    return residual


def _keep(p, goal, dt, J, prescribed, tau_0, tau_last, residual, scratch, box, f):
    """Stands where no smoothing is wanted."""
    return residual


def smoother(scratch: Any, goal: int, capacity: int, edges: int, nv: int, columns: int) -> tuple[Any, Pointer]:
    """Box of a Smoothing, and `_smooth` as a pointer if there is a goal."""
    wanted = goal != NOTHING
    box = boxed(make_smoothing(goal, capacity if wanted else 1, edges, nv, columns))
    vector, number = types.float64[::1], types.float64
    signature = number(
        *(PROBLEM_TYPE, types.int64, number, types.float64[:, ::1], types.boolean[::1], vector, vector, number),
        *(typeof(scratch), typeof(box), vector),
    )
    return box, Pointer(_smooth if wanted else _keep, signature)


@inlined
def _rays(p, c, work):
    """Rays of every block that may push at velocities c; returns their number."""
    count = int64(0)
    tol = AT_REST * p.scale
    k = p.D.shape[0]
    for i in range(p.n):
        if p.kind[i] == BOX:
            continue
        mu, cx, cy = p.mu[i], c[3 * i + 1], c[3 * i + 2]
        opens = c[3 * i] + p.offset[i]
        if p.kind[i] != CONE or mu == 0.0:
            if opens <= tol:
                count = _ray(i, 1.0, 0.0, 0.0, count, work)
            continue
        if math.isinf(mu):
            # Dissipative: held whether loaded or not. Else friction needs load, and no load may slip.
            if p.dissipative:
                count = _four_ways(i, 0.0, 1.0, count, work)
            elif opens <= tol and max(abs(cx), abs(cy)) <= tol:
                count = _four_ways(i, 1.0, VERY_ROUGH, count, work)
            else:
                continue
            if opens <= tol:
                count = _ray(i, 1.0, 0.0, 0.0, count, work)
            continue
        slip = 0.0
        for e in range(k):
            slip = max(slip, -(p.D[e, 0] * cx + p.D[e, 1] * cy))
        if p.form == EXACT:
            slip = math.sqrt(cx * cx + cy * cy)
            if slip > tol:
                if opens - mu * slip <= tol:
                    count = _ray(i, 1.0, -mu * cx / slip, -mu * cy / slip, count, work)
                continue
        if opens - (mu * slip if p.dissipative else 0.0) > tol and p.form != ENERGY:
            continue
        for e in range(k):  # those against the slip
            if p.form == ENERGY or -(p.D[e, 0] * cx + p.D[e, 1] * cy) >= slip - tol:
                count = _ray(i, 1.0, mu * p.D[e, 0], mu * p.D[e, 1], count, work)
    return count


@part
def _ray(i, n, x, y, count, work):
    work.block[count] = i
    work.ray[count, 0] = n
    work.ray[count, 1] = x
    work.ray[count, 2] = y
    return count + 1


@part
def _four_ways(i, n, t, count, work):
    count = _ray(i, n, t, 0.0, count, work)
    count = _ray(i, n, -t, 0.0, count, work)
    count = _ray(i, n, 0.0, t, count, work)
    return _ray(i, n, 0.0, -t, count, work)


@inlined
def _objective(p, goal, dt, J, prescribed, tau_0, tau_last, rays, work):
    """Fill rows and what their sum shall be. Returns (dims, torques, weight of the motion).

    The first dims are torques, then come W'f and f. No dims: too many blocks for an even load.
    """
    torques = int64(0)
    for j in range(prescribed.shape[0]):
        if prescribed[j] and goal != EVEN_LOAD:
            work.wanted[torques] = tau_0[j] - (tau_last[j] if goal == LEAST_CHANGE else 0.0)
            torques += 1
    blocks, last = int64(0), int64(-1)
    for a in range(rays):
        blocks += work.block[a] != last
        last = work.block[a]
    even = blocks <= (MOST_EVEN if goal == EVEN_LOAD else EVEN_BLOCKS)
    if goal == EVEN_LOAD and not even:
        return int64(0), torques, 0.0
    dims = torques + p.nu + (3 * blocks if even else 0)
    rows = work.rows[: rays * dims].reshape(rays, dims)
    size, motion, length = 0.0, 0.0, 0.0
    blocks, last = int64(-1), int64(-1)
    for a in range(rays):
        i = work.block[a]
        n, x, y = work.ray[a, 0], work.ray[a, 1], work.ray[a, 2]
        blocks += i != last
        last = i
        place = int64(0)
        for j in range(prescribed.shape[0] if torques > 0 else 0):
            if prescribed[j]:
                rows[a, place] = (n * J[3 * i, j] + x * J[3 * i + 1, j] + y * J[3 * i + 2, j]) / dt
                size += rows[a, place] ** 2
                place += 1
        for j in range(p.nu):
            rows[a, place] = n * p.W[3 * i, j] + x * p.W[3 * i + 1, j] + y * p.W[3 * i + 2, j]
            motion += rows[a, place] ** 2
            place += 1
        for other in range(place, dims):
            rows[a, other] = 0.0
        if even:
            rows[a, place + 3 * blocks] = n
            rows[a, place + 3 * blocks + 1] = x
            rows[a, place + 3 * blocks + 2] = y
        length += n * n + x * x + y * y
    # The motion comes first, the torques second, the impulses last.
    least = 1e-4 * math.sqrt(size / length) if size > 0.0 else 1.0
    firm = FIRMNESS * math.sqrt((size if size > 0.0 else length) / motion) if motion > 0.0 else 0.0
    for j in range(torques, dims):
        work.wanted[j] = 0.0
        for a in range(rays):
            rows[a, j] *= firm if j < torques + p.nu else least
    return dims, torques, firm


@inlined
def _minimise(p, rays, dims, torques, firm, g, f, work):
    """Weights of the rays by the method of multipliers; False if the motion cannot be kept."""
    rows = work.rows[: rays * dims].reshape(rays, dims)
    wanted = work.wanted
    largest, size = 0.0, 0.0  # of the rows of W, of what is kept
    for i in range(p.n):
        largest = max(largest, g[i, 0], g[i, 1])
    for j in range(p.nu):
        work.kept[j] = 0.0
        for i in range(p.n):
            if p.kind[i] != BOX:
                for r in range(3 * i, 3 * i + 3):
                    work.kept[j] += p.W[r, j] * f[r]
        wanted[torques + j] = firm * work.kept[j]
        size = max(size, abs(work.kept[j]))
    allowed = min(p.tolerance * p.scale / math.sqrt(largest), 1e-9 * size) if largest > 0.0 else math.inf
    basic, missed = int64(0), math.inf
    for _ in range(ROUNDS):
        for a in range(rays):
            work.b[a] = 0.0
            for j in range(dims):
                work.b[a] -= rows[a, j] * wanted[j]
        result = principal_pivoting(
            rows, work.b[:rays], work.basis[: dims + 1], basic, work.options, work.work, work.u[:dims],
            work.weight[:rays], work.certificate[:rays],
        )  # fmt: skip
        if result.status != SOLVED:
            return False
        basic = result.basic
        before, missed = missed, 0.0
        for j in range(p.nu):
            error = work.kept[j] - (work.u[torques + j] / firm if firm > 0.0 else 0.0)
            missed = max(missed, abs(error))
            wanted[torques + j] += firm * error
        if missed <= 1e-3 * allowed or missed > 0.5 * before:
            break
    for i in range(p.n):
        if p.kind[i] != BOX:
            for r in range(3 * i, 3 * i + 3):
                f[r] = 0.0
    for a in range(rays):
        for r in range(3):
            f[3 * work.block[a] + r] += work.ray[a, r] * work.weight[a]
    return missed <= allowed
