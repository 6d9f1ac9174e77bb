"""Designs put to the test as they will be built: which of them keep their limits on a course?

A scenario of `sf.falsify` whose policies are designs: all meet the same draws, so that they are compared in pairs.
"""

from __future__ import annotations

import fnmatch
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.design.beginning import beginning
from surefoot.design.improvement import Improvement
from surefoot.design.problem import Problem
from surefoot.design.rehearsal import rehearse
from surefoot.design.witnesses import measure
from surefoot.errors import InputError
from surefoot.traces import run_json
from surefoot.traces.distribution_tables import to_table
from surefoot.traces.distributions import Distribution, Normal
from surefoot.traces.draws import Draws
from surefoot.traces.fabricate import build
from surefoot.traces.falsify import falsify
from surefoot.traces.parameters import Uncertainty, values
from surefoot.traces.result import KNOWN, SUCCESS, Result
from surefoot.traces.run import Run
from surefoot.traces.witness import crossing

Array = NDArray[np.float64]
LENGTH, SIZE = 0.0025, 0.001  # m: those of [Zapolsky2017]'s files for limbs and base of its robot
SHARE = 0.05  # of densities (masses), and of lengths of robots from files: ours


def shapes(known: Mapping[str, Any]) -> dict[str, Distribution]:
    """Spread of a robot's lengths and masses, for whoever has not measured his own.

    Args:
        known: nominal values by name, see `Parts.names`.
    """
    family = any(name.endswith(".density") for name in known)
    found: dict[str, Distribution] = {
        "robot.*.length": Normal(LENGTH) if family else Normal(SHARE, factor=True, low=0.5, high=1.5),
        "robot.base.size.*": Normal(SIZE),
        "robot.*.density" if family else "robot.*.mass": Normal(SHARE, factor=True, low=0.5, high=1.5),
    }
    return {pattern: one for pattern, one in found.items() if fnmatch.filter(known, pattern)}


class AsBuilt:
    """Some designs of one problem, built many times.

    Example:
        scenario = sf.design.AsBuilt(problem, {"start": found.start, "improved": found.p}, speed=0.4)
        run = sf.falsify(scenario, particles=256)

    Attributes:
        policies: parameters (m,) by name of the design.
        speed: m/s (difficulty) of the task.
    """

    def __init__(
        self,
        problem: Problem,
        designs: Mapping[str, Any],
        speed: float,
        uncertainty: Mapping[str, Distribution] | None = None,
    ) -> None:
        """Put them together.

        Args:
            problem: what was designed; a crowd of its own is passed over.
            designs: parameters (m,) by name.
            speed: m/s (difficulty) of the task.
            uncertainty: distributions by name or pattern; None: `shapes`.
        """
        if not isinstance(problem, Problem):
            raise InputError(f"problem: expected a Problem, got {problem!r}")
        if not isinstance(designs, Mapping) or not designs:
            raise InputError(f"designs: expected parameters by name, got {designs!r}")
        self.problem, self.speed = problem, checks.number("speed", speed)
        self.policies = {str(name): problem.morphology.checked(p) for name, p in designs.items()}
        known = problem.morphology.parts.names
        self.uncertainty = Uncertainty(shapes(known) if uncertainty is None else uncertainty)

    def header(self) -> dict[str, Any]:
        """What the run's file tells of it."""
        morphology = self.problem.morphology
        return {
            "scenario": f"{morphology.parts.scene.name} as built, {self.speed:g} m/s",
            "title": "Designs as built: do they keep their limits?",
            "designs": {
                name: dict(zip(morphology.names, p.tolist(), strict=True)) for name, p in self.policies.items()
            },
            "requirements": [],
            "objective": [],
            "parameters": [
                {"name": one.name, "distribution": to_table(one.distribution), "nominal": one.nominal}
                for one in self.uncertainty.resolve(morphology.parts.names)
            ],
        }

    def values(self, particle: int, seed: int = 0, method: str = "random") -> dict[str, Any]:
        """Nothing is the same for all designs but the draws, which are about each design's own numbers."""
        return {}

    def trace(self, policy: str, particle: int, seed: int = 0, method: str = "random") -> Result:
        """One robot as built: its limits along the course.

        Args:
            policy: name of the design.
            particle: number; 0 is the robot as drawn.
            seed: of the draws.
            method: of the draws.
        """
        began = time.perf_counter()
        p = self.policies[policy]
        parts = self.problem.morphology.at(p)
        drawn = values(self.uncertainty.resolve(parts.names), particle, Draws(seed, method))
        scene = build(parts, drawn).scene
        task = self.problem.task
        course, feet = task.course(parts.scene, self.speed), task.parts(parts.scene)
        rehearsal = rehearse(scene, course, feet, self.problem.law, width=self.problem.width)
        names, found = measure(self.problem.witnesses, rehearsal)
        least = {name: float(column.min()) for name, column in zip(names, found.T, strict=True)}
        bad = np.flatnonzero((found < 0.0).any(axis=1))
        outcome, requirement, when = SUCCESS, "", float(rehearsal.t[-1])
        if len(bad):
            first = int(bad[0])
            column = int(found[first].argmin())
            outcome, requirement = KNOWN, names[column]
            when = crossing(rehearsal.t, found[:, column], first)
        return Result(
            policy, particle, outcome, requirement, when, values=drawn, margins=least,
            seconds=time.perf_counter() - began,
        )  # fmt: skip


def before_and_after(
    found: Improvement, particles: int, out: str | Path | None = None, progress: Any = None, **options: Any
) -> tuple[Run, Run]:
    """The robots at the start and at the end of an improvement, as built, at the highest speed that was reached.

    Args:
        found: an improvement.
        particles: of each; the same draws for both.
        out: folder in which the runs `before` and `after` are written; None: they are kept aside.
        progress: see `sf.falsify`.
        options: of `sf.falsify`, such as seed and workers.
    """
    speed = found.difficulty if np.isfinite(found.difficulty) else found.wanted
    runs = []
    for when, problem, p in (("before", beginning(found), found.start), ("after", found.problem, found.p)):
        scenario = AsBuilt(problem, {"rehearsal": p}, speed)
        folder = None if out is None else Path(out) / when
        if folder is not None and (folder / run_json.NAME).exists() and _is_other(folder, scenario, particles):
            shutil.rmtree(folder)  # of what the robot was before this improvement went on
        resume = folder is not None and folder.exists()
        runs.append(falsify(scenario, particles, out=folder, resume=resume, progress=progress, **options))
    return runs[0], runs[1]


def _is_other(folder: Path, scenario: AsBuilt, particles: int) -> bool:
    """Whether the run in a folder is of other designs, or of another number of robots."""
    known, wanted = run_json.read(folder), run_json.plain(scenario.header())
    return known["particles"] != particles or any(known.get(key) != value for key, value in wanted.items())
