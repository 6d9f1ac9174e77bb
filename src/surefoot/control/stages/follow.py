"""Inverse dynamics with contact as a stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.control.blackboard import Value, known
from surefoot.control.stage import Stage
from surefoot.inverse import InverseDynamics
from surefoot.kernels.follow import follow_from
from surefoot.laws import Law
from surefoot.robots.scene import Scene


class Follow(Stage):
    """Control: adds the torques that give each joint its "acceleration", by `sf.InverseDynamics`, to "torque".

    Without an answer it adds the last torques again, as the controller does; the value "<name>_status" is the code of
    the Status of the last call. A run starts without memory of the one before. Pipelines that run at the same time in
    several threads need a stage each.

    Attributes:
        controller: the inverse dynamics, with the model it believes in.
    """

    def __init__(
        self,
        robot: Scene,
        dt: float,
        law: Law | str | None = None,
        *,
        torque_limits: Any = None,
        name: str = "follow",
        every: int = 1,
    ) -> None:
        """Prepare.

        Args:
            robot: robot or scene that the controller believes in.
            dt: step in s over which the accelerations are to hold.
            law: contact law, `sf.Coulomb()` by default.
            torque_limits: see `sf.solve`; a joint that cannot follow stays at its limit.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.controller = InverseDynamics(robot, dt, law, torque_limits=torque_limits)
        super().__init__(
            name,
            "control",
            reads=known(robot, "q", "v", "acceleration"),
            writes=(Value(f"{name}_status", (), "1"),),
            adds=known(robot, "torque"),
            every=every,
            function=_follow,
            memory=1 + len(robot.joints),
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(4,): the controller's handle, nq, nv, joints."""
        robot = self.controller.robot
        return np.array([self.controller.handle, robot.nq, robot.nv, len(robot.joints)])


def _follow(t, board, where, memory, params):
    """Memory: whether it ran before, and the last torques."""
    nq, nv, n = int(params[1]), int(params[2]), int(params[3])
    q, v = board[where[0] : where[0] + nq], board[where[1] : where[1] + nv]
    afresh = 1 if memory[0] == 0.0 else 0
    memory[0] = 1.0
    torque = memory[1 : 1 + n]
    board[where[3]] = follow_from(params[0], afresh, q, v, board[where[2] : where[2] + n], torque)
    for i in range(n):
        board[where[4] + i] = torque[i]
    return 0
