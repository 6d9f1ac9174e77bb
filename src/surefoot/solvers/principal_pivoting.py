"""Principal pivoting for linear complementarity problems whose matrix is symmetric positive semidefinite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import principal_pivoting as kernel
from surefoot.kernels.linear_algebra import pivoted_cholesky
from surefoot.solvers.infeasibility import is_certificate
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.solution import Solution
from surefoot.solvers.status import Status

Array = NDArray[np.float64]

_DEFAULTS = kernel.PivotingOptions()


class LowRankAnswer(NamedTuple):
    """What `solve_low_rank` found.

    Attributes:
        x: (n,) multipliers.
        u: (nu,) W'x, which is unique even where x is not.
        basis: rows in the basis, to start the next solve from.
        status: how the solve ended.
        pivots: number of pivots.
        residual: largest |min(x |row|, w / |row|)| over the largest -b / |row|.
        certificate: (n,) if INFEASIBLE y >= 0 with W'y = 0, b'y < 0; else None.
    """

    x: Array
    u: Array
    basis: NDArray[np.int64]
    status: Status
    pivots: int
    residual: float
    certificate: Array | None


def solve_low_rank(
    W: Any,
    b: Any,
    *,
    basis: Iterable[int] = (),
    max_pivots: int | None = None,
    tolerance: float = _DEFAULTS.residual_tolerance,
) -> LowRankAnswer:
    """Find x with `w = W W'x + b, x >= 0, w >= 0, x'w = 0`; each pivot costs n nu.

    Args:
        W: (n, nu) rows.
        b: (n,).
        basis: row numbers to start from (the `basis` of the last answer); dependent or useless ones are dropped.
        max_pivots: limit on pivots; 20 (n + nu) + 100 if None.
        tolerance: largest scaled residual of a solution.

    Returns:
        LowRankAnswer.

    Reference:
        [Goldfarb1983]; [Zapolsky2015], Algorithm 2, corrected.
    """
    b = checks.array("b", b, (None,))
    n = len(b)
    W = checks.array("W", W, (n, None))
    nu = W.shape[1]
    start = np.array([int(i) for i in basis], dtype=np.int64)
    for i in start:
        if not 0 <= i < n:
            raise InputError(f"basis: expected row numbers from 0 to {n - 1}, got {i}")
    start = start[:nu]
    options = kernel.PivotingOptions(
        max_pivots=0 if max_pivots is None else int(checks.number("max_pivots", max_pivots, at_least=1)),
        residual_tolerance=checks.number("tolerance", tolerance, above=0),
    )
    rows = np.zeros(nu + 1, dtype=np.int64)
    rows[: len(start)] = start
    u, x, certificate = np.zeros(nu), np.zeros(n), np.zeros(n)
    work = kernel.pivoting_work(n, nu)
    result = kernel.run_principal_pivoting(W, b, rows, len(start), options, work, u, x, certificate)
    status = Status.from_code(result.status)
    proof = certificate if status is Status.INFEASIBLE else None
    return LowRankAnswer(x, u, rows[: result.basic].copy(), status, result.pivots, result.residual, proof)


def principal_pivoting(
    problem: LinearComplementarity,
    *,
    basis: Iterable[int] = (),
    max_pivots: int | None = None,
    tolerance: float = _DEFAULTS.residual_tolerance,
    throw: bool = True,
) -> Solution:
    """Solve a linear complementarity problem with symmetric positive semidefinite M, factored as W W'.

    Args:
        problem: the problem.
        basis: indices thought to have z > 0, to start from.
        max_pivots: limit on pivots.
        tolerance: largest scaled residual of a solution.
        throw: raise SolveError instead of returning a solution that is not solved.

    Returns:
        Solution.

    Raises:
        InputError: M is not symmetric, or not positive semidefinite.
        SolveError: not solved, and `throw`; its `result` is the Solution.
    """
    W = low_rank_factor(problem.M)
    answer = solve_low_rank(W, problem.q, basis=basis, max_pivots=max_pivots, tolerance=tolerance)
    status, certificate = answer.status, answer.certificate
    if certificate is not None and not is_certificate(problem, certificate):
        status, certificate = Status.UNSOLVED, None
    solution = Solution(problem, answer.x, status, answer.pivots, certificate)
    if status is Status.SOLVED and solution.residual > tolerance:  # M differs from W W' within rounding
        solution = Solution(problem, answer.x, Status.UNSOLVED, answer.pivots)
    return solution.require() if throw else solution


def low_rank_factor(M: Any, tolerance: float = 1e-13) -> Array:
    """Return W (n, rank) with M = W W' for a symmetric positive semidefinite M.

    Pivots below `tolerance`, relative to the diagonal scaled to ones, count as zero.
    """
    n = len(M)
    M = checks.array("M", M, (n, n))
    largest = np.abs(M).max(initial=0.0)
    if not np.abs(M - M.T).max(initial=0.0) <= 1e-12 * largest:
        i, j = np.unravel_index(np.argmax(np.abs(M - M.T)), M.shape)
        raise InputError(f"M: expected a symmetric matrix, got {M[i, j]:g} at ({i}, {j}) and {M[j, i]:g} at ({j}, {i})")
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    scale[scale == 0.0] = np.sqrt(largest) if largest > 0 else 1.0
    scaled = 0.5 * (M + M.T) / np.outer(scale, scale)
    order, W = np.empty(n, dtype=np.int64), np.empty((n, n))
    rank = pivoted_cholesky(scaled.copy(), n, tolerance, order, W)
    if rank < 0 or not np.abs(scaled - W @ W.T).max(initial=0.0) <= 1e-9:
        lowest = np.linalg.eigvalsh(scaled)[0]
        raise InputError(
            f"M: expected a positive semidefinite matrix, got one with eigenvalue {lowest:.3g} when its diagonal is "
            "scaled to ones"
        )
    return np.ascontiguousarray(W[:, :rank] * scale[:, None])
