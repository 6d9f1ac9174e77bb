"""Contact problems with known answers for the tests of the kernels, and one way to call each method."""

from typing import NamedTuple

import numpy as np

from surefoot.kernels import problem as kernel
from surefoot.kernels import status
from surefoot.kernels.active_modes import Scratch, cold_modes, make_scratch, modes_solver
from surefoot.kernels.contact_law import contact_law, make_solver
from surefoot.kernels.plant import CONE, NORMAL
from surefoot.kernels.pyramid import pyramid_table
from surefoot.kernels.sweeps import sweep
from surefoot.laws.conditions import law_conditions
from surefoot.solvers.contact_problem import edge_directions
from tests.kernels.door import call, door

TOLERANCE = 1e-9
METHODS = ("guess", "sweeps", "convex", "pivots", "all")
UP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # normal z, tangents x, y


class Problem(NamedTuple):
    """What a problem of the kernels is made from."""

    W: np.ndarray
    c0: np.ndarray
    offset: np.ndarray
    kind: np.ndarray
    mu: np.ndarray
    bound: np.ndarray
    dissipative: bool = False


class Result(NamedTuple):
    """What a method said and found."""

    status: int
    residual: float
    method: int
    f: np.ndarray
    certificate: np.ndarray


def made(J, M, v, *, kind=CONE, offset=0.0, mu=0.5, bound=0.0, ground=0.0):
    """The problem of blocks with rows J on inertia M that would move with v; `ground`: velocity of what pushes."""
    J = np.asarray(J, dtype=float)
    n = len(J) // 3
    M = np.atleast_2d(np.asarray(M, dtype=float))
    c0 = J @ np.asarray(v, dtype=float) - ground
    return Problem(
        W=np.ascontiguousarray(np.linalg.solve(np.linalg.cholesky(M), J.T).T),
        c0=np.ascontiguousarray(c0),
        offset=np.full(n, offset, dtype=float) if np.ndim(offset) == 0 else np.array(offset, dtype=float),
        kind=np.full(n, kind, dtype=np.int64) if np.ndim(kind) == 0 else np.array(kind, dtype=np.int64),
        mu=np.full(n, mu, dtype=float) if np.ndim(mu) == 0 else np.array(mu, dtype=float),
        bound=np.full(n, bound, dtype=float) if np.ndim(bound) == 0 else np.array(bound, dtype=float),
    )


def point_mass(v, *, mass=1.0, copies=1, **settings):
    """A point of `mass` on the ground with velocity v; the contact may stand there several times."""
    return made(np.tile(UP, (copies, 1)), mass * np.eye(3), v, **settings)


def from_sample(problem):
    """A `ContactProblem` of the samples as the kernels see it."""
    n = problem.size
    W = problem.W.copy()
    c0 = problem.c0.copy()
    for i in np.flatnonzero(~problem.closed):
        W[3 * i + 1 : 3 * i + 3] = 0.0
        c0[3 * i + 1 : 3 * i + 3] = 0.0
    kind = np.where(problem.closed, CONE, NORMAL)
    return Problem(W, c0, problem.gap_rate.copy(), kind.astype(np.int64), problem.mu.copy(), np.zeros(n))


def kernels_see(problem, g, edges=4, tolerance=TOLERANCE):
    """The problem as the kernels take it; `g` (n, 2) receives its row sizes."""
    p, nu, n = problem, problem.W.shape[1], len(problem.kind)
    D = pyramid_table(edge_directions(edges))
    scale = kernel.prepare(p.W, nu, n, p.c0, p.offset, g)
    return kernel.Problem(
        p.W, nu, n, p.c0, p.offset, p.kind, p.mu, p.bound, D, bool(p.dissipative), kernel.STANDARD, scale,
        tolerance,
    )  # fmt: skip


def ready(problem, edges=4, tolerance=TOLERANCE) -> tuple[kernel.Problem, Scratch]:
    """The problem as the kernels take it, and work arrays that hold its row sizes."""
    s = make_scratch(len(problem.kind), problem.W.shape[1])
    return kernels_see(problem, s.g, edges, tolerance), s


def solve(problem, method="all", edges=4, tolerance=TOLERANCE):
    """Solve by one method only, or by all in their order."""
    n, nu = len(problem.kind), problem.W.shape[1]
    solver, ladder = make_solver(max(n, 1), edges, nu)
    s = solver.scratch
    p = kernels_see(problem, s.g, edges, tolerance)
    f = np.full(3 * n, np.inf)  # a method must overwrite this
    if method == "all":
        code, residual, by = call(contact_law(solver), p, solver, f)
        return Result(code, residual, by, f, ladder.certificate)
    f[:] = 0.0
    if method == "convex":
        code, residual = call(ladder.solve_convex, p, s, ladder.modes, ladder.convex, f, ladder.certificate)
    elif method == "pivots":
        code, residual = call(ladder.solve_working_set, p, s, ladder.modes, ladder.working_set, f.copy(), f)
    else:
        if method == "guess":
            door(cold_modes)(p, s)
        else:
            door(sweep)(p, 40, s, f)
        residual = solve_modes(p, 8, s, f)
        code = status.SOLVED if residual <= tolerance else status.UNSOLVED
    return Result(code, residual, 0, f, ladder.certificate)


def solve_modes(p, guesses, s, f):
    """Guess modes from those in the scratch; the law's residual."""
    return call(modes_solver(s), p, guesses, s, f)


def violation(problem, f, edges=4):
    """Largest violation of the law, by plain NumPy."""
    data = {**problem._asdict(), "f": f, "edges": edge_directions(edges)}
    conditions = law_conditions(data)
    return max(conditions["normal"], conditions["friction"], conditions["joints"])


def velocity(problem, f):
    """Contact velocities (n, 3) under impulses f."""
    return (problem.W @ (problem.W.T @ f) + problem.c0).reshape(-1, 3)
