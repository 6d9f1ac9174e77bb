"""A humanoid of 27 degrees of freedom on the ground, and its soft contact in compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

import surefoot as sf
from benchmarks.harness import Method, Problem, Setting, Task, Verdict
from benchmarks.standing import pd
from surefoot.kernels.problem import Problem as Rows
from surefoot.kernels.problem import prepare
from surefoot.kernels.status import SOLVED
from surefoot.kernels.step import find_rows, solve_rows
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate import Simulator, policy

MODEL = Path(__file__).parents[1] / "experiments" / "humanoid.xml"
DT = 2e-3  # s
KP, KD = 300.0, 10.0  # N m / rad, N m s / rad
LOOP = 20
STAND, LIE = "on its feet", "lying"


@dataclass(frozen=True)
class Case:
    """A state, the torques that act there, and what our soft forward dynamics makes of them.

    Attributes:
        robot: the scene.
        state: where it is.
        torque: (joints,) N m.
        answer: of `sf.forward_dynamics`.
    """

    robot: Scene
    state: State
    torque: np.ndarray
    answer: sf.Answer


def cases(count: int, seed: int) -> Sequence[Problem]:
    """Half of the states: standing under PD, the other half: lying, without torques, where it fell."""
    robot = sf.load(MODEL)
    sim = Simulator(robot, DT, sf.Soft())
    hold = policy(pd).bind([KP, KD, *robot.home().q[robot.joint_positions], *robot.joint_positions, *robot.dofs])
    limp = policy(_limp).bind([])
    made = []
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        size = STAND if i % 2 == 0 else LIE
        v = 0.2 * rng.standard_normal(robot.nv)
        v[:3] = 0.0
        trace = sim.rollout(robot.state(v=v), *((hold, 0.2) if size == STAND else (limp, 2.0)))
        state, torque = trace.state(-1), trace.torque[-1] + 5.0 * rng.standard_normal(len(robot.joints))
        answer = sf.forward_dynamics(robot, state, torque, dt=DT, law=sf.Soft())
        made.append(Problem(f"{size}-{i}", size, Case(robot, state, torque, answer)))
    return sorted(made, key=lambda problem: problem.size, reverse=True)


def inverse() -> Method:
    """Everything prescribed: impulses by projection, contact by contact."""
    note = f"Timed: {LOOP} solves of `velocity_next` in a compiled loop: smooth terms, contacts, impulses, forces"
    return Method("surefoot-soft-inverse", "the soft law", _whole(prescribed=True), ours=True, note=note)


def forward() -> Method:
    """Nothing prescribed: Newton's method."""
    note = f"Timed: {LOOP} solves of the forward dynamics in a compiled loop, cold"
    return Method("surefoot-soft-forward", "the soft law", _whole(prescribed=False), ours=True, note=note)


def inverse_stage() -> Method:
    """The contact stage of `inverse`."""
    note = "Timed: of the same only the contact law, from contact velocities, softness and W to impulses"
    return Method("surefoot-inverse-stage", "the soft law", _stage(prescribed=True), ours=True, note=note)


def forward_stage() -> Method:
    """The contact stage of `forward`."""
    note = "Timed: of the forward dynamics only the contact law, from the same"
    return Method("surefoot-forward-stage", "the soft law", _stage(prescribed=False), ours=True, note=note)


def _space(case: Case, prescribed: bool) -> Workspace:
    space = Workspace(case.robot, DT, law=sf.Soft().numbers(), capacity=64)
    space.complete()
    space.load(case.state)
    space.step.prescribed[:] = prescribed
    if prescribed:
        space.step.v_next[:] = case.answer.velocity
    else:
        space.step.torque[case.robot.dofs] = case.torque
    return space


def _whole(prescribed: bool):
    def prepare_(problem: Problem, setting: Setting) -> Task:
        case: Case = problem.data
        space = _space(case, prescribed)

        def judge(told: tuple) -> Verdict:
            residual = max(told[1], _force_miss(case, space))
            if prescribed:
                needed = space.step.force.copy()
                needed[case.robot.dofs] -= case.torque
                residual = max(residual, np.abs(needed).max() / (9.81 * case.robot.mass))
            else:
                residual = max(residual, np.abs(space.step.v_next - case.answer.velocity).max())
            return Verdict(told[0] == SOLVED, float(residual))

        return Task(lambda: solve_repeatedly(space.box, LOOP), judge, units=LOOP)

    return prepare_


def _stage(prescribed: bool):
    def prepare_(problem: Problem, setting: Setting) -> Task:
        case: Case = problem.data
        space = _space(case, prescribed)
        _, _, n, nu = solve_repeatedly(space.box, 1)

        def judge(told: tuple) -> Verdict:
            return Verdict(told[0] == SOLVED, max(told[1], _force_miss(case, space)))

        return Task(lambda: law_repeatedly(space.box, n, nu, LOOP), judge, units=LOOP)

    return prepare_


def _force_miss(case: Case, space: Workspace) -> float:
    """How far the contact forces are from those of the forward dynamics, relative to the weight."""
    forces = case.answer.forces
    miss = np.abs(space.step.f[: forces.size].reshape(forces.shape) / DT - forces).max(initial=0.0)
    return float(miss / (9.81 * case.robot.mass))


# Not cached: the package's own cache must not refer to functions that only a clone of the repository has.
@numba.njit(nogil=True)
def solve_repeatedly(box, count):
    """Find rows and solve on them `count` times; returns status, residual, blocks and free velocities of the last."""
    status, residual, n, nu = 0, 0.0, 0, 0
    for _ in range(count):
        status, n = find_rows(box, -1)
        status, residual, _, nu, _ = solve_rows(box, n)
    return status, residual, n, nu


@numba.njit(nogil=True)
def law_repeatedly(step, n, nu, count):
    """The contact law alone, `count` times, on rows that were just solved; returns status and residual of the last."""
    reduced, rows, law = step.reduced, step.rows, step.settings.law
    scale = prepare(reduced.W, nu, n, reduced.c0, step.offset, step.solver.scratch.g)
    problem = Rows(
        reduced.W, nu, n, reduced.c0, step.offset, rows.kind, rows.mu, step.impulse_bound, step.edges,
        law.dissipative, law.form, scale, step.settings.tolerance,
    )  # fmt: skip
    status, residual = 0, 0.0
    for _ in range(count):
        status, residual, _ = step.law(problem, step.solver, step.f)
    return status, residual


def _limp(t, q, v, torque_out, memory, params):
    torque_out[:] = 0.0
    return 0
