"""One simulation step of the quadruped `links` standing on its four feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import ours
from benchmarks.harness import Problem, Setting, TestSet
from benchmarks.peers import mujoco as engine
from benchmarks.standing import Standing
from surefoot.robots.families import build

DT = 1e-3  # s
KP, KD = 60.0, 0.2  # N m / rad, N m s / rad
SETTLE = 2000  # steps
WINDOW = 100  # steps in one timed call
COUNT, QUICK = 100, 5
SEED = 4


def problems(quick: bool) -> Sequence[Problem]:
    """Postures within 10 % of home's angles, the same in all legs, so that all four feet stay down."""
    links = build("links")
    home = links.home().q
    model = links.spec.compile()
    model.opt.timestep = DT
    cases = []
    for i in range(QUICK if quick else COUNT):
        rng = np.random.default_rng([SEED, i])
        bend = np.tile(rng.uniform(0.9, 1.1, 3), 4)
        target = bend * home[links.joint_positions]
        case = Standing(links, model, DT, home, target, links.joint_positions, links.dofs, KP, KD, SETTLE)
        cases.append(Problem(f"posture-{i}", "4 feet", case, work=WINDOW))
    return cases


TEST_SET = TestSet(
    name="step",
    title="One simulation step of `links` standing on four feet",
    about=(
        "The quadruped `links` (18 degrees of freedom) on flat ground holds random postures near home. Each engine "
        f"first settles for {SETTLE * DT:g} s of its own; then {WINDOW} steps of {1e3 * DT:g} ms are timed in one "
        "call, and the time is per step. The residual is relative: for MuJoCo, how far its inverse dynamics "
        "disagrees with its forward dynamics where the call ends; for ours, the law's residual there."
    ),
    unit="step",
    problems=problems,
    settings=[
        Setting("Constant torques", tolerance=1e-6, options={"pd": False}),
        Setting("Closed loop with PD", tolerance=1e-6, options={"pd": True}),
    ],
    finders=[ours.simulator, engine.compiled, engine.python],
    references=["mujoco-compiled", "mujoco-python"],
    limitations=[
        "MuJoCo solves a soft contact model and creeps, ours a rigid one: the same work in name only.",
        "Standing is kind to warm starts: contacts hardly change from step to step.",
        "A posture counts as held if the base moved less than 1 cm and turned less than 3 degrees, on four contacts.",
    ],
)
