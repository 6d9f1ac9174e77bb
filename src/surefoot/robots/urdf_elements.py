"""Elements of a URDF file: links, inertias, shapes and joints, every number in full."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ModelError
from surefoot.robots import inertia as inertias
from surefoot.robots.poses import Pose, pose, roll_pitch_yaw, shifted

SPHERE, CAPSULE, CYLINDER, BOX, MESH = (
    int(kind)
    for kind in (
        mujoco.mjtGeom.mjGEOM_SPHERE,
        mujoco.mjtGeom.mjGEOM_CAPSULE,
        mujoco.mjtGeom.mjGEOM_CYLINDER,
        mujoco.mjtGeom.mjGEOM_BOX,
        mujoco.mjtGeom.mjGEOM_MESH,
    )
)
SHOWN = 3  # MuJoCo draws geoms of groups below this one unless told otherwise


def numbers(values: Iterable[Any]) -> str:
    """Numbers as text that reads back to the same bits."""
    return " ".join(repr(float(value)) for value in values)


def add_origin(element: ET.Element, place: Pose) -> None:
    """Say where something is, unless it is at the origin."""
    angles = roll_pitch_yaw(place.turn)
    if place.shift.any() or angles.any():
        ET.SubElement(element, "origin", xyz=numbers(place.shift), rpy=numbers(angles))


def add_inertial(link: ET.Element, mass: float, centre: NDArray[np.float64], matrix: NDArray[np.float64]) -> None:
    """Give a link its mass in kg, centre of mass (3,) in m and inertia about it (3, 3) in kg m^2, in its own axes."""
    if inertias.needs_rounding(matrix):
        matrix = inertias.rounded(matrix)
    element = ET.SubElement(link, "inertial")
    add_origin(element, shifted(centre))
    ET.SubElement(element, "mass", value=repr(float(mass)))
    keys = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    ET.SubElement(element, "inertia", {key: repr(float(matrix[at])) for key, at in keys.items()})


def body_inertia(model: mujoco.MjModel, b: int) -> NDArray[np.float64]:
    """(3, 3) inertia of a body about its centre of mass in its own axes, in kg m^2; exactly symmetric."""
    turn = pose(model.body_iquat[b], np.zeros(3)).turn
    matrix = turn @ np.diag(model.body_inertia[b]) @ turn.T
    return (matrix + matrix.T) / 2


def add_shape(link: ET.Element, spec: mujoco.MjSpec, model: mujoco.MjModel, g: int, frame: Pose) -> str | None:
    """Add a geom to a link as something to look at, to touch, or both.

    Args:
        link: the element.
        spec: the robot's; names the files of meshes.
        model: compiled from it.
        g: index of the geom.
        frame: the link's frame in that of the geom's body.

    Returns:
        What is wrong with a geom that is only looked at and was left out, else None.

    Raises:
        ModelError: a geom that touches and that URDF cannot say.
    """
    touches = bool(model.geom_contype[g] or model.geom_conaffinity[g])
    place = frame.inverse() @ pose(model.geom_quat[g], model.geom_pos[g])
    try:
        solids = _solids(spec, model, g, place)
    except ValueError as error:
        if touches:
            raise ModelError(f"{spec.modelname}: geom {model.geom(g).name!r}: {error}") from None
        return str(error)
    kinds = ["visual"] * (not touches or bool(model.geom_group[g] < SHOWN)) + ["collision"] * touches
    for kind in kinds:
        for where, solid, attributes in solids:
            element = ET.SubElement(link, kind)
            add_origin(element, where)
            ET.SubElement(ET.SubElement(element, "geometry"), solid, attributes)
            if kind == "visual":
                material = ET.SubElement(element, "material", name=f"{model.geom(g).name}_colour")
                paint = int(model.geom_matid[g])
                colour = model.geom_rgba[g] if paint < 0 else model.mat_rgba[paint]
                ET.SubElement(material, "color", rgba=" ".join(f"{c:.6g}" for c in colour))
    return None


def _solids(spec: mujoco.MjSpec, model: mujoco.MjModel, g: int, place: Pose) -> list[tuple[Pose, str, dict[str, str]]]:
    """Place, tag and attributes of the solids that make up a geom."""
    kind = int(model.geom_type[g])
    size = model.geom_size[g]
    if kind == SPHERE:
        return [(place, "sphere", {"radius": numbers(size[:1])})]
    if kind == BOX:
        return [(place, "box", {"size": numbers(2 * size)})]
    if kind in (CYLINDER, CAPSULE):
        radius = numbers(size[:1])
        ends = [place @ shifted([0, 0, z]) for z in (-size[1], size[1])] if kind == CAPSULE else []
        rod = (place, "cylinder", {"radius": radius, "length": numbers([2 * size[1]])})
        return [rod, *((end, "sphere", {"radius": radius}) for end in ends)]
    if kind == MESH:
        return [_mesh(spec, model, int(model.geom_dataid[g]), place)]
    name = mujoco.mjtGeom(kind).name.removeprefix("mjGEOM_").lower()
    raise ValueError(f"URDF has no {name}")


def _mesh(spec: mujoco.MjSpec, model: mujoco.MjModel, m: int, place: Pose) -> tuple[Pose, str, dict[str, str]]:
    """MuJoCo turns and shifts a mesh to its own principal axes; undo that."""
    mesh = spec.mesh(model.mesh(m).name)
    if not mesh.file:
        raise ValueError(f"URDF names meshes by their file, and the mesh {mesh.name!r} has none")
    if np.any(mesh.refpos) or not np.array_equal(mesh.refquat, [1, 0, 0, 0]):
        raise ValueError(f"URDF has no refpos or refquat, which the mesh {mesh.name!r} has")
    own = place @ pose(model.mesh_quat[m], model.mesh_pos[m]).inverse()
    return own, "mesh", {"filename": mesh.file, "scale": numbers(mesh.scale)}


@dataclass(frozen=True)
class JointText:
    """What a URDF says about a joint beside its two links.

    Attributes:
        kind: "revolute", "continuous", "prismatic" or "fixed".
        origin: place of the joint in the parent link's frame.
        axis: (3,) in the child link's frame.
        limit: lower, upper, effort, velocity; None for none.
        damping: viscous, in N m s or N s/m.
        friction: dry, in N m or N.
        mimic: leader, multiplier and offset, or None.
    """

    kind: str
    origin: Pose
    axis: NDArray[np.float64] | None = None
    limit: dict[str, float] | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: tuple[str, float, float] | None = None


def add_joint(robot: ET.Element, name: str, parent: str, child: str, text: JointText) -> None:
    """Add a joint between two links."""
    element = ET.SubElement(robot, "joint", name=name, type=text.kind)
    ET.SubElement(element, "parent", link=parent)
    ET.SubElement(element, "child", link=child)
    add_origin(element, text.origin)
    if text.axis is not None:
        ET.SubElement(element, "axis", xyz=numbers(text.axis))
    if text.limit is not None:
        ET.SubElement(element, "limit", {key: numbers([value]) for key, value in text.limit.items()})
    if text.damping or text.friction:
        ET.SubElement(element, "dynamics", damping=numbers([text.damping]), friction=numbers([text.friction]))
    if text.mimic is not None:
        leader, multiplier, offset = text.mimic
        ET.SubElement(element, "mimic", joint=leader, multiplier=numbers([multiplier]), offset=numbers([offset]))
