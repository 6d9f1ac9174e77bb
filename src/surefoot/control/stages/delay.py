"""What comes late."""

from __future__ import annotations

import numpy as np

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.control.blackboard import KNOWN, known
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.robots.scene import Scene


class Delay(Stage):
    """Gives a value as it was n runs before; until there is such a one, the first.

    With "torque" it is a slow motor bus, and stands in the control phase after all stages that add to it; with "q" or
    "v" it is a slow sensor.
    """

    def __init__(
        self, robot: Scene, ticks: int, value: str = "torque", *, name: str | None = None, every: int = 1
    ) -> None:
        """Make it.

        Args:
            robot: robot or scene.
            ticks: by how many of its runs the value is late; 0: not at all.
            value: name of a well-known value.
            name: name of the stage; by default "delay_" and the value.
            every: runs at every n-th tick.
        """
        late = checks.number("ticks", ticks, at_least=0, at_most=1e6)
        if late != int(late):
            raise InputError(f"ticks: expected a whole number, got {ticks!r}")
        checks.indices("value", [value], list(KNOWN), "value")
        size = int(np.prod(KNOWN[value].value.shape_for(as_robot(robot)), dtype=np.int64))
        super().__init__(
            name or f"delay_{value}",
            KNOWN[value].phases[-1],
            reads=known(robot, value),
            writes=known(robot, value),
            every=every,
            function=_delay,
            memory=2 + int(late) * size,
            params=[late, size],
            kept=True,
        )


def _delay(t, board, where, memory, params):
    """Memory: whether it ran before, the oldest row, and the last values, one row each."""
    ticks, size = int(params[0]), int(params[1])
    if ticks == 0:
        return 0
    if memory[0] == 0.0:
        memory[0] = 1.0
        for k in range(ticks):
            for i in range(size):
                memory[2 + k * size + i] = board[where[0] + i]
    oldest = int(memory[1])
    for i in range(size):
        place = 2 + oldest * size + i
        late = memory[place]
        memory[place] = board[where[0] + i]
        board[where[1] + i] = late
    memory[1] = (oldest + 1) % ticks
    return 0
