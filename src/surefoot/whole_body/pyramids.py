"""Friction cones as rows of inequalities, and as edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.solvers.contact_problem import edge_directions

Array = NDArray[np.float64]


def cone_rows(mu: Array, edges: int) -> Array:
    """(m, 3 n) rows A with A f >= 0: the normals push, and friction stays in the pyramid inscribed in its cone.

    Args:
        mu: (n,) friction; at 0 tangents are held at nothing by opposite rows, at inf they are free.
        edges: even, at least 4; the first edge lies along tangent 1.
    """
    n = len(mu)
    corners = edge_directions(edges)
    sides = 0.5 * (corners + np.roll(corners, -1, axis=0))  # a side's nearest point: along its normal, at cos(pi/k)
    sides /= np.linalg.norm(sides, axis=1)[:, None]
    inner = np.cos(np.pi / edges)
    rows = []
    for i in range(n):
        block = np.zeros((1 + (edges if np.isfinite(mu[i]) else 0), 3 * n))
        block[0, 3 * i] = 1.0
        if len(block) > 1:
            block[1:, 3 * i] = mu[i] * inner
            block[1:, 3 * i + 1 : 3 * i + 3] = -sides
        rows.append(block)
    return np.concatenate(rows) if rows else np.zeros((0, 0))


def owner(mu: Array, edges: int) -> list[tuple[int, bool]]:
    """For each row of `cone_rows`: its contact, and whether it is of friction."""
    return [(i, k > 0) for i in range(len(mu)) for k in range(1 + (edges if np.isfinite(mu[i]) else 0))]
