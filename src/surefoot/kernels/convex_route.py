"""Coulomb's law by a sequence of convex problems, each a projection in the space of the free velocities.

With the offset s held fixed the problem

    min 1/2 |u|^2  subject to  c_n + offset + s + mu D_j'c_t >= 0  for every edge j,        c = W u + c0

is convex, and its multipliers make impulses inside the pyramids. Where s equals mu max_j(-D_j'c_t), the slip that the
answer itself has, the answer satisfies Coulomb's law: complementarity, and friction against the slip. So: solve, set
s to the slip found, solve again from the same basis. While the basis stays, all is linear in s, which therefore moves
by Newton's steps (`slip_step`). At most nu multipliers are positive however many contacts there are, and where the
answer lacks digits the modes that they show let `active_modes` finish exactly. Infinite friction: tangent rows as
pairs of inequalities; a contact held without load is released.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import int64, typeof, types
from numpy import ndarray

from surefoot.kernels.active_modes import TOGETHER, checked_residual
from surefoot.kernels.box import box_type
from surefoot.kernels.cache import Pointer, part
from surefoot.kernels.normals import first_basis, normals_infeasible
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.principal_pivoting import PivotingOptions, PivotingWork, pivoting_work, principal_pivoting
from surefoot.kernels.problem import PROBLEM_TYPE
from surefoot.kernels.pyramid import gauge, opening
from surefoot.kernels.slip_step import SlipWork, follow_slip, read_slip, read_tangents, slip_work
from surefoot.kernels.status import CAPACITY, INCONSISTENT, INFEASIBLE, SOLVED, UNSOLVED
from surefoot.kernels.sweeps import project_modes

ROUNDS = 64
POLISHED = 1e-14  # a residual that is larger gets smaller when the modes are solved exactly
NEWTON = 8  # two thirds of so many rounds take Newton's step; should it cycle, the others go from s to the slip


class Convex(NamedTuple):
    """Work arrays for up to `capacity` blocks with k edges and nv free velocities."""

    rows: ndarray  # (capacity * max(k, 5) * nv,) constraint rows, packed
    b: ndarray  # (capacity * max(k, 5),)
    unshifted: ndarray  # (capacity * max(k, 5),) b for s = 0
    x: ndarray  # multipliers
    certificate: ndarray
    first: ndarray  # (capacity,) a block's first row
    released: ndarray  # (capacity,) bool: held contacts that carry nothing
    shift: ndarray  # (capacity,) s
    slip: ndarray  # (capacity,) what s should be
    basis: ndarray  # (nv + 1,) int64
    start: ndarray  # (1,) int64: rows of the basis that may be worth starting from; a cold caller forgets them
    u: ndarray  # (nv,)
    options: PivotingOptions
    work: PivotingWork
    slips: SlipWork


def make_convex(capacity: int, edges: int, nv: int) -> Convex:
    """Work arrays."""
    rows = capacity * max(edges, 5)
    return Convex(
        rows=np.empty(rows * nv),
        b=np.empty(rows),
        unshifted=np.empty(rows),
        x=np.empty(rows),
        certificate=np.zeros(rows),
        first=np.zeros(capacity, dtype=np.int64),
        released=np.zeros(capacity, dtype=bool),
        shift=np.zeros(capacity),
        slip=np.zeros(capacity),
        basis=np.zeros(nv + 1, dtype=np.int64),
        start=np.zeros(1, dtype=np.int64),
        u=np.zeros(nv),
        options=PivotingOptions(residual_tolerance=math.inf),  # the law's own check decides
        work=pivoting_work(rows, nv),
        slips=slip_work(capacity, rows, nv),
    )


def _solve_convex_route(p, s, modes, work, f, certificate):
    """Returns (status, residual). INFEASIBLE and INCONSISTENT leave their culprits in `certificate` (n,).

    Infinite friction holds a closed contact; one that ends without load is let go.
    """
    held = False  # whether any friction is infinite
    for i in range(p.n):
        held = held or (p.kind[i] == CONE and math.isinf(p.mu[i]))
        work.released[i] = False
        work.shift[i] = 0.0
        certificate[i] = 0.0
        if p.kind[i] == BOX and s.g[i, 1] > 0.0:
            return UNSOLVED, math.inf  # dry friction bounds a multiplier: not a projection
    if p.nu == 0:
        return _all_prescribed(p, certificate)
    if work.start[0] == 0 and 3 * p.n > TOGETHER:
        first_basis(p, work)
    if not p.dissipative:
        read_tangents(p, work.slips)
    count, basic, widened, due = int64(0), int64(0), int64(0), int64(7)
    changed = True  # whether the rows must be built anew
    for round in range(ROUNDS):
        if changed:
            count, basic = _rows(p, work), work.start[0]
            work.start[0] = 0
        _shift_rows(count, work)
        again = basic > 0 and not changed
        result = principal_pivoting(
            work.rows[: count * p.nu].reshape(count, p.nu), work.b[:count], work.basis[: p.nu + 1], basic, again,
            work.options, work.work, work.u[: p.nu], work.x[:count], work.certificate[:count],
        )  # fmt: skip
        if result.status != SOLVED:
            if result.status != INFEASIBLE or widened == 3:
                return UNSOLVED, math.inf
            contradicts = _contradicts(p, count, work)
            if p.dissipative:
                _blame(p, work, certificate)
                return (INFEASIBLE if contradicts else UNSOLVED), math.inf
            torn = contradicts and _mark_held(p, work, certificate)
            proven = normals_infeasible(p, work, certificate)
            if proven or torn:
                return (INFEASIBLE if proven else INCONSISTENT), math.inf
            # The normals alone can open with velocity u: the slip of u makes room for it in every pyramid.
            widened += 1
            changed = True
        else:
            basic = result.basic
            changed = False
            if held and not p.dissipative:
                _impulses(p, work, f)
                changed = _release(p, s, work, f)
        moved = 0.0
        if not p.dissipative:
            moved = read_slip(p, work)
            if result.status == SOLVED and not changed:
                follow_slip(p, count, basic, round % 3 != 2 and round < NEWTON, work)
                read_slip(p, work)
            for i in range(p.n):
                work.shift[i] = work.slip[i]
        settled = moved <= 1e-12 * p.scale
        if result.status == SOLVED and (settled or changed or round >= due or round == ROUNDS - 1):
            _impulses(p, work, f)
            residual = checked_residual(p, s, f)
            exact = residual <= max(p.tolerance, _rounding(p, s, f))
            project_modes(p, s, f)  # which the next call may start from
            if residual <= p.tolerance:
                work.start[0] = basic
                if residual <= POLISHED:
                    return SOLVED, residual
                polished = modes(p, int64(3), s, f)
                if not polished < residual:
                    _impulses(p, work, f)
                return SOLVED, min(polished, residual)
            due = max(3 * round, round + 4)
            residual = modes(p, int64(3), s, f)
            if residual <= p.tolerance or exact:
                work.start[0] = basic
            if residual <= p.tolerance:
                return SOLVED, residual
            if exact:
                # Nearly dependent rows keep the modes from repeating, but the multipliers are right.
                _impulses(p, work, f)
                return SOLVED, checked_residual(p, s, f)
            if settled and not changed:
                break
    return UNSOLVED, math.inf


def convex_route_solver(scratch: Any, modes: Pointer, work: Convex, loaded: bool) -> Pointer:
    """`_solve_convex_route` as a pointer, for one kind of work arrays; what never runs need not be compiled."""
    vector = types.float64[::1]
    result = types.Tuple((types.int64, types.float64))
    signature = result(PROBLEM_TYPE, box_type(scratch), typeof(modes), box_type(work), vector, vector)
    return Pointer(_solve_convex_route if loaded else _ask_for_more, signature)


def _ask_for_more(p, s, modes, work, f, certificate):
    return CAPACITY, math.inf


@part
def _all_prescribed(p, certificate):
    """No velocity is free: every contact opens or stays, or the demand is impossible."""
    feasible = True
    for i in range(p.n):
        if p.kind[i] != BOX and opening(p, i, p.c0) < -p.tolerance * p.scale:
            certificate[i] = 1.0
            feasible = False
    return (UNSOLVED if feasible else INFEASIBLE), math.inf


@part
def _has_cone(i, p, work):
    return p.kind[i] == CONE and p.mu[i] > 0.0 and not work.released[i]


@part
def _rows(p, work):
    """Constraint rows of all blocks and their right sides for s = 0; returns their number."""
    W, nu, mu, D, c0 = p.W, p.nu, p.mu, p.D, p.c0
    rows, right, owner = work.rows, work.unshifted, work.slips.owner
    count = 0
    for i in range(p.n):
        work.first[i] = count
        if p.kind[i] == BOX:
            continue
        cone = _has_cone(i, p, work)
        if cone and not math.isinf(mu[i]):
            for e in range(D.shape[0]):
                x, y = mu[i] * D[e, 0], mu[i] * D[e, 1]
                owner[count] = i
                right[count] = c0[3 * i] + p.offset[i] + x * c0[3 * i + 1] + y * c0[3 * i + 2]
                for j in range(nu):
                    rows[count * nu + j] = W[3 * i, j] + x * W[3 * i + 1, j] + y * W[3 * i + 2, j]
                count += 1
            continue
        owner[count] = -1
        right[count] = c0[3 * i] + p.offset[i]
        for j in range(nu):
            rows[count * nu + j] = W[3 * i, j]
        count += 1
        for e in range(4 if cone else 0):
            sign, r = 1.0 - 2.0 * (e % 2), 3 * i + 1 + e // 2
            owner[count] = -1
            right[count] = sign * c0[r]
            for j in range(nu):
                rows[count * nu + j] = sign * W[r, j]
            count += 1
    return count


@part
def _shift_rows(count, work):
    """Right sides for the present s."""
    b, right, owner, shift = work.b, work.unshifted, work.slips.owner, work.shift
    for row in range(count):
        b[row] = right[row] + (shift[owner[row]] if owner[row] >= 0 else 0.0)


@part
def _impulses(p, work, f):
    mu, D = p.mu, p.D
    for i in range(p.n):
        f[3 * i] = 0.0
        f[3 * i + 1] = 0.0
        f[3 * i + 2] = 0.0
        if p.kind[i] == BOX:
            continue
        row = work.first[i]
        cone = _has_cone(i, p, work)
        if cone and not math.isinf(mu[i]):
            for e in range(D.shape[0]):
                push = work.x[row + e]
                f[3 * i] += push
                f[3 * i + 1] += mu[i] * D[e, 0] * push
                f[3 * i + 2] += mu[i] * D[e, 1] * push
            continue
        f[3 * i] = work.x[row]
        if cone:
            f[3 * i + 1] = work.x[row + 1] - work.x[row + 2]
            f[3 * i + 2] = work.x[row + 3] - work.x[row + 4]


@part
def _rounding(p, s, f):
    """Residual that rounding alone makes: about 1e-16 of the largest velocity that one impulse makes by itself.

    A heavy body on a light one: the impulses above and below the latter cancel but for a small part.
    """
    largest = 0.0
    for i in range(p.n):
        if p.kind[i] != BOX:
            largest = max(largest, max(s.g[i, 0], s.g[i, 1]) * f[3 * i])
    return min(1e-15 * largest / p.scale, 1e-6)


@part
def _release(p, s, work, f):
    """Let go of held contacts that end with friction but without load; True if there was one."""
    found = False
    largest = 0.0
    for i in range(p.n):
        largest = max(largest, s.g[i, 0] * f[3 * i])
    for i in range(p.n):
        if _has_cone(i, p, work) and math.isinf(p.mu[i]) and s.g[i, 0] * f[3 * i] <= 1e-12 * largest:
            if s.g[i, 1] * gauge(f[3 * i + 1], f[3 * i + 2], p.D) > 1e-12 * largest:
                work.released[i] = True
                found = True
    return found


@part
def _blame(p, work, certificate):
    """Mark the contacts whose rows the certificate of infeasibility uses."""
    for i in range(p.n):
        row = work.first[i]
        certificate[i] = 0.0
        if p.kind[i] == BOX:
            continue
        last = row + (1 if not _has_cone(i, p, work) else 5 if math.isinf(p.mu[i]) else p.D.shape[0])
        for r in range(row, last):
            certificate[i] += work.certificate[r]


@part
def _contradicts(p, count, work):
    """Whether the certificate of infeasibility shows more than rounding in dependent rows."""
    missing = 0.0
    weight = 0.0
    for row in range(count):
        missing -= work.b[row] * work.certificate[row]
        weight += work.certificate[row]
    return missing > 1e-7 * p.scale * weight


@part
def _mark_held(p, work, certificate):
    """Mark contacts of infinite friction whose tangents the certificate of infeasibility uses; True if there is one."""
    held = False
    for i in range(p.n):
        if not (_has_cone(i, p, work) and math.isinf(p.mu[i])):
            continue
        for row in range(work.first[i] + 1, work.first[i] + 5):
            if work.certificate[row] > 0.0:
                certificate[i] = 1.0
                held = True
    return held
