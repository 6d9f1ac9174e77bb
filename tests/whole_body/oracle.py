"""Quadratic programs by Clarabel, which shares no code with ours."""

import clarabel
import numpy as np
from scipy import sparse


def minimum(H, g, equal=None, value=None, rows=None, most=None):
    """(x, value) of min 1/2 x'Hx + g'x with equal x = value, rows x <= most; NaN if there is none."""
    n = len(g)
    equal, value = (np.zeros((0, n)), np.zeros(0)) if equal is None else (equal, value)
    rows, most = (np.zeros((0, n)), np.zeros(0)) if rows is None else (rows, most)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-14
    settings.max_iter = 300
    settings.iterative_refinement_max_iter = 50  # without it Clarabel stops short of such tolerances
    settings.iterative_refinement_reltol = settings.iterative_refinement_abstol = 1e-15
    settings.iterative_refinement_stop_ratio = 1.1
    kinds = [clarabel.ZeroConeT(len(value)), clarabel.NonnegativeConeT(len(most))]
    A, b = np.vstack([equal, rows]), np.concatenate([value, most])
    H = sparse.triu(sparse.csc_matrix(H), format="csc")
    found = clarabel.DefaultSolver(H, np.asarray(g), sparse.csc_matrix(A), b, kinds, settings).solve()
    if "Infeasible" in str(found.status):
        return np.full(n, np.nan), np.nan
    return np.array(found.x), found.obj_val
