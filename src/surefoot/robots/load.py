"""Load a robot: a bundled name, an MJCF or a URDF."""

from __future__ import annotations

import difflib
import os
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import EllipsisType
from typing import Any

import mujoco

from surefoot import checks
from surefoot.errors import InputError, ModelError
from surefoot.robots import families, guard
from surefoot.robots.assemble import Wishes, assemble
from surefoot.robots.inertia import balance_spec
from surefoot.robots.meshes import compiled, example_robot_data
from surefoot.robots.roles import name_all
from surefoot.robots.scene import Note, Scene
from surefoot.robots.terrains import Terrain
from surefoot.robots.urdf_load import from_urdf

EXAMPLE = "example:"
MESHES = ("keep", "drop", "spheres")
# Robots of example-robot-data that people know by another name than their file's.
ALIASES = {
    "anymal": "anymal_b_simple_description/anymal",
    "anymal_b": "anymal_b_simple_description/anymal",
    "anymal_c": "anymal_c_simple_description/anymal",
    "talos": "talos_reduced",
    "ur3": "ur3_robot",
    "ur5": "ur5_robot",
    "ur10": "ur10_robot",
    "g1": "g1_29dof_rev_1_0",
    "hyq": "hyq_no_sensors",
}


def load(
    robot: str | os.PathLike[str],
    *,
    floating: bool | None = None,
    feet: Sequence[str] | Mapping[str, float] | None = None,
    passive: Sequence[str] = (),
    ground: Terrain | EllipsisType | None = ...,
    balance_inertia: bool = False,
    meshes: str = "keep",
) -> Scene:
    """Load a robot and put it on the ground.

    Args:
        robot: a bundled name ("links"), a path to an MJCF or URDF file (told apart by their content), or
            "example:solo12" for a robot of the package example-robot-data.
        floating: whether a URDF's root link is free to move. None: yes if at least two limbs reach lower than the root
            link with all joints at zero and the root is not called world, map, odom or ground (`roles.is_floating`).
            An MJCF says it by its own free joint; True adds one where it has none.
        feet: links or geoms meant to touch; a dict of link name to radius in m puts a sphere at the link's origin.
            None: the outermost links that reach down to the lowest tenth of a floating robot (`feet.detected`).
        passive: joints without a motor.
        ground: a terrain; None for no ground; by default a floating robot whose file has no world geometry stands on a
            plane at z = 0.
        balance_inertia: replace impossible inertias by the mean of their principal values, and give moving links
            without mass a tiny one. Each repair is noted.
        meshes: "keep"; "drop" to go on without collision meshes that are missing or unreadable; "spheres" to replace
            the feet's meshes by fitted spheres.

    Returns:
        The scene; `surefoot.check` lists all that was ignored, excluded, repaired or assumed.

    Raises:
        InputError: an argument is not what it should be.
        ModelError: the file cannot be used; the text names the link or joint and what to do.
    """
    wishes = Wishes(
        floating=None if floating is None else bool(checks.choice("floating", floating, (True, False))),
        feet=feet,
        passive=_names("passive", passive),
        ground=_terrain(ground),
        balance_inertia=bool(checks.choice("balance_inertia", balance_inertia, (True, False))),
        meshes=checks.choice("meshes", meshes, MESHES),
    )
    if isinstance(robot, str) and robot in families.FAMILIES:
        return _bundled(robot, wishes)
    path = _path(robot)
    text = _read(path)
    try:
        xml = ET.fromstring(text)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ModelError(f"{path}: not readable as XML: {error}") from None
    kind = xml.tag.rpartition("}")[2]
    if kind == "robot":
        guard.check_sizes(xml, path)
        return from_urdf(text, path, wishes)
    if kind == "mujoco":
        return _from_mjcf(xml, path, wishes)
    if kind == "sdf":
        raise ModelError(f"{path}: SDF is not read; convert it to MJCF, for example with sdf2mjcf of gz-mujoco")
    raise ModelError(f"{path}: expected <mujoco> (MJCF) or <robot> (URDF) as the outermost element, got <{kind}>")


def example_robot(name: str) -> Path:
    """The URDF of a robot in the package example-robot-data (extra `robots`).

    Args:
        name: its file's name without ending ("solo12", "a1", "panda"), or a short name ("anymal", "talos", "ur5").
    """
    share = example_robot_data()
    if share is None:
        raise InputError(
            f"robot: {name!r} is in example-robot-data, which is not installed; pip install 'surefoot[robots]'"
        )
    folder = share / "example-robot-data" / "robots"
    files = {file.stem: file for file in sorted(folder.glob("*/*/*.urdf"))}
    files |= {f"{file.parent.parent.name}/{file.stem}": file for file in folder.glob("*/*/*.urdf")}
    files |= {alias: files[target] for alias, target in ALIASES.items() if target in files}
    known = sorted(stem for stem in files if "/" not in stem)
    if name not in files:
        checks.indices("robot", [name], known, "robot of example-robot-data")
    return files[name]


def _bundled(name: str, wishes: Wishes) -> Scene:
    for argument, value in wishes.beside_ground().items():
        raise InputError(
            f"{argument}: {name!r} is a bundled robot and takes only ground=...; "
            f"vary its dataclass in surefoot.robots.families instead, got {value!r}"
        )
    return families.build(name) if wishes.ground is ... else families.build(name, ground=wishes.ground)


def _path(robot: Any) -> Path:
    if isinstance(robot, str) and robot.startswith(EXAMPLE):
        return example_robot(robot.removeprefix(EXAMPLE))
    if not isinstance(robot, str | os.PathLike):
        raise InputError(f"robot: expected a bundled name or a path, got {type(robot).__name__}")
    if not os.fspath(robot):
        raise InputError(f"robot: expected a bundled name or a path, got an empty string; {_choices()}")
    path = Path(robot)
    if "\0" in str(path):
        raise InputError("robot: expected a path, got one with a null character in it")
    if path.exists():
        return path
    near = difflib.get_close_matches(str(robot), list(families.FAMILIES), n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    raise InputError(f"robot: no bundled robot and no file is called {str(robot)!r}; {meant}{_choices()}")


def _choices() -> str:
    bundled = ", ".join(families.FAMILIES)
    return f"The bundled robots are: {bundled}; robots of example-robot-data are called 'example:NAME'"


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise ModelError(f"{path}: expected a file, got a folder")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None


def _terrain(ground: Any) -> Any:
    if ground is None or ground is ... or (isinstance(ground, Terrain) and not isinstance(ground, type)):
        return ground
    raise InputError(f"ground: expected a terrain such as Plane(), or None, got {ground!r}")


def _names(argument: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InputError(f"{argument}: expected a list of names, got the string {names!r}")
    if not isinstance(names, Iterable):
        raise InputError(f"{argument}: expected a list of names, got {names!r}")
    return tuple(names)


def _from_mjcf(xml: ET.Element, path: Path, wishes: Wishes) -> Scene:
    guard.check_sizes(xml, path)
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except (ValueError, mujoco.FatalError) as error:
        raise ModelError(f"{path}: MuJoCo cannot read this file: {' '.join(str(error).split())}") from None
    notes: list[Note] = []
    if wishes.balance_inertia:
        balance_spec(spec, notes)
    if wishes.floating is False and any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in spec.joints):
        raise InputError("floating: this MJCF has a free joint; remove it from the file to bolt the robot down")
    name_all(spec, notes)
    compiled(spec, path, notes, drop=wishes.meshes == "drop", drop_unseen=False)
    return assemble(
        spec, path, wishes, notes, name=path.stem if spec.modelname in ("", "MuJoCo Model") else spec.modelname
    )
