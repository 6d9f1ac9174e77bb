"""A fixed command."""

from __future__ import annotations

from surefoot import checks
from surefoot.control.stage import Stage


class Command(Stage):
    """Perception: a wanted base velocity that never changes. Writes "command"."""

    def __init__(
        self, forward: float = 0.0, left: float = 0.0, turn: float = 0.0, *, name: str = "command", every: int = 1
    ) -> None:
        """Set the command.

        Args:
            forward: m/s along the base's x axis.
            left: m/s along the base's y axis.
            turn: rad/s about the base's z axis.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        numbers = [checks.number(*named) for named in (("forward", forward), ("left", left), ("turn", turn))]
        super().__init__(
            name, "perception", writes=("command",), every=every, function=_command, params=numbers, kept=True
        )


def _command(t, board, where, memory, params):
    for i in range(3):
        board[where[0] + i] = params[i]
    return 0
