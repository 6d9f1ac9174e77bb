"""Joint goals from a table over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.robots.scene import Scene


class Timetable(Stage):
    """Planning: plays a table of joint goals. Writes "joint_position", "joint_velocity" and "joint_acceleration".

    Its rows stand `step` apart in time; the first is due when the stage first runs. Between two rows it is the cubic
    that has their positions and velocities, so both are continuous. After the last row the joints stay there, at rest.
    """

    def __init__(
        self,
        robot: Scene,
        position: Any,
        step: float,
        *,
        velocity: Any = None,
        name: str = "timetable",
        every: int = 1,
    ) -> None:
        """Set the table.

        Args:
            robot: robot or scene.
            position: (rows, joints) rad (m).
            step: time in s between two rows.
            velocity: (rows, joints) rad/s (m/s); None: that of the parabola through a row and its neighbours.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        joints = len(as_robot(robot).joints)
        step = checks.number("step", step, above=0.0)
        rows = checks.array("position", position, (None, joints))
        if len(rows) < 2:
            raise InputError(f"position: expected at least 2 rows, got {len(rows)}")
        speeds = np.gradient(rows, step, axis=0) if velocity is None else checks.array("velocity", velocity, rows.shape)
        super().__init__(
            name,
            "planning",
            writes=known(robot, "joint_position", "joint_velocity", "joint_acceleration"),
            every=every,
            function=_timetable,
            memory=2,
            params=np.concatenate([[joints, step], np.hstack([rows, speeds]).ravel()]),
            kept=True,
        )


def _timetable(t, board, where, memory, params):
    """Memory: whether it ran before, and when first. Params: joints, step, then a row of positions and velocities."""
    n, step = int(params[0]), params[1]
    if memory[0] == 0.0:
        memory[0] = 1.0
        memory[1] = t
    last = (params.shape[0] - 2) // (2 * n) - 1
    passed = (t - memory[1]) / step
    over = passed >= last
    row = last - 1 if over else int(passed)
    s = 1.0 if over else passed - row
    a, b = 2 + 2 * n * row, 2 + 2 * n * (row + 1)
    for i in range(n):
        p, d = params[a + i], params[b + i] - params[a + i]
        u, w = step * params[a + n + i], step * params[b + n + i]
        c2, c3 = 3.0 * d - 2.0 * u - w, u + w - 2.0 * d
        board[where[0] + i] = params[b + i] if over else p + s * (u + s * (c2 + s * c3))
        board[where[1] + i] = 0.0 if over else (u + s * (2.0 * c2 + s * 3.0 * c3)) / step
        board[where[2] + i] = 0.0 if over else (2.0 * c2 + 6.0 * s * c3) / (step * step)
    return 0
