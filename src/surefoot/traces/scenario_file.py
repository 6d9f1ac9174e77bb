"""Read a scenario from TOML; see docs/falsify.md for the keys."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from surefoot import checks
from surefoot.errors import InputError, ModelError, SurefootError
from surefoot.laws import LAWS
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import EXAMPLE, load
from surefoot.robots.objects import Ball, Box
from surefoot.robots.terrains import Curb, HeightMap, Plane, Slope
from surefoot.traces import contact_requirements, requirements, run_json
from surefoot.traces.bundled_uncertainty import BUNDLED
from surefoot.traces.distribution_tables import from_table as distribution
from surefoot.traces.distributions import Distribution
from surefoot.traces.disturbances import FAULTS, Fault, Push
from surefoot.traces.falsify import MOST_PARTICLES
from surefoot.traces.policies import KINDS as POLICIES
from surefoot.traces.policies import Steps, from_table
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.scenario import Scenario
from surefoot.traces.user_file import UserFunction, UserWitness

FOLDER = Path(__file__).parent / "bundled"
SCENARIOS = tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))
"""Names of the bundled scenarios."""

KEYS = (
    "title", "robot", "duration", "dt", "law", "restitution", "telemetry_dt", "full_telemetry", "particles",
    "terrain", "objects", "joints", "policies", "requirements", "objective", "uncertainty", "pushes", "faults",
)  # fmt: skip
"""Keys of a file."""

TERRAINS = {"plane": Plane, "slope": Slope, "curb": Curb, "height map": HeightMap}
OBJECTS = {"ball": Ball, "box": Box}
REQUIREMENTS = {
    "upright": requirements.Upright,
    "tilt": requirements.Tilt,
    "no body contact": contact_requirements.NoBodyContact,
    "no strike": contact_requirements.NoStrike,
    "no self-collision": contact_requirements.NoSelfCollision,
    "torque-speed": requirements.TorqueSpeed,
    "joint range": requirements.JointRange,
    "workspace": requirements.Workspace,
    "feet beyond": requirements.FeetBeyond,
    "held": contact_requirements.Held,
}
PYTHON = "python"
PARTICLES = 128
MOST_BYTES = 1_000_000
LONGEST = 1000  # characters of an error's text


def load_scenario(scenario: str | os.PathLike[str]) -> Scenario:
    """A scenario from a TOML file.

    Args:
        scenario: path of the file, or the name of a bundled one, see `SCENARIOS`.

    Raises:
        InputError: the file cannot be read, or a key or value is not what it should be; the text names both.
    """
    return read(scenario)[0]


def read(scenario: str | os.PathLike[str]) -> tuple[Scenario, int]:
    """A scenario and the number of particles that its file proposes; nothing is run."""
    file = find(scenario)
    content = checks.toml(_regular(file))
    with _of_file(file):
        made, particles = _made(file, content, text(file))
        made.check()
        return made, particles


def of_run(folder: RunFolder) -> Scenario | None:
    """The scenario of a run, from what its folder tells; None if it was not made from a file alone.

    A scenario with functions of the user's own files is none: what lies in a folder is never run. One whose robot lies
    beside a file that is elsewhere is none either, nor is one that was changed after it was read.
    """
    header = folder.header
    try:
        content = tomllib.loads(header.get("source") or "")
        tables = [*_table("policies", content.get("policies")).values()]
        tables += [table for key in ("requirements", "objective") for table in _list(key, content)]
        if any(_is_python(table) for table in tables):
            return None
        made = _made(Path(f"{header['scenario']}.toml"), content, header["source"])[0]
        told = run_json.plain(made.header())
        return made if all(header.get(key, told[key]) == told[key] for key in told if key != "policies") else None
    except (SurefootError, ValueError, RecursionError):
        return None


def text(scenario: str | os.PathLike[str]) -> str:
    """The text of a scenario's file."""
    file = _regular(find(scenario))
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{file}: not readable as text: {error}") from None


def _made(file: Path, content: dict[str, Any], source: str) -> tuple[Scenario, int]:
    checks.indices("this file", content, KEYS, "key")
    for key in ("robot", "duration", "policies"):
        if key not in content:
            raise InputError(f"{key}: expected in every scenario, got none")
    particles = checks.whole("particles", content.get("particles", PARTICLES), at_least=1)
    checks.number("particles", particles, at_most=MOST_PARTICLES)
    robot, named = _robot(file, content["robot"]), _policies(file, content["policies"])
    made = Scenario(
        name=file.stem,
        robot=robot,
        policies=named,
        duration=checks.number("duration", content["duration"], above=0.0),
        dt=checks.number("dt", content.get("dt", 1e-3), above=0.0),
        telemetry_dt=checks.number("telemetry_dt", content.get("telemetry_dt", 0.02), above=0.0),
        full_telemetry=content.get("full_telemetry", ()),
        law=checks.choice("law", content.get("law", "coulomb"), tuple(LAWS)),
        restitution=checks.number("restitution", content.get("restitution", 0.0), at_least=0.0, at_most=1.0),
        terrain=from_table(TERRAINS, "terrain", content["terrain"]) if "terrain" in content else "keep",
        objects=[
            from_table(OBJECTS, f"objects.{_name('objects', name)}", table, name=name)
            for name, table in _table("objects", content.get("objects", {})).items()
        ],
        requirements=_witnesses(file, "requirements", content),
        objective=_witnesses(file, "objective", content),
        uncertainty=_uncertainty(content.get("uncertainty", {})),
        pushes=[
            from_table({"push": Push}, f"pushes[{k}]", _kinded(f"pushes[{k}]", table, "push"))
            for k, table in enumerate(_list("pushes", content))
        ],
        faults=[_fault(f"faults[{k}]", table) for k, table in enumerate(_list("faults", content))],
        joints=_joints(content.get("joints"), named, robot),
        title=_text("title", content.get("title", "")),
        source=source,
    )
    return made, particles


def find(scenario: str | os.PathLike[str]) -> Path:
    """The file that a path or the name of a bundled scenario means; it need not exist."""
    if not isinstance(scenario, str | os.PathLike):
        raise InputError(f"scenario: expected a file name or the name of a bundled scenario, got {scenario!r}")
    if str(scenario) in SCENARIOS:
        return FOLDER / f"{scenario}.toml"
    file = Path(scenario)
    if file.suffix != ".toml" and not os.path.exists(file):
        checks.indices("scenario", [str(scenario)], SCENARIOS, "file or bundled scenario")
    return file


def _regular(file: Path) -> Path:
    """Refuse what is no file, which reading might never end, and what is no scenario for its size."""
    if os.path.exists(file) and not file.is_file():
        raise InputError(f"{file}: expected a TOML file, got {'a folder' if file.is_dir() else 'no file of text'}")
    if file.is_file() and file.stat().st_size > MOST_BYTES:
        raise InputError(f"{file}: expected a TOML file of at most {MOST_BYTES} bytes, got {file.stat().st_size}")
    return file


@contextmanager
def _of_file(file: Path) -> Iterator[None]:
    """Begin errors with the file, and let each be one line."""
    try:
        yield
    except (InputError, ModelError) as error:
        told = " ".join(str(error).split())
        told = told if len(told) <= LONGEST else f"{told[:LONGEST]} ..."
        raise type(error)(f"{file}: {'robot: ' if isinstance(error, ModelError) else ''}{told}") from None
    except RecursionError:
        raise InputError(f"{file}: nested too deeply") from None
    except (ArithmeticError, ValueError, MemoryError) as error:  # numbers beyond all that anything can be built with
        raise InputError(f"{file}: cannot be built: {type(error).__name__}: {' '.join(str(error).split())}") from error


def _robot(file: Path, robot: Any) -> str | Path:
    if not isinstance(robot, str) or not robot:
        raise InputError(f"robot: expected a bundled name or a path, got {robot!r}")
    if robot in FAMILIES or robot.startswith(EXAMPLE):
        return robot
    path = file.parent / robot
    if not os.path.exists(path):
        checks.indices("robot", [robot], list(FAMILIES), "bundled robot, and no file beside this one,")
    if not path.is_file():
        raise InputError(f"robot: expected a file, got {robot!r}, which is {'a folder' if path.is_dir() else 'none'}")
    return path


def _policies(file: Path, tables: Any) -> dict[str, Any]:
    named = {}
    for name, table in _table("policies", tables).items():
        where = f"policies.{_name('policies', name)}"
        named[name] = (
            _python(file, where, table)
            if _is_python(table)
            else from_table(POLICIES | {PYTHON: UserFunction}, where, table)
        )
    if not named:
        raise InputError("policies: expected one or more, [policies.NAME], got none")
    return named


def _witnesses(file: Path, key: str, content: dict[str, Any]) -> list[Any]:
    made = []
    for k, table in enumerate(_list(key, content)):
        where = f"{key}[{k}]"
        if not _is_python(table):
            made.append(from_table(REQUIREMENTS | {PYTHON: UserFunction}, where, table))
            continue
        made.append(UserWitness(_python(file, where, table)))
        with checks.told(f"{where}: "):
            made[-1].load()  # which says what is wrong with it
    return made


def _is_python(table: Any) -> bool:
    return isinstance(table, dict) and table.get("kind") == PYTHON


def _python(file: Path, where: str, table: dict[str, Any]) -> UserFunction:
    """What `function = "my_file.py:my_function"` means; the file lies beside the scenario's."""
    with checks.told(f"{where}: "):
        checks.indices(f"kind {PYTHON!r}", table, ("kind", "function"), "key")
        source, _, name = str(table.get("function", "")).rpartition(":")
        if not source.endswith(".py") or not name or "\0" in source:
            raise InputError(f'expected function = "my_file.py:my_function", got {table.get("function")!r}')
        made = UserFunction(str((file.parent / source).resolve()), name)
        made.load()  # which says what is wrong with it
        return made


def _fault(where: str, table: Any) -> Fault:
    """A fault; its kind is one of its own fields."""
    if not isinstance(table, dict) or "kind" not in table:
        kinds = ", ".join(map(repr, FAULTS))
        raise InputError(f"{where}: expected a table with a kind, one of {kinds}, got {table!r}")
    return from_table({"fault": Fault}, where, {**table, "kind": "fault"}, kind=table["kind"])


def _kinded(where: str, table: Any, kind: str) -> Any:
    """A table of a list whose things are of one kind, which it need not name."""
    if not isinstance(table, dict):
        raise InputError(f"{where}: expected a table, got {table!r}")
    return {"kind": kind, **table}


def _uncertainty(table: Any) -> dict[str, Distribution]:
    """Distributions by name or pattern; the key `like` begins with those of a bundled robot."""
    result: dict[str, Distribution] = {}
    for name, value in _table("uncertainty", table).items():
        if name == "like":
            result |= BUNDLED[checks.choice("uncertainty.like", value, tuple(BUNDLED))]
        else:
            result[name] = distribution(f"uncertainty: {name!r}", value)
    return result


def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{name}: expected a table, [{name}], got {value!r}")
    return value


def _list(name: str, content: dict[str, Any]) -> list[Any]:
    value = content.get(name, [])
    if not isinstance(value, list):
        raise InputError(f"{name}: expected a list of tables, [[{name}]], got {value!r}")
    return value


def _joints(value: Any, named: dict[str, Any], robot: Any) -> dict[str, float] | None:
    """Joint positions by name; by default those in which the first policy stands, if it says."""
    name, first = next(iter(named.items()))
    if value is None and isinstance(first, Steps):
        with checks.told(f"policies.{name}: "):
            return first.joints(load(robot))
    if value is None:
        return None
    return {key: checks.number(f"joints.{key!r}", number) for key, number in _table("joints", value).items()}


def _name(key: str, name: str) -> str:
    if not name or not name.isprintable():
        raise InputError(f"{key}: expected names of one or more printable characters, got {name!r}")
    return name


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a text, got {value!r}")
    return value
