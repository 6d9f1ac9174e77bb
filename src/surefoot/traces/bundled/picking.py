"""Picking up a ball: straight to it, or along its side [Zapolsky2017, section 4.3.1]."""

from __future__ import annotations

import math

from surefoot.control import Pipeline, picker
from surefoot.robots.families.arm import ARM
from surefoot.robots.objects import Ball
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Plane
from surefoot.traces.distributions import Choice, Distribution, Jitter, Normal, Uniform
from surefoot.traces.requirements import Held, NoSelfCollision
from surefoot.traces.scenario import Scenario

RADIUS, MASS = 0.025355, 0.7824  # m, kg of the ball: it fits between the fingers, and weighs what the box of [Zapolsky2015] does
GROUND = -0.15  # m below the base of the arm
START = {"Y_2": 0.0, "Y_5": -math.pi / 2, "Z_6": -math.pi / 2}  # rad; other joints as at home
DURATION = 2.0  # s
OFF = 0.01 / 3.0  # rad, rad/s, N m: three deviations are the 0.01 of the dissertation's files
_NOISE = Jitter(OFF, low=-0.01, high=0.01)

# Figure 10 of the dissertation with the numbers of its files, where these have any. Ours: the hand's radius, friction,
# restitution, contact law and lag.
UNCERTAINTY: dict[str, Distribution] = {
    "robot.links.*.density": Normal(0.01, factor=True),
    "robot.hand.density": Normal(0.01, factor=True),
    "robot.fingers.*.limb.density": Normal(0.01, factor=True),
    "robot.links.*.length": Normal(0.01),  # m, as all sizes
    "robot.fingers.*.limb.length": Normal(0.005),
    "robot.links.*.width": Normal(0.002),
    "robot.links.*.depth": Normal(0.002),
    "robot.hand.radius": Normal(0.0025),
    "robot.fingers.*.limb.radius": Normal(1e-4),
    "robot.fingers.*.tip.radius": Normal(0.002, low=0.002),
    "robot.*.axis": Normal(0.01),
    "robot.*.tare": Normal(0.025),  # rad
    "ground.mu": Normal(0.1, factor=True),
    "object.ball.mu": Normal(0.1, factor=True),
    "restitution": Uniform(0.0, 0.1),
    "law": Choice("coulomb", "soft"),
    "start.*": Normal(OFF, low=-0.01, high=0.01),  # rad, rad/s
    "lag.plan": Normal(0.003, mean=0.01, low=0.0),  # s
    "lag.plan.jitter": Jitter(0.001 / 3.0),
    **{f"encoder.{joint}": _NOISE for joint in ARM.joint_names},
    **{f"encoder_rate.{joint}": _NOISE for joint in ARM.joint_names},
    **{f"motor.{joint}.noise": _NOISE for joint in ARM.joint_names},
}


def direct(scene: Scene, dt: float) -> Pipeline:
    """Straight to the ball, from above."""
    return picker(scene, "direct", dt)


def indirect(scene: Scene, dt: float) -> Pipeline:
    """To a point beside the ball at its height, then straight to it."""
    return picker(scene, "indirect", dt)


def picking() -> Scenario:
    """An arm of eleven joints picks up a ball and holds it after two seconds."""
    ball = Ball(radius=RADIUS, mass=MASS, position=(0.30, 0.14, GROUND + RADIUS), mu=99.0)
    return Scenario(
        "picking",
        robot="arm",
        policies={"direct": direct, "indirect": indirect},
        duration=DURATION,
        requirements=[NoSelfCollision()],
        objective=[Held()],
        uncertainty=UNCERTAINTY,
        terrain=Plane(z=GROUND, mu=1.0),
        objects=[ball],
        joints=START,
        title="An arm picks up a ball: straight to it, or along its side.",
    )
