"""Contact problems with known answers for the tests of the kernels, and one way to call each method."""

from typing import NamedTuple

import numpy as np

from surefoot.kernels import contact_law, status
from surefoot.kernels.active_modes import cold_modes, make_scratch, prepare, solve_modes
from surefoot.kernels.box import boxed
from surefoot.kernels.convex_route import solve_convex_route
from surefoot.kernels.fallback import Fallback
from surefoot.kernels.plant import CONE, NORMAL
from surefoot.kernels.pyramid import pyramid_table
from surefoot.kernels.sweeps import sweep
from surefoot.kernels.working_set import make_pivoting, solve_working_set
from surefoot.laws.conditions import law_conditions
from surefoot.solvers.contact_problem import edge_directions

TOLERANCE = 1e-9
METHODS = ("guess", "sweeps", "convex", "pivots", "all")
UP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # normal z, tangents x, y


class Problem(NamedTuple):
    """One problem as `solve_contacts` takes it."""

    W: np.ndarray
    c0: np.ndarray
    offset: np.ndarray
    kind: np.ndarray
    mu: np.ndarray
    bound: np.ndarray


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


def solve(problem, method="all", edges=4, tolerance=TOLERANCE):
    """Solve by one method only, or by all in their order."""
    p = problem
    n, nu = len(p.kind), p.W.shape[1]
    D = pyramid_table(edge_directions(edges))
    s, work = make_scratch(max(n, 1), nu), make_pivoting(max(n, 1), edges, nu)
    f = np.full(3 * n, np.inf)  # a method must overwrite this
    data = (p.W, nu, n, p.c0, p.offset, p.kind, p.mu, p.bound, D)
    if method == "all":
        box = boxed(work)
        code, residual, by = contact_law.solve_contacts(*data, tolerance, s, box, Fallback(s, box), f)
        return Result(code, residual, by, f, work.certificate)
    scale = prepare(p.W, nu, n, p.kind, p.c0, s.g)
    f[:] = 0.0
    if method == "convex":
        code, residual = solve_convex_route(*data, scale, tolerance, s, work.convex, f, work.certificate)
    elif method == "pivots":
        code, residual = solve_working_set(*data, scale, tolerance, s, work, f)
    else:
        if method == "guess":
            cold_modes(n, p.c0, p.kind, p.bound, s)
        else:
            sweep(*data, 40, s, f)
        residual = solve_modes(*data, scale, 1e-3 * tolerance, 8, 24, s, f)
        code = status.SOLVED if residual <= tolerance else status.UNSOLVED
    return Result(code, residual, 0, f, work.certificate)


def violation(problem, f, edges=4):
    """Largest violation of the law, by plain NumPy."""
    data = {**problem._asdict(), "f": f, "edges": edge_directions(edges)}
    conditions = law_conditions(data)
    return max(conditions["normal"], conditions["friction"], conditions["joints"])


def velocity(problem, f):
    """Contact velocities (n, 3) under impulses f."""
    return (problem.W @ (problem.W.T @ f) + problem.c0).reshape(-1, 3)
