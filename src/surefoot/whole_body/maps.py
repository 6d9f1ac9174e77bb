"""Contact forces and accelerations as functions of torques, from plain matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot.whole_body.affine import AffineMap, Split, split

Array = NDArray[np.float64]

CONSISTENT = 1e-6
"""Share of the contacts' own accelerations that may be out of reach; rates come from differences and are no better."""
UNLOADED = 1e-3
"""N per N m: below RANK times this no torque changes a force."""


class TorqueMaps(NamedTuple):
    """What follows from torques while contacts stay.

    Attributes:
        force: zeta (3 nc,), N.
        acceleration: eta (nv,), m/s^2 and rad/s^2.
        held: (3 nc,) m/s^2: the nearest to b that J a can be.
        inconsistent: (3 nc,) m/s^2: what of b is out of reach; 0 unless contacts contradict each other.
    """

    force: AffineMap
    acceleration: AffineMap
    held: Array
    inconsistent: Array

    def solution(self) -> tuple[Array, Array]:
        """(n,) the least (a, tau, lambda), and (n, d) an orthonormal basis of all others less this one.

        [Ratliff2014] (13). The null space is filled by torques and by forces that no torque changes; a QR decomposition
        makes it orthonormal.
        """
        zeta, eta = self.force, self.acceleration
        nv, joints, k = len(eta.offset), eta.matrix.shape[1], zeta.free.shape[1]
        still = np.zeros((nv + joints, k))
        directions = np.hstack([np.vstack([eta.matrix, np.eye(joints), zeta.matrix]), np.vstack([still, zeta.free])])
        V = np.linalg.qr(directions)[0]
        point = np.concatenate([eta.offset, np.zeros(joints), zeta.offset])
        return point - V @ (V.T @ point), V


def torque_maps(M: Array, h: Array, J: Array, b: Array, dofs: NDArray[np.int64]) -> TorqueMaps:
    """Solve M a + h = S'tau + J'lambda, J a = b for forces and accelerations.

    Args:
        M: (nv, nv) inertia.
        h: (nv,) bias, N and N m.
        J: (k, nv), of any rank.
        b: (k,) m/s^2; what is not in the range of J is left out.
        dofs: (joints,) which velocities have a motor.
    """
    nv, joints = len(h), len(dofs)
    S = np.zeros((nv, joints))
    S[dofs, range(joints)] = 1.0
    # Rows of J alone decide the rank: J M^-1 J' has that of J, whatever the masses.
    by_row = split(J)
    held = by_row.left @ (by_row.left.T @ b)
    inconsistent = b - held
    if np.abs(inconsistent).max(initial=0.0) <= CONSISTENT * np.abs(b).max(initial=0.0):
        inconsistent = np.zeros_like(b)
    L = np.linalg.cholesky(M)

    def divide(x: Array) -> Array:
        return scipy.linalg.cho_solve((L, True), x)

    # [Ratliff2014] (8), (9), (11): (J M^-1 J') lambda = b + J M^-1 (h - S'tau), on the range of J.
    core = _Pseudoinverse(by_row, scipy.linalg.solve_triangular(L, J.T, lower=True).T)
    zeta = AffineMap(-core(J @ divide(S)), core(held + J @ divide(h)), by_row.left_null, UNLOADED)
    # [Ratliff2014] (14): a = M^-1 (S'tau + J'zeta(tau) - h); J' takes open forces to zero.
    size = float(np.linalg.norm(divide(S), 2)) if joints else 0.0
    eta = AffineMap(divide(S + J.T @ zeta.matrix), divide(J.T @ zeta.offset - h), np.zeros((nv, 0)), size)
    return TorqueMaps(zeta, eta, held, inconsistent)


class _Pseudoinverse:
    """x -> (W W')^+ x for x in the range of W, which is that of J."""

    def __init__(self, by_row: Split, W: Array) -> None:
        self.left = by_row.left
        self.inner = split(by_row.left.T @ W, tolerance=0.0)

    def __call__(self, x: Array) -> Array:
        U, sizes = self.inner.left, self.inner.sizes
        y = U.T @ (self.left.T @ x)
        return self.left @ (U @ (y / (sizes**2 if x.ndim == 1 else sizes[:, None] ** 2)))
