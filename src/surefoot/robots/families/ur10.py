"""A bolted UR10 with a Schunk gripper: the robot of Moby's example ur10 and of Zapolsky's dissertation."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.families import parts
from surefoot.robots.families.parts import Block, Joint, Rod, Vector
from surefoot.robots.scene import Foot, Scene
from surefoot.robots.terrains import Plane, Terrain, terrain_or_none

JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
    "left_finger_joint",
    "right_finger_joint",
)


@dataclass(frozen=True, kw_only=True)
class Ur10:
    """Six hinges and two sliding fingers. At zero the arm lies stretched along x and the gripper points along y.

    Attributes:
        name: short name.
        base: bolted down, upright, its centre at the origin.
        shoulder: upright, its centre at the shoulder's pan joint.
        upper_arm: along x from the shoulder's lift joint to the elbow.
        forearm: along x from the elbow to the first wrist joint.
        wrist_1: upright, its centre at its joint; so are the next two.
        wrist_2: see wrist_1.
        wrist_3: see wrist_1.
        hand: body of the gripper; `hand_centre` says where.
        finger: each of the two.
        shoulder_height: of the pan joint above the base's origin, along z in m.
        shoulder_offset: from pan to lift joint, along y in m.
        elbow_offset: from the end of the upper arm to the elbow, along y in m.
        wrist_1_offset: from first to second wrist joint, along y in m.
        wrist_2_offset: from second to third wrist joint, along z in m.
        wrist_3_offset: from third wrist joint to the hand, along y in m.
        hand_centre: (3,) centre of the hand's body in the hand's frame, in m.
        finger_centre: (3,) centre of the right finger (at +x), open, in the hand's frame, in m; the left mirrors it.
        joints: (8,) six hinges, left finger (at -x, closes along +x), right finger.
        home_pose: (8,) rad, and m for the fingers.
        arm_collides: whether the arm touches the world, as the fingers do.
        hand_collides: whether the hand does; Moby's block lies 2.5 mm deep in it, so by default it does not.
        pedestal: height in m from the ground to the origin of the base; a column of it is drawn, which touches nothing.
    """

    name: str
    base: Rod
    shoulder: Rod
    upper_arm: Rod
    forearm: Rod
    wrist_1: Rod
    wrist_2: Rod
    wrist_3: Rod
    hand: Block
    finger: Block
    shoulder_height: float
    shoulder_offset: float
    elbow_offset: float
    wrist_1_offset: float
    wrist_2_offset: float
    wrist_3_offset: float
    hand_centre: Vector
    finger_centre: Vector
    joints: tuple[Joint, ...]
    home_pose: tuple[float, ...] = (0.0,) * 8
    arm_collides: bool = True
    hand_collides: bool = False
    pedestal: float = 0.0

    def __post_init__(self) -> None:
        for field in ("joints", "home_pose"):
            if len(getattr(self, field)) != len(JOINTS):
                raise InputError(f"Ur10.{field}: expected {len(JOINTS)} of them, got {len(getattr(self, field))}")
        for field in ("shoulder_height", *(f"{part}_offset" for part in _OFFSETS)):
            checks.number(f"Ur10.{field}", getattr(self, field))
        for field in ("hand_centre", "finger_centre"):
            checks.array(f"Ur10.{field}", getattr(self, field), (3,))
        checks.number("Ur10.pedestal", self.pedestal, at_least=0)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints in the order of every torque vector."""
        return JOINTS

    @property
    def feet(self) -> tuple[Foot, ...]:
        """The two fingers."""
        return tuple(Foot(f"{side}_finger", f"{side}_finger", (f"{side}_finger",)) for side in ("left", "right"))

    def spec(self) -> mujoco.MjSpec:
        """The robot alone, without ground, all joints at zero."""
        spec = mujoco.MjSpec()
        spec.modelname = self.name
        spec.compiler.degree = False
        bits = parts.ROBOT_BITS if self.arm_collides else parts.UNTOUCHABLE
        body = spec.worldbody.add_body(name="base")
        self.base.add_to(body, "base", rgba=parts.BODY_COLOUR, **parts.UNTOUCHABLE)
        parts.add_pedestal(body, self.pedestal, self.base.radius)
        wrist_1 = [self.forearm.length, 0, 0]
        for i, (name, rod, place) in enumerate(
            (
                ("shoulder", self.shoulder, [0, 0, self.shoulder_height]),
                ("upper_arm", self.upper_arm, [0, self.shoulder_offset, 0]),
                ("forearm", self.forearm, [self.upper_arm.length, self.elbow_offset, 0]),
                ("wrist_1", self.wrist_1, wrist_1),
                ("wrist_2", self.wrist_2, [0, self.wrist_1_offset, 0]),
                ("wrist_3", self.wrist_3, [0, 0, self.wrist_2_offset]),
            )
        ):
            body = body.add_body(name=name, pos=place)
            self.joints[i].add_to(body, JOINTS[i], spec)
            if name in ("upper_arm", "forearm"):
                parts.add_limb(body, name, rod, **bits)
            else:
                rod.add_to(body, name, rgba=parts.BODY_COLOUR, **bits)
        self._draw_bridges(spec)
        hand = body.add_body(name="hand", pos=[0, self.wrist_3_offset, 0])
        bits = parts.ROBOT_BITS if self.hand_collides else parts.UNTOUCHABLE
        self.hand.add_to(hand, "hand", pos=self.hand_centre, rgba=parts.LIMB_COLOUR, **bits)
        x, y, z = self.finger_centre
        for i, (side, at) in enumerate((("left", [-x, y, z]), ("right", [x, y, z])), start=6):
            finger = hand.add_body(name=f"{side}_finger")
            self.joints[i].add_to(finger, JOINTS[i], spec)
            self.finger.add_to(finger, f"{side}_finger", pos=at, rgba=parts.TIP_COLOUR, **parts.ROBOT_BITS)
        return spec

    def _draw_bridges(self, spec: mujoco.MjSpec) -> None:
        """Draw what joins links that lie side by side; it has no mass and touches nothing."""
        for name, x, offset in (
            ("shoulder", 0.0, self.shoulder_offset),
            ("upper_arm", self.upper_arm.length, self.elbow_offset),
            ("wrist_3", 0.0, self.wrist_3_offset),
        ):
            spec.body(name).add_geom(
                name=f"{name}_bridge",
                type=mujoco.mjtGeom.mjGEOM_CAPSULE,
                fromto=[x, 0, 0, x, offset, 0],
                size=[0.04, 0, 0],
                mass=0.0,
                rgba=parts.LIMB_COLOUR,
                **parts.UNTOUCHABLE,
            )

    def home(self) -> NDArray[np.float64]:
        """(8,) the home pose."""
        return np.array(self.home_pose, dtype=float)

    def scene(self, ground: Terrain | str | None = "default") -> Scene:
        """The robot at home above `ground`: a terrain, None, or "default" for a plane under the pedestal."""
        ground = terrain_or_none(ground, Plane(z=-self.pedestal))
        spec = self.spec()
        surfaces = () if ground is None else ground.add_to(spec)
        return Scene(spec, name=self.name, joints=JOINTS, feet=self.feet, surfaces=surfaces, home=self.home())


_OFFSETS = ("shoulder", "elbow", "wrist_1", "wrist_2", "wrist_3")


def _hinge(axis: Vector, effort: float, speed: float) -> Joint:
    return Joint(axis=axis, low=-6.28319, high=6.28319, effort=effort, speed=speed)  # rad, N m, rad/s


# Moby example ur10 (model.sdf). Its inertias are those of cylinders of radius 0.075 m and of boxes; the lengths given
# here are the ones that reproduce them. The pedestal is ours.
UR10 = Ur10(
    name="ur10",
    base=Rod(length=0.038, radius=0.075, mass=4.0),  # m, kg
    shoulder=Rod(length=0.178, radius=0.075, mass=7.778),
    upper_arm=Rod(length=0.612, radius=0.075, mass=12.93),
    forearm=Rod(length=0.5723, radius=0.075, mass=3.87),
    wrist_1=Rod(length=0.12, radius=0.075, mass=1.96),
    wrist_2=Rod(length=0.12, radius=0.075, mass=1.96),
    wrist_3=Rod(length=0.12, radius=0.075, mass=0.202),
    hand=Block(size=(0.08, 0.07, 0.042), mass=0.96),  # Schunk MPG-80
    finger=Block(size=(0.012, 0.0194, 0.024), mass=0.12),
    shoulder_height=0.1273,  # m
    shoulder_offset=0.220941,
    elbow_offset=-0.1719,
    wrist_1_offset=0.1149,
    wrist_2_offset=-0.1157,
    wrist_3_offset=0.092059,
    hand_centre=(0.0, 0.035, 0.0),  # m
    finger_centre=(0.0205, 0.0798, 0.0),
    joints=(
        _hinge((0.0, 0.0, 1.0), 330.0, 2.16),
        _hinge((0.0, 1.0, 0.0), 330.0, 2.16),
        _hinge((0.0, 1.0, 0.0), 150.0, 3.15),
        _hinge((0.0, 1.0, 0.0), 54.0, 3.2),
        _hinge((0.0, 0.0, -1.0), 54.0, 3.2),
        _hinge((0.0, 1.0, 0.0), 54.0, 3.2),
        Joint(axis=(1.0, 0.0, 0.0), low=0.0, high=0.014, slides=True),  # m
        Joint(axis=(1.0, 0.0, 0.0), low=-0.014, high=0.0, slides=True),
    ),
    pedestal=0.5,  # m
)
