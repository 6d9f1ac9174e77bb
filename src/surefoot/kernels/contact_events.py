"""When pairs of geoms begin and cease to touch, to stick and to slip: from the log of a roll-out to events."""

from __future__ import annotations

import math

from surefoot.kernels.cache import kernel

TOUCHDOWN = 0
LIFTOFF = 1
STICK = 2
SLIP = 3

# What is remembered of a pair.
CLOSED = 0  # 1: touches, as told
SINCE = 1  # steps that it has been otherwise
SLIPS = 2  # 1: slips, as told
OTHERWISE = 3  # steps that it has been otherwise
ROW = 4  # of the contact when it began to be otherwise, -1 if none
SEEN = 5  # last step in which it touched, -1
PAIR = 6


@kernel
def contact_events(start, geoms, forces, velocities, first, last, steady, slow, pair_of, memory, out):
    """Events of steps first..last-1; what flickers for less than `steady` steps is none.

    Args:
        start: (steps + 1,) rows of the contacts of each step.
        geoms: (rows, 2) int64.
        forces, velocities: (rows, 3) N, m/s in the contact's frame.
        first, last: step numbers.
        steady: steps for which a pair must be otherwise before it is told.
        slow: m/s of slip below which a pair sticks.
        pair_of: (ngeom, ngeom) int64: number of the pair, -1: not watched.
        memory: (pairs, PAIR) int64, lives from call to call; SEEN and ROW start at -1.
        out: (most, 3) int64: step at which it began, kind, row of a contact then (-1 for a liftoff).

    Returns:
        Number of events, or -1 if `out` is too short.
    """
    count = 0
    for k in range(first, last):
        for row in range(start[k], start[k + 1]):
            if forces[row, 0] <= 0.0 or geoms[row, 0] < 0 or geoms[row, 1] < 0:
                continue
            pair = pair_of[geoms[row, 0], geoms[row, 1]]
            if pair < 0:
                continue
            mine = memory[pair]
            again = mine[SEEN] == k  # another point of the same pair
            mine[SEEN] = k
            speed = math.sqrt(velocities[row, 1] ** 2 + velocities[row, 2] ** 2)
            if mine[CLOSED] == 0:
                if mine[SINCE] == 0:
                    mine[ROW] = row
                if not again:
                    mine[SINCE] += 1
                if mine[SINCE] >= steady:
                    if count == out.shape[0]:
                        return -1
                    out[count, 0], out[count, 1], out[count, 2] = k - mine[SINCE] + 1, TOUCHDOWN, mine[ROW]
                    count += 1
                    mine[CLOSED], mine[SINCE] = 1, 0
                    mine[SLIPS], mine[OTHERWISE] = (1 if speed > slow else 0), 0
            elif not again:
                mine[SINCE] = 0
                if (speed > slow) == (mine[SLIPS] == 1):
                    mine[OTHERWISE] = 0
                else:
                    mine[OTHERWISE] += 1
                if mine[OTHERWISE] >= steady:
                    if count == out.shape[0]:
                        return -1
                    mine[SLIPS] = 1 - mine[SLIPS]
                    kind = SLIP if mine[SLIPS] == 1 else STICK
                    out[count, 0], out[count, 1], out[count, 2] = k - mine[OTHERWISE] + 1, kind, row
                    count += 1
                    mine[OTHERWISE] = 0
        for pair in range(memory.shape[0]):
            mine = memory[pair]
            if mine[SEEN] == k:
                continue
            if mine[CLOSED] == 0:
                mine[SINCE] = 0
            else:
                mine[SINCE] += 1
                if mine[SINCE] >= steady:
                    if count == out.shape[0]:
                        return -1
                    out[count, 0], out[count, 1], out[count, 2] = k - mine[SINCE] + 1, LIFTOFF, -1 - pair
                    count += 1
                    mine[CLOSED], mine[SINCE] = 0, 0
    return count
