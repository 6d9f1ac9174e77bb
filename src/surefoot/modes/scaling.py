"""A contact system without units: rows and columns of size 1, so that tolerances mean the same for mice and trucks.

Forces are measured in sqrt(effective mass of the contact), accelerations in one over it, both times the largest
acceleration that the contacts would have if nothing pushed back; coordinates by the inertia, `qdd = C q` with
`C' inertia C = E`, one for coordinates that weigh and zero for those that do not. Then the dynamics read
`E q = W' f + S tau + q0` and the accelerations at the contacts `a = W q + rate`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot.modes.linear import Rows
from surefoot.modes.system import ContactSystem

Array = NDArray[np.float64]


class Scaled(NamedTuple):
    """A system without units; `x = unit * x_scaled` gives SI units back."""

    W: Array  # (nf, nv) contact rows
    S: Array  # (nv, t) inputs
    q0: Array  # (nv,) accelerations without contact and torque; of massless coordinates forces on them
    rate: Array  # (nf,) accelerations of the contacts without those of the coordinates
    C: Array  # (nv, nv) coordinates
    weighs: NDArray[np.bool_]  # (nv,) diagonal of E
    unit: float  # of accelerations
    force: Array  # (nf,) units
    torque: Array  # (t,) units

    def rows(self, given: Rows) -> tuple[Array, Array, Array, Array]:
        """Constraints as (r, nv), (r, nf), (r, t) blocks and (r,) bounds, each row of size 1."""
        Q, F, T = self.unit * given.acceleration @ self.C, given.force * self.force, given.torque * self.torque
        size = np.abs(np.hstack([Q, F, T])).max(axis=1, initial=0.0)
        size = np.where(size > 0, size, 1.0)[:, None]
        return Q / size, F / size, T / size, given.bound / size[:, 0]


LEAST = 1e-6
"""m/s^2: accelerations without contact that are all smaller count as none."""


def scaled(system: ContactSystem) -> Scaled:
    """Take the units out of a system."""
    J, d, C = system.jacobian, system.dimension, _coordinates(system)
    weighs = system.weighs
    W, S, q0 = J @ C, C.T @ system.inputs, -C.T @ system.bias
    give = (W[:, weighs] ** 2).sum(axis=1).reshape(-1, d).max(axis=1, initial=0.0)  # one over the effective mass
    root = np.repeat(1.0 / np.sqrt(np.where(give > 0, give, 1.0)), d)
    light = np.abs(W[:, ~weighs] * root[:, None]).max(axis=0, initial=0.0)
    size = np.where(weighs, 1.0, 0.0)
    size[~weighs] = 1.0 / np.where(light > 0, light, 1.0)
    C, W, S, q0 = C * size, W * size, size[:, None] * S, size * q0
    start = (W[:, weighs] @ q0[weighs] + system.jacobian_rate).reshape(-1, d)
    if np.abs(start).max(initial=0.0) > LEAST:
        unit = float(np.abs(start.ravel() * root).max())
    else:
        unit = float(root.max(initial=0.0)) or 1.0
    W = W * root[:, None]
    torque = _torque_units(system, np.abs(W @ S).max(axis=0, initial=0.0), unit, unit * root)
    rate = root * system.jacobian_rate / unit
    return Scaled(W, S * torque / unit, q0 / unit, rate, C, weighs, unit, unit * root, torque)


def _coordinates(system: ContactSystem) -> Array:
    """(nv, nv) C with `C' inertia C` one on the diagonal, zero for coordinates that do not weigh."""
    C, weighs = np.eye(system.nv), np.flatnonzero(system.weighs)
    L = np.linalg.cholesky(system.inertia[np.ix_(weighs, weighs)])
    C[np.ix_(weighs, weighs)] = scipy.linalg.solve_triangular(L, np.eye(len(weighs)), lower=True, trans="T")
    return C


def _torque_units(system: ContactSystem, effect: Array, unit: float, force: Array) -> Array:
    """(t,) torques that move contacts by about 1, or, if they enter by a constraint only, outweigh forces of 1."""
    units = np.where(effect > 1e-12 * effect.max(initial=0.0), unit / np.where(effect > 0, effect, 1.0), np.nan)
    rows = system.physical_rows
    for j in np.flatnonzero(np.isnan(units)):
        part = np.abs(rows.torque[:, j])
        weight = np.abs(rows.force * force).max(axis=1, initial=0.0)
        ratios = weight[(part > 0) & (weight > 0)] / part[(part > 0) & (weight > 0)]
        units[j] = ratios.min() if len(ratios) else 1.0
    return units
