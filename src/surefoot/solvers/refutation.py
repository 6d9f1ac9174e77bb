"""Proof by cases that a linear complementarity problem has no solution, where no single certificate exists.

A friction problem may be feasible (some z, w >= 0) and still have no complementary solution. Then every choice of
`z_i = 0` or `w_i = 0` must be refuted. Branching on one pair after another gives a tree; with Z the pairs where z_i = 0
and T those where w_i = 0 on the way to a leaf, a leaf holds y with

    y_i >= 0 (i not in T),   (M'y)_j <= 0 (j not in Z),   q'y < 0

so that y'(M z + q) < 0 for every z >= 0 with z_Z = 0, while w >= 0, w_T = 0 would make it non-negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.solvers.infeasibility import rounding_allowed
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.scaling import equilibrate

Array = NDArray[np.float64]


class Branch(NamedTuple):
    """A case distinction on one pair: what follows from z_i = 0, and what from w_i = 0."""

    index: int
    zero: Branch | Array
    tight: Branch | Array


@dataclass(frozen=True, eq=False)
class Refutation:
    """A tree of cases, each refuted; vectors y belong to the scaled problem of `scaling.equilibrate`.

    Attributes:
        problem: the problem that has no solution.
        tree: branches, with vectors y (n,) as leaves.
    """

    problem: LinearComplementarity
    tree: Branch | Array

    @property
    def cases(self) -> int:
        """Number of leaves."""
        return _count(self.tree)

    def check(self, tolerance: float = 1e-8) -> bool:
        """Return whether every leaf is refuted, within rounding (see `infeasibility.rounding_allowed`)."""
        M, q = _scaled(self.problem)
        return _check(self.tree, M, q, frozenset(), frozenset(), tolerance)


class Search(NamedTuple):
    """How a search ended: with a solution, with a refutation, or with neither because it ran out of nodes."""

    z: Array | None
    refutation: Refutation | None
    nodes: int


def refute(problem: LinearComplementarity, max_nodes: int = 2000, tolerance: float = 1e-8) -> Search:
    """Look at every complementary choice, as many at a time as a linear program can rule out.

    The number of cases may grow exponentially with the size; a few hundred are usual for eight contacts.

    Args:
        problem: the problem.
        max_nodes: linear programs to solve before giving up.
        tolerance: largest |min(z, w)| of a solution, and smallest violation of a refuted case, in the scaled problem.

    Returns:
        Search.
    """
    limit = int(checks.number("max_nodes", max_nodes, at_least=1))
    if problem.size == 0:
        return Search(np.empty(0), None, 0)
    M, q = _scaled(problem)
    state = _State(M, q, limit, tolerance)
    tree = state.explore(frozenset(), frozenset())
    if state.z is not None:
        r, s = equilibrate(problem.M)
        return Search(state.z * s * np.abs(r * problem.q).max(initial=0.0), None, state.nodes)
    return Search(None, None if tree is None else Refutation(problem, tree), state.nodes)


class _State:
    """The search in progress, depth first."""

    def __init__(self, M: Array, q: Array, limit: int, tolerance: float) -> None:
        self.M, self.q, self.limit, self.tolerance = M, q, limit, tolerance
        self.nodes = 0
        self.z: Array | None = None

    def explore(self, zero: frozenset[int], tight: frozenset[int]) -> Branch | Array | None:
        """Return the refuted tree below this node, or None after a solution or the limit."""
        if self.nodes >= self.limit:
            return None
        self.nodes += 1
        z = self._feasible_point(zero, tight)
        if z is None:
            return self._leaf(zero, tight)
        w = self.M @ z + self.q
        undecided = np.minimum(z, w) > self.tolerance
        if not undecided.any():
            self.z = self._polish(z, z > w)
            return None
        # Where z w is largest both cases change the most: smaller trees than where min(z, w) is largest.
        index = int(np.argmax(np.where(undecided, z * w, 0.0)))
        first = self.explore(zero | {index}, tight)
        if first is None:
            return None
        second = self.explore(zero, tight | {index})
        return None if second is None else Branch(index, first, second)

    def _feasible_point(self, zero: frozenset[int], tight: frozenset[int]) -> Array | None:
        """Return z >= 0 of least sum with w >= 0 and the chosen equalities, or None."""
        rows = sorted(tight)
        answer = scipy.optimize.linprog(
            np.ones(len(self.q)),
            A_ub=-self.M,
            b_ub=self.q,
            A_eq=self.M[rows] if rows else None,
            b_eq=-self.q[rows] if rows else None,
            bounds=[(0.0, 0.0 if i in zero else None) for i in range(len(self.q))],
        )
        return None if answer.x is None else np.maximum(answer.x, 0.0)

    def _polish(self, z: Array, active: NDArray[np.bool_]) -> Array:
        """Return z solved afresh on its active pairs if that brings it nearer to a solution."""
        other = np.zeros(len(z))
        rest = -self.q[active] - self.M[np.ix_(active, active)] @ z[active]
        change = np.linalg.lstsq(self.M[np.ix_(active, active)], rest, rcond=1e-12)[0]
        other[active] = np.maximum(z[active] + change, 0.0)
        return min(z, other, key=lambda x: float(np.abs(np.minimum(x, self.M @ x + self.q)).max(initial=0.0)))

    def _leaf(self, zero: frozenset[int], tight: frozenset[int]) -> Array | None:
        """Return the vector that refutes a case, checked, or None."""
        keep = [j for j in range(len(self.q)) if j not in zero]
        free = np.array([i in tight for i in range(len(self.q))])
        # Near the edge of feasibility one setting of the linear program fails where another does not.
        for options in ({"primal_feasibility_tolerance": 1e-10}, {}, {"presolve": False}):
            answer = scipy.optimize.linprog(
                self.q,
                A_ub=self.M[:, keep].T,
                b_ub=np.zeros(len(keep)),
                bounds=[(-1.0 if i in tight else 0.0, 1.0) for i in range(len(self.q))],
                options=options,
            )
            if answer.x is not None:
                y = np.where(free, answer.x, np.maximum(answer.x, 0.0))
                if _check(y, self.M, self.q, zero, tight, self.tolerance):
                    return y
        return None


def _scaled(problem: LinearComplementarity) -> tuple[Array, Array]:
    r, s = equilibrate(problem.M)
    q = r * problem.q
    scale = np.abs(q).max(initial=0.0)
    return r[:, None] * problem.M * s, q / (scale if scale > 0 else 1.0)


def _check(
    tree: Branch | Array, M: Array, q: Array, zero: frozenset[int], tight: frozenset[int], tolerance: float
) -> bool:
    if isinstance(tree, Branch):
        first = _check(tree.zero, M, q, zero | {tree.index}, tight, tolerance)
        return first and _check(tree.tight, M, q, zero, tight | {tree.index}, tolerance)
    size = np.abs(tree).max(initial=0.0)
    if len(tree) != len(q) or not size > 0:
        return False
    y = tree / size
    signed = all(y[i] >= 0 for i in range(len(q)) if i not in tight)
    gain = -float(q @ y)
    pushed = M.T @ y
    held = all(pushed[j] <= rounding_allowed(gain, tolerance) for j in range(len(q)) if j not in zero)
    return signed and held and gain > tolerance


def _count(tree: Branch | Array) -> int:
    return _count(tree.zero) + _count(tree.tight) if isinstance(tree, Branch) else 1
