"""Contact with Coulomb friction as a problem of its own, and as a linear complementarity problem.

Velocities at the contacts are affine in the impulses, `c = G f + c0` with `G = W W'`, and per contact
(docs/one_problem.md)

    0 <= f_n  perp  c_n + gap_rate >= 0
    f_t minimises c_t'f_t over mu f_n conv(D)              closed contacts; an open contact has f_t = 0

with D the k edge directions `(cos, sin)(2 pi j / k)`, or the unit disc for the exact cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.solvers.problem import LinearComplementarity

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """Contacts of a multibody with nu free velocities, in coordinates where its inertia is the identity.

    Attributes:
        W: (3n, nu) rows of the contact Jacobian times the inverse Cholesky factor; contact i has rows 3i (normal),
            3i + 1, 3i + 2 (tangents) [1/sqrt(kg)].
        c0: (3n,) contact velocities without impulses [m/s].
        gap_rate: (n,) max(gap, 0) / dt [m/s].
        mu: (n,) friction coefficients, infinity allowed.
        closed: (n,) contacts that touch; the others have a normal row only.
    """

    W: Array
    c0: Array
    gap_rate: Array
    mu: Array
    closed: NDArray[np.bool_]

    def __post_init__(self) -> None:
        mu = checks.array("mu", self.mu, (None,), finite=False)
        n = len(mu)
        for i in range(n):
            checks.friction(f"mu[{i}]", float(mu[i]))
        gap_rate = checks.array("gap_rate", self.gap_rate, (n,))
        if (gap_rate < 0).any():
            i = int(np.argmax(gap_rate < 0))
            raise InputError(f"gap_rate[{i}]: expected a number of at least 0, got {gap_rate[i]:g}")
        closed = np.ascontiguousarray(self.closed)
        if closed.dtype != np.bool_ or closed.shape != (n,):
            raise InputError(f"closed: expected {n} booleans, got {closed.dtype} of shape {closed.shape}")
        values = {"W": checks.array("W", self.W, (3 * n, None)), "c0": checks.array("c0", self.c0, (3 * n,))}
        for name, value in {**values, "gap_rate": gap_rate, "mu": mu, "closed": closed}.items():
            object.__setattr__(self, name, value)

    @property
    def size(self) -> int:
        """Number of contacts n."""
        return len(self.mu)

    @cached_property
    def G(self) -> Array:
        """(3n, 3n) contact velocity per impulse, W W' [1/kg]."""
        return self.W @ self.W.T

    def velocity(self, f: Any) -> Array:
        """Return the contact velocities c = W (W'f) + c0 (3n,) under impulses f (3n,) [N s]."""
        return self.W @ (self.W.T @ checks.array("f", f, (3 * self.size,))) + self.c0

    def lcp(self, edges: int = 4) -> LinearComplementarity:
        """Return the problem in z = (f_n of all contacts, beta and lam of the closed ones).

        `M = [[Gnn, GnD, 0], [GDn, GDD, E], [mu, -E', 0]]`, `q = (c0_n + gap_rate, D'c0_t, 0)`.
        """
        if np.isinf(self.mu[self.closed]).any():
            i = int(np.flatnonzero(self.closed & np.isinf(self.mu))[0])
            raise InputError(f"mu[{i}]: expected a finite number, infinite friction has no linear complementarity form")
        P = self._edge_rows(edges)
        n, m = self.size, int(self.closed.sum())
        k = edges * m
        E = np.kron(np.eye(m), np.ones((edges, 1)))
        M = np.zeros((n + k + m, n + k + m))
        V = P @ self.W
        M[: n + k, : n + k] = V @ V.T
        M[n : n + k, n + k :] = E
        M[n + k :, :n] = np.diag(np.where(self.closed, self.mu, 0.0))[self.closed]
        M[n + k :, n : n + k] = -E.T
        q = np.zeros(n + k + m)
        q[: n + k] = P @ self.c0
        q[:n] += self.gap_rate
        return LinearComplementarity(M, q)

    def impulses(self, z: Any, edges: int = 4) -> Array:
        """Return the impulses f (3n,) that belong to a solution z of `lcp(edges)`."""
        rows = self._edge_rows(edges)
        z = checks.array("z", z, (len(rows) + int(self.closed.sum()),))
        return rows.T @ z[: len(rows)]

    @cached_property
    def effective_mass(self) -> Array:
        """(n,) mass that a contact feels [kg]: one over the mean diagonal of its block of G (normal only if open).

        A contact that no impulse moves gets the largest of the others, or 1 kg.
        """
        diagonal = np.einsum("ij,ij->i", self.W, self.W).reshape(-1, 3)
        mobility = np.where(self.closed, diagonal.mean(axis=1), diagonal[:, 0])
        smallest = mobility[mobility > 0].min(initial=np.inf)
        return 1.0 / np.where(mobility > 0, mobility, smallest if np.isfinite(smallest) else 1.0)

    def residual(self, f: Any, edges: int | None = 4) -> float:
        """Return how far impulses f are from Coulomb's law, computed from f and c = W W'f + c0 alone.

        Impulses and velocities become comparable in units of sqrt(energy): with `m_i` the contact's effective mass, an
        impulse is divided by sqrt(m_i) and a velocity multiplied by it. In these units the violation is the largest of

            |min(f_n, c_n + gap_rate)|                  unilateral contact and its complementarity
            |f_t - P(f_t - c_t)|                        friction; P projects onto mu max(f_n, 0) conv(D)
            |f_t|                                       at open contacts
            min(|c_t|, |f|)                             at infinite friction; |f_t| if it comes without f_n

        divided by the largest |c0| (by 1 if all are zero). It is zero exactly where the law holds.

        Args:
            f: (3n,) impulses [N s].
            edges: edges of the friction pyramid, or None for the exact cone.
        """
        if self.size == 0:
            return 0.0
        root = np.sqrt(self.effective_mass)[:, None]
        impulse = checks.array("f", f, (3 * self.size,), finite=False).reshape(-1, 3) / root
        if not np.isfinite(impulse).all():
            return np.inf
        velocity = self.velocity(f).reshape(-1, 3) * root
        worst = np.abs(np.minimum(impulse[:, 0], velocity[:, 0] + self.gap_rate * root[:, 0])).max()
        friction = np.linalg.norm(impulse[:, 1:], axis=1)
        for i in np.flatnonzero(self.closed):
            if np.isinf(self.mu[i]):
                if impulse[i, 0] > 1e-9 * friction[i]:
                    friction[i] = min(np.linalg.norm(velocity[i, 1:]), np.linalg.norm(impulse[i]))
                continue
            target = impulse[i, 1:] - velocity[i, 1:]
            nearest = project_on_pyramid(target, self.mu[i] * max(impulse[i, 0], 0.0), edges)
            friction[i] = np.linalg.norm(impulse[i, 1:] - nearest)
        scale = np.abs(self.c0.reshape(-1, 3) * root).max()
        return float(max(worst, friction.max()) / (scale if scale > 0 else 1.0))

    def _edge_rows(self, edges: int) -> Array:
        """(n + k m, 3n): picks normals of all contacts, then edge directions of the closed ones, out of (3n,)."""
        D = edge_directions(edges)
        rows = [np.eye(3 * self.size)[::3]]
        for i in np.flatnonzero(self.closed):
            block = np.zeros((edges, 3 * self.size))
            block[:, 3 * i + 1 : 3 * i + 3] = D
            rows.append(block)
        return np.concatenate(rows)


def edge_directions(edges: int) -> Array:
    """Return the (k, 2) edges (cos, sin)(2 pi j / k) of a friction pyramid; opposite edges are exact negatives."""
    if isinstance(edges, bool) or not isinstance(edges, int | np.integer) or edges < 4 or edges % 2:
        raise InputError(f"edges: expected an even number of at least 4, got {edges!r}")
    angle = 2 * np.pi * np.arange(edges // 2) / edges
    half = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    half[np.abs(half) < 1e-15] = 0.0
    return np.concatenate([half, -half])


def project_on_pyramid(point: Array, radius: float, edges: int | None) -> Array:
    """Project a point (2,) onto the disc of this radius or onto the polygon inscribed in it."""
    if edges is None:
        distance = np.linalg.norm(point)
        return point if distance <= radius else point * (radius / distance)
    corners = radius * edge_directions(edges)
    sides = np.roll(corners, -1, axis=0) - corners
    relative = point - corners
    inside = sides[:, 0] * relative[:, 1] - sides[:, 1] * relative[:, 0]
    if (inside >= 0).all() and radius > 0:
        return point
    # The side farthest behind the point: near a corner the distances themselves differ by less than their rounding.
    side = int(np.argmin(inside))
    length = sides[side] @ sides[side]
    along = sides[side] @ relative[side] / (length if length > 0 else 1.0)
    return corners[side] + min(max(along, 0.0), 1.0) * sides[side]
