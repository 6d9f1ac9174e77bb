"""The one problem: from dynamics and a prescribed set to contact space, and back.

    A v_u+  =  kappa_u - B v_a+ + J_u' f            free rows
    dt tau  =  C v_a+ + B' v_u+ - kappa_a - J_a' f  prescribed rows, read off afterwards

With A = L L' and W = J_u L^-T (a row a contact row) the contact velocities are affine in the impulses:

    c+ = W W' f + c0,        c0 = W L^-1 (kappa_u - B v_a+) + J_a v_a+                                           (*)

The free velocities are taken in reverse order: then L has the sparsity of the kinematic tree, and an envelope keeps it.
Bilateral rows (loops, coupled joints) are removed before a law sees the problem, see bilateral.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy import ndarray

from surefoot.kernels.cache import inlined, part
from surefoot.kernels.engine import dense_inertia
from surefoot.kernels.linear_algebra import affine


class Reduced(NamedTuple):
    """Work and result of the reduction; arrays are as long as the largest problem, `nu` columns of them in use.

    `free`: indices of free velocities, last first. `y0`: L^-1 (kappa_u - B v_a+). `rise`: L's first non-zero column per
    row. `inverse_pivot`: one over its diagonal.
    `Q`: orthonormal rows that span the bilateral rows; `particular`: what meets their right side (both in the y-space).
    """

    M: ndarray
    kappa: ndarray
    free: ndarray
    L: ndarray
    rise: ndarray
    inverse_pivot: ndarray
    y0: ndarray
    W: ndarray
    c0: ndarray
    Q: ndarray
    R_bilateral: ndarray
    order: ndarray
    particular: ndarray
    y: ndarray


@part
def assemble(m, d, v, passive, applied, bias, damping, dt, torque, M, kappa):
    """Inertia M with implicit damping, and kappa = M v + dt (p - h + torque) with `torque` (nv,) the known forces."""
    nv = v.shape[0]
    dense_inertia(m, d, M)
    for i in range(nv):
        # Damping acts on the new velocity: -B v+ instead of the -B v that MuJoCo's passive force holds.
        M[i, i] += dt * damping[i]
    for i in range(nv):
        total = dt * (passive[i] + applied[i] - bias[i] + torque[i])
        for j in range(nv):
            total += M[i, j] * v[j]
        kappa[i] = total


@part
def reduce_to_contacts(J, n_rows, prescribed, v_next, reduced):
    """Fill L, W, c0 for the given prescribed set; returns nu, or -1 if the inertia is not positive definite.

    Args:
        J: contact Jacobian; the first `n_rows` rows count.
        n_rows: number of rows.
        prescribed: (nv,) bool.
        v_next: (nv,) velocities at the end of the step; read where prescribed.
        reduced: work and results.
    """
    M, L, W, y0, free, rise = reduced.M, reduced.L, reduced.W, reduced.y0, reduced.free, reduced.rise
    inverse, c0, y = reduced.inverse_pivot, reduced.c0, reduced.y
    nv = prescribed.shape[0]
    nu = 0
    for i in range(nv - 1, -1, -1):
        if not prescribed[i]:
            free[nu] = i
            nu += 1
    for i in range(nu):
        row = free[i]
        total = reduced.kappa[row]
        if nu < nv:
            for j in range(nv):
                if prescribed[j]:
                    total -= M[row, j] * v_next[j]
        y0[i] = total
        rise[i] = i
        for j in range(i + 1):
            L[i, j] = M[row, free[j]]
            if L[i, j] != 0.0 and j < rise[i]:
                rise[i] = j
    if not _envelope_cholesky(L, rise, inverse, nu):
        return -1
    for i in range(nu):
        total = y0[i]
        for k in range(rise[i], i):
            total -= L[i, k] * y0[k]
        y0[i] = total * inverse[i]
    for r in range(n_rows):
        c0[r] = 0.0
    if nu < nv:
        for j in range(nv):
            y[j] = v_next[j] if prescribed[j] else 0.0
        affine(J, c0, y, n_rows, nv, c0)
    for r in range(0, n_rows, 3):  # three at a time: one alone waits for its last addition
        second, third = min(r + 1, n_rows - 1), min(r + 2, n_rows - 1)
        _solve_rows(L, rise, inverse, free, nu, J, r, second, third, W)
        a, b, c = 0.0, 0.0, 0.0
        for i in range(nu):
            a += W[r, i] * y0[i]
            b += W[second, i] * y0[i]
            c += W[third, i] * y0[i]
        c0[r] += a
        if second > r:
            c0[second] += b
        if third > second:
            c0[third] += c
    return nu


@inlined
def _solve_rows(L, rise, inverse, free, nu, J, r, s, t, W):
    """Rows r, s, t of W = J L^-T."""
    start = nu
    for i in range(nu):
        W[r, i], W[s, i], W[t, i] = J[r, free[i]], J[s, free[i]], J[t, free[i]]
        if start == nu and (W[r, i] != 0.0 or W[s, i] != 0.0 or W[t, i] != 0.0):
            start = i
    for i in range(start, nu):
        a, b, c = W[r, i], W[s, i], W[t, i]
        for k in range(max(rise[i], start), i):
            a -= L[i, k] * W[r, k]
            b -= L[i, k] * W[s, k]
            c -= L[i, k] * W[t, k]
        W[r, i], W[s, i], W[t, i] = a * inverse[i], b * inverse[i], c * inverse[i]


@inlined
def _envelope_cholesky(L, rise, inverse, n):
    for i in range(n):
        first = rise[i]
        for j in range(first, i):
            total = L[i, j]
            for k in range(max(first, rise[j]), j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total * inverse[j]
        pivot = L[i, i]
        for k in range(first, i):
            pivot -= L[i, k] * L[i, k]
        if not pivot > 0.0:
            return False
        L[i, i] = math.sqrt(pivot)
        inverse[i] = 1.0 / L[i, i]
    return True


@inlined
def back_substitute(nu, y, reduced):
    """Solve L' x = y in place."""
    for i in range(nu - 1, -1, -1):
        y[i] *= reduced.inverse_pivot[i]
        for j in range(reduced.rise[i], i):
            y[j] -= reduced.L[i, j] * y[i]


@part
def velocities(nu, n_rows, rank, f, v_next, reduced):
    """Fill the free entries of v_next from the impulses: y = (I - Q'Q)(y0 + W'f) + p, v_u = L^-T y."""
    y = reduced.y
    for i in range(nu):
        y[i] = reduced.y0[i]
    for r in range(n_rows):
        if f[r] != 0.0:
            for i in range(nu):
                y[i] += reduced.W[r, i] * f[r]
    for k in range(rank):
        along = 0.0
        for i in range(nu):
            along += reduced.Q[k, i] * reduced.y0[i]
        for i in range(nu):
            y[i] -= along * reduced.Q[k, i]
    if rank > 0:
        for i in range(nu):
            y[i] += reduced.particular[i]
    back_substitute(nu, y, reduced)
    for i in range(nu):
        v_next[reduced.free[i]] = y[i]


@part
def needed_force(J, n_rows, f, v_next, dt, reduced, force_out):
    """What prescribed velocities need: (M v+ - kappa - J'f) / dt on every row, zero to rounding on free ones."""
    nv = v_next.shape[0]
    for i in range(nv):
        total = -reduced.kappa[i]
        for j in range(nv):
            total += reduced.M[i, j] * v_next[j]
        force_out[i] = total
    for r in range(n_rows):
        if f[r] != 0.0:
            for i in range(nv):
                force_out[i] -= J[r, i] * f[r]
    for i in range(nv):
        force_out[i] /= dt
