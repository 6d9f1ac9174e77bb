"""The equations and signs of one contact mode: rows on accelerations, forces and torques."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.modes.blocks import Block
from surefoot.modes.linear import Rows
from surefoot.modes.scaling import Scaled
from surefoot.modes.system import ContactSystem

Array = NDArray[np.float64]


class Forms(NamedTuple):
    """`X x + T tau + c` (zero, or not negative) with x = (accelerations, forces), all without units."""

    X: Array
    T: Array
    c: Array

    def __add__(self, other: Forms) -> Forms:  # pyright: ignore
        return Forms(*(np.concatenate([a, b]) for a, b in zip(self, other, strict=True)))


class Equations:
    """(24) and (32) of [Greenfield2005], with the errata, for one choice of each contact's mode."""

    def __init__(self, system: ContactSystem, units: Scaled, blocks: list[Block], leaf: NDArray[np.int64]) -> None:
        """Take the numbers of the contacts' modes (k,)."""
        self.system, self._units, self._blocks, self._leaf = system, units, blocks, leaf

    @cached_property
    def in_si(self) -> tuple[Array, Array, Array]:
        """A, B, b of (25), `A (qdd, f) = B tau + b`, in SI units: rows on accelerations, on forces, and the dynamics.

        Row for row those of (24), with its errata.
        """
        system = self.system
        motion, force = [], []
        for i, (J, rate) in enumerate(self._contact_rows()):
            for form in self._vanishing_motion(i):
                motion.append(np.concatenate([form @ J, np.zeros(len(system.jacobian)), [-form @ rate]]))
            for form in self._vanishing_force(i):
                row = np.zeros(system.nv + len(system.jacobian) + 1)
                row[system.nv + i * system.dimension :][: system.dimension] = form
                force.append(row)
        contact = np.array([*motion, *force]).reshape(-1, system.nv + len(system.jacobian) + 1)
        p = system.physical_rows
        A = [contact[:, :-1], np.hstack([p.acceleration, p.force])[p.equality]]
        A.append(np.hstack([system.inertia, -system.jacobian.T]))
        B = [np.zeros((len(contact), system.torques)), -p.torque[p.equality], system.inputs]
        return np.vstack(A), np.vstack(B), np.concatenate([contact[:, -1], p.bound[p.equality], -system.bias])

    def _contact_rows(self) -> list[tuple[Array, Array]]:
        d = self.system.dimension
        J, rate = self.system.jacobian, self.system.jacobian_rate
        return [(J[i : i + d], rate[i : i + d]) for i in range(0, len(J), d)]

    def _vanishing_motion(self, i: int) -> Array:
        """Forms of the acceleration of contact i that are zero."""
        block, m = self._blocks[i], self._leaf[i]
        p = len(block.force)
        return block.motion[(block.low[m, p:] == 0) & (block.high[m, p:] == 0)]

    def _vanishing_force(self, i: int) -> Array:
        """Forms of the force of contact i that are zero; no more than it has components."""
        block, m = self._blocks[i], self._leaf[i]
        p, d = len(block.force), self.system.dimension
        forms = block.force[(block.low[m, :p] == 0) & (block.high[m, :p] == 0)]
        return forms if len(forms) < d else np.eye(d)

    @cached_property
    def equalities(self) -> Forms:
        """(24) without units."""
        units = self._units
        dynamics = Forms(np.hstack([np.diag(units.weighs.astype(np.float64)), -units.W.T]), -units.S, -units.q0)
        rows = dynamics
        for i in range(self.system.contacts):
            rows += self._form_rows(i, self._vanishing_force(i), self._vanishing_motion(i))
        return rows + self.constraints(self.system.physical_rows, equality=True)

    def _form_rows(self, i: int, force: Array, motion: Array) -> Forms:
        units, (nv, nf, t), d = self._units, self.system.sizes, self.system.dimension
        here = slice(i * d, (i + 1) * d)
        X = np.zeros((len(force) + len(motion), nv + nf))
        X[: len(force), nv + i * d : nv + (i + 1) * d] = force
        X[len(force) :, :nv] = motion @ units.W[here]
        c = np.concatenate([np.zeros(len(force)), motion @ units.rate[here]])
        return Forms(X, np.zeros((len(X), t)), c)

    def constraints(self, given: Rows, equality: bool) -> Forms:
        """Equalities or inequalities among constraints."""
        Q, F, T, bound = (part[given.equality == equality] for part in self._units.rows(given))
        return Forms(np.hstack([Q, F]), T, -bound)

    @cached_property
    def signs(self) -> tuple[Forms, NDArray[np.bool_]]:
        """(32) without units: rows that are not negative, and which of them are strict."""
        rows = self.constraints(self.system.physical_rows, equality=False)
        strict = [np.zeros(len(rows.c), dtype=bool)]
        for i, (block, m) in enumerate(zip(self._blocks, self._leaf, strict=True)):
            p = len(block.force)
            sign = np.where(block.low[m] == 0, 1.0, 0.0) - np.where(block.high[m] == 0, 1.0, 0.0)
            push, move = np.flatnonzero(sign[:p]), np.flatnonzero(sign[p:])
            rows += self._form_rows(i, sign[push, None] * block.force[push], sign[p + move, None] * block.motion[move])
            strict += [block.strict[m, push], block.strict[m, p + move]]
        return rows, np.concatenate(strict)
