"""Particle traces: many copies of `links-light` that walk, none of them quite as modelled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import crowd, particle_traces
from benchmarks.crowd import Crowd
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.particle_traces import EACH, ONE, TWO
from benchmarks.peers import mujoco_crowd
from benchmarks.summary import Row, row_of

ROBOTS, DURATION, SEEDS = 128, 4, 3
QUICK_ROBOTS, QUICK_DURATION, QUICK_SEEDS = 8, 1, 1
FALLEN = 0.05
NAME = "Closed loops"


def problems(quick: bool) -> Sequence[Problem]:
    """The same crowds for one worker, for two, and robot by robot."""
    robots, duration, seeds = (QUICK_ROBOTS, QUICK_DURATION, QUICK_SEEDS) if quick else (ROBOTS, DURATION, SEEDS)
    sizes = {ONE: (1, False), TWO: (2, False), EACH: (1, True)}
    return [
        Problem(f"{size}, seed {seed}", size, Crowd(robots, duration, seed, *how), work=robots * duration)
        for size, how in sizes.items()
        for seed in range(seeds)
    ]


def _speed(rows: Sequence[Row]) -> float:
    return 1.0 / row_of(rows, NAME, TWO, "surefoot").p50


def _against_walk(rows: Sequence[Row]) -> float:
    return row_of(rows, NAME, ONE, "surefoot-walk").p50 / row_of(rows, NAME, TWO, "surefoot").p50


def _overhead(rows: Sequence[Row]) -> float:
    counts = row_of(rows, NAME, TWO, "surefoot").counts
    return 1.0 - counts["ms in traces"] / counts["ms of workers"]


def _against_processes(rows: Sequence[Row]) -> float:
    ours, peer = (row_of(rows, NAME, TWO, name) for name in ("surefoot", "surefoot-processes"))
    return float(np.median(np.array(peer.times) / np.array(ours.times)))


TEST_SET = TestSet(
    name="traces",
    title="Many copies of `links-light` that walk, none quite as modelled",
    about=(
        f"{ROBOTS} copies of the quadruped `links-light` (18 degrees of freedom) walk for {DURATION} s in steps of "
        f"{1e3 * crowd.DT:g} ms, {SEEDS} such crowds; lengths of links are off by {1e3 * crowd.LENGTH:g} mm (standard "
        f"deviation), densities by up to {crowd.DENSITY:.0%}, the ground's friction of {crowd.MU:g} by up to "
        f"{crowd.FRICTION:.0%}. Every method has the same robots. The joint PD of MuJoCo's methods and of surefoot-pd "
        "follows the joints of the nominal robot's walk in surefoot-rollout. Times are wall time divided by the "
        "seconds that the robots walk, so that 10 ms are 100 robot-seconds a second. One by one: each robot's own "
        "time, in one process. The residual is the share of robots that do not stand at the end (a NaN does not): base "
        f"lower than {crowd.HEIGHT:g} m, or cosine of its tilt below {crowd.UPRIGHT:g}."
    ),
    unit="robot-second",
    problems=problems,
    settings=[Setting(NAME, tolerance=FALLEN)],
    finders=[
        particle_traces.engine,
        particle_traces.processes,
        particle_traces.joint_pd,
        particle_traces.alone,
        particle_traces.walk,
        mujoco_crowd.batch,
        mujoco_crowd.open_loop,
        mujoco_crowd.python,
    ],
    references=["mujoco-batch", "mujoco-python"],
    bars=[
        Bar("robot-seconds in a second, two workers", _speed, 25.0, at_least=True),
        Bar("speed of two workers / of `surefoot walk` on one core", _against_walk, 1.8, at_least=True),
        Bar("share of two workers' time, from the first trace to the last, that is no trace", _overhead, 0.05),
        Bar("speed of two workers / of two independent processes", _against_processes, 0.95, at_least=True),
    ],
    limitations=[
        "Compare surefoot-pd with MuJoCo's methods: the same controller. Contact differs: rigid here, soft there.",
        "Traces build their robots and keep telemetry, contact events and witnesses in the time given; MuJoCo's models "
        "are made beforehand, and its loops keep nothing but the last state (mujoco-rollout: all states, no contacts).",
        "Processes of the engine start anew in every run. That is not in its time, but in Counted: ms before the first "
        "trace, and after the last, when tables are put together. One process is ready before the other: ms of workers "
        "count from the very first trace to the very last, ms of its processes from the first of each to its last.",
        "A trace's time is that of the whole call, with the draws before and the memory given back after. The clock of "
        "`Scenario.trace` itself leaves those out, about 2.3 of 41 ms; by it 6 % of two workers' time were no trace.",
        "surefoot-walk is another controller, inverse dynamics with contact, which costs more, on the nominal robot.",
        "Run it alone: other work on the machine hits two busy cores harder than one.",
    ],
)
