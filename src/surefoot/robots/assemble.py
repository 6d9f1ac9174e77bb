"""From an MjSpec to a scene: roles, feet, ground, home pose, excluded pairs. The same for MJCF and URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robots import feet as footing
from surefoot.robots import guard, ignored, told
from surefoot.robots import home as homing
from surefoot.robots.roles import FREE, Roles, assign, name_all
from surefoot.robots.scene import Foot, Note, Scene
from surefoot.robots.settle import settle
from surefoot.robots.terrains import Plane


@dataclass(frozen=True)
class Wishes:
    """The arguments of `load`, checked."""

    floating: bool | None = None
    feet: Sequence[str] | Mapping[str, float] | None = None
    passive: tuple[str, ...] = ()
    ground: Any = ...
    balance_inertia: bool = False
    meshes: str = "keep"

    def __post_init__(self) -> None:
        footing.check_argument(self.feet)

    def beside_ground(self) -> dict[str, Any]:
        """The arguments that were given and are not `ground`."""
        default = Wishes()
        names = ("floating", "feet", "passive", "balance_inertia", "meshes")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(default, name)}


@dataclass(frozen=True)
class Hints:
    """What a URDF and its SRDF know beside the model itself.

    Attributes:
        undriven: joints without a motor by the file.
        pose: positions of the home pose by joint name.
        source: where that pose comes from, for the note.
        disabled: pairs of links not to be checked for collision, and where that comes from.
    """

    undriven: tuple[str, ...] = ()
    pose: Mapping[str, Sequence[float]] = field(default_factory=dict)
    source: str = ""
    disabled: tuple[tuple[str, str], ...] = ()


def assemble(
    spec: mujoco.MjSpec, path: Path, wishes: Wishes, notes: list[Note], *, name: str, hints: Hints | None = None
) -> Scene:
    """Build the scene; `notes` holds what was noted so far and is added to."""
    hints = hints or Hints()
    name_all(spec, notes)
    if isinstance(wishes.feet, Mapping):
        footing.add_spheres(spec, wishes.feet, notes)
    model = guard.compile_model(spec, path)
    if wishes.floating and not (model.jnt_type == FREE).any():
        _add_free_joint(spec, model)
        model = guard.compile_model(spec, path)
    roles = assign(model, wishes.passive, hints.undriven, told.driven(model, path))
    surfaces = ()
    ground = wishes.ground
    if ground is ...:
        ground = Plane() if roles.base is not None and not _has_world_geometry(model) else None
    if ground is not None:
        surfaces = ground.add_to(spec)
    _disable(spec, model, hints, notes)
    model = guard.compile_model(spec, path)
    q = _pose(model, hints, notes)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    feet = told.feet(model, path) if wishes.feet is None else footing.named(model, wishes.feet)
    if feet is None:
        feet = footing.detected(model, data, roles)
    if wishes.meshes == "spheres":
        feet = footing.to_spheres(spec, model, data, feet, notes)
        model = guard.compile_model(spec, path)
    unseen = ignored.find(model)
    ignored.silence(model)
    if model.nkey == 0 and roles.base is not None:
        q = _stand(model, roles, q, feet, notes)
    for first, second in homing.touching_pairs(model, q, set(roles.bodies)):
        names = [model.body(first).name, model.body(second).name]
        spec.add_exclude(name=_exclude_name(spec, names), bodyname1=names[0], bodyname2=names[1])
        notes.append(Note("excluded", f"{names[0]} and {names[1]}", "these links touch at home; they may pass through"))
    notes.extend(unseen)
    return Scene(
        spec,
        name=name,
        joints=roles.joints,
        base=roles.base,
        feet=feet,
        objects=roles.objects,
        surfaces=surfaces,
        notes=tuple(notes),
        home=q,
    )


def _add_free_joint(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Let the first body of the world float: that of the largest tree, if there are several."""
    roots = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0]
    root = max(roots, key=lambda b: int((model.body_rootid == b).sum()), default=None)
    if root is not None:
        spec.body(model.body(root).name).add_freejoint(name="root_joint")


def _has_world_geometry(model: mujoco.MjModel) -> bool:
    fixed = model.body_weldid[model.geom_bodyid] == 0
    return bool((fixed & ((model.geom_contype != 0) | (model.geom_conaffinity != 0))).any())


def _disable(spec: mujoco.MjSpec, model: mujoco.MjModel, hints: Hints, notes: list[Note]) -> None:
    known = {model.body(b).name for b in range(model.nbody)}
    pairs = [pair for pair in hints.disabled if set(pair) <= known]
    for first, second in pairs:
        spec.add_exclude(name=_exclude_name(spec, [first, second]), bodyname1=first, bodyname2=second)
    if pairs:
        shown = f"{len(pairs)} link pairs"
        notes.append(Note("excluded", shown, f"the file {hints.source} says that they need no collision check"))


def _exclude_name(spec: mujoco.MjSpec, names: list[str]) -> str:
    name = f"{names[0]}_and_{names[1]}"
    while spec.exclude(name) is not None:
        name += "_"
    return name


def _pose(model: mujoco.MjModel, hints: Hints, notes: list[Note]) -> NDArray[np.float64]:
    """The file's keyframe, or the reference pose, or zeros; not lowered yet."""
    if model.nkey:
        q = np.array(model.key_qpos[0])
        mujoco.mj_normalizeQuat(model, q)
        return q
    q, moved = homing.rest(model, hints.pose)
    if moved:
        detail = "zero is outside their limits; home has them at mid-range"
        notes.append(Note("assumed", ", ".join(moved), detail))
    return q


def _stand(
    model: mujoco.MjModel, roles: Roles, q: NDArray[np.float64], feet: tuple[Foot, ...], notes: list[Note]
) -> NDArray[np.float64]:
    """The pose lowered to the ground, and tilted by what the feet's facets ask for if that is level."""
    base = model.body(roles.base)
    joint = int(base.jntadr[0])
    if homing.is_level(model):
        turned = settle(model, q, base.id, [model.geom(name).id for foot in feet for name in foot.geoms])
        tilt = 2 * float(np.linalg.norm(homing.turn_between(q, turned, int(model.jnt_qposadr[joint]) + 3)))
        if tilt > 1e-9:
            notes.append(Note("assumed", "home", f"tilted by {tilt:.2g} rad, so that the feet rest on level ground"))
            q = turned
    lowered = homing.lower(model, q, joint, set(roles.bodies))
    return q if lowered is None else lowered
