"""The experiment behind `surefoot walk`: which ground, which law for plant and controller."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import surefoot as sf
from surefoot import checks
from surefoot.control import Walk
from surefoot.control.walk import weight
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Terrain

MU = 0.7
ROUGH_MU = (0.1, 1.5)  # drawn for each cell, as in [Zapolsky2015]
SINK = 1e-3  # m that feet sink into soft ground at rest, as there
HILLS = 1000 / 9.0  # a square metre, as there
WAYPOINTS = ((0.0, 0.0), (0.25, 0.0), (0.0, 0.25), (0.0, -0.25), (-0.25, 0.0))  # m, as there
MARGIN = 0.5  # m of ground beyond where the robot may get


def terrain(kind: str, mu: float | None, farthest: float) -> Terrain:
    """The ground to walk on.

    Args:
        kind: "plane", "rough" or "soft".
        mu: friction; None: 0.7, on rough ground 0.1 to 1.5 at random.
        farthest: m that the robot may go from the origin; rough ground reaches that far, and at least 1.5 m.
    """
    if kind != "rough":
        return sf.Plane(mu=MU if mu is None else mu)
    side = float(max(3, math.ceil(2 * (farthest + MARGIN))))
    return sf.HeightMap(size=(side, side), hills=round(HILLS * side**2), mu=ROUGH_MU if mu is None else mu)


def plant_law(kind: str, scene: Scene) -> Any:
    """The law of the ground itself: rigid, or so soft that the robot sinks in 1 mm at rest, critically damped."""
    if kind != "soft":
        return sf.Coulomb()
    load = weight(scene) / len(scene.feet)
    stiffness = load / SINK
    return sf.Compliant(stiffness, 2.0 * math.sqrt(stiffness * load / float(np.linalg.norm(scene.model.opt.gravity))))


def believed_law(name: str | None, plant: Any) -> Any:
    """The controller's law.

    Args:
        name: of a law; None: the ground's own.
        plant: the ground's law.
    """
    if name is None or name == plant.name:
        return plant
    if name == sf.Compliant.name:
        raise InputError("--law: compliant belongs to --terrain soft, and the ground is rigid")
    return name


def farthest(walk: Walk, duration: float) -> float:
    """How far in m from the origin a walk may get."""
    if walk.waypoints is not None:
        return float(np.linalg.norm(checks.array("waypoints", walk.waypoints, (None, 2)), axis=1).max(initial=0.0))
    return duration * math.hypot(checks.number("forward", walk.forward), checks.number("left", walk.left))
