"""Loose things: a box, a ball. Each is a frozen dataclass that adds a free body to an MjSpec."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.families.parts import resolve_mass

OBJECT_PRIORITY = 1  # an object's friction beats the robot's; the terrain's beats both
_WOOD = (0.76, 0.60, 0.42, 1.0)
_CLAY = (0.80, 0.36, 0.27, 1.0)


@runtime_checkable
class Loose(Protocol):
    """Anything with a name, a pose and this method can be an object of a scene."""

    @property
    def name(self) -> str:
        """Of the body."""
        ...

    @property
    def pose(self) -> NDArray[np.float64]:
        """(7,) x, y, z in m, then the quaternion w, x, y, z."""
        ...

    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Add the free body to `spec`; body, joint and geom carry the object's name."""
        ...


@dataclass(frozen=True, kw_only=True)
class Ball:
    """A solid sphere.

    Attributes:
        radius: in m.
        mass: in kg; or give the density.
        density: in kg/m^3; or give the mass.
        position: x, y, z in m of the centre.
        mu: friction coefficient against what has none of its own, inf allowed (but not in MuJoCo's own engine); None
            for MuJoCo's rule. A terrain's `mu` comes first.
        name: of the body.
        colour: red, green, blue, opacity between 0 and 1.
    """

    radius: float
    mass: float | None = None
    density: float | None = None
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mu: float | None = None
    name: str = "ball"
    colour: tuple[float, float, float, float] = _CLAY

    def __post_init__(self) -> None:
        checks.number("Ball.radius", self.radius, above=0)
        checks.array("Ball.position", self.position, (3,))
        _check_rest("Ball", self.kilograms, self.mu, self.name, self.colour)

    @property
    def kilograms(self) -> float:
        """The mass in kg, as given or from the density."""
        return resolve_mass("Ball", self.mass, self.density, 4 / 3 * math.pi * self.radius * self.radius * self.radius)

    @property
    def pose(self) -> NDArray[np.float64]:
        """(7,) x, y, z in m, then the quaternion w, x, y, z."""
        return np.array([*self.position, 1.0, 0.0, 0.0, 0.0])

    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Add the ball to `spec`."""
        size = [self.radius, 0.0, 0.0]
        _add(spec, self, self.kilograms, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, rgba=self.colour)


@dataclass(frozen=True, kw_only=True)
class Box:
    """A solid box.

    Attributes:
        size: full lengths along its x, y, z in m.
        mass: in kg; or give the density.
        density: in kg/m^3; or give the mass.
        position: x, y, z in m of the centre.
        quaternion: orientation w, x, y, z (any length but zero); None for upright or `rpy`.
        rpy: roll, pitch, yaw in rad about the fixed x, y, z, in that order, instead of the quaternion.
        mu: friction coefficient against what has none of its own, inf allowed (but not in MuJoCo's own engine); None
            for MuJoCo's rule. A terrain's `mu` comes first.
        name: of the body.
        colour: red, green, blue, opacity between 0 and 1.
    """

    size: tuple[float, float, float]
    mass: float | None = None
    density: float | None = None
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] | None = None
    rpy: tuple[float, float, float] | None = None
    mu: float | None = None
    name: str = "box"
    colour: tuple[float, float, float, float] = _WOOD

    def __post_init__(self) -> None:
        checks.array("Box.size", self.size, (3,))
        for length in self.size:
            checks.number("Box.size", length, above=0)
        checks.array("Box.position", self.position, (3,))
        if self.quaternion is not None and self.rpy is not None:
            raise InputError("Box: expected quaternion or rpy, got both")
        if self.quaternion is not None and not checks.array("Box.quaternion", self.quaternion, (4,)).any():
            raise InputError("Box.quaternion: expected a quaternion of some length, got zeros")
        if self.rpy is not None:
            checks.array("Box.rpy", self.rpy, (3,))
        _check_rest("Box", self.kilograms, self.mu, self.name, self.colour)

    @property
    def kilograms(self) -> float:
        """The mass in kg, as given or from the density."""
        return resolve_mass("Box", self.mass, self.density, math.prod(self.size))

    @property
    def pose(self) -> NDArray[np.float64]:
        """(7,) x, y, z in m, then the unit quaternion w, x, y, z."""
        quaternion = np.array([1.0, 0.0, 0.0, 0.0])
        if self.quaternion is not None:
            quaternion = np.array(self.quaternion, dtype=float)
            quaternion /= np.abs(quaternion).max()  # first: the squares of very large or small numbers are not finite
            quaternion /= np.linalg.norm(quaternion)
        elif self.rpy is not None:
            mujoco.mju_euler2Quat(quaternion, np.array(self.rpy, dtype=float), "XYZ")
        return np.array([*self.position, *quaternion])

    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Add the box to `spec`."""
        size = [length / 2 for length in self.size]
        _add(spec, self, self.kilograms, type=mujoco.mjtGeom.mjGEOM_BOX, size=size, rgba=self.colour)


def _check_rest(kind: str, mass: float, mu: float | None, name: Any, colour: Any) -> None:
    if not 0 < mass < math.inf:
        raise InputError(f"{kind}: expected a mass above 0 kg, got {mass:g}")
    if mu is not None:
        checks.friction(f"{kind}.mu", mu)
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(f"{kind}.name: expected a name, got {name!r}")
    checks.array(f"{kind}.colour", colour, (4,))


def _add(spec: mujoco.MjSpec, thing: Ball | Box, mass: float, **geom: Any) -> None:
    pose = thing.pose
    body = spec.worldbody.add_body(name=thing.name, pos=pose[:3], quat=pose[3:])
    body.add_freejoint(name=thing.name)
    made = body.add_geom(name=thing.name, mass=mass, **geom)
    if thing.mu is not None:
        made.friction[0] = thing.mu
        made.priority = OBJECT_PRIORITY
