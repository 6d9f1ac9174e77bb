"""A change of gait as the dissertation's controller makes it: the plan of a foot in mid-air is not mended.

The gait planner of [Zapolsky2017] moves a foot that stands along with the ground and leaves its height as it is. A
foot that swings when the new gait says that it stands therefore stays in the air until its next step. One that stands
when the new gait says that it is in mid-swing has its goal there at once. `Changeover` puts the first one down and
gives the second one a swing that begins now, in the time left. The path is steered as there, too: at full speed
towards a point up to 45 degrees aside, else turning in place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import surefoot as sf
from surefoot.control import Stage
from surefoot.control.blackboard import known
from surefoot.gait import Legs, Planner
from surefoot.kernels.gait import GOAL, MODE, PER_FOOT, SWINGS, WAY
from surefoot.kernels.swing import read_swing
from surefoot.traces.policies import Steps

SOON = 1e-9  # s
TOLERANCE = 0.1  # m at which a point counts as reached


class AbruptPlanner(Stage):
    """Two gait planners in turn, in Python; both have the same memory."""

    def __init__(self, first: Planner, then: Planner, time: float) -> None:
        """Prepare.

        Args:
            first: planner until the change.
            then: planner from then on.
            time: of the change in s.
        """
        self.first, self.then, self.time = first, then, time
        goals = ("phase", "stance", "foot_position", "foot_velocity", "foot_acceleration")
        robot = first.legs.robot
        super().__init__("gait_planner", "planning", reads=known(robot, "command"), writes=known(robot, *goals))
        self.reset()

    def reset(self) -> None:
        """Feet stand, before the change."""
        self.first.reset()
        self.then.memory = self.first.memory
        self.changed = False
        self.aloft = np.zeros(len(self.first.legs.feet), dtype=bool)  # feet that stand in the air

    def run(self, board: Any, t: float) -> None:
        """Goals of the feet."""
        now = t >= self.time - SOON
        planner = self.then if now else self.first
        feet = planner.memory.reshape(-1, PER_FOOT)
        swung, heights = feet[:, MODE] == SWINGS, feet[:, GOAL + 2].copy()
        plan = planner(t + planner.dt, board["command"])
        swings = feet[:, MODE] == SWINGS
        if now and not self.changed:
            self.changed, self.aloft = True, swung & ~swings
            for foot in np.flatnonzero(swings & ~swung):
                swing, whole = feet[foot, WAY:], planner.gait.period * (1.0 - planner.gait.duties()[foot])
                swing[0] -= whole - swing[1]
                swing[1] = whole
                read_swing(t + planner.dt, swing, plan.position[foot], plan.velocity[foot], plan.acceleration[foot])
                feet[foot, GOAL : GOAL + 3] = plan.position[foot]
        self.aloft &= ~swings
        plan.position[self.aloft, 2] = feet[self.aloft, GOAL + 2] = heights[self.aloft]
        board["phase"], board["stance"] = plan.phase, plan.stance.astype(float)
        board["foot_position"], board["foot_velocity"] = plan.position, plan.velocity
        board["foot_acceleration"] = plan.acceleration


class BoldSteering(Stage):
    """Commands from point to point, in Python."""

    def __init__(self, robot: sf.Scene, points: Any, speeds: Any, time: float) -> None:
        """Prepare.

        Args:
            robot: robot with a floating base.
            points: (n, 2) m.
            speeds: (2, 2) speed in m/s and turning rate in rad/s, before and after the change.
            time: of the change in s.
        """
        self.points, self.speeds, self.time = np.array(points), speeds, time
        self.base = int(robot.model.jnt_qposadr[robot.model.body(robot.base).jntadr[0]])
        super().__init__("command", "perception", reads=known(robot, "q"), writes=known(robot, "command"))
        self.reset()

    def reset(self) -> None:
        """On to the first point."""
        self.next = 0

    def run(self, board: Any, t: float) -> None:
        """The command."""
        base = board["q"][self.base : self.base + 7]
        away = self.points[self.next] - base[:2]
        if math.hypot(*away) < TOLERANCE and self.next < len(self.points) - 1:
            self.next += 1
            away = self.points[self.next] - base[:2]
        w, x, y, z = base[3:]
        heading = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        aside = math.remainder(math.atan2(away[1], away[0]) - heading, 2.0 * math.pi)
        speed, turn = self.speeds[int(t >= self.time - SOON)]
        bold = abs(aside) < 0.25 * math.pi
        board["command"] = [speed * math.cos(aside), 0.0, aside] if bold else [0.0, 0.0, math.copysign(turn, aside)]


def abrupt(steps: Steps, *, bold: bool = False) -> Callable[[sf.Scene, float], Any]:
    """A policy with a changeover, made the dissertation's way; `bold`: and steered its way along the same points."""

    def policy(scene: sf.Scene, dt: float) -> Any:
        pipeline, numbers = steps(scene, dt), steps.policy()
        legs, places, time, then = Legs(scene), numbers.places(scene), numbers.changeover(), numbers.then
        assert then is not None
        first, second = (Planner(legs, gait, dt, places=places) for gait in (numbers.gait, then.gait))
        pipeline.swap("gait_planner", AbruptPlanner(first, second, time))
        if bold:
            speeds = ((numbers.forward, numbers.turn), (then.forward, then.turn))
            pipeline.swap("command", BoldSteering(scene, numbers.points, speeds, time))
        return pipeline

    return policy
