"""Every feasible combination of contact modes, by depth-first search over linear inequalities that stay warm.

Each of k blocks (a contact) is in one of its modes, and a mode is a set of bounds on the block's variables: forces and
accelerations that vanish or keep a sign. A block that is not decided yet keeps the bounds that all of its modes share,
so a node of the tree that has no solution cuts off everything below it: few of the 4^k combinations are ever looked
at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.simplex import restore
from surefoot.kernels.status import CAPACITY, INFEASIBLE, PIVOT_LIMIT, SOLVED

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Places in SearchState.counts.
DEPTH = 0
FOUND = 1
NODES = 2


class Blocks(NamedTuple):
    """k blocks; arrays are filled up to the largest block. Every variable belongs to one block at most."""

    count: Indices  # (k,) modes
    size: Indices  # (k,) variables
    variable: Indices  # (k, V) numbers in the simplex
    low: Array  # (k, M, V) bounds by mode
    high: Array  # (k, M, V)
    strict: Indices  # (k, M, V) 1 where the lower bound is strict, -1 where the upper one is
    free_low: Array  # (k, V) bounds of an undecided block
    free_high: Array  # (k, V)


class SearchState(NamedTuple):
    """Where the search is; it can stop at any node and go on. Make it with `search_state(k)`."""

    mode: Indices  # (k,) modes on the way down to the present node, -1 above the first
    counts: Indices  # (3,) depth, combinations found, nodes visited


def search_state(blocks: int) -> SearchState:
    """Return the start of a search."""
    return SearchState(np.full(blocks, -1, dtype=np.int64), np.zeros(3, dtype=np.int64))


def progress(state: SearchState, blocks: Blocks) -> float:
    """The fraction of all combinations that is done."""
    depth, done, share = int(state.counts[DEPTH]), 0.0, 1.0
    if depth < 0 or len(state.mode) == 0:
        return 1.0
    for i in range(depth + 1):
        share /= float(blocks.count[i])
        done += (int(state.mode[i]) + (i == depth)) * share
    return done


@kernel
def search(s, blocks, options, room, state, budget, leaves_out, sure_out):
    """Go on with the search for `budget` nodes: SOLVED (finished), PIVOT_LIMIT (not yet), CAPACITY (leaves are full).

    Args:
        s: Simplex with the bounds of everything that belongs to no block.
        blocks: Blocks.
        options: SimplexOptions.
        room: of strict bounds, with which a combination is beyond doubt.
        state: SearchState.
        budget: nodes.
        leaves_out: (capacity, k) modes of each combination found.
        sure_out: (capacity,) 1 if it is beyond doubt, 0 if it is to be looked at more closely.
    """
    k = len(blocks.count)
    if k == 0:
        if state.counts[FOUND] == 0:
            state.counts[FOUND], state.counts[NODES] = 1, 1
        return SOLVED
    if state.counts[NODES] == 0:
        for i in range(k):
            for a in range(blocks.size[i]):
                v = blocks.variable[i, a]
                s.low[v], s.high[v] = blocks.free_low[i, a], blocks.free_high[i, a]
    for _ in range(budget):
        depth = state.counts[DEPTH]
        if depth < 0:
            return SOLVED
        if state.counts[FOUND] == len(leaves_out):
            return CAPACITY
        state.mode[depth] += 1
        m = state.mode[depth]
        if m == blocks.count[depth]:
            state.mode[depth] = -1
            state.counts[DEPTH] = depth - 1
            for a in range(blocks.size[depth]):
                v = blocks.variable[depth, a]
                s.low[v], s.high[v] = blocks.free_low[depth, a], blocks.free_high[depth, a]
            continue
        for a in range(blocks.size[depth]):
            v = blocks.variable[depth, a]
            s.low[v], s.high[v] = blocks.low[depth, m, a], blocks.high[depth, m, a]
        status = restore(s, options)
        state.counts[NODES] += 1
        if status == INFEASIBLE:
            continue
        if depth < k - 1:
            state.counts[DEPTH] = depth + 1
        else:
            for i in range(k):
                leaves_out[state.counts[FOUND], i] = state.mode[i]
            sure_out[state.counts[FOUND]] = status == SOLVED and _with_room(s, blocks, options, room, state)
            state.counts[FOUND] += 1
    return PIVOT_LIMIT


@part
def _with_room(s, blocks, options, room, state):
    """Whether the strict bounds of a combination hold with some room."""
    for side in range(2):
        for i in range(len(blocks.count)):
            m = state.mode[i]
            for a in range(blocks.size[i]):
                v, sign = blocks.variable[i, a], blocks.strict[i, m, a]
                if sign > 0:
                    s.low[v] = room if side == 0 else blocks.low[i, m, a]
                elif sign < 0:
                    s.high[v] = -room if side == 0 else blocks.high[i, m, a]
        if side == 0:
            found = restore(s, options) == SOLVED
    return found
