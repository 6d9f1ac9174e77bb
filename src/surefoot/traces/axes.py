"""Joint axes that lean: an error within a cone round the axis as drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

Vector = tuple[float, float, float]

TILTS = (".tilt1", ".tilt2")
"""Endings of the two parameters of an axis: the components across it, relative to the one along it."""


def leaning(axis: Sequence[float], tilt1: float, tilt2: float) -> Vector:
    """An axis (3,) with components `tilt1` and `tilt2` across it added to its unit vector, normalised."""
    unit = _normalised(axis)
    first, second = across(unit)
    return _normalised([unit[i] + tilt1 * first[i] + tilt2 * second[i] for i in range(3)])


def across(unit: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors at right angles to a unit vector and to each other.

    They follow its largest component in the order x, y, z, x, y: an axis along x leans towards y and z, one along y
    towards z and x, one along z towards x and y.
    """
    main = max(range(3), key=lambda i: abs(unit[i]))
    basis = [[float(i == (main + k) % 3) for i in range(3)] for k in (1, 2)]
    first = _normalised(_without(basis[0], unit))
    return first, _normalised(_without(_without(basis[1], unit), first))


def _without(vector: Sequence[float], unit: Vector) -> list[float]:
    """A vector less its component along a unit vector."""
    along = vector[0] * unit[0] + vector[1] * unit[1] + vector[2] * unit[2]
    return [vector[i] - along * unit[i] for i in range(3)]


def _normalised(vector: Sequence[float]) -> Vector:
    x, y, z = (float(part) for part in vector)
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length
