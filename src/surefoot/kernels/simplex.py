"""Linear inequalities by the general simplex method: variables with bounds that change, and a basis that stays warm.

The unknowns z (n columns) and the values y = A z + b (m rows) all have bounds, which may be infinite:

    y = A z + b,        low <= (z, y) <= high

Any basis may be the start of any other problem with the same A: only bounds change on the way down and up a tree of
cases, and a few pivots mend what they broke. That there is no solution is shown by one row of the tableau, which is
checked against A before it is believed; a solution is checked against A, too.

Reference:
    [DutertreMoura2006], the simplex method of solvers modulo theories; [Bland1977], its rule against cycling.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.status import INFEASIBLE, PIVOT_LIMIT, SOLVED, UNSOLVED

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

UNBOUNDED = 100  # an objective grows for ever


class Simplex(NamedTuple):
    """Problem, bounds and basis; variables are numbered columns first, then rows. Make it with `simplex(A, b)`."""

    A: Array  # (m, n + 1) rows, the last column is b
    T: Array  # (m, n + 1) the basic variables by the others
    basic: Indices  # (m,) variable of each row of T
    column: Indices  # (n,) variable of each column of T
    x: Array  # (n + m,) values
    low: Array  # (n + m,)
    high: Array  # (n + m,)
    row: Array  # (n + 1,) work
    wanted: Indices  # (n + m,) work
    pivots: Indices  # (2,) since the tableau was last made from A; in all


class SimplexOptions(NamedTuple):
    """Tolerances, for rows and columns of size about 1."""

    tolerance: float = 1e-10  # a bound may be missed by this
    checked: float = 1e-9  # and by this once it is evaluated from A
    pivot: float = 1e-9  # entries of the tableau below this are rounding
    afresh: int = 100  # pivots after which the tableau is made anew from A
    limit: int = 20  # most pivots per variable


def simplex(A: Array, b: Array) -> Simplex:
    """Return a problem whose variables are free; set `low` and `high`, then solve."""
    m, n = A.shape
    return Simplex(
        A=np.ascontiguousarray(np.column_stack([A, b])),
        T=np.ascontiguousarray(np.column_stack([A, b])),
        basic=np.arange(n, n + m),
        column=np.arange(n),
        x=np.concatenate([np.zeros(n), b]),
        low=np.full(n + m, -np.inf),
        high=np.full(n + m, np.inf),
        row=np.zeros(n + 1),
        wanted=np.zeros(n + m, dtype=np.int64),
        pivots=np.zeros(2, dtype=np.int64),
    )


@kernel
def feasible(s, options):
    """Move to a point within all bounds: SOLVED, INFEASIBLE (shown), UNSOLVED or PIVOT_LIMIT."""
    return restore(s, options)


@kernel
def maximise(s, target, options):
    """Maximise the variable of the free row `target` (0 to m - 1): SOLVED, UNBOUNDED, or why there is no point."""
    n = len(s.column)
    coefficients = s.A[target]
    _express(s, coefficients, s.T[_row_of(s, n + target)])
    _evaluate(s)
    status = restore(s, options)
    if status != SOLVED:
        return status
    status = _climb(s, n + target, options)
    if status == SOLVED and _miss(s) > options.checked:
        _home(s)
        status = restore(s, options)
        if status == SOLVED:
            status = _climb(s, n + target, options)
        if status == SOLVED and _miss(s) > options.checked:
            status = UNSOLVED
    return status


@part
def restore(s, options):
    """See `feasible`."""
    m, n = len(s.basic), len(s.column)
    if s.pivots[0] > options.afresh:
        _home(s)
    _clamp(s)
    failures = 0
    most = options.limit * (m + n) + 100
    for count in range(most):
        careful = count > most // 4  # Bland's rule from here on
        r, up = _leaving(s, options.tolerance, careful)
        c = _entering(s, r, up, options.pivot, careful) if r >= 0 else -1
        if r < 0 or c < 0:
            if r < 0 and _miss(s) <= options.checked:
                return SOLVED
            if r >= 0 and _refuted(s, r, up, options.tolerance):
                return INFEASIBLE
            failures += 1
            if failures == 3:
                return SOLVED if _miss(s) <= options.checked else UNSOLVED
            if failures == 2:  # the basis itself is ill-conditioned: begin without one
                _forget(s)
            _home(s)
            continue
        leaver = s.basic[r]
        bound = s.low[leaver] if up else s.high[leaver]
        _move(s, c, (bound - s.x[leaver]) / s.T[r, c])
        s.x[leaver] = bound
        _pivot(s, r, c)
    return PIVOT_LIMIT


@part
def _climb(s, target, options):
    """Primal simplex from a point within all bounds; `target` is a free basic variable."""
    m, n = len(s.basic), len(s.column)
    most = options.limit * (m + n) + 100
    for count in range(most):
        careful = count > most // 4
        if s.pivots[0] > options.afresh:
            _afresh(s)
        goal = _row_of(s, target)
        c, direction, best = -1, 1.0, options.pivot
        for j in range(n):
            rate, v = s.T[goal, j], s.column[j]
            if (rate > best and s.x[v] < s.high[v]) or (rate < -best and s.x[v] > s.low[v]):
                if careful and c >= 0 and s.column[c] < v:
                    continue
                c, direction = j, 1.0 if rate > 0.0 else -1.0
                if not careful:
                    best = abs(rate)
        if c < 0:
            return SOLVED
        v = s.column[c]
        step = s.high[v] - s.x[v] if direction > 0.0 else s.x[v] - s.low[v]
        r, size = -1, 0.0
        for i in range(m):
            rate, b = direction * s.T[i, c], s.basic[i]
            if abs(rate) <= options.pivot:
                continue
            room = (s.high[b] - s.x[b]) / rate if rate > 0.0 else (s.low[b] - s.x[b]) / rate
            room = max(room, 0.0)
            closer = room < step - 1e-12
            if careful:
                better = room <= step + 1e-12 and r >= 0 and b < s.basic[r]
            else:
                better = room <= step + 1e-12 and abs(rate) > size and r >= 0
            if closer or better:
                step, r, size = min(room, step), i, abs(rate)
        if math.isinf(step) and s.pivots[0] > 0:  # rounding may grow for ever, too
            _afresh(s)
            continue
        if math.isinf(step):
            return UNBOUNDED
        _move(s, c, direction * step)
        if r < 0:
            s.x[v] = s.high[v] if direction > 0.0 else s.low[v]
            continue
        b = s.basic[r]
        s.x[b] = s.high[b] if direction * s.T[r, c] > 0.0 else s.low[b]
        _pivot(s, r, c)
    return PIVOT_LIMIT


@part
def _leaving(s, tolerance, careful):
    """The row whose variable is farthest out of its bounds (careful: of least number), and whether it must grow."""
    r, up, worst = -1, False, tolerance
    for i in range(len(s.basic)):
        v = s.basic[i]
        below, above = s.low[v] - s.x[v], s.x[v] - s.high[v]
        out = max(below, above)
        if out > worst and (not careful or r < 0 or v < s.basic[r]):
            r, up = i, below > above
            if not careful:
                worst = out
    return r, up


@part
def _entering(s, r, up, smallest, careful):
    """The column that can move the variable of row r (largest entry; careful: least number), -1 if there is none."""
    c, best = -1, smallest
    for j in range(len(s.column)):
        v = s.column[j]
        if s.low[v] == s.high[v]:
            continue
        rate = s.T[r, j] if up else -s.T[r, j]
        if (rate > best and s.x[v] < s.high[v]) or (rate < -best and s.x[v] > s.low[v]):
            if careful and c >= 0 and s.column[c] < v:
                continue
            c = j
            if not careful:
                best = abs(rate)
    return c


@part
def _move(s, c, step):
    """Change the variable of column c, and with it the basic ones."""
    s.x[s.column[c]] += step
    for i in range(len(s.basic)):
        s.x[s.basic[i]] += s.T[i, c] * step


@part
def _pivot(s, r, c):
    """Exchange the variables of row r and column c."""
    T, n = s.T, len(s.column)
    inverse = 1.0 / T[r, c]
    for j in range(n + 1):
        T[r, j] *= -inverse
    T[r, c] = inverse
    for i in range(len(s.basic)):
        if i == r:
            continue
        factor = T[i, c]
        if factor == 0.0:
            continue
        T[i, c] = 0.0
        for j in range(n + 1):
            T[i, j] += factor * T[r, j]
    s.basic[r], s.column[c] = s.column[c], s.basic[r]
    s.pivots[0] += 1
    s.pivots[1] += 1


@part
def _clamp(s):
    """Bring the variables of the columns within their bounds, and the basic ones along."""
    for j in range(len(s.column)):
        v = s.column[j]
        if s.x[v] < s.low[v]:
            _move(s, j, s.low[v] - s.x[v])
            s.x[v] = s.low[v]
        elif s.x[v] > s.high[v]:
            _move(s, j, s.high[v] - s.x[v])
            s.x[v] = s.high[v]


@part
def _evaluate(s):
    """Values of the basic variables from those of the columns."""
    n = len(s.column)
    for i in range(len(s.basic)):
        value = s.T[i, n]
        for j in range(n):
            value += s.T[i, j] * s.x[s.column[j]]
        s.x[s.basic[i]] = value


@part
def _afresh(s):
    """Make the tableau of the present basis anew from A, by pivots of largest entry."""
    m, n = len(s.basic), len(s.column)
    before = s.pivots[1]
    s.wanted[:] = 0
    for i in range(m):
        s.wanted[s.basic[i]] = 1
        s.basic[i] = n + i
    for j in range(n):
        s.column[j] = j
    for i in range(m):
        for j in range(n + 1):
            s.T[i, j] = s.A[i, j]
    while True:
        r, c, best = -1, -1, 1e-11
        for i in range(m):
            if s.wanted[s.basic[i]] == 0:
                for j in range(n):
                    if s.wanted[s.column[j]] == 1 and abs(s.T[i, j]) > best:
                        r, c, best = i, j, abs(s.T[i, j])
        if r < 0:
            break
        _pivot(s, r, c)
    s.pivots[0], s.pivots[1] = 0, before
    _evaluate(s)


@part
def _home(s):
    """Begin again at the present basis, with the values of the columns near 0: some wander far off on the way."""
    for j in range(len(s.column)):
        v = s.column[j]
        s.x[v] = min(max(0.0, s.low[v]), s.high[v])
    _afresh(s)


@part
def _forget(s):
    """Let the rows be the basis again."""
    m, n = len(s.basic), len(s.column)
    for i in range(m):
        s.basic[i] = n + i
    for j in range(n):
        s.column[j] = j


@part
def _express(s, coefficients, row_out):
    """The row of T that belongs to `coefficients` (n + 1,) of the columns and 1."""
    n = len(s.column)
    for j in range(n):
        row_out[j] = coefficients[s.column[j]] if s.column[j] < n else 0.0
    row_out[n] = coefficients[n]
    for i in range(len(s.basic)):
        v = s.basic[i]
        if v < n and coefficients[v] != 0.0:
            for j in range(n + 1):
                row_out[j] += coefficients[v] * s.T[i, j]


@part
def _row_of(s, v):
    """The row of T that belongs to a basic variable, -1 if it is not basic."""
    for i in range(len(s.basic)):
        if s.basic[i] == v:
            return i
    return -1


@part
def _refuted(s, r, up, tolerance):
    """Whether row r of T shows that there is no point: its variable is out of bounds by more than T may be wrong.

    T is wrong by what it differs from A, and by entries that were too small to count.
    """
    n, v = len(s.column), s.basic[r]
    value, wrong = s.T[r, n], _identity(s, r)
    for j in range(n):
        w = s.column[j]
        value += s.T[r, j] * s.x[w]
        rate = s.T[r, j] if up else -s.T[r, j]
        if (rate > 0.0 and s.x[w] < s.high[w]) or (rate < 0.0 and s.x[w] > s.low[w]):
            wrong = max(wrong, abs(rate))
    out = s.low[v] - value if up else value - s.high[v]
    return out > max(tolerance, 10.0 * wrong)


@part
def _identity(s, r):
    """How far row r of T is from following from A: written in the columns of A it should vanish, here and elsewhere."""
    n = len(s.column)
    row = s.row
    for j in range(n + 1):
        row[j] = 0.0
    row[n] = -s.T[r, n]
    for j in range(-1, n):
        v = s.basic[r] if j < 0 else s.column[j]
        factor = 1.0 if j < 0 else -s.T[r, j]
        if v < n:
            row[v] += factor
        else:
            for k in range(n + 1):
                row[k] += factor * s.A[v - n, k]
    error = abs(row[n])
    for j in range(n):
        error += abs(row[j]) * max(1.0, abs(s.x[j]))
    return error


@part
def _miss(s):
    """The farthest that a variable is out of its bounds, evaluated from A."""
    m, n = len(s.basic), len(s.column)
    worst = 0.0
    for j in range(n):
        worst = max(worst, s.low[j] - s.x[j], s.x[j] - s.high[j])
    for i in range(m):
        value = s.A[i, n]
        for j in range(n):
            value += s.A[i, j] * s.x[j]
        worst = max(worst, s.low[n + i] - value, value - s.high[n + i])
    return worst
