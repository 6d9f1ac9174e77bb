"""Where robots are asked to be and how to move: the bundled witnesses that look at poses, speeds and torques."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.dynamics import by_joint
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.traces.span import Array, Span


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
        """(n,) the least over the joints."""
        return self._rooms(span).min(axis=1, initial=1.0)

    def each(self, span: Span) -> dict[str, Array]:
        """(n,) 1 - |v| / v_max - |torque| / torque_max, by joint."""
        return _by_joint(self.name, span.scene, self._rooms(span))

    def _rooms(self, span: Span) -> Array:
        """(n, joints)."""
        scene, free = span.scene, np.full(len(span.scene.joints), np.inf)
        torque = scene.torque_limits * [-1.0, 1.0]
        if self.torque is not None:
            torque = np.repeat(_of_joints(scene, "TorqueSpeed.torque", self.torque, free)[:, None], 2, axis=1)
        speed = _of_joints(scene, "TorqueSpeed.speed", self.speed, free)
        for name, limits in (("torque", torque), ("speed", speed)):
            if not (limits > 0.0).all():
                raise InputError(f"TorqueSpeed.{name}: expected limits above 0, got {limits.min():g}")
        stall = np.where(span.torque < 0.0, torque[:, 0], torque[:, 1])
        return 1.0 - np.abs(span.torque) / stall - np.abs(span.v[:, scene.dofs]) / speed


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
        """(n,) the least over the joints."""
        return self._rooms(span).min(axis=1, initial=1.0)

    def each(self, span: Span) -> dict[str, Array]:
        """(n,) distance to the nearer stop as a share of half the range, by joint."""
        return _by_joint(self.name, span.scene, self._rooms(span))

    def _rooms(self, span: Span) -> Array:
        """(n, joints)."""
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
        return np.minimum((q - low) / half, (high - q) / half)


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


def angles(pose: Array) -> Array:
    """(n, 3) roll, pitch, yaw in rad (about x, then y, then z, all fixed) of poses (n, 7)."""
    w, x, y, z = pose[:, 3:7].T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=1)


def _by_joint(name: str, scene: Scene, rooms: Array) -> dict[str, Array]:
    """(n,) by the witness's name with that of the joint, from (n, joints)."""
    return {f"{name} {joint}": rooms[:, k] for k, joint in enumerate(scene.joints)}


def _up(pose: Array) -> Array:
    """(n,) cosine of the lean."""
    _, x, y, _ = pose[:, 3:7].T
    return 1.0 - 2.0 * (x * x + y * y)


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
