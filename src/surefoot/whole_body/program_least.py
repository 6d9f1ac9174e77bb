"""Least squares within inequalities, as exactly as floating point allows: min |A y - c| with R y + r >= 0.

DAQP finds which rows are active, on a least-distance problem without squared condition; the answer is then the exact
solution on these rows, which are exchanged until every condition of optimality holds.
"""

from __future__ import annotations

from typing import NamedTuple

import daqp
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from surefoot.whole_body.affine import split

Array = NDArray[np.float64]

FAINT = 1e-5
"""Of the largest singular value: pull towards the last point of what nothing weighs; it fades as steps are repeated."""
MOST_STEPS, MOST_EXCHANGES = 40, 60
SETTLED, TOUCHING = 1e-13, 1e-11


class Least(NamedTuple):
    """A minimiser (n,), and the multiplier (m,) of each row."""

    y: Array
    multipliers: Array


def least_squares(A: Array, c: Array, R: Array, r: Array) -> Least | None:
    """A minimiser of |A y - c| with R y + r >= 0, of those the one near zero; None if no y satisfies the rows."""
    n = A.shape[1]
    free = split(A).solve(c) if A.size else np.zeros(n)
    sizes = np.linalg.norm(R, axis=1)
    real = sizes > 1e-12 * sizes.max(initial=1e-300)
    if (r[~real] < -1e-9).any():
        return None
    if (R @ free + r >= -TOUCHING * np.maximum(sizes, 1e-300))[real].all():
        return Least(free, np.zeros(len(r)))
    rows, offset = R[real] / sizes[real, None], r[real] / sizes[real]
    found = _proximal(A, c, rows, offset)
    if found is None:
        return None
    y, working = _exchange(A, c, rows, offset, *found)
    multipliers = np.zeros(len(r))
    if len(working):
        at = np.flatnonzero(real)[working]
        multipliers[at] = split(R[at].T).solve(A.T @ (A @ y - c))
    return Least(y, multipliers)


def _proximal(A: Array, c: Array, rows: Array, offset: Array) -> tuple[Array, list[int]] | None:
    """Near the minimiser, and the rows active there: |T (y - y*)| least, where T'T = A'A + a faint unit matrix."""
    n = A.shape[1]
    largest = float(np.linalg.norm(A, 2)) if A.size else 0.0
    faint = FAINT * (largest or 1.0)
    Q, T = np.linalg.qr(np.vstack([A, faint * np.eye(n)]))
    W = solve_triangular(T, rows.T, trans="T").T
    sizes = np.linalg.norm(W, axis=1)
    W = np.ascontiguousarray(W / sizes[:, None])
    y = np.zeros(n)
    for step in range(MOST_STEPS):
        best = solve_triangular(T, Q.T @ np.concatenate([c, faint * y]))
        low = -(rows @ best + offset) / sizes
        unit = max(float(np.abs(low).max(initial=0.0)), 1e-12)
        u, _, flag, info = daqp.solve(
            np.eye(n), np.zeros(n), W, np.full(len(low), 1e30), low / unit, primal_tol=1e-11, dual_tol=1e-12
        )
        if flag < 1:
            return None
        new = best + solve_triangular(T, unit * u)
        moved, y, working = np.abs(new - y).max(initial=0.0), new, np.flatnonzero(info["lam"]).tolist()
        if moved <= 1e-10 * max(1.0, np.abs(y).max(initial=0.0)):
            break
    return y, working


def _exchange(A: Array, c: Array, rows: Array, offset: Array, y: Array, working: list[int]) -> tuple[Array, list[int]]:
    """The exact minimiser on the active rows; rows enter and leave until none is violated and none pulls."""
    start, first = y, list(working)
    largest = float(np.linalg.norm(A, 2)) if A.size else 1.0
    for _ in range(MOST_EXCHANGES):
        y = on_rows(A, c, rows[working], offset[working], start, largest)
        room = rows @ y + offset
        room[working] = 0.0
        allowed = TOUCHING * max(1.0, np.abs(y).max(initial=0.0))
        worst = int(np.argmin(room)) if len(room) else -1
        if worst >= 0 and room[worst] < -allowed:
            working = [*working, worst]
            continue
        gradient = A.T @ (A @ y - c)
        push = split(rows[working].T).solve(gradient) if working else np.zeros(0)
        if len(push) and push.min() < -1e-10 * max(np.abs(push).max(), np.abs(gradient).max()):
            working = [i for k, i in enumerate(working) if k != int(np.argmin(push))]
            continue
        return y, working
    return start, first


def on_rows(A: Array, c: Array, rows: Array, offset: Array, near: Array, largest: float) -> Array:
    """The minimiser of |A y - c| with rows y + offset = 0 that is nearest to `near`."""
    held = split(rows)
    y = near - held.solve(rows @ near + offset)
    within = held.right_null
    y = y + within @ split(A @ within, scale=largest).solve(c - A @ y)
    return y - held.solve(rows @ y + offset)
