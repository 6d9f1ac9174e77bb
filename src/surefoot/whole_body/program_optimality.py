"""Whether a point is the optimum of a task program, from the problem alone: what is left of each level's gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from surefoot.whole_body.program_levels import PUSH, Reduced, left_open
from surefoot.whole_body.program_parts import Cones

if TYPE_CHECKING:
    from surefoot.whole_body.program import Program

Array = NDArray[np.float64]

TOUCHING, TOUCHING_CONE = 1e-7, 1e-5
"""In a limit's scale: what has less room can push. Cones are round, so an interior point is not quite on them."""


def stationarity(program: Program, reduced: Reduced, x: Array, give: dict[str, float]) -> list[float]:
    """By level the part of its gradient that no limit which is reached holds, relative to what it is made of.

    Args:
        program: the problem.
        reduced: the same without equalities.
        x: (n,) the point.
        give: by name of a limit how far it gave way.
    """
    scale = program.variables.scale
    y: Any = np.linalg.lstsq(reduced.basis / scale[:, None], (x - reduced.start) / scale, rcond=None)[0]
    allowed = np.array([give.get(name, 0.0) / s for name, s in _named(program, cones=False)])
    touching = reduced.R @ y + reduced.r + allowed < TOUCHING
    R = np.vstack([reduced.R[touching], _touching_cones(program, reduced, y, give)])
    open_ = np.eye(len(y))
    found = []
    for D, e in reduced.levels:
        gradient = open_.T @ (D.T @ (D @ y - e))
        size = np.linalg.norm(D) * max(np.linalg.norm(D @ y), np.linalg.norm(e), 1e-6 * np.linalg.norm(D))
        push = np.zeros(len(R))
        left = gradient
        if len(R) and open_.shape[1] and np.linalg.norm(gradient) > 1e-13 * size:
            unit = np.linalg.norm(gradient)
            push = nnls((R @ open_).T, gradient / unit, maxiter=100 * max(R.shape))[0] * unit
            left = gradient - (R @ open_).T @ push
        found.append(float(np.linalg.norm(left) / (size or 1.0)))
        open_ = left_open(D, R, np.where(push * np.linalg.norm(R @ open_, axis=1) > PUSH * size, push, 0.0), open_)
    return found


def _named(program: Program, *, cones: bool) -> list[tuple[str, float]]:
    families = [family for family in program.inequalities if isinstance(family, Cones) == cones]
    return [(name, s) for family in families for name, s in zip(family.names, family.scale, strict=True)]


def _touching_cones(program: Program, reduced: Reduced, y: Array, give: dict[str, float]) -> Array:
    """Rows along which cones push: one where the cone is smooth, many at its tip."""
    rows = [np.zeros((0, len(y)))]
    for (name, scale), C, d in zip(_named(program, cones=True), reduced.C, reduced.d, strict=True):
        at = C @ y + d + [give.get(name, 0.0) / scale, 0.0, 0.0]
        length = np.linalg.norm(at[1:])
        if at[0] - length >= TOUCHING_CONE:
            continue
        if length > TOUCHING_CONE:
            rows.append((C[0] - at[1:] @ C[1:] / length)[None])
        else:
            angles = 2 * np.pi * np.arange(360) / 360
            rows.append(C[0] + np.stack([np.cos(angles), np.sin(angles)], axis=1) @ C[1:])
    return np.vstack(rows)
