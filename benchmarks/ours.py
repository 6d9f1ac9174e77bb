"""Surefoot's own methods, found by import: a room that does not exist yet is reported as absent.

Each function returns a `Method` (see `harness.py`). An adapter has this form, and no more is needed to enter a table:

    def name() -> Method:
        part = _part("name", "surefoot.room.file")            # Absent, with the reason, if it is not there
        def prepare(problem: Problem, setting: Setting) -> Task:
            ...                                               # not timed: work arrays, conversions
            return Task(call=lambda: ..., judge=lambda answer: Verdict(claimed, residual), reset=lambda: ...)
        return Method("surefoot-name", "the law it solves", prepare, ours=True, note="Timed: ...")

`problem.data` is a `ContactProblem` in `lcp` and `contact`, a `Standing` in `step`. `claimed` is the kernel's own
status, `residual` is recomputed from the problem by a judge that shares no code with the kernel.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numba
import numpy as np

from benchmarks.harness import Absent, Method, Problem, Setting, Task, Verdict
from benchmarks.judge import rigid_step_residual
from benchmarks.standing import Standing, stands
from surefoot.kernels.plant import CONE, NORMAL
from surefoot.kernels.status import SOLVED
from surefoot.solvers.contact_problem import ContactProblem, edge_directions

EDGES = 4
LOOP = 10
PYRAMID = "Coulomb's law with 4 edges"


def lemke() -> Method:
    """Lemke's method on the matrix."""
    part = _part("surefoot-lemke", "surefoot.solvers.lemke")
    solve = _name("surefoot-lemke", part, "lemke")

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        lcp = contact.lcp(EDGES)

        def judge(solution: Any) -> Verdict:
            return Verdict(solution.status.is_solved, contact.residual(contact.impulses(solution.z, EDGES), EDGES))

        return Task(lambda: solve(lcp), judge)

    note = "Timed: `lemke(problem)`, checks of the input and of the answer included"
    return Method("surefoot-lemke", f"{PYRAMID}, as a linear complementarity problem", prepare, ours=True, note=note)


def coulomb_kernel() -> Method:
    """The structured solver on (W, c0): it never forms the matrix."""
    law = _part("surefoot-coulomb", "surefoot.kernels.contact_law")
    scratch = _part("surefoot-coulomb", "surefoot.kernels.active_modes").Scratch
    solve = _name("surefoot-coulomb", law, "solve_contacts")
    table = _name("surefoot-coulomb", _part("surefoot-coulomb", "surefoot.kernels.pyramid"), "pyramid_table")

    @numba.njit
    def loop(count, W, nu, n, c0, offset, kind, mu, bound, D, tolerance, work, pivoting, f):
        status, residual, method = 0, 0.0, 0
        for _ in range(count):
            status, residual, method = solve(W, nu, n, c0, offset, kind, mu, bound, D, tolerance, work, pivoting, f)
        return status, residual, method

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        n, nu = contact.size, contact.W.shape[1]
        kind = np.where(contact.closed, CONE, NORMAL).astype(np.int64)
        work, pivoting, f = _scratch(scratch, n, nu), law.Pivoting(np.zeros(3 * n), np.zeros(n)), np.zeros(3 * n)
        bound, D = np.zeros(n), table(edge_directions(EDGES))
        arguments = (
            contact.W,
            nu,
            n,
            contact.c0,
            contact.gap_rate,
            kind,
            contact.mu,
            bound,
            D,
            1e-9,
            work,
            pivoting,
            f,
        )

        def judge(answer: tuple[int, float, int]) -> Verdict:
            return Verdict(answer[0] == SOLVED, contact.residual(f, EDGES))

        return Task(lambda: loop(LOOP, *arguments), judge, units=LOOP)

    note = f"Timed: {LOOP} solves in a compiled loop, each from cold on (W, c0) and with its own check of the answer"
    return Method("surefoot-coulomb", PYRAMID, prepare, ours=True, note=note)


def _scratch(Scratch: Any, n: int, nu: int) -> Any:
    """Work arrays for n contacts and nu free velocities."""
    unknowns = min(3 * n, 3 * nu + 24)
    integers = {"mode": (n,), "block": (unknowns,), "order": (unknowns,)}
    floats = {
        "g": (n, 2),
        "c": (3 * n,),
        "y": (nu,),
        "columns": (unknowns, 3),
        "C": (unknowns, nu),
        "R": (unknowns, nu),
    }
    floats |= {"S": (unknowns, unknowns), "LU": (unknowns, unknowns)}
    floats |= {name: (unknowns,) for name in ("weight", "rhs", "x", "step", "residual")}
    arrays = {name: np.zeros(shape, dtype=np.int64) for name, shape in integers.items()}
    return Scratch(**arrays, **{name: np.zeros(shape) for name, shape in floats.items()})


def simulator() -> Method:
    """A roll-out with a compiled policy."""
    part = _part("surefoot-simulator", "surefoot.simulate")
    Simulator, policy = (_name("surefoot-simulator", part, name) for name in ("Simulator", "policy"))
    pd, constant = policy(_pd), policy(_constant)

    def prepare(problem: Problem, setting: Setting) -> Task:
        case: Standing = problem.data
        sim = Simulator(case.scene, case.dt)
        hold = pd.bind([case.kp, case.kd, *case.target, *case.positions, *case.dofs])
        settled = sim.rollout(case.scene.state(case.q), hold, case.settle * case.dt)
        start = settled.state(-1)
        chosen = hold if setting.options["pd"] else constant.bind(settled.torque[-1])

        def judge(trace: Any) -> Verdict:
            held = trace.ok and stands(start.q, trace.q[-1]) and trace.contact_start[-1] - trace.contact_start[-2] == 4
            return Verdict(bool(held), rigid_step_residual(case.model, trace, EDGES))

        return Task(lambda: sim.rollout(start, chosen, problem.work * case.dt), judge)

    note = "Timed: `Simulator.rollout` with a compiled policy, its log of states, contacts and forces included"
    return Method("surefoot-simulator", "rigid contact, " + PYRAMID, prepare, ours=True, note=note)


def _pd(t, q, v, torque_out, memory, params):
    """params: kp, kd, then target, place in q and place in v of each joint."""
    n = torque_out.shape[0]
    for i in range(n):
        angle, speed = q[int(params[2 + n + i])], v[int(params[2 + 2 * n + i])]
        torque_out[i] = params[0] * (params[2 + i] - angle) - params[1] * speed
    return 0


def _constant(t, q, v, torque_out, memory, params):
    torque_out[:] = params
    return 0


def links() -> Any:
    """The bundled quadruped, as a scene on a plane."""
    return _name("links", _part("links", "surefoot.robots.families"), "build")("links")


def _part(name: str, module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Absent(name, str(error)) from None


def _name(name: str, part: ModuleType, attribute: str) -> Any:
    try:
        return getattr(part, attribute)
    except AttributeError:
        raise Absent(name, f"{part.__name__} has no {attribute!r}") from None
