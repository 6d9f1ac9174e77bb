"""A fixed command, grown into."""

from __future__ import annotations

from surefoot import checks
from surefoot.control.stage import Stage


class Command(Stage):
    """Perception: a wanted base velocity that never changes, but for its start. Writes "command"."""

    def __init__(
        self,
        forward: float = 0.0,
        left: float = 0.0,
        turn: float = 0.0,
        *,
        ramp: float = 0.0,
        name: str = "command",
        every: int = 1,
    ) -> None:
        """Set the command.

        Args:
            forward: m/s along the base's x axis.
            left: m/s along the base's y axis.
            turn: rad/s about the base's z axis.
            ramp: time in s in which the command grows from zero; feet that cannot slip cannot start at once.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        numbers = [checks.number(*named) for named in (("forward", forward), ("left", left), ("turn", turn))]
        numbers.append(checks.number("ramp", ramp, at_least=0.0))
        super().__init__(
            name, "perception", writes=("command",), every=every, function=_command, memory=2, params=numbers, kept=True
        )


def _command(t, board, where, memory, params):
    """Memory: whether it ran before, and when first."""
    if memory[0] == 0.0:
        memory[0] = 1.0
        memory[1] = t
    share = (t - memory[1]) / params[3] if t - memory[1] < params[3] else 1.0
    for i in range(3):
        board[where[0] + i] = share * params[i]
    return 0
