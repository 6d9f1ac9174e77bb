"""Lemke's method for any linear complementarity problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import lemke as kernel
from surefoot.solvers.infeasibility import find_certificate
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.refutation import refute
from surefoot.solvers.solution import Solution
from surefoot.solvers.status import Status

_DEFAULTS = kernel.LemkeOptions()


def lemke(
    problem: LinearComplementarity,
    *,
    cover: Any = None,
    max_pivots: int | None = None,
    tolerance: float = _DEFAULTS.residual_tolerance,
    attempts: int = _DEFAULTS.attempts,
    regularise: bool = _DEFAULTS.regularise,
    prove: int = 0,
    throw: bool = True,
) -> Solution:
    """Find z with `w = M z + q, z >= 0, w >= 0, z'w = 0` by complementary pivoting.

    The first run follows the lexicographic rule, which cannot cycle. If it ends on a ray or its answer fails the check,
    runs by other rules and other covering vectors follow, then runs on a slightly regularised matrix. Only an answer
    that passes the check of the given problem is called solved. If none does, a linear program looks for a proof that
    there is none, and then, if asked, a search by cases.

    Args:
        problem: the problem.
        cover: (n,) positive covering vector of the scaled problem; ones if None.
        max_pivots: limit on the pivots of a run; 20 n + 50 if None.
        tolerance: largest |min(z, w)| of the scaled problem relative to its largest -q, 1e-12 to 1e-6.
        attempts: runs on the given matrix before regularising.
        regularise: whether to try regularised matrices in the end.
        prove: linear programs to spend, if all else fails, on a search by cases that ends with a solution or with the
            proof that there is none (see `refutation.refute`); 0 for none, 2000 take seconds.
        throw: raise SolveError instead of returning a solution that is not solved.

    Returns:
        Solution.

    Raises:
        InputError: an argument is not as described.
        SolveError: not solved, and `throw`; its `result` is the Solution.

    Reference:
        Cottle, Pang, Stone: The Linear Complementarity Problem (1992), algorithm 4.4.5, section 4.9.
    """
    n = problem.size
    cover = np.ones(n) if cover is None else checks.array("cover", cover, (n,))
    if not (cover > 0).all():
        i = int(np.argmax(~(cover > 0)))
        raise InputError(f"cover[{i}]: expected a number above 0, got {cover[i]:g}")
    options = kernel.LemkeOptions(
        max_pivots=0 if max_pivots is None else int(checks.number("max_pivots", max_pivots, at_least=1)),
        residual_tolerance=checks.number("tolerance", tolerance, above=0),
        attempts=int(checks.number("attempts", attempts, at_least=1)),
        regularise=bool(regularise),
    )
    z = np.zeros(n)
    result = kernel.run_lemke(problem.M, problem.q, cover, options, kernel.lemke_work(n), z)
    status = Status.from_code(result.status)
    regularisation = result.regularisation
    certificate = None if status.is_solved else find_certificate(problem)
    if certificate is None and not status.is_solved and checks.number("prove", prove, at_least=0) > 0:
        search = refute(problem, prove)
        certificate = search.refutation
        if search.z is not None and Solution(problem, search.z, Status.SOLVED).check(tolerance):
            z, status, regularisation = search.z, Status.SOLVED, 0.0
    if certificate is not None:
        status = Status.INFEASIBLE
    solution = Solution(problem, z, status, result.pivots, certificate, regularisation)
    return solution.require() if throw else solution
