"""Read a contact system from TOML: as matrices, as planar bodies, or as a robot; see docs/modes.md for the keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes.bodies import Body, Hinge, Push, Touch
from surefoot.modes.linear import Linear
from surefoot.modes.planar import GRAVITY, planar
from surefoot.modes.system import ContactSystem

FOLDER = Path(__file__).parent / "examples"
EXAMPLES = tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))
"""Names of the bundled systems."""

_ANY = ("about", "friction", "torque_limits", "threshold", "physical", "task")
KEYS = {
    "matrices": (
        *_ANY, "inertia", "bias", "jacobian", "jacobian_rate", "inputs", "velocity", "edges", "names", "torque_names",
        "coordinates",
    ),
    "bodies": (*_ANY, "gravity", "body", "hinge", "contact", "push"),
    "robot": (*_ANY, "robot", "q", "v", "contacts", "actuated", "edges"),
    "body": ("name", "mass", "inertia", "rod", "box", "disc", "position", "degrees", "velocity"),
    "hinge": ("name", "carrier", "body", "at", "on", "rate", "motor"),
    "contact": ("name", "body", "against", "at", "on", "normal", "friction", "radius"),
    "push": ("name", "body", "at", "on", "direction", "moment"),
    "physical": ("name", "acceleration", "force", "torque", "equals", "at_least"),
    "task": ("name", "acceleration", "force", "torque", "equals", "at_least"),
}  # fmt: skip
"""Keys of a file by the form it has, and of the tables in it."""


def load(system: str | Path) -> ContactSystem:
    """A contact system from a TOML file.

    Args:
        system: path of the file, or the name of a bundled example, one of `EXAMPLES`.

    Raises:
        InputError: the file cannot be read, or a key or value is not what it should be; the text names both.
    """
    file = find(system)
    content = checks.toml(file)
    form = _form(file, content)
    with checks.told(f"{file}: "):
        checks.indices("this file", content, KEYS[form], "key")
        if not isinstance(content.get("about", ""), str):
            raise InputError(f"about: expected a text, got {content['about']!r}")
        rest = {key: value for key, value in content.items() if key not in ("about", "physical", "task")}
        rest |= {key: _constraints(key, content) for key in ("physical", "task") if key in content}
        return {"matrices": _matrices, "bodies": _bodies, "robot": _robot}[form](file, rest)


def find(system: str | Path) -> Path:
    """The file that a path or the name of an example means; it need not exist."""
    if not isinstance(system, str | os.PathLike):
        raise InputError(f"system: expected a file name or the name of an example, got {system!r}")
    if str(system) in EXAMPLES:
        return FOLDER / f"{system}.toml"
    file = Path(system)
    if file.suffix != ".toml" and not file.exists():
        checks.indices("system", [str(system)], EXAMPLES, "file or example")
    return file


def about(system: str | Path) -> str:
    """What a file says of itself in its key `about`; empty if nothing."""
    return str(checks.toml(find(system)).get("about", ""))


def _form(file: Path, content: dict[str, Any]) -> str:
    """Whether a file gives matrices, bodies or a robot."""
    for key, form in (("robot", "robot"), ("body", "bodies"), ("inertia", "matrices")):
        if key in content:
            return form
    raise InputError(
        f"{file}: expected a system, got none: give matrices (inertia, bias, jacobian, friction), planar bodies"
        " ([[body]], [[contact]]) or a robot"
    )


def _matrices(_: Path, content: dict[str, Any]) -> ContactSystem:
    missing = [key for key in ("bias", "jacobian", "friction") if key not in content]
    if missing:
        raise InputError(f"{missing[0]}: expected beside inertia, got none")
    inertia = checks.array("inertia", content.pop("inertia"), (None, None))
    for key in {"names", "torque_names", "coordinates"} & set(content):
        content[key] = _texts(key, content[key])
    if content.get("inputs") == []:
        content["inputs"] = np.zeros((len(inertia), 0))
    return ContactSystem(inertia, **content)


def _robot(file: Path, content: dict[str, Any]) -> ContactSystem:
    name = content.pop("robot")
    if not isinstance(name, str):
        raise InputError(f"robot: expected a bundled name or a path, got {name!r}")
    from surefoot.modes.of import of  # loads the engine, which the other forms do not need
    from surefoot.robots.families import FAMILIES
    from surefoot.robots.load import EXAMPLE
    from surefoot.robots.load import load as load_robot

    robot = load_robot(name if name in FAMILIES or name.startswith(EXAMPLE) else file.parent / name)
    home = robot.home()
    state = robot.state(content.pop("q", home.q), content.pop("v", home.v))
    for key in {"contacts", "actuated"} & set(content):
        content[key] = list(_texts(key, content[key]))
    return of(robot, state, **content)


def _bodies(_: Path, content: dict[str, Any]) -> ContactSystem:
    tables = {key: _tables(key, content.pop(key, [])) for key in ("body", "hinge", "contact", "push")}
    gravity = content.pop("gravity", GRAVITY)
    if "friction" in content:
        friction = checks.friction("friction", content.pop("friction"))
        tables["contact"] = [{"friction": friction} | table for table in tables["contact"]]
    frames = {}
    bodies = []
    for i, table in enumerate(tables["body"]):
        with checks.told(f"{_named('body', i, table)}: "):
            bodies.append(_body(_named("body", i, table), table))
            frames[bodies[-1].name] = _Frame(table, bodies[-1].position)
    hinges, contacts, pushes = (
        [_part(key, i, table, frames) for i, table in enumerate(tables[key])] for key in ("hinge", "contact", "push")
    )
    return planar(bodies, contacts, hinges=hinges, pushes=pushes, gravity=gravity, **content)


def _body(name: str, table: dict[str, Any]) -> Body:
    _needs(table, "mass", "position")
    mass = checks.number("mass", table["mass"], above=0.0)
    shapes = [key for key in ("inertia", "rod", "box", "disc") if key in table]
    if len(shapes) != 1:
        got = " and ".join(shapes) or "none"
        raise InputError(f"expected one of inertia (kg m^2), rod (length), box (sides) or disc (radius), got {got}")
    if shapes == ["box"]:
        inertia = mass * float(np.sum(checks.array("box", table["box"], (2,)) ** 2)) / 12
    else:
        number = checks.number(shapes[0], table[shapes[0]], above=0.0)
        inertia = {"inertia": number, "rod": mass * number * number / 12, "disc": mass * number * number / 2}[shapes[0]]
    position = checks.array("position", table["position"], (2,))
    checks.number("degrees", table.get("degrees", 0.0))
    return Body(name, mass, inertia, position, table.get("velocity"))


class _Frame:
    """Where the points of a body are.

    Attributes:
        position: (2,) of the mass centre in m.
        turn: (2, 2) from the body's axes to those of the world.
        disc: radius in m; None: it is no disc.
    """

    def __init__(self, table: dict[str, Any], position: Any) -> None:
        angle = np.radians(table.get("degrees", 0.0))
        self.position, self.disc = position, table.get("disc")
        self.turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _part(kind: str, i: int, table: dict[str, Any], frames: dict[str, _Frame]) -> Any:
    """A hinge, contact or push from its table."""
    name = _named(kind, i, table)
    with checks.told(f"{name}: "):
        table = {"body": next(iter(frames))} | table if len(frames) == 1 else table
        _needs(table, "body")
        checks.indices("body", [table["body"]], list(frames), "body")
        frame = frames[table["body"]]
        if kind == "contact":
            _needs(table, "friction")
            disc = {} if frame.disc is None else {"radius": frame.disc}
            table = {"normal": [0.0, 1.0]} | disc | table
        values = {key: value for key, value in table.items() if key not in ("name", "at", "on")}
        at = _place(table, frame)
        if kind == "hinge":
            _needs(table, "carrier")
            if not isinstance(table.get("motor", True), bool):
                raise InputError(f"motor: expected true or false, got {table['motor']!r}")
        elif kind == "push":
            moment = values.pop("moment", False)
            if not isinstance(moment, bool) or moment == ("direction" in values):
                raise InputError("expected a direction, or moment = true, and not both")
            return Push(name, at=at, **values)
        if at is None:
            raise InputError("expected where it is: at, in the world, or on, in the axes of the body; got none")
        return {"hinge": Hinge, "contact": Touch}[kind](name, at=at, **values)


def _place(table: dict[str, Any], frame: _Frame) -> Any:
    """(2,) where a part is in m; a disc that touches need not say. None: it does not say."""
    if "at" in table and "on" in table:
        raise InputError("at, on: expected one of them, got both")
    if "on" in table:
        return frame.position + frame.turn @ checks.array("on", table["on"], (2,))
    if "at" in table:
        return checks.array("at", table["at"], (2,))
    if frame.disc is not None and "normal" in table:
        normal = checks.array("normal", table["normal"], (2,))
        return frame.position - frame.disc * normal / max(float(np.linalg.norm(normal)), 1e-300)
    return None


def _constraints(key: str, content: dict[str, Any]) -> tuple[Linear, ...]:
    found = []
    for i, table in enumerate(_tables(key, content[key])):
        with checks.told(f"{_named(key, i, table)}: "):
            found.append(Linear(**{"name": _named(key, i, table)} | table))
    return tuple(found)


def _tables(kind: str, value: Any) -> list[dict[str, Any]]:
    """An array of tables with no key that has no meaning."""
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise InputError(f"{kind}: expected tables, each under [[{kind}]], got {value!r}")
    for i, table in enumerate(value):
        checks.indices(_named(kind, i, table), table, KEYS[kind], "key")
    return value


def _named(kind: str, i: int, table: dict[str, Any]) -> str:
    name = table.get("name", f"{kind} {i + 1}")
    if not isinstance(name, str) or not name:
        raise InputError(f"{kind} {i + 1}: name: expected a text, got {name!r}")
    return name


def _needs(table: dict[str, Any], *keys: str) -> None:
    for key in keys:
        if key not in table:
            raise InputError(f"expected {key}, got none")


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{key}: expected a list of texts, got {value!r}")
    return tuple(value)
