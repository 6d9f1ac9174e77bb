"""A study in a TOML file: any robot from an MJCF or URDF, what may change about it, and what it shall do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surefoot import checks
from surefoot.design.course import GaitTask, HandTask, Task
from surefoot.design.morphology import Parameter
from surefoot.design.motors import Motor, as_motor
from surefoot.design.studies import Study
from surefoot.errors import InputError
from surefoot.gait import Gait
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import load

KEYS = ("robot", "feet", "floating", "task", "motors", "choices", "parameter", "note")
TASKS = {
    "gait": ("gait", "period", "duty", "step_height", "length", "width", "height", "relative", "left", "turn", "dt"),
    "hand": ("part", "points", "duration", "dt"),
}
SPEEDS = ("speed", "first", "step")


def read_study(path: str | Path) -> Study:
    """Read a study; see docs/design.md for its keys.

    Args:
        path: of the file; a robot's path in it is relative to its folder.

    Raises:
        InputError: a key or a value is not what it should be; the text names both.
    """
    file = Path(path)
    found = checks.toml(file)
    with checks.told(f"{file.name}: "):
        _only(found, KEYS, "")
        task = _table(found, "task")
        robot = found.get("robot")
        if not isinstance(robot, str):
            raise InputError(f"robot: expected a bundled name or the path of a robot's file, got {robot!r}")
        parameters = found.get("parameter", [])
        if not isinstance(parameters, list) or not parameters:
            raise InputError("parameter: expected one or more [[parameter]] tables, got none")
        return Study(
            file.stem,
            _robot(robot, file.parent, found),
            tuple(_parameter(number, one) for number, one in enumerate(parameters, 1)),
            {pattern: _motor(pattern, value) for pattern, value in _table(found, "motors").items()},
            _task(task),
            checks.number("task.speed", task.get("speed", 1.0), above=0.0),
            first=checks.number("task.first", task.get("first", task.get("speed", 1.0)), above=0.0),
            step=checks.number("task.step", task.get("step", 0.1), above=0.0),
            choices=_choices(_table(found, "choices")),
            note=str(found.get("note", "")),
        )


def _robot(robot: str, folder: Path, found: dict[str, Any]) -> Any:
    if robot in FAMILIES:
        return robot
    place = robot if robot.startswith("example:") else str(folder / robot)
    options = {key: found[key] for key in ("feet", "floating") if key in found}
    return load(place, **options)


def _task(task: dict[str, Any]) -> Task:
    kind = "hand" if "part" in task else "gait"
    _only(task, (*TASKS[kind], *SPEEDS), "task.")
    given = {key: value for key, value in task.items() if key not in SPEEDS}
    if kind == "hand":
        for key in ("points", "duration"):
            if key not in given:
                raise InputError(f"task.{key}: expected it beside task.part, got none")
        return HandTask(**given)
    steps = {key: given.pop(key) for key in ("period", "duty", "step_height") if key in given}
    name = given.pop("gait", "trot")
    gait = Gait.named(name, **steps) if isinstance(name, str) else Gait(tuple(name), **steps)
    return GaitTask(gait, **given)


def _parameter(number: int, given: Any) -> Parameter:
    what = f"parameter {number}"
    if not isinstance(given, dict):
        raise InputError(f"{what}: expected a table, got {given!r}")
    _only(given, ("name", "targets", "low", "high", "weight", "factor"), f"{what}: ")
    for key in ("name", "targets", "low", "high"):
        if key not in given:
            raise InputError(f"{what}: expected {key!r}, got {', '.join(given) or 'nothing'}")
    return Parameter(**given)


def _motor(pattern: str, value: Any) -> Motor:
    if isinstance(value, dict):
        _only(value, ("torque", "speed", "mass"), f"motors.{pattern}.")
        if not {"torque", "speed"} <= set(value):
            raise InputError(f"motors.{pattern}: expected torque and speed, got {', '.join(value) or 'nothing'}")
        return Motor(f"motor of {pattern}", **value)
    return as_motor(f"motors.{pattern}", value)


def _choices(found: dict[str, Any]) -> dict[str, list[str]]:
    for pattern, names in found.items():
        if not isinstance(names, list):
            raise InputError(f"choices.{pattern}: expected a list of motors, got {names!r}")
        for name in names:
            as_motor(f"choices.{pattern}", name)
    return found


def _table(found: dict[str, Any], key: str) -> dict[str, Any]:
    value = found.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f"{key}: expected a table, got {value!r}")
    return value


def _only(given: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in keys:
            raise InputError(f"{where}{key}: no such key; expected one of {', '.join(keys)}")
