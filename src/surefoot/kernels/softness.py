"""How soft the soft law is, and where it pulls to [Todorov2014, section V]: all from the start of the step.

    R_ii = max(epsilon A_ii, r_min)                                                                                (27)
    c* = c - dt B c - dt K phi,        B = 2 (1 + epsilon) / kappa,  K = (1 + epsilon) / kappa^2               (24, 28)

A_ii stands for the diagonal of J M^-1 J', "a precomputed approximation" of it [section IV]: constants of bodies, joints
and tendons in the reference pose. So R needs no inertia matrix, is the same whatever is prescribed, and the inverse is
linear in the rows. K = 0 in rows of friction. In all friction rows of a contact R_j mu_j^2 is the same. Equalities join
the inertia: M + J_E' R_E^-1 J_E.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import typeof, types
from numpy import ndarray

from surefoot.kernels.box import Box
from surefoot.kernels.cache import Pointer, inlined, part
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve
from surefoot.kernels.plant import BOX, CONE, DRY_FRICTION, LIMIT, MOTOR, NORMAL, TENDON, TURN, Rows
from surefoot.kernels.settings import LawNumbers

LEAST_SOFTNESS = 1e-12  # 1/kg


class Mobility(NamedTuple):
    """The constants A of (27), in 1/kg (of a hinge 1/(kg m^2)); a contact's is the sum of its two bodies'."""

    body: ndarray  # (nbody,)
    geom: ndarray  # (ngeom,) that of its body
    joint: ndarray  # (njnt,)
    dof: ndarray  # (nv,)
    tendon: ndarray  # (ntendon,)


class Softening(NamedTuple):
    """Parts of a Step that softening reads and writes; in a Box, for as arguments they cost as much as the work."""

    rows: Rows  # equalities stand behind 3n in J
    law: LawNumbers
    mobility: Mobility
    dt: float
    v: ndarray  # (nv,) velocities at the start of the step
    W: ndarray  # (3n + bilateral, nv) of the reduction with every velocity free; read for critical damping only
    S: ndarray  # (nv, nv) work
    z: ndarray  # (nv,) work
    gaps: ndarray  # (bilateral,) violations of the equalities
    R: ndarray  # (3n + bilateral,) result; behind 3n the equalities' A on entry
    target: ndarray  # (3n + bilateral,) result
    turn: ndarray  # (n,) int64, result: the contact whose turning a block is, else -1
    M: ndarray  # (nv, nv) changed
    kappa: ndarray  # (nv,) changed


def _soften(here, n, bilateral):
    """Fill R, target and turn of n blocks and the equalities behind them, and let equalities join M and kappa."""
    rows, law, mobility, dt, v, gaps = here.rows, here.law, here.mobility, here.dt, here.v, here.gaps
    R, target, turn = here.R, here.target, here.turn
    nv = v.shape[0]
    for i in range(n):
        turn[i] = rows.source[i, 0] if rows.kind[i] == TURN else -1
        if rows.kind[i] == TURN:  # behind its contact
            of = turn[i]
            for k in range(3):
                mu = rows.mu[i] if k == 0 else rows.bound[i]
                R[3 * i + k] = R[3 * of] * (rows.mu[of] / mu) ** 2 if mu > 0.0 else R[3 * of]
        else:
            softness = max(law.epsilon * _mobility_of(rows, i, mobility), LEAST_SOFTNESS)
            for r in range(3 * i, 3 * i + 3):
                R[r] = softness
    row_velocities(rows, n, v, target)
    for r in range(3 * n, 3 * n + bilateral):
        target[r] = 0.0
        for j in range(nv):
            target[r] += rows.J[r, j] * v[j]
        R[r] = max(law.epsilon * max(R[r], _least_mobility(rows, r, mobility)), LEAST_SOFTNESS)
    if law.critical:
        _damp_critically(rows, n, bilateral, dt, law.kappa, here.W, here.S, here.z, gaps, R, target)
    else:
        B, K = 2.0 * (1.0 + law.epsilon) / law.kappa, (1.0 + law.epsilon) / law.kappa**2
        for r in range(3 * n + bilateral):
            target[r] -= dt * (B * target[r] + K * _gap(rows, n, gaps, r))
    for i in range(n):
        if rows.source[i, 1] == MOTOR:  # not soft: it follows its motion as far as its torque goes
            R[3 * i + 1] *= 1e-12 / law.epsilon
            target[3 * i + 1] = 0.0
    for e in range(bilateral):
        r = 3 * n + e
        for i in range(nv):
            a = rows.J[r, i] / R[r]
            if a != 0.0:
                here.kappa[i] += a * target[r]
                for j in range(nv):
                    here.M[i, j] += a * rows.J[r, j]


@inlined
def _mobility_of(rows, i, mobility):
    """A of block i, which is not a TURN."""
    first, second = rows.source[i, 0], rows.source[i, 1]
    if second >= 0:
        return mobility.geom[first] + mobility.geom[second]
    if second == LIMIT:
        return mobility.joint[first]
    if second == DRY_FRICTION or second == MOTOR:
        return mobility.dof[first]
    if second == TENDON:
        return max(mobility.tendon[first], _least_mobility(rows, 3 * i, mobility))
    nbody = mobility.body.shape[0]
    return mobility.body[first // nbody] + mobility.body[first % nbody]  # GIVEN


@part
def _least_mobility(rows, r, mobility):
    """For rows whose constant may vanish (a loop at two wheels): a thousandth of J diag(M^-1) J'."""
    total = 0.0
    for j in range(rows.J.shape[1]):
        total += rows.J[r, j] ** 2 * mobility.dof[j]
    return 1e-3 * total


@part
def row_velocities(rows, n, v, c):
    """J v of the rows in use, into c (3n,); zero in others, whose Jacobian is zero or never read."""
    for i in range(n):
        kind = rows.kind[i]
        first = 1 if kind == BOX else 0
        last = 1 if kind == NORMAL else (2 if kind == BOX else 3)
        for k in range(3):
            total = 0.0
            if first <= k < last:
                for j in range(v.shape[0]):
                    total += rows.J[3 * i + k, j] * v[j]
            c[3 * i + k] = total


@part
def _gap(rows, n, gaps, r):
    """What K pulls back: the gap of a normal row or of an equality, zero in rows of friction."""
    if r >= 3 * n:
        return gaps[r - 3 * n]
    kind = rows.kind[r // 3]
    return rows.gap[r // 3] if r % 3 == 0 and kind != BOX and kind != TURN else 0.0


@part
def _acts(rows, n, r):
    """Whether a row is one of a contact that touches, has friction in its direction, and is not a motor's."""
    if r >= 3 * n:
        return True
    i, k = r // 3, r % 3
    kind = rows.kind[i]
    if kind == BOX:
        return k == 1 and rows.source[i, 1] != MOTOR
    if kind == TURN:
        return (rows.mu[i] if k == 0 else rows.bound[i]) > 0.0
    return rows.gap[i] <= 0.0 and (k == 0 or (kind == CONE and rows.mu[i] > 0.0))


@part
def _damp_critically(rows, n, bilateral, dt, time, W, S, z, gaps, R, target):
    """c* for B and K that are not diagonal: A R^-1 B = 2/kappa (1 + A R^-1), and K likewise, by a pseudo-inverse of A.

    So B c = 2/kappa (c + R A^+ c). With A = W W' over the rows that touch, A^+ c = W (W'W)^-2 W'c.
    """
    nv = z.shape[0]
    total = 3 * n + bilateral
    trace = 0.0
    for i in range(nv):
        for j in range(nv):
            S[i, j] = 0.0
    for r in range(total):
        if not _acts(rows, n, r):
            continue
        for i in range(nv):
            for j in range(nv):
                S[i, j] += W[r, i] * W[r, j]
            trace += W[r, i] ** 2
    for i in range(nv):
        S[i, i] += 1e-12 * trace + 1e-300
        z[i] = 0.0
    definite = cholesky(S, nv)
    for r in range(total):
        if not _acts(rows, n, r):
            continue
        pull = 2.0 / time * target[r] + _gap(rows, n, gaps, r) / time**2
        for i in range(nv):
            z[i] += W[r, i] * pull
    if definite:
        cholesky_solve(S, nv, z)
        cholesky_solve(S, nv, z)
    for r in range(total):
        pull = 2.0 / time * target[r] + _gap(rows, n, gaps, r) / time**2
        along = 0.0
        for i in range(nv):
            along += W[r, i] * z[i]
        target[r] -= dt * (pull + (R[r] * along if definite and math.isfinite(along) else 0.0))


def softener(softening: Softening, wanted: bool) -> tuple[Any, Pointer]:
    """Box of a Softening, and `_soften` as a pointer if it is wanted."""
    box = Box(softening)
    signature = types.void(typeof(box), types.int64, types.int64)
    return box, Pointer(_soften if wanted else _nothing, signature)


def _nothing(here, n, bilateral):
    pass
