"""Convex polygons in a plane: cut one by another, and share a plane out among several that overlap.

A polygon is an array (n, 2) of corners, against the clock; an empty one has no rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SLIVER = 1e-9  # of the area of the whole: less is nothing


class Cell(NamedTuple):
    """A piece of the plane.

    Attributes:
        polygon: (n, 2) its corners.
        members: which of the polygons cover it.
    """

    polygon: Array
    members: tuple[int, ...]


def rectangle(low: Array, high: Array) -> Array:
    """(4, 2) corners of a box."""
    return np.array([low, [high[0], low[1]], high, [low[0], high[1]]])


def area(polygon: Array) -> float:
    """Area of a polygon; 0 for less than three corners."""
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def centre(polygon: Array) -> Array:
    """(2,) centre of area of a polygon."""
    x, y = (polygon - polygon[0]).T
    cross = x * np.roll(y, -1) - y * np.roll(x, -1)
    sums = np.array([(x + np.roll(x, -1)) @ cross, (y + np.roll(y, -1)) @ cross])
    return polygon[0] + sums / (3.0 * cross.sum())


def clip(polygon: Array, row: Array, offset: float) -> Array:
    """The part of a polygon where row @ x >= offset."""
    if not len(polygon):
        return polygon
    over = polygon @ row - offset
    if (over >= 0.0).all():
        return polygon
    corners = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if over[i] >= 0.0:
            corners.append(polygon[i])
        if (over[i] < 0.0) != (over[j] < 0.0):
            corners.append(polygon[i] + over[i] / (over[i] - over[j]) * (polygon[j] - polygon[i]))
    return np.array(corners).reshape(-1, 2)


def split(polygon: Array, by: Array, least: float) -> tuple[Array, list[Array]]:
    """What of a polygon is inside another, and convex pieces of what is outside; areas up to `least` are left out."""
    outside = []
    for i in range(len(by)):
        along = by[(i + 1) % len(by)] - by[i]
        inward = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-300)
        offset = float(inward @ by[i])
        piece = clip(polygon, -inward, -offset)
        if area(piece) > least:
            outside.append(piece)
        polygon = clip(polygon, inward, offset)
        if area(polygon) <= least:
            return np.zeros((0, 2)), outside
    return polygon, outside


def cells(whole: Array, polygons: Sequence[Array]) -> list[Cell]:
    """Pieces of `whole`, each with the indices of all `polygons` that cover it; together they fill it.

    Args:
        whole: what is shared out.
        polygons: convex, within `whole`; those without area cover nothing.
    """
    least = SLIVER * area(whole)
    pieces = [Cell(whole, ())]
    for i, polygon in enumerate(polygons):
        if area(polygon) <= least:
            continue
        finer = []
        for piece in pieces:
            inside, outside = split(piece.polygon, polygon, least)
            if not len(inside):
                finer.append(piece)
                continue
            finer.append(Cell(inside, (*piece.members, i)))
            finer.extend(Cell(one, piece.members) for one in outside)
        pieces = finer
    return pieces
