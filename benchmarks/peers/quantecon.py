"""QuantEcon's `lcp_lemke`: a lexicographic Lemke on a dense tableau, in numba."""

from __future__ import annotations

from typing import Any

from benchmarks.harness import Method, Problem, Setting, Task, Verdict, require
from surefoot.solvers.contact_problem import ContactProblem

EDGES = 4
PIVOTS = 10_000  # its default of a million runs for half a minute when it cycles


def lemke() -> Method:
    """The function with its own tolerances."""
    optimize = require("quantecon-lemke", "quantecon.optimize", "quantecon")

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        lcp = contact.lcp(EDGES)

        def judge(result: Any) -> Verdict:
            return Verdict(result.success, contact.residual(contact.impulses(result.z, EDGES), EDGES))

        return Task(lambda: optimize.lcp_lemke(lcp.M, lcp.q, max_iter=PIVOTS), judge)

    note = f"Timed: `lcp_lemke(M, q)` with at most {PIVOTS} pivots, compiled beforehand; it allocates its tableau"
    law = "Coulomb's law with 4 edges, as a linear complementarity problem"
    return Method("quantecon-lemke", law, prepare, note=note)
