"""Write a robot as an MJCF file."""

from __future__ import annotations

import os
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robots import carry, packing, told
from surefoot.robots.bare import bare
from surefoot.robots.scene import Note, Scene

KEY_FIELDS = ("name", "time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat")


def write_mjcf(robot: Scene, path: str | os.PathLike[str]) -> tuple[Note, ...]:
    """Write a robot as an MJCF file, without its ground and without loose objects.

    Every number is written in full: MuJoCo compiles the file to the robot that was given. Its resting pose is the first
    keyframe; its driven joints and its feet are custom texts, by which `load` finds them again. Meshes and other files
    that it names are copied into a folder beside it (`robot.xml`: `robot_files`).

    Args:
        robot: from `load`, `scene` or a bundled family.
        path: the file to write; its folder must exist.

    Returns:
        What was left out.

    Raises:
        InputError: no robot, no such folder, or a file that cannot be written.
        ModelError: a file that the robot needs has gone.
    """
    file = carry.target(path)
    alone, notes = bare(robot)
    spec = alone.spec
    spec.modelname = robot.name
    told.tell(spec, alone.joints, alone.feet)
    _rest_first(spec, alone.model, alone.home().q)
    files = carry.gather(spec, f"{file.stem}_files")
    carry.put(file, packing.pack(spec).xml, files)
    return tuple(notes)


def _rest_first(spec: mujoco.MjSpec, model: mujoco.MjModel, home: NDArray[np.float64]) -> None:
    """Let the first keyframe be the resting pose."""
    if model.nkey and np.array_equal(model.key_qpos[0], home):
        return
    keys: list[dict[str, Any]] = [{field: getattr(key, field) for field in KEY_FIELDS} for key in spec.keys]
    keys = [{f: x if isinstance(x, str | float) else np.array(list(x)) for f, x in key.items()} for key in keys]
    for key in list(spec.keys):
        spec.delete(key)
    taken = {key["name"] for key in keys}
    name = "home"
    while name in taken:
        name += "_"
    for key in ({"name": name, "qpos": home}, *keys):
        spec.add_key(**key)
