"""Edits of an MjSpec that make a robot as built from the robot as drawn."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.traces.axes import leaning

ALONG = 0.99  # cosine of the largest angle between a geom's axis and a body's length at which the geom is stretched
ROD = tuple(int(kind) for kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER))
BRICK = tuple(int(kind) for kind in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_ELLIPSOID))


def free_inertias(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Write the compiled inertias into the spec, where compiling it again would scale or replace them."""
    compiler = spec.compiler
    forced = compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    if not forced and compiler.settotalmass <= 0:
        return
    for b in range(1, model.nbody):
        _write_inertia(spec.body(model.body(b).name), model, b)
    compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    compiler.settotalmass = -1


def weigh(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, mass: float) -> None:
    """Give a body a mass in kg; its inertia is scaled with it."""
    body = spec.body(name)
    if not body.explicitinertial:
        _write_inertia(body, model, model.body(name).id)
    factor = mass / body.mass
    body.mass = mass
    body.inertia = factor * body.inertia
    body.fullinertia = factor * body.fullinertia


def direction(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str) -> NDArray[np.float64] | None:
    """(3,) unit vector of a body's length in its own frame; None if it has none that can be stretched.

    It points to the origin of the child body that is farthest away (the first of those as far), or, if no child lies
    away from the origin, to the centre of the farthest of its own geoms. Bodies with parts inside <frame> have none.
    """
    body = spec.body(name)
    if any(thing.frame is not None for thing in (*body.bodies, *body.geoms, *body.sites)):
        return None
    b = model.body(name).id
    for places in (model.body_pos[model.body_parentid == b], model.geom_pos[model.geom_bodyid == b]):
        distances = np.linalg.norm(places, axis=1)
        if distances.size and distances.max() > 0:
            return places[distances.argmax()] / distances.max()
    return None


def stretch(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, factor: float) -> None:
    """Make a body longer by a factor along `direction`, its density unchanged.

    The origins of its children and the centres of its geoms and sites move away from its own origin by the factor.
    Capsules, cylinders, boxes and ellipsoids of which an axis lies along the length grow by the factor along it (the
    ends of a capsule stay round); spheres, meshes and geoms that lie across keep their size. The mass grows by the
    factor, and the centre of mass and the inertia are those of the stretched body: every part of it moves along.
    """
    along = direction(spec, model, name)
    if along is None:
        raise InputError(f"robot.{name}.length: this body has no length that could be stretched")
    body = spec.body(name)
    turn = np.eye(3) + (factor - 1.0) * np.outer(along, along)
    for thing in (*body.bodies, *body.sites):
        thing.pos = turn @ thing.pos
    for geom in body.geoms:
        _stretch_geom(geom, model.geom(geom.name), turn, along, factor)
    _stretch_inertia(body, model, model.body(name).id, turn, factor)


def has_size(geom: mujoco.MjsGeom) -> bool:
    """Whether all of a geom's size is given as such, not by its two ends or by a mesh that it fits."""
    return bool(np.isnan(geom.fromto[0])) and not geom.meshname


def resize(spec: mujoco.MjSpec, name: str, k: int, size: float) -> None:
    """Give a geom another size along one axis, in m as MuJoCo counts it.

    Mass and inertia of its body follow where they come from its geoms; where the file gives them they stay.
    """
    spec.geom(name).size[k] = size


def lean(spec: mujoco.MjSpec, name: str, tilt1: float, tilt2: float) -> None:
    """Tilt a joint's axis."""
    joint = spec.joint(name)
    joint.axis = leaning(joint.axis, tilt1, tilt2)


def offset(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, tare: float) -> None:
    """Shift a joint's zero: where it reads zero it is at `tare` (rad or m). Stops and spring truly stay in place."""
    joint = spec.joint(name)
    hinge = joint.type == mujoco.mjtJoint.mjJNT_HINGE
    by = np.degrees(tare) if hinge and spec.compiler.degree else tare
    joint.ref -= by
    joint.springref -= by
    if model.jnt_limited[model.joint(name).id]:
        joint.range = joint.range - by


def lose(spec: mujoco.MjSpec, name: str, loss: str, value: float) -> None:
    """Give a joint its "damping", dry "friction" or "armature"."""
    joint = spec.joint(name)
    if loss == "damping":
        joint.damping[0] = value
    elif loss == "friction":
        joint.frictionloss = value
    else:
        joint.armature = value


def _write_inertia(body: mujoco.MjsBody, model: mujoco.MjModel, b: int) -> None:
    """Write the compiled mass, centre and inertia of body `b` into its spec."""
    body.explicitinertial = True
    body.mass = model.body_mass[b]
    body.ipos, body.iquat, body.inertia = model.body_ipos[b], model.body_iquat[b], model.body_inertia[b]
    body.fullinertia = np.full(6, np.nan)
    body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT


def _stretch_inertia(
    body: mujoco.MjsBody, model: mujoco.MjModel, b: int, turn: NDArray[np.float64], factor: float
) -> None:
    frame = np.empty(9)
    mujoco.mju_quat2Mat(frame, model.body_iquat[b])
    frame = frame.reshape(3, 3)
    inertia = frame @ np.diag(model.body_inertia[b]) @ frame.T
    # Second moments are what a stretch transforms: inertia = trace(second) 1 - second.
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    second = factor * turn @ second @ turn
    inertia = np.trace(second) * np.eye(3) - second
    body.explicitinertial = True
    body.mass = factor * model.body_mass[b]
    body.ipos = turn @ model.body_ipos[b]
    body.iquat, body.ialt.type = [1, 0, 0, 0], mujoco.mjtOrientation.mjORIENTATION_QUAT
    body.fullinertia = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def _stretch_geom(
    geom: mujoco.MjsGeom, made: mujoco.MjModel, turn: NDArray[np.float64], along: NDArray[np.float64], factor: float
) -> None:
    if not np.isnan(geom.fromto[0]):
        geom.fromto = np.concatenate([turn @ geom.fromto[:3], turn @ geom.fromto[3:]])
        return
    geom.pos = turn @ geom.pos
    frame = np.empty(9)
    mujoco.mju_quat2Mat(frame, made.quat)
    cosines = np.abs(along @ frame.reshape(3, 3))
    kind = int(made.type[0])
    if kind in ROD and cosines[2] > ALONG:
        geom.size[1] *= factor
    elif kind in BRICK and cosines.max() > ALONG:
        geom.size[int(cosines.argmax())] *= factor
