"""Lemke's method for `w = M z + q, z >= 0, w >= 0, z'w = 0`, made to survive redundant and degenerate contacts.

[Cottle1992] algorithm 4.4.5 with the lexicographic rule of section 4.9, on an explicit inverse of the basis. What makes
it exact is around the pivots: the problem is scaled by powers of two, the basis is rebuilt from the problem's own data
every so often and at the end, and no answer leaves without a check against the problem. A ray or a failed check starts
another attempt: other pivot rules, a basis rebuilt at every pivot, other covering vectors, and last a slightly
regularised matrix, whose answer counts as solved only if it passes the check of the given problem.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64

from surefoot.kernels import status as codes
from surefoot.kernels.cache import kernel, part
from surefoot.kernels.lemke_basis import (
    LemkeWork,
    entering_column,
    exchange,
    factor_basis,
    lemke_work,
    rebuild_inverse,
    start_basis,
)
from surefoot.kernels.linear_algebra import row_dot

__all__ = ["LemkeOptions", "LemkeResult", "LemkeWork", "lemke", "lemke_work"]

LEXICOGRAPHIC = 0  # ties broken by the rows of the inverse: cannot cycle
LARGEST_PIVOT = 1  # among the near-ties the largest pivot: accurate, may cycle

SOLUTION = 0  # the artificial variable left
RAY = 1
LIMIT = 2
SINGULAR = 3


class LemkeOptions(NamedTuple):
    """Tolerances and limits; all are relative to the scaled problem, whose matrix and most negative q are about 1."""

    max_pivots: int = 0  # per attempt; 0: 20 n + 50
    refactor_every: int = 24  # pivots between two rebuilds of the basis in the first attempt, plus n / 4
    pivot_tolerance: float = 1e-8  # smaller entries of the entering column count as zero
    tie_tolerance: float = 1e-8  # ratios this close count as tied
    residual_tolerance: float = 1e-9  # largest |min(z, w)| of a solution
    softened_tolerance: float = 1e-4  # largest |min(z, w)| of an answer that is reported as regularised
    attempts: int = 8  # runs on the given matrix, each by other rules, before regularising
    regularise: bool = True  # whether to end with the regularisation ladder


class LemkeResult(NamedTuple):
    """How the solve ended."""

    status: int  # see kernels/status.py
    pivots: int  # of all attempts
    residual: float  # largest |min(z, w)| of the scaled problem, relative to its largest -q
    attempts: int  # runs made
    regularisation: float  # added to the diagonal of the scaled matrix in the run that gave z, else 0


@part
def lemke(M, q, cover, options, work, z_out):
    """Solve one linear complementarity problem.

    Args:
        M: (n, n).
        q: (n,).
        cover: (n,) positive covering vector of the first attempt, in the scaled problem.
        options: LemkeOptions.
        work: LemkeWork of size n (or larger).
        z_out: (n,) the solution; after a failure the best candidate, which violates the problem.

    Returns:
        LemkeResult.
    """
    n = q.shape[0]
    for i in range(n):
        z_out[i] = 0.0
        if not math.isfinite(q[i]) or not math.isfinite(cover[i]):
            return LemkeResult(codes.NOT_FINITE, 0, np.inf, 0, 0.0)
        for j in range(n):
            if not math.isfinite(M[i, j]):
                return LemkeResult(codes.NOT_FINITE, 0, np.inf, 0, 0.0)
    demand, largest = scale_problem(M, q, n, work)
    if not demand > 0.0:
        return LemkeResult(codes.SOLVED, 0, 0.0, 0, 0.0)

    limit = options.max_pivots if options.max_pivots > 0 else 20 * n + 50
    pivots = 0
    residual = np.inf
    regularisation = 0.0
    end = RAY
    ladder = 5 if options.regularise else 0
    attempt = 0
    while attempt < options.attempts + ladder:
        softness = 0.0
        if attempt >= options.attempts:
            softness = 1e-12 * 100.0 ** (attempt - options.attempts)
        rule = LEXICOGRAPHIC if attempt % 2 == 0 else LARGEST_PIVOT
        every = options.refactor_every + n // 4 if attempt == 0 else 1
        loosen = 0.1 ** (attempt // 2) * (100.0 if attempt % 4 == 2 else 1.0)
        for i in range(n):
            work.M[i, i] += softness
            # From the third attempt on other covering vectors: 1 + the fraction of multiples of the golden ratio.
            stir = (i + 1) * 0.6180339887498949 * (attempt - 2)
            work.cover[i] = cover[i] if attempt < 3 else cover[i] * (1.0 + stir - math.floor(stir))
        run_end, run_pivots = complementary_pivots(
            n, rule, every, limit, loosen * options.pivot_tolerance, loosen * options.tie_tolerance, work
        )
        pivots += run_pivots
        if attempt == 0 or run_end == LIMIT:
            end = run_end
        for i in range(n):
            work.M[i, i] -= softness
        attempt += 1
        if run_end == SOLUTION:
            found = read_solution(n, softness, work)
            if found < residual:
                residual = found
                regularisation = softness
                for i in range(n):
                    work.best[i] = work.z[i]
            if residual <= options.residual_tolerance:
                break
    if residual < np.inf:
        for i in range(n):
            z_out[i] = work.best[i] * work.column_scale[i] * demand
    # The most negative q may be far below the largest one; a residual small against the latter is still a solution.
    if residual <= options.residual_tolerance * max(1.0, largest):
        return LemkeResult(codes.SOLVED, pivots, residual, attempt, regularisation)
    if residual <= options.softened_tolerance and regularisation > 0.0:
        return LemkeResult(codes.REGULARISED, pivots, residual, attempt, regularisation)
    code = codes.PIVOT_LIMIT if end == LIMIT else codes.UNSOLVED
    return LemkeResult(code, pivots, residual, attempt, regularisation)


@kernel
def run_lemke(M, q, cover, options, work, z_out):
    """`lemke` for Python."""
    return lemke(M, q, cover, options, work, z_out)


@part
def scale_problem(M, q, n, work):
    """Write the scaled problem to the work arrays: rows r, columns s with r M s of size 1, and q over its largest -q.

    Where M has a diagonal, r = s = 1 / sqrt(M_ii): impulses and velocities both become roots of energies. Where it has
    none (the rows of friction cones), r and s make the largest entry of the row and of the column 1. All are powers of
    two, so that scaling rounds nothing.

    Returns:
        (demand, largest): the largest -q and the largest |q| over it, both of the scaled rows; demand 0 if q >= 0.
    """
    r, s = work.row_scale, work.column_scale
    diagonal = 0.0
    for i in range(n):
        diagonal = max(diagonal, abs(M[i, i]))
    floor = 1e-13 * diagonal
    for i in range(n):
        s[i] = _power_of_two(1.0 / math.sqrt(abs(M[i, i]))) if abs(M[i, i]) > floor else 0.0
        r[i] = s[i]
    for i in range(n):
        if not abs(M[i, i]) > floor:
            row = 0.0
            column = 0.0
            for j in range(n):
                if abs(M[j, j]) > floor:
                    row = max(row, abs(M[i, j]) * s[j])
                    column = max(column, abs(M[j, i]) * r[j])
            r[i] = _power_of_two(1.0 / row) if row > 0.0 else 1.0
            s[i] = _power_of_two(1.0 / column) if column > 0.0 else 1.0
    demand = 0.0
    largest = 0.0
    for i in range(n):
        work.q[i] = r[i] * q[i]
        demand = max(demand, -work.q[i])
        largest = max(largest, abs(work.q[i]))
        for j in range(n):
            work.M[i, j] = r[i] * M[i, j] * s[j]
    if not demand > 0.0:
        return 0.0, 0.0
    for i in range(n):
        work.q[i] /= demand
    return demand, largest / demand


@part
def _power_of_two(x):
    """Return the power of two just above x."""
    return math.ldexp(1.0, math.frexp(x)[1])


@part
def complementary_pivots(n, rule, refactor_every, max_pivots, pivot_tolerance, tie_tolerance, work):
    """Follow Lemke's path from z = 0 on the problem in the work arrays.

    Returns:
        (end, pivots): SOLUTION, RAY, LIMIT or SINGULAR; the basis is in the work arrays.
    """
    start_basis(n, work)
    # Taken out of the record once: each look into it costs as much as a small pivot.
    M, q, cover, inverse, basis, x = work.M, work.q, work.cover, work.inverse, work.basis, work.x
    column, scratch, tied = work.column, work.vector, work.tied
    # Lexicographically smallest row of [q | I] / cover: of equal ratios the last.
    place = int64(0)
    smallest = np.inf
    for i in range(n):
        column[i] = -cover[i]
        if cover[i] > 0.0 and q[i] / cover[i] <= smallest:
            smallest = q[i] / cover[i]
            place = i
    entering = 2 * n
    pivots = 0
    while True:
        leaving = basis[place]
        exchange(n, place, entering, column, scratch, basis, x, inverse)
        pivots += 1
        if leaving == 2 * n:
            return SOLUTION, pivots
        if pivots >= max_pivots:
            return LIMIT, pivots
        if pivots % refactor_every == 0 and not rebuild_inverse(n, work):
            return SINGULAR, pivots
        entering = leaving + n if leaving < n else leaving - n
        entering_column(n, entering, M, cover, inverse, scratch, column)
        place = leaving_place(n, rule, pivot_tolerance, tie_tolerance, column, basis, x, inverse, tied)
        if place < 0:
            return RAY, pivots


@part
def leaving_place(n, rule, pivot_tolerance, tie_tolerance, column, basis, x, inverse, tied):
    """Return the position that leaves the basis: the smallest ratio x / column over positive entries; -1 for a ray."""
    largest = 1.0
    for i in range(n):
        largest = max(largest, abs(column[i]))
    threshold = pivot_tolerance * largest
    step = np.inf
    slack = tie_tolerance if rule == LARGEST_PIVOT else 0.0
    for i in range(n):
        if column[i] > threshold:
            step = min(step, (max(x[i], 0.0) + slack) / column[i])
    if step == np.inf:
        return -1
    count = int64(0)
    near = tie_tolerance if rule == LEXICOGRAPHIC else 0.0
    for i in range(n):
        if column[i] > threshold and x[i] - step * column[i] <= near:
            if basis[i] == 2 * n:
                return i
            tied[count] = i
            count += 1
    if rule == LEXICOGRAPHIC:
        return _lexicographic(n, tie_tolerance, column, inverse, tied, count)
    best = tied[0]
    for k in range(1, count):
        if column[tied[k]] > column[best]:
            best = tied[k]
    return best


@part
def _lexicographic(n, tie_tolerance, column, inverse, tied, count):
    """Return which of the tied positions has the lexicographically smallest row of the inverse over the column."""
    j = 0
    while count > 1 and j < n:
        smallest = np.inf
        for k in range(count):
            smallest = min(smallest, inverse[tied[k], j] / column[tied[k]])
        near = tie_tolerance * max(1.0, abs(smallest))
        kept = 0
        for k in range(count):
            i = tied[k]
            if inverse[i, j] - smallest * column[i] <= near:
                tied[kept] = i
                kept += 1
        count = kept
        j += 1
    return tied[0]


@part
def read_solution(n, softness, work):
    """Solve for z afresh from the final basis, clamp what rounding made negative, and return the checked residual."""
    # A basis of the regularised problem may be singular in the given one: then the regularised values stay.
    if factor_basis(n, work) < 0 and softness == 0.0:
        return np.inf
    for i in range(n):
        work.z[i] = 0.0
    for p in range(n):
        i = work.basis[p] - n
        if 0 <= i < n:
            work.z[i] = max(work.x[p], 0.0)
    return natural_residual(n, work.M, work.q, work.z)


@part
def natural_residual(n, M, q, z):
    """Return the largest |min(z, M z + q)|."""
    worst = 0.0
    for i in range(n):
        violation = abs(min(z[i], q[i] + row_dot(M, i, z, n)))
        if not violation <= worst:
            worst = violation
    return worst
