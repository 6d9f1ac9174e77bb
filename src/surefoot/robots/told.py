"""Roles that an MJCF tells of itself, in custom texts: which joints are driven, which parts are feet.

MJCF has no word for either. `write_mjcf` writes both, so that `load` need not guess: `surefoot_joints` as
JOINT|JOINT|..., `surefoot_feet` as NAME|BODY|GEOM|...;NAME|BODY|... Signs in names that XML or this list would stumble
over are written as in web addresses (%3B for a semicolon).
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

import mujoco

from surefoot.errors import ModelError
from surefoot.robots.scene import ONE_DOF, Foot

JOINTS, FEET = "surefoot_joints", "surefoot_feet"
WITHIN, BETWEEN = "|", ";"
PLAIN = " /:+@()[]"


def tell(spec: mujoco.MjSpec, joints: tuple[str, ...], feet: tuple[Foot, ...]) -> None:
    """Write the roles into the spec, in place of those it told so far."""
    rows = [_row((foot.name, foot.body, *foot.geoms)) for foot in feet]
    for name, data in ((JOINTS, _row(joints) or WITHIN), (FEET, BETWEEN.join(rows) or BETWEEN)):
        old = spec.text(name)
        if old is not None:
            spec.delete(old)
        spec.add_text(name=name, data=data)


def driven(model: mujoco.MjModel, path: Path) -> tuple[str, ...] | None:
    """Names of the driven joints in the order of every torque vector; None if the file does not tell."""
    text = _text(model, JOINTS)
    if text is None:
        return None
    names = _names(model, "joint", JOINTS, text, path)
    for name in names:
        if model.jnt_type[model.joint(name).id] not in ONE_DOF:
            raise ModelError(f"{path}: its text {JOINTS!r} names {name!r}, a joint with several axes")
    return tuple(dict.fromkeys(names))


def feet(model: mujoco.MjModel, path: Path) -> tuple[Foot, ...] | None:
    """The feet; None if the file does not tell."""
    text = _text(model, FEET)
    if text is None:
        return None
    found = []
    for row in filter(None, text.split(BETWEEN)):
        name, _, rest = row.partition(WITHIN)
        body, _, geoms = rest.partition(WITHIN)
        if not body:
            raise ModelError(f"{path}: its text {FEET!r} needs NAME|BODY|GEOM|... for each foot, got {row!r}")
        _names(model, "body", FEET, body, path)
        found.append(Foot(unquote(name), unquote(body), _names(model, "geom", FEET, geoms, path)))
    return tuple(found)


def _row(names: tuple[str, ...]) -> str:
    return WITHIN.join(quote(name, safe=PLAIN) for name in names)


def _text(model: mujoco.MjModel, name: str) -> str | None:
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, name)
    if index < 0:
        return None
    start, size = model.text_adr[index], model.text_size[index]
    return bytes(model.text_data[start : start + size]).rstrip(b"\0").decode()


def _names(model: mujoco.MjModel, kind: str, text: str, row: str, path: Path) -> tuple[str, ...]:
    """The names in a row, each that of a joint, body or geom."""
    count = {"joint": model.njnt, "body": model.nbody, "geom": model.ngeom}[kind]
    known = {getattr(model, kind)(k).name for k in range(count)}
    names = tuple(unquote(name) for name in filter(None, row.split(WITHIN)))
    for name in names:
        if name not in known:
            raise ModelError(f"{path}: its text {text!r} names {name!r}, but no {kind} is called so")
    return names
