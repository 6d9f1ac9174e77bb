"""One contact mode: its affine response to torques, where that holds, and what it leaves undetermined."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes.blocks import STRICT, Block
from surefoot.modes.equations import Equations, Forms
from surefoot.modes.linear import Rows
from surefoot.modes.scaling import Scaled
from surefoot.modes.search import name_of
from surefoot.modes.system import ContactSystem
from surefoot.solvers.linear_program import LinearProgram
from surefoot.solvers.polyhedron import Polyhedron

Array = NDArray[np.float64]

RANK = 1e-9
"""Singular values below this, of equations without units, count as zero."""

ZERO = 1e-11
"""Share of the lengths of two vectors below which their product counts as zero."""


class Range(NamedTuple):
    """Lowest and highest accelerations (nv,) and contact forces (2k,) or (3k,)."""

    acceleration_low: Array
    acceleration_high: Array
    force_low: Array
    force_high: Array


class Point(NamedTuple):
    """One solution: torque (t,), acceleration (nv,), contact force (2k,) or (3k,)."""

    torque: Array
    acceleration: Array
    force: Array


class Mode:
    """One combination of contact modes of a system.

    Attributes:
        name: "FFS", one token a contact; spatial tokens are apart, "F 3 S".
        tokens: of each contact.
    """

    def __init__(self, system: ContactSystem, units: Scaled, blocks: list[Block], leaf: NDArray[np.int64]) -> None:
        """Take the numbers of the contacts' modes (k,)."""
        self.system, self._units = system, units
        self._equations = Equations(system, units, blocks, leaf)
        self.tokens = tuple(block.tokens[m] for block, m in zip(blocks, leaf, strict=True))
        self.name = name_of(system, self.tokens)

    def __repr__(self) -> str:
        return f"Mode({self.name!r})"

    @property
    def equations(self) -> tuple[Array, Array, Array]:
        """A, B, b of (25), `A (qdd, f) = B tau + b`, in SI units: accelerations, forces, the dynamics."""
        return self._equations.in_si

    @cached_property
    def _solved(self) -> tuple[Array, Array, Array, Array, Array]:
        """Return K, k, N, C, c: x = K tau + k + N w wherever C tau + c = 0: (26)-(31) without units."""
        rows = self._equations.equalities
        U, sizes, V = np.linalg.svd(rows.X)
        rank = int((sizes > RANK).sum())
        inverse = V[:rank].T @ (U[:, :rank] / sizes[:rank]).T
        left = U[:, rank:].T
        C, c = _product(left, rows.T), _product(left, rows.c)
        left_over = (C != 0).any(axis=1) | (c != 0)
        return -inverse @ rows.T, -inverse @ rows.c, V[rank:].T, C[left_over], c[left_over]

    @property
    def rank(self) -> int:
        """Rank of A."""
        return self._solved[2].shape[0] - self._solved[2].shape[1]

    @property
    def ambiguity_variables(self) -> int:
        """Number of ambiguity variables w: columns of the null space of A."""
        return self._solved[2].shape[1]

    @property
    def case(self) -> int:
        """Which of the four cases of section III-D: 1 unique, 2 ambiguous, 3 torques restricted, 4 both."""
        return 1 + (self.ambiguity_variables > 0) + 2 * (self.rank < len(self.equations[0]))

    @property
    def admissible(self) -> Polyhedron:
        """The affine space of torques that the equations allow, (31)."""
        _, _, _, C, c = self._solved
        t = self.system.torques
        return Polyhedron(np.zeros((0, t)), np.zeros(0), C / self._units.torque, -c)

    def respond(self, torque: Any, w: Any = None) -> tuple[Array, Array]:
        """Accelerations (nv,) and contact forces at torques (t,) and ambiguity variables w, default 0: (26)-(29)."""
        tau = checks.array("torque", torque, (self.system.torques,))
        w = np.zeros(self.ambiguity_variables) if w is None else checks.array("w", w, (self.ambiguity_variables,))
        K, k, N, _, _ = self._solved
        return self._split(K @ (tau / self._units.torque) + k + N @ w)

    def _split(self, x: Array) -> tuple[Array, Array]:
        nv = self.system.nv
        return self._units.unit * self._units.C @ x[:nv], self._units.force * x[nv:]

    def objective(self, acceleration: Any, force: Any, torque: Any) -> tuple[Array, float]:
        """Coefficients (t + w,) and constant of a linear function of accelerations, forces and torques (or None)."""
        nv, nf, t = self.system.sizes
        K, k, N, _, _ = self._solved
        given = (("acceleration", acceleration, nv), ("force", force, nf), ("torque", torque, t))
        a, f, tau = (np.zeros(n) if row is None else checks.array(name, row, (n,)) for name, row, n in given)
        units = self._units
        x = np.concatenate([units.unit * a @ units.C, f * units.force])
        along = x @ N
        along[np.abs(along) <= RANK * np.linalg.norm(x)] = 0.0  # rounding would count where w has no end
        return np.concatenate([x @ K / units.torque + tau, along]), float(x @ k)

    def _polyhedron(self, rows: Forms, equal: Forms, margin: Any = 0.0) -> Polyhedron:
        """Rows in (tau, w), tau in SI units."""
        K, k, N, C, c = self._solved
        unit = self._units.torque

        def written(r: Forms) -> tuple[Array, Array]:
            whole = np.hstack([r.X, r.T])
            torque = _product(whole, np.vstack([K, np.eye(len(unit))])) / unit
            rest = _product(np.column_stack([r.X, r.c]), np.append(k, 1.0)[:, None])[:, 0]
            return np.hstack([torque, _product(r.X, N)]), -rest

        A, b = written(rows)
        E, e = written(equal)
        w = N.shape[1]
        E = np.vstack([np.hstack([C / unit, np.zeros((len(C), w))]), E])
        limits = self.system.torque_limits
        low, high = np.isfinite(limits[:, 0]), np.isfinite(limits[:, 1])
        box = np.hstack([np.diag(1.0 / unit), np.zeros((len(unit), w))])
        A = np.vstack([A, box[low], -box[high]])
        b = np.concatenate([b + margin, limits[low, 0] / unit[low], -limits[high, 1] / unit[high]])
        return Polyhedron(A, b, E, np.concatenate([-c, e]))

    def feasible_set(self, extra: tuple[Rows, ...] = (), margin: float = 0.0) -> Polyhedron:
        """D_c with further constraints; strict rows keep a margin (without units)."""
        rows, strict = self._equations.signs
        nothing = self._equations.constraints(self.system.physical_rows, equality=True)
        equal = Forms(nothing.X[:0], nothing.T[:0], nothing.c[:0])
        shift = margin * strict
        for given in extra:
            more = self._equations.constraints(given, equality=False)
            rows, shift = rows + more, np.concatenate([shift, np.zeros(len(more.c))])
            equal += self._equations.constraints(given, equality=True)
        return self._polyhedron(rows, equal, shift)

    @cached_property
    def domain(self) -> Polyhedron:
        """D_c: all (tau, w) at which the mode holds, by its supporting rows; (33)."""
        return self.feasible_set().reduced()

    @cached_property
    def torques(self) -> Polyhedron:
        """T_c: all torques at which the mode can happen, the shadow of D_c."""
        return self.feasible_set().project(self.system.torques)

    @cached_property
    def task_domain(self) -> Polyhedron:
        """D_c with the task constraints."""
        return self.feasible_set((self.system.task_rows,)).reduced()

    @cached_property
    def task_torques(self) -> Polyhedron:
        """T_c with the task constraints."""
        return self.feasible_set((self.system.task_rows,)).project(self.system.torques)

    def contains(self, torque: Any) -> bool:
        """Whether the mode can happen at these torques (t,)."""
        tau = checks.array("torque", torque, (self.system.torques,))
        return not self.feasible_set(margin=STRICT).at(tau).is_empty

    def fibre(self, torque: Any) -> Polyhedron:
        """The ambiguity variables w that these torques (t,) leave open."""
        return self.feasible_set().at(checks.array("torque", torque, (self.system.torques,)))

    @cached_property
    def _open(self) -> Array:
        """(nv + nf, d) directions of x that no torque determines."""
        N, t = self._solved[2], self.system.torques
        if N.shape[1] == 0:
            return N
        equal = self.domain.equal[:, t:]
        return N @ null_space(equal)

    @property
    def ambiguity(self) -> str:
        """What torques leave undetermined within the mode: "none", "forces", or "accelerations" (and forces)."""
        return self._kind(self._open)

    def _kind(self, directions: Array) -> str:
        if directions.shape[1] == 0:
            return "none"
        return "accelerations" if np.abs(directions[: self.system.nv]).max(initial=0.0) > RANK else "forces"

    def open_to(self, fibre: Polyhedron) -> str:
        """What a reduced set of ambiguity variables leaves open, see `ambiguity`."""
        return self._kind(self._solved[2] @ null_space(fibre.equal))

    def residual(self, torque: Array, acceleration: Array, force: Array) -> float:
        """Largest violation, without units, of the mode's equations and signs."""
        units = self._units
        x = np.concatenate([scipy.linalg.solve(units.C, acceleration) / units.unit, force / units.force])
        signs, _ = self._equations.signs
        misses = [np.abs(self._value(self._equations.equalities, x, torque)), -self._value(signs, x, torque)]
        return float(max(miss.max(initial=0.0) for miss in misses))

    def _value(self, rows: Forms, x: Array, torque: Array) -> Array:
        return rows.X @ x + rows.T @ (torque / self._units.torque) + rows.c

    def determines(self, c: Array) -> bool:
        """Whether a linear function c (w,) of the ambiguity variables has one value at each torque."""
        N = self._solved[2]
        along = c @ N.T @ self._open
        return bool(np.abs(along).max(initial=0.0) <= RANK * float(np.abs(c).max(initial=0.0)))

    @property
    def ambiguity_dimension(self) -> int:
        """Dimension of the set of solutions at an inner torque of the mode."""
        return self._open.shape[1]

    def extent(self, torque: Any) -> Range:
        """Lowest and highest accelerations and forces of all solutions of the mode at these torques (t,)."""
        tau = checks.array("torque", torque, (self.system.torques,))
        fibre, N = self.fibre(tau), self._solved[2]
        if fibre.is_empty:
            raise InputError(f"torque: expected one at which mode {self.name} can happen, got {tau}")
        base = np.concatenate(self.respond(tau))
        to_si = np.array([np.concatenate(self._split(axis)) for axis in np.eye(len(N))]).T.reshape(len(N), len(N))
        directions = to_si @ N
        noise = np.abs(directions) <= RANK * np.linalg.norm(to_si, axis=1)[:, None]
        directions[noise] = 0.0
        high = np.array([fibre.maximise(row).value for row in directions])
        low = np.array([-fibre.maximise(-row).value for row in directions])
        nv = self.system.nv
        return Range(base[:nv] + low[:nv], base[:nv] + high[:nv], base[nv:] + low[nv:], base[nv:] + high[nv:])

    @cached_property
    def _inner(self) -> tuple[Array, float]:
        """(tau, w) as far as possible from all rows, and how far (without units, at most 1)."""
        return inner_point(self.feasible_set())

    @property
    def margin(self) -> float:
        """How far the mode's inner point keeps from all of its bounds, without units, at most 1; 0 if D_c is flat."""
        return self._inner[1]

    @cached_property
    def point(self) -> Point:
        """One solution well inside the mode."""
        x, t = self._inner[0], self.system.torques
        return Point(x[:t], *self.respond(x[:t], x[t:]))


def inner_point(shape: Polyhedron) -> tuple[Array, float]:
    """A point at which all rows of a polyhedron have as much room as possible, at most 1, and that room."""
    rows = np.column_stack([shape.rows, -np.ones(len(shape.rows))])
    rows = np.vstack([rows, -np.eye(shape.space + 1)[-1:]])
    offset = np.concatenate([shape.offset, [-1.0]])
    equal = np.column_stack([shape.equal, np.zeros(len(shape.equal))])
    found = LinearProgram(rows, offset, equal, shape.value).maximise(np.eye(shape.space + 1)[-1])
    return found.x[:-1], found.value


def _product(A: Array, B: Array) -> Array:
    """A @ B, with what rounding leaves of zero set to zero: a row of it would be scaled up and count."""
    exact = A @ B
    sizes = np.linalg.norm(A, axis=1), np.linalg.norm(B, axis=0)
    return np.where(np.abs(exact) > ZERO * np.multiply.outer(*sizes), exact, 0.0)


def null_space(A: Array) -> Array:
    """(n, d) orthonormal directions that A maps to zero."""
    if not len(A):
        return np.eye(A.shape[1])
    _, sizes, V = np.linalg.svd(A)
    rank = int((sizes > RANK * max(1.0, sizes.max(initial=0.0))).sum())
    return V[rank:].T
