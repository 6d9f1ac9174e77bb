"""One table of all that loading a robot ignored, excluded, repaired or assumed, and of what looks wrong in it."""

from __future__ import annotations

import copy
import textwrap
from dataclasses import dataclass

import mujoco
import numpy as np

from surefoot.errors import InputError
from surefoot.robots import ignored
from surefoot.robots.scene import Note, Scene

# What counts as suspicious.
INERTIA_RATIO = 1e4  # largest over smallest principal inertia of one body
GYRATION = 2.0  # m; radius of gyration of one body
LIGHT = 1e-5  # kg; a moving body lighter than this
KINDS = ("suspicious", "ignored", "excluded", "repaired", "assumed")


@dataclass(frozen=True)
class Check:
    """What `check` found; print it.

    Attributes:
        robot: name of the robot.
        summary: lines on size, mass and roles.
        rows: everything noted, the worst kind first.
    """

    robot: str
    summary: tuple[str, ...]
    rows: tuple[Note, ...]

    def of(self, kind: str) -> tuple[Note, ...]:
        """The rows of one kind: "suspicious", "ignored", "excluded", "repaired" or "assumed"."""
        return tuple(row for row in self.rows if row.kind == kind)

    def table(self, width: int = 110) -> str:
        """The rows as text, `width` characters wide."""
        if not self.rows:
            return "nothing was ignored, excluded, repaired or assumed"
        first = max(len(kind) for kind in KINDS) + 2
        second = min(34, max(len(row.what) for row in self.rows)) + 2
        third = max(width - first - second, 20)
        lines = [f"{'kind':<{first}}{'what':<{second}}detail", "-" * width]
        for row in self.rows:
            left = textwrap.wrap(row.what, second - 2) or [""]
            right = textwrap.wrap(row.detail, third) or [""]
            for k in range(max(len(left), len(right))):
                kind = row.kind if k == 0 else ""
                what = left[k] if k < len(left) else ""
                detail = right[k] if k < len(right) else ""
                lines.append(f"{kind:<{first}}{what:<{second}}{detail}".rstrip())
        return "\n".join(lines)

    def __str__(self) -> str:
        return "\n".join([*self.summary, "", self.table()])

    def __repr__(self) -> str:
        return str(self)


def check(robot: Scene) -> Check:
    """List all that loading ignored, excluded, repaired or assumed, and what looks wrong in the model.

    Suspicious: a body whose principal inertias differ by more than 1e4, whose radius of gyration is over 2 m, or which
    moves and weighs under 1e-5 kg; a joint whose limits leave it no room; an actuated joint that the file allows no
    torque; a floating robot without feet; feet or links in the ground at home.

    Args:
        robot: a robot or scene.

    Returns:
        The findings; `print` them, or look at `rows`.
    """
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot from load(), got {type(robot).__name__}")
    found = [*_bodies(robot), *_joints(robot), *_standing(robot), *robot.notes]
    rows = sorted(found, key=lambda row: KINDS.index(row.kind) if row.kind in KINDS else len(KINDS))
    return Check(robot.name, _summary(robot), tuple(rows))


def _summary(robot: Scene) -> tuple[str, ...]:
    base = "bolted down" if robot.base is None else f"floating on {robot.base!r}"
    lines = [
        f"{robot.name}: {robot.nv} degrees of freedom, {base}, {robot.mass:.4g} kg",
        f"actuated ({len(robot.joints)}): {', '.join(robot.joints) or 'none'}",
        f"feet ({len(robot.feet)}): {', '.join(foot.name for foot in robot.feet) or 'none'}",
    ]
    if robot.objects:
        lines.append(f"objects ({len(robot.objects)}): {', '.join(robot.objects)}")
    return tuple(lines)


def _bodies(robot: Scene) -> list[Note]:
    model = robot.model
    rows = []
    for b in range(1, model.nbody):
        mass, principal = float(model.body_mass[b]), np.sort(model.body_inertia[b])
        if not model.body_weldid[b] or mass <= 0:
            continue
        name = model.body(b).name
        if model.body_weldid[b] == b and model.body_subtreemass[b] < LIGHT:
            rows.append(Note("suspicious", name, f"it and all it carries weigh {model.body_subtreemass[b]:.3g} kg"))
        if principal[0] > 0 and principal[2] > INERTIA_RATIO * principal[0]:
            ratio = principal[2] / principal[0]
            rows.append(Note("suspicious", name, f"its principal inertias differ by a factor of {ratio:.3g}"))
        gyration = float(np.sqrt(principal[2] / mass))
        if gyration > GYRATION:
            detail = f"its radius of gyration is {gyration:.3g} m; are its lengths in m and its masses in kg?"
            rows.append(Note("suspicious", name, detail))
    return rows


def _joints(robot: Scene) -> list[Note]:
    model = robot.model
    rows = []
    for j in range(model.njnt):
        low, high = model.jnt_range[j]
        if model.jnt_limited[j] and not low < high:
            rows.append(Note("suspicious", model.joint(j).name, f"its limits {low:g} to {high:g} leave it no room"))
    for name, (low, high) in zip(robot.joints, robot.torque_limits, strict=True):
        if low >= high:
            rows.append(Note("suspicious", name, "the file allows it no torque"))
    return rows


def _standing(robot: Scene) -> list[Note]:
    rows = []
    if robot.base is not None and not robot.feet and robot.joints:
        rows.append(Note("suspicious", robot.base, "a floating robot without feet; name them by load(..., feet=[...])"))
    model = copy.copy(robot.model)
    ignored.silence(model)
    data = mujoco.MjData(model)
    robot.home().to_mujoco(data)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    for k in range(data.ncon):
        depth = -float(data.contact.dist[k])
        if depth > 1e-4:
            names = " and ".join(model.geom(int(g)).name for g in data.contact.geom[k])
            rows.append(Note("suspicious", names, f"at home they overlap by {depth:.2g} m"))
    return rows
