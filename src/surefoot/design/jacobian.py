"""How witnesses change with parameters: central differences with two steps, on all cores if there is much to do."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.design.problem import Look, Problem
from surefoot.design.witnesses import FAR, measure
from surefoot.errors import InputError

Array = NDArray[np.float64]
STEP = 3e-4  # of a parameter's range
SMOOTH = 1e-4  # relative: two steps that agree better than this see a smooth function


class Row(NamedTuple):
    """A witness at a sample, of a particle."""

    sample: int
    witness: int
    particle: int


@dataclass(frozen=True, eq=False)
class Jacobian:
    """Slopes of witnesses over parameters.

    Attributes:
        rows: what it was taken of.
        matrix: (rows, m) change of a witness by a unit of the parameter.
        disagreement: (rows,) largest difference to the matrix of a step of half the size, relative to the row's largest
            number.
    """

    rows: tuple[Row, ...]
    matrix: Array
    disagreement: Array

    def rough(self, names: Iterable[str]) -> tuple[str, ...]:
        """Names of the witnesses that are not smooth here: two steps disagree."""
        known = list(names)
        bad = np.flatnonzero(self.disagreement > SMOOTH)
        return tuple(dict.fromkeys(known[self.rows[int(i)].witness] for i in bad))


class Crew:
    """Processes that look at designs; with one worker it is this process. Use it as a context.

    A process that dies costs nothing but time: what it had is done here.
    """

    def __init__(self, workers: int = 1) -> None:
        """Set their number; they start when first needed."""
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def map(self, function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
        """Results of a function of each job, in their order."""
        if self.workers <= 1 or len(jobs) < 2:
            return [function(*job) for job in jobs]
        if self._pool is None:
            _check_travels(jobs[0])
            self._pool = ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"))
        futures = []
        try:
            futures = [self._pool.submit(function, *job) for job in jobs]
            return [future.result() for future in futures]
        except BrokenProcessPool:
            self.__exit__()
            self.workers = 1
            saved = [*futures, *[None] * (len(jobs) - len(futures))]
            return [
                future.result() if _is_done(future) else function(*job) for future, job in zip(saved, jobs, strict=True)
            ]


def jacobian(problem: Problem, look: Look, rows: Iterable[Row], crew: Crew | None = None) -> Jacobian:
    """Slopes at a design.

    Differences are central where both neighbours lie within the bounds, else one-sided of second order. The matrix is
    that of Richardson: four thirds of the finer less a third of the coarser.

    Args:
        problem: what is designed.
        look: the design, see `Problem.look`.
        rows: witnesses at samples.
        crew: who helps.
    """
    rows = tuple(rows)
    morphology = problem.morphology
    steps = STEP * (morphology.high - morphology.low)
    coarse, fine = np.zeros((2, len(rows), len(steps)))
    particles = sorted({row.particle for row in rows})
    jobs, places = [], []
    for particle in particles:
        mine = [k for k, row in enumerate(rows) if row.particle == particle]
        samples = sorted({rows[k].sample for k in mine})
        rehearsal = look.rehearsals[particle]
        start = rehearsal.q[:, rehearsal.scene.joint_positions]
        for j, step in enumerate(steps):
            for out, size in ((coarse, step), (fine, 0.5 * step)):
                points, weights = _stencil(look.p[j], size, morphology.low[j], morphology.high[j])
                for point, weight in zip(points, weights, strict=True):
                    p = look.p.copy()
                    p[j] = point
                    jobs.append((problem, p, look.difficulty, particle, samples, start))
                    places.append((out, mine, samples, j, weight))
    found = (crew or Crew()).map(_values, jobs)
    for values, (out, mine, samples, j, weight) in zip(found, places, strict=True):
        for k in mine:
            out[k, j] += weight * values[samples.index(rows[k].sample), rows[k].witness]
    scale = np.maximum(np.abs(fine).max(axis=1, initial=0.0), 1e-12)
    return Jacobian(rows, (4.0 * fine - coarse) / 3.0, np.abs(fine - coarse).max(axis=1, initial=0.0) / scale)


def _values(problem: Problem, p: Array, difficulty: float, particle: int, samples: list[int], start: Array) -> Array:
    """(samples, w) witnesses of a neighbour."""
    rehearsal = problem.rehearse(p, difficulty, particle, samples, start)
    return np.minimum(measure(problem.witnesses, rehearsal)[1], FAR)


def _stencil(x: float, step: float, low: float, high: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Points about x and the weights of their values in the slope."""
    if x - step >= low and x + step <= high:
        return (x - step, x + step), (-0.5 / step, 0.5 / step)
    side = step if x + 2 * step <= high else -step
    return (x, x + side, x + 2 * side), (-1.5 / side, 2.0 / side, -0.5 / side)


def _is_done(future: Any) -> bool:
    """Whether a result came before the process died."""
    return future is not None and future.done() and not future.cancelled() and future.exception() is None


def _check_travels(job: tuple[Any, ...]) -> None:
    """Refuse what cannot be sent to another process."""
    try:
        pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"workers: the problem cannot be sent to other processes ({error}); define its functions at the top of a "
            "module, or use workers=1"
        ) from None
