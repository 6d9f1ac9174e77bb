"""The compiled contact solver with its work arrays, called as a simulation calls it: one pointer from Python."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy import ndarray

from surefoot.kernels.box import Box
from surefoot.kernels.cache import Pointer
from surefoot.kernels.contact_law import Solver, contact_law, make_solver
from surefoot.kernels.fallback import Ladder
from surefoot.kernels.plant import CONE, NORMAL
from surefoot.kernels.problem import STANDARD, Problem, prepare
from surefoot.kernels.pyramid import pyramid_table
from surefoot.solvers.contact_problem import ContactProblem, edge_directions

EDGES = 4
TOLERANCE = 1e-9


class Call(NamedTuple):
    """The contact law and its arguments; `f`, (3n,), is the result."""

    law: Pointer
    problem: Problem
    solver: Solver
    f: ndarray


class CoulombSolver:
    """Work arrays for up to `contacts` contacts, kept for each number of free velocities that was met."""

    def __init__(self, contacts: int = 40) -> None:
        self.contacts = contacts
        self._table = pyramid_table(edge_directions(EDGES))
        self._work: dict[int, tuple[Solver, Ladder]] = {}

    def call(self, problem: ContactProblem) -> Call:
        """One problem made ready; `Box(call)` is what `solve_repeatedly` takes."""
        n, nu = problem.size, problem.W.shape[1]
        solver, _ = self._arrays(nu)
        kind = np.where(problem.closed, CONE, NORMAL).astype(np.int64)
        data = (problem.W, nu, n, problem.c0, problem.gap_rate, kind, problem.mu, np.zeros(n), self._table)
        return Call(contact_law(solver), Problem(*data, False, STANDARD, 0.0, TOLERANCE), solver, np.zeros(3 * n))

    def solve(self, problem: ContactProblem) -> tuple[int, np.ndarray, np.ndarray]:
        """Status code, impulses, weights of a certificate."""
        call = self.call(problem)
        code = solve_repeatedly(Box(call), 1)
        _, ladder = self._arrays(call.problem.nu)
        return code, call.f, ladder.certificate[: call.problem.n].copy()

    def _arrays(self, nu: int) -> tuple[Solver, Ladder]:
        if nu not in self._work:
            self._work[nu] = make_solver(self.contacts, EDGES, nu)
        return self._work[nu]


# Not cached: the package's own cache must not refer to types that only a clone of the repository has.
@numba.njit(nogil=True)
def solve_repeatedly(call, count):
    """Solve a Box of a Call `count` times, each from cold; returns the status code of the last."""
    p = call.problem
    status = 0
    for _ in range(count):
        scale = prepare(p.W, p.nu, p.n, p.c0, p.offset, call.solver.scratch.g)
        ready = Problem(
            p.W, p.nu, p.n, p.c0, p.offset, p.kind, p.mu, p.bound, p.D, p.dissipative, p.form, scale,
            p.tolerance,
        )  # fmt: skip
        status, _, _ = call.law(ready, call.solver, call.f)
    return status
