"""Joint goals that stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.control.arguments import as_robot
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.dynamics import by_joint
from surefoot.robots.scene import Scene


class Hold(Stage):
    """Planning: joint goals at rest. Writes "joint_position", "joint_velocity" and "joint_acceleration"."""

    def __init__(self, robot: Scene, position: Any = None, *, name: str = "hold", every: int = 1) -> None:
        """Set the goal.

        Args:
            robot: robot or scene.
            position: (joints,) rad (m), or a dict by joint name; what is not given is that of `home()`.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        rest = as_robot(robot).home().q[robot.joint_positions]
        given, wanted = by_joint("position", robot, position)
        super().__init__(
            name,
            "planning",
            writes=known(robot, "joint_position", "joint_velocity", "joint_acceleration"),
            every=every,
            function=_hold,
            params=np.where(given, wanted, rest),
            kept=True,
        )


def _hold(t, board, where, memory, params):
    for i in range(params.shape[0]):
        board[where[0] + i] = params[i]
        board[where[1] + i] = 0.0
        board[where[2] + i] = 0.0
    return 0
