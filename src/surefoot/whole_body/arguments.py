"""Arguments of a whole-body controller, checked, and as kernels see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import task_rows
from surefoot.robots.scene import Scene
from surefoot.whole_body.tasks import Acceleration, CentreOfMass, Orientation, Posture, Task

Array = NDArray[np.float64]


def standing(com: float = 50.0, base: float = 100.0, posture: float = 50.0) -> list[Task]:
    """Tasks that keep a robot where it is: centre of mass, base orientation, posture; the arguments are their kp."""
    return [
        CentreOfMass(name="com", kp=com),
        Orientation(name="base", kp=base, weight=0.3),
        Posture(name="posture", kp=posture, weight=1e-6),
        Acceleration(name="still", weight=1e-8),
    ]


def named_tasks(tasks: Any) -> dict[str, Task]:
    """Tasks by name."""
    if isinstance(tasks, Task) or not isinstance(tasks, Sequence):
        raise InputError(f"tasks: expected a list of tasks, got {type(tasks).__name__}")
    found: dict[str, Task] = {}
    for task in tasks:
        if not isinstance(task, Task):
            raise InputError(f"tasks: expected tasks, got {type(task).__name__} among them")
        if task.title() in found:
            raise InputError(f"tasks: two are called {task.title()!r}; give each a name of its own")
        if isinstance(task.level, bool) or not isinstance(task.level, int) or task.level < 0:
            raise InputError(f"{task.title()}: level: expected a whole number of at least 0, got {task.level!r}")
        found[task.title()] = task
    if not found:
        raise InputError("tasks: expected at least one, got none")
    return found


def task_table(entries: list, levels: list[int]) -> task_rows.Tasks:
    """All tasks as kernels see them."""
    sizes = [len(entry.weight) for _, entry in entries]
    lengths = [entry.length for _, entry in entries]

    def joined(name: str, dtype: Any = np.float64) -> NDArray:
        return np.concatenate([getattr(entry, name) for _, entry in entries]).astype(dtype)

    def each(values: list) -> NDArray:
        return np.array(values, dtype=np.int64)

    return task_rows.Tasks(
        kind=each([entry.kind for _, entry in entries]),
        level=each([levels.index(task.level) for task, _ in entries]),
        body=each([entry.body for _, entry in entries]),
        place=np.array([entry.place for _, entry in entries]),
        row=each([0, *np.cumsum(sizes)]),
        goal=each([0, *np.cumsum(lengths)[:-1]]),
        weight=joined("weight"),
        kp=joined("kp"),
        kd=joined("kd"),
        dof=joined("dof", np.int64),
        address=joined("address", np.int64),
        numbers=np.zeros(sum(lengths)),
    )


def goal_views(tasks: dict[str, Task], robot: Scene, made: task_rows.Tasks) -> dict[str, Array]:
    """References of each task by name, as views to write to."""
    goals, at = {}, 0
    for name, task in tasks.items():
        length = sum(entry.length for entry in task.entries(robot))
        goals[name] = made.numbers[at : at + length]
        at += length
    return goals


def edge_count(edges: Any) -> int:
    """Edges of a friction pyramid."""
    number = checks.number("edges", edges, at_least=3, at_most=64)
    if number != int(number):
        raise InputError(f"edges: expected a whole number, got {edges!r}")
    return int(number)


def force_weights(values: Any) -> Array:
    """Weights of normal and tangential forces."""
    pair = checks.array("force_weight", [values, values] if np.ndim(values) == 0 else values, (2,))
    for value in pair:
        checks.number("force_weight", value, at_least=0.0)
    return pair


def largest_force(most: Any, least: float) -> float:
    """Largest normal force in N."""
    number = float(most) if most == np.inf else checks.number("most_force", most, above=0.0)
    if number < least:
        raise InputError(f"most_force: expected at least least_force = {least:g} N, got {number:g}")
    return number


def speed_limits_of(robot: Scene, limits: Any) -> Array:
    """(joints,) rad/s."""
    n = len(robot.joints)
    if limits is None:
        return np.full(n, np.inf)
    shape = () if checks.dimensions("speed_limits", limits) == 0 else (n,)
    values = np.broadcast_to(checks.array("speed_limits", limits, shape, finite=False), n).copy()
    for joint, value in zip(robot.joints, values, strict=True):
        if not value > 0.0:
            raise InputError(f"speed_limits[{joint!r}]: expected a positive number, got {value:g}")
    return values


def joint_ranges_of(robot: Scene, wanted: bool) -> Array:
    """(joints, 2) rad; infinite without a range."""
    ranges = np.tile([-np.inf, np.inf], (len(robot.joints), 1))
    for i, name in enumerate(robot.joints):
        joint = robot.model.joint(name).id
        if wanted and robot.model.jnt_limited[joint]:
            ranges[i] = robot.model.jnt_range[joint]
    return ranges


def distances_apart(robot: Scene, apart: Any) -> tuple[NDArray[np.int64], Array]:
    """Pairs of geoms (p, 2) and their least distances (p,) in m."""
    if not apart:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0)
    if not isinstance(apart, Mapping):
        raise InputError(f"apart: expected a dict of distances by pairs of geom names, got {type(apart).__name__}")
    names = [robot.model.geom(i).name for i in range(robot.model.ngeom)]
    pairs, least = [], []
    for pair, value in apart.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise InputError(f"apart: expected pairs of names of different geoms, got {pair!r}")
        pairs.append(checks.indices("apart", list(pair), names, "geom"))
        least.append(checks.number(f"apart[{pair!r}]", value))
    return np.array(pairs, dtype=np.int64), np.array(least)
