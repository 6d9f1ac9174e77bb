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
CURVATURES = (1e-8, 1e-6, 1e-4)
"""Of what a level leaves open, beside its own; more if DAQP fails on less."""
MOST_STEPS, SETTLED = 50, 1e-12


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
    for k, (A, y) in enumerate([*levels, (np.eye(n), np.zeros(n))]):
        if not open_.shape[1]:
            break
        parts = split(A @ open_, scale=_size(A))
        wanted = y / unit - A @ x
        if scaled is None:
            step = parts.solve(wanted)
        else:
            here = _around(scaled, x, open_, settled=k > 0)
            step = _bounded(parts.left @ (parts.sizes[:, None] * parts.right.T), wanted, here)
        x, open_ = x + open_ @ step, open_ @ parts.right_null
    return unit * x


def _around(bounds: Bounds, x: Array, open_: Array, *, settled: bool) -> Bounds:
    """Bounds of a step from x along the columns of `open_`; once x is `settled`, it may stay, whatever rounding."""
    rows, at = bounds.rows @ open_, bounds.rows @ x
    sizes = np.linalg.norm(rows, axis=1)
    keep = sizes > 1e-9 * np.linalg.norm(bounds.rows, axis=1)  # of what is settled nothing is left but rounding
    low, high = ((side - at)[keep] / sizes[keep] for side in (bounds.low, bounds.high))
    if settled:
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    return Bounds(np.ascontiguousarray(rows[keep] / sizes[keep, None]), low, high)


def _bounded(A: Array, y: Array, bounds: Bounds) -> Array:
    """(n,) some minimiser of |A x - y| within bounds: DAQP's working set, and on it the exact solution."""
    steep = float(np.abs(A.T @ A).max(initial=0.0)) or 1.0
    for curvature in CURVATURES:
        found = _proximal(A.T @ A / steep, -A.T @ y / steep, bounds, curvature)
        if found is not None:
            return _exact(A, y, bounds, *found)
    if (bounds.low <= 0.0).all() and (bounds.high >= 0.0).all():
        return np.zeros(A.shape[1])  # where it is it may stay
    raise SolveError("no forces and torques are within the bounds")


def _proximal(H: Array, g: Array, bounds: Bounds, curvature: float) -> tuple[Array, Array] | None:
    """The minimiser of 1/2 x'Hx + g'x and its multipliers; None if DAQP finds none.

    A little curvature about the last x makes each step unique, and fades as x settles.
    """
    x, curved = np.zeros(len(g)), np.ascontiguousarray(H + curvature * np.eye(len(g)))
    multipliers = np.zeros(len(bounds.low))
    for _ in range(MOST_STEPS):
        new, _, flag, info = daqp.solve(
            curved, g - curvature * x, bounds.rows, bounds.high, bounds.low, primal_tol=PRIMAL
        )
        if flag < 1:
            return None
        moved, x, multipliers = np.abs(new - x).max(initial=0.0), new, info["lam"]
        if moved <= SETTLED * max(1.0, np.abs(x).max(initial=0.0)):
            break
    return x, multipliers


def _exact(A: Array, y: Array, bounds: Bounds, x: Array, multipliers: Array) -> Array:
    """The minimiser on the working set nearest to x, if it is within the bounds; else x."""
    rows, low, high = bounds
    working = np.flatnonzero(multipliers)
    held = split(rows[working])
    there = x + held.solve(np.where(multipliers > 0, high, low)[working] - rows[working] @ x)
    within = held.right_null
    there = there + within @ split(A @ within, scale=_size(A)).solve(y - A @ there)
    past = np.maximum(rows @ there - high, low - rows @ there).max(initial=0.0)
    return there if past <= 100 * PRIMAL else x


def _size(A: Array) -> float:
    return float(np.linalg.norm(A, 2)) if A.size else 0.0
