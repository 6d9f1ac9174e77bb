"""A trot of `links` in a closed loop of 1 kHz."""

from __future__ import annotations

from collections.abc import Sequence

import surefoot as sf
from benchmarks import walking
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.summary import Row, row_of
from surefoot.gait import Gait
from surefoot.robots.families import build

STEPS, QUICK_STEPS = 4000, 1000
SPEED = 0.2  # m/s
MU = 0.1
WHOLE, TICKS = "Whole runs", "Tick by tick"


def problems(quick: bool) -> Sequence[Problem]:
    """One trot."""
    steps = QUICK_STEPS if quick else STEPS
    ground = sf.scene(build("links"), terrain=sf.Plane(mu=MU))
    return [Problem("trot", "trot", walking.Walk(ground, Gait.named("trot"), SPEED, steps), work=steps)]


def _real_time(rows: Sequence[Row]) -> float:
    return walking.DT / row_of(rows, WHOLE, "trot", "surefoot").p50


TEST_SET = TestSet(
    name="walk",
    title="`links` trots in a closed loop of 1 kHz",
    about=(
        f"The quadruped `links` (18 degrees of freedom) shall trot at {SPEED:g} m/s on ground of friction {MU:g} for "
        f"{STEPS * walking.DT:g} s. Every millisecond: goals of the feet, inverse kinematics, feedback, inverse "
        "dynamics with contact, and a step of the plant with its log of states, contacts and forces. All stages are "
        "compiled; in our plant they are part of its loop, in MuJoCo's they are called from Python. A run counts if "
        f"the robot stays upright (cosine of its tilt at least {walking.UPRIGHT:g}) and its speed, which is the "
        "residual, is within 15 % of the command. Whole runs: time of the best of five runs divided by its ticks. "
        "Tick by tick: from the start of one tick to that of the next, of each the best of five runs."
    ),
    unit="tick",
    problems=problems,
    settings=[Setting(WHOLE, 0.15, {"laps": False}), Setting(TICKS, 0.15, {"laps": True})],
    finders=[walking.limited, walking.compiled, walking.hard, walking.soft, walking.bare],
    references=["mujoco-hard", "mujoco-soft"],
    bars=[Bar("surefoot: seconds simulated and controlled in a second", _real_time, 15.0, at_least=True)],
    limitations=[
        "mujoco-step has no controller and only stands: what it takes is the least that a loop around `mj_step` can.",
        "Only surefoot-limits and mujoco-hard have the same controller: compare these two.",
        "The plants differ, and so must what the controller believes. With belief in rigid ground and no motor limits "
        "the robot falls on MuJoCo's soft ground.",
        "A pipeline called from Python pays for the call and for MuJoCo's log of contacts in Python.",
    ],
)
