"""Roles: which body is the floating base, which joints are driven, which bodies are loose objects."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from surefoot import checks
from surefoot.robots.scene import ONE_DOF, THROUGH_JOINT, Note

FREE = int(mujoco.mjtJoint.mjJNT_FREE)
# Names of root links that mean the room, not the robot.
WORLD_NAMES = ("world", "map", "odom", "ground")


@dataclass(frozen=True)
class Roles:
    """Attributes as in `Scene`; `bodies` are the indices of the robot's bodies, the base included."""

    base: str | None
    joints: tuple[str, ...]
    objects: tuple[str, ...]
    bodies: frozenset[int]


def name_all(spec: mujoco.MjSpec, notes: list[Note]) -> None:
    """Give every body, joint and geom a name, since feet, torques and errors speak of them by name."""
    for kind, items in (("body", spec.bodies[1:]), ("joint", spec.joints), ("geom", spec.geoms)):
        taken = {item.name for item in items}
        given = []
        for k, item in enumerate(items):
            if not item.name:
                name = f"{kind}{k}"
                while name in taken:
                    name += "_"
                item.name = name
                taken.add(name)
                given.append(name)
        if kind == "joint" and given:
            notes.append(Note("assumed", ", ".join(given), "joints without a name were called so, in file order"))


def is_floating(model: mujoco.MjModel) -> tuple[bool, str]:
    """Decide whether a URDF's root is bolted down or floats, when the user does not say.

    It floats if at least two limbs leave the root (and what is fixed to it) and reach lower, with all joints at zero,
    than the root does: a robot that stands on its limbs. An arm (one limb), a hand (fingers up) or a torso on a
    pedestal stays bolted. (A root link called world, map, odom or ground is always bolted.)

    Args:
        model: the URDF as compiled, without a free joint.

    Returns:
        The answer and the reason for it.
    """
    root = next((b for b in range(1, model.nbody) if model.body_parentid[b] == 0), 0)
    name = model.body(root).name
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    lowest = np.array(data.xpos[:, 2])
    for g in range(model.ngeom):
        body = model.geom_bodyid[g]
        if model.geom_contype[g] or model.geom_conaffinity[g]:
            lowest[body] = min(lowest[body], lowest_point(model, data, g))
    limb = np.zeros(model.nbody, dtype=np.int64)  # first moving body on the way out from the root; 0 for the root
    for b in range(1, model.nbody):
        parent = limb[model.body_parentid[b]]
        limb[b] = parent or (b if model.body_jntnum[b] else 0)
    if not limb.any():
        return True, "it has no moving joint"
    floor = min(lowest[b] for b in range(1, model.nbody) if not limb[b])
    limbs = [k for k in np.unique(limb) if k and lowest[limb == k].min() < floor - 1e-3]
    if len(limbs) >= 2:
        return True, f"{len(limbs)} limbs reach lower than its root link {name!r}"
    return False, f"fewer than two limbs reach lower than its root link {name!r}"


def lowest_point(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Height in m of the lowest point of a geom (of its bounding box, for shapes other than the usual ones)."""
    z = float(data.geom_xpos[geom, 2])
    row = data.geom_xmat[geom].reshape(3, 3)[2]
    size = model.geom_size[geom]
    shape = model.geom_type[geom]
    if shape == mujoco.mjtGeom.mjGEOM_SPHERE:
        return z - float(size[0])
    if shape == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return z - float(size[0] + abs(row[2]) * size[1])
    if shape == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return z - float(np.hypot(row[0], row[1]) * size[0] + abs(row[2]) * size[1])
    if shape == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return z - float(np.linalg.norm(row * size))
    if shape == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        return z + float((model.mesh_vert[start : start + count] @ row).min())
    if shape == mujoco.mjtGeom.mjGEOM_PLANE:
        return z
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    return z + float(row @ centre - np.abs(row) @ half)


def assign(
    model: mujoco.MjModel,
    passive: tuple[str, ...],
    undriven: tuple[str, ...] = (),
    told: tuple[str, ...] | None = None,
) -> Roles:
    """Find base, driven joints and loose objects.

    Driven: those that the file tells; else joints with an actuator, in the actuators' order; if the file has no
    actuators, every hinge and slide joint in joint order. The robot: every tree of bodies with a driven joint, or, if
    there is none, the first tree that moves. A free body that is not the robot is an object.

    Args:
        model: the compiled scene.
        passive: joints that the user says have no motor.
        undriven: joints that have none by the file (mimic followers, SRDF passive joints).
        told: driven joints that the file names as such, in order; None if it names none.
    """
    names = [model.joint(j).name for j in range(model.njnt)]
    checks.indices("passive", passive, names, "joint")
    found = _driven(model) if told is None else [names.index(name) for name in told]
    driven = [j for j in found if names[j] not in passive and names[j] not in undriven]
    moving = [b for b in range(1, model.nbody) if model.body_weldid[b]]
    robot = {int(model.body_rootid[model.jnt_bodyid[j]]) for j in driven}
    if not robot:
        articulated = [
            int(model.body_rootid[model.jnt_bodyid[j]]) for j in range(model.njnt) if model.jnt_type[j] in ONE_DOF
        ]
        robot = set(articulated or [int(model.body_rootid[b]) for b in moving][:1])
    free = [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == FREE]
    base = next((b for b in free if int(model.body_rootid[b]) in robot), None)
    return Roles(
        base=None if base is None else model.body(base).name,
        joints=tuple(names[j] for j in driven),
        objects=tuple(model.body(b).name for b in free if int(model.body_rootid[b]) not in robot),
        bodies=frozenset(b for b in range(1, model.nbody) if int(model.body_rootid[b]) in robot),
    )


def _driven(model: mujoco.MjModel) -> list[int]:
    if not model.nu:
        return [j for j in range(model.njnt) if model.jnt_type[j] in ONE_DOF]
    found = []
    for u in range(model.nu):
        joint = int(model.actuator_trnid[u, 0])
        if model.actuator_trntype[u] in THROUGH_JOINT and model.jnt_type[joint] in ONE_DOF and joint not in found:
            found.append(joint)
    return found
