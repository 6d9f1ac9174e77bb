"""The least change of a design that brings its witnesses back within their limits.

    min |w x|^2 / 2 + c s + rho s^2 / 2  subject to  J x + phi + s >= aim,  s >= 0,  low <= p + x <= high,  |x| <= trust

in which x counts parameters by their ranges. With all rows reached and no bound, x is the -J^+ phi of [Zapolsky2017]
(algorithm 2, line 15); s is what the worst row still lacks where all cannot be mended in one go. Its linear term makes
it zero, not just small, where they can.
"""

from __future__ import annotations

from dataclasses import dataclass

import daqp
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError

Array = NDArray[np.float64]
DEAR, FIRM = 1e3, 1e6  # c and rho: what violations weigh against changes of parameters
INFINITE = 1e30


@dataclass(frozen=True, eq=False)
class Update:
    """A suggested change.

    Attributes:
        change: (m,) of the parameters, in their units.
        left: what the worst row still lacks, by the slopes.
        held: (m,) how much the bounds of each parameter hold it back: multipliers, 0 where it is free.
    """

    change: Array
    left: float
    held: Array


def least_update(
    slopes: Array, values: Array, aims: Array, p: Array, low: Array, high: Array, weights: Array, trust: float
) -> Update:
    """Solve the program above.

    Args:
        slopes: (rows, m) of the witnesses over the parameters.
        values: (rows,) phi.
        aims: (rows,) what they shall be at least.
        p: (m,) parameters.
        low: (m,) bounds.
        high: (m,) bounds.
        weights: (m,) how dear changes are.
        trust: largest change, as a share of the range.

    Raises:
        InputError: a shape that does not fit, a number that is not finite, or p beyond its bounds.
    """
    p = checks.array("p", p, (None,))
    values = checks.array("values", values, (None,))
    m, r = len(p), len(values)
    slopes, aims = checks.array("slopes", slopes, (r, m)), checks.array("aims", aims, (r,))
    low, high, weights = (
        checks.array(name, array, (m,)) for name, array in (("low", low), ("high", high), ("weights", weights))
    )
    if not ((low <= p) & (p <= high) & (low < high)).all():
        raise InputError("p: expected parameters within their bounds, and low below high")
    if not (weights > 0.0).all():
        raise InputError(f"weights: expected numbers above 0, got {weights.min():g}")
    trust = checks.number("trust", trust, above=0.0)
    unit = (high - low) / weights  # so that the norm is the plain one
    A = np.hstack([slopes * unit, np.ones((r, 1))])
    room = np.stack([(low - p) / unit, (high - p) / unit])
    step = np.clip(room, -trust * weights, trust * weights)
    lower = np.concatenate([step[0], [0.0], aims - values])
    upper = np.concatenate([step[1], np.full(1 + r, INFINITE)])
    H = np.diag(np.append(np.ones(m), FIRM))
    x, _, flag, info = daqp.solve(
        H, np.append(np.zeros(m), DEAR), A, upper, lower, np.zeros(m + 1 + r, dtype=np.int32), primal_tol=1e-11
    )
    if flag < 1:  # such a program has an answer; only numbers out of all proportion keep it from being found
        return Update(np.zeros(m), float(np.max(aims - values, initial=0.0)), np.zeros(m))
    x, multipliers = np.asarray(x), np.abs(np.asarray(info["lam"])[:m])
    at = np.abs(x[:m] - step) <= 1e-9 * (1.0 + np.abs(step))
    held = at & (room == step)
    target = np.where(held[0], low, np.where(held[1], high, p + x[:m] * unit))  # a bound is met to the bit
    change = np.clip(target, low, high) - p
    return Update(change, max(float(x[m]), 0.0), np.where(held.any(axis=0), multipliers, 0.0))
