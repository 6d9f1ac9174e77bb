"""The dissipative law with round cones by Clarabel, in the space of the free velocities.

    min 1/2 |u|^2   subject to   c + offset e_n in K*,  c = W u + c0

is the dual of min 1/2 f'Gf + f'(c0 + offset e_n) over round cones, with u = W'f.
"""

import clarabel
import numpy as np
from scipy import sparse

from surefoot.kernels.plant import CONE


def least_motion(problem):
    """(feasible, u = W'f, what u is to be compared with); no dry joints."""
    p = problem
    zero, half, cone, sizes = [], [], [], []
    for i in range(len(p.kind)):
        rows, right = p.W[3 * i : 3 * i + 3], p.c0[3 * i : 3 * i + 3] + np.array([p.offset[i], 0, 0])
        size = np.linalg.norm(rows, axis=1).max() or 1.0
        rows, right = rows / size, right / size
        if p.kind[i] == CONE and 0 < p.mu[i] < np.inf:
            slope = np.array([1.0, p.mu[i], p.mu[i]])
            cone.append((slope[:, None] * rows, slope * right))
            sizes.append(3)
            continue
        half.append((rows[:1], right[:1]))
        if p.kind[i] == CONE and np.isinf(p.mu[i]):
            zero.append((rows[1:], right[1:]))
    every = zero + half + cone
    unit = max(np.abs(np.concatenate([right for _, right in every])).max(), 1e-300)
    A, b = np.vstack([rows for rows, _ in every]), np.concatenate([right for _, right in every]) / unit
    nu = p.W.shape[1]
    kinds = [clarabel.ZeroConeT(sum(len(r) for _, r in zero)), clarabel.NonnegativeConeT(sum(len(r) for _, r in half))]
    kinds += [clarabel.SecondOrderConeT(size) for size in sizes]
    best, u, feasible = np.inf, np.zeros(nu), True
    for fraction, tolerance in ((0.6, 1e-16), (0.99, 1e-12)):
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        settings.max_step_fraction, settings.min_terminate_step_length, settings.max_iter = fraction, 1e-12, 500
        matrices = sparse.csc_matrix(np.eye(nu)), np.zeros(nu), sparse.csc_matrix(-A), b
        found = clarabel.DefaultSolver(*matrices, kinds, settings).solve()
        feasible &= "Infeasible" not in str(found.status)
        miss = found.r_prim + found.r_dual + abs(found.obj_val - found.obj_val_dual)
        if miss < best:
            best, u = miss, np.array(found.x)
    return feasible, unit * u, unit
