"""Checks that controllers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.dynamics import by_joint
from surefoot.errors import InputError
from surefoot.gait import Legs
from surefoot.gait.legs import as_legs as gait_legs
from surefoot.robots.scene import Scene
from surefoot.robots.state import State


def as_robot(robot: Any) -> Scene:
    """Return a robot or scene as it is; anything else is an InputError."""
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
    return robot


def as_legs(legs: Any) -> Legs:
    """Return Legs of all of a robot's feet as they are; anything else is an InputError."""
    feet = tuple(foot.name for foot in gait_legs(legs).robot.feet)
    if legs.feet != feet:
        raise InputError(
            f"legs: expected all feet in the robot's order ({', '.join(feet)}), got {', '.join(legs.feet)}"
        )
    return legs


def check_state(robot: Scene, state: Any) -> None:
    """Raise InputError unless `state` is a finite State of this robot."""
    if not isinstance(state, State):
        raise InputError(f"state: expected a State (see robot.home()), got {type(state).__name__}")
    checks.array("state.q", state.q, (robot.nq,))
    checks.array("state.v", state.v, (robot.nv,))


def gains(robot: Scene, name: str, values: Any) -> NDArray[np.float64]:
    """One gain a joint (joints,), none of them negative, from a number, an array or a dict by name."""
    if np.ndim(values) == 0 and not hasattr(values, "keys"):
        return np.full(len(robot.joints), checks.number(name, values, at_least=0.0))
    result = by_joint(name, robot, values)[1]
    for joint, gain in zip(robot.joints, result, strict=True):
        checks.number(f"{name}[{joint!r}]", gain, at_least=0.0)
    return result


def foot_numbers(robot: Scene) -> NDArray[np.float64]:
    """(ngeom,) number of the foot that each geom belongs to, -1 for none."""
    numbers = np.full(robot.model.ngeom, -1.0)
    for number, geoms in enumerate(robot.foot_geoms([foot.name for foot in robot.feet])):
        numbers[geoms] = number
    return numbers


def foot_gains(legs: Legs, name: str, values: Any) -> NDArray[np.float64]:
    """One gain a foot (feet,), none of them negative, from a number, an array or a dict by name."""
    if hasattr(values, "keys"):
        checks.indices(name, values, legs.feet, "foot")
        values = [checks.number(f"{name}[{foot!r}]", values.get(foot, 0.0)) for foot in legs.feet]
    elif np.ndim(values) == 0:
        return np.full(len(legs.feet), checks.number(name, values, at_least=0.0))
    result = checks.array(name, values, (len(legs.feet),))
    for foot, gain in zip(legs.feet, result, strict=True):
        checks.number(f"{name}[{foot!r}]", gain, at_least=0.0)
    return result
