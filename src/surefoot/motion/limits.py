"""Torque limits as the user gives them: symmetric, or from low to high, for all joints or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]


def torque_range(robot: Scene, limits: Any) -> tuple[Array, Array]:
    """Lowest and highest torque of each actuated joint in N m (N); infinite where there is no limit.

    Args:
        robot: robot or scene.
        limits: None; one number for all joints; an array (joints,) of largest sizes; an array (joints, 2) of low and
            high; or a dict by joint name of numbers or (low, high) pairs.
    """
    count = len(robot.joints)
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    if limits is None:
        return low, high
    if isinstance(limits, Mapping):
        places = checks.indices("torque_limits", limits, robot.joints, "actuated joint")
        for i, value in zip(places, limits.values(), strict=True):
            low[i], high[i] = _pair(f"torque_limits[{robot.joints[i]!r}]", value)
        return low, high
    if np.ndim(limits) == 0:
        if not (isinstance(limits, float) and limits == np.inf):
            checks.number("torque_limits", limits, at_least=0.0)
        limits = np.full(count, float(limits))
    limits = checks.array("torque_limits", limits, (count,) if np.ndim(limits) == 1 else (count, 2), finite=False)
    for i, value in enumerate(limits):
        low[i], high[i] = _pair(f"torque_limits[{i}]", value)
    return low, high


def _pair(name: str, value: Any) -> tuple[float, float]:
    number = isinstance(value, int | float | np.number)
    pair = (-value, value) if number else tuple(value) if np.ndim(value) == 1 else ()
    if len(pair) != 2 or any(not isinstance(v, int | float | np.number) or np.isnan(v) for v in pair):
        given = value.tolist() if isinstance(value, np.ndarray | np.number) else value
        raise InputError(f"{name}: expected a largest torque, or (low, high), got {given!r}")
    low, high = float(pair[0]), float(pair[1])
    if not low <= high:
        raise InputError(f"{name}: expected low <= high, or a largest torque of at least 0, got {low:g} to {high:g}")
    if np.isinf(low) != np.isinf(high):
        raise InputError(f"{name}: expected both or none of low and high to be finite, got {low:g} to {high:g}")
    return low, high
