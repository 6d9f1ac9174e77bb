"""The best torque over all modes, by best-first search over pieces of the torque space.

A piece is a convex set of torques together with modes that are known to be possible all over it; its bound is a linear
program. The piece with the best bound is looked at first. If at its best torque no further mode is possible, it is the
optimum. Otherwise a rival's torques are cut away, face by face, and what lies inside them is dropped ("avoid") or kept
as a piece with one mode more ("worst").
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SolveError
from surefoot.modes.linear import Rows
from surefoot.modes.mode import Mode
from surefoot.modes.search import INSIDE
from surefoot.solvers.linear_program import Extremum, LinearProgram
from surefoot.solvers.polyhedron import Polyhedron, cancelled

if TYPE_CHECKING:
    from surefoot.modes.response import Response

Array = NDArray[np.float64]

MOST_PIECES = 20_000


class Optimum(NamedTuple):
    """The best torque.

    Attributes:
        value: of the objective; with "worst" the lowest over all solutions at this torque.
        mode: its name; with "worst" that of the mode with the lowest value.
        torque: (t,).
        acceleration: (nv,) in that mode.
        force: (2k,) or (3k,) in that mode [N].
        modes: all modes that can happen at this torque.
    """

    value: float
    mode: str
    torque: Array
    acceleration: Array
    force: Array
    modes: tuple[str, ...]


class _Line(NamedTuple):
    """A mode's lowest value where it is linear in the torques: slope tau + rest."""

    slope: Array
    rest: float


@dataclass
class _Piece:
    """Torques in `cut`, at which all of `modes` are possible; `lines`: lowest values of modes where they are linear."""

    modes: list[Mode]
    lines: dict[str, _Line]
    cut: Polyhedron
    bound: float = -np.inf
    x: Array = field(default_factory=lambda: np.zeros(0))  # torques, then ambiguity variables


def maximise(
    response: Response, objective: tuple[Any, Any, Any], extra: tuple[Rows, ...], ambiguity: str
) -> Optimum | None:
    """See `Response.maximise`."""
    search = _Search(response, objective, extra, ambiguity)
    return search.run()


class _Search:
    def __init__(self, response: Response, objective: tuple, extra: tuple[Rows, ...], ambiguity: str) -> None:
        self.response, self.objective, self.extra, self.ambiguity = response, objective, extra, ambiguity
        self.t = response.system.torques
        self.heap: list[tuple[float, int, _Piece]] = []
        self.count = 0
        self.order = {name: i for i, name in enumerate(response.names)}

    def run(self) -> Optimum | None:
        everywhere = Polyhedron(np.zeros((0, self.t)), np.zeros(0))
        for mode in self.response.modes:
            if self.ambiguity != "avoid" or self._determined(mode):
                self._push(_Piece([mode], {}, everywhere))
        while self.heap:
            _, _, piece = heapq.heappop(self.heap)
            if self.ambiguity == "ignore":
                return self._optimum(piece, piece.modes[0])
            found = self._settle(piece)
            if found is not None:
                return found
        return None

    def _determined(self, mode: Mode) -> bool:
        """Whether the objective is the same for all solutions of a mode at one torque."""
        c, _ = mode.objective(*self.objective)
        return mode.ambiguity_variables == 0 or mode.determines(c[self.t :])

    def _open(self, piece: _Piece) -> list[Mode]:
        """Modes of a piece whose lowest value is looked for and not linear yet."""
        if self.ambiguity != "worst":
            return []
        return [mode for mode in piece.modes if mode.name not in piece.lines and not self._determined(mode)]

    def _push(self, piece: _Piece) -> None:
        """Bound a piece and put it into the heap, unless it is empty."""
        if self.count >= MOST_PIECES:
            raise SolveError(
                f"the best torque was not found in {MOST_PIECES} pieces of the torque space; use fewer contacts"
            )
        found = self._bound(piece)
        # What a mode leaves open may have no upper end and a lowest value all the same: it is split first.
        if found.status == "unbounded" and not self._open(piece):
            raise SolveError(
                f"the objective grows for ever in mode {piece.modes[0].name}; give torque_limits, or a constraint"
            )
        if found.status not in ("optimal", "unbounded"):
            return
        piece.bound, piece.x = found.value, found.x
        self.count += 1
        heapq.heappush(self.heap, (-found.value, self.count, piece))

    def _bound(self, piece: _Piece) -> Extremum:
        """Maximise s over torques, the modes' ambiguity variables and s <= value in each mode."""
        free = [mode for mode in piece.modes if mode.name not in piece.lines]
        width = self.t + sum(mode.ambiguity_variables for mode in free) + 1
        rows, offset, equal, value = [], [], [], []

        def put(where: tuple[list, list], A: Array, b: Array, first: int) -> None:
            wide = np.zeros((len(A), width))
            wide[:, : self.t] = A[:, : self.t]
            wide[:, first : first + A.shape[1] - self.t] = A[:, self.t :]
            where[0].append(wide)
            where[1].append(b)

        put((rows, offset), piece.cut.rows, piece.cut.offset, self.t)
        first = self.t
        for mode in free:
            shape = mode.feasible_set(self.extra, INSIDE)
            put((rows, offset), shape.rows, shape.offset, first)
            put((equal, value), shape.equal, shape.value, first)
            c, rest = mode.objective(*self.objective)
            row = np.zeros((1, width))
            row[0, : self.t], row[0, first : first + len(c) - self.t], row[0, -1] = c[: self.t], c[self.t :], -1.0
            rows.append(row)
            offset.append([-rest])
            first += mode.ambiguity_variables
        for line in piece.lines.values():
            rows.append(np.concatenate([line.slope, np.zeros(width - self.t - 1), [-1.0]])[None])
            offset.append([-line.rest])
        program = LinearProgram(
            np.vstack(rows),
            np.concatenate(offset),
            np.vstack([np.zeros((0, width)), *equal]),
            np.concatenate([np.zeros(0), *value]),
        )
        return program.maximise(np.eye(width)[-1])

    def _settle(self, piece: _Piece) -> Optimum | None:
        """Accept the best torque of a piece, or split the piece."""
        tau = piece.x[: self.t]
        names = {mode.name for mode in piece.modes}
        rivals = [mode for mode in self.response.modes_at(tau) if mode.name not in names]
        if rivals:
            self._split(piece, rivals[0])
            return None
        if self.ambiguity == "avoid":
            return self._optimum(piece, piece.modes[0])
        for mode in self._open(piece):
            self._make_linear(piece, mode, tau)
            return None
        return self._worst(piece, tau)

    def _split(self, piece: _Piece, rival: Mode) -> None:
        """Cut a rival's torques away, and keep them as a piece of their own where that is wanted."""
        for outside in self._around(rival.torques):
            self._push(_Piece(piece.modes, piece.lines, piece.cut.intersect(outside)))
        # Each set of modes is looked at from its first mode only.
        if self.ambiguity == "worst" and self.order[rival.name] > self.order[piece.modes[0].name]:
            self._push(_Piece([*piece.modes, rival], piece.lines, piece.cut))

    def _around(self, shape: Polyhedron) -> list[Polyhedron]:
        """The sides of a set of torques: what lies beyond each face, one after the other, without overlaps."""
        unit = self.response.torque_units
        rows = np.vstack([shape.rows, shape.equal, -shape.equal])
        offset = np.concatenate([shape.offset, shape.value, -shape.value])
        room = INSIDE * np.abs(rows * unit).max(axis=1, initial=0.0)
        return [
            Polyhedron(
                np.vstack([-rows[i : i + 1], rows[:i]]),
                np.concatenate([[-(offset[i] - room[i])], offset[:i] - room[:i]]),
            )
            for i in range(len(rows))
        ]

    def _make_linear(self, piece: _Piece, mode: Mode, tau: Array) -> None:
        """Split a piece where a mode's lowest value is linear: all torques with the same active rows as at tau."""
        c, rest = mode.objective(*self.objective)
        shape = mode.feasible_set()
        program = LinearProgram(*_slice(shape, tau))
        if program.maximise(-c[self.t :]).status != "optimal":  # no lower end: whatever the torque, it may be that bad
            return
        active, still = program.active()
        A = np.vstack([shape.rows, shape.equal])
        b = np.concatenate([shape.offset, shape.value])
        w = mode.ambiguity_variables
        lines = np.vstack([A[active][:, self.t :], np.eye(w)[still]])
        fixed = np.concatenate([b[active], np.zeros(len(still))])
        drift = np.vstack([A[active][:, : self.t], np.zeros((len(still), self.t))])
        inverse = np.linalg.pinv(lines)
        slope, start = -inverse @ drift, inverse @ fixed  # w = slope tau + start
        linear = _Line(c[: self.t] + c[self.t :] @ slope, rest + float(c[self.t :] @ start))
        ends = []
        for rows, offset in ((shape.rows, shape.offset), (shape.equal, shape.value)):
            ends.append(cancelled(rows[:, : self.t], rows[:, self.t :] @ slope))
            ends.append(cancelled(offset, -rows[:, self.t :] @ start))
        valid = Polyhedron(*ends).reduced()
        self._push(_Piece(piece.modes, {**piece.lines, mode.name: linear}, piece.cut.intersect(valid)))
        for outside in self._around(valid):
            self._push(_Piece(piece.modes, piece.lines, piece.cut.intersect(outside)))

    def _worst(self, piece: _Piece, tau: Array) -> Optimum:
        """The optimum of a piece all of whose modes have known lowest values."""
        worst = min(piece.modes, key=lambda mode: self._lowest(mode, tau)[0])
        value, w = self._lowest(worst, tau)
        return Optimum(value, worst.name, tau, *worst.respond(tau, w), tuple(mode.name for mode in piece.modes))

    def _lowest(self, mode: Mode, tau: Array) -> tuple[float, Array]:
        c, rest = mode.objective(*self.objective)
        found = mode.fibre(tau).maximise(-c[self.t :])
        return float(rest + c[: self.t] @ tau - found.value), found.x

    def _optimum(self, piece: _Piece, mode: Mode) -> Optimum:
        tau, w = piece.x[: self.t], piece.x[self.t : -1]
        names = tuple(other.name for other in self.response.modes_at(tau))
        return Optimum(piece.bound, mode.name, tau, *mode.respond(tau, w), names)


def _slice(shape: Polyhedron, tau: Array) -> tuple[Array, Array, Array, Array]:
    fibre = shape.at(tau)
    return fibre.rows, fibre.offset, fibre.equal, fibre.value
