"""Read a scenario from TOML; see docs/falsify.md for the keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.laws import LAWS
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import EXAMPLE, load
from surefoot.robots.objects import Ball, Box
from surefoot.robots.terrains import Curb, HeightMap, Plane, Slope
from surefoot.traces import policies, requirements
from surefoot.traces.bundled_uncertainty import BUNDLED
from surefoot.traces.distribution_tables import from_table as distribution
from surefoot.traces.distributions import Distribution
from surefoot.traces.disturbances import FAULTS, Fault, Push
from surefoot.traces.policies import from_table
from surefoot.traces.scenario import Scenario
from surefoot.traces.user_file import UserFunction, UserWitness

FOLDER = Path(__file__).parent / "bundled"
SCENARIOS = tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))
"""Names of the bundled scenarios."""

KEYS = (
    "title", "robot", "duration", "dt", "law", "restitution", "telemetry_dt", "particles", "terrain", "objects",
    "joints", "policies", "requirements", "objective", "uncertainty", "pushes", "faults",
)  # fmt: skip
"""Keys of a file."""

TERRAINS = {"plane": Plane, "slope": Slope, "curb": Curb, "height map": HeightMap}
OBJECTS = {"ball": Ball, "box": Box}
REQUIREMENTS = {
    "upright": requirements.Upright,
    "tilt": requirements.Tilt,
    "no body contact": requirements.NoBodyContact,
    "no strike": requirements.NoStrike,
    "no self-collision": requirements.NoSelfCollision,
    "torque-speed": requirements.TorqueSpeed,
    "joint range": requirements.JointRange,
    "workspace": requirements.Workspace,
    "feet beyond": requirements.FeetBeyond,
    "held": requirements.Held,
}
PYTHON = "python"
PARTICLES = 128


def load_scenario(scenario: str | os.PathLike[str]) -> Scenario:
    """A scenario from a TOML file.

    Args:
        scenario: path of the file, or the name of a bundled one, see `SCENARIOS`.

    Raises:
        InputError: the file cannot be read, or a key or value is not what it should be; the text names both.
    """
    return read(scenario)[0]


def read(scenario: str | os.PathLike[str]) -> tuple[Scenario, int]:
    """A scenario and the number of particles that its file proposes."""
    file = find(scenario)
    content = checks.toml(file)
    with checks.told(f"{file}: "):
        checks.indices("this file", content, KEYS, "key")
        for key in ("robot", "duration", "policies"):
            if key not in content:
                raise InputError(f"{key}: expected in every scenario, got none")
        robot, named = _robot(file, content["robot"]), _policies(file, content["policies"])
        made = Scenario(
            name=file.stem,
            robot=robot,
            policies=named,
            duration=checks.number("duration", content["duration"], above=0.0, at_most=1e6),
            dt=checks.number("dt", content.get("dt", 1e-3), above=0.0),
            telemetry_dt=checks.number("telemetry_dt", content.get("telemetry_dt", 0.02), above=0.0),
            law=checks.choice("law", content.get("law", "coulomb"), tuple(LAWS)),
            restitution=checks.number("restitution", content.get("restitution", 0.0), at_least=0.0, at_most=1.0),
            terrain=from_table(TERRAINS, "terrain", content["terrain"]) if "terrain" in content else "keep",
            objects=[
                from_table(OBJECTS, f"objects.{name}", table, name=name)
                for name, table in _table("objects", content.get("objects", {})).items()
            ],
            joints=_joints(content.get("joints"), named, robot),
            requirements=[_witness(file, "requirements", t) for t in _list("requirements", content)],
            objective=[_witness(file, "objective", t) for t in _list("objective", content)],
            uncertainty=_uncertainty(content.get("uncertainty", {})),
            pushes=[
                from_table({"push": Push}, f"pushes[{k}]", _kinded(table, "push"))
                for k, table in enumerate(_list("pushes", content))
            ],
            faults=[_fault(k, table) for k, table in enumerate(_list("faults", content))],
            title=_text("title", content.get("title", "")),
            source=file.read_text(encoding="utf-8"),
        )
        particles = checks.number("particles", content.get("particles", PARTICLES), at_least=1, at_most=1e9)
        if particles != int(particles):
            raise InputError(f"particles: expected a whole number, got {particles!r}")
        made.parameters()  # which says what is wrong with names and distributions
        return made, int(particles)


def find(scenario: str | os.PathLike[str]) -> Path:
    """The file that a path or the name of a bundled scenario means; it need not exist."""
    if not isinstance(scenario, str | os.PathLike):
        raise InputError(f"scenario: expected a file name or the name of a bundled scenario, got {scenario!r}")
    if str(scenario) in SCENARIOS:
        return FOLDER / f"{scenario}.toml"
    file = Path(scenario)
    if file.suffix != ".toml" and not file.exists():
        checks.indices("scenario", [str(scenario)], SCENARIOS, "file or bundled scenario")
    return file


def _robot(file: Path, robot: Any) -> str | Path:
    if not isinstance(robot, str):
        raise InputError(f"robot: expected a bundled name or a path, got {robot!r}")
    return robot if robot in FAMILIES or robot.startswith(EXAMPLE) else file.parent / robot


def _policies(file: Path, tables: Any) -> dict[str, Any]:
    named = {}
    for name, table in _table("policies", tables).items():
        where = f"policies.{name}"
        named[name] = _python(file, where, table) if _is_python(table) else from_table(policies.KINDS, where, table)
    return named


def _witness(file: Path, key: str, table: Any) -> Any:
    if _is_python(table):
        return UserWitness(_python(file, key, table))
    return from_table(REQUIREMENTS, key, table)


def _is_python(table: Any) -> bool:
    return isinstance(table, dict) and table.get("kind") == PYTHON


def _python(file: Path, where: str, table: dict[str, Any]) -> UserFunction:
    """What `function = "my_file.py:my_function"` means; the file lies beside the scenario's."""
    with checks.told(f"{where}: "):
        checks.indices(f"kind {PYTHON!r}", table, ("kind", "function"), "key")
        source, _, name = str(table.get("function", "")).partition(":")
        if not source.endswith(".py") or not name:
            raise InputError(f'expected function = "my_file.py:my_function", got {table.get("function")!r}')
        made = UserFunction(str((file.parent / source).resolve()), name)
        made.load()  # which says what is wrong with it
        return made


def _fault(k: int, table: Any) -> Fault:
    """A fault; its kind is one of its own fields."""
    with checks.told(f"faults[{k}]: "):
        if not isinstance(table, dict) or "kind" not in table:
            raise InputError(f"expected a table with a kind, one of {', '.join(map(repr, FAULTS))}, got {table!r}")
        return from_table({"fault": Fault}, f"faults[{k}]", _kinded(table, "fault"), kind=table["kind"])


def _kinded(table: Any, kind: str) -> Any:
    return {**table, "kind": kind} if isinstance(table, dict) else table


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
    first = next(iter(named.values()), None)
    if value is None and isinstance(first, policies.Steps):
        return first.joints(load(robot))
    if value is None:
        return None
    return {key: checks.number(f"joints.{key}", number) for key, number in _table("joints", value).items()}


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a text, got {value!r}")
    return value
