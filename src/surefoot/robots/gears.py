"""Gears: what the rotor of a motor adds to the inertia of the joint that it turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene


def geared(robot: Scene, gears: Mapping[str, tuple[float, float]]) -> Scene:
    """A copy of a robot whose motors drive through gears: each adds gear^2 x rotor inertia to its joint's inertia.

    The rotor's own turning with its link (gyroscopic moments) is left out, as MuJoCo's `armature` leaves it out; what
    the file gives as `armature` stays and is added to. Torques stay those at the joint; the motor's is torque / gear.

    Args:
        robot: robot or scene; it is copied, not changed.
        gears: by the name of an actuated joint: (gear, rotor inertia). Of a hinge the gear is a ratio and the inertia
            in kg m^2; of a slide the gear is in rad/m.

    Returns:
        The robot with gears.

    Raises:
        InputError: a joint that is not there or not actuated, or numbers that are none.
    """
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
    if not isinstance(gears, Mapping):
        raise InputError(f"gears: expected a dict of joint name to (gear, rotor inertia), got {type(gears).__name__}")
    checks.indices("gears", gears, robot.joints, "actuated joint")
    spec = robot.spec.copy()
    for joint, pair in gears.items():
        gear, inertia = _pair(f"gears[{joint!r}]", pair)
        spec.joint(joint).armature += gear**2 * inertia
    return Scene(
        spec,
        name=robot.name,
        joints=robot.joints,
        base=robot.base,
        feet=robot.feet,
        objects=robot.objects,
        surfaces=robot.surfaces,
        notes=robot.notes,
        home=robot._home,
    )


def _pair(name: str, pair: Any) -> tuple[float, float]:
    if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
        raise InputError(f"{name}: expected (gear, rotor inertia), got {pair!r}")
    gear, inertia = pair
    return checks.number(f"{name} gear", gear), checks.number(f"{name} rotor inertia", inertia, at_least=0.0)
