"""The experiment behind `surefoot balance`: which robot on which ground, which moves, which pushes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import surefoot as sf
from surefoot.errors import InputError
from surefoot.robots.families import FAMILIES
from surefoot.robots.scene import Scene
from surefoot.whole_body.push_recovery import DIRECTIONS, LASTS, SETTLES

DT = 1e-3  # s, of plant and controller
REST = 0.5  # s to stand after the last move
PUSHED = 3.0  # s, of a roll-out with a push in it
_TRIES = 7  # that a direction takes or so


def stand_on(name: str, mu: float) -> Scene:
    """A robot on a plane, with bent knees, and spheres for feet that are meshes.

    Args:
        name: bundled name or path, see `sf.load`.
        mu: friction.
    """
    robot = sf.load(name) if name in FAMILIES else sf.load(name, meshes="spheres")
    if robot.base is None:
        raise InputError(f"robot: {robot.name!r} is bolted down and cannot fall")
    if not robot.feet:
        raise InputError(f"robot: expected feet to stand on, got none in {robot.name!r}")
    return sf.whole_body.ready(sf.scene(robot, terrain=sf.Plane(mu=mu)))


def moves(scene: Scene, motion: str, duration: float, mu: float | None = None) -> Any:
    """What to do, as Moves.

    Args:
        scene: the robot on its ground.
        motion: "all", "stand", "squat", "shift", "lift" or "push".
        duration: s, of squats and weight shifts, by halves if it is all.
        mu: friction that is counted on; None: the ground's.
    """
    body = sf.whole_body
    if motion == "all":
        both = body.squats(scene, 0.5 * duration).then(body.shifts(scene, 0.5 * duration, mu=mu))
        return both.then(body.lifts(scene))
    if motion == "lift":
        return body.lifts(scene)
    if motion == "shift":
        return body.shifts(scene, duration, mu=mu)
    return body.squats(scene, duration) if motion == "squat" else body.stand(scene, duration)


def hardest(plant: Any, policy: Any, progress: Callable[[int, int], None]) -> dict[str, Any]:
    """The largest push in each direction.

    Args:
        plant: simulator.
        policy: of the controller.
        progress: called with pushes tried and about how many there will be.
    """
    found: dict[str, Any] = {}
    for k, (name, angle) in enumerate(DIRECTIONS.items()):
        found[name] = sf.whole_body.largest_push(
            plant,
            policy,
            plant.scene.home(),
            (np.cos(angle), np.sin(angle)),
            duration=PUSHED,
            progress=lambda tried, k=k: progress(_TRIES * k + min(tried, _TRIES), _TRIES * len(DIRECTIONS)),
        )
    return found


def as_push(pushed: dict[str, Any]) -> tuple[Any, ...]:
    """The hardest push to the left that was survived, to look at."""
    impulse = pushed["left"].survived
    return (sf.Push((0.0, impulse / LASTS, 0.0), SETTLES, LASTS),)
