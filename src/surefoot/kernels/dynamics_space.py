"""All accelerations, torques and contact forces that satisfy dynamics and contact, as one affine set [Ratliff2014].

Over a step dt the velocities at its end are v + dt a. Contacts that are held have C (v + dt a) = 0; forces act along
the rows of F, which are those of C unless a contact slides. The rows of the velocities that no motor drives (u) remain:

    a = -v/dt + N'y                                  N spans what C leaves free                          (5)
    M_u N'y - F_u'lambda = r_u + M_u v/dt            r = p - h, in (y, lambda)                           (7)
    (y, lambda) = x0 + Z'beta                                                                            (13)

so that acceleration, force and torque = M_a a - r_a - F_a'lambda are each a start and a basis times beta (16). For
contacts that are independent of each other beta has as many entries as there are motors.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.elimination import NONE, eliminate_rows, free_vectors

OUT, STICKS, SLIDES = 0, 1, 2  # what a contact is taken for
RANK = 1e-9  # relative: a row that leaves less is dependent


class Space(NamedTuple):
    """Work and result for up to c contacts; nb = nv + 3c."""

    C: ndarray  # (3c, nv) rows of held contacts, eliminated
    F: ndarray  # (3c, nv) rows along which forces act
    contact: ndarray  # (3c,) int64: whose force
    axis: ndarray  # (3c,) int64: 0 normal, 1, 2 tangents; 3: normal with the friction of a slide
    N: ndarray  # (nv, nv)
    K: ndarray  # (nv, nb + 1) rows of the velocities without motors, and their right side
    Z: ndarray  # (nb, nb)
    root: ndarray  # (nv,) one over the root of the inertia's diagonal
    size: ndarray  # (nb,) work
    pivot: ndarray  # (nb,) int64
    taken: ndarray  # (nb,) int64
    x: ndarray  # (nb,)
    r: ndarray  # (nv,) p - h
    a0: ndarray  # (nv,) start of the accelerations
    f0: ndarray  # (3c,) of the forces
    t0: ndarray  # (joints,) of the torques
    A: ndarray  # (nb, nv) basis of the accelerations, a row a coordinate
    L: ndarray  # (nb, 3c) of the forces
    T: ndarray  # (nb, joints) of the torques


def make_space(contacts: int, nv: int, joints: int) -> Space:
    """Work arrays."""
    forces = 3 * contacts
    nb = nv + forces

    def floats(*shape: int) -> ndarray:
        return np.zeros(shape)

    def ints(n: int) -> ndarray:
        return np.zeros(n, dtype=np.int64)

    return Space(
        C=floats(forces, nv), F=floats(forces, nv), contact=ints(forces), axis=ints(forces), N=floats(nv, nv),
        K=floats(nv, nb + 1), Z=floats(nb, nb), root=floats(nv), size=floats(nb), pivot=ints(nb), taken=ints(nb),
        x=floats(nb),
        r=floats(nv), a0=floats(nv), f0=floats(forces), t0=floats(joints), A=floats(nb, nv), L=floats(nb, forces),
        T=floats(nb, joints),
    )  # fmt: skip


@part
def hold_contacts(rows, n, mode, rub, space):
    """Rows of the contacts: C of those that are held, F of their forces. Returns their numbers.

    Args:
        rows: contacts, as found.
        n: how many.
        mode: (n,) int64: OUT, STICKS or SLIDES.
        rub: (n, 2) direction in which friction acts on a contact that slides, along its tangents.
        space: C and F are written.
    """
    held, forces = 0, 0
    nv = space.C.shape[1]
    for i in range(n):
        if mode[i] == OUT:
            continue
        for k in range(3 if mode[i] == STICKS else 1):
            for j in range(nv):
                space.C[held, j] = rows.J[3 * i + k, j]
                space.F[forces, j] = rows.J[3 * i + k, j]
            space.contact[forces] = i
            space.axis[forces] = k
            if mode[i] == SLIDES:
                space.axis[forces] = 3
                for j in range(nv):
                    space.F[forces, j] += rows.mu[i] * (
                        rub[i, 0] * rows.J[3 * i + 1, j] + rub[i, 1] * rows.J[3 * i + 2, j]
                    )
            held += 1
            forces += 1
    return held, forces


@part
def span_space(M, kappa, v, dt, unit, idle, held, forces, space):
    """Start and basis of accelerations and forces. Returns the number of coordinates.

    Args:
        M: (nv, nv) inertia with implicit damping.
        kappa: (nv,) M v + dt (p - h).
        v: (nv,) velocities.
        dt: step in s.
        unit: N, a force of the size that matters: columns of forces and accelerations are then alike.
        idle: (nv - joints,) int64: velocities that no motor drives.
        held: rows of C.
        forces: rows of F.
        space: work and result.
    """
    nv, N, x, Z, root = v.shape[0], space.N, space.x, space.Z, space.root
    for i in range(nv):
        total = kappa[i]
        for j in range(nv):
            total -= M[i, j] * v[j]
        space.r[i] = total / dt
        root[i] = 1.0 / math.sqrt(M[i, i])
        space.a0[i] = -v[i] / dt
    for i in range(held):
        for j in range(nv):
            space.C[i, j] *= root[j]
    eliminate_rows(space.C, held, nv, 0, RANK, space.size, space.pivot)
    free = free_vectors(space.C, held, nv, space.pivot, space.taken, N)
    for k in range(free):
        for j in range(nv):
            N[k, j] *= root[j]
    width = free + forces
    for row in range(idle.shape[0]):
        i = idle[row]
        total = space.r[i]
        for j in range(nv):
            total -= M[i, j] * space.a0[j]
        space.K[row, width] = total
        for k in range(free):
            total = 0.0
            for j in range(nv):
                total += M[i, j] * N[k, j]
            space.K[row, k] = total
        for f in range(forces):
            space.K[row, free + f] = -unit * space.F[f, i]
    eliminate_rows(space.K, idle.shape[0], width, 1, RANK, space.size, space.pivot)
    count = free_vectors(space.K, idle.shape[0], width, space.pivot, space.taken, Z)
    for k in range(width):
        x[k] = 0.0
    for row in range(idle.shape[0]):
        if space.pivot[row] != NONE:
            x[space.pivot[row]] = space.K[row, width]
    for k in range(free):
        for j in range(nv):
            space.a0[j] += x[k] * N[k, j]
    for f in range(forces):
        space.f0[f] = unit * x[free + f]
    for b in range(count):
        for j in range(nv):
            space.A[b, j] = 0.0
        for k in range(free):
            along = Z[b, k]
            if along != 0.0:
                for j in range(nv):
                    space.A[b, j] += along * N[k, j]
        for f in range(forces):
            space.L[b, f] = unit * Z[b, free + f]
    return count


@part
def span_torques(M, dofs, forces, count, space):
    """Start and basis of the torques: seldom needed, since limits are mostly kept without being asked for."""
    torques_of(M, dofs, forces, space.F, space.a0, space.f0, space.t0)
    for i in range(dofs.shape[0]):
        space.t0[i] -= space.r[dofs[i]]
    for b in range(count):
        torques_of(M, dofs, forces, space.F, space.A[b], space.L[b], space.T[b])


@part
def torques_of(M, dofs, forces, F, a, f, out):
    """M_a a - F_a'f of the driven rows."""
    nv = a.shape[0]
    for i in range(dofs.shape[0]):
        row, total = dofs[i], 0.0
        for j in range(nv):
            total += M[row, j] * a[j]
        out[i] = total
    for k in range(forces):
        push = f[k]
        if push != 0.0:
            for i in range(dofs.shape[0]):
                out[i] -= F[k, dofs[i]] * push
