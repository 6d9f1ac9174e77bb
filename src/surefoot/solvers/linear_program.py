"""Linear programs over rows with bounds: many objectives, one warm basis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels import simplex as kernel
from surefoot.kernels import status as codes

Array = NDArray[np.float64]

OPTIONS = kernel.SimplexOptions()

ROUNDING = 1e-13
"""Offsets that are all smaller, of rows and columns of size 1, are what is left of zero."""

NOTHING = 1e-9
"""An offset of a row without entries that counts as zero."""


class Extremum(NamedTuple):
    """What a linear program found.

    Attributes:
        status: "optimal", "unbounded", "empty" or "undecided".
        x: (n,) where; of an unbounded one a point on the way, of an empty one NaN.
        value: objective there; inf if unbounded, -inf if empty, NaN if undecided.
    """

    status: str
    x: Array
    value: float


class LinearProgram:
    """Maximise c'x over `rows x >= offset` and `equal x = value`, for one c after another.

    Rows and columns are scaled to size 1 and a usual offset to 1, so that tolerances mean the same in all units.
    """

    def __init__(self, rows: Array, offset: Array, equal: Array, value: Array) -> None:
        """Take (q, n) rows, (q,) offset, (p, n) equal, (p,) value, all finite."""
        A, b = np.vstack([rows, equal]), np.concatenate([offset, value])
        self.n, self.q, self.m = A.shape[1], len(rows), len(A)
        largest = np.abs(A).max(axis=0, initial=0.0)
        self.column = 1.0 / np.where(largest > 0, largest, 1.0)
        scaled = A * self.column
        size = np.abs(scaled).max(axis=1, initial=0.0)
        some = size > 0
        self.row = 1.0 / np.where(some, size, 1.0)
        self.unit = _usual(np.abs(b * self.row)[some])
        scaled = np.vstack([scaled * self.row[:, None], np.zeros((1, self.n))])
        self.simplex = kernel.simplex(scaled, np.zeros(self.m + 1))
        self.bound = b * self.row / self.unit
        self.bound[~some & (np.abs(self.bound) <= NOTHING)] = 0.0
        self.simplex.low[self.n : -1] = self.bound
        self.simplex.high[self.n + self.q : -1] = self.bound[self.q :]

    def relax(self, i: int, by: float) -> None:
        """Move the bound of row i out by `by` (scaled); 0 puts it back."""
        self.simplex.low[self.n + i] = self.bound[i] - by

    def active(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows that hold with equality at the corner last found, and coordinates that no row holds (they are 0)."""
        column = np.sort(self.simplex.column)
        return column[column >= self.n] - self.n, column[column < self.n]

    def maximise(self, c: Array) -> Extremum:
        """Maximise c'x, c (n,)."""
        aim = c * self.column
        size = float(np.abs(aim).max(initial=0.0)) or 1.0
        self.simplex.A[-1, :-1] = aim / size
        code = kernel.maximise(self.simplex, self.m, OPTIONS)
        x = self.simplex.x[: self.n] * self.column * self.unit
        if code == codes.SOLVED:
            return Extremum("optimal", x, float(c @ x))
        if code == kernel.UNBOUNDED:
            return Extremum("unbounded", x, np.inf)
        if code == codes.INFEASIBLE:
            return Extremum("empty", np.full(self.n, np.nan), -np.inf)
        return Extremum("undecided", np.full(self.n, np.nan), np.nan)


def _usual(sizes: Array) -> float:
    """The geometric mean of those that are not rounding: a few limits that are far away do not set the scale."""
    counted = sizes[sizes > max(ROUNDING, ROUNDING * sizes.max(initial=0.0))]
    return float(np.exp(np.log(counted).mean())) if len(counted) else 1.0
