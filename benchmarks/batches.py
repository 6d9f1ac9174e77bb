"""Thousands of states: one call on all cores, beside as many independent processes as there are cores."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from experiments.stance import DT, Motion, robot

import surefoot as sf
from benchmarks.controllers import LAWS
from benchmarks.harness import Method, Problem, Setting, Task, Verdict
from benchmarks.workers import Worker, together

CONTACTS = 4
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_call() -> Method:
    """`sf.inverse_dynamics_batch` with its default number of threads."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        arrays = stacked(problem.data)

        def judge(answer: sf.BatchAnswer) -> Verdict:
            return Verdict(bool(answer.ok.all()), float(answer.residual.max()))

        return Task(lambda: _solve(problem.size, *arrays), judge)

    note = f"Timed: `sf.inverse_dynamics_batch` on all cores ({CORES} threads)"
    return Method("surefoot-batch", "the law of the row", prepare, ours=True, note=note)


def processes() -> Method:
    """The same call with `threads=1` in one process a core, each on its share."""
    workers = [Worker(_share) for _ in range(CORES)]

    def prepare(problem: Problem, setting: Setting) -> Task:
        arrays = stacked(problem.data)
        together(
            workers, [(problem.size, *part) for part in zip(*(np.array_split(a, CORES) for a in arrays), strict=True)]
        )

        def call() -> list[tuple[bool, float]]:
            return together(workers, [None] * CORES)

        def judge(told: list[tuple[bool, float]]) -> Verdict:
            return Verdict(all(ok for ok, _ in told), max(residual for _, residual in told))

        return Task(call, judge)

    note = f"Timed: {CORES} processes, each `sf.inverse_dynamics_batch(..., threads=1)` on its share, sent beforehand"
    return Method("surefoot-processes", "the law of the row", prepare, note=note)


def stacked(motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, nq), (N, nv), (N, joints) of a motion."""
    q, v = (np.array([getattr(state, name) for state in motion.states]) for name in ("q", "v"))
    return q, v, np.array(motion.accelerations)


def _solve(law: str, Q: np.ndarray, V: np.ndarray, A: np.ndarray, threads: int | None = None) -> sf.BatchAnswer:
    return sf.inverse_dynamics_batch(robot(CONTACTS), (Q, V), A, dt=DT, law=LAWS[law], threads=threads)


def _share(part: tuple[Any, ...]) -> tuple[bool, float]:
    """Whether all states of a share were solved, and the largest residual."""
    answer = _solve(*part, threads=1)
    return bool(answer.ok.all()), float(answer.residual.max())
