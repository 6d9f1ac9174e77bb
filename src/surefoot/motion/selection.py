"""Of all solutions of a small Coulomb problem, the one nearest to the last [Zapolsky2015, algorithm 3]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.step import apply
from surefoot.motion.workspace import Workspace
from surefoot.solvers.all_solutions import nearest_solution
from surefoot.solvers.contact_problem import ContactProblem

Array = NDArray[np.float64]


class Selection:
    """Remembers impulses by the two bodies that touch, and replaces a solution by the one nearest to them."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, int, int], Array] = {}

    def choose(self, space: Workspace) -> None:
        """Put the nearest solution of the problem just solved into the workspace; at first nearest to no impulse."""
        step, n, nu = space.step, space.count, space.free_count
        kind = step.rows.kind[:n]
        if space.bilateral_count or (kind == BOX).any():
            what = "loops" if space.bilateral_count else "dry joint friction or torque limits"
            raise InputError(f"select: 'nearest' cannot be had with {what}; leave it out")
        keys = self._keys(space)
        reference = np.concatenate([self._last.get(key, np.zeros(3)) for key in keys]) if keys else np.zeros(0)
        problem = ContactProblem(
            np.ascontiguousarray(step.reduced.W[: 3 * n, :nu]),
            step.reduced.c0[: 3 * n].copy(),
            step.offset[:n].copy(),
            step.rows.mu[:n].copy(),
            kind == CONE,
        )
        nearest = nearest_solution(problem, reference, edges=len(step.edges))
        if nearest is not None:
            step.f[: 3 * n] = nearest.f
            apply(space.box, n, nu)
        self._last = {key: step.f[3 * i : 3 * i + 3].copy() for i, key in enumerate(keys)}

    @staticmethod
    def _keys(space: Workspace) -> list[tuple[int, int, int]]:
        """Which two geoms a block belongs to, and the how-manieth of theirs it is."""
        seen: dict[tuple[int, int], int] = {}
        keys = []
        for first, second in space.step.rows.source[: space.count].tolist():
            seen[first, second] = seen.get((first, second), -1) + 1
            keys.append((first, second, seen[first, second]))
        return keys
