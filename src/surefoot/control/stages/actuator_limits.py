"""What motors can give."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.dynamics import by_joint
from surefoot.motion.limits import torque_range
from surefoot.robots.scene import Scene


class ActuatorLimits(Stage):
    """Control: cuts "torque" to a line that falls with speed, |torque| <= limit (1 - |v| / v_max).

    It changes the sum, so it stands after all stages that add to it.
    """

    def __init__(
        self,
        robot: Scene,
        torque_limits: Any = None,
        speed_limits: Any = None,
        *,
        name: str = "actuator_limits",
        every: int = 1,
    ) -> None:
        """Set the limits.

        Args:
            robot: robot or scene.
            torque_limits: N m (N) at standstill, in all forms of `sf.solve`; None: those of the robot's file.
            speed_limits: v_max in rad/s (m/s), where the torque is zero: one number, an array (joints,), or a dict by
                joint name (others have none); None: the torque does not fall with speed.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        limits = as_robot(robot).torque_limits.T if torque_limits is None else torque_range(robot, torque_limits)
        super().__init__(
            name,
            "control",
            reads=known(robot, "v", "torque"),
            writes=known(robot, "torque"),
            every=every,
            function=_limit,
            params=np.concatenate([*limits, _speeds(robot, speed_limits), robot.dofs]),
            kept=True,
        )


def _speeds(robot: Scene, speed_limits: Any) -> NDArray[np.float64]:
    """(joints,) rad/s (m/s), infinite where there is no limit."""
    if speed_limits is not None and np.ndim(speed_limits) == 0 and not hasattr(speed_limits, "keys"):
        return np.full(len(robot.joints), checks.number("speed_limits", speed_limits, above=0.0))
    given, speeds = by_joint("speed_limits", robot, speed_limits)
    for i in np.flatnonzero(given):
        checks.number(f"speed_limits[{robot.joints[i]!r}]", speeds[i], above=0.0)
    return np.where(given, speeds, np.inf)


def _limit(t, board, where, memory, params):
    n = params.shape[0] // 4
    for i in range(n):
        left = max(0.0, 1.0 - abs(board[where[0] + int(params[3 * n + i])]) / params[2 * n + i])
        low, high = params[i], params[n + i]
        if np.isfinite(low):
            board[where[2] + i] = max(board[where[2] + i], low * left)
        if np.isfinite(high):
            board[where[2] + i] = min(board[where[2] + i], high * left)
    return 0
