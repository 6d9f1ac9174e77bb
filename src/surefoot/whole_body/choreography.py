"""Moves of a robot that stands: where its centre of mass and its feet shall be over time, and which feet carry it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.whole_body.controller import WholeBody
from surefoot.whole_body.stage import goal_value

Array = NDArray[np.float64]
HEAD = 3  # params before the times


@dataclass(frozen=True, eq=False)
class Moves:
    """A timetable: at each of its times where things are and how they move; between two, the quintic through both.

    So position, velocity and acceleration are continuous, and those of the same motion. Between rows at rest it is the
    motion of least jerk.

    Attributes:
        times: (k,) s, increasing.
        centre: (k, 3, 3) place in m, velocity in m/s and acceleration in m/s^2 of the centre of mass, one a row.
        feet: (k, feet, 3, 3) the same of the middle of each foot, in the robot's order.
        stance: (k, feet) which feet stand, from each time to the next.
    """

    times: Array
    centre: Array
    feet: Array
    stance: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Check."""
        times = checks.array("Moves.times", self.times, (None,))
        if len(times) < 1:
            raise InputError("Moves.times: expected at least one, got none")
        if not (np.diff(times) > 0.0).all():
            raise InputError("Moves.times: expected times that increase")
        checks.array("Moves.centre", self.centre, (len(times), 3, 3))
        feet = np.shape(self.feet)[1] if np.ndim(self.feet) == 4 else None
        checks.array("Moves.feet", self.feet, (len(times), feet, 3, 3))
        if np.shape(self.stance) != (len(times), feet):
            raise InputError(f"Moves.stance: expected shape ({len(times)}, {feet}), got {np.shape(self.stance)}")

    @property
    def duration(self) -> float:
        """From the first time to the last, in s."""
        return float(self.times[-1] - self.times[0])

    def then(self, other: Moves) -> Moves:
        """These moves and then the others, which begin where these end.

        Args:
            other: moves of the same robot; their first time becomes the last of these.
        """
        ends, begins = (np.concatenate([m.centre[k], *m.feet[k]]) for m, k in ((self, -1), (other, 0)))
        if ends.shape != begins.shape or np.abs(ends - begins).max() > 1e-6:
            raise InputError("other: expected moves that begin where these end")
        return Moves(
            np.concatenate([self.times, other.times[1:] - other.times[0] + self.times[-1]]),
            np.concatenate([self.centre, other.centre[1:]]),
            np.concatenate([self.feet, other.feet[1:]]),
            np.concatenate([self.stance[:-1], other.stance]),
        )


class Choreography(Stage):
    """Planning: plays Moves. Writes "stance", "com_goal", and "<foot>_goal" of every foot that has a task of its name.

    Before its first time everything is as at the first, and after its last as at the last, at rest.

    Attributes:
        moves: the timetable.
        follows: names of the tasks that it leads.
    """

    def __init__(
        self, controller: WholeBody, moves: Moves, *, com: str = "com", name: str = "choreography", every: int = 1
    ) -> None:
        """Set the timetable.

        Args:
            controller: whose tasks are led: one of the centre of mass, and a Position or Pose named after each foot
                that moves. A Pose keeps its orientation.
            moves: the timetable.
            com: name of the task of the centre of mass.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        if not isinstance(controller, WholeBody):
            raise InputError(f"controller: expected a WholeBody, got {type(controller).__name__}")
        if not isinstance(moves, Moves):
            raise InputError(f"moves: expected Moves, got {type(moves).__name__}")
        checks.indices("com", [com], list(controller.goals), "task")
        feet = [foot.name for foot in controller.robot.feet]
        if moves.stance.shape[1] != len(feet):
            many = moves.stance.shape[1]
            raise InputError(f"moves: expected those of {len(feet)} feet as {controller.robot.name} has, got {many}")
        led = [i for i, foot in enumerate(feet) if foot in controller.goals]
        for i in set(range(len(feet))) - set(led):
            if not moves.stance[:, i].all():
                raise InputError(f"moves: {feet[i]} shall lift, but the controller has no task of that name")
        self.moves = moves
        self.follows = (com, *(feet[i] for i in led))
        table = np.concatenate([moves.centre[:, None], moves.feet[:, led]], axis=1)
        rest = [controller.goals[feet[i]][9:] for i in led]
        super().__init__(
            name,
            "planning",
            writes=(*known(controller.robot, "stance"), *(goal_value(controller, task) for task in self.follows)),
            every=every,
            function=_choreography,
            params=np.concatenate(
                [
                    [len(moves.times), len(feet), len(self.follows)],
                    moves.times,
                    moves.stance.ravel(),
                    table.ravel(),
                    [0.0, *(len(tail) for tail in rest)],
                    *rest,
                ]
            ),
            kept=True,
        )


def _choreography(t, board, where, memory, params):
    """Params: rows, feet, led; times; stance; place, velocity, acceleration of all led; lengths of tails and tails."""
    rows, feet, led = int(params[0]), int(params[1]), int(params[2])
    stands = HEAD + rows
    table = stands + rows * feet
    tails = table + rows * led * 9
    row = 0
    while row < rows - 1 and t >= params[HEAD + row + 1]:
        row += 1
    for i in range(feet):
        board[where[0] + i] = params[stands + row * feet + i]
    rests = t < params[HEAD] or row == rows - 1
    span = 1.0 if rests else params[HEAD + row + 1] - params[HEAD + row]
    s = 0.0 if rests else (t - params[HEAD + row]) / span
    tail = tails + led
    for k in range(led):
        a, out = table + (row * led + k) * 9, where[1 + k]
        b = a if rests else a + led * 9
        for i in range(3):
            p, u, w = params[a + i], span * params[a + 3 + i], span * span * params[a + 6 + i]
            if rests:
                u, w = 0.0, 0.0
            u1, w1 = (0.0, 0.0) if rests else (span * params[b + 3 + i], span * span * params[b + 6 + i])
            d = params[b + i] - p
            c3 = 10.0 * d - 6.0 * u - 4.0 * u1 - 1.5 * w + 0.5 * w1
            c4 = -15.0 * d + 8.0 * u + 7.0 * u1 + 1.5 * w - w1
            c5 = 6.0 * d - 3.0 * (u + u1) - 0.5 * w + 0.5 * w1
            board[out + i] = p + s * (u + s * (0.5 * w + s * (c3 + s * (c4 + s * c5))))
            board[out + 3 + i] = (u + s * (w + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / span
            board[out + 6 + i] = (w + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (span * span)
        size = int(params[tails + k])
        for i in range(size):
            board[out + 9 + i] = params[tail + i]
        tail += size
    return 0
