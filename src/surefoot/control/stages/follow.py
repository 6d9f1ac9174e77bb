"""Inverse dynamics with contact as a stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import foot_numbers
from surefoot.control.blackboard import Value, known
from surefoot.control.stage import Stage
from surefoot.inverse import InverseDynamics
from surefoot.kernels.follow import follow_from
from surefoot.kernels.status import CAPACITY
from surefoot.laws import Law
from surefoot.robots.scene import Scene


class Follow(Stage):
    """Control: adds the torques that give each joint its "acceleration", by `sf.InverseDynamics`, to "torque".

    Without an answer it adds the last torques again, as the controller does; with more contacts than it has room for
    (see `sf.InverseDynamics.handle`) the run ends. The value "<name>_status" is the code of
    the Status of the last call, and "<name>_normal_force" the sum of the normal forces in N that it expects. A run
    starts without memory of the one before. Pipelines that run at the same time, by turns too, need a stage each.

    Attributes:
        controller: the inverse dynamics, with the model it believes in.
        contacts: "geometry" or "stance".
    """

    def __init__(
        self,
        robot: Scene,
        dt: float,
        law: Law | str | None = None,
        *,
        torque_limits: Any = None,
        contacts: str = "geometry",
        name: str = "follow",
        every: int = 1,
    ) -> None:
        """Prepare.

        Args:
            robot: robot or scene that the controller believes in.
            dt: step in s over which the accelerations are to hold.
            law: contact law, `sf.Coulomb()` by default.
            torque_limits: see `sf.solve`; a joint that cannot follow stays at its limit.
            contacts: "geometry": whatever is near the ground; "stance": of that, feet alone that shall stand by the
                plan ("stance"), so that one that drags as it lifts off is not leaned on.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.controller = InverseDynamics(robot, dt, law, torque_limits=torque_limits)
        self.contacts = checks.choice("contacts", contacts, ("geometry", "stance"))
        planned = ("stance",) if contacts == "stance" else ()
        super().__init__(
            name,
            "control",
            reads=known(robot, "q", "v", "acceleration", *planned),
            writes=(Value(f"{name}_status", (), "1"), Value(f"{name}_normal_force", (), "N")),
            adds=known(robot, "torque"),
            every=every,
            function=_follow,
            memory=1 + len(robot.joints) + robot.model.ngeom,
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(4 + ngeom or 0,): the controller's handle, nq, nv, joints; for a planned stance the foot of each geom."""
        robot = self.controller.robot
        numbers = np.array([self.controller.handle, robot.nq, robot.nv, len(robot.joints)])
        return np.append(numbers, foot_numbers(robot)) if self.contacts == "stance" else numbers


def _follow(t, board, where, memory, params):
    """Memory: whether it ran before, the last torques, which geoms shall stand."""
    nq, nv, n = int(params[1]), int(params[2]), int(params[3])
    q, v = board[where[0] : where[0] + nq], board[where[1] : where[1] + nv]
    foot = params[4:]
    last = where.shape[0] - 3  # status, push and torque
    afresh = 1 if memory[0] == 0.0 else 0
    memory[0] = 1.0
    torque, stands = memory[1 : 1 + n], memory[1 + n : 1 + n + foot.shape[0]]
    for geom in range(foot.shape[0]):
        stands[geom] = 0.0 if foot[geom] < 0.0 else board[where[3] + int(foot[geom])]
    wanted, push = board[where[2] : where[2] + n], board[where[last + 1] : where[last + 1] + 1]
    status = follow_from(params[0], afresh, q, v, wanted, stands, torque, push)
    board[where[last]] = status
    for i in range(n):
        board[where[last + 2] + i] = torque[i]
    return CAPACITY if status == CAPACITY else 0
