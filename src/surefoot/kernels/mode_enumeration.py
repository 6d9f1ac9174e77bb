"""All complementary modes of a few contacts, depth first, in the space of the free velocities (see `mode_leaf`).

The V of the modes of one block partition what its velocity can be: a solution belongs to the one mode whose V hold
strictly, and in all others that allow it, it lies on the border. So no solution is met twice.

A branch of the tree is cut where the rows R of its blocks have no y in common, or none within a ball that must hold
every solution, or where a row V is nowhere positive on what they have in common. A leaf is a linear system.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.mode_leaf import WIDE, LeafWork, leaf_work, row_value, solve_leaf

Array = NDArray[np.float64]


class EnumerationWork(NamedTuple):
    """Work arrays; make them with `enumeration_work(n, nu, signs)`."""

    mode: NDArray[np.int64]  # (n,) where the search is
    rank: NDArray[np.int64]  # (n + 1,) rows of Q above each depth
    away: Array  # (n + 1,) squared distance of the rows' common y from the centre of the ball
    y: Array  # (n + 1, nu) the nearest such y
    Q: Array  # (3n, nu) orthonormal rows
    row: Array  # (nu,)
    leaf: LeafWork


def enumeration_work(n: int, nu: int, signs: int) -> EnumerationWork:
    """Return the work arrays for n blocks in nu dimensions, with up to `signs` rows F in a mode."""
    return EnumerationWork(
        mode=np.zeros(n, dtype=np.int64),
        rank=np.zeros(n + 1, dtype=np.int64),
        away=np.zeros(n + 1),
        y=np.zeros((n + 1, nu)),
        Q=np.zeros((3 * n, nu)),
        row=np.zeros(nu),
        leaf=leaf_work(n, nu, signs),
    )


@kernel
def enumerate_modes(modes, centre, radius, options, work, leaves_out, inside_out, kind_out):
    """Write every leaf that may hold solutions.

    Args:
        modes: Modes of n >= 1 blocks.
        centre: (nu,) of the ball that holds y of every solution.
        radius: of that ball, or infinity.
        options: ModeOptions.
        work: EnumerationWork.
        leaves_out: (capacity, n) int64, modes of the leaf.
        inside_out: (capacity, n) int64, the modes to whose inside its solution belongs: equal to `leaves_out`, or other
            ones if it lies on the border; -1 in the first place if the leaf is WIDE.
        kind_out: (capacity,) int64, kind of the leaf.

    Returns:
        (leaves, visited): leaves found, which may be more than fit, and nodes of the tree that were looked at.
    """
    n, nu = len(modes.count), len(centre)
    capacity = len(kind_out)
    found, visited = 0, 0
    for k in range(nu):
        work.y[0, k] = centre[k]
    work.rank[0] = 0
    work.away[0] = 0.0
    depth = 0
    work.mode[0] = -1
    while depth >= 0:
        work.mode[depth] += 1
        if work.mode[depth] >= modes.count[depth]:
            depth -= 1
            continue
        visited += 1
        if not _descend(modes, depth, radius, options, work):
            continue
        if depth + 1 < n:
            depth += 1
            work.mode[depth] = -1
            continue
        kind = solve_leaf(modes, work.mode, options, work.leaf)
        if kind < 0:
            continue
        if found < capacity:
            kind_out[found] = kind
            for i in range(n):
                leaves_out[found, i] = work.mode[i]
                inside_out[found, i] = -1 if kind == WIDE else _inside(modes, i, options.tolerance, work)
        found += 1
    return found, visited


@part
def _descend(modes, depth, radius, options, work):
    """Add the rows R of the block at this depth; returns False if they leave no y, or none with V y + v >= 0."""
    Q, y = work.Q, work.y
    nu = y.shape[1]
    i, m = depth, work.mode[depth]
    rank, away = work.rank[depth], work.away[depth]
    for k in range(nu):
        y[depth + 1, k] = y[depth, k]
    for a in range(modes.unknowns[i, m]):
        size, miss = 0.0, modes.r[i, m, a]
        for k in range(nu):
            value = modes.R[i, m, a, k]
            size += value * value
            miss += value * y[depth + 1, k]
            work.row[k] = value
        free = 0.0
        if rank < nu:
            _remove(Q, rank, work.row)
            _remove(Q, rank, work.row)
            for k in range(nu):
                free += work.row[k] * work.row[k]
        free = math.sqrt(free)
        if free <= max(options.dependent * math.sqrt(size), options.smallest):
            if abs(miss) > options.contradiction * (1.0 + math.sqrt(away)):
                return False
            continue
        step = miss / free
        away += step * step
        for k in range(nu):
            Q[rank, k] = work.row[k] / free
            y[depth + 1, k] -= step * Q[rank, k]
        rank += 1
    work.rank[depth + 1] = rank
    work.away[depth + 1] = away
    if away > radius * radius:
        return False
    room = math.sqrt(radius * radius - away)
    border = 1e-3 * options.tolerance
    for j in range(depth + 1):
        m = work.mode[j]
        for a in range(modes.bounds[j, m]):
            size, value = 0.0, modes.v[j, m, a]
            for k in range(nu):
                entry = modes.V[j, m, a, k]
                size += entry * entry
                value += entry * y[depth + 1, k]
                work.row[k] = entry
            if value > border:
                continue
            free = 0.0
            if rank < nu:
                _remove(Q, rank, work.row)
                for k in range(nu):
                    free += work.row[k] * work.row[k]
            free = math.sqrt(free)
            if free <= max(options.dependent * math.sqrt(size), options.smallest):
                if abs(value) <= border or value < -options.contradiction * (1.0 + math.sqrt(away)):
                    return False  # negative, or zero all over: then its solutions belong to another mode
            elif value + free * room < -options.contradiction:
                return False
    return True


@part
def _remove(Q, rank, row):
    """Take the part within the span of Q out of a row."""
    for q in range(rank):
        inside = 0.0
        for k in range(len(row)):
            inside += Q[q, k] * row[k]
        for k in range(len(row)):
            row[k] -= inside * Q[q, k]


@part
def _inside(modes, i, tolerance, work):
    """The mode of block i whose rows R vanish at y and whose V are positive; the present one if there is none."""
    y = work.leaf.y
    for m in range(modes.count[i]):
        fits = True
        for a in range(modes.unknowns[i, m]):
            fits = fits and abs(row_value(modes.R[i, m, a], modes.r[i, m, a], y)) <= tolerance
        for a in range(modes.bounds[i, m]):
            fits = fits and row_value(modes.V[i, m, a], modes.v[i, m, a], y) > tolerance
        if fits:
            return m
    return work.mode[i]
