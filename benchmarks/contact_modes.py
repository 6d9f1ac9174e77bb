"""The search of contact modes, and the oracle that judges it: all combinations, each by linear programs of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from tests.modes.brute_force import Judged, brute_force, disagreements, existing, largest
from tests.modes.conditions import Plain, Table, missed, mode_name, mode_tokens, modes, tokens
from tests.modes.random_systems import planar, some_torque

from benchmarks.batches import CORES
from benchmarks.harness import Laps, Method, Problem, Setting, Task, Verdict

LOOKS = 400
"""Combinations that are judged, and modes whose point is checked, where there are too many for all."""
LAW = "Coulomb's law, accelerations and forces of every mode"


@dataclass(frozen=True)
class Batch:
    """Random planar systems `first` to `last` - 1 of a seed."""

    seed: int
    first: int
    last: int

    def samples(self) -> list[Any]:
        """Plain arrays of each."""
        return [planar(self.seed, index) for index in range(self.first, self.last)]


@dataclass(frozen=True)
class One:
    """One system.

    Attributes:
        plain: its arrays, as the oracle reads them.
        system: the `ContactSystem`.
        full: whether brute force can judge all of its combinations in reasonable time.
    """

    plain: Any
    system: Any
    full: bool


def search() -> Method:
    """`ContactSystem.response()`."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        if isinstance(problem.data, Batch):
            systems = [sample.system() for sample in problem.data.samples()]
            return Task(lambda: _one_by_one(systems), lambda answers: judge_batch(problem.data, answers))
        return Task(problem.data.system.response, lambda answer: judge_one(problem, _points(answer)))

    note = "Timed: `system.response()`, which finds every mode; domains are computed when they are asked for"
    return Method("surefoot-modes", LAW, prepare, ours=True, note=note)


def programs(size: str) -> Method:
    """Brute force as one would write it with SciPy: one program a combination."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        return Task(lambda: every_mode(problem.data.plain), lambda found: judge_one(problem, found))

    note = "Timed: one `scipy.optimize.linprog` (HiGHS) a combination, rows of each token written beforehand"
    return Method("scipy-linprog", LAW, prepare, note=note, sizes=[size])


def every_mode(plain: Any) -> dict[str, np.ndarray]:
    """(qdd, f, tau) of each mode that exists, by name."""
    arrays, found = Plain(plain), {}
    table = Table(arrays)
    for mode in modes(arrays):
        for equal, closed, strict in table.demands(mode):
            weights = np.repeat([0.0, 1.0], [len(closed), len(strict)])
            best = largest(equal, np.vstack([closed, strict]), weights)
            if best is not None and best[-1] > 1e-9:
                found[mode_name(arrays, mode)] = best[:-1]
    return found


def _one_by_one(systems: Sequence[Any]) -> Laps:
    """The responses, each timed for itself."""
    seconds, answers = [], []
    for system in systems:
        start = time.perf_counter_ns()
        answers.append(system.response())
        seconds.append((time.perf_counter_ns() - start) * 1e-9)
    return Laps(seconds, answers)


def _points(response: Any) -> dict[str, np.ndarray]:
    """(qdd, f, tau) of each mode, by name; of a great many modes a few hundred have one, the others None."""
    stride = max(1, len(response.modes) // LOOKS)
    points = {}
    for i, mode in enumerate(response.modes):
        points[mode.name] = None
        if i % stride == 0:
            torque, qdd, force = mode.point
            points[mode.name] = np.concatenate([qdd, force, torque])
    return points


def _worst(plain: Any, points: Iterable[tuple[str, np.ndarray | None]]) -> float:
    """The largest violation of a mode's demands by its own point, relative to the size of its numbers."""
    arrays = Plain(plain)
    table = Table(arrays)
    return max(
        (
            missed(table, mode_tokens(arrays, name), x) / max(1.0, np.abs(x).max(initial=0.0))
            for name, x in points
            if x is not None
        ),
        default=0.0,
    )


def judge_batch(batch: Batch, responses: Sequence[Any]) -> Verdict:
    """Every system of a batch: its modes, and its answers at one torque, beside the oracle's."""
    names = ("systems", "combinations", "considered", "modes", "listed apart", "disagreements", "answers at a torque")
    counts: dict[str, int] = dict.fromkeys(names, 0)
    worst = 0.0
    for sample, response, (torque, free, fixed) in zip(batch.samples(), responses, oracle(batch), strict=True):
        points = _points(response)
        answers = list(response.solutions(torque))
        held = [(s.mode, np.concatenate([s.acceleration, s.force, torque])) for s in answers]
        worst = max(worst, _worst(sample, [*points.items(), *held]))
        wrong = [*disagreements(points, free), *disagreements([s.mode for s in answers], fixed)]
        apart = [existing(judged)[1] for judged in (free, fixed)]
        counted = (
            1,
            4**sample.contacts,
            len(free),
            len(points),
            sum(map(len, apart)),
            sum(map(len, wrong)),
            len(answers),
        )
        for name, count in zip(names, counted, strict=True):
            counts[name] += count
    return Verdict(True, worst if not counts["disagreements"] else np.inf, counts)


@lru_cache(maxsize=2)
def oracle(batch: Batch) -> list[tuple[np.ndarray, dict[str, Judged], dict[str, Judged]]]:
    """Of each system a torque, and what brute force says of every mode: at any torque, and at this one."""
    indices = range(batch.first, batch.last)
    with ProcessPoolExecutor(CORES, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(_judged, [batch.seed] * len(indices), indices, chunksize=5))


def _judged(seed: int, index: int) -> tuple[np.ndarray, dict[str, Judged], dict[str, Judged]]:
    sample = planar(seed, index)
    torque = some_torque(np.random.default_rng([seed, index, 1]), sample)
    return torque, brute_force(sample), brute_force(sample, torque)


def judge_one(problem: Problem, points: dict[str, np.ndarray]) -> Verdict:
    """One system: beside the oracle in full, or at a few hundred combinations."""
    one: One = problem.data
    judged = _every(problem.name, one) if one.full else brute_force(one.plain, names=_some(one.plain, points))
    wrong = sum(map(len, disagreements(points.keys() & judged.keys(), judged)))
    worst = _worst(one.plain, points.items())
    combinations = int(np.prod([len(choice) for choice in tokens(Plain(one.plain))], dtype=object))
    counts = {
        "combinations": combinations,
        "judged": len(judged),
        "modes": len(points),
        "listed apart": len(existing(judged)[1]),
        "disagreements": wrong,
    }
    return Verdict(True, worst if not wrong else np.inf, counts)


_KEPT: dict[str, dict[str, Judged]] = {}


def _every(name: str, one: One) -> dict[str, Judged]:
    """Brute force of a problem, once for all methods."""
    if name not in _KEPT:
        _KEPT[name] = brute_force(one.plain)
    return _KEPT[name]


def _some(plain: Any, points: dict[str, np.ndarray]) -> list[str]:
    """Combinations to look at: some drawn at random, some that differ from a mode found in one contact only."""
    rng = np.random.default_rng(len(points))
    arrays = Plain(plain)
    choices = tokens(arrays)
    found = list(points)
    names = [mode_name(arrays, [str(rng.choice(choice)) for choice in choices]) for _ in range(LOOKS // 4)]
    for _ in range(LOOKS - len(names) if found else 0):
        mode = mode_tokens(arrays, found[int(rng.integers(len(found)))])
        i = int(rng.integers(len(mode)))
        mode[i] = str(rng.choice(choices[i]))
        names.append(mode_name(arrays, mode))
    return names
