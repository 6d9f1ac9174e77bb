"""Least squares within inequalities and second-order cones, by Clarabel (extra `cones`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surefoot.errors import InputError
from surefoot.whole_body.program_least import Least

Array = NDArray[np.float64]

TIGHT, MOST_STEPS = 1e-13, 300


def load_clarabel() -> Any:
    """The module, or an InputError with the line that installs it."""
    try:
        import clarabel
    except ImportError:
        raise InputError(
            "solver: 'clarabel' needs Clarabel, which is not installed: pip install 'surefoot[cones]'"
        ) from None
    return clarabel


def least_squares_cones(A: Array, c: Array, R: Array, r: Array, C: Array, d: Array) -> Least | None:
    """A minimiser of |A y - c| with R y + r >= 0 and each C[i] y + d[i] in the cone |last two| <= first.

    Args:
        A: (k, n).
        c: (k,).
        R: (m, n).
        r: (m,).
        C: (q, 3, n).
        d: (q, 3).

    Returns:
        The multipliers are (m + 3 q,). None if nothing satisfies the rows.
    """
    clarabel = load_clarabel()
    k, n = A.shape
    # Variables (y, s) with A y - s = c: |s|^2 is least, and no condition is squared.
    P = sparse.diags(np.r_[np.zeros(n), np.ones(k)], format="csc")
    C_rows = C.reshape(-1, n)
    rows = np.vstack([np.hstack([A, -np.eye(k)]), np.hstack([-R, np.zeros((len(r), k))]),
                      np.hstack([-C_rows, np.zeros((len(C_rows), k))])])  # fmt: skip
    right = np.concatenate([c, r, d.ravel()])
    cones = [clarabel.ZeroConeT(k), clarabel.NonnegativeConeT(len(r))]
    cones += [clarabel.SecondOrderConeT(3)] * len(C)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = MOST_STEPS
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TIGHT
    settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-10
    found = clarabel.DefaultSolver(P, np.zeros(n + k), sparse.csc_matrix(rows), right, cones, settings).solve()
    y = np.array(found.x[:n])
    if "Infeasible" in str(found.status) or not np.isfinite(y).all():
        return None
    return Least(y, np.array(found.z[k:]))
