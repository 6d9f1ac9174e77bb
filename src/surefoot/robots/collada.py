"""COLLADA (.dae) meshes, of which MuJoCo has no reader: the triangles alone, for collision.

Node transforms and the file's unit are applied; the up axis is not, as in RViz and Pinocchio, since URDF meshes are
drawn in the link's own axes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

POLYGONS = ("triangles", "polylist", "polygons")
DEEPEST = 100  # nested nodes


class ColladaError(ValueError):
    """The file holds no mesh that can be read."""


def to_obj(path: Path) -> bytes:
    """The triangles of a COLLADA file as a Wavefront OBJ file, in m.

    Raises:
        ColladaError: the file is not readable or has no triangles.
    """
    try:
        points, faces = read(path)
    except (ET.ParseError, OSError, ValueError, IndexError, KeyError) as error:
        raise ColladaError(f"not readable as COLLADA: {error}") from None
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
    lines += [f"f {a} {b} {c}" for a, b, c in faces + 1]
    return ("\n".join(lines) + "\n").encode()


def read(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points (n, 3) in m and triangles (m, 3) of all meshes in the file's scene."""
    xml = ET.parse(path).getroot()
    for element in xml.iter():  # drop the namespace
        element.tag = element.tag.rpartition("}")[2]
    unit = xml.find("asset/unit")
    metre = float(unit.get("meter", 1)) if unit is not None else 1.0
    by_id = {f"#{element.get('id')}": element for element in xml.iter() if element.get("id")}
    points: list[NDArray[np.float64]] = []
    faces: list[NDArray[np.int64]] = []
    count = 0
    for geometry, place in _instances(xml, by_id):
        vertices, triangles = _mesh(geometry, by_id)
        points.append(metre * (vertices @ place[:3, :3].T + place[:3, 3]))
        faces.append(triangles + count)
        count += len(vertices)
    if not faces or not sum(map(len, faces)):
        raise ColladaError("it holds no triangles")
    return np.vstack(points), np.vstack(faces)


def _instances(xml: ET.Element, by_id: dict[str, ET.Element]) -> Iterator[tuple[ET.Element, NDArray[np.float64]]]:
    """Each use of a geometry in the scene with its (4, 4) place; every geometry once if the file has no scene."""
    scene = xml.find("scene/instance_visual_scene")
    top = by_id.get(scene.get("url", "")) if scene is not None else xml.find("library_visual_scenes/visual_scene")
    if top is None:
        for geometry in xml.iter("geometry"):
            yield geometry, np.eye(4)
        return
    waiting = [(node, np.eye(4), 0) for node in top.findall("node")]
    while waiting:
        node, outer, depth = waiting.pop()
        if depth > DEEPEST:
            raise ColladaError(f"its nodes are nested more than {DEEPEST} deep")
        place = outer @ _transform(node)
        for instance in node.findall("instance_geometry"):
            yield by_id[instance.get("url", "")], place
        children = node.findall("node") + [by_id[use.get("url", "")] for use in node.findall("instance_node")]
        waiting.extend((child, place, depth + 1) for child in children)


def _transform(node: ET.Element) -> NDArray[np.float64]:
    """(4, 4) product of a node's own transforms, in file order."""
    total = np.eye(4)
    for element in node:
        if element.tag not in ("matrix", "translate", "scale", "rotate"):
            continue
        numbers = _floats(element)
        step = np.eye(4)
        if element.tag == "matrix":
            step = numbers.reshape(4, 4)
        elif element.tag == "translate":
            step[:3, 3] = numbers
        elif element.tag == "scale":
            step[:3, :3] = np.diag(numbers)
        else:
            axis, angle = numbers[:3] / np.linalg.norm(numbers[:3]), np.radians(numbers[3])
            x, y, z = axis
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            step[:3, :3] = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        total = total @ step
    return total


def _mesh(geometry: ET.Element, by_id: dict[str, ET.Element]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    mesh = geometry.find("mesh")
    if mesh is None:
        return np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    vertices = np.empty((0, 3))
    triangles = [np.empty((0, 3), dtype=np.int64)]
    for kind in POLYGONS:
        for block in mesh.findall(kind):
            inputs = {item.get("semantic"): item for item in block.findall("input")}
            offset = int(inputs["VERTEX"].get("offset", 0))
            stride = 1 + max(int(item.get("offset", 0)) for item in block.findall("input"))
            vertices = _positions(by_id[inputs["VERTEX"].get("source", "")], by_id)
            for corners in _polygons(block, stride):
                ring = corners[:, offset]
                fan = np.column_stack([np.full(len(ring) - 2, ring[0]), ring[1:-1], ring[2:]])
                triangles.append(fan)
    faces = np.vstack(triangles)
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ColladaError("a face names a point that does not exist")
    return vertices, faces


def _polygons(block: ET.Element, stride: int) -> Iterator[NDArray[np.int64]]:
    """The corners of each polygon, (corners, stride)."""
    for element in block.findall("p"):
        numbers = np.array((element.text or "").split(), dtype=np.int64).reshape(-1, stride)
        if block.tag == "triangles":
            yield from numbers.reshape(-1, 3, stride)
        elif block.tag == "polygons":
            yield numbers
        else:
            counts = np.array((block.findtext("vcount") or "").split(), dtype=np.int64)
            yield from (ring for ring in np.split(numbers, np.cumsum(counts)[:-1]) if len(ring) > 2)


def _positions(vertices: ET.Element, by_id: dict[str, ET.Element]) -> NDArray[np.float64]:
    position = next(item for item in vertices.findall("input") if item.get("semantic") == "POSITION")
    source = by_id[position.get("source", "")]
    accessor = source.find("technique_common/accessor")
    stride = int(accessor.get("stride", 3)) if accessor is not None else 3
    values = source.find("float_array")
    if values is None:
        raise ColladaError("its points are missing")
    return _floats(values).reshape(-1, stride)[:, :3]


def _floats(element: ET.Element) -> NDArray[np.float64]:
    return np.array((element.text or "").split(), dtype=np.float64)
