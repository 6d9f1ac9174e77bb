"""A quadruped with three joints a leg: hip abduction X1, hip flexion Y2, knee Y3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots import guard
from surefoot.robots.families import parts
from surefoot.robots.families.parts import Block, Joint, Limb, Orb, Vector
from surefoot.robots.families.stance import rest
from surefoot.robots.placing import Standing
from surefoot.robots.scene import Foot, Scene
from surefoot.robots.terrains import Plane, Terrain, terrain_or_none

LEGS = ("LF", "RF", "LH", "RH")  # left, right; front, hind
SIDES = {"LF": (1, 1), "RF": (1, -1), "LH": (-1, 1), "RH": (-1, -1)}  # front and left are +1
BASE = "BASE"


@dataclass(frozen=True, kw_only=True)
class Leg:
    """A leg: at zero it is straight and level, pointing forward (front legs) or backward (hind legs).

    Attributes:
        mount: (3,) where X1 is, in m: outward from the base's end, outward from its side, up from its middle.
        hip: limb from X1 to Y2.
        drop: how far Y2 lies below the hip limb, in m.
        thigh: limb from Y2 to Y3.
        shank: limb from Y3 to the foot.
        foot: sphere at the end of the shank; its mass adds to the shank's.
        x1: hip abduction.
        y2: hip flexion.
        y3: knee.
        home: (3,) position of the three joints at home, in rad.
    """

    mount: Vector
    hip: Limb
    thigh: Limb
    shank: Limb
    foot: Orb
    x1: Joint
    y2: Joint
    y3: Joint
    home: Vector
    drop: float = 0.0

    def __post_init__(self) -> None:
        checks.array("Leg.mount", self.mount, (3,))
        checks.array("Leg.home", self.home, (3,))
        checks.number("Leg.drop", self.drop)


@dataclass(frozen=True, kw_only=True)
class Quadruped:
    """A base with four legs. Joints in the order LF, RF, LH, RH; X1, Y2, Y3 in each. x is forward, y left, z up.

    Attributes:
        name: short name.
        base: the trunk, its centre of mass at the origin of the base frame.
        lf: left front leg.
        rf: right front leg.
        lh: left hind leg.
        rh: right hind leg.
        bar: a cross-bar without mass that carries the hips, one at each end of the base; None for none.
        load: what the base carries in its middle and nothing touches, such as a battery; None for nothing.
        limbs_collide: whether hips, thighs and shanks touch the world too, or the base and the feet alone.
    """

    name: str
    base: Block
    lf: Leg
    rf: Leg
    lh: Leg
    rh: Leg
    bar: Vector | None = None
    load: Block | None = None
    limbs_collide: bool = False

    def __post_init__(self) -> None:
        if self.base.kilograms <= 0:
            raise InputError(f"Quadruped.base: expected a mass above 0 kg, got {self.base.kilograms:g}")
        for leg in LEGS:
            for limb in ("hip", "thigh", "shank"):
                if getattr(self.leg(leg), limb).kilograms <= 0:
                    raise InputError(f"Quadruped.{leg.lower()}.{limb}: expected a mass above 0 kg, got 0")

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints in the order of every torque vector."""
        return tuple(f"{leg}_{joint}" for leg in LEGS for joint in ("X1", "Y2", "Y3"))

    @property
    def feet(self) -> tuple[Foot, ...]:
        """The four feet."""
        return tuple(Foot(f"{leg}_FOOT", f"{leg}_SHANK", (f"{leg}_FOOT",)) for leg in LEGS)

    def leg(self, name: str) -> Leg:
        """The leg called "LF", "RF", "LH" or "RH"."""
        return getattr(self, checks.choice("leg", name, LEGS).lower())

    def spec(self) -> mujoco.MjSpec:
        """The robot alone, without ground, floating at the origin with all joints at zero."""
        spec = mujoco.MjSpec()
        spec.modelname = self.name
        spec.compiler.degree = False
        base = spec.worldbody.add_body(name=BASE)
        base.add_freejoint(name=BASE)
        self.base.add_to(base, BASE, rgba=parts.BODY_COLOUR, **parts.ROBOT_BITS)
        if self.load is not None:
            self.load.add_to(base, "LOAD", rgba=parts.LIMB_COLOUR, **parts.UNTOUCHABLE)
        if self.bar is not None:
            bar = Block(size=self.bar, mass=0.0)
            for end, x in (("FRONT", 1), ("HIND", -1)):
                at = [x * (self.base.size[0] + self.bar[0]) / 2, 0.0, 0.0]
                bar.add_to(base, f"{end}_BAR", pos=at, rgba=parts.BODY_COLOUR, **parts.ROBOT_BITS)
        for leg in LEGS:
            self._add_leg(spec, base, leg)
        return spec

    def home(self) -> NDArray[np.float64]:
        """(19,) the home pose, feet on z = 0; feet that are not in one level plane tilt the base onto three."""
        model = self.spec().compile()
        return self._home(model, mujoco.MjData(model))

    def _home(self, model: mujoco.MjModel, data: mujoco.MjData) -> NDArray[np.float64]:
        data.qpos[7:] = [angle for leg in LEGS for angle in self.leg(leg).home]
        data.qpos[:7] = [0, 0, 0, 1, 0, 0, 0]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        feet = data.geom_xpos[[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, foot.name) for foot in self.feet]]
        radii = np.array([self.leg(leg).foot.radius for leg in LEGS])
        data.qpos[2], data.qpos[3:7] = rest(feet, radii, data.subtree_com[1])
        return np.array(data.qpos)

    def scene(self, ground: Terrain | str | None = "default") -> Scene:
        """The robot at home on `ground`: a terrain, None for no ground, or "default" for a plane at z = 0."""
        return self.stood(ground)[0]

    def stood(self, ground: Terrain | str | None = "default") -> tuple[Scene, Standing]:
        """The same scene, and what finds the heights at which the robot just touches in other poses."""
        ground = terrain_or_none(ground, Plane())
        spec = self.spec()
        surfaces = () if ground is None else ground.add_to(spec)
        model = guard.compile_model(spec, self.name)
        standing = Standing(model, BASE, surfaces)
        home = self._home(standing.model, standing.data)
        if isinstance(ground, Plane):
            home[2] += ground.z
        elif ground is not None:
            home = standing.put_on(ground, home)
        roles: Any = {"joints": self.joints, "base": BASE, "feet": self.feet, "surfaces": surfaces}
        return Scene(spec, name=self.name, home=home, model=model, **roles), standing

    def _add_leg(self, spec: mujoco.MjSpec, base: mujoco.MjsBody, name: str) -> None:
        leg, (front, left) = self.leg(name), SIDES[name]
        bits = parts.ROBOT_BITS if self.limbs_collide else parts.UNTOUCHABLE
        length, width, _ = self.base.size
        at = [front * (length / 2 + leg.mount[0]), left * (width / 2 + leg.mount[1]), leg.mount[2]]
        body = base
        for part, limb, joint, joint_name, place in (
            ("HIP", leg.hip, leg.x1, "X1", at),
            ("THIGH", leg.thigh, leg.y2, "Y2", [front * leg.hip.length, 0.0, -leg.drop]),
            ("SHANK", leg.shank, leg.y3, "Y3", [front * leg.thigh.length, 0.0, 0.0]),
        ):
            body = body.add_body(name=f"{name}_{part}", pos=place)
            joint.add_to(body, f"{name}_{joint_name}", spec)
            parts.add_limb(body, f"{name}_{part}", limb, front, **bits)
        tip = [front * leg.shank.length, 0.0, 0.0]
        leg.foot.add_to(body, f"{name}_FOOT", pos=tip, rgba=parts.TIP_COLOUR, **parts.ROBOT_BITS)
        body.add_site(name=f"{name}_FOOT", pos=tip, size=[leg.foot.radius / 2] * 3, group=4)
