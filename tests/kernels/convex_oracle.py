"""The dissipative law by DAQP, in the space of the free velocities: code that shares nothing with the kernels.

    min 1/2 |u|^2 + sum bound_i |c_i|   subject to   p'(c + offset e_n) >= 0 for every edge p,        c = W u + c0

is the dual of min 1/2 f'Gf + f'g over the friction cones and boxes: u = W'f, and the two values add to zero.
"""

from typing import NamedTuple

import daqp
import numpy as np

from surefoot.kernels.plant import BOX, CONE
from surefoot.solvers.contact_problem import edge_directions

FREE, EQUAL, FAR = 0, 5, 1e30  # DAQP's words for an inequality, an equality and no bound


class Convex(NamedTuple):
    """What DAQP found."""

    feasible: bool
    u: np.ndarray  # (nu,) W'f
    value: float  # of min 1/2 f'Gf + f'g
    size: float  # the largest |W'f| that one row asks for: what u is to be compared with


def gradient(problem):
    """(3n,) g = c0 + offset e_n."""
    g = problem.c0.copy()
    g[::3] += problem.offset
    return g


def objective(problem, f):
    """1/2 f'Gf + f'g."""
    u = problem.W.T @ f
    return 0.5 * u @ u + f @ gradient(problem)


def solve_convex(problem, edges=4):
    """Solve by DAQP; infinite friction holds the tangents."""
    p, n = problem, len(problem.kind)
    rows, sense, bound = [], [], []

    def add(i, place, what=FREE, most=np.inf):
        row = np.zeros(3 * n)
        row[3 * i : 3 * i + 3] = place
        rows.append(row)
        sense.append(what)
        bound.append(most)

    for i in range(n):
        if p.kind[i] == BOX:
            add(i, [0, 1, 0], most=p.bound[i])
        elif p.kind[i] != CONE or p.mu[i] == 0 or np.isinf(p.mu[i]):
            add(i, [1, 0, 0])
            if p.kind[i] == CONE and p.mu[i] > 0:
                add(i, [0, 1, 0], EQUAL)
                add(i, [0, 0, 1], EQUAL)
        else:
            for edge in edge_directions(edges):
                add(i, [1, *(p.mu[i] * edge)])
    rows, bound = np.array(rows), np.array(bound)
    A, b = rows @ p.W, rows @ gradient(p)
    length = np.linalg.norm(A, axis=1)
    length[length == 0] = 1.0
    size = np.abs(b / length).max() or 1.0
    A, b = A / length[:, None], b / length / size
    dry = np.isfinite(bound)
    m, nu = int(dry.sum()), p.W.shape[1]
    # Dry friction: |c| = s + t with c = s - t, both at least zero.
    matrix = np.block([[A[~dry], np.zeros(((~dry).sum(), 2 * m))], [A[dry], -np.eye(m), np.eye(m)]])
    equal = np.array(sense)[~dry] == EQUAL
    cost = np.tile(bound[dry] * length[dry] / size, 2)
    x, _, flag, _ = daqp.solve(
        np.diag(np.r_[np.ones(nu), np.zeros(2 * m)]),
        np.r_[np.zeros(nu), cost],
        matrix,
        np.r_[np.full(nu + 2 * m, FAR), np.where(equal, -b[~dry], FAR), -b[dry]],
        np.r_[np.full(nu, -FAR), np.zeros(2 * m), -b[~dry], -b[dry]],
        np.r_[np.zeros(nu + 2 * m), np.where(equal, EQUAL, FREE), np.full(m, EQUAL)].astype(np.int32),
        eps_prox=1e-4 if m else 0.0,  # the cost of s and t is linear
        iter_limit=100_000,
        primal_tol=1e-11,
        dual_tol=1e-12,
        eta_prox=1e-14,
    )
    u = size * np.array(x[:nu])
    slip = (p.W @ u + p.c0).reshape(n, 3)[p.kind == BOX, 1]
    value = -0.5 * u @ u - p.bound[p.kind == BOX] @ np.abs(slip)
    return Convex(flag == 1, u, value, size)
