"""Soft inverse dynamics of a humanoid on the ground, all velocities prescribed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks import humanoid
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.humanoid import LIE, STAND
from benchmarks.peers import mujoco_inverse
from benchmarks.summary import Row, row_of

COUNT, QUICK = 100, 4
SEED = 27
NAME = "Everything prescribed"


def problems(quick: bool) -> Sequence[Problem]:
    """Standing, then lying."""
    return humanoid.cases(QUICK if quick else COUNT, SEED)


def _ratio(size: str, first: str, second: str) -> Callable[[Sequence[Row]], float]:
    def measure(rows: Sequence[Row]) -> float:
        return row_of(rows, NAME, size, first).p50 / row_of(rows, NAME, size, second).p50

    return measure


TEST_SET = TestSet(
    name="soft",
    title="Soft inverse dynamics of a humanoid",
    about=(
        "A humanoid of 27 degrees of freedom (contacts with sliding, torsional and rolling friction, joint limits, "
        "damping) on flat ground: standing under PD, or lying where it fell. The velocities after a step of 2 ms are "
        "those of each method's own forward dynamics under the same random torques. The residual: how far inverse and "
        "forward disagree, in forces relative to the weight (MuJoCo: to the largest constraint force), or the law's."
    ),
    unit="solve",
    problems=problems,
    settings=[Setting(NAME, tolerance=1e-6)],
    finders=[
        humanoid.inverse,
        humanoid.forward,
        humanoid.inverse_stage,
        humanoid.forward_stage,
        mujoco_inverse.elliptic,
        mujoco_inverse.pyramidal,
    ],
    references=["mujoco-inverse", "surefoot-forward-stage"],
    bars=[
        Bar(f"{size}: {text}", _ratio(size, first, second), limit, at_least=limit > 1)
        for size in (STAND, LIE)
        for text, first, second, limit in (
            ("soft inverse / mj_inverse", "surefoot-soft-inverse", "mujoco-inverse", 1.0),
            ("contact stage, forward / inverse", "surefoot-forward-stage", "surefoot-inverse-stage", 10.0),
        )
    ],
    limitations=[
        "All in compiled loops; one call from Python would add its own cost to each.",
        "The laws differ in how softness grows with depth, and ours also takes in contacts that are open by 1 mm.",
    ],
)
