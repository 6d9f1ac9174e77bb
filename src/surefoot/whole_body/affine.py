"""Maps y = matrix x + offset, with what they leave open, and the sets of points that such maps fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks

Array = NDArray[np.float64]

RANK = 1e-9
"""Singular values below this share of the largest count as zero."""


@dataclass(frozen=True, eq=False)
class AffineMap:
    """y = matrix x + offset + free z, for any z.

    Attributes:
        matrix: (m, n).
        offset: (m,) the value at x = 0.
        free: (m, k) orthonormal columns: directions of y that x does not determine; k is 0 if it determines all.
        size: of what the matrix was computed from; what is smaller by far is rounding.
    """

    matrix: Array
    offset: Array
    free: Array
    size: float = 0.0

    def __call__(self, x: Any, z: Any = None) -> Array:
        """(m,) the value at x (n,); of those that are open the one of z (k,), by default the one of least norm."""
        y = self.matrix @ checks.array("x", x, (self.matrix.shape[1],)) + self.offset
        return y if z is None else y + self.free @ checks.array("z", z, (self.free.shape[1],))

    @property
    def rank(self) -> int:
        """Of the matrix: how many directions of y answer to x."""
        return len(split(self.matrix, scale=self.size).sizes)


class AffineSet(NamedTuple):
    """All origin + directions w: (m,) and (m, k) with orthonormal columns."""

    origin: Array
    directions: Array

    def project(self, y: Array) -> Array:
        """(m,) the nearest point of the set."""
        return self.origin + self.directions @ (self.directions.T @ (y - self.origin))

    def distance(self, y: Array) -> float:
        """How far y is from the set."""
        return float(np.linalg.norm(y - self.project(y)))


class Split(NamedTuple):
    """A matrix (m, n) of rank r by its singular values: left diag(sizes) right', and its two null spaces."""

    left: Array  # (m, r)
    sizes: Array  # (r,)
    right: Array  # (n, r)
    left_null: Array  # (m, m - r)
    right_null: Array  # (n, n - r)

    def solve(self, y: Array) -> Array:
        """The least x that brings matrix x nearest to y."""
        return self.right @ ((self.left.T @ y) / (self.sizes if y.ndim == 1 else self.sizes[:, None]))


def split(matrix: Array, tolerance: float = RANK, scale: float = 0.0) -> Split:
    """Singular values of a matrix, those below `tolerance` times the largest, or times `scale`, left out.

    Args:
        matrix: (m, n).
        tolerance: relative.
        scale: size of what the matrix was computed from, if that may have cancelled.
    """
    if matrix.size:
        U, sizes, Vt = np.linalg.svd(matrix, full_matrices=True)
    else:
        U, sizes, Vt = np.eye(len(matrix)), np.zeros(0), np.eye(matrix.shape[1])
    r = int((sizes > tolerance * max(sizes.max(initial=0.0), scale)).sum())
    return Split(U[:, :r], sizes[:r], Vt[:r].T, U[:, r:], Vt[r:].T)
