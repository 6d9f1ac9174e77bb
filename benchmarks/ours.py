"""Surefoot's own methods.

Each function returns a `Method` (see `harness.py`). An adapter has this form, and no more is needed to enter a table:

    def name() -> Method:
        def prepare(problem: Problem, setting: Setting) -> Task:
            ...  # not timed: work arrays, conversions
            return Task(call=lambda: ..., judge=lambda answer: Verdict(claimed, residual), reset=lambda: ...)
        return Method("surefoot-name", "the law it solves", prepare, ours=True, note="Timed: ...")

`problem.data` is a `ContactProblem` in `lcp` and `contact`, a `Standing` in `step`. `claimed` is the kernel's own
status, `residual` is recomputed from the problem by a judge that shares no code with the kernel.
"""

from __future__ import annotations

from benchmarks.coulomb import EDGES, CoulombSolver, solve_repeatedly
from benchmarks.harness import Method, Problem, Setting, Task, Verdict
from benchmarks.judge import rigid_step_residual
from benchmarks.standing import Standing, pd, stands
from surefoot.kernels.box import Box
from surefoot.kernels.status import SOLVED
from surefoot.simulate import Simulator, Trace, policy
from surefoot.solvers.contact_problem import ContactProblem
from surefoot.solvers.lemke import lemke as pivot
from surefoot.solvers.solution import Solution

LOOP = 10
PYRAMID = "Coulomb's law with 4 edges"


def coulomb() -> Method:
    """The structured solver on (W, c0): it never forms the matrix."""
    solver = CoulombSolver()

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        call = solver.call(contact)
        box = Box(call)

        def judge(status: int) -> Verdict:
            return Verdict(status == SOLVED, contact.residual(call.f, EDGES))

        return Task(lambda: solve_repeatedly(box, LOOP), judge, units=LOOP)

    note = f"Timed: {LOOP} solves in a compiled loop, each from cold on (W, c0) and with its own check of the answer"
    return Method("surefoot-coulomb", PYRAMID, prepare, ours=True, note=note)


def lemke() -> Method:
    """Lemke's method on the matrix."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        lcp = contact.lcp(EDGES)

        def judge(solution: Solution) -> Verdict:
            return Verdict(solution.status.is_solved, contact.residual(contact.impulses(solution.z, EDGES), EDGES))

        return Task(lambda: pivot(lcp, throw=False), judge)

    note = "Timed: `lemke(problem)`, its checks of the input and of the answer included, and its proof where it fails"
    return Method("surefoot-lemke", f"{PYRAMID}, as a linear complementarity problem", prepare, ours=True, note=note)


def simulator() -> Method:
    """A roll-out with a compiled policy."""
    held, constant = policy(pd), policy(_constant)

    def prepare(problem: Problem, setting: Setting) -> Task:
        case: Standing = problem.data
        sim = Simulator(case.scene, case.dt)
        hold = held.bind([case.kp, case.kd, *case.target, *case.positions, *case.dofs])
        settled = sim.rollout(case.scene.state(case.q), hold, case.settle * case.dt)
        start = settled.state(-1)
        chosen = hold if setting.options["pd"] else constant.bind(settled.torque[-1])

        def judge(trace: Trace) -> Verdict:
            held = trace.ok and stands(start.q, trace.q[-1]) and trace.contact_start[-1] - trace.contact_start[-2] == 4
            return Verdict(bool(held), rigid_step_residual(case.model, trace, EDGES))

        return Task(lambda: sim.rollout(start, chosen, problem.work * case.dt), judge)

    note = "Timed: `Simulator.rollout` with a compiled policy, its log of states, contacts and forces included"
    return Method("surefoot-simulator", "rigid contact, " + PYRAMID, prepare, ours=True, note=note)


def _constant(t, q, v, torque_out, memory, params):
    torque_out[:] = params
    return 0
