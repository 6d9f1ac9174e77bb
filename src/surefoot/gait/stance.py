"""How a robot stands: length, width and height of its stance, and how the base is held over it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.gait.legs import Legs, as_legs

Array = NDArray[np.float64]


def stance(
    legs: Legs,
    *,
    length: float | None = None,
    width: float | None = None,
    height: float | None = None,
    relative: bool = False,
    offset: Any = (0.0, 0.0, 0.0),
    orientation: Any = (0.0, 0.0, 0.0),
) -> Array:
    """Places (feet, 3) of the feet in m in the base's frame, for `Planner(places=...)` [Zapolsky2017, table 17].

    What is None stays as in `robot.home()`. Each foot keeps its side: places are stretched about their centre. The
    planner moves feet in the base's own plane, so a base that is held tilted is for standing and for small steps.

    Args:
        legs: the robot's legs.
        length: from the hindmost to the foremost foot in m; relative: of the hips' length.
        width: from the rightmost to the leftmost foot in m; relative: of the hips' width.
        height: of the base above the centres of the feet in m; relative: of the hips, as a share of the shortest leg's
            reach.
        relative: whether lengths are shares.
        offset: (3,) m by which the base is moved forward, left and up over the feet.
        orientation: (3,) roll, pitch and yaw of the base in rad, over feet that stay where they are: first yaw, then
            pitch (positive: nose down), then roll (positive: left side up).

    Raises:
        InputError: a place is out of reach; the text names the foot and what is missing.

    Example:
        places = sf.gait.stance(legs, length=1.2, width=1.2, height=0.75, relative=True)
    """
    places = as_legs(legs).home.copy()
    for axis, (name, size) in enumerate((("length", length), ("width", width))):
        if size is not None:
            wanted = checks.number(name, size, at_least=0.0)
            pattern = (legs.hips if relative else legs.home)[:, axis]
            places[:, axis] = pattern.mean() + _share(name, wanted, pattern, relative) * (pattern - pattern.mean())
    if height is not None:
        wanted = checks.number("height", height, above=0.0)
        places[:, 2] = legs.hips[:, 2].mean() - wanted * legs.reach.min() if relative else -wanted
    turn = _rotation(*checks.array("orientation", orientation, (3,)))
    places = (places - checks.array("offset", offset, (3,))) @ turn  # rows times R are R'x: seen from the turned base
    legs.angles(places)  # which says what is out of reach
    return places


def _share(name: str, wanted: float, pattern: Array, relative: bool) -> float:
    """By how much to stretch."""
    extent = float(np.ptp(pattern))
    if relative or wanted == extent:
        return wanted if relative else 1.0
    if extent < 1e-9:
        raise InputError(f"{name}: the feet have none that could be stretched to {wanted:g} m")
    return wanted / extent


def _rotation(roll: float, pitch: float, yaw: float) -> Array:
    """From the base's frame to that of the feet: about z by yaw, about the new y by pitch, about the new x by roll."""
    (a, b), (c, d), (e, f) = ((math.cos(angle), math.sin(angle)) for angle in (yaw, pitch, roll))
    z = np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, 1.0]])
    y = np.array([[c, 0.0, d], [0.0, 1.0, 0.0], [-d, 0.0, c]])
    x = np.array([[1.0, 0.0, 0.0], [0.0, e, -f], [0.0, f, e]])
    return z @ y @ x
