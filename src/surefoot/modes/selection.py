"""Of all solutions of a Coulomb problem, the one nearest to the last [Zapolsky2015, algorithm 3]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.kernels.plant import BOX
from surefoot.kernels.step import apply
from surefoot.laws.conditions import law_conditions
from surefoot.modes.mode import Mode, inner_point, null_space
from surefoot.modes.step import NOTHING, Step, step_modes
from surefoot.motion.workspace import Workspace
from surefoot.solvers.principal_pivoting import solve_low_rank

Array = NDArray[np.float64]

SOUND = 1e-9
"""Largest violation of the law, relative to the largest contact velocity, that a chosen solution may have."""


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
        if keys:
            reference = np.concatenate([self._last.get(key, np.zeros(3)) for key in keys])
            step.f[: 3 * n] = _nearest(_posed(space), reference / space.dt) * space.dt
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


def _posed(space: Workspace) -> Step:
    """The step just solved, as far as its contacts go."""
    step, n, nu = space.step, space.count, space.free_count
    problem = {
        "W": np.ascontiguousarray(step.reduced.W[: 3 * n, :nu]),
        "c0": step.reduced.c0[: 3 * n].copy(),
        "f": step.f[: 3 * n].copy(),
        "kind": step.rows.kind[:n].copy(),
        "offset": step.offset[:n].copy(),
        "mu": step.rows.mu[:n].copy(),
        "bound": np.zeros(n),
        "edges": step.edges,
        "bilateral": np.zeros((0, len(step.v_next))),
        "prescribed": step.prescribed.copy(),
    }
    names = tuple(f"contact {i + 1}" for i in range(n))
    return Step(problem, "", space.dt, step.v_next, names, n, np.zeros(0, dtype=np.int64), (), solved=True)


def _nearest(step: Step, reference: Array) -> Array:
    """(3n,) the forces of all solutions that are nearest to `reference`; those already found if none keeps the law."""
    near = [nearest_forces(mode, reference) for mode in step_modes(step)]
    sound = [force for force in near if _keeps_the_law(step, force)]
    found = step.problem["f"] / step.dt
    return min(sound, key=lambda force: float(np.linalg.norm(force - reference)), default=found)


def _keeps_the_law(step: Step, force: Array) -> bool:
    """Whether forces (3n,) satisfy every condition of the law, recomputed from the problem."""
    misses = law_conditions({**step.problem, "f": step.dt * force, "dissipative": False})
    return max(misses.values()) <= SOUND


def nearest_forces(mode: Mode, reference: Array) -> Array:
    """(nf,) of all forces of a mode without torques those nearest to `reference` (nf,)."""
    count = mode.ambiguity_variables
    start = mode.respond(NOTHING)[1]
    if count == 0:
        return start
    shape = mode.fibre(NOTHING).reduced()
    ways = np.array([mode.respond(NOTHING, axis)[1] - start for axis in np.eye(count)]).T
    centre, free = inner_point(shape)[0], null_space(shape.equal)
    inside = start + ways @ centre
    Q, R = np.linalg.qr(ways @ free)
    if Q.shape[1] == 0:
        return inside
    # f = inside + Q y with rows y + slack >= 0; least |y - wished|.
    rows = np.linalg.solve(R.T, (shape.rows @ free).T).T
    slack, wished = shape.rows @ centre - shape.offset, Q.T @ (reference - inside)
    unit = max(float(np.abs(wished).max()), float(np.abs(inside).max()), 1e-300)
    step = solve_low_rank(rows * unit, rows @ wished + slack).u * unit
    return inside + Q @ (wished + step)
