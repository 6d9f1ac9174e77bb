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


class TorqueTable(Stage):
    """Control: adds torques that were computed beforehand to "torque"; straight lines between rows.

    Its rows stand `step` apart in time; the first is due when the stage first runs, the last one stays. With `Timetable`
    it is a planned motion and the torques that the plan needs.
    """

    def __init__(self, robot: Scene, torque: Any, step: float, *, name: str = "torque_table", every: int = 1) -> None:
        """Set the table.

        Args:
            robot: robot or scene.
            torque: (rows, joints) N m (N).
            step: time in s between two rows.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        joints = len(as_robot(robot).joints)
        rows = checks.array("torque", torque, (None, joints))
        if len(rows) < 2:
            raise InputError(f"torque: expected at least 2 rows, got {len(rows)}")
        super().__init__(
            name,
            "control",
            adds=known(robot, "torque"),
            every=every,
            function=_torque_table,
            memory=2,
            params=np.concatenate([[joints, checks.number("step", step, above=0.0)], rows.ravel()]),
            kept=True,
        )


def _torque_table(t, board, where, memory, params):
    """Memory: whether it ran before, and when first. Params: joints, step, then the rows."""
    n = int(params[0])
    if memory[0] == 0.0:
        memory[0] = 1.0
        memory[1] = t
    last = (params.shape[0] - 2) // n - 1
    passed = (t - memory[1]) / params[1]
    row = last - 1 if passed >= last else int(passed)
    s = 1.0 if passed >= last else passed - row
    a, b = 2 + n * row, 2 + n * (row + 1)
    for i in range(n):
        board[where[0] + i] = (1.0 - s) * params[a + i] + s * params[b + i]
    return 0
