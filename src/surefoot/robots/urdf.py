"""URDF: read the file, check what MuJoCo would not, and hand it over with nothing lost in silence.

MuJoCo reads URDF itself. What it leaves to the user is done here: `package://` paths, fixed links kept as bodies (their
frames are the feet's), links without an `<inertial>` left massless (MuJoCo would invent a mass from their shapes),
mimic joints as equalities, and errors that name the link.
"""

from __future__ import annotations

import copy
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import mujoco

from surefoot.errors import ModelError
from surefoot.robots.scene import Note

ONE_AXIS = ("revolute", "continuous", "prismatic")
JOINT_TYPES = (*ONE_AXIS, "fixed", "floating", "planar")
# An effort, a speed or a stop of this size is none: a URDF must write a number, and readers take no "inf".
UNBOUNDED = 1e30


@dataclass
class Urdf:
    """A URDF file as a tree of links and joints.

    Attributes:
        path: the file.
        xml: its root element; edited in place by the functions of this file and of `meshes`.
        links: element of each link by name, in file order.
        joints: element of each joint by name, in file order.
        root: name of the link that has no parent.
        children: names of the joints that leave each link, in file order.
        carriers: name of the joint that carries each link but the root.
        assets: files that exist in memory only, by the name that the XML calls them.
        notes: what was ignored or repaired so far.
    """

    path: Path
    xml: ET.Element
    links: dict[str, ET.Element]
    joints: dict[str, ET.Element]
    root: str
    children: dict[str, list[str]]
    carriers: dict[str, str]
    assets: dict[str, bytes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def child(self, joint: str) -> str:
        """Name of the link that a joint moves."""
        return str(_link_of(self.joints[joint], "child"))

    def is_fixed(self, joint: str) -> bool:
        """Whether a joint is none: its two links are one body."""
        return self.joints[joint].get("type") == "fixed"

    def parent(self, joint: str) -> str:
        """Name of the link that a joint leaves."""
        return str(_link_of(self.joints[joint], "parent"))

    def parent_joint(self, link: str) -> str | None:
        """Name of the joint that carries a link; None for the root."""
        return self.carriers.get(link)

    def group_head(self, link: str) -> str:
        """The innermost link that `link` is fixed to, itself if a moving joint carries it."""
        while (joint := self.parent_joint(link)) is not None and self.is_fixed(joint):
            link = self.parent(joint)
        return link

    def rigid_group(self, link: str) -> list[str]:
        """`link` and all that is fixed to it further out."""
        group = [link]
        for name in group:
            group.extend(self.child(joint) for joint in self.children[name] if self.is_fixed(joint))
        return group

    def moving_links(self) -> list[str]:
        """Links that a moving joint carries, in file order."""
        return [self.child(joint) for joint in self.joints if not self.is_fixed(joint)]


def parse(text: str | bytes, path: Path) -> Urdf:
    """Read a URDF and check that it is one tree.

    Raises:
        ModelError: not XML, not a URDF, or not a tree; the text names the link or joint.
    """
    try:
        xml = ET.fromstring(text)
    except ET.ParseError as error:
        raise ModelError(f"{path}: not readable as XML: {error}") from None
    if any("xacro" in element.tag for element in xml.iter()):
        raise ModelError(f"{path}: this is a xacro file; run `xacro {path.name} > robot.urdf` and load the result")
    links = _by_name(xml, "link", path)
    joints = _by_name(xml, "joint", path)
    if not links:
        raise ModelError(f"{path}: a URDF needs at least one <link>, this has none")
    parent_of: dict[str, str] = {}
    children: dict[str, list[str]] = {name: [] for name in links}
    for name, joint in joints.items():
        for end in ("parent", "child"):
            link = _link_of(joint, end)
            if link is None:
                raise ModelError(f"{path}: joint {name!r} has no <{end} link=...>")
            if link not in links:
                raise ModelError(f"{path}: joint {name!r} has the {end} {link!r}, but no link is called so")
        if joint.get("type") not in JOINT_TYPES:
            expected = ", ".join(JOINT_TYPES)
            raise ModelError(f"{path}: joint {name!r} has type {joint.get('type')!r}; expected one of {expected}")
        parent, child = str(_link_of(joint, "parent")), str(_link_of(joint, "child"))
        if child in parent_of:
            raise ModelError(f"{path}: link {child!r} has two parent joints, {parent_of[child]!r} and {name!r}")
        parent_of[child] = name
        children[parent].append(name)
    roots = [name for name in links if name not in parent_of]
    if len(roots) > 1:
        raise ModelError(f"{path}: a URDF has one root link, this has {len(roots)}: {', '.join(map(repr, roots))}")
    urdf = Urdf(path, xml, links, joints, roots[0] if roots else "", children, parent_of)
    if not roots or len(_reachable(urdf)) < len(links):
        inside = sorted(set(links) - set(_reachable(urdf)) if roots else links)
        raise ModelError(f"{path}: the joints form a loop through link {inside[0]!r}; a URDF is a tree")
    return urdf


def _by_name(xml: ET.Element, tag: str, path: Path) -> dict[str, ET.Element]:
    found: dict[str, ET.Element] = {}
    for element in xml.findall(tag):
        name = element.get("name")
        if not name:
            raise ModelError(f"{path}: a <{tag}> has no name")
        if name in found:
            raise ModelError(f"{path}: two {tag}s are called {name!r}")
        found[name] = element
    return found


def _link_of(joint: ET.Element, end: str) -> str | None:
    element = joint.find(end)
    return None if element is None else element.get("link")


def _reachable(urdf: Urdf) -> list[str]:
    found = [urdf.root]
    for name in found:
        found.extend(urdf.child(joint) for joint in urdf.children[name])
    return found


def drop_world(urdf: Urdf, kinds: tuple[str, ...]) -> bool:
    """Drop an empty root link that holds the robot by one joint of these kinds; return whether there was one."""
    joints = urdf.children[urdf.root]
    if len(joints) != 1 or urdf.joints[joints[0]].get("type") not in kinds or len(urdf.links[urdf.root]):
        return False
    root = urdf.child(joints[0])
    urdf.xml.remove(urdf.joints.pop(joints[0]))
    urdf.xml.remove(urdf.links.pop(urdf.root))
    del urdf.children[urdf.root], urdf.carriers[root]
    urdf.root = root
    return True


def check_limits(urdf: Urdf) -> None:
    """Refuse joint limits that are upside down; drop (and note) those that are equal, as MuJoCo does without a word.

    Limits of `UNBOUNDED` and more are dropped too.
    """
    _drop_unbounded(urdf)
    equal = []
    for name, joint in urdf.joints.items():
        limit = joint.find("limit")
        if limit is None or joint.get("type") not in ("revolute", "prismatic"):
            continue
        try:
            low, high = float(limit.get("lower", 0)), float(limit.get("upper", 0))
        except ValueError:
            raise ModelError(f"{urdf.path}: joint {name!r}: lower and upper of <limit> must be numbers") from None
        if not low <= high:
            raise ModelError(f"{urdf.path}: joint {name!r}: its lower limit {low:g} is above its upper limit {high:g}")
        if low == high:
            equal.append(name)
            for key in ("lower", "upper"):
                limit.attrib.pop(key, None)
    if equal:
        detail = "lower and upper limit are equal; the joint moves without limits (make it fixed if it should not)"
        urdf.notes.append(Note("ignored", ", ".join(equal), detail))


def _drop_unbounded(urdf: Urdf) -> None:
    for limit in urdf.xml.iterfind("joint/limit"):
        for keys in (("effort",), ("lower", "upper")):
            try:
                none = all(abs(float(limit.get(key, 0))) >= UNBOUNDED for key in keys)
            except ValueError:
                continue  # not a number, which others complain of
            for key in keys if none else ():
                del limit.attrib[key]


def to_spec(urdf: Urdf) -> mujoco.MjSpec:
    """Hand the file to MuJoCo: every link a body, every geom named, mimic joints as equalities.

    Raises:
        ModelError: MuJoCo refuses it, in MuJoCo's words.
    """
    mimics = _mimics(urdf)
    xml = copy.deepcopy(urdf.xml)
    for joint in xml.findall("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    for shape in (*xml.iter("collision"), *xml.iter("visual")):
        shape.attrib.pop("name", None)  # often not unique, which MuJoCo would complain of on the console
    own = xml.find("mujoco")
    extension = ET.SubElement(xml, "mujoco") if own is None else own
    compiler = extension.find("compiler")
    compiler = ET.SubElement(extension, "compiler") if compiler is None else compiler
    compiler.attrib.update(fusestatic="false", discardvisual="false", strippath="false", balanceinertia="false")
    try:
        spec = mujoco.MjSpec.from_string(ET.tostring(xml, encoding="unicode"), assets=urdf.assets)
    except (ValueError, mujoco.FatalError) as error:
        raise ModelError(f"{urdf.path}: MuJoCo cannot read this URDF: {' '.join(str(error).split())}") from None
    for body in spec.bodies:
        for k, geom in enumerate(body.geoms):
            geom.density = 0.0  # a link without <inertial> is massless
            kind = "collision" if geom.contype or geom.conaffinity else "visual"
            geom.name = _free_name(spec, f"{body.name}_{kind}", k)
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # no mesh has mass; an open one has no volume
    for follower, leader, multiplier, offset in mimics:
        equality = spec.add_equality(
            name=f"{follower}_mimics_{leader}",
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=follower,
            name2="" if urdf.is_fixed(leader) else leader,
        )
        equality.data[:5] = [offset, multiplier, 0, 0, 0]
    return spec


def _free_name(spec: mujoco.MjSpec, stem: str, k: int) -> str:
    name = stem if spec.geom(stem) is None else f"{stem}_{k}"
    while spec.geom(name) is not None:
        name += "_"
    return name


def _mimics(urdf: Urdf) -> list[tuple[str, str, float, float]]:
    """(follower, leader, multiplier, offset) of each mimic joint."""
    found = []
    for name, joint in urdf.joints.items():
        element = joint.find("mimic")
        if element is None:
            continue
        leader = element.get("joint", "")
        if leader not in urdf.joints:
            raise ModelError(f"{urdf.path}: joint {name!r} mimics {leader!r}, but no joint is called so")
        if urdf.is_fixed(name):
            continue  # it cannot move, so there is nothing to tie
        if joint.get("type") not in ONE_AXIS or urdf.joints[leader].get("type") not in (*ONE_AXIS, "fixed"):
            raise ModelError(f"{urdf.path}: joint {name!r} mimics {leader!r}, but one of them has several axes")
        try:
            multiplier, offset = float(element.get("multiplier", 1)), float(element.get("offset", 0))
        except ValueError:
            raise ModelError(f"{urdf.path}: joint {name!r}: multiplier and offset of <mimic> must be numbers") from None
        if not (math.isfinite(multiplier) and math.isfinite(offset)):
            raise ModelError(f"{urdf.path}: joint {name!r}: multiplier and offset of <mimic> must be finite")
        found.append((name, leader, multiplier, offset))
    return found
