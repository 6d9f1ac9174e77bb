"""Robots from files as built: masses, places, shapes, joint axes, zero offsets and losses, by edits of the MjSpec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import mujoco
import numpy as np

from surefoot import checks
from surefoot.robots.compose import KEEP, compose
from surefoot.robots.compose import scene as composed
from surefoot.robots.home import lower
from surefoot.robots.objects import Loose
from surefoot.robots.placing import Standing
from surefoot.robots.scene import ONE_DOF, Scene
from surefoot.robots.terrains import Plane, Terrain
from surefoot.traces import spec_edits as edit
from surefoot.traces.axes import TILTS

ROUND = tuple(int(kind) for kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE))
ROUND += (int(mujoco.mjtGeom.mjGEOM_CYLINDER),)
BOX = int(mujoco.mjtGeom.mjGEOM_BOX)
PLACES, SIZES = tuple(f"place.{k}" for k in range(3)), tuple(f"size.{k}" for k in range(3))
LOSSES = {"damping": "dof_damping", "friction": "dof_frictionloss", "armature": "dof_armature"}


class FileRobot:
    """A robot from a file and all that can be uncertain about it.

    Attributes:
        ground: its own ground if that is one level plane, else "keep".
        names: nominal value by name. BODY.mass in kg (the inertia follows); BODY.length, a factor (see
            `spec_edits.stretch`); BODY.place.0, .1, .2, where it is in its parent's frame in m (before the parent is
            stretched; not of a floating base or inside a <frame>); GEOM.radius in m of spheres, capsules and cylinders
            and GEOM.size.0, .1, .2, the full lengths in m of boxes (inertia follows where it comes from the geoms);
            JOINT.axis.tilt1 and .tilt2; JOINT.tare, the zero offset in rad or m as in `Joint`; JOINT.damping, .friction
            and .armature.
            Bodies of a file that fuses static bodies have neither mass, length nor place.
    """

    def __init__(self, scene: Scene) -> None:
        """Take stock of a robot or a scene; loose objects in it are left out."""
        self._scene = scene
        self.ground: Any = _own_plane(scene)
        self.names = {**_body_names(scene), **_place_names(scene), **_geom_names(scene), **_joint_names(scene)}

    def redesigned(self, values: Mapping[str, Any]) -> Scene:
        """The robot with new values, on its own ground."""
        return self.built(values, self.ground, ())[0]

    def built(
        self, values: Mapping[str, Any], ground: Terrain | str | None, objects: Sequence[Loose]
    ) -> tuple[Scene, Standing | None]:
        """The scene with new values; a floating robot stands on its ground as `surefoot.scene` puts it there."""
        own = ground is self.ground
        if own and not values and not objects:
            return self._scene, None
        keep = ground == KEEP or (own and not values)
        robot = self._scene if keep else self._bare
        spec = robot.spec.copy()
        if values:
            _edit(spec, robot.model, values)
        scene, standing = compose(robot, spec, KEEP if keep else ground, objects)
        return (_lowered(scene) if ground == KEEP and values else scene), standing

    @cached_property
    def _bare(self) -> Scene:
        """The robot without its ground."""
        return composed(self._scene, terrain=None) if self._scene.surfaces else self._scene


def _edit(spec: mujoco.MjSpec, model: mujoco.MjModel, values: Mapping[str, Any]) -> None:
    """Make the spec of a robot as built from that of the robot as drawn; `model` was compiled from the latter."""
    edit.free_inertias(spec, model)
    by_kind = _sorted(values)
    for geom, radius in by_kind["radius"].items():
        edit.resize(spec, geom, 0, checks.number(f"robot.{geom}.radius", radius, above=0))
    for k, size in enumerate(SIZES):
        for geom, length in by_kind[size].items():
            edit.resize(spec, geom, k, checks.number(f"robot.{geom}.{size}", length, above=0) / 2)
    if by_kind["radius"] or any(by_kind[size] for size in SIZES):
        model = spec.copy().compile()  # whose inertias all that follows goes by
    for k, place in enumerate(PLACES):
        for body, value in by_kind[place].items():
            spec.body(body).pos[k] = checks.number(f"robot.{body}.{place}", value)
    for body, factor in by_kind["length"].items():
        edit.stretch(spec, model, body, checks.number(f"robot.{body}.length", factor, above=0))
    for body, mass in by_kind["mass"].items():
        edit.weigh(spec, model, body, checks.number(f"robot.{body}.mass", mass, above=0))
    for joint in dict.fromkeys((*by_kind["axis.tilt1"], *by_kind["axis.tilt2"])):
        edit.lean(spec, joint, *(by_kind[f"axis{tilt}"].get(joint, 0.0) for tilt in TILTS))
    for joint, tare in by_kind["tare"].items():
        edit.offset(spec, model, joint, checks.number(f"robot.{joint}.tare", tare))
    for loss in LOSSES:
        for joint, value in by_kind[loss].items():
            edit.lose(spec, joint, loss, checks.number(f"robot.{joint}.{loss}", value, at_least=0))


def _sorted(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Value by kind, then by name of the body, geom or joint."""
    kinds = ("mass", "length", *PLACES, "radius", *SIZES, *(f"axis{tilt}" for tilt in TILTS), "tare", *LOSSES)
    result: dict[str, dict[str, Any]] = {kind: {} for kind in kinds}
    for name, value in values.items():
        kind = next(kind for kind in kinds if name.endswith(f".{kind}"))
        result[kind][name.removesuffix(f".{kind}")] = value
    return result


def _own_plane(scene: Scene) -> Any:
    """The ground as a Plane if it is one level plane, else "keep"."""
    if len(scene.surfaces) == 1 and scene.surfaces[0].grid is None:
        geom = scene.model.geom(scene.surfaces[0].geom)
        if geom.type[0] == mujoco.mjtGeom.mjGEOM_PLANE and np.array_equal(geom.quat, [1, 0, 0, 0]):
            return Plane(scene.surfaces[0].mu, float(geom.pos[2]))
    return KEEP


def _lowered(scene: Scene) -> Scene:
    """The scene with its floating base where it just touches a ground that is no terrain of ours."""
    if scene.base is None:
        return scene
    model = scene.model
    base = model.body(scene.base)
    bodies = set(np.flatnonzero(model.body_rootid == model.body_rootid[base.id]).tolist())
    home = lower(model, np.array(scene.home().q), int(base.jntadr[0]), bodies)
    if home is not None:
        scene.rest_at(home)
    return scene


def _body_names(scene: Scene) -> dict[str, float]:
    model, names = scene.model, {}
    if scene.spec.compiler.fusestatic:
        return {}
    for b in range(1, model.nbody):
        body = model.body(b)
        if model.body_weldid[b] == 0 or body.mass[0] == 0 or body.name in scene.objects:
            continue
        names[f"{body.name}.mass"] = float(body.mass[0])
        if edit.direction(scene.spec, model, body.name) is not None:
            names[f"{body.name}.length"] = 1.0
    return names


def _place_names(scene: Scene) -> dict[str, float]:
    model, names = scene.model, {}
    if scene.spec.compiler.fusestatic:
        return {}
    free = model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    for b in range(1, model.nbody):
        name = model.body(b).name
        if (
            b not in free
            and model.body(model.body_rootid[b]).name not in scene.objects
            and not scene.spec.body(name).frame
        ):
            names |= {f"{name}.{place}": float(x) for place, x in zip(PLACES, model.body_pos[b], strict=True)}
    return names


def _geom_names(scene: Scene) -> dict[str, float]:
    model, names = scene.model, {}
    for g in np.flatnonzero(model.geom_bodyid):
        geom, kind = model.geom(g), int(model.geom_type[g])
        if model.body(model.geom_bodyid[g]).name in scene.objects:
            continue
        if kind in ROUND:
            names[f"{geom.name}.radius"] = float(geom.size[0])
        elif kind == BOX and edit.has_size(scene.spec.geom(geom.name)):
            names |= {f"{geom.name}.{size}": float(2 * x) for size, x in zip(SIZES, geom.size, strict=True)}
    return names


def _joint_names(scene: Scene) -> dict[str, float]:
    model, names = scene.model, {}
    for j in range(model.njnt):
        if int(model.jnt_type[j]) not in ONE_DOF:
            continue
        joint, dof = model.joint(j).name, int(model.jnt_dofadr[j])
        names |= {f"{joint}.axis{tilt}": 0.0 for tilt in TILTS} | {f"{joint}.tare": 0.0}
        names |= {f"{joint}.{loss}": float(getattr(model, field)[dof]) for loss, field in LOSSES.items()}
    return names
