"""From goals of the feet to goals of the joints, as a stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from surefoot import checks
from surefoot.control.arguments import as_legs
from surefoot.control.blackboard import Value, known
from surefoot.control.stage import Stage
from surefoot.gait import Legs
from surefoot.kernels.legs import joint_velocities, legs_at, reach_places

CLOSE = 1e-9  # m
ROUNDS = 20


class InverseKinematics(Stage):
    """Planning: goals of the joints from those of the feet, which are for the end of the tick.

    "joint_position" and "joint_velocity" are the goals of now: those that the last run found for its tick's end.
    "joint_acceleration" leads from "joint_velocity" to that of the tick's end. A run begins with the joints as they are
    measured. A goal that is out of reach is followed as far as the leg goes; the value "<name>_missing" is the largest
    distance left, in m.

    Attributes:
        legs: kinematics of the feet, with the model it believes in.
        dt: time between two runs in s.
    """

    def __init__(self, legs: Legs, dt: float, *, name: str = "inverse_kinematics", every: int = 1) -> None:
        """Prepare.

        Args:
            legs: kinematics of all of the robot's feet.
            dt: time between two runs of the stage in s.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.legs = as_legs(legs)
        self.dt = self.period = checks.number("dt", dt, above=0.0)
        robot = legs.robot
        goals = known(robot, "joint_position", "joint_velocity", "joint_acceleration")
        super().__init__(
            name,
            "planning",
            reads=known(robot, "q", "v", "foot_position", "foot_velocity"),
            writes=(*goals, Value(f"{name}_missing", (), "m")),
            every=every,
            function=_reach,
            memory=1 + 3 * len(robot.joints),
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(6,): address of the legs, feet, joints, dt, tolerance in m, rounds."""
        count, joints = len(self.legs.feet), len(self.legs.robot.joints)
        return np.array([float(self.legs.box.address), count, joints, self.dt, CLOSE, ROUNDS])


def _reach(t, board, where, memory, params):
    """Memory: whether it ran before, positions and velocities of the goals, work."""
    legs, feet, n = legs_at(types.uintp(params[0])), int(params[1]), int(params[2])
    position, velocity, later = memory[1 : 1 + n], memory[1 + n : 1 + 2 * n], memory[1 + 2 * n :]
    if memory[0] == 0.0:
        memory[0] = 1.0
        for i in range(n):
            position[i] = board[where[0] + legs.address[i]]
            velocity[i] = board[where[1] + legs.dof[i]]
    for i in range(n):
        legs.qpos[legs.address[i]] = position[i]
        board[where[4] + i] = position[i]
        board[where[5] + i] = velocity[i]
    goal = board[where[2] : where[2] + 3 * feet].reshape(feet, 3)
    moves = board[where[3] : where[3] + 3 * feet].reshape(feet, 3)
    board[where[7]] = reach_places(legs, goal, params[4], int(params[5]))
    joint_velocities(legs, moves, later)
    for i in range(n):
        position[i] = legs.qpos[legs.address[i]]
        board[where[6] + i] = (later[i] - velocity[i]) / params[3]
        velocity[i] = later[i]
    return 0
