"""The planned acceleration as feed-forward."""

from __future__ import annotations

from surefoot.control.arguments import as_robot
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.robots.scene import Scene


class FeedForward(Stage):
    """Control: adds the joints' planned acceleration, "joint_acceleration", to "acceleration"."""

    def __init__(self, robot: Scene, *, name: str = "feed_forward", every: int = 1) -> None:
        """Make it.

        Args:
            robot: robot or scene.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        super().__init__(
            name,
            "control",
            reads=known(as_robot(robot), "joint_acceleration"),
            adds=known(robot, "acceleration"),
            every=every,
            function=_feed_forward,
            params=[len(robot.joints)],
            kept=True,
        )


def _feed_forward(t, board, where, memory, params):
    for i in range(int(params[0])):
        board[where[1] + i] = board[where[0] + i]
    return 0
