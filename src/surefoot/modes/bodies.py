"""Parts of a planar linkage: bodies, hinges between them, where they touch, and what pushes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WORLD = "world"
"""What touches and carries bodies, and is none itself."""


@dataclass(frozen=True)
class Body:
    """A rigid body that moves in a vertical plane.

    Attributes:
        name: unique, and not "world".
        mass: in kg.
        inertia: about the mass centre, in kg m^2.
        position: (2,) of the mass centre in m.
        velocity: (3,) of the mass centre in m/s, and turning speed in rad/s; none for a body that hangs on a hinge.
    """

    name: str
    mass: float
    inertia: float
    position: Any
    velocity: Any = None


@dataclass(frozen=True)
class Hinge:
    """A joint that lets one body turn against another.

    Attributes:
        name: of the joint, and of its torque.
        carrier: name of the body that carries, or "world".
        body: name of the body that is carried.
        at: (2,) where the joint is in m.
        rate: turning speed of the body against its carrier in rad/s.
        motor: whether a torque acts on the body and against its carrier.
    """

    name: str
    carrier: str
    body: str
    at: Any
    rate: float = 0.0
    motor: bool = True


@dataclass(frozen=True)
class Touch:
    """A point of a body that touches the world, or another body.

    Attributes:
        name: unique.
        body: name of the body.
        at: (2,) where it touches in m.
        normal: (2,) away from what is touched and into the body; its length has no meaning.
        friction: coefficient, 0 and inf are allowed.
        against: name of the body that is touched; its surface is flat there.
        radius: of the body's outline where it touches in m; 0: a corner.
    """

    name: str
    body: str
    at: Any
    normal: Any
    friction: float
    against: str = WORLD
    radius: float = 0.0


@dataclass(frozen=True)
class Push:
    """A force or a moment from outside that is free to choose: one of the torques of the system.

    Attributes:
        name: unique.
        body: name of the body.
        at: (2,) where a force acts in m; the mass centre if None.
        direction: (2,) of the force; its length has no meaning. None: a moment in N m.
    """

    name: str
    body: str
    at: Any = None
    direction: Any = None

    @property
    def unit(self) -> str:
        """Of its size."""
        return "N m" if self.direction is None else "N"
