"""Limits that contradict each other give way, by as little as can be.

    min sum (w_i / scale_i)^2   subject to   G beta + g + w >= 0

Beta is weighed a little, about where the last step left it, so that steps end where the sum is least.
"""

from __future__ import annotations

from numba import int64

from surefoot.kernels.cache import part
from surefoot.kernels.principal_pivoting import principal_pivoting
from surefoot.kernels.task_program import ROOM, STEPS, STILL, narrow

LIGHT = 1e-4  # weight of the coordinates against limits that give way, in proximal steps


@part
def give_way(work, limits, rows, count):
    """The least amounts by which the limits must give way, into `work.give`; beta goes where they are least.

    Limits that give way become equations. Returns the number of coordinates that are then free.
    """
    width = count + rows
    W = work.W_give[: rows * width].reshape(rows, width)
    for i in range(rows):
        for b in range(count):
            W[i, b] = limits.G[i, b] / (LIGHT * limits.scale[i])
        for j in range(rows):
            W[i, count + j] = 0.0
        W[i, count + i] = 1.0
        work.give[i] = 0.0
        work.fixed[i] = 0
    basic = int64(0)
    for b in range(count):
        work.s[b] = 0.0
    for _ in range(STEPS):
        moved, far = 0.0, 1.0
        for i in range(rows):
            total = limits.g[i]
            for b in range(count):
                total += limits.G[i, b] * work.s[b]
            work.b[i] = total / limits.scale[i]
        result = principal_pivoting(
            W, work.b[:rows], work.basis_give[: width + 1], basic, False, work.options, work.work_give,
            work.u_give[:width], work.x[:rows], work.certificate[:rows],
        )  # fmt: skip
        basic = result.basic
        for b in range(count):
            change = work.u_give[b] / LIGHT
            work.s[b] += change
            moved, far = max(moved, abs(change)), max(far, abs(work.s[b]))
        if moved <= STILL * far:
            break
    for i in range(rows):
        total = limits.g[i]
        for b in range(count):
            total += limits.G[i, b] * work.s[b]
        if total < -ROOM * limits.scale[i]:
            work.give[i] = -total
            work.fixed[i] = 1
    return narrow(work, limits, work.D, int64(0), rows, count, count, True)


@part
def largest_violation(work, limits, rows, count):
    """How far the answer is beyond a limit that did not give way, in that limit's scale; 0 if it is within all."""
    worst = 0.0
    for i in range(rows):
        total = limits.g[i] + work.give[i]
        for b in range(count):
            total += limits.G[i, b] * work.s[b]
        worst = max(worst, -total / limits.scale[i])
    return worst
