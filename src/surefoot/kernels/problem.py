"""The problem that every contact law closes: blocks of rows in the space of the free velocities.

    c+ = W W' f + c0                                                                                             (*)

Block i is a contact, a joint limit or the dry friction of a joint; its rows are 3i (normal), 3i + 1, 3i + 2 (tangents).
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types
from numpy import ndarray

from surefoot.kernels.cache import inlined, kernel

# Forms of a law.
STANDARD = 0
EXACT = 1
ENERGY = 2
SOFT = 3


class Problem(NamedTuple):
    """One contact problem; arrays may be longer than `n` blocks and `nu` columns.

    Attributes:
        W: (3n, nu) rows of (*).
        nu: number of free velocities.
        n: number of blocks.
        c0: (3n,) velocities without impulses in m/s.
        offset: (n,) gap / dt of each block in m/s.
        kind: (n,) NORMAL, CONE or BOX, see plant.py.
        mu: (n,) friction, inf allowed.
        bound: (n,) largest impulse of a BOX.
        D: (k, 6) table of the pyramid, see pyramid.py.
        dissipative: False: Coulomb's law, normal complementarity and friction against the slip. True: the convex law,
            0 <= f in K perp c + offset e_n in K*; its offset may hold more than the gap.
        form: STANDARD; EXACT: round cones (of the dissipative law); ENERGY: see energy.py.
        scale: velocity scale max(|c0|, -offset) from `prepare`.
        tolerance: largest residual that counts as solved, relative to the scale.
    """

    W: ndarray
    nu: int
    n: int
    c0: ndarray
    offset: ndarray
    kind: ndarray
    mu: ndarray
    bound: ndarray
    D: ndarray
    dissipative: bool
    form: int
    scale: float
    tolerance: float


_VECTOR, _MATRIX, _INTEGERS = types.float64[::1], types.float64[:, ::1], types.int64[::1]
PROBLEM_TYPE = types.NamedTuple(
    (
        *(_MATRIX, types.int64, types.int64, _VECTOR, _VECTOR, _INTEGERS, _VECTOR, _VECTOR, _MATRIX),
        *(types.boolean, types.int64, types.float64, types.float64),
    ),
    Problem,
)


@kernel
def prepare(W, nu, n, c0, offset, g):
    """Squared sizes of each block's normal row and larger tangent row, into g (n, 2); returns the velocity scale."""
    scale = 0.0
    for i in range(n):
        normal, first, second = 0.0, 0.0, 0.0
        for j in range(nu):
            normal += W[3 * i, j] ** 2
            first += W[3 * i + 1, j] ** 2
            second += W[3 * i + 2, j] ** 2
        g[i, 0], g[i, 1] = normal, max(first, second)
        # A spring pressed together moves what rests.
        scale = max(scale, -offset[i], abs(c0[3 * i]), abs(c0[3 * i + 1]), abs(c0[3 * i + 2]))
    return scale


@inlined
def with_friction(p, mu):
    """The same problem with other coefficients of friction."""
    return Problem(
        p.W, p.nu, p.n, p.c0, p.offset, p.kind, mu, p.bound, p.D, p.dissipative, p.form, p.scale, p.tolerance
    )


@inlined
def with_tolerance(p, tolerance):
    """The same problem, solved less exactly."""
    return Problem(
        p.W, p.nu, p.n, p.c0, p.offset, p.kind, p.mu, p.bound, p.D, p.dissipative, p.form, p.scale, tolerance
    )
