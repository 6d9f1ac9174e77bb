"""The robot of a scene alone: without the ground it stands on and without loose objects."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.robots.compose import scene as composed
from surefoot.robots.scene import Note, Scene

SIZES = {int(mujoco.mjtJoint.mjJNT_FREE): (7, 6), int(mujoco.mjtJoint.mjJNT_BALL): (4, 3)}


def bare(robot: Any) -> tuple[Scene, list[Note]]:
    """A copy of `robot` without the terrain and the objects that Surefoot knows as such; and what was left out.

    Raises:
        InputError: it is no robot, or nothing but loose objects.
    """
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot from load(), got {type(robot).__name__}")
    notes = [Note("ignored", surface.geom, "the ground: left out") for surface in robot.surfaces]
    notes += [Note("ignored", name, "a loose object: left out") for name in robot.objects]
    fields = {robot.spec.geom(surface.geom).hfieldname for surface in robot.surfaces}
    alone = composed(robot, terrain=None)
    spec = alone.spec
    in_q, in_v = _kept(alone)
    for name in alone.objects:
        spec.delete(spec.body(name))
    for field in list(spec.hfields):
        if field.name in fields:
            spec.delete(field)
    if len(spec.bodies) < 2:
        raise InputError(f"robot: expected a scene with a robot in it, got {robot!r}")
    if alone.objects:
        for key, q, v in zip(spec.keys, alone.model.key_qpos, alone.model.key_qvel, strict=True):
            key.qpos, key.qvel = q[in_q], v[in_v]
    roles: Any = {"joints": robot.joints, "base": robot.base, "feet": robot.feet, "notes": robot.notes}
    return Scene(spec, name=robot.name, home=alone.home().q[in_q], **roles), notes


def _kept(scene: Scene) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which entries of q and v are not those of loose objects."""
    model = scene.model
    in_q, in_v = np.ones(model.nq, dtype=bool), np.ones(model.nv, dtype=bool)
    loose = {model.body(name).id for name in scene.objects}
    for j in np.flatnonzero(np.isin(model.body_rootid[model.jnt_bodyid], list(loose))):
        q, v = model.jnt_qposadr[j], model.jnt_dofadr[j]
        width, height = SIZES.get(int(model.jnt_type[j]), (1, 1))
        in_q[q : q + width] = in_v[v : v + height] = False
    return in_q, in_v
