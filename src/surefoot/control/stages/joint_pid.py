"""Joint error feedback."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import as_robot, gains
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.robots.scene import Scene


class JointPID(Stage):
    """Control: kp (q* - q) + kd (v* - v) + ki (sum of q* - q over time), added to "torque" or to "acceleration".

    The goals q*, v* are "joint_position" and "joint_velocity". It is `sf.control.PID` as a stage.
    """

    def __init__(
        self,
        robot: Scene,
        kp: Any,
        kd: Any,
        ki: Any = 0.0,
        *,
        output: str = "torque",
        name: str = "joint_pid",
        every: int = 1,
    ) -> None:
        """Set the gains.

        Args:
            robot: robot or scene.
            kp: one gain for all joints, an array (joints,), or a dict by joint name (others have none); N m/rad (N/m)
                for a torque, 1/s^2 for an acceleration.
            kd: the same for velocities: N m s/rad (N s/m), or 1/s.
            ki: the same for the integral: N m/(rad s) (N/(m s)), or 1/s^3.
            output: "torque" or "acceleration", which `Follow` makes torques of.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        named = (("kp", kp), ("kd", kd), ("ki", ki))
        as_robot(robot)
        super().__init__(
            name,
            "control",
            reads=known(robot, "joint_position", "joint_velocity", "q", "v"),
            adds=known(robot, checks.choice("output", output, ("torque", "acceleration"))),
            every=every,
            function=_joint_pid,
            memory=2 + len(robot.joints),
            params=np.concatenate([*(gains(robot, *pair) for pair in named), robot.joint_positions, robot.dofs]),
            kept=True,
        )


def _joint_pid(t, board, where, memory, params):
    """Memory: whether it ran before, when, and the integral of each joint."""
    n = params.shape[0] // 5
    step = t - memory[1] if memory[0] != 0.0 else 0.0
    memory[0] = 1.0
    memory[1] = t
    for i in range(n):
        error = board[where[0] + i] - board[where[2] + int(params[3 * n + i])]
        drift = board[where[1] + i] - board[where[3] + int(params[4 * n + i])]
        memory[2 + i] += step * error
        board[where[4] + i] = params[i] * error + params[n + i] * drift + params[2 * n + i] * memory[2 + i]
    return 0
