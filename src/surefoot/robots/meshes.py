"""Mesh files of a URDF: where they are, which MuJoCo can read, and spheres in their place."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ModelError
from surefoot.robots import collada, guard
from surefoot.robots.scene import Note
from surefoot.robots.urdf import Urdf

READABLE = (".stl", ".obj", ".msh")


@cache
def example_robot_data() -> Path | None:
    """The `share` folder that holds the package example-robot-data, or None if it is not installed."""
    for place in ("cmeel", "example_robot_data"):
        spec = importlib.util.find_spec(place)
        for location in () if spec is None else spec.submodule_search_locations or ():
            share = Path(location).parent / "cmeel.prefix" / "share"
            if (share / "example-robot-data" / "robots").is_dir():
                return share
    return None


def find(reference: str, file: Path) -> Path | None:
    """The file that a URDF's mesh reference means, or None if it is nowhere.

    `package://NAME/rest` is looked for, in this order, beside each folder above the URDF, in the entries of
    ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, in example-robot-data, and last as `rest` below the URDF's own
    folders (a package whose folder was renamed).

    Args:
        reference: text of the `filename` attribute.
        file: the URDF.
    """
    for candidate in _candidates(unquote(reference), file.resolve()):
        if candidate.is_file():
            return candidate
    return None


def _candidates(reference: str, file: Path) -> Iterator[Path]:
    scheme, _, rest = reference.partition("://")
    if not rest:
        yield file.parent / reference
        return
    if scheme == "file":
        yield Path(rest)
        return
    package, _, inside = rest.lstrip("/").partition("/")
    for folder in file.parents:
        yield folder / package / inside
        if folder.name == package:
            yield folder / inside
    for entry in filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)):
        yield Path(entry) / package / inside
        if Path(entry).name == package:
            yield Path(entry) / inside
    for entry in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        yield Path(entry) / "share" / package / inside
    share = example_robot_data()
    if share is not None:
        yield share / package / inside
        yield share / "example-robot-data" / "robots" / package / inside
    for folder in list(file.parents)[:3]:
        yield folder / inside


def resolve(urdf: Urdf, *, drop: bool) -> None:
    """Turn every mesh reference into an absolute path; edits the XML.

    A mesh to look at that is missing or unreadable is left out with a note; so are COLLADA files to look at, which
    would make loading and every later compilation some hundred times slower. A mesh to collide with is needed: COLLADA
    is read, and without `drop` its absence is an error.

    Raises:
        ModelError: a collision mesh is missing or of a format MuJoCo cannot read; names the link and the remedy.
    """
    unseen: dict[str, list[str]] = {}
    for link, element in urdf.links.items():
        for kind in ("visual", "collision"):
            for shape in element.findall(kind):
                mesh = shape.find("geometry/mesh")
                if mesh is None:
                    continue
                reference = mesh.get("filename", "")
                found = find(reference, urdf.path)
                problem = _problem(found)
                if kind == "collision" and found is not None and found.suffix.lower() == ".dae":
                    problem, found = _take_collada(urdf, found)
                if problem is None:
                    mesh.set("filename", str(found))
                    continue
                element.remove(shape)
                if kind == "visual":
                    unseen.setdefault(problem, []).append(link)
                elif drop:
                    urdf.notes.append(Note("ignored", link, f"collision mesh {reference!r} was dropped: {problem}"))
                else:
                    raise ModelError(
                        f"{urdf.path}: link {link!r}: collision mesh {reference!r}: {problem}; "
                        f"{_remedy(reference, found)}, or pass meshes='drop' to go on without it"
                    )
    for problem, links in unseen.items():
        urdf.notes.append(
            Note("ignored", ", ".join(dict.fromkeys(links)), f"meshes to look at were dropped: {problem}")
        )


def compiled(
    spec: mujoco.MjSpec, path: Path, notes: list[Note], *, drop: bool, drop_unseen: bool = True
) -> mujoco.MjModel:
    """Compile; leave out meshes that MuJoCo cannot open or read, if allowed, with a note; edits `spec`.

    Args:
        spec: the model.
        path: its file, for messages.
        notes: is added to.
        drop: leave out any such mesh.
        drop_unseen: leave out those that are only looked at (right if no geom has mass, as in a URDF).

    Raises:
        ModelError: a mesh is broken, naming the link and the remedy; or whatever else MuJoCo refuses.
    """
    while True:
        try:
            return spec.compile()
        except (ValueError, mujoco.FatalError) as error:
            message = str(error)
        mesh = _culprit(spec, message)
        users = [] if mesh is None else [geom for geom in spec.geoms if geom.meshname == mesh.name]
        if mesh is None or not users:
            raise ModelError(f"{path}: {guard.explain(message)}")
        problem = " ".join(message.removeprefix("Error: ").split("\n")[0].split())
        needed = [geom.parent.name for geom in users if not drop_unseen or geom.contype or geom.conaffinity]
        if needed and not drop:
            raise ModelError(
                f"{path}: link {needed[0]!r}: mesh {mesh.file!r}: {problem}; "
                "repair it, or pass meshes='drop' to go on without it"
            )
        links = ", ".join(dict.fromkeys(geom.parent.name for geom in users))
        notes.append(Note("ignored", links, f"mesh {Path(mesh.file).name!r} was dropped: {problem}"))
        for item in (*users, mesh):
            spec.delete(item)


def _culprit(spec: mujoco.MjSpec, message: str) -> mujoco.MjsMesh | None:
    """The mesh that an error of MuJoCo's compiler is about."""
    named = guard.ELEMENT.search(message)
    if named and spec.mesh(named.group(1)) is not None:
        return spec.mesh(named.group(1))
    opened = re.search(r"Error opening file '([^']*)'", message)
    name = Path(opened.group(1)).name if opened else ""
    return next((mesh for mesh in spec.meshes if name and Path(mesh.file).name == name), None)


def _take_collada(urdf: Urdf, file: Path) -> tuple[str | None, Path]:
    """Turn a COLLADA file into one that MuJoCo reads, in memory; return what is wrong with it and where it now is."""
    name = f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}.obj"
    if name not in urdf.assets:
        try:
            urdf.assets[name] = collada.to_obj(file)
        except collada.ColladaError as error:
            return str(error), file
    return None, Path(name)


def _problem(found: Path | None) -> str | None:
    if found is None:
        return "file not found"
    suffix = found.suffix.lower()
    return None if suffix in READABLE else f"MuJoCo cannot read {suffix or 'files without an ending'}"


def _remedy(reference: str, found: Path | None) -> str:
    if found is not None:
        return f"convert it to {', '.join(READABLE)}"
    scheme, _, rest = reference.partition("://")
    if scheme in ("package", "model") and rest:
        return f"add the folder that holds the package {rest.lstrip('/').split('/')[0]!r} to ROS_PACKAGE_PATH"
    return "put the file where the URDF says"


def fit_sphere(points: NDArray[np.float64], down: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, float]:
    """Fit a sphere to the surface points of a foot.

    The centre is the least-squares one: |p|^2 = 2 c.p + (r^2 - |c|^2) is linear in c and in the bracket. The radius is
    then the reach of the points from that centre along `down`, so that the robot stands exactly as high as it did.

    Args:
        points: (n, 3) in m, n >= 4.
        down: (3,) unit vector towards the ground in the points' frame.

    Returns:
        Centre (3,) in m, radius in m, and the largest distance of a point from the sphere in m.
    """
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    half = np.ptp(points, axis=0) / 2
    p = points - middle
    design = np.column_stack([2 * p, np.full(len(p), half.max())])
    centre = np.linalg.lstsq(design, np.einsum("ij,ij->i", p, p), rcond=1e-9)[0][:3]
    centre = np.clip(centre, -half / 2, half / 2)  # a slender part pulls the least-squares centre far outside
    radius = float(((p - centre) @ down).max())
    error = float(np.abs(np.linalg.norm(p - centre, axis=1) - radius).max())
    return middle + centre, radius, error
