"""Limits that contradict each other give way, by as little as can be.

    min sum (w_i / scale_i)^2   subject to   G beta + g + w >= 0

Beta is weighed a little, about where the last step left it, so that steps end where the sum is least. Which limits give
way is then known, and the last steps are those of Newton: the least squares of these alone.
"""

from __future__ import annotations

from numba import int64

from surefoot.kernels.cache import part
from surefoot.kernels.free_coordinates import SAME, narrow, slack
from surefoot.kernels.null_space import nearest_sum
from surefoot.kernels.principal_pivoting import principal_pivoting
from surefoot.kernels.task_program import STEPS, STILL

LIGHT = 1e-4  # weight of the coordinates against limits that give way, in proximal steps
NEWTON = 20  # steps at most
ROUNDING = 1e-12  # of a sum of squares
GIVES = 1e-11  # of a limit's scale: what is exceeded by less holds


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
    _least_squares(work, limits, rows, count)
    for i in range(rows):
        room = slack(work, limits, i, count)
        if room < -GIVES * limits.scale[i]:
            work.give[i] = -room
            work.fixed[i] = 1
    return narrow(work, limits, work.D, int64(0), rows, count, count, True)


@part
def _least_squares(work, limits, rows, count):
    """Newton's steps on the sum of squares, as long as they do not make it more."""
    least = _sum_of_squares(work, limits, rows, count)
    for _ in range(NEWTON):
        number = 0
        for i in range(rows):
            room = slack(work, limits, i, count) / limits.scale[i]
            if room < 0.0:
                for b in range(count):
                    work.Dn[b, number] = limits.G[i, b] / limits.scale[i]
                work.e_turned[number] = -room
                number += 1
        for b in range(count):
            work.s_first[b] = work.s[b]
        rank = nearest_sum(work.Dn, count, number, work.e_turned, SAME, work.order, work.pivot)
        moved, far = 0.0, 1.0
        for k in range(rank):
            b = work.order[k]
            work.s[b] += work.e_turned[k]
            moved, far = max(moved, abs(work.e_turned[k])), max(far, abs(work.s[b]))
        now = _sum_of_squares(work, limits, rows, count)
        if moved <= STILL * far:
            return
        if not now <= (1.0 + ROUNDING) * least:
            for b in range(count):
                work.s[b] = work.s_first[b]
            return
        least = min(now, least)


@part
def _sum_of_squares(work, limits, rows, count):
    """Of what limits are exceeded by, in their scales."""
    total = 0.0
    for i in range(rows):
        total += min(slack(work, limits, i, count) / limits.scale[i], 0.0) ** 2
    return total
