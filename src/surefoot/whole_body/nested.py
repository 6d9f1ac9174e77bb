"""Least squares in order of importance: each level is solved within what the levels before it leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import daqp
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SolveError
from surefoot.whole_body.affine import split

Array = NDArray[np.float64]

PRIMAL = 1e-10
"""By how much DAQP may miss an inequality, in units of the largest number of the problem."""


class Bounds(NamedTuple):
    """low <= rows x <= high."""

    rows: Array  # (m, n)
    low: Array  # (m,)
    high: Array  # (m,)


def nested_least_squares(levels: Sequence[tuple[Array, Array]], n: int, bounds: Bounds | None = None) -> Array:
    """(n,) the x that brings A_1 x nearest to y_1, of all these A_2 x nearest to y_2, and so on; then of least norm.

    Args:
        levels: pairs A (m, n), y (m,), the most important first.
        n: length of x.
        bounds: hold at every level.

    Raises:
        SolveError: no x is within the bounds.
    """
    sizes = [np.abs(y).max(initial=0.0) for _, y in levels]
    if bounds is not None:
        sizes += [np.abs(side[np.isfinite(side)]).max(initial=0.0) for side in (bounds.low, bounds.high)]
    unit = max(sizes, default=0.0) or 1.0
    scaled = None if bounds is None else Bounds(bounds.rows, bounds.low / unit, bounds.high / unit)
    x, open_ = np.zeros(n), np.eye(n)
    for A, y in [*levels, (np.eye(n), np.zeros(n))]:
        if not open_.shape[1]:
            break
        parts = split(A @ open_, scale=_size(A))
        wanted = y / unit - A @ x
        if scaled is None:
            step = parts.solve(wanted)
        else:
            here = Bounds(scaled.rows @ open_, scaled.low - scaled.rows @ x, scaled.high - scaled.rows @ x)
            step = _bounded(parts.left @ (parts.sizes[:, None] * parts.right.T), wanted, here)
        x, open_ = x + open_ @ step, open_ @ parts.right_null
    return unit * x


def _bounded(A: Array, y: Array, bounds: Bounds) -> Array:
    """(n,) some minimiser of |A x - y| within bounds: DAQP's working set, and on it the exact solution."""
    H, g = A.T @ A, -A.T @ y
    steep = np.abs(H).max(initial=0.0) or 1.0
    keep = np.linalg.norm(bounds.rows, axis=1) > 1e-12  # of what is settled already nothing is left but rounding
    sizes = np.linalg.norm(bounds.rows[keep], axis=1)
    rows, low, high = (
        np.ascontiguousarray(side)
        for side in (bounds.rows[keep] / sizes[:, None], bounds.low[keep] / sizes, bounds.high[keep] / sizes)
    )
    # A little curvature everywhere makes the minimiser unique; the working set is exact, the minimiser is not yet.
    curved = np.ascontiguousarray(H / steep + 1e-9 * np.eye(len(H)))
    # What earlier levels have brought to a bound may be past it by rounding.
    x, _, flag, info = daqp.solve(curved, g / steep, rows, high + PRIMAL, low - PRIMAL, primal_tol=PRIMAL)
    if flag < 1:
        raise SolveError("no forces and torques are within the bounds" if flag == -1 else f"DAQP stopped with {flag}")
    working = np.flatnonzero(info["lam"] != 0.0)
    return _exact(A, y, rows, np.where(info["lam"] > 0, high, low), low, high, x, working)


def _exact(
    A: Array, y: Array, rows: Array, side: Array, low: Array, high: Array, x: Array, working: NDArray[np.int64]
) -> Array:
    """The minimiser on the working set nearest to x, if it is within the bounds; else x."""
    held = split(rows[working])
    there = x + held.solve(side[working] - rows[working] @ x)
    within = held.right_null
    there = there + within @ split(A @ within, scale=_size(A)).solve(y - A @ there)
    past = np.maximum(rows @ there - high, low - rows @ there).max(initial=0.0)
    return there if past <= 100 * PRIMAL else x


def _size(A: Array) -> float:
    return float(np.linalg.norm(A, 2)) if A.size else 0.0
