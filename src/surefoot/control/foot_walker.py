"""The walking controller of particle traces: springs and dampers between the feet and where the gait wants them."""

from __future__ import annotations

from typing import Any

from surefoot.control.pipeline import Pipeline
from surefoot.control.stage import Stage
from surefoot.control.stages import FeedForward, Follow, FootPD, ForwardKinematics, GaitPlanner, InverseKinematics
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs, Planner
from surefoot.robots.compose import scene
from surefoot.robots.scene import Scene

KP, KD = 1e3, 20.0  # N/m and N s/m


def foot_walker(
    robot: Scene,
    command: Stage,
    gait: Gait | str = "walk",
    dt: float = 1e-3,
    *,
    places: Any = None,
    kp: Any = KP,
    kd: Any = KD,
    feed_forward: bool = False,
) -> Pipeline:
    """A pipeline that walks on springs [Zapolsky2017, chapter 4]: command, gait planner, error of the feet as force.

    It knows of no ground and feels none, so nothing but the springs carries the weight: the base sags by about weight /
    (feet that stand x kp), and a foot is lifted by so much less. It is a plain Pipeline: add, remove and swap its
    stages at will.

    Example:
        ground = sf.scene(sf.load("links-light"), terrain=sf.Plane(mu=1.0))
        pipeline = sf.control.foot_walker(ground, sf.control.Command(0.2), "walk")
        trace = sf.Simulator(ground).rollout(ground.home(), pipeline.policy(), duration=5.0)

    Args:
        robot: robot or scene that the controller believes in.
        command: stage that writes "command", such as `Command(forward=0.2)`.
        gait: a Gait or the name of one; its touchdowns are in the order of `robot.feet`.
        dt: time between ticks in s.
        places: (feet, 3) m, where the feet stand in the base's frame; by default as in `robot.home()`.
        kp: one gain for all feet in N/m, an array (feet,), or a dict by the foot's name.
        kd: the same for velocities, in N s/m.
        feed_forward: whether inverse dynamics of the robot without ground adds the torques that the swing needs.
    """
    if not isinstance(command, Stage):
        raise InputError(f"command: expected a stage such as Command(forward=0.2), got {command!r}")
    legs = Legs(robot)
    stages: list[Stage] = [ForwardKinematics(legs), command, GaitPlanner(Planner(legs, gait, dt, places=places))]
    if feed_forward:
        aloft = scene(robot, terrain=None)
        stages += [InverseKinematics(legs, dt), FeedForward(robot), Follow(aloft, dt)]
    return Pipeline(robot, dt, [*stages, FootPD(legs, kp, kd)])
