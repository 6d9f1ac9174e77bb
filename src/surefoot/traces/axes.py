"""Joint axes that lean: an error within a cone round the axis as drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

TILTS = (".tilt1", ".tilt2")
"""Endings of the two parameters of an axis: the components across it, relative to the one along it."""


def leaning(axis: Any, tilt1: float, tilt2: float) -> tuple[float, float, float]:
    """An axis with components `tilt1` and `tilt2` across it added to its unit vector, normalised.

    The directions across follow the largest component of the axis in the order x, y, z, x, y: an axis along x leans
    towards y and z, one along y towards z and x, one along z towards x and y.
    """
    unit = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    first, second = across(unit)
    new = unit + tilt1 * first + tilt2 * second
    x, y, z = (new / np.linalg.norm(new)).tolist()
    return x, y, z


def across(unit: np.ndarray) -> Sequence[np.ndarray]:
    """Two unit vectors (3,), at right angles to a unit vector and to each other."""
    main = int(np.argmax(np.abs(unit)))
    first, second = np.eye(3)[(main + 1) % 3], np.eye(3)[(main + 2) % 3]
    first = first - (first @ unit) * unit
    first /= np.linalg.norm(first)
    second = second - (second @ unit) * unit - (second @ first) * first
    return first, second / np.linalg.norm(second)
