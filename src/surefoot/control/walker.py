"""The standard walking controller: feet planned by a gait, joints by kinematics, torques by inverse dynamics."""

from __future__ import annotations

from typing import Any

from surefoot.control.pipeline import Pipeline
from surefoot.control.stage import Stage
from surefoot.control.stages import FeedForward, Follow, GaitPlanner, InverseKinematics, JointPID
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs, Planner
from surefoot.laws import Law
from surefoot.robots.scene import Scene

KP, KD = 2e3, 60.0  # 1/s^2 and 1/s


def walker(
    robot: Scene,
    command: Stage,
    gait: Gait | str = "trot",
    dt: float = 1e-3,
    *,
    law: Law | str | None = None,
    kp: Any = KP,
    kd: Any = KD,
    torque_limits: Any = None,
) -> Pipeline:
    """A pipeline that walks: command, gait planner, inverse kinematics, feed-forward, feedback, inverse dynamics.

    It is a plain Pipeline: add, remove and swap its stages at will.

    Example:
        ground = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.5))
        pipeline = sf.control.walker(ground, sf.control.Command(0.2), "trot")
        trace = sf.Simulator(ground).rollout(ground.home(), pipeline.policy(), duration=5.0)

    Args:
        robot: robot or scene that the controller believes in, its ground too.
        command: stage that writes "command", such as `Command(forward=0.2)`.
        gait: a Gait or the name of one; its touchdowns are in the order of `robot.feet`.
        dt: time between ticks in s.
        law: contact law that the controller believes in, `sf.Coulomb()` by default.
        kp: feedback in 1/s^2: one gain for all joints, an array (joints,), or a dict by joint name.
        kd: the same for velocities, in 1/s.
        torque_limits: see `sf.solve`; a joint that cannot follow stays at its limit.
    """
    if not isinstance(command, Stage):
        raise InputError(f"command: expected a stage such as Command(forward=0.2), got {command!r}")
    legs = Legs(robot)
    stages = [
        command,
        GaitPlanner(Planner(legs, gait, dt)),
        InverseKinematics(legs, dt),
        FeedForward(robot),
        JointPID(robot, kp, kd, output="acceleration"),
        Follow(robot, dt, law, torque_limits=torque_limits),
    ]
    return Pipeline(robot, dt, stages)
