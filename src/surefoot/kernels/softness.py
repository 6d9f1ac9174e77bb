"""How soft the soft law is, and where it pulls to [Todorov2014, section V]: all from the start of the step.

    R_ii = max(epsilon A_ii, r_min),   A = J M^-1 J' with every velocity free                                      (27)
    c* = c - dt B c - dt K phi,        B = 2 (1 + epsilon) / kappa,  K = (1 + epsilon) / kappa^2               (24, 28)

K = 0 in rows of friction. Where a contact has more rows, R_j mu_j^2 is the same in all of them. Equalities join the
inertia: M + J_E' R_E^-1 J_E.
"""

from __future__ import annotations

import math
from typing import Any

from numba import typeof, types

from surefoot.kernels.cache import Pointer, part
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve
from surefoot.kernels.plant import BOX, CONE, MOTOR, TURN, TURNING

LEAST_SOFTNESS = 1e-12  # 1/kg


@part
def soften(rows, n, bilateral, v, dt, law, W, S, z, gaps, R, target, turn, M, kappa):
    """Fill softness and target velocities of all rows, and let equalities join M and kappa.

    Args:
        rows: Rows; equalities stand behind 3n in J.
        n: blocks.
        bilateral: equality rows.
        v: (nv,) velocities at the start of the step.
        dt: step in s.
        law: LawNumbers.
        W: (3n + bilateral, nv) of the reduction with every velocity free.
        S: (nv, nv) work, z: (nv,) work.
        gaps: (bilateral,) violations of the equalities.
        R, target: (3n + bilateral,) results.
        turn: (n,) result: the contact whose turning a block is, else -1.
        M, kappa: changed in place.
    """
    nv = v.shape[0]
    B, K = 2.0 * (1.0 + law.epsilon) / law.kappa, (1.0 + law.epsilon) / law.kappa**2
    for r in range(3 * n + bilateral):
        size, speed = 0.0, 0.0
        for j in range(nv):
            size += W[r, j] ** 2
            speed += rows.J[r, j] * v[j]
        R[r] = max(law.epsilon * size, LEAST_SOFTNESS)
        target[r] = speed
    for i in range(n):
        turn[i] = rows.source[i, 0] if rows.source[i, 1] == TURNING else -1
        if rows.kind[i] == CONE:
            R[3 * i + 1] = 0.5 * (R[3 * i + 1] + R[3 * i + 2])
            R[3 * i + 2] = R[3 * i + 1]
    for i in range(n):
        if rows.kind[i] == TURN:
            of = rows.source[i, 0]
            for r in range(3):
                mu = rows.mu[i] if r == 0 else rows.bound[i]
                if mu > 0.0:
                    R[3 * i + r] = R[3 * of + 1] * (rows.mu[of] / mu) ** 2
    if law.critical:
        _damp_critically(rows, n, bilateral, dt, law.kappa, W, S, z, gaps, R, target)
    else:
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
                kappa[i] += a * target[r]
                for j in range(nv):
                    M[i, j] += a * rows.J[r, j]


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


def softener(rows: Any, law: Any, wanted: bool) -> Pointer:
    """`soften` as a pointer, for one kind of work arrays; what never runs need not be compiled."""
    vector, matrix, integer, number = types.float64[::1], types.float64[:, ::1], types.int64, types.float64
    signature = types.void(
        *(typeof(rows), integer, integer, vector, number, typeof(law), matrix, matrix, vector, vector, vector, vector),
        *(types.int64[::1], matrix, vector),
    )
    return Pointer(_soften if wanted else _nothing, signature)


def _soften(rows, n, bilateral, v, dt, law, W, S, z, gaps, R, target, turn, M, kappa):
    soften(rows, n, bilateral, v, dt, law, W, S, z, gaps, R, target, turn, M, kappa)


def _nothing(rows, n, bilateral, v, dt, law, W, S, z, gaps, R, target, turn, M, kappa):
    pass
