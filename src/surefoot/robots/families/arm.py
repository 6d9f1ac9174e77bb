"""A bolted arm of seven joints with four fingers: the grasping robot of Zapolsky and Drumwright 2015."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.families import parts
from surefoot.robots.families.parts import Bar, Block, Joint, Limb, Orb, Rod, Vector
from surefoot.robots.scene import Foot, Scene
from surefoot.robots.terrains import Plane, Terrain, terrain_or_none

ARM_JOINTS = ("X_1", "Y_2", "Z_3", "X_4", "Y_5", "Z_6", "X_7")
FINGERS = ("00", "01", "10", "11")


@dataclass(frozen=True, kw_only=True)
class Finger:
    """A finger; at zero it points along x, as the hand does.

    Attributes:
        place: (3,) of its joint in the hand's frame, in m.
        limb: from the joint to the tip.
        tip: sphere at its end; its mass adds to the limb's.
        joint: how it turns; a positive angle opens it.
        home: position of the joint at home, in rad.
    """

    place: Vector
    limb: Limb
    tip: Orb
    joint: Joint
    home: float

    def __post_init__(self) -> None:
        checks.array("Finger.place", self.place, (3,))
        checks.number("Finger.home", self.home)


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A chain of six links along x, a hand, and four fingers. Joints X_1 to X_7, then F_00, F_01, F_10, F_11.

    Attributes:
        name: short name.
        base: LINK_0, bolted down, its centre at the origin.
        root: x of the first joint in m.
        links: (6,) limbs LINK_1 to LINK_6, each from its own joint to the next.
        joints: (7,) of the links and of the hand.
        hand: sphere round the last joint; it touches nothing.
        fingers: (4,) at the hand.
        home_pose: (7,) positions of the arm's joints at home, in rad.
        pedestal: height in m from the ground to the origin of the base; a column of it is drawn, which touches nothing.
    """

    name: str
    base: Block
    root: float
    links: tuple[Limb, ...]
    joints: tuple[Joint, ...]
    hand: Orb
    fingers: tuple[Finger, ...]
    home_pose: tuple[float, ...]
    pedestal: float = 0.0

    def __post_init__(self) -> None:
        for field, wanted in (("links", 6), ("joints", 7), ("fingers", 4), ("home_pose", 7)):
            if len(getattr(self, field)) != wanted:
                raise InputError(f"Arm.{field}: expected {wanted} of them, got {len(getattr(self, field))}")
        checks.number("Arm.root", self.root)
        checks.number("Arm.pedestal", self.pedestal, at_least=0)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints in the order of every torque vector."""
        return ARM_JOINTS + tuple(f"F_{finger}" for finger in FINGERS)

    @property
    def feet(self) -> tuple[Foot, ...]:
        """The four fingertips."""
        return tuple(Foot(f"TIP_{finger}", f"FINGER_{finger}", (f"TIP_{finger}",)) for finger in FINGERS)

    def spec(self) -> mujoco.MjSpec:
        """The robot alone, without ground, all joints at zero."""
        spec = mujoco.MjSpec()
        spec.modelname = self.name
        spec.compiler.degree = False
        body = spec.worldbody.add_body(name="LINK_0")
        self.base.add_to(body, "LINK_0", rgba=parts.BODY_COLOUR, **parts.UNTOUCHABLE)
        parts.add_pedestal(body, self.pedestal, self.base.size[0] / 2)
        x = self.root
        for i, limb in enumerate(self.links):
            body = body.add_body(name=f"LINK_{i + 1}", pos=[x, 0, 0])
            self.joints[i].add_to(body, ARM_JOINTS[i], spec)
            parts.add_limb(body, f"LINK_{i + 1}", limb, **parts.UNTOUCHABLE)
            x = limb.length
        hand = body.add_body(name="HAND", pos=[x, 0, 0])
        self.joints[6].add_to(hand, ARM_JOINTS[6], spec)
        self.hand.add_to(hand, "HAND", rgba=parts.BODY_COLOUR, **parts.UNTOUCHABLE)
        for name, finger in zip(FINGERS, self.fingers, strict=True):
            _add_finger(spec, hand, name, finger)
        return spec

    def home(self) -> NDArray[np.float64]:
        """(11,) the home pose."""
        return np.array([*self.home_pose, *(finger.home for finger in self.fingers)], dtype=float)

    def scene(self, ground: Terrain | str | None = "default") -> Scene:
        """The robot at home above `ground`: a terrain, None, or "default" for a plane under the pedestal."""
        ground = terrain_or_none(ground, Plane(z=-self.pedestal))
        spec = self.spec()
        surfaces = () if ground is None else ground.add_to(spec)
        return Scene(spec, name=self.name, joints=self.joint_names, feet=self.feet, surfaces=surfaces, home=self.home())


def _add_finger(spec: mujoco.MjSpec, hand: mujoco.MjsBody, name: str, finger: Finger) -> None:
    body = hand.add_body(name=f"FINGER_{name}", pos=finger.place)
    finger.joint.add_to(body, f"F_{name}", spec)
    parts.add_limb(body, f"FINGER_{name}", finger.limb, **parts.UNTOUCHABLE)
    tip = [finger.limb.length, 0, 0]
    finger.tip.add_to(body, f"TIP_{name}", pos=tip, rgba=parts.TIP_COLOUR, **parts.ROBOT_BITS)
    body.add_site(name=f"TIP_{name}", pos=tip, size=[finger.tip.radius / 2] * 3, group=4)


# Pacer's example arm: joints 0.1 m apart from x = 0.05 m on, turning about x, y, z in turn; all 0.10 kg but the base.
# The inertias written there (with a decimal slip in the y and z links) are not kept: they follow from the shapes.
_AXES: dict[str, Vector] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _finger(name: str) -> Finger:
    return Finger(
        place=(0.0, -0.02 if name[1] == "0" else 0.02, 0.0),  # m
        limb=Rod(length=0.05, radius=0.005, mass=0.10),  # m, kg; radius: Pacer's Arm/uncertainty.xml
        tip=Orb(radius=0.010, mass=0.0),  # m
        joint=Joint(axis=(0.0, 1.0 if name[0] == "0" else -1.0, 0.0)),
        home=math.pi / 4,  # rad; a gap of 0.050711 m between opposite tips, the side of the paper's box
    )


ARM = Arm(
    name="arm",
    base=Block(size=(0.05, 0.05, 0.05), mass=1.0),  # m, kg
    root=0.05,  # m
    links=(Bar(length=0.10, width=0.02, depth=0.02, mass=0.10),) * 6,  # m, kg
    joints=tuple(Joint(axis=_AXES[name[0]]) for name in ARM_JOINTS),
    hand=Orb(radius=0.025, mass=0.10),  # m, kg
    fingers=tuple(_finger(name) for name in FINGERS),
    home_pose=(math.pi / 2,) * 7,  # rad; the grasp test of the paper
    pedestal=0.2,  # m; the paper's ground at z = -0.2 m
)
