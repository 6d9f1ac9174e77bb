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

HEAD = 3  # params before the rows


class Timetable(Stage):
    """Planning: plays a table of joint goals. Writes "joint_position", "joint_velocity" and "joint_acceleration".

    Its rows stand `step` apart in time. Between two rows it is the cubic that has their positions and velocities, so
    both are continuous. Before the first and after the last row the joints stay there, at rest.
    """

    def __init__(
        self,
        robot: Scene,
        position: Any,
        step: float,
        *,
        velocity: Any = None,
        start: float = 0.0,
        name: str = "timetable",
        every: int = 1,
    ) -> None:
        """Set the table.

        Args:
            robot: robot or scene.
            position: (rows, joints) rad (m).
            step: time in s between two rows.
            velocity: (rows, joints) rad/s (m/s); None: that of the parabola through a row and its neighbours.
            start: time in s at which the first row is due.
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
            params=np.concatenate([[joints, step, checks.number("start", start)], np.hstack([rows, speeds]).ravel()]),
            kept=True,
        )


def _timetable(t, board, where, memory, params):
    """Params: joints, step, start, then a row of positions and velocities after the other."""
    n, step = int(params[0]), params[1]
    last = (params.shape[0] - HEAD) // (2 * n) - 1
    passed = (t - params[2]) / step
    rests = not 0.0 <= passed < last
    row = int(min(max(passed, 0.0), last - 1.0))
    s = min(max(passed - row, 0.0), 1.0)
    a = HEAD + 2 * n * row
    b = a + 2 * n
    for i in range(n):
        d = params[b + i] - params[a + i]
        u, w = step * params[a + n + i], step * params[b + n + i]
        c2, c3 = 3.0 * d - 2.0 * u - w, u + w - 2.0 * d
        board[where[0] + i] = params[b + i] if s == 1.0 else params[a + i] + s * (u + s * (c2 + s * c3))
        board[where[1] + i] = 0.0 if rests else (u + s * (2.0 * c2 + s * 3.0 * c3)) / step
        board[where[2] + i] = 0.0 if rests else (2.0 * c2 + 6.0 * s * c3) / (step * step)
    return 0
