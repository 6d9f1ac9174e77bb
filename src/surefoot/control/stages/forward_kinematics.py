"""Where the feet are, as a stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from surefoot.control.arguments import as_legs
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.gait import Legs
from surefoot.kernels.legs import foot_places, foot_velocities, legs_at, take_joints


class ForwardKinematics(Stage):
    """Perception: where the feet are and how they move, seen from the base: "foot_position_now", "foot_velocity_now".

    Both are in the base's frame, which turns and moves along: only the joints' velocities count, and a foot that stands
    while the base goes forward moves backward.

    Attributes:
        legs: kinematics of the feet, with the model it believes in.
    """

    def __init__(self, legs: Legs, *, name: str = "forward_kinematics", every: int = 1) -> None:
        """Prepare.

        Args:
            legs: kinematics of all of the robot's feet.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.legs = as_legs(legs)
        super().__init__(
            name,
            "perception",
            reads=known(legs.robot, "q", "v"),
            writes=known(legs.robot, "foot_position_now", "foot_velocity_now"),
            every=every,
            function=_see,
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(4,): address of the legs, feet, nq, nv."""
        robot = self.legs.robot
        return np.array([float(self.legs.box.address), len(self.legs.feet), robot.nq, robot.nv])


def _see(t, board, where, memory, params):
    legs, feet, nq, nv = legs_at(types.uintp(params[0])), int(params[1]), int(params[2]), int(params[3])
    take_joints(legs, board[where[0] : where[0] + nq])
    foot_places(legs, board[where[2] : where[2] + 3 * feet].reshape(feet, 3))
    foot_velocities(legs, board[where[1] : where[1] + nv], board[where[3] : where[3] + 3 * feet].reshape(feet, 3))
    return 0
