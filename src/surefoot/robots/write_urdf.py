"""Write a robot as a URDF file.

A MuJoCo body becomes a link of the same name and frame. A hinge turns its body by q - ref about a point p of the
body's frame, T <- T Shift(p) Turn(axis, q - ref) Shift(-p); a URDF joint turns its child by q about the child's own
origin. So the joint's origin is Shift(p) Turn(axis, -ref), and where p is not zero a fixed joint by Shift(-p) follows.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from surefoot import checks
from surefoot.errors import InputError, ModelError
from surefoot.robots import carry
from surefoot.robots import urdf_elements as elements
from surefoot.robots.bare import bare
from surefoot.robots.poses import Pose, pose, shifted, turned
from surefoot.robots.scene import Note, Scene
from surefoot.robots.urdf import UNBOUNDED
from surefoot.robots.urdf_elements import JointText
from surefoot.robots.urdf_unsaid import linear_equalities, unsaid

# Mass in kg and inertia in kg m^2 of the link between two joints of one body: simulators refuse a link without any.
SPECK = 2e-12
HINGE, BALL, FREE = (
    int(kind) for kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_FREE)
)


def write_urdf(
    robot: Scene, path: str | os.PathLike[str], *, speeds: Mapping[str, float] | None = None
) -> tuple[Note, ...]:
    """Write a robot as a URDF file, without its ground and without loose objects.

    Kinematics, inertias, stops, efforts, damping and dry friction are those of the robot, every number in full. Bodies
    are links of the same names and frames; a foot that is a geom becomes a link of its own name, fixed where the geom
    is. A floating base is the root link (Pinocchio: `JointModelFreeFlyer()`); a bolted robot hangs on a root link
    called world. Meshes are copied into a folder beside the file (`robot.urdf`: `robot_files`).

    Args:
        robot: from `load`, `scene` or a bundled family.
        path: the file to write; its folder must exist.
        speeds: largest speed by joint in rad/s or m/s, which a robot itself does not know.

    Returns:
        What was left out or assumed because URDF has no word for it; the comment at the top of the file lists the
        same.

    Raises:
        InputError: no robot, no such folder, an unknown joint in `speeds`, or a file that cannot be written.
        ModelError: something that must not be left out: a ball joint, a second moving tree, a shape that touches and
            that URDF cannot say.
    """
    file = carry.target(path)
    alone, notes = bare(robot)
    files = carry.gather(alone.spec, f"{file.stem}_files")
    writer = _Writer(alone, _speeds(alone, speeds))
    notes += [*writer.notes, *unsaid(alone)]
    carry.put(file, _text(writer.xml, notes), files)
    return tuple(notes)


def _speeds(robot: Scene, speeds: Any) -> dict[str, float]:
    if speeds is None:
        return {}
    if not isinstance(speeds, Mapping):
        raise InputError(f"speeds: expected a dict of joint name to speed, got {speeds!r}")
    checks.indices("speeds", speeds, [robot.model.joint(j).name for j in range(robot.model.njnt)], "joint")
    return {name: checks.number(f"speeds[{name!r}]", speed, above=0) for name, speed in speeds.items()}


def _text(xml: ET.Element, notes: list[Note]) -> str:
    lines = [f"{note.what}: {note.detail}" for note in notes]
    said = "\n".join(["Written by Surefoot. Left out or assumed:", *lines]) if lines else "Written by Surefoot."
    ET.indent(xml)
    comment = said.replace("--", "- -")
    return f'<?xml version="1.0"?>\n<!-- {comment} -->\n{ET.tostring(xml, encoding="unicode")}\n'


class _Writer:
    """Turns a robot without ground and objects into XML.

    Attributes:
        xml: the finished <robot>.
    """

    def __init__(self, robot: Scene, speeds: dict[str, float]) -> None:
        self._robot, self._model, self._speeds = robot, robot.model, speeds
        model = robot.model
        self._said: dict[tuple[str, str], list[str]] = {}
        self.xml = ET.Element("robot", name=robot.name)
        self._root = 0 if robot.base is None else model.body(robot.base).id
        self._bodies = self._tree()
        self._link_names = {model.body(b).name for b in self._bodies}
        self._joint_names = {model.joint(j).name for j in range(model.njnt)}
        self._mimics = {int(model.eq_obj1id[e]): e for e in linear_equalities(model)}
        feet = self._feet()
        for b in self._bodies:
            link = self._add_body(b)
            for g in np.flatnonzero(model.geom_bodyid == b):
                if not any(g in geoms for geoms in feet.values()):
                    self._add_shape(link, int(g), shifted(np.zeros(3)))
        for name, geoms in feet.items():
            self._add_foot(name, geoms)
        # MuJoCo: keep every link, its shapes, and the folder of its meshes.
        extension = ET.SubElement(self.xml, "mujoco")
        ET.SubElement(extension, "compiler", fusestatic="false", discardvisual="false", strippath="false")

    def _tree(self) -> list[int]:
        """The bodies to write, parents first."""
        model = self._model
        inside = [b for b in range(model.nbody) if not self._root or model.body_rootid[b] == self._root]
        for b in sorted(set(range(1, model.nbody)) - set(inside)):
            name = model.body(b).name
            if model.body_weldid[b]:
                raise ModelError(f"{self._robot.name}: URDF holds one tree of links, and {name!r} moves outside it")
            self._note("ignored", name, "URDF holds one tree of links, and this is fixed to the world")
        if self._root:
            fixed = [model.geom(g).name for g in np.flatnonzero(model.geom_bodyid == 0)]
            for name in fixed:
                self._note("ignored", name, "a URDF that floats has no world to hold this geom")
        return inside

    def _add_body(self, b: int) -> ET.Element:
        """Add a link and the joints that carry it."""
        model, name = self._model, self._model.body(b).name
        joints = range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
        if b != self._root:
            parent, place = model.body(model.body_parentid[b]).name, pose(model.body_quat[b], model.body_pos[b])
            for j in joints:
                text, after = self._joint(j, place)
                last = j == joints[-1] and not after.shift.any()
                child = name if last else _free(f"{name}_of_{model.joint(j).name}", self._link_names)
                if not last:
                    self._add_between(child, moves=j != joints[-1])
                elements.add_joint(self.xml, model.joint(j).name, parent, child, text)
                parent, place = child, after
            if parent != name:
                self._fix(parent, name, place)
        link = ET.SubElement(self.xml, "link", name=name)
        if b and model.body_mass[b] > 0:
            inertia = elements.body_inertia(model, b)
            elements.add_inertial(link, model.body_mass[b], model.body_ipos[b], inertia)
        return link

    def _add_between(self, name: str, *, moves: bool) -> None:
        """Add a link that is no body of the robot: it carries the next joint, moving or fixed."""
        link = ET.SubElement(self.xml, "link", name=name)
        if moves:
            elements.add_inertial(link, SPECK, np.zeros(3), SPECK * np.eye(3))
            detail = f"a link between two joints of one body; it was given {SPECK:g} kg, since simulators want some"
            self._note("assumed", name, detail)

    def _joint(self, j: int, place: Pose) -> tuple[JointText, Pose]:
        """What to write about a joint, and where the next frame is from its child's.

        Args:
            j: index of the joint.
            place: the frame in which it stands, in the parent link's.
        """
        model, joint = self._model, self._model.joint(j)
        kind = int(model.jnt_type[j])
        if kind in (BALL, FREE):
            what = "a ball joint" if kind == BALL else "a second free joint"
            raise ModelError(f"{self._robot.name}: joint {joint.name!r} is {what}, which URDF cannot say")
        axis, dof, ref = model.jnt_axis[j], int(model.jnt_dofadr[j]), float(model.qpos0[model.jnt_qposadr[j]])
        if kind == HINGE:
            anchor = model.jnt_pos[j]
            place, after = place @ shifted(anchor), shifted(-anchor)
            if ref:
                place = place @ turned(axis, -ref)
        else:
            place, after = place @ shifted(-ref * axis), shifted(np.zeros(3))
        text = JointText(
            self._kind(j),
            place,
            axis,
            self._limit(j),
            float(model.dof_damping[dof]),
            float(model.dof_frictionloss[dof]),
            self._mimic(j),
        )
        return text, after

    def _kind(self, j: int) -> str:
        if int(self._model.jnt_type[j]) != HINGE:
            return "prismatic"
        return "revolute" if self._model.jnt_limited[j] else "continuous"

    def _limit(self, j: int) -> dict[str, float] | None:
        """Stops, effort and speed; None for a joint that has none of them and needs none."""
        model, name = self._model, self._model.joint(j).name
        effort, speed = self._effort(name), self._speeds.get(name)
        limit = {"effort": UNBOUNDED if effort is None else effort, "velocity": UNBOUNDED if speed is None else speed}
        if self._kind(j) == "continuous":
            if effort is None and speed is None:
                return None
        elif model.jnt_limited[j]:
            limit |= {"lower": float(model.jnt_range[j, 0]), "upper": float(model.jnt_range[j, 1])}
        else:
            limit |= {"lower": -UNBOUNDED, "upper": UNBOUNDED}
        unbounded = ", ".join(key for key, value in limit.items() if abs(value) == UNBOUNDED)
        if unbounded:
            detail = f"a URDF must name its {unbounded}, and it has none; {UNBOUNDED:g} was written"
            self._note("assumed", name, detail)
        return limit

    def _effort(self, name: str) -> float | None:
        """Largest torque or force of a joint's motor; 0 if it has no motor; None if there is no bound."""
        if name not in self._robot.joints:
            return 0.0
        low, high = self._robot.torque_limits[self._robot.joints.index(name)]
        effort = float(min(-low, high))
        if -low != high:
            detail = f"its torque lies between {low:g} and {high:g}; the effort {effort:g} was written for both sides"
            self._note("assumed", name, detail)
        return effort if np.isfinite(effort) else None

    def _mimic(self, j: int) -> tuple[str, float, float] | None:
        """MuJoCo's y - y0 = a0 + a1 (x - x0) as y = multiplier x + offset."""
        if j not in self._mimics:
            return None
        model, e = self._model, self._mimics[j]
        leader = int(model.eq_obj2id[e])
        x0, y0 = (float(model.qpos0[model.jnt_qposadr[k]]) for k in (leader, j))
        a0, a1 = (float(a) for a in model.eq_data[e, :2])
        return model.joint(leader).name, a1, y0 + a0 - a1 * x0

    def _feet(self) -> dict[str, list[int]]:
        """Geoms of each foot that is no body, by its name."""
        model, found = self._model, {}
        for foot in self._robot.feet:
            b = model.body(foot.body).id
            geoms = [k for k in (model.geom(name).id for name in foot.geoms) if model.geom_bodyid[k] == b]
            if geoms and b in self._bodies and foot.name not in self._link_names:
                self._link_names.add(foot.name)
                found[foot.name] = geoms
        return found

    def _add_foot(self, name: str, geoms: list[int]) -> None:
        """Add a link for a foot, where its first geom is."""
        model = self._model
        frame = shifted(model.geom_pos[geoms[0]])
        self._fix(model.body(model.geom_bodyid[geoms[0]]).name, name, frame)
        link = ET.SubElement(self.xml, "link", name=name)
        for g in geoms:
            self._add_shape(link, g, frame)

    def _add_shape(self, link: ET.Element, g: int, frame: Pose) -> None:
        problem = elements.add_shape(link, self._robot.spec, self._model, g, frame)
        if problem is not None:
            self._note("ignored", self._model.geom(g).name, f"left out, though only to look at: {problem}")

    def _fix(self, parent: str, child: str, place: Pose) -> None:
        """Fix a link to another."""
        name = _free(f"{child}_fixed", self._joint_names)
        elements.add_joint(self.xml, name, parent, child, JointText("fixed", place))

    def _note(self, kind: str, what: str, detail: str) -> None:
        self._said.setdefault((kind, detail), []).append(what)

    @property
    def notes(self) -> list[Note]:
        """What could not be written as it is."""
        return [Note(kind, ", ".join(names), detail) for (kind, detail), names in self._said.items()]


def _free(name: str, taken: set[str]) -> str:
    """A name like `name` that is not taken; takes it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
