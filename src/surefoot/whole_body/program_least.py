"""Least squares within inequalities, as exactly as floating point allows: min |A y - c| with R y + r >= 0.

DAQP finds which rows are active, on a least-distance problem without squared condition; the answer is then the exact
solution on these rows, which are exchanged until every condition of optimality holds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import daqp
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from surefoot.whole_body.affine import split

Array = NDArray[np.float64]

FAINT = (1e-5, 1e-3, 1e-1)
"""Of the largest singular value: pull towards the last point of what nothing weighs, which fades as steps are repeated;
more if DAQP fails on less."""
MOST_STEPS, MOST_EXCHANGES = 40, 400
SETTLED, TOUCHING = 1e-13, 1e-11


class Least(NamedTuple):
    """A minimiser (n,), and the multiplier (m,) of each row."""

    y: Array
    multipliers: Array


def least_squares(A: Array, c: Array, R: Array, r: Array) -> Least | None:
    """A minimiser of |A y - c| with R y + r >= 0, of those the one near zero; None if no y satisfies the rows."""
    n = A.shape[1]
    free = split(A).solve(c) if A.size else np.zeros(n)
    if (R @ free + r >= -TOUCHING * np.linalg.norm(R, axis=1)).all():
        return Least(free, np.zeros(len(r)))
    real, rows, offset = _normal(R, r)
    if (r[~real] < -1e-9).any():
        return None
    for faint in FAINT:
        found = _proximal(A, c, rows, offset, faint)
        if found is not None:
            near, working = found
            return exchange(A, c, R, r, near, np.flatnonzero(real)[working].tolist())
    return exchange(A, c, R, r, np.zeros(n), []) if (r >= 0.0).all() else None


def exchange(A: Array, c: Array, R: Array, r: Array, near: Array, working: list[int], unit: float = 1.0) -> Least:
    """The minimiser close to `near`, where about these rows are active.

    Args:
        A: (k, n).
        c: (k,).
        R: (m, n).
        r: (m,).
        near: (n,) a point near it.
        working: rows that are active there.
        unit: what A and c were divided by: multipliers are those of the undivided problem.
    """
    real, rows, offset = _normal(R, r)
    place = np.cumsum(real) - 1
    y, push = _exchange(A, c, rows, offset, near, [int(place[i]) for i in working if real[i]])
    multipliers = np.zeros(len(r))
    multipliers[real] = unit**2 * push / np.linalg.norm(R[real], axis=1)
    return Least(y, multipliers)


def _normal(R: Array, r: Array) -> tuple[NDArray[np.bool_], Array, Array]:
    """Which rows are not zero, and those rows with length one."""
    sizes = np.linalg.norm(R, axis=1)
    real = sizes > 1e-12 * sizes.max(initial=1e-300)
    return real, R[real] / sizes[real, None], r[real] / sizes[real]


def _proximal(A: Array, c: Array, rows: Array, offset: Array, faint: float) -> tuple[Array, list[int]] | None:
    """Near the minimiser, and the rows active there: |T (y - y*)| least, where T'T = A'A + a faint unit matrix."""
    n = A.shape[1]
    largest = float(np.linalg.norm(A, 2)) if A.size else 0.0
    faint *= largest or 1.0
    Q, T = np.linalg.qr(np.vstack([A, faint * np.eye(n)]))
    W = solve_triangular(T, rows.T, trans=1).T
    sizes = np.linalg.norm(W, axis=1)
    W = np.ascontiguousarray(W / sizes[:, None])
    y = np.zeros(n)
    for _ in range(MOST_STEPS):
        best = solve_triangular(T, Q.T @ np.concatenate([c, faint * y]))
        low = -(rows @ best + offset) / sizes
        unit = max(float(low.max(initial=0.0)), 1e-12)
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


def _exchange(A: Array, c: Array, rows: Array, offset: Array, near: Array, working: list[int]) -> tuple[Array, Array]:
    """The exact minimiser and its multipliers; `near` may be off a little at first, and so may rows that touch."""
    largest = float(np.linalg.norm(A, 2)) if A.size else 1.0
    y = on_rows(A, c, rows[working], offset[working], near, largest)
    inside = (rows @ y + offset).min(initial=0.0) >= -TOUCHING * _size(y)
    if not inside or np.linalg.norm(A @ near - c) < (1.0 - 1e-6) * np.linalg.norm(A @ y - c):
        y = near
    for touch in (1e-8, 10 * TOUCHING):
        y, push = _descend(A, c, rows, offset, y, touch, largest)
        held = push > 0.0
        exact = on_rows(A, c, rows[held], offset[held], y, largest)
        if (rows @ exact + offset).min(initial=0.0) >= -TOUCHING * _size(exact):
            push = np.zeros(len(rows))
            push[held] = _pushes(rows[held], A.T @ (A @ exact - c))
            return exact, push
    return y, push


def _descend(
    A: Array, c: Array, rows: Array, offset: Array, y: Array, touch: float, largest: float
) -> tuple[Array, Array]:
    """Straight to the minimiser on the active rows, as far as the others let it, again and again.

    Rows that would have to pull are left, rows that are run into are added, until none of both happens.
    """
    best, best_push, least = y, np.zeros(len(rows)), np.inf
    for _ in range(MOST_EXCHANGES):
        touching = np.flatnonzero(rows @ y + offset <= touch * _size(y))
        gradient = A.T @ (A @ y - c)
        push = np.zeros(len(rows))
        push[touching] = _pushes(rows[touching], gradient)
        left = gradient - rows.T @ push
        size = largest * max(np.linalg.norm(A @ y), np.linalg.norm(c), 1e-300)
        if np.linalg.norm(left) < least:
            best, best_push, least = y, push, np.linalg.norm(left)
        if np.linalg.norm(left) <= SETTLED * size:
            break
        step = _along(A, c, rows, offset, y, push > 0.0, touching, largest)
        if step is None:  # of the rows that touch too many are in the way: the steepest way is free of all
            slope = np.linalg.norm(A @ left)
            if slope <= 1e-12 * largest * np.linalg.norm(left):
                break
            step = -left * (np.linalg.norm(left) / slope) ** 2
        toward, room = rows @ step, np.maximum(rows @ y + offset, 0.0)
        rounding = 1e-11 * np.linalg.norm(step)
        blocking = toward < np.where(np.isin(np.arange(len(rows)), touching), -rounding, 0.0)
        length = float((room[blocking] / -toward[blocking]).min(initial=1.0))
        if length * np.linalg.norm(step) <= 1e-16 * _size(y):
            break
        y = y + length * step
    return best, best_push


def _along(
    A: Array, c: Array, rows: Array, offset: Array, y: Array, held: NDArray[np.bool_], touching: Any, largest: float
) -> Array | None:
    """The step to the minimiser on the rows that push, and on those that touch and would be in its way."""
    held = held.copy()
    for _ in range(len(touching) + 1):
        step = on_rows(A, c, rows[held], offset[held], y, largest) - y
        length = np.linalg.norm(step)
        if length <= 1e-15 * _size(y):
            return None
        toward = rows[touching] @ step
        toward[held[touching]] = 0.0
        worst = int(np.argmin(toward)) if len(toward) else -1
        if worst < 0 or toward[worst] >= -1e-12 * length:
            return step
        held[touching[worst]] = True
    return None


def _pushes(rows: Array, gradient: Array) -> Array:
    """Multipliers, none negative, that hold the gradient as well as they can."""
    size = np.linalg.norm(gradient)
    if not len(rows) or size == 0.0:
        return np.zeros(len(rows))
    return nnls(rows.T, gradient / size, maxiter=100 * len(rows))[0] * size


def _size(y: Array) -> float:
    return max(1.0, float(np.abs(y).max(initial=0.0)))


def on_rows(A: Array, c: Array, rows: Array, offset: Array, near: Array, largest: float) -> Array:
    """The minimiser of |A y - c| with rows y + offset = 0 that is nearest to `near`."""
    held = split(rows)
    y = near - held.solve(rows @ near + offset)
    within = held.right_null
    y = y + within @ split(A @ within, scale=largest).solve(c - A @ y)
    return y - held.solve(rows @ y + offset)
