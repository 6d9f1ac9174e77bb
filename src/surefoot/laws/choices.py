"""Choices that several laws share."""

from __future__ import annotations

import math
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import smooth as goals

SMOOTH = {
    False: goals.NOTHING,
    True: goals.LEAST_TORQUE,
    "torque": goals.LEAST_TORQUE,
    "change": goals.LEAST_CHANGE,
    "load": goals.EVEN_LOAD,
}


def smoothing(smooth: Any) -> int:
    """What stage II aims at, checked."""
    if not isinstance(smooth, bool | str):
        raise InputError(f"smooth: expected one of {', '.join(map(repr, SMOOTH))}, got {smooth!r}")
    return SMOOTH[checks.choice("smooth", smooth, SMOOTH)]


def belief(mu: float | None) -> float:
    """The law's own coefficient of friction; NaN: the scene's."""
    return math.nan if mu is None else checks.friction("mu", mu)


def pyramid(edges: Any) -> int:
    """Number of edges, checked."""
    if not isinstance(edges, int) or edges not in (4, 8, 16):
        raise InputError(f"edges: expected one of 4, 8, 16, got {edges!r}")
    return edges


def switch(name: str, value: Any) -> bool:
    """A choice between True and False, checked."""
    if not isinstance(value, bool):
        raise InputError(f"{name}: expected True or False, got {value!r}")
    return value
