"""What a model asks for and Surefoot does not model: listed by name, and kept from acting unseen."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.robots.scene import ONE_DOF, THROUGH_JOINT, Note

MODELLED_EQUALITIES = tuple(map(int, (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_JOINT)))


def find(model: mujoco.MjModel) -> list[Note]:
    """One note for each thing in `model` that no law or motion of Surefoot knows."""
    notes = [*_actuators(model), *_tendons(model), *_fluids(model), *_bodies(model), *_contact(model)]
    for f in range(model.nflex):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_FLEX, f) or f"flex {f}"
        notes.append(Note("ignored", name, "a flex: deformable bodies are not modelled"))
    for e in range(model.neq):
        if model.eq_type[e] not in MODELLED_EQUALITIES:
            name = model.equality(e).name or f"equality {e}"
            notes.append(Note("ignored", name, "an equality between tendons or on a flex is not modelled"))
    if model.nplugin:
        notes.append(Note("ignored", f"{model.nplugin} plugins", "MuJoCo's plugins are not called"))
    return notes


def silence(model: mujoco.MjModel) -> None:
    """Take out of a model what `find` lists and MuJoCo would let act all the same: fluids, flexes and equalities."""
    model.opt.density = model.opt.viscosity = 0.0
    model.eq_active0[~np.isin(model.eq_type, MODELLED_EQUALITIES)] = False
    for forces in ("stiffness", "bending", "damping", "edgestiffness", "edgedamping"):
        getattr(model, f"flex_{forces}")[:] = 0.0
    model.flex_contype[:] = model.flex_conaffinity[:] = model.flex_selfcollide[:] = 0


def _actuators(model: mujoco.MjModel) -> list[Note]:
    notes = []
    for u in range(model.nu):
        name = model.actuator(u).name or f"actuator {u}"
        through = model.actuator_trntype[u]
        if through not in THROUGH_JOINT:
            what = mujoco.mjtTrn(int(through)).name.removeprefix("mjTRN_").lower()
            notes.append(Note("ignored", name, f"an actuator on a {what}: torques act on joints only"))
            continue
        joint = model.joint(model.actuator_trnid[u, 0])
        if model.jnt_type[joint.id] not in ONE_DOF:
            notes.append(Note("ignored", name, f"an actuator on {joint.name!r}, a joint with several axes"))
            continue
        servo = _servo(model, u)
        if servo:
            detail = (
                f"{servo} on joint {joint.name!r}: the joint is driven by the torque you give it, not by this servo"
            )
            notes.append(Note("ignored", name, detail))
    return notes


def _servo(model: mujoco.MjModel, u: int) -> str | None:
    """What kind of actuator it is, if it is more than a motor."""
    if model.actuator_gaintype[u] == mujoco.mjtGain.mjGAIN_MUSCLE:
        return "a muscle"
    if model.actuator_dyntype[u] != mujoco.mjtDyn.mjDYN_NONE:
        return "an actuator with its own dynamics"
    bias = model.actuator_biasprm[u]
    if model.actuator_biastype[u] == mujoco.mjtBias.mjBIAS_AFFINE:
        if bias[1]:
            return "a position servo"
        if bias[2]:
            return "a velocity servo"
    plain = model.actuator_biastype[u] == mujoco.mjtBias.mjBIAS_NONE or not bias.any()
    return None if plain and model.actuator_gaintype[u] == mujoco.mjtGain.mjGAIN_FIXED else "a general actuator"


def _tendons(model: mujoco.MjModel) -> list[Note]:
    detail = "a tendon: its dry friction and actuators are not modelled"
    return [Note("ignored", model.tendon(t).name or f"tendon {t}", detail) for t in range(model.ntendon)]


def _fluids(model: mujoco.MjModel) -> list[Note]:
    option = model.opt
    if option.density > 0 or option.viscosity > 0:
        detail = f"density {option.density:g} kg/m^3, viscosity {option.viscosity:g} Pa s: no law knows of drag"
        return [Note("ignored", "medium", detail)]
    return []


def _bodies(model: mujoco.MjModel) -> list[Note]:
    notes = []
    for b in range(1, model.nbody):
        name = model.body(b).name
        if model.body_mocapid[b] >= 0:
            notes.append(Note("ignored", name, "a mocap body: it stays where the file puts it"))
    for j in np.flatnonzero(model.jnt_actgravcomp):
        detail = "gravity compensation by its actuator is not applied (that of the body's own `gravcomp` is)"
        notes.append(Note("ignored", model.joint(j).name, detail))
    return notes


def _contact(model: mujoco.MjModel) -> list[Note]:
    touching = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    rolling = [model.geom(g).name for g in np.flatnonzero(touching & (model.geom_condim > 3))]
    notes = []
    if rolling:
        notes.append(
            Note(
                "ignored",
                _few(rolling),
                "torsional and rolling friction (condim above 3) is felt under the soft law only",
            )
        )
    adhesive = [model.geom(g).name for g in range(model.ngeom) if np.any(model.geom_adhesion[g])]
    moving = [model.geom(g).name for g in range(model.ngeom) if np.any(model.geom_surfacevel[g])]
    if adhesive:
        notes.append(Note("ignored", _few(adhesive), "adhesion is not modelled"))
    if moving:
        notes.append(Note("ignored", _few(moving), "a moving surface (conveyor) is not modelled"))
    return notes


def _few(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
