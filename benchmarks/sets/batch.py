"""Inverse dynamics of 4 096 states on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from experiments.stance import motion

from benchmarks import batches
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.summary import Row, row_of

LAWS = ("coulomb", "dissipative", "soft")
STATES, MOTIONS = 4096, 9
QUICK_STATES, QUICK_MOTIONS = 256, 1
SEED = 4096
NAME = "All cores"


def problems(quick: bool) -> Sequence[Problem]:
    """Each law on the same motions."""
    states, motions = (QUICK_STATES, QUICK_MOTIONS) if quick else (STATES, MOTIONS)
    data = [motion([SEED, i], batches.CONTACTS, states) for i in range(motions)]
    return [Problem(f"{law}-{i}", law, data[i], work=states) for law in LAWS for i in range(motions)]


def _throughput(law: str) -> Callable[[Sequence[Row]], float]:
    def measure(rows: Sequence[Row]) -> float:
        ours, peer = (row_of(rows, NAME, law, name) for name in ("surefoot-batch", "surefoot-processes"))
        return float(np.median(np.array(peer.times) / np.array(ours.times)))

    return measure


TEST_SET = TestSet(
    name="batch",
    title="Inverse dynamics of thousands of states",
    about=(
        f"{STATES} states of `links` swaying on four feet (as in `inverse`) in one call, {MOTIONS} such motions a law. "
        "Each call is repeated and its best time kept, one call and processes in turns. The time is per "
        "state: wall time of the whole divided by the number of states. The residual is the kernel's own."
    ),
    unit="state",
    problems=problems,
    settings=[Setting(NAME, tolerance=1e-8)],
    finders=[batches.one_call, batches.processes],
    references=["surefoot-processes"],
    bars=[
        Bar(f"{law}: throughput of one call / of independent processes", _throughput(law), 0.95, at_least=True)
        for law in LAWS
    ],
    limitations=[
        "Processes get their states beforehand and send back no torques, which is kind to them.",
        "Where the clock of the cores changes, five repeats are too few for the ratio: `--repeats 25`.",
        "Bars compare the times of one motion, best of the repeats taken in turns (median over the motions).",
        "Work arrays that a call leaves behind are found by the next; both methods profit alike.",
        "Other work on the machine hits two busy cores harder than one: run it alone.",
    ],
)
