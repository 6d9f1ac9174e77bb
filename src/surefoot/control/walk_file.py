"""Read a walk from TOML: which keys there are, and what is wrong with a file that has others."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.gait import GAITS, Gait
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import EXAMPLE

KEYS = {
    "": ("robot", "feet", "torque_limit", "gait", "stance", "command", "gains", "ground"),
    "gait": (
        "name", "touchdown", "duty", "period", "step_height", "overshoot", "redirect", "reach_speed", "stand",
    ),
    "stance": ("joints", "places"),
    "command": ("forward", "left", "turn", "ramp", "waypoints"),
    "gains": ("kp", "kd"),
    "ground": ("mu",),
}  # fmt: skip
"""Keys of a file by table; "" is the top of the file."""


def read_walk(path: str | Path) -> dict[str, Any]:
    """The arguments of `Walk` that a file gives.

    Args:
        path: of the TOML file.

    Raises:
        InputError: the file cannot be read, or a key or value is not what it should be; the text names both.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path: expected a file name, got {path!r}")
    file = Path(path)
    tables = _tables(file)
    top = tables[""]
    if "robot" not in top:
        raise InputError(f'{file}: expected a robot, such as robot = "my_robot.urdf", got none')
    found = {"robot": _told(file, "", _robot, file, top["robot"])}
    if "feet" in top:
        found["feet"] = _told(file, "", _feet, top["feet"])
    if "torque_limit" in top:
        found["torque_limits"] = _told(file, "", _by_joint, "torque_limit", top["torque_limit"], math.inf)
    if tables["gait"]:
        found["gait"] = _told(file, "gait", _gait, tables["gait"])
    if "joints" in tables["stance"]:
        found["joints"] = _told(file, "stance", _table, "joints", tables["stance"]["joints"])
    if "places" in tables["stance"]:
        found["places"] = _told(file, "stance", checks.array, "places", tables["stance"]["places"], (None, 3))
    for name, value in tables["command"].items():
        check, shape = (checks.array, ((None, 2),)) if name == "waypoints" else (checks.number, ())
        found[name] = _told(file, "command", check, name, value, *shape)
    for name, value in tables["gains"].items():
        found[name] = _told(file, "gains", _by_joint, name, value)
    if "mu" in tables["ground"]:
        found["mu"] = _told(file, "ground", checks.friction, "mu", tables["ground"]["mu"])
    return found


def _tables(file: Path) -> dict[str, dict[str, Any]]:
    """The tables of a file, with no key that has no meaning."""
    content = checks.toml(file)
    checks.indices(str(file), content, KEYS[""], "key")
    tables = {"": content}
    for name in KEYS:
        if not name:
            continue
        table = content.get(name, {})
        if not isinstance(table, dict):
            raise InputError(f"{file}: {name}: expected a table, [{name}], got {table!r}")
        checks.indices(f"{file}: [{name}]", table, KEYS[name], "key")
        tables[name] = table
    return tables


def _told(file: Path, table: str, check: Callable[..., Any], *values: Any) -> Any:
    """Result of a check whose error is to name the file and the table."""
    with checks.told(f"{file}: {f'[{table}] ' if table else ''}"):
        return check(*values)


def _robot(file: Path, robot: Any) -> str | Path:
    if not isinstance(robot, str):
        raise InputError(f"robot: expected a bundled name or a path, got {robot!r}")
    return robot if robot in FAMILIES or robot.startswith(EXAMPLE) else file.parent / robot


def _feet(feet: Any) -> Any:
    if isinstance(feet, dict):
        return _table("feet", feet)
    if isinstance(feet, list) and all(isinstance(name, str) for name in feet):
        return feet
    raise InputError(f"feet: expected a list of names or a table of sphere radii in m, got {feet!r}")


def _by_joint(name: str, value: Any, most: float | None = None) -> Any:
    """One number for all joints, or a table of them by joint; `most` itself may be infinite."""
    if isinstance(value, dict):
        return {key: _by_joint(f"{name}.{key}", number, most) for key, number in value.items()}
    return value if value == most else checks.number(name, value, at_least=0.0)


def _table(name: str, value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        raise InputError(f"{name}: expected a table of numbers by name, got {value!r}")
    return {key: checks.number(f"{name}.{key}", number) for key, number in value.items()}


def _gait(table: dict[str, Any]) -> Gait:
    numbers = dict(table)
    if "name" in table and "touchdown" in table:
        raise InputError("name, touchdown: expected one of them, got both")
    name = checks.choice("name", numbers.pop("name", "trot"), tuple(GAITS))
    touchdown = checks.array("touchdown", numbers.pop("touchdown", GAITS[name]), (None,))
    if not isinstance(numbers.get("stand", True), bool):
        raise InputError(f"stand: expected true or false, got {numbers['stand']!r}")
    return Gait(tuple(touchdown.tolist()), **numbers)
