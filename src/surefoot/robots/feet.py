"""Feet: which parts of a robot are meant to touch the ground."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, ModelError
from surefoot.robots.meshes import fit_sphere
from surefoot.robots.roles import Roles, lowest_point
from surefoot.robots.scene import Foot, Note
from surefoot.robots.settle import support_points

FOOT_NAMES = re.compile(r"foot|feet|toe|sole|hoof|paw", re.IGNORECASE)
# A limb ends in a foot if it reaches down to this part of the robot's height; the geoms within NEAR m of its end count.
LOW = 0.1
NEAR = 0.02


def check_argument(feet: Any) -> None:
    """Refuse what is neither None, a list of names nor a dict of radii."""
    if isinstance(feet, str) or not isinstance(feet, Mapping | Sequence | None):
        raise InputError(f"feet: expected a list of link or geom names, or a dict of sphere radii in m, got {feet!r}")
    for name, radius in feet.items() if isinstance(feet, Mapping) else ():
        checks.number(f"feet[{name!r}]", radius, above=0)


def add_spheres(spec: mujoco.MjSpec, feet: Mapping[str, float], notes: list[Note]) -> None:
    """Give each named link a sphere of the wanted radius in m at its origin."""
    names = [body.name for body in spec.bodies]
    checks.indices("feet", feet, names, "link")
    for link, radius in feet.items():
        body = spec.body(link)
        body.add_geom(
            name=f"{link}_sphere", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], density=0, rgba=[0, 0, 0, 1]
        )
        notes.append(Note("assumed", link, f"a foot of radius {radius:g} m was put at the link's origin, as asked"))


def named(model: mujoco.MjModel, feet: Sequence[str] | Mapping[str, float]) -> tuple[Foot, ...]:
    """The feet that the user names, by link (body) or by geom.

    A link without collision geometry of its own stands for the links it is fixed to.
    """
    bodies = [model.body(b).name for b in range(1, model.nbody)]
    geoms = [model.geom(g).name for g in range(model.ngeom)]
    found = []
    for name in feet:
        if isinstance(feet, Mapping):
            found.append(Foot(name, name, (f"{name}_sphere",)))
            continue
        if name not in bodies and name in geoms:
            geom = model.geom(name)
            if not _collides(model, geom.id):
                raise ModelError(f"feet: geom {name!r} is for show only (contype and conaffinity are 0)")
            found.append(Foot(name, model.body(geom.bodyid[0]).name, (name,)))
            continue
        body = 1 + checks.indices("feet", [name], bodies, "link or geom")[0]
        own = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and _collides(model, g)]
        group = model.body_weldid[body]
        own = own or [
            g for g in range(model.ngeom) if model.body_weldid[model.geom_bodyid[g]] == group and _collides(model, g)
        ]
        if not own or not group:
            raise ModelError(
                f"feet: link {name!r} has no collision geometry that moves; "
                f"pass feet={{{name!r}: radius}} to put a sphere of that radius (m) at its origin"
            )
        found.append(_foot(model, own, name))
    return tuple(found)


def detected(model: mujoco.MjModel, data: mujoco.MjData, roles: Roles) -> tuple[Foot, ...]:
    """The feet of a floating robot in pose `data`: the outermost links that reach down to its lowest tenth.

    Of such a link and what is fixed to it, the bodies called foot, toe, sole, hoof or paw count; if none is called so,
    its geoms within 2 cm of its lowest point.
    """
    if roles.base is None:
        return ()
    geoms = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in roles.bodies and _collides(model, g)]
    if not geoms:
        return ()
    bottom = {g: lowest_point(model, data, g) for g in geoms}
    top = max(float(data.geom_xpos[g, 2] + model.geom_rbound[g]) for g in geoms)
    floor = min(bottom.values())
    inner = {int(model.body_weldid[model.body_parentid[b]]) for b in roles.bodies if model.body_weldid[b] == b}
    feet = []
    for group in sorted(roles.bodies):
        if model.body_weldid[group] != group or group in inner or model.body(group).name == roles.base:
            continue
        mine = [g for g in geoms if model.body_weldid[model.geom_bodyid[g]] == group]
        if not mine or min(bottom[g] for g in mine) > floor + LOW * (top - floor):
            continue
        called = [g for g in mine if FOOT_NAMES.search(model.body(model.geom_bodyid[g]).name)]
        end = min(bottom[g] for g in mine)
        feet.append(_foot(model, called or [g for g in mine if bottom[g] <= end + NEAR]))
    return tuple(feet)


def to_spheres(
    spec: mujoco.MjSpec, model: mujoco.MjModel, data: mujoco.MjData, feet: tuple[Foot, ...], notes: list[Note]
) -> tuple[Foot, ...]:
    """Replace the mesh geoms of each foot by one fitted sphere that reaches as low at home; edits `spec`.

    Feet of the same mesh get the same radius, the mean of theirs.
    """
    fits: dict[str, tuple[NDArray[np.float64], float, float]] = {}
    radii: dict[tuple[int, ...], list[float]] = {}
    for foot in feet:
        meshes = _mesh_geoms(model, foot)
        if meshes:
            body = int(model.geom_bodyid[meshes[0]])
            world = support_points(model, data, meshes)[0]
            turn = data.xmat[body].reshape(3, 3)
            fits[foot.name] = fit_sphere((world - data.xpos[body]) @ turn, -turn[2])
            radii.setdefault(_meshes(model, meshes), []).append(fits[foot.name][1])
    result = []
    for foot in feet:
        meshes = _mesh_geoms(model, foot)
        if not meshes:
            result.append(foot)
            continue
        centre, _, error = fits[foot.name]
        radius = float(np.mean(radii[_meshes(model, meshes)]))
        if error > radius:
            detail = f"its mesh was kept: a sphere of radius {radius:.4g} m would be {error:.2g} m from it"
            notes.append(Note("ignored", foot.name, detail))
            result.append(foot)
            continue
        first = spec.geom(model.geom(meshes[0]).name)
        sphere = spec.body(model.body(model.geom_bodyid[meshes[0]]).name).add_geom(
            name=f"{foot.name}_sphere",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            pos=centre,
            size=[radius, 0, 0],
            density=0,
            friction=first.friction,
            rgba=first.rgba,
        )
        for g in meshes:  # keep the mesh to look at
            old = spec.geom(model.geom(g).name)
            old.contype = old.conaffinity = 0
            old.group = 1
        kept = tuple(name for name in foot.geoms if model.geom(name).id not in meshes)
        result.append(Foot(foot.name, foot.body, (sphere.name, *kept)))
        detail = f"its mesh was replaced by a sphere of radius {radius:.4g} m, at most {error:.2g} m from the mesh"
        notes.append(Note("repaired", foot.name, detail))
    return tuple(result)


def _mesh_geoms(model: mujoco.MjModel, foot: Foot) -> list[int]:
    ids = [model.geom(name).id for name in foot.geoms]
    return [g for g in ids if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]


def _meshes(model: mujoco.MjModel, geoms: list[int]) -> tuple[int, ...]:
    return tuple(int(model.geom_dataid[g]) for g in geoms)


def _foot(model: mujoco.MjModel, geoms: list[int], name: str | None = None) -> Foot:
    body = model.body(model.geom_bodyid[geoms[0]]).name
    return Foot(name or body, body, tuple(model.geom(g).name for g in geoms))


def _collides(model: mujoco.MjModel, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
