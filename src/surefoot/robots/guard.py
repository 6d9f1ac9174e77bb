"""Guards around MuJoCo's compiler: what would end the process, and numbers it takes without a look."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np

from surefoot.errors import ModelError

# Largest sizes that are handed to MuJoCo; it multiplies such numbers in 32 bits, and overflow ends the process.
LIMITS = {
    "hfield": (("nrow", "ncol"), 100_000_000),
    "texture": (("width", "height"), 100_000_000),
    "replicate": (("count",), 100_000),
    "composite": (("count",), 100_000),
    "flexcomp": (("count",), 20_000),
    "size": (("nuserdata", "nkey", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_actuator"), 1_000_000),
}
# Arrays of a compiled model that must be finite (limits and friction may be infinite and are checked apart).
FINITE = (
    "qpos0",
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_inertia",
    "jnt_pos",
    "jnt_axis",
    "jnt_stiffness",
    "dof_damping",
    "dof_armature",
    "dof_frictionloss",
    "geom_pos",
    "geom_quat",
    "geom_size",
    "key_qpos",
    "key_qvel",
)
ELEMENT = re.compile(r"Element name '([^']*)'")


def check_sizes(xml: ET.Element, path: Path) -> None:
    """Refuse sizes that MuJoCo cannot hold."""
    for element in xml.iter():
        if element.tag not in LIMITS:
            continue
        keys, limit = LIMITS[element.tag]
        product = 1.0
        for number in " ".join(element.get(key, "") for key in keys).split():
            try:
                product *= max(abs(float(number)), 1.0)
            except ValueError:
                continue
        if not product <= limit:
            named = f" {element.get('name')!r}" if element.get("name") else ""
            raise ModelError(f"{path}: <{element.tag}>{named} is too large: {' x '.join(keys)} may be {limit} at most")


def compile_model(spec: mujoco.MjSpec, path: Path | str) -> mujoco.MjModel:
    """Compile, and look at the numbers that MuJoCo does not look at.

    Raises:
        ModelError: in MuJoCo's words with the remedy, or naming the number.
    """
    try:
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise ModelError(f"{path}: {explain(str(error))}") from None
    check_numbers(model, path)
    return model


def explain(message: str) -> str:
    """MuJoCo's error in one line, with the remedy that Surefoot offers where there is one."""
    named = ELEMENT.search(message)
    name = repr(named.group(1)) if named else "a body"
    if "A + B >= C" in message:
        return (
            f"body {name}: its principal inertias break the triangle inequality or are negative; "
            "correct the file, or pass balance_inertia=True to replace them by their mean"
        )
    if "mass and inertia of moving bodies" in message:
        return (
            f"body {name} moves but has no mass or no rotational inertia; give it an inertial or a geom with mass, "
            "or pass balance_inertia=True to give it a tiny one"
        )
    line = " ".join(message.removeprefix("Error: ").split())
    return f"MuJoCo cannot compile this model: {line}"


def check_numbers(model: mujoco.MjModel, path: Path | str) -> None:
    """Refuse numbers that no law can use: not finite, or friction, damping or dry friction below zero."""
    if not np.isfinite(model.opt.gravity).all():
        raise ModelError(f"{path}: gravity is not finite")
    for field in FINITE:
        values = getattr(model, field)
        if not np.isfinite(values).all():
            where = int(np.argwhere(~np.isfinite(values))[0][0])
            raise ModelError(f"{path}: {field} of {_owner(model, field, where)} is not finite")
    for g in np.flatnonzero(~(model.geom_friction >= 0).all(axis=1)):
        shown = ", ".join(f"{x:g}" for x in model.geom_friction[g])
        raise ModelError(f"{path}: geom {model.geom(g).name!r} has friction {shown}; expected numbers of at least 0")
    for p in np.flatnonzero(~(model.pair_friction >= 0).all(axis=1)):
        shown = ", ".join(f"{x:g}" for x in model.pair_friction[p])
        raise ModelError(f"{path}: pair {model.pair(p).name!r} has friction {shown}; expected numbers of at least 0")
    for field, what in (("dof_damping", "damping"), ("dof_frictionloss", "dry friction"), ("dof_armature", "armature")):
        values = getattr(model, field)
        if values.size and values.min() < 0:
            worst = int(values.argmin())
            raise ModelError(f"{path}: {_owner(model, field, worst)} has {what} {values[worst]:g}; expected at least 0")


def _owner(model: mujoco.MjModel, field: str, index: int) -> str:
    kind, _, _ = field.partition("_")
    if kind == "dof":
        return f"joint {model.joint(model.dof_jntid[index]).name!r}"
    if kind == "qpos0":
        joint = int(np.searchsorted(model.jnt_qposadr, index, side="right")) - 1
        return f"joint {model.joint(joint).name!r}"
    names = {"body": "body", "jnt": "joint", "geom": "geom", "key": "key"}
    return f"{names[kind]} {getattr(model, names[kind])(index).name!r}"
