"""What a robot has and URDF has no word for: one note each."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from surefoot.robots.scene import ONE_DOF, THROUGH_JOINT, Note, Scene

FRICTION = (1.0, 0.005, 0.0001)  # MuJoCo's own, for geoms that say nothing
SOFTNESS = {  # likewise
    "geom_solref": (0.02, 1.0),
    "geom_solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "geom_margin": (0.0,),
    "geom_gap": (0.0,),
}
GRAVITY = (0.0, 0.0, -9.81)
BITS = {(0, 0), (1, 1)}
SHOWN = 5


def unsaid(robot: Scene) -> list[Note]:
    """One note for each thing in `robot` that a URDF cannot hold."""
    model = robot.model
    notes = [*_joints(robot), *_bodies(model), *_contact(model)]
    if robot.base is not None:
        detail = "URDF cannot say that its root link floats; tell the reader (load: floating=True)"
        notes.insert(0, Note("assumed", robot.base, detail))
    for kind, count in (("tendons", model.ntendon), ("sensors", model.nsensor), ("cameras", model.ncam)):
        if count:
            notes.append(_left(f"{count} {kind}", "URDF has none"))
    if model.nsite:
        notes.append(_left(_few(model.site(k).name for k in range(model.nsite)), "URDF has no sites"))
    for kind, count in (("flexes", model.nflex), ("skins", model.nskin), ("plugins", model.nplugin)):
        if count:
            notes.append(_left(f"{count} {kind}", "URDF has none"))
    if not np.array_equal(model.opt.gravity, GRAVITY):
        shown = ", ".join(f"{x:g}" for x in model.opt.gravity)
        notes.append(_left("gravity", f"it is {shown} m/s^2; readers of a URDF take their own"))
    if model.opt.density > 0 or model.opt.viscosity > 0:
        notes.append(_left("medium", "URDF has no fluid"))
    if model.nkey:
        notes.append(_left(f"{model.nkey} keyframes", "URDF has none"))
    if not np.array_equal(robot.home().q, model.qpos0):
        notes.append(_left("home", "URDF has no resting pose; keep it in an SRDF beside the file"))
    return notes


def _joints(robot: Scene) -> list[Note]:
    model = robot.model
    notes = []
    growing = model.dof_dampingpoly.any(axis=1)
    for dofs, what in ((model.dof_armature, "armature (rotor inertia)"), (growing, "damping that grows with speed")):
        named = dict.fromkeys(model.joint(model.dof_jntid[d]).name for d in np.flatnonzero(dofs))
        if named:
            notes.append(_left(_few(named), f"URDF has no {what}"))
    springs = (model.jnt_stiffness != 0) | model.jnt_stiffnesspoly.any(axis=1)
    if springs.any():
        notes.append(_left(_few(model.joint(j).name for j in np.flatnonzero(springs)), "URDF has no springs"))
    free = model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)
    for j in np.flatnonzero(free):
        dof = int(model.jnt_dofadr[j])
        if model.dof_damping[dof : dof + 6].any() or model.dof_frictionloss[dof : dof + 6].any():
            notes.append(_left(model.joint(j).name, "URDF has no damping or friction of a floating base"))
    servos = [
        model.actuator(u).name or f"actuator {u}"
        for u in range(model.nu)
        if model.actuator_biastype[u] != mujoco.mjtBias.mjBIAS_NONE or int(model.actuator_dyntype[u])
    ]
    if servos:
        notes.append(_left(_few(servos), "URDF has no servos, only the effort that a joint can bear"))
    elsewhere = [u for u in range(model.nu) if int(model.actuator_trntype[u]) not in THROUGH_JOINT]
    if elsewhere:
        named = _few(model.actuator(u).name or f"actuator {u}" for u in elsewhere)
        notes.append(_left(named, "URDF has no actuators but those of joints"))
    followers = {model.joint(model.eq_obj1id[e]).name for e in linear_equalities(model)}
    every = [model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] in ONE_DOF]
    read = [name for name in every if name not in followers]
    if list(robot.joints) != read:
        undriven = [name for name in read if name not in robot.joints]
        if undriven:
            notes.append(_left(_few(undriven), "URDF cannot say that a joint has no motor; its effort is 0"))
        if list(robot.joints) != [name for name in read if name in robot.joints]:
            notes.append(_left("order of joints", f"torques were in the order {', '.join(robot.joints)}"))
    return notes


def linear_equalities(model: mujoco.MjModel) -> list[int]:
    """Equalities that a mimic joint can say: one joint follows another along a line."""
    return [
        e
        for e in range(model.neq)
        if model.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT
        and model.eq_active0[e]
        and model.eq_obj2id[e] >= 0
        and not model.eq_data[e, 2:5].any()
    ]


def _bodies(model: mujoco.MjModel) -> list[Note]:
    notes = []
    if model.body_gravcomp.any():
        named = [model.body(b).name for b in np.flatnonzero(model.body_gravcomp)]
        notes.append(_left(_few(named), "URDF has no compensation of gravity"))
    said = linear_equalities(model)
    for e in range(model.neq):
        if e not in said:
            notes.append(_left(model.equality(e).name or f"equality {e}", "URDF has no equality but the mimic joint"))
    return notes


def _contact(model: mujoco.MjModel) -> list[Note]:
    notes = []
    bits = zip(model.geom_contype.tolist(), model.geom_conaffinity.tolist(), strict=True)
    odd = [model.geom(g).name for g, pair in enumerate(bits) if pair not in BITS]
    if odd:
        notes.append(_left(_few(odd), "URDF has no contact bits: whatever collides may touch everything"))
    touching = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    rough = [g for g in np.flatnonzero(touching) if not np.array_equal(model.geom_friction[g], FRICTION)]
    if rough:
        notes.append(_left(_few(model.geom(g).name for g in rough), "URDF has no friction of geoms"))
    rolling = [model.geom(g).name for g in np.flatnonzero(touching & (model.geom_condim > 3))]
    if rolling:
        notes.append(_left(_few(rolling), "URDF has no torsional or rolling friction (condim above 3)"))
    own = np.zeros(model.ngeom, dtype=bool)
    for field, usual in SOFTNESS.items():
        own |= (getattr(model, field).reshape(model.ngeom, len(usual)) != usual).any(axis=1)
    if (own & touching).any():
        named = _few(model.geom(g).name for g in np.flatnonzero(own & touching))
        notes.append(_left(named, "URDF has no softness of contacts (solref, solimp, margin, gap)"))
    for kind, count in (("friction pairs", model.npair), ("excluded pairs", model.nexclude)):
        if count:
            notes.append(_left(f"{count} {kind}", "URDF has none"))
    return notes


def _left(what: str, detail: str) -> Note:
    return Note("ignored", what, detail)


def _few(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
