"""Bilateral rows (loops, coupled joints): removed before a law sees the problem; W keeps what they leave free."""

from __future__ import annotations

import math

from numba import types

from surefoot.kernels.box import box_type
from surefoot.kernels.cache import Pointer, part
from surefoot.kernels.reduction import Reduced


@part
def hold_bilateral(J, v, v_next, n_rows, first, count, target, nu, tolerance, reduced):
    """Remove bilateral rows J_E v+ = target, which stand at rows first..first+count-1 of W and c0.

    The rows of W become W (I - Q'Q); c0 is what remains with the bilateral rows met. Rows 0..n_rows-1 are changed.

    Returns:
        The rank of the bilateral rows, or -1 - k if row k depends on the others and contradicts them.
    """
    W, Q, R, order, p, c0, y0 = (
        reduced.W, reduced.Q, reduced.R_bilateral, reduced.order, reduced.particular, reduced.c0, reduced.y0,
    )  # fmt: skip
    for i in range(nu):
        p[i] = 0.0
    # Velocities that could meet in a row (at least 1 mm/s), the largest row, and what closing old gaps asks for: joints
    # that are all prescribed cannot close a gap, and are not blamed for it.
    scale, largest, drift = 1e-3, 0.0, 0.0
    for e in range(count):
        size, speed = 0.0, 0.0
        for i in range(nu):
            size += W[first + e, i] ** 2
        for j in range(v.shape[0]):
            speed += abs(J[first + e, j]) * max(abs(v[j]), abs(v_next[j]))
        largest = max(largest, math.sqrt(size))
        scale = max(scale, speed)
        drift += abs(target[e])
    rank = 0
    for e in range(count):
        row = W[first + e]
        q = Q[rank]
        for i in range(nu):
            q[i] = row[i]
        for k in range(rank):
            R[e, k] = 0.0
        for _ in range(2):  # twice is enough for orthogonality to rounding
            for k in range(rank):
                along = 0.0
                for i in range(nu):
                    along += Q[k, i] * q[i]
                R[e, k] += along
                for i in range(nu):
                    q[i] -= along * Q[k, i]
        left = 0.0
        for i in range(nu):
            left += q[i] * q[i]
        left = math.sqrt(left)
        # Velocity still missing on this row: target - J_a v_a+ - row . p, where c0 = row . y0 + J_a v_a+.
        missing = target[e] - c0[first + e]
        for i in range(nu):
            missing += row[i] * (y0[i] - p[i])
        if left <= 1e-9 * largest:
            if abs(missing) > tolerance * scale + drift:
                return -1 - e
            continue
        for i in range(nu):
            q[i] /= left
            p[i] += missing / left * q[i]
        R[e, rank] = left
        order[rank] = e
        rank += 1
    for r in range(n_rows):
        row = W[r]
        change = 0.0
        for i in range(nu):
            change += row[i] * p[i]
        for k in range(rank):
            along = 0.0
            start = 0.0
            for i in range(nu):
                along += Q[k, i] * row[i]
                start += Q[k, i] * y0[i]
            change -= along * start
            for i in range(nu):
                row[i] -= along * Q[k, i]
        c0[r] += change
    return rank


@part
def bilateral_force(reduced, J, n, rank, nu, dt, impulse, force):
    """Take the part of the bilateral impulses that acts on prescribed rows out of the needed force.

    On free rows M v+ - kappa - J'f is J_E,u' f_E. L^-1 of it is a sum over the independent rows e of f_e W_e, and
    W_e = sum_k R[e, k] Q[k]: back substitution gives the impulses.
    """
    Q, R, order, y = reduced.Q, reduced.R_bilateral, reduced.order, reduced.y
    for i in range(nu):
        total = force[reduced.free[i]] * dt
        for k in range(reduced.rise[i], i):
            total -= reduced.L[i, k] * y[k]
        y[i] = total * reduced.inverse_pivot[i]
    for k in range(rank - 1, -1, -1):
        total = 0.0
        for i in range(nu):
            total += Q[k, i] * y[i]
        for later in range(k + 1, rank):
            total -= R[order[later], k] * impulse[later]
        impulse[k] = total / R[order[k], k]
    for k in range(rank):
        for i in range(force.shape[0]):
            force[i] -= J[3 * n + order[k], i] * impulse[k] / dt


def bilateral_solvers(reduced: Reduced, wanted: bool) -> tuple[Pointer, Pointer]:
    """`hold_bilateral` and `bilateral_force` as pointers; what never runs need not be compiled."""
    vector, matrix, integer, number = types.float64[::1], types.float64[:, ::1], types.int64, types.float64
    held = integer(
        *(matrix, vector, vector, integer, integer, integer, vector, integer, number, box_type(reduced)),
    )
    forced = types.void(box_type(reduced), matrix, integer, integer, integer, number, vector, vector)
    return Pointer(_hold if wanted else _hold_nothing, held), Pointer(_force if wanted else _no_force, forced)


def _hold(J, v, v_next, n_rows, first, count, target, nu, tolerance, reduced):
    return hold_bilateral(J, v, v_next, n_rows, first, count, target, nu, tolerance, reduced)


def _hold_nothing(J, v, v_next, n_rows, first, count, target, nu, tolerance, reduced):
    return 0


def _force(reduced, J, n, rank, nu, dt, impulse, force):
    bilateral_force(reduced, J, n, rank, nu, dt, impulse, force)


def _no_force(reduced, J, n, rank, nu, dt, impulse, force):
    pass
