"""The solids that robots are made of, and their joints: frozen dataclasses with all that a study may vary.

A solid is given either its mass or its density; its inertia always follows from its shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco

from surefoot import checks
from surefoot.errors import InputError

Vector = tuple[float, float, float]

# Robots meet the world and loose objects (MuJoCo's default bits, 1 and 1) but not themselves: 2 & 1 = 0.
ROBOT_BITS = {"contype": 2, "conaffinity": 1}
UNTOUCHABLE = {"contype": 0, "conaffinity": 0}

BODY_COLOUR = (0.27, 0.35, 0.45, 1.0)
LIMB_COLOUR = (0.72, 0.76, 0.80, 1.0)
TIP_COLOUR = (0.95, 0.55, 0.15, 1.0)
PEDESTAL_COLOUR = (0.55, 0.57, 0.60, 1.0)


def resolve_mass(name: str, mass: float | None, density: float | None, volume: float) -> float:
    """Mass in kg of a solid that was given either a mass in kg or a density in kg/m^3, and a volume in m^3."""
    if (mass is None) == (density is None):
        raise InputError(f"{name}: expected either mass or density, got mass={mass!r}, density={density!r}")
    if mass is not None:
        return checks.number(f"{name}.mass", mass, at_least=0)
    return checks.number(f"{name}.density", density, at_least=0) * volume


@dataclass(frozen=True, kw_only=True)
class Solid:
    """A homogeneous solid; its mass or its density is given, not both.

    Attributes:
        mass: in kg, or None.
        density: in kg/m^3, or None.
    """

    mass: float | None = None
    density: float | None = None

    def __post_init__(self) -> None:
        self._check()
        resolve_mass(type(self).__name__, self.mass, self.density, self.volume)

    def _check(self) -> None:
        raise NotImplementedError

    @property
    def volume(self) -> float:
        """In m^3."""
        raise NotImplementedError

    @property
    def kilograms(self) -> float:
        """The mass in kg, as given or from the density."""
        return resolve_mass(type(self).__name__, self.mass, self.density, self.volume)

    def _shape(self) -> tuple[mujoco.mjtGeom, list[float]]:
        """MuJoCo's kind of geom and its size; a long solid lies along its own z."""
        raise NotImplementedError

    def add_to(self, body: mujoco.MjsBody, name: str, **geom: Any) -> mujoco.MjsGeom:
        """Add a geom of this shape and mass to `body`, centred at its origin unless `geom` says otherwise."""
        kind, size = self._shape()
        return body.add_geom(name=name, type=kind, size=size, mass=self.kilograms, **geom)


@dataclass(frozen=True, kw_only=True)
class Block(Solid):
    """A box.

    Attributes:
        size: full lengths along x, y, z in m.
    """

    size: Vector

    def _check(self) -> None:
        for length in checks.array("Block.size", self.size, (3,)):
            checks.number("Block.size", length, above=0)

    @property
    def volume(self) -> float:
        """In m^3."""
        return math.prod(self.size)

    def _shape(self) -> tuple[mujoco.mjtGeom, list[float]]:
        return mujoco.mjtGeom.mjGEOM_BOX, [length / 2 for length in self.size]


@dataclass(frozen=True, kw_only=True)
class Orb(Solid):
    """A sphere: a foot or a fingertip.

    Attributes:
        radius: in m.
    """

    radius: float

    def _check(self) -> None:
        checks.number("Orb.radius", self.radius, above=0)

    @property
    def volume(self) -> float:
        """In m^3."""
        return 4 / 3 * math.pi * self.radius**3

    def _shape(self) -> tuple[mujoco.mjtGeom, list[float]]:
        return mujoco.mjtGeom.mjGEOM_SPHERE, [self.radius, 0, 0]


@dataclass(frozen=True, kw_only=True)
class Rod(Solid):
    """A round limb: a cylinder.

    Attributes:
        length: in m.
        radius: in m.
    """

    length: float
    radius: float

    def _check(self) -> None:
        checks.number("Rod.length", self.length, above=0)
        checks.number("Rod.radius", self.radius, above=0)

    @property
    def volume(self) -> float:
        """In m^3."""
        return math.pi * self.radius**2 * self.length

    def _shape(self) -> tuple[mujoco.mjtGeom, list[float]]:
        return mujoco.mjtGeom.mjGEOM_CYLINDER, [self.radius, self.length / 2, 0]


@dataclass(frozen=True, kw_only=True)
class Bar(Solid):
    """A square limb: a box along its length.

    Attributes:
        length: in m.
        width: across, along y when the limb lies along x, in m.
        depth: across, along z when the limb lies along x, in m.
    """

    length: float
    width: float
    depth: float

    def _check(self) -> None:
        for name in ("length", "width", "depth"):
            checks.number(f"Bar.{name}", getattr(self, name), above=0)

    @property
    def volume(self) -> float:
        """In m^3."""
        return self.length * self.width * self.depth

    def _shape(self) -> tuple[mujoco.mjtGeom, list[float]]:
        return mujoco.mjtGeom.mjGEOM_BOX, [self.depth / 2, self.width / 2, self.length / 2]


Limb = Rod | Bar


def add_limb(body: mujoco.MjsBody, name: str, limb: Limb, along: float = 1.0, **geom: Any) -> mujoco.MjsGeom:
    """Add a limb from the body's origin along +x (`along` = 1) or -x (-1), its centre of mass in the middle."""
    quarter = math.sqrt(0.5)  # turns z to x and x to -z: the limb's own z is its length
    return limb.add_to(
        body, name, pos=[along * limb.length / 2, 0, 0], quat=[quarter, 0, quarter, 0], rgba=LIMB_COLOUR, **geom
    )


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A hinge (rad, N m) or a slide (m, N).

    Attributes:
        axis: (3,) in the frame of the link it moves, at zero; any length but zero.
        tare: what an encoder that reads zero has missed: the true angle is the joint's position in `q` plus the tare.
        low: lower stop as a true angle or distance; None for no stops.
        high: upper stop; None for no stops.
        effort: largest torque or force of its motor; None for no limit.
        speed: largest speed of its motor; None for no limit. MuJoCo has no place for it: it is here for those who plan.
        damping: viscous, in N m s or N s/m.
        friction: dry, in N m or N.
        armature: rotor inertia as seen at the joint, in kg m^2 or kg.
        slides: True for a slide, False for a hinge.
    """

    axis: Vector
    tare: float = 0.0
    low: float | None = None
    high: float | None = None
    effort: float | None = None
    speed: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    slides: bool = False

    def __post_init__(self) -> None:
        if not checks.array("Joint.axis", self.axis, (3,)).any():
            raise InputError("Joint.axis: expected an axis of some length, got zeros")
        checks.number("Joint.tare", self.tare)
        if (self.low is None) != (self.high is None):
            raise InputError(f"Joint.low, Joint.high: expected both or neither, got {self.low!r}, {self.high!r}")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise InputError(f"Joint.low, Joint.high: expected low below high, got {self.low:g}, {self.high:g}")
        for name in ("effort", "speed"):
            if getattr(self, name) is not None:
                checks.number(f"Joint.{name}", getattr(self, name), above=0)
        for name in ("damping", "friction", "armature"):
            checks.number(f"Joint.{name}", getattr(self, name), at_least=0)

    def add_to(self, body: mujoco.MjsBody, name: str, spec: mujoco.MjSpec) -> None:
        """Add the joint to `body` and its motor (gear 1, so that control is torque or force) to `spec`."""
        joint = body.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_SLIDE if self.slides else mujoco.mjtJoint.mjJNT_HINGE,
            axis=self.axis,
            ref=-self.tare,  # MuJoCo turns a link by its position less `ref`
            frictionloss=self.friction,
            armature=self.armature,
        )
        joint.damping[0] = self.damping
        if self.low is not None and self.high is not None:
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            joint.range = [self.low - self.tare, self.high - self.tare]
        motor = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_motor()
        if self.effort is not None:
            motor.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
            motor.ctrlrange = [-self.effort, self.effort]


def add_pedestal(base: mujoco.MjsBody, height: float, radius: float) -> None:
    """Draw a column under a bolted base; it has no mass and touches nothing."""
    if height > 0:
        column = Rod(length=height, radius=radius, mass=0.0)
        column.add_to(base, "PEDESTAL", pos=[0, 0, -height / 2], rgba=PEDESTAL_COLOUR, **UNTOUCHABLE)
