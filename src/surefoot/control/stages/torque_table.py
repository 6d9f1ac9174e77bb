"""Torques from a table over time."""

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


class TorqueTable(Stage):
    """Control: adds torques that were computed beforehand to "torque"; straight lines between rows.

    Its rows stand `step` apart in time; the first stands for the time before, the last for the time after. With
    `Timetable` it plays a motion and the torques that this needs.
    """

    def __init__(
        self,
        robot: Scene,
        torque: Any,
        step: float,
        *,
        start: float = 0.0,
        name: str = "torque_table",
        every: int = 1,
    ) -> None:
        """Set the table.

        Args:
            robot: robot or scene.
            torque: (rows, joints) N m (N).
            step: time in s between two rows.
            start: time in s at which the first row is due.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        joints = len(as_robot(robot).joints)
        rows = checks.array("torque", torque, (None, joints))
        if len(rows) < 2:
            raise InputError(f"torque: expected at least 2 rows, got {len(rows)}")
        numbers = [joints, checks.number("step", step, above=0.0), checks.number("start", start)]
        super().__init__(
            name,
            "control",
            adds=known(robot, "torque"),
            every=every,
            function=_torque_table,
            params=np.concatenate([numbers, rows.ravel()]),
            kept=True,
        )


def _torque_table(t, board, where, memory, params):
    """Params: joints, step, start, then one row after the other."""
    n = int(params[0])
    last = (params.shape[0] - HEAD) // n - 1
    passed = (t - params[2]) / params[1]
    row = int(min(max(passed, 0.0), last - 1.0))
    s = min(max(passed - row, 0.0), 1.0)
    a = HEAD + n * row
    for i in range(n):
        board[where[0] + i] = (1.0 - s) * params[a + i] + s * params[a + n + i]
    return 0
