"""What robots are asked to do and not to do: the bundled witnesses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.dynamics import by_joint
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.traces.span import Array, Span, of_scene


@dataclass(frozen=True)
class Upright:
    """The base leans by less than a limit.

    Attributes:
        limit: rad between the base's z axis and the vertical.
        name: what tables call it.
    """

    limit: float = math.pi / 2
    name: str = "upright"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("Upright.limit", self.limit, above=0.0)

    def values(self, span: Span) -> Array:
        """(n,) 1 - lean / limit."""
        return 1.0 - np.arccos(np.clip(_up(span.base), -1.0, 1.0)) / self.limit


@dataclass(frozen=True)
class Tilt:
    """Roll or pitch of the base stays below a limit.

    Attributes:
        about: "roll" or "pitch".
        limit: rad.
        name: what tables call it; by default that of the angle.
    """

    about: str = "roll"
    limit: float = math.pi / 4
    name: str = ""

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("Tilt.about", self.about, ("roll", "pitch"))
        checks.number("Tilt.limit", self.limit, above=0.0)
        if not self.name:
            object.__setattr__(self, "name", self.about)

    def values(self, span: Span) -> Array:
        """(n,) 1 - |angle| / limit."""
        return 1.0 - np.abs(angles(span.base)[:, ("roll", "pitch").index(self.about)]) / self.limit


@dataclass(frozen=True)
class NoBodyContact:
    """Nothing of the robot but its feet touches anything.

    Attributes:
        bodies: names of links that must not touch; None: all but feet.
        name: what tables call it.
    """

    bodies: tuple[str, ...] | None = None
    name: str = "no body contact"

    def values(self, span: Span) -> Array:
        """(n,) the least gap, as a share of the distance to which contacts are looked for; 1 if nothing is near."""
        chosen = _robot_geoms(span.scene) if self.bodies is None else _body_geoms(span.scene, self.bodies)
        mine = chosen[span.geoms]
        return _nearness(span, mine[:, 0] | mine[:, 1])


@dataclass(frozen=True)
class NoStrike:
    """No foot strikes the side of something: touches where the ground is steeper than a limit.

    Attributes:
        slope: rad from the horizontal; a surface steeper than this is a side.
        geoms: names of what must not be struck; None: everything.
        name: what tables call it.
    """

    slope: float = math.pi / 4
    geoms: tuple[str, ...] | None = None
    name: str = "no strike"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("NoStrike.slope", self.slope, above=0.0)

    def values(self, span: Span) -> Array:
        """(n,) as in `NoBodyContact`."""
        feet = _foot_geoms(span.scene)
        steep = np.abs(span.frames[:, 0, 2]) < math.cos(self.slope)
        rows = feet[span.geoms].any(axis=1) & steep
        if self.geoms is not None:
            struck = np.zeros(span.scene.model.ngeom, dtype=bool)
            struck[checks.indices("NoStrike.geoms", self.geoms, span.geom_names(), "geom")] = True
            rows &= struck[span.geoms].any(axis=1)
        return _nearness(span, rows)


@dataclass(frozen=True)
class NoSelfCollision:
    """Links that are not neighbours do not touch one another, whether they collide in the simulation or not.

    Attributes:
        near: m; links farther apart than this count as this far.
        every: looked at in every n-th step.
        ignored: pairs of names of links that may touch, such as those on both sides of a very short one.
        name: what tables call it.
    """

    near: float = 0.01
    every: int = 10
    ignored: tuple[tuple[str, str], ...] = ()
    name: str = "no self-collision"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("NoSelfCollision.near", self.near, above=0.0)
        checks.whole("NoSelfCollision.every", self.every, at_least=1)
        pairs = self.ignored if isinstance(self.ignored, list | tuple) else [self.ignored]
        for pair in pairs:
            if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(link, str) for link in pair):
                raise InputError(f"NoSelfCollision.ignored: expected pairs of names of links, got {self.ignored!r}")
        object.__setattr__(self, "ignored", tuple(tuple(pair) for pair in pairs))

    def values(self, span: Span) -> Array:
        """(n,) the least distance, as a share of `near`."""
        pairs = _apart(span.scene, tuple((one, other) for one, other in self.ignored))
        if not len(pairs):
            return np.ones(len(span))
        return span.clearances(pairs, self.every, self.near) / self.near


@dataclass(frozen=True)
class TorqueSpeed:
    """Motors stay under the line from stall torque to free speed.

    Attributes:
        torque: N m (N) at standstill: one number, (joints,) or by joint name; None: the robot's own limits.
        speed: rad/s (m/s) without load, the same; inf: no limit.
        name: what tables call it.
    """

    torque: Any = None
    speed: Any = math.inf
    name: str = "torque-speed"

    def values(self, span: Span) -> Array:
        """(n,) the least of 1 - |v| / v_max - |torque| / torque_max over the joints."""
        scene, free = span.scene, np.full(len(span.scene.joints), np.inf)
        torque = scene.torque_limits * [-1.0, 1.0]
        if self.torque is not None:
            torque = np.repeat(_of_joints(scene, "TorqueSpeed.torque", self.torque, free)[:, None], 2, axis=1)
        speed = _of_joints(scene, "TorqueSpeed.speed", self.speed, free)
        for name, limits in (("torque", torque), ("speed", speed)):
            if not (limits > 0.0).all():
                raise InputError(f"TorqueSpeed.{name}: expected limits above 0, got {limits.min():g}")
        stall = np.where(span.torque < 0.0, torque[:, 0], torque[:, 1])
        loads = np.abs(span.torque) / stall + np.abs(span.v[:, scene.dofs]) / speed
        return 1.0 - loads.max(axis=1, initial=0.0)


@dataclass(frozen=True)
class JointRange:
    """Joints stay within their stops.

    Attributes:
        low, high: rad (m): one number, (joints,) or by joint name; None, and joints that are not named: the stops of
            the robot's file.
        name: what tables call it.
    """

    low: Any = None
    high: Any = None
    name: str = "joint range"

    def values(self, span: Span) -> Array:
        """(n,) the least distance to a stop, as a share of half the range."""
        scene = span.scene
        joints = np.array([scene.model.joint(joint).id for joint in scene.joints], dtype=np.int64)
        limited = scene.model.jnt_limited[joints] != 0
        stops = np.where(limited[:, None], scene.model.jnt_range[joints], [-np.inf, np.inf])
        low = stops[:, 0] if self.low is None else _of_joints(scene, "JointRange.low", self.low, stops[:, 0])
        high = stops[:, 1] if self.high is None else _of_joints(scene, "JointRange.high", self.high, stops[:, 1])
        if not (low < high).all():
            joint = int(np.flatnonzero(~(low < high))[0])
            raise InputError(
                f"JointRange.low, high: expected low below high, got {low[joint]:g}, {high[joint]:g} "
                f"for {scene.joints[joint]!r}"
            )
        q = span.q[:, scene.joint_positions]
        half = np.where(np.isfinite(high - low), 0.5 * (high - low), 1.0)
        return np.minimum((q - low) / half, (high - q) / half).min(axis=1, initial=1.0)


@dataclass(frozen=True)
class Workspace:
    """A part stays within a box of the world.

    Attributes:
        low, high: (3,) m, corners of the box; infinite where there is no wall.
        part: name of a geom or a foot; None: the base, or the first object.
        name: what tables call it.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    part: str | None = None
    name: str = "workspace"

    def __post_init__(self) -> None:
        """Check."""
        low, high = (checks.array(f"Workspace.{n}", getattr(self, n), (3,), finite=False) for n in ("low", "high"))
        if not (low < high).all():
            raise InputError(f"Workspace.low, high: expected low below high, got {self.low!r}, {self.high!r}")

    def values(self, span: Span) -> Array:
        """(n,) distance in m to the nearest wall; negative outside."""
        place = span.base[:, :3] if self.part is None else span.places([_geom(span, self.part)])[:, 0]
        return np.minimum(place - np.array(self.low), np.array(self.high) - place).min(axis=1)


@dataclass(frozen=True)
class FeetBeyond:
    """All feet are beyond a line on the ground, such as the far side of a curb.

    Attributes:
        point: x, y in m of a point of the line.
        heading: rad from x: the direction in which the far side lies.
        feet: names; None: all.
        name: what tables call it.
    """

    point: tuple[float, float]
    heading: float = 0.0
    feet: tuple[str, ...] | None = None
    name: str = "feet beyond"
    scale: float = field(default=0.1, repr=False)

    def __post_init__(self) -> None:
        """Check."""
        checks.array("FeetBeyond.point", self.point, (2,))
        checks.number("FeetBeyond.heading", self.heading)
        checks.number("FeetBeyond.scale", self.scale, above=0.0)

    def values(self, span: Span) -> Array:
        """(n,) distance of the hindmost foot's centre beyond the line, in units of 10 cm."""
        known = [foot.name for foot in span.scene.feet]
        wanted = range(len(known)) if self.feet is None else checks.indices("FeetBeyond.feet", self.feet, known, "foot")
        geoms = [_geom(span, known[i]) for i in wanted]
        if not geoms:
            raise InputError(f"FeetBeyond.feet: expected some feet, got none of {span.scene.name!r}")
        ahead = np.array([math.cos(self.heading), math.sin(self.heading)])
        beyond = (span.places(geoms)[:, :, :2] - np.array(self.point)) @ ahead
        return beyond.min(axis=1) / self.scale


@dataclass(frozen=True)
class Held:
    """An object touches the robot and nothing else, such as a ball in a gripper.

    Attributes:
        thing: name of the object; None: the first.
        name: what tables call it.
    """

    thing: str | None = None
    name: str = "held"

    def values(self, span: Span) -> Array:
        """(n,) 1 if it is held, -1 if not."""
        scene, model = span.scene, span.scene.model
        if not scene.objects:
            raise InputError(f"Held: {scene.name!r} has no loose object")
        thing = self.thing or scene.objects[0]
        checks.indices("Held.thing", [thing], scene.objects, "object")
        mine = model.geom_bodyid == model.body(thing).id
        robot = _robot_geoms(scene) | _foot_geoms(scene)
        pushed = span.forces[:, 0] > 0.0
        touched = pushed & mine[span.geoms].any(axis=1) & robot[span.geoms].any(axis=1)
        rests = pushed & mine[span.geoms].any(axis=1) & ~robot[span.geoms].any(axis=1)
        holds = span.least(touched, -np.ones(len(span.gaps)), 0.0) < 0.0
        lies = span.least(rests, -np.ones(len(span.gaps)), 0.0) < 0.0
        return np.where(holds & ~lies, 1.0, -1.0)


def angles(pose: Array) -> Array:
    """(n, 3) roll, pitch, yaw in rad (about x, then y, then z, all fixed) of poses (n, 7)."""
    w, x, y, z = pose[:, 3:7].T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=1)


def _up(pose: Array) -> Array:
    """(n,) cosine of the lean."""
    _, x, y, _ = pose[:, 3:7].T
    return 1.0 - 2.0 * (x * x + y * y)


def _nearness(span: Span, rows: NDArray[np.bool_]) -> Array:
    """(n,) see `NoBodyContact`; what pushes touches, also where it bounces back within the step."""
    gaps = np.where(span.forces[:, 0] > 0.0, np.minimum(span.gaps, 0.0), span.gaps)
    return span.least(rows, (gaps - span.touch) / span.near, 1.0)


@of_scene
def _foot_geoms(scene: Scene) -> NDArray[np.bool_]:
    """(ngeom,) which geoms are feet."""
    feet = np.zeros(scene.model.ngeom, dtype=bool)
    for foot in scene.feet:
        feet[[scene.model.geom(geom).id for geom in foot.geoms]] = True
    return feet


def _body_geoms(scene: Scene, bodies: tuple[str, ...]) -> NDArray[np.bool_]:
    """(ngeom,) which geoms belong to these bodies."""
    model = scene.model
    known = [model.body(i).name for i in range(model.nbody)]
    return np.isin(model.geom_bodyid, checks.indices("NoBodyContact.bodies", bodies, known, "body"))


@of_scene
def _robot_geoms(scene: Scene) -> NDArray[np.bool_]:
    """(ngeom,) which geoms belong to the robot, its feet left out."""
    model = scene.model
    loose = {model.body(thing).id for thing in scene.objects}
    fixed = model.body_weldid == 0  # a table, a wall
    mine = ~fixed & ~np.isin(model.body_rootid, list(loose))
    return mine[model.geom_bodyid] & ~_foot_geoms(scene)


@of_scene
def _apart(scene: Scene, ignored: tuple[tuple[str, str], ...]) -> NDArray[np.int64]:
    """(k, 2) pairs of the robot's geoms on links that are not neighbours and not ignored."""
    model = scene.model
    links = [model.body(i).name for i in range(model.nbody)]
    allowed = [set(checks.indices("NoSelfCollision.ignored", pair, links, "link")) for pair in ignored]
    mine = np.flatnonzero(_robot_geoms(scene) | _foot_geoms(scene))
    mine = [int(g) for g in mine if model.geom_rbound[g] > 0.0 and model.geom_group[g] < 3]
    pairs = []
    for i, a in enumerate(mine):
        for b in mine[i + 1 :]:
            one, other = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
            if one != other and not _neighbours(model, one, other) and {one, other} not in allowed:
                pairs.append((a, b))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _neighbours(model: Any, one: int, other: int) -> bool:
    """Whether a link carries the other, or both hang on the same one."""
    up, down = int(model.body_parentid[one]), int(model.body_parentid[other])
    return up in (other, down) or down == one


def _geom(span: Span, part: str) -> int:
    """Number of a geom, or of the first geom of a foot."""
    names = span.geom_names()
    for foot in span.scene.feet:
        if foot.name == part:
            return names.index(foot.geoms[0])
    return checks.indices("Workspace.part", [part], names, "geom")[0]


def _of_joints(scene: Scene, name: str, value: Any, otherwise: Array) -> Array:
    """(joints,) from one number, an array or a dict; `otherwise`: of joints that a dict does not name."""
    if isinstance(value, Mapping):
        given, numbers = by_joint(name, scene, value)
        return np.where(given, numbers, otherwise)
    if np.ndim(value) == 0:
        return np.full(len(scene.joints), checks.array(name, value, (), finite=False))
    return checks.array(name, value, (len(scene.joints),), finite=False)
