"""A gait policy: how a robot stands, steps and where it goes, in the numbers of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from surefoot import checks
from surefoot.control.foot_walker import KD, KP, foot_walker
from surefoot.control.pipeline import Pipeline
from surefoot.control.stage import Stage
from surefoot.control.stages import Changeover, Command, GaitPlanner, Waypoints
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs, Planner, stance
from surefoot.robots.scene import Scene

WALK = Gait.named("walk")
MOST_PERIODS = 1e9  # before a changeover, so that they can be counted


@dataclass(frozen=True)
class GaitPolicy:
    """The numbers of [Zapolsky2017], tables 1 to 3, for `foot_walker`; `policy(scene, dt)` is its pipeline.

    Example:
        policy = sf.control.GaitPolicy(sf.gait.Gait.named("walk", period=0.6, step_height=0.03), forward=0.2)
        pipeline = policy(sf.load("links-light"), 1e-3)

    Attributes:
        gait: when the feet step, and how high.
        forward, left, turn: commanded velocity in m/s, m/s and rad/s.
        points: (n, 2) m, points of the world to go to; `forward` is then the largest speed, and `turn` the largest
            turning rate.
        ramp: time in s in which the command grows from zero.
        length, width, height: of the stance, see `sf.gait.stance(relative=True)`; None: as in `robot.home()`.
        kp, kd, feed_forward: see `foot_walker`.
        then: gait policy to change over to; of it the gait and the command count.
        at: phase of the gait at which to change over, 0 to 1 (1 left out).
        after: s, the changeover is at the first such phase from then on.
    """

    gait: Gait = WALK
    forward: float = 0.2
    left: float = 0.0
    turn: float = 0.0
    points: Sequence[Sequence[float]] | None = None
    ramp: float = 0.0
    length: float | None = None
    width: float | None = None
    height: float | None = None
    kp: Any = KP
    kd: Any = KD
    feed_forward: bool = False
    then: GaitPolicy | None = None
    at: float = 0.0
    after: float = field(default=1.0)

    def __post_init__(self) -> None:
        """Check what others do not."""
        if not isinstance(self.gait, Gait):
            raise InputError(f"gait: expected a Gait, got {type(self.gait).__name__}")
        if self.then is not None and not isinstance(self.then, GaitPolicy):
            raise InputError(f"then: expected a GaitPolicy, got {type(self.then).__name__}")
        if not 0.0 <= checks.number("at", self.at) < 1.0:
            raise InputError(f"at: expected a phase from 0 to below 1, got {self.at:g}")
        checks.number("after", self.after, at_least=0.0, at_most=MOST_PERIODS * self.gait.period)

    def __call__(self, robot: Scene, dt: float) -> Pipeline:
        """The controller.

        Args:
            robot: robot or scene that it believes in.
            dt: time between ticks in s.
        """
        places = self.places(robot)
        pipeline = foot_walker(
            robot, self.command(robot), self.gait, dt, places=places, kp=self.kp, kd=self.kd,
            feed_forward=self.feed_forward,
        )  # fmt: skip
        if self.then is None:
            return pipeline
        time = self.changeover()
        planner = GaitPlanner(Planner(Legs(robot), self.then.gait, dt, places=places))
        for stage in (self.then.command(robot), planner):
            first = next(s for s in pipeline.stages if s.name == stage.name)
            pipeline.swap(stage.name, Changeover(first, stage, time))
        return pipeline

    def places(self, robot: Scene) -> Any:
        """(feet, 3) m, where the feet stand, in the base's frame."""
        return stance(Legs(robot), length=self.length, width=self.width, height=self.height, relative=True)

    def joints(self, robot: Scene) -> dict[str, float]:
        """Joint positions in rad (m) by name in which the robot stands so."""
        legs = Legs(robot)
        return dict(zip(robot.joints, legs.angles(self.places(robot)).tolist(), strict=True))

    def command(self, robot: Scene) -> Stage:
        """The stage that says where to go."""
        if self.points is None:
            return Command(self.forward, self.left, self.turn, ramp=self.ramp)
        if checks.number("left", self.left) != 0.0:
            raise InputError(f"left: expected none beside points, which say where to go, got {self.left:g}")
        return Waypoints(robot, self.points, self.forward, turn=self.turn, ramp=self.ramp, name="command")

    def changeover(self) -> float:
        """When to change over, in s: the first time from `after` on at which the gait's phase is `at`."""
        cycles = self.after / self.gait.period - self.at
        return self.gait.period * (math.ceil(cycles - 1e-9) + self.at)
