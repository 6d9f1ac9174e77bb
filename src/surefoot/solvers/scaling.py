"""Scaling that makes the rows and columns of a linear complementarity problem comparable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def equilibrate(M: Array) -> tuple[Array, Array]:
    """Return row and column scales r, s (n,), powers of two, with entries of r M s about 1 in size.

    Any positive scales keep a linear complementarity problem one: z = s z', w' = r w. Where M has a diagonal,
    r = s = 1 / sqrt|M_ii|; in contact problems impulses and velocities both become roots of energies. Where it has none
    (the rows of friction cones) r and s make the largest entry of the row and of the column about 1.
    """
    size = np.abs(np.diag(M))
    regular = size > 1e-13 * size.max(initial=0.0)
    s = np.ones(len(M))
    s[regular] = _power_of_two(1.0 / np.sqrt(size[regular]))
    r = s.copy()
    for i in np.flatnonzero(~regular):
        row = (np.abs(M[i, regular]) * s[regular]).max(initial=0.0)
        column = (np.abs(M[regular, i]) * r[regular]).max(initial=0.0)
        r[i] = _power_of_two(1.0 / row) if row > 0 else 1.0
        s[i] = _power_of_two(1.0 / column) if column > 0 else 1.0
    return r, s


def natural_residual(M: Array, q: Array, z: Array) -> float:
    """Return the largest |min(z, w)|, w = M z + q, of the scaled problem, over its largest |q| (over 1 if q is 0)."""
    if len(q) == 0:
        return 0.0
    if not np.isfinite(z).all():
        return np.inf
    r, s = equilibrate(M)
    scale = np.abs(r * q).max()
    return float(np.abs(np.minimum(z / s, r * (M @ z + q))).max() / (scale if scale > 0 else 1.0))


def _power_of_two(x):
    return np.ldexp(1.0, np.frexp(x)[1])
