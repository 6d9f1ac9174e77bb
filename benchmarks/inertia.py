"""Jacobians in coordinates where the inertia is the identity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def whiten(J: np.ndarray, M: np.ndarray) -> NDArray[np.float64]:
    """(rows, nv) `W = J L^-T` with M = L L', so that W W' = J M^-1 J'."""
    return np.asarray(np.linalg.solve(np.linalg.cholesky(M), J.T).T, dtype=np.float64)
