"""A path of points, as commands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.control.blackboard import Value, known
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.kernels.steering import limited, steer
from surefoot.robots.scene import Scene

CAR, HOLONOMIC = STEERING = ("car", "holonomic")
NUMBERS = 8  # params before the points


class Waypoints(Stage):
    """Perception: goes from point to point. Writes "command", and "<name>_next": the number of the next point.

    A car looks where it goes: it drives forward and steers, the slower the more the next point lies aside, and turns in
    place beyond 45 degrees. A holonomic robot walks there sideways or backwards, and turns only if `heading` says where
    to look. Speeds fall towards a point, where the way bends, and the command is zero after the last.
    """

    def __init__(
        self,
        robot: Scene,
        points: Any,
        speed: float = 0.2,
        *,
        turn: float = 0.5,
        steering: str = CAR,
        heading: float | None = None,
        tolerance: float = 0.03,
        ramp: float = 0.5,
        cycle: bool = False,
        name: str = "waypoints",
        every: int = 1,
    ) -> None:
        """Set the path.

        Args:
            robot: robot or scene with a floating base.
            points: (n, 2) x and y in m, in the world's frame.
            speed: largest speed in m/s.
            turn: largest turning rate in rad/s.
            steering: "car" or "holonomic".
            heading: where a holonomic robot looks, in rad from the world's x axis; None: it does not turn.
            tolerance: distance in m at which a point counts as reached.
            ramp: time in s in which the command grows from zero to full speed, and from there to zero.
            cycle: whether it starts again after the last point.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        if as_robot(robot).base is None:
            raise InputError(f"robot: expected a floating base, but {robot.name} is bolted down")
        path = checks.array("points", points, (None, 2))
        if len(path) == 0:
            raise InputError("points: expected at least one (x, y), got none")
        checks.choice("steering", steering, STEERING)
        if heading is not None and steering == CAR:
            raise InputError("heading: is for steering='holonomic'; a car looks where it goes")
        self.points = path.copy()
        joint = int(robot.model.body(robot.base).jntadr[0])
        numbers = [
            float(robot.model.jnt_qposadr[joint]),
            checks.number("speed", speed, above=0.0),
            checks.number("turn", turn, above=0.0),
            float(steering == HOLONOMIC),
            math.nan if heading is None else checks.number("heading", heading),
            checks.number("tolerance", tolerance, above=0.0),
            checks.number("ramp", ramp, at_least=0.0),
            float(bool(cycle)),
        ]
        super().__init__(
            name,
            "perception",
            reads=known(robot, "q"),
            writes=(*known(robot, "command"), Value(f"{name}_next", (), "1")),
            every=every,
            function=_waypoints,
            memory=9,
            params=np.concatenate([numbers, path.ravel()]),
            kept=True,
        )


def _waypoints(t, board, where, memory, params):
    """Memory: whether it ran before, when last, the next point, the command (3), the wanted one (3)."""
    count = (params.shape[0] - NUMBERS) // 2
    speed, turn, tolerance, ramp = params[1], params[2], params[5], params[6]
    base = board[where[0] + int(params[0]) : where[0] + int(params[0]) + 7]
    step = t - memory[1] if memory[0] != 0.0 else 0.0
    memory[0] = 1.0
    memory[1] = t
    number = int(memory[2])
    for _ in range(count):  # past each point that it stands on
        if number < count:
            goal = params[NUMBERS + 2 * number : NUMBERS + 2 * number + 2]
            if math.hypot(goal[0] - base[0], goal[1] - base[1]) <= tolerance:
                number = 0 if params[7] != 0.0 and number == count - 1 else number + 1
    memory[2] = number
    command, wanted = memory[3:6], memory[6:9]
    wanted[:] = 0.0
    if number < count:
        goal = params[NUMBERS + 2 * number : NUMBERS + 2 * number + 2]
        steer(base, goal, speed, turn, params[3] != 0.0, params[4], wanted)
    for i in range(3):
        most = turn if i == 2 else speed
        change = limited(wanted[i] - command[i], most * step / ramp if ramp > 0.0 else math.inf)
        command[i] += change
        board[where[1] + i] = command[i]
    board[where[2]] = number
    return 0
