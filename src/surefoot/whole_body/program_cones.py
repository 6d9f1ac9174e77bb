"""Least squares within inequalities and second-order cones, by Clarabel (extra `cones`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surefoot.errors import InputError
from surefoot.whole_body.program_least import Least, exchange

Array = NDArray[np.float64]

TIGHT, MOST_STEPS = 1e-13, 300
FAINT = 1e-4


def load_clarabel() -> Any:
    """The module, or an InputError with the line that installs it."""
    try:
        import clarabel
    except ImportError:
        raise InputError(
            "solver: 'clarabel' needs Clarabel, which is not installed: pip install 'surefoot[cones]'"
        ) from None
    return clarabel


def least_squares_cones(A: Array, c: Array, R: Array, r: Array, C: Array, d: Array) -> Least | None:
    """A minimiser of |A y - c| with R y + r >= 0 and each C[i] y + d[i] in the cone |last two| <= first.

    Args:
        A: (k, n).
        c: (k,).
        R: (m, n).
        r: (m,).
        C: (q, 3, n).
        d: (q, 3).

    Returns:
        The multipliers are (m + 3 q,). None if nothing satisfies the rows.
    """
    size = float(np.linalg.norm(A, 2)) if A.size else 0.0
    A, c = A / (size or 1.0), c / (size or 1.0)
    lengths = np.linalg.norm(R, axis=1)
    lengths[lengths == 0.0] = 1.0
    rows, offset = R / lengths[:, None], r / lengths
    found = _best(_tries(A, c, rows, offset, C, d))
    if found is None:
        return None
    y, push, room = found
    if not len(C):  # an interior point is near the rows that it presses against; the exact answer is on them
        pressed = push > room * max(float(push.max(initial=0.0)), 1e-300)
        return exchange(A, c, R, r, y, np.flatnonzero(pressed).tolist(), size or 1.0)
    push = size**2 * _pushing(push, room, len(r))
    push[: len(r)] /= lengths
    return Least(y, push)


class _Point(NamedTuple):
    """Where an interior point method ended: y, multipliers and room of all rows."""

    y: Array
    push: Array
    room: Array


def _best(tries: Iterable[tuple[_Point | None, float]]) -> _Point | None:
    """The first point that is one of a solution, else the one that is nearest to it."""
    best, least = None, np.inf
    for point, gap in tries:
        if point is not None and gap < least:
            best, least = point, gap
        if least == 0.0:
            break
    return best


def _tries(A: Array, c: Array, R: Array, r: Array, C: Array, d: Array) -> Iterator[tuple[_Point | None, float]]:
    """Points and their gaps: of the problem as it is, then as a least distance, then with a little more room.

    The least distance |u| with y = best + U u has the faint weight of all y in it, and the unit of the worst violation.
    """
    k, n = A.shape
    # Variables (y, s) with A y - s = c: |s|^2 is least, and no condition is squared.
    P = sparse.diags(np.r_[np.zeros(n), np.ones(k)], format="csc")
    equal = np.hstack([A, -np.eye(k)])
    yield _interior(P, equal, c, _wide(R, k), r, _wide(C, k), d, lambda x: x[:n])
    stacked = np.vstack([A, FAINT * np.eye(n)])
    Q, T = np.linalg.qr(stacked)
    U = np.linalg.inv(T)
    best = U @ (Q[:k].T @ c)
    least = R @ best + r
    unit = max(float(-least.min(initial=0.0)), 1e-9)
    P, none = sparse.eye(n, format="csc"), np.zeros((0, n))
    for room in (0.0, 1e-10):
        point, gap = _interior(P, none, np.zeros(0), R @ U, (least + room) / unit, C @ U, (C @ best + d) / unit,
                               lambda x: best + U @ (unit * x))  # fmt: skip
        if point is not None:
            point = point._replace(push=unit * point.push, room=unit * point.room)
        yield point, gap


def _wide(rows: Array, k: int) -> Array:
    """Rows with k more columns of zeros."""
    return np.concatenate([rows, np.zeros((*rows.shape[:-1], k))], axis=-1)


def _interior(
    P: Any, A: Array, c: Array, R: Array, r: Array, C: Array, d: Array, y_of: Callable[[Array], Array]
) -> tuple[_Point | None, float]:
    """Min 1/2 x'P x with A x = c by Clarabel; the gap is 0 if solved; None comes if nothing satisfies the rows."""
    clarabel = load_clarabel()
    k, n = A.shape
    C_rows = C.reshape(-1, n)
    rows = np.vstack([A, -R, -C_rows])
    right = np.concatenate([c, r, d.ravel()])
    cones = [clarabel.ZeroConeT(k), clarabel.NonnegativeConeT(len(r))]
    cones += [clarabel.SecondOrderConeT(3)] * len(C)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = MOST_STEPS
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TIGHT
    settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-10
    found = clarabel.DefaultSolver(P, np.zeros(n), sparse.csc_matrix(rows), right, cones, settings).solve()
    x = np.array(found.x)
    if "Infeasible" in str(found.status) or not np.isfinite(x).all():
        return None, np.inf
    gap = 0.0 if str(found.status) == "Solved" else abs(found.obj_val - found.obj_val_dual)
    return _Point(y_of(x), np.array(found.z[k:]), np.array(found.s[k:])), gap


def _pushing(multipliers: Array, room: Array, rows: int) -> Array:
    """Multipliers of an interior point, with zeros for the rows that have more room than push, both of their largest."""
    largest = max(float(np.abs(multipliers).max(initial=0.0)), 1e-300)
    idle = multipliers[:rows] / largest < room[:rows]
    return np.concatenate([np.where(idle, 0.0, multipliers[:rows]), multipliers[rows:]])
