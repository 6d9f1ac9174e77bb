"""The gait planner as a stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.control.arguments import as_legs
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.gait import Planner
from surefoot.kernels.gait import DT, PER_FOOT, plan_feet, start_gait


class GaitPlanner(Stage):
    """Planning: goals of the feet at the end of the tick, for a base that shall move with "command".

    Attributes:
        planner: the plan's numbers; what it remembers of its own calls is not used here.
    """

    def __init__(self, planner: Planner, *, sensed: bool = False, name: str = "gait_planner", every: int = 1) -> None:
        """Prepare.

        Args:
            planner: gait, legs and places of all of the robot's feet; its `dt` must be the time between two runs of
                the stage.
            sensed: whether it reads "contact", which feet touch: those that miss the ground then reach for it, and
                others support the robot meanwhile. Else feet are taken to touch as planned.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        if not isinstance(planner, Planner):
            raise InputError(f"planner: expected a Planner (see sf.gait), got {type(planner).__name__}")
        self.planner, self.period = planner, planner.dt
        robot, feet = as_legs(planner.legs).robot, len(planner.legs.feet)
        goals = ("phase", "stance", "foot_position", "foot_velocity", "foot_acceleration")
        super().__init__(
            name,
            "planning",
            reads=known(robot, "command", *(("contact",) if sensed else ())),
            writes=known(robot, *goals),
            every=every,
            function=_plan,
            memory=1 + feet + feet * PER_FOOT,
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(1 + numbers of the plan,): how many feet, then see kernels/gait.py."""
        return np.append(float(len(self.planner.legs.feet)), self.planner.params)


def _plan(t, board, where, memory, params):
    """Memory: whether it ran before, what the feet feel (-1: nobody knows), and the planner's."""
    feet, numbers = int(params[0]), params[1:]
    sensed, own = memory[1 : 1 + feet], memory[1 + feet :]
    feels = where.shape[0] - 6  # 1 if "contact" is read, which comes second
    if memory[0] == 0.0:
        memory[0] = 1.0
        start_gait(feet, own, numbers)
    for foot in range(feet):
        sensed[foot] = board[where[1] + foot] if feels else -1.0
    goals = where[1 + feels :]
    position = board[goals[2] : goals[2] + 3 * feet].reshape(feet, 3)
    velocity = board[goals[3] : goals[3] + 3 * feet].reshape(feet, 3)
    acceleration = board[goals[4] : goals[4] + 3 * feet].reshape(feet, 3)
    board[goals[0]] = plan_feet(
        t + numbers[DT], feet, board[where[0] : where[0] + 3], sensed, own, numbers, position, velocity, acceleration,
        board[goals[1] : goals[1] + feet],
    )  # fmt: skip
    return 0
