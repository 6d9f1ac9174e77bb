"""Convex sets bounded by planes: what is inside, which planes matter, their shadows and differences."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, SolveError
from surefoot.solvers.linear_program import Extremum, LinearProgram

Array = NDArray[np.float64]

FLAT = 1e-9
"""Slack, relative to the largest offset, below which a set counts as flat and a row as redundant."""

MOST_ROWS = 4000
"""Rows that a projection may have on its way before it is given up."""


class Polyhedron:
    """The set {x : rows x >= offset, equal x = value} in n dimensions; it may be empty, flat or unbounded.

    Attributes:
        rows: (q, n).
        offset: (q,).
        equal: (p, n).
        value: (p,).
    """

    def __init__(self, rows: Any, offset: Any, equal: Any = None, value: Any = None) -> None:
        """Take rows (q, n), offset (q,) and, if there are any, equalities (p, n), (p,)."""
        self.rows = checks.array("rows", rows, (None, None))
        self.offset = checks.array("offset", offset, (len(self.rows),))
        n = self.rows.shape[1]
        self.equal = np.zeros((0, n)) if equal is None else checks.array("equal", equal, (None, n))
        self.value = np.zeros(0) if value is None else checks.array("value", value, (len(self.equal),))

    @property
    def space(self) -> int:
        """Dimension of the space that it lies in."""
        return self.rows.shape[1]

    @cached_property
    def _program(self) -> LinearProgram:
        return LinearProgram(self.rows, self.offset, self.equal, self.value)

    @cached_property
    def is_empty(self) -> bool:
        """Whether no point satisfies all rows."""
        return self.maximise(np.zeros(self.space)).status == "empty"

    def maximise(self, c: Any) -> Extremum:
        """Maximise c'x, c (n,), over the set; raises SolveError if the linear program could not be decided."""
        found = self._program.maximise(checks.array("c", c, (self.space,)))
        if found.status == "undecided":
            raise SolveError("a linear program over the polyhedron could not be decided; its rows are nearly dependent")
        return found

    def bounds(self) -> tuple[Array, Array]:
        """(n,) lowest and (n,) highest value of each coordinate, infinite where unbounded."""
        axes = np.eye(self.space)
        high = np.array([self.maximise(axis).value for axis in axes])
        low = np.array([-self.maximise(-axis).value for axis in axes])
        return low, high

    def contains(self, x: Any, tolerance: float = 1e-9) -> bool:
        """Whether x (n,) satisfies all rows, up to `tolerance` times their size."""
        x = checks.array("x", x, (self.space,))
        slack = self.rows @ x - self.offset
        miss = np.abs(self.equal @ x - self.value)
        room = [tolerance * (np.abs(A) @ np.abs(x) + np.abs(b)) for A, b in self._pairs()]
        return bool((slack >= -room[0]).all() and (miss <= room[1]).all())

    def _pairs(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        return (self.rows, self.offset), (self.equal, self.value)

    def intersect(self, other: Polyhedron) -> Polyhedron:
        """The points of both."""
        if other.space != self.space:
            raise InputError(f"other: expected a polyhedron in {self.space} dimensions, got one in {other.space}")
        pairs = zip(self._pairs(), other._pairs(), strict=True)
        (rows, offset), (equal, value) = ((np.vstack([A, C]), np.concatenate([b, d])) for (A, b), (C, d) in pairs)
        return Polyhedron(rows, offset, equal, value)

    def at(self, values: Any) -> Polyhedron:
        """The slice in the last coordinates where the first ones have these values."""
        x = checks.array("values", values, (None,))
        k = len(x)
        return Polyhedron(
            self.rows[:, k:], self.offset - self.rows[:, :k] @ x, self.equal[:, k:], self.value - self.equal[:, :k] @ x
        )

    @cached_property
    def dimension(self) -> int:
        """Dimension of the smallest plane that holds it, -1 if it is empty."""
        shape = self.reduced()
        return -1 if shape.is_empty else self.space - len(shape.equal)

    def reduced(self) -> Polyhedron:
        """The same set without rows that do not support it; rows that hold with equality all over become equalities.

        An empty set comes back as it is.
        """
        if self.is_empty:
            return self
        program = self._program
        slack = [self.maximise(row) for row in self.rows]
        room = np.array([s.value for s in slack]) - self.offset
        tight = room <= FLAT * program.unit / program.row[: len(self.rows)]
        equal, value = _independent(
            np.vstack([self.equal, self.rows[tight]]), np.concatenate([self.value, self.offset[tight]]), program.column
        )
        centre, Z = _plane(equal, value, program.column)
        inner, rest = self.rows[~tight] @ Z, self.offset[~tight] - self.rows[~tight] @ centre
        size = np.linalg.norm(inner, axis=1)
        keep = size > 1e-9 * np.linalg.norm(self.rows[~tight] * program.column, axis=1) + 1e-300
        inner, rest = inner[keep] / size[keep, None], rest[keep] / size[keep]
        chosen = _supporting(inner, rest)
        back = np.linalg.pinv(Z)
        rows = inner[chosen] @ back
        return Polyhedron(rows, rest[chosen] + rows @ centre, equal, value)

    def project(self, keep: int) -> Polyhedron:
        """The shadow on the first `keep` coordinates, by Fourier-Motzkin elimination.

        Rows that do not support are removed after each coordinate; otherwise their number explodes.

        Raises:
            SolveError: too many rows on the way.
        """
        shape = self.reduced()
        if shape.is_empty:
            return Polyhedron(np.zeros((1, keep)), np.ones(1))
        while shape.space > keep:
            shape = _eliminate(shape, keep).reduced()
        return shape

    def minus(self, other: Polyhedron) -> list[Polyhedron]:
        """Pieces without common inner points whose union is this set less the inside of the other."""
        pieces, rest = [], self
        rows = np.vstack([other.rows, other.equal, -other.equal])
        offset = np.concatenate([other.offset, other.value, -other.value])
        for row, b in zip(rows, offset, strict=True):
            beyond, inside = Polyhedron(-row[None], -np.array([b])), Polyhedron(row[None], np.array([b]))
            outside = rest.intersect(beyond)
            # A set that lies in the plane of the row is not beyond it.
            if outside.dimension == self.dimension > outside.intersect(inside).dimension:
                pieces.append(outside.reduced())
            rest = rest.intersect(inside)
            if rest.is_empty:
                break
        return pieces

    def polygon(self, box: Any) -> Array:
        """(p, 2) corners, in order, of the part of a set in the plane that lies in a box ((x, x), (y, y))."""
        if self.space != 2:
            raise InputError(f"polygon: expected a set in the plane, got one in {self.space} dimensions")
        (left, right), (bottom, top) = checks.array("box", box, (2, 2))
        corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
        for A, b in ((self.rows, self.offset), (self.equal, self.value), (-self.equal, -self.value)):
            for row, limit in zip(A, b, strict=True):
                corners = _clip(corners, row, limit)
        return corners


def _independent(equal: Array, value: Array, column: Array) -> tuple[Array, Array]:
    """Equalities without the dependent ones."""
    if not len(equal):
        return equal, value
    scaled = equal * column
    size = np.linalg.norm(scaled, axis=1)
    some = size > 1e-12
    equal, value, scaled = equal[some], value[some], scaled[some] / size[some, None]
    _, R, order = scipy.linalg.qr(scaled.T, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(R)) > 1e-9).sum())
    chosen = np.sort(order[:rank])
    return equal[chosen], value[chosen]


def _plane(equal: Array, value: Array, column: Array) -> tuple[Array, Array]:
    """A point (n,) of the plane of the equalities, and (n, d) directions within it."""
    if not len(equal):
        return np.zeros(len(column)), np.diag(column)
    U, sizes, V = np.linalg.svd(equal * column)
    rank = len(sizes)
    point = column * (V[:rank].T @ ((U.T @ value)[:rank] / sizes))
    return point, column[:, None] * V[rank:].T


def _supporting(rows: Array, offset: Array) -> NDArray[np.int64]:
    """Numbers of the rows that support a set with inner points."""
    kept = list(range(len(rows)))
    if rows.shape[1] == 0:
        return np.zeros(0, dtype=np.int64)
    program = LinearProgram(rows, offset, np.zeros((0, rows.shape[1])), np.zeros(0))
    for i in range(len(rows)):
        program.relax(i, 1.0)
        least = program.maximise(-rows[i])
        if least.status == "optimal" and -least.value >= offset[i] - FLAT * program.unit / program.row[i]:
            kept.remove(i)
            program.relax(i, np.inf)
        else:
            program.relax(i, 0.0)
    return np.array(kept, dtype=np.int64)


def _eliminate(shape: Polyhedron, keep: int) -> Polyhedron:
    """Remove one of the coordinates after the first `keep`: by an equality, or by all pairs of opposite rows."""
    choices = range(keep, shape.space)
    if len(shape.equal):
        sizes = np.abs(shape.equal[:, keep:]) / np.abs(shape.equal).max(axis=1, initial=1e-300)[:, None]
        e, c = np.unravel_index(np.argmax(sizes), sizes.shape)
        if sizes[e, c] > 1e-9:
            return _substitute(shape, int(e), int(c) + keep)
    size = np.abs(shape.rows).max(axis=0, initial=0.0)
    sign = np.where(np.abs(shape.rows) > 1e-11 * np.where(size > 0, size, 1.0), np.sign(shape.rows), 0.0)
    cost = [(sign[:, c] > 0).sum() * (sign[:, c] < 0).sum() + (sign[:, c] == 0).sum() for c in choices]
    c = choices[int(np.argmin(cost))]
    if min(cost) > MOST_ROWS:
        raise SolveError(
            f"a projection needs {min(cost)} rows on its way, more than {MOST_ROWS}; ask whether single torques are "
            "in it (`contains`), or maximise over it: neither needs the projection"
        )
    above, below, apart = (np.flatnonzero(sign[:, c] == s) for s in (1.0, -1.0, 0.0))
    i, j = (a.ravel() for a in np.meshgrid(above, below, indexing="ij"))
    up, down = 1.0 / shape.rows[i, c], -1.0 / shape.rows[j, c]
    both = cancelled(up[:, None] * shape.rows[i], down[:, None] * shape.rows[j])
    rows = np.vstack([shape.rows[apart], both])
    offset = np.concatenate([shape.offset[apart], cancelled(up * shape.offset[i], down * shape.offset[j])])
    return Polyhedron(np.delete(rows, c, axis=1), offset, np.delete(shape.equal, c, axis=1), shape.value)


def _substitute(shape: Polyhedron, e: int, c: int) -> Polyhedron:
    """Remove coordinate c by equality e."""
    pivot, rest = shape.equal[e] / shape.equal[e, c], shape.value[e] / shape.equal[e, c]
    others = np.arange(len(shape.equal)) != e

    def without(A: Array, b: Array) -> tuple[Array, Array]:
        return np.delete(cancelled(A, -A[:, [c]] * pivot), c, axis=1), cancelled(b, -A[:, c] * rest)

    rows, offset = without(shape.rows, shape.offset)
    equal, value = without(shape.equal[others], shape.value[others])
    return Polyhedron(rows, offset, equal, value)


def cancelled(a: Array, b: Array) -> Array:
    """The sum of two arrays, zero where only rounding is left of it: such rows would be scaled up, and count."""
    total = a + b
    return np.where(np.abs(total) > 1e-12 * (np.abs(a) + np.abs(b)), total, 0.0)


def _clip(corners: Array, row: Array, limit: float) -> Array:
    """The part of a convex polygon on the inner side of a line."""
    if not len(corners):
        return corners
    side = corners @ row - limit
    scale = np.abs(corners) @ np.abs(row) + abs(limit)
    side[np.abs(side) <= 1e-12 * scale] = 0.0
    result = []
    for k in range(len(corners)):
        here, there = side[k - 1], side[k]
        if here * there < 0:
            result.append(corners[k - 1] + here / (here - there) * (corners[k] - corners[k - 1]))
        if there >= 0:
            result.append(corners[k])
    return np.array(result).reshape(-1, 2)
