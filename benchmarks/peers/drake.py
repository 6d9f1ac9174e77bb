"""Drake's `MobyLcpSolver`: Lemke's method with a ladder of regularisations, in C++ [Drumwright]."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.harness import Method, Problem, Setting, Task, Verdict, require
from surefoot.solvers.contact_problem import ContactProblem

EDGES = 4


def moby() -> Method:
    """Python has `Solve(program)` only, not the raw `SolveLcpLemke(M, q)`; its fixed cost is measured and told."""
    solvers = require("drake-moby", "pydrake.solvers", "drake")
    solver = solvers.MobyLcpSolver()

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        lcp = contact.lcp(EDGES)
        program = _program(solvers, lcp.M, lcp.q)

        def judge(result: Any) -> Verdict:
            return Verdict(result.is_success(), contact.residual(contact.impulses(result.get_x_val(), EDGES), EDGES))

        return Task(lambda: solver.Solve(program, None, None), judge)

    fixed = 1e6 * _fixed_cost(solver, _program(solvers, np.eye(1), np.ones(1)))
    note = (
        "Timed: `MobyLcpSolver.Solve(program)`, the program built beforehand; "
        f"the same call on a problem of one variable, already solved by z = 0, took {fixed:.1f} us"
    )
    return Method("drake-moby", "Coulomb's law with 4 edges, as a linear complementarity problem", prepare, note=note)


def _program(solvers: Any, M: np.ndarray, q: np.ndarray) -> Any:
    program = solvers.MathematicalProgram()
    program.AddLinearComplementarityConstraint(M, q, program.NewContinuousVariables(len(q)))
    return program


def _fixed_cost(solver: Any, program: Any) -> float:
    best = np.inf
    for _ in range(100):
        start = time.perf_counter_ns()
        solver.Solve(program, None, None)
        best = min(best, time.perf_counter_ns() - start)
    return best * 1e-9
