"""The compiled contact solver with its work arrays, called as a simulation calls it: one pointer from Python."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy import ndarray

from surefoot.kernels.active_modes import Scratch, make_scratch
from surefoot.kernels.box import Box, boxed
from surefoot.kernels.contact_law import solve_contacts
from surefoot.kernels.fallback import Fallback
from surefoot.kernels.plant import CONE, NORMAL
from surefoot.kernels.pyramid import pyramid_table
from surefoot.kernels.working_set import make_pivoting
from surefoot.solvers.contact_problem import ContactProblem, edge_directions

EDGES = 4
TOLERANCE = 1e-9


class Call(NamedTuple):
    """The arguments of `solve_contacts`, in its order; `f`, (3n,), is the result."""

    W: ndarray
    nu: int
    n: int
    c0: ndarray
    offset: ndarray
    kind: ndarray
    mu: ndarray
    bound: ndarray
    D: ndarray
    tolerance: float
    scratch: Scratch
    pivoting: Any
    fallback: Fallback
    f: ndarray


class CoulombSolver:
    """Work arrays for up to `contacts` contacts, kept for each number of free velocities that was met."""

    def __init__(self, contacts: int = 40) -> None:
        self.contacts = contacts
        self._table = pyramid_table(edge_directions(EDGES))
        self._work: dict[int, tuple[Any, ...]] = {}

    def call(self, problem: ContactProblem) -> Call:
        """One problem made ready; `boxed_call(call)` is what `solve_repeatedly` takes."""
        n, nu = problem.size, problem.W.shape[1]
        scratch, _, box, fallback = self._arrays(nu)
        kind = np.where(problem.closed, CONE, NORMAL).astype(np.int64)
        rows = (problem.W, nu, n, problem.c0, problem.gap_rate, kind, problem.mu, np.zeros(n))
        return Call(*rows, self._table, TOLERANCE, scratch, box, fallback, np.zeros(3 * n))

    def solve(self, problem: ContactProblem) -> tuple[int, np.ndarray, np.ndarray]:
        """Status code, impulses, weights of a certificate."""
        call = self.call(problem)
        code = solve_repeatedly(boxed_call(call), 1)
        _, pivoting, _, _ = self._arrays(call.nu)
        return code, call.f, pivoting.certificate[: call.n].copy()

    def _arrays(self, nu: int) -> tuple[Any, ...]:
        if nu not in self._work:
            scratch, pivoting = make_scratch(self.contacts, nu), make_pivoting(self.contacts, EDGES, nu)
            box = boxed(pivoting)
            self._work[nu] = scratch, pivoting, box, Fallback(scratch, box)
        return self._work[nu]


# Not cached: the package's own cache must not refer to types that only a clone of the repository has.
@numba.njit
def boxed_call(call):
    """Put a Call into a Box."""
    return Box(call)


@numba.njit(nogil=True)
def solve_repeatedly(box, count):
    """Solve a boxed Call `count` times, each from cold; returns the status code of the last."""
    call = box.value
    status = 0
    for _ in range(count):
        status, _, _ = solve_contacts(*call)
    return status
