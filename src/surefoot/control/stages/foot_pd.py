"""Error feedback of the feet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from surefoot import checks
from surefoot.control.arguments import as_legs, foot_gains
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.gait import Legs
from surefoot.kernels.engine import positions
from surefoot.kernels.legs import joint_torques, joint_velocities, legs_at, take_joints

OUTPUTS = ("torque", "acceleration")


class FootPD(Stage):
    """Control: f = kp (x* - x) + kd (v* - v) for each foot in the base's frame, as "torque" or as "acceleration".

    x, v are "foot_position_now" and "foot_velocity_now", which `ForwardKinematics` gives. As torque it adds J'f, which
    pushes a foot with the force f; as acceleration J^-1 f, which accelerates it by f more than the plan does, with the
    least change of the joints where a leg has more than three.

    The goals "foot_position" and "foot_velocity" are those of the tick's end. x*, v* are the goals of now: those that
    stood there at the last run, so let it run as often as their planner. At the first run it gives nothing.

    A foot in the air, accelerated at steps of dt, is stable while kp dt^2 + 2 kd dt < 4; with kp = 1/dt^2, kd = 1/dt it
    is at its goal after two steps. For a force divide the gains by the mass that the foot feels like.

    Attributes:
        legs: kinematics of the feet, with the model it believes in.
        output: "torque" or "acceleration".
    """

    def __init__(
        self,
        legs: Legs,
        kp: Any = 1e3,
        kd: Any = 30.0,
        *,
        output: str = "torque",
        name: str = "foot_pd",
        every: int = 1,
    ) -> None:
        """Set the gains.

        Args:
            legs: kinematics of all of the robot's feet.
            kp: one gain for all feet, an array (feet,), or a dict by the foot's name (others have none); N/m for a
                torque, 1/s^2 for an acceleration.
            kd: the same for velocities: N s/m, or 1/s.
            output: "torque", or "acceleration", which `Follow` makes torques of.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.legs = as_legs(legs)
        self.output = checks.choice("output", output, OUTPUTS)
        self._gains = np.concatenate([foot_gains(legs, "kp", kp), foot_gains(legs, "kd", kd)])
        feet = ("foot_position_now", "foot_velocity_now", "foot_position", "foot_velocity")
        super().__init__(
            name,
            "control",
            reads=known(legs.robot, "q", *feet),
            adds=known(legs.robot, output),
            every=every,
            function=_foot_pd,
            memory=1 + 9 * len(legs.feet),
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(5 + 2 feet,): address of the legs, feet, nq, joints, whether it gives torques, kp, kd."""
        robot, torque = self.legs.robot, self.output == "torque"
        sizes = [len(self.legs.feet), robot.nq, len(robot.joints)]
        return np.array([float(self.legs.box.address), *sizes, torque, *self._gains])


def _foot_pd(t, board, where, memory, params):
    """Memory: whether it ran before, the goals of then, work."""
    legs, feet, nq, n = legs_at(types.uintp(params[0])), int(params[1]), int(params[2]), int(params[3])
    goal, moves, push = memory[1 : 1 + 3 * feet], memory[1 + 3 * feet : 1 + 6 * feet], memory[1 + 6 * feet :]
    for i in range(3 * feet):
        kp, kd = params[5 + i // 3], params[5 + feet + i // 3]
        position, velocity = board[where[1] + i], board[where[2] + i]
        push[i] = 0.0 if memory[0] == 0.0 else kp * (goal[i] - position) + kd * (moves[i] - velocity)
        goal[i] = board[where[3] + i]
        moves[i] = board[where[4] + i]
    memory[0] = 1.0
    take_joints(legs, board[where[0] : where[0] + nq])
    positions(legs.m, legs.d)
    if params[4] != 0.0:
        joint_torques(legs, push.reshape(feet, 3), board[where[5] : where[5] + n])
    else:
        joint_velocities(legs, push.reshape(feet, 3), board[where[5] : where[5] + n])
    return 0
