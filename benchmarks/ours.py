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

from benchmarks.harness import Absent, Method, Problem, Setting, Task, Verdict
from surefoot.solvers.contact_problem import ContactProblem

EDGES = 4
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
    part = _part("surefoot-coulomb", "surefoot.solvers.coulomb")
    make = _name("surefoot-coulomb", part, "CoulombSolver")

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        solver = make(contact, edges=EDGES)

        def judge(solution: Any) -> Verdict:
            return Verdict(solution.status.is_solved, contact.residual(solution.f, EDGES))

        return Task(solver.solve, judge)

    note = "Timed: the solve from cold on (W, c0), its own check of the answer included"
    return Method("surefoot-coulomb", PYRAMID, prepare, ours=True, note=note)


def simulator() -> Method:
    """A roll-out with a compiled policy."""
    _name("surefoot-simulator", _part("surefoot-simulator", "surefoot.simulate.simulator"), "Simulator")
    raise Absent("surefoot-simulator", "its adapter is not written yet")


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
