"""A controller that keeps a robot in balance while it follows moves."""

from __future__ import annotations

from typing import Any

from surefoot.control.pipeline import Pipeline
from surefoot.robots.scene import Scene
from surefoot.whole_body.choreography import Choreography, Moves
from surefoot.whole_body.controller import WholeBody, standing
from surefoot.whole_body.moves import flat_feet
from surefoot.whole_body.stage import WholeBodyControl
from surefoot.whole_body.tasks import Pose, Position, Task

SETTLE = 2e-2  # s in which feet that shall stand come to rest


def balancer(robot: Scene, moves: Moves, dt: float, *, settle: float | None = None, **options: Any) -> Pipeline:
    """A pipeline of a `Choreography` and a `WholeBodyControl` that follows it.

    Feet that shall stand by the moves are held, also while a push lifts them by a hair.

    Args:
        robot: robot or scene that the controller believes in, with a floating base.
        moves: what to do, such as `squats(robot)`.
        dt: time between ticks in s.
        settle: time in s in which feet that shall stand come to rest; None: 20 ms, at least dt.
        options: of the `WholeBody`, such as mu, torque_limits, check.
    """
    tasks = options.pop("tasks", None) or [*standing(), *foot_tasks(robot, moves)]
    controller = WholeBody(robot, dt, tasks, settle=max(SETTLE, dt) if settle is None else settle, **options)
    plan = Choreography(controller, moves)
    return Pipeline(robot, dt, [plan, WholeBodyControl(controller, follows=plan.follows, contacts="stance")])


def foot_tasks(robot: Scene, moves: Moves, kp: float = 400.0, weight: float = 1e-2) -> list[Task]:
    """Tasks of the feet: the place of every round foot, place and orientation of a flat one if it is lifted.

    So a foot that a push has torn off the ground is brought back to where it stood. Weights are small: a round foot
    that stands rolls, and its middle leaves its goal while the base moves.
    """
    tasks: list[Task] = []
    for i, (foot, flat) in enumerate(zip(robot.feet, flat_feet(robot), strict=True)):
        if flat and moves.stance[:, i].all():
            continue
        kind = Pose if flat else Position
        tasks.append(kind(name=foot.name, body=foot.name, kp=kp, weight=weight))
    return tasks
