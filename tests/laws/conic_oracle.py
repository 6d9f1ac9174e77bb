"""Least energy over cones by Clarabel, a conic interior-point solver that shares nothing with the kernels."""

from typing import NamedTuple

import clarabel
import numpy as np
from scipy import sparse


class Block(NamedTuple):
    """Rows of the unknown and the set they lie in.

    `what`: "cone": |x_j / slope_j| <= x_0, "half": x >= 0, "box": |x| <= slope, "zero": x = 0, "free".
    """

    rows: list[int]
    what: str
    slope: tuple[float, ...] = ()


def least(P, b, blocks, keep=None, kept=None):
    """Argument of min 1/2 x'Px + b'x over the blocks; optionally subject to keep x = kept."""
    n = len(b)
    unit = np.eye(n)
    zero, half, cone, sizes = [(np.zeros((0, n)), np.zeros(0))], [(np.zeros((0, n)), np.zeros(0))], [], []
    if keep is not None:
        zero.append((keep, kept))
    for rows, what, slope in blocks:
        if what == "zero":
            zero.append((unit[rows], np.zeros(len(rows))))
        elif what == "half":
            half.append((-unit[rows], np.zeros(len(rows))))
        elif what == "box":
            half += [(unit[rows], np.full(len(rows), slope[0])), (-unit[rows], np.full(len(rows), slope[0]))]
        elif what == "cone":
            cone.append((-unit[rows] / np.array([1.0, *slope])[:, None], np.zeros(len(rows))))
            sizes.append(len(rows))
    A = np.vstack([rows for rows, _ in zero + half + cone])
    right = np.concatenate([bound for _, bound in zero + half + cone])
    kinds = [clarabel.ZeroConeT(sum(len(bound) for _, bound in zero))]
    kinds += [clarabel.NonnegativeConeT(sum(len(bound) for _, bound in half))]
    kinds += [clarabel.SecondOrderConeT(size) for size in sizes]
    found = []
    for fraction, tolerance in ((0.6, 1e-16), (0.99, 1e-12)):  # rounding ends its progress: take the better end
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        settings.max_step_fraction, settings.min_terminate_step_length, settings.max_iter = fraction, 1e-12, 500
        solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(P)), b, sparse.csc_matrix(A), right, kinds, settings)
        solution = solver.solve()
        x = np.array(solution.x)
        found.append((solution.r_prim + solution.r_dual + abs(solution.obj_val - solution.obj_val_dual), x))
    return min(found, key=lambda pair: pair[0])[1]
