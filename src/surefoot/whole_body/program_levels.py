"""Strict priorities: levels are solved one after another, each within what the ones before leave open.

Equalities are eliminated first, by an orthonormal null space: x = start + basis y. A level's optimum is kept by going on
along what neither moves its rows nor the limits that press against it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.whole_body.affine import split
from surefoot.whole_body.program_least import Least
from surefoot.whole_body.program_parts import Cones, Inequalities

if TYPE_CHECKING:
    from surefoot.whole_body.program import Program

Array = NDArray[np.float64]
Backend = Callable[[Array, Array, Array, Array, Array, Array], Least | None]

ROUNDING = 1e-9
"""In a limit's scale: what is violated by less holds."""
PUSH = 1e-9
"""Of what a level's gradient is made of: a limit with a smaller multiplier does not push."""


class Reduced(NamedTuple):
    """A program without its equalities: rows over y, and limits in units of their scales."""

    start: Array  # (n,)
    basis: Array  # (n, k), columns orthonormal in the variables' scales
    levels: list[tuple[Array, Array]]  # D, e with roots of weights
    R: Array  # (m, k)
    r: Array  # (m,)
    C: Array  # (q, 3, k)
    d: Array  # (q, 3)

    def at(self, y: Array) -> Array:
        """(n,) the variables."""
        return self.start + self.basis @ y


class Found(NamedTuple):
    """What levels came to: y, how much limits and cones give way (in their scales), multipliers a level."""

    y: Array
    give: Array
    give_cones: Array
    multipliers: list[Array]


def reduce(program: Program) -> Reduced:
    """Eliminate the equalities."""
    scale = program.variables.scale
    n = len(scale)
    A = np.vstack([np.zeros((0, n)), *(rows.matrix * scale for rows in program.equalities)])
    b = np.concatenate([np.zeros(0), *(rows.right for rows in program.equalities)])
    sizes = np.linalg.norm(A, axis=1)
    sizes[sizes == 0.0] = 1.0
    A, b = A / sizes[:, None], b / sizes
    parts = split(A)
    z = parts.solve(b)
    z += parts.solve(b - A @ z)
    start, basis = scale * z, scale[:, None] * parts.right_null
    levels = []
    for level in program.levels:
        roots = [np.sqrt(block.weight) for block in level]
        matrix = np.vstack([root[:, None] * block.matrix for root, block in zip(roots, level, strict=True)])
        right = np.concatenate([root * block.right for root, block in zip(roots, level, strict=True)])
        levels.append((matrix @ basis, right - matrix @ start))
    rows = [family for family in program.inequalities if isinstance(family, Inequalities)]
    cones = [family for family in program.inequalities if isinstance(family, Cones)]
    G = np.vstack([np.zeros((0, n)), *(family.matrix / family.scale[:, None] for family in rows)])
    g = np.concatenate([np.zeros(0), *(family.offset / family.scale for family in rows)])
    K = np.concatenate([np.zeros((0, 3, n)), *(one.matrices / one.scale[:, None, None] for one in cones)])
    return Reduced(start, basis, levels, G @ basis, g + G @ start, K @ basis, K @ start)


def solve_levels(program: Reduced, backend: Backend) -> Found | None:
    """All levels, then the least y of all that is left; None if the backend finds nothing.

    If limits contradict each other, the closest program: each gives way as `closest` says.
    """
    found = _levels(program, backend, np.zeros(program.basis.shape[1]), np.eye(program.basis.shape[1]))
    if found is not None:
        return Found(found[0], np.zeros(len(program.r)), np.zeros(len(program.d)), found[1])
    near = closest(program, backend)
    if near is None:
        return None
    y, give, give_cones = near
    pressed = give > ROUNDING  # what gives way holds exactly then: to give less is to give more elsewhere
    open_ = split(program.R[pressed]).right_null
    d = program.d.copy()
    d[:, 0] += give_cones + ROUNDING * (give_cones > 0.0)
    relaxed = program._replace(r=program.r + give, d=d)
    found = _levels(relaxed, backend, y, open_)
    return None if found is None else Found(found[0], give * pressed, give_cones * (give_cones > ROUNDING), found[1])


def closest(program: Reduced, backend: Backend) -> tuple[Array, Array, Array] | None:
    """The y of least sum of squared violations, each in its scale, and the violations of limits and cones."""
    m, q, k = len(program.r), len(program.d), program.basis.shape[1]
    A = np.hstack([np.zeros((m + q, k)), np.eye(m + q)])
    R = np.hstack([program.R, np.eye(m, m + q)])
    C = np.concatenate([program.C, np.zeros((q, 3, m + q))], axis=2)
    C[np.arange(q), 0, k + m + np.arange(q)] = 1.0
    found = backend(A, np.zeros(m + q), R, program.r, C, program.d)
    if found is None:
        return None
    give = np.maximum(found.y[k:], 0.0)
    return found.y[:k], give[:m], give[m:]


def _levels(program: Reduced, backend: Backend, y: Array, open_: Array) -> tuple[Array, list[Array]] | None:
    """Levels from y along the columns of `open_`. Returns y and the multipliers of each."""
    multipliers = []
    for D, e in program.levels:
        step = _step(program, backend, D, e, y, open_)
        if step is None:
            return None
        y = y + open_ @ step.y
        multipliers.append(step.multipliers)
        open_ = left_open(D, program.R, step.multipliers[: len(program.r)], open_)
    rest = _step(program, backend, np.eye(len(y)), np.zeros(len(y)), y, open_)
    return None if rest is None else (y + open_ @ rest.y, multipliers)


def left_open(D: Array, R: Array, push: Array, open_: Array) -> Array:
    """What a level leaves open: it moves neither its rows nor a limit that pushes."""
    if not open_.shape[1]:
        return open_
    open_ = open_ @ split(D @ open_, scale=float(np.linalg.norm(D, 2)) if D.size else 0.0).right_null
    pushing = R[push > 0.0]
    return open_ @ split(pushing @ open_, scale=1.0).right_null if len(pushing) and open_.shape[1] else open_


def _step(program: Reduced, backend: Backend, D: Array, e: Array, y: Array, open_: Array) -> Least | None:
    """One level: a step along what is open, and multipliers of all limits and cones."""
    R, r = program.R @ open_, program.R @ y + program.r
    C, d = program.C @ open_, program.C @ y + program.d
    r = np.where(np.abs(r) < ROUNDING, np.maximum(r, 0.0), r)  # what levels before have settled
    sizes = np.linalg.norm(R, axis=1)
    live = (sizes > 1e-9 * np.linalg.norm(program.R, axis=1)) | (r < 0.0)
    if not open_.shape[1]:
        return None if (r < 0.0).any() else Least(np.zeros(0), np.zeros(len(r) + d.size))
    A, c = D @ open_, e - D @ y
    found = backend(A, c, R[live], r[live], C, d)
    if found is None:
        return None
    multipliers = np.zeros(len(r) + d.size)
    push = found.multipliers[: live.sum()]
    faint = PUSH * np.linalg.norm(A) * max(np.linalg.norm(e), np.linalg.norm(D @ y))
    multipliers[: len(r)][live] = np.where(push * sizes[live] > faint, push, 0.0)
    multipliers[len(r) :] = found.multipliers[live.sum() :]
    return Least(found.y, multipliers)
