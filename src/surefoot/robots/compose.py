"""Put a robot, a terrain and loose objects into one scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.robots import guard
from surefoot.robots.objects import Loose
from surefoot.robots.placing import Standing
from surefoot.robots.scene import Note, Scene, Surface
from surefoot.robots.terrains import Terrain

KEEP = "keep"


def scene(robot: Scene | None = None, *, terrain: Terrain | str | None = KEEP, objects: Sequence[Loose] = ()) -> Scene:
    """A new scene: a robot on a terrain, with loose objects.

    Args:
        robot: a robot or a scene; it is copied, not changed. None for a scene of objects alone.
        terrain: replaces the robot's ground; None for no ground; "keep" for the one it stands on. A floating robot is
            lifted or lowered until its lowest part just touches.
        objects: boxes, balls and the like, where they say they are; they follow the robot in `State.q`.

    Returns:
        The scene. Its home is the robot's, then the objects' own poses.

    Raises:
        InputError: two things of one name, or something that is no terrain or no object.
    """
    if robot is not None and not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot from load() or None, got {robot!r}")
    return compose(robot, mujoco.MjSpec() if robot is None else robot.spec.copy(), terrain, objects)[0]


def compose(
    robot: Scene | None, spec: mujoco.MjSpec, terrain: Terrain | str | None, objects: Sequence[Loose]
) -> tuple[Scene, Standing | None]:
    """A new scene from an edited spec, with one compilation.

    Args:
        robot: whose names and home the scene has.
        spec: the robot's, edited; it becomes the scene's own.
        terrain: as in `scene`.
        objects: as in `scene`.

    Returns:
        The scene; and, if a floating robot was put on the terrain, what did so.
    """
    objects = _checked(objects)
    name = "scene" if robot is None else robot.name
    surfaces = () if robot is None else robot.surfaces
    notes = () if robot is None else robot.notes
    keep = isinstance(terrain, str) and terrain == KEEP
    if not keep:
        notes += _clear(spec, surfaces)
        surfaces = _lay(spec, terrain)
    for thing in objects:
        _refuse_taken(spec, thing.name)
        thing.add_to(spec)
    poses = [thing.pose for thing in objects]
    _extend_keyframes(spec, poses)
    home = np.concatenate([np.empty(0) if robot is None else robot.home().q, *poses])
    model = guard.compile_model(spec, name)
    standing = None
    if isinstance(terrain, Terrain) and robot is not None and _floats(model, robot.base):
        standing = Standing(model, str(robot.base), surfaces)
        home = standing.put_on(terrain, home)
    made = Scene(
        spec,
        name=name,
        joints=() if robot is None else robot.joints,
        base=None if robot is None else robot.base,
        feet=() if robot is None else robot.feet,
        objects=(() if robot is None else robot.objects) + tuple(thing.name for thing in objects),
        surfaces=surfaces,
        notes=notes,
        home=home,
        model=model,
    )
    return made, standing


def _checked(objects: Any) -> list[Loose]:
    if isinstance(objects, Loose) or not isinstance(objects, Iterable):
        raise InputError(f"objects: expected a list such as [Box(...)], got {objects!r}")
    objects = list(objects)
    for thing in objects:
        if not isinstance(thing, Loose) or isinstance(thing, type):
            raise InputError(f"objects: expected a Box, a Ball or the like, got {thing!r}")
    return objects


def _clear(spec: mujoco.MjSpec, surfaces: tuple[Surface, ...]) -> tuple[Note, ...]:
    """Take the old terrain away, and the friction pairs that name it; say which."""
    gone = {surface.geom for surface in surfaces}
    notes = []
    for pair in list(spec.pairs):
        if pair.geomname1 in gone or pair.geomname2 in gone:
            what = f"{pair.geomname1}, {pair.geomname2}"
            notes.append(Note("ignored", what, "This friction pair went with the terrain that was replaced."))
            spec.delete(pair)
    for name in gone:
        spec.delete(spec.geom(name))
    return tuple(notes)


def _lay(spec: mujoco.MjSpec, terrain: Any) -> tuple[Surface, ...]:
    if terrain is None:
        return ()
    if not isinstance(terrain, Terrain) or isinstance(terrain, type):
        raise InputError(f"terrain: expected a terrain such as Plane(), None or {KEEP!r}, got {terrain!r}")
    try:
        return terrain.add_to(spec)
    except InputError:
        raise
    except ValueError as error:  # MuJoCo: a name that the robot's file has used for something else
        raise InputError(f"terrain: it cannot stand beside what the robot's file holds: {error}") from None


def _floats(model: mujoco.MjModel, base: str | None) -> bool:
    if base is None:
        return False
    joint = model.body_jntadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, base)]
    return joint >= 0 and model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_FREE)


def _refuse_taken(spec: mujoco.MjSpec, name: str) -> None:
    for kind, things in (("body", spec.bodies), ("joint", spec.joints), ("geom", spec.geoms)):
        if any(thing.name == name for thing in things):
            raise InputError(f"objects: a {kind} is called {name!r} already; give each object a name of its own")


def _extend_keyframes(spec: mujoco.MjSpec, poses: list[NDArray[np.float64]]) -> None:
    """Keyframes list every position: let the objects follow."""
    for key in spec.keys:
        if len(key.qpos):
            key.qpos = np.concatenate([np.array(list(key.qpos)), *poses])
        if len(key.qvel):
            key.qvel = np.concatenate([np.array(list(key.qvel)), np.zeros(6 * len(poses))])
