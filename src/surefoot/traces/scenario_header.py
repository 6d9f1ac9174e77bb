"""What a run's folder says of its scenario: plain numbers and texts, from which it is known again."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.traces.distribution_tables import to_table
from surefoot.traces.user_file import UserFunction, UserWitness

if TYPE_CHECKING:
    from surefoot.traces.scenario import Scenario

SETUP = (
    "terrain", "objects", "joints", "law", "restitution", "pushes", "faults", "start", "telemetry_dt",
    "full_telemetry", "policies", "requirements", "objective",
)  # fmt: skip
"""Fields that are told as Python writes them."""


def header(scenario: Scenario) -> dict[str, Any]:
    """All that a run depends on, as far as it can be told.

    Of functions of the user's own it has the names, and a digest of the file if a scenario's file names that; of the
    robot, its ground and its objects a digest of all their numbers, since a file may change and keep its name.
    """
    return {
        "scenario": scenario.name,
        "title": scenario.title,
        "source": scenario.source,
        "code": _code(scenario),
        "duration": scenario.duration,
        "dt": scenario.dt,
        "policies": list(scenario.policies),
        "requirements": [witness.name for witness in scenario.requirements],
        "objective": [witness.name for witness in scenario.objective],
        "setup": {"robot": _robot(scenario.robot), **{name: _told(getattr(scenario, name)) for name in SETUP}},
        "parameters": [
            {"name": p.name, "distribution": to_table(p.distribution), "nominal": _plain(p.nominal)}
            for p in scenario.parameters()
        ],
        "model": _model(scenario),
    }


def _code(scenario: Scenario) -> dict[str, str]:
    """Digest of the user's own files by name, so that a run is not gone on with after a change."""
    functions = [getattr(given, "function", given) for given in (*scenario.requirements, *scenario.objective)]
    found = [each for each in (*scenario.policies.values(), *functions) if isinstance(each, UserFunction)]
    return {Path(each.path).name: each.digest() for each in found}


def _model(scenario: Scenario) -> str:
    """Digest of all numbers of the nominal scene as MuJoCo has compiled it, and of how it starts."""
    scene = scenario.nominal()
    found = blake2b(scene.home().q.tobytes(), digest_size=8)
    for name in sorted(dir(scene.model)):
        numbers = None if name.startswith("_") else getattr(scene.model, name)
        if isinstance(numbers, np.ndarray):
            found.update(name.encode())
            found.update(numbers.tobytes())
    return found.hexdigest()


def _robot(robot: Any) -> Any:
    return _told(Path(robot) if isinstance(robot, str) else robot)


def _told(value: Any) -> Any:
    """As Python writes it, without folders and addresses, which differ from machine to machine."""
    if isinstance(value, dict):
        return {str(name): _told(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_told(each) for each in value]
    if isinstance(value, Path | UserFunction | UserWitness):
        return value.name
    if value is None or isinstance(value, str | int | float):
        return value
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else str(value)
