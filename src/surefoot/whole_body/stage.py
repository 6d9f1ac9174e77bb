"""A whole-body controller as a stage of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import foot_numbers
from surefoot.control.blackboard import Value, known
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.kernels.status import CAPACITY
from surefoot.kernels.whole_body import control_from
from surefoot.whole_body.controller import WholeBody


class WholeBodyControl(Stage):
    """Control: adds the torques of a `WholeBody` to "torque".

    A task that follows the pipeline reads its references from the value "<task>_goal". The value "<name>_status" is
    the code of the Status of the last call; without an answer nothing is added. A run starts without memory of the one
    before. Pipelines that run at the same time, by turns too, need a stage each.

    Attributes:
        controller: the whole-body controller, with the model that it believes in.
        follows: names of the tasks whose references come from the blackboard.
        contacts: "geometry" or "stance".
    """

    def __init__(
        self,
        controller: WholeBody,
        *,
        follows: Sequence[str] = (),
        contacts: str = "geometry",
        name: str = "whole_body",
        every: int = 1,
    ) -> None:
        """Prepare.

        Args:
            controller: made for the robot of the pipeline.
            follows: names of tasks whose references other stages write, as "<task>_goal".
            contacts: "geometry": whatever touches; "stance": the feet that shall stand by the plan ("stance").
            name: name of the stage.
            every: runs at every n-th tick.
        """
        if not isinstance(controller, WholeBody):
            raise InputError(f"controller: expected a WholeBody, got {type(controller).__name__}")
        if isinstance(follows, str):
            raise InputError(f"follows: expected a list of names of tasks, got the string {follows!r}")
        checks.indices("follows", follows, list(controller.goals), "task")
        self.controller = controller
        self.follows = tuple(follows)
        self.contacts = checks.choice("contacts", contacts, ("geometry", "stance"))
        robot = controller.robot
        planned = ("stance",) if contacts == "stance" else ()
        super().__init__(
            name,
            "control",
            reads=(*known(robot, "q", "v", *planned), *(goal_value(controller, task) for task in self.follows)),
            writes=(Value(f"{name}_status", (), "1"),),
            adds=known(robot, "torque"),
            every=every,
            function=_control,
            memory=1 + robot.model.ngeom + sum(len(goal) for goal in controller.goals.values()),
            kept=True,
        )

    @property
    def params(self) -> Any:
        """Handle, nq, nv, joints, goals, followed; place and length of each followed; the foot of each geom."""
        controller, robot = self.controller, self.controller.robot
        starts, at = {}, 0
        for name, goal in controller.goals.items():
            starts[name], at = at, at + len(goal)
        head = [controller.handle, robot.nq, robot.nv, len(robot.joints), at, len(self.follows)]
        spans = [number for name in self.follows for number in (starts[name], len(controller.goals[name]))]
        feet = foot_numbers(robot) if self.contacts == "stance" else ()
        goals = np.concatenate(list(controller.goals.values()))
        return np.array([*head, *spans, *goals, *feet], dtype=np.float64)


def goal_value(controller: WholeBody, task: str) -> Value:
    """The value on the blackboard that a task follows: its references, as `controller.goals` has them."""
    return Value(f"{task}_goal", (len(controller.goals[task]),), "SI")


def _control(t, board, where, memory, params):
    """Memory: whether it ran before, which geoms shall stand, the references."""
    nq, nv, n, length, followed = int(params[1]), int(params[2]), int(params[3]), int(params[4]), int(params[5])
    q, v = board[where[0] : where[0] + nq], board[where[1] : where[1] + nv]
    fixed = 6 + 2 * followed
    foot = params[fixed + length :]
    stands, goals = memory[1 : 1 + foot.shape[0]], memory[1 + foot.shape[0] : 1 + foot.shape[0] + length]
    reads = 2
    if foot.shape[0] > 0:
        for geom in range(foot.shape[0]):
            stands[geom] = 0.0 if foot[geom] < 0.0 else board[where[2] + int(foot[geom])]
        reads = 3
    for i in range(length):
        goals[i] = params[fixed + i]
    for k in range(followed):
        first, size = int(params[6 + 2 * k]), int(params[7 + 2 * k])
        for i in range(size):
            goals[first + i] = board[where[reads + k] + i]
    afresh = 1 if memory[0] == 0.0 else 0
    memory[0] = 1.0
    last = where.shape[0] - 2
    status = control_from(params[0], afresh, q, v, stands, goals, board[where[last + 1] : where[last + 1] + n])
    board[where[last]] = status
    return CAPACITY if status == CAPACITY else 0
