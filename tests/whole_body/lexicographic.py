"""Strict levels from scratch, by DAQP used raw and a textbook active set method: an oracle that shares nothing of ours.

All of the program's variables stay, in units of their scales; equalities, and the rows of earlier levels, are rows:

    level by level   min |T z - t|^2   with   E z = f,   G z + g >= 0,   T_j z = T_j z_j for the levels j before

If no z keeps all limits, the first level of all is the least sum of squared violations w, in the limits' scales, with
G z + g + w >= 0; what gives way is an equation from then on.
"""

from typing import NamedTuple

import daqp
import numpy as np
from scipy.linalg import null_space
from scipy.optimize import nnls

RANK = 1e-10
"""Relative: a row that leaves less depends on the others."""


class Rows(NamedTuple):
    """A program's rows over z = x / scale; those of limits in units of their scales."""

    scale: np.ndarray
    E: np.ndarray
    f: np.ndarray
    G: np.ndarray
    g: np.ndarray
    levels: list[tuple[np.ndarray, np.ndarray]]


class Optimum(NamedTuple):
    """What the levels came to."""

    x: np.ndarray
    give: np.ndarray  # (limits,) how far each gave way, in its scale
    residuals: list[np.ndarray]  # a level T z - t, with roots of weights
    sure: bool  # whether every condition of optimality was checked and holds


def rows_of(program):
    """The printed program as arrays."""
    scale = program.variables.scale
    E = np.vstack([rows.matrix * scale for rows in program.equalities])
    f = np.concatenate([rows.right for rows in program.equalities])
    sizes = np.linalg.norm(E, axis=1)
    G = np.vstack([np.zeros((0, len(scale))), *(r.matrix * scale / r.scale[:, None] for r in program.inequalities)])
    g = np.concatenate([np.zeros(0), *(r.offset / r.scale for r in program.inequalities)])
    levels = []
    for level in program.levels:
        T = np.vstack([np.sqrt(block.weight)[:, None] * block.matrix * scale for block in level])
        levels.append((T, np.concatenate([np.sqrt(block.weight) * block.right for block in level])))
    return Rows(scale, E / sizes[:, None], f / sizes, G, g, levels)


def rounded(rows, rng, much=1e-15):
    """The same rows with other rounding: every number changed by about this share."""

    def other(a):
        return a * (1.0 + much * rng.normal(size=a.shape))

    levels = [(other(T), other(t)) for T, t in rows.levels]
    return Rows(rows.scale, other(rows.E), other(rows.f), other(rows.G), other(rows.g), levels)


def optimum(rows):
    """The lexicographic optimum."""
    scale, E, f, G, g, levels = rows
    z = np.linalg.lstsq(E, f, rcond=None)[0]
    z += np.linalg.lstsq(E, f - E @ z, rcond=None)[0]
    E = span(E)
    give = np.zeros(len(g))
    near = least_violation(E, z, G, g)
    sure = near is not None
    if near is not None:
        z, give = near
        gave = give > 1e-9
        give = np.where(gave, give, 0.0)
        E = span(np.vstack([E, G[gave]]))
        G, g = np.where(gave[:, None], 0.0, G), np.where(gave, 0.0, g)
    for T, t in levels:
        z, good = level(T, t, E, G, g, z)
        sure = sure and good
        E = span(np.vstack([E, T / max(np.linalg.norm(T, axis=1).max(), 1e-300)]))
    return Optimum(scale * z, give, [T @ z - t for T, t in levels], sure)


def least_violation(E, z, G, g):
    """A z with E z as it is and the least sum of squares of w in G z + g + w >= 0, and w; None if it is not found."""
    n, m = len(z), len(g)
    T = np.hstack([np.zeros((m, n)), np.eye(m)])
    wide = np.hstack([E, np.zeros((len(E), m))])
    start = np.concatenate([z, np.maximum(-(G @ z + g), 0.0)])
    found, good = level(T, np.zeros(m), wide, np.hstack([G, np.eye(m)]), g, start)
    return (found[:n], found[n:]) if good else None


def span(A):
    """Orthonormal rows that span those of A."""
    _, sizes, right = np.linalg.svd(A, full_matrices=False)
    return right[sizes > RANK * sizes.max(initial=1e-300)]


def level(T, t, E, G, g, z):
    """The least |T z - t| with E z as at z and G z + g >= 0, which z satisfies; and whether it is sure."""
    for start, working in (*by_daqp(T, t, E, G, g, z), (z, [])):
        found = active_set(T, t, E, G, g, start - E.T @ (E @ (start - z)), working)
        if certified(T, t, E, G, g, z, found):
            return found, True
    return found, False


def by_daqp(T, t, E, G, g, z):
    """DAQP's point and active rows of the level as it stands, in a list; an empty one if it has none."""
    rows = np.vstack([E, G])
    low = np.concatenate([E @ z, -g])
    high = np.concatenate([E @ z, np.full(len(g), 1e30)])
    sense = np.array([5] * len(E) + [0] * len(g), dtype=np.int32)
    H = T.T @ T
    size = np.trace(H) / len(H) or 1.0
    x, _, flag, info = daqp.solve(
        H / size, -T.T @ t / size, np.ascontiguousarray(rows), high, low, sense, primal_tol=1e-9
    )
    if flag < 1:
        return []
    return [(x, np.flatnonzero(info["lam"][len(E) :]).tolist())]


def active_set(T, t, E, G, g, z, working):
    """Algorithm 16.3 of Nocedal and Wright, from z within the limits, by singular values."""
    sizes = np.linalg.norm(G, axis=1)
    real = sizes > 1e-12  # what gave way is none
    working = [int(np.cumsum(real)[i]) - 1 for i in working if real[i]]
    G, g = G[real] / sizes[real, None], g[real] / sizes[real]
    z, working = onto(E, G, g, z, independent(E, G, working))
    for _ in range(20 * len(g) + 100):
        held = np.vstack([E, G[working]])
        free = null_space(held, rcond=RANK) if len(held) else np.eye(len(z))
        step = free @ np.linalg.lstsq(T @ free, t - T @ z, rcond=1e-13)[0] if free.size else np.zeros(len(z))
        toward, room = G @ step, np.maximum(G @ z + g, 0.0)
        toward[working] = 0.0
        toward[np.abs(toward) < 1e-13 * np.linalg.norm(step)] = 0.0  # rounding
        nearer = np.flatnonzero(toward < -room)  # those that the whole step would break
        if len(nearer):
            ways = room[nearer] / -toward[nearer]
            blocking = int(nearer[np.argmin(ways)])
            z = z + ways.min() * step
            working = independent(E, G, [*working, blocking])
            continue
        z = z + step
        push = np.linalg.lstsq(held.T, T.T @ (T @ z - t), rcond=None)[0][len(E) :]
        scale = np.linalg.norm(T, 2) * max(np.linalg.norm(T @ z - t), 1e-9 * np.linalg.norm(t))
        if not working or push.min() >= -1e-12 * scale:
            break
        working.pop(int(np.argmin(push)))
    return z


def independent(E, G, working):
    """Of the rows those that depend on none before."""
    kept, Q = [], E.copy()
    for i in working:
        row = G[i] - Q.T @ (Q @ G[i])
        row -= Q.T @ (Q @ row)
        if np.linalg.norm(row) > 1e-9:
            kept.append(i)
            Q = np.vstack([Q, row / np.linalg.norm(row)])
    return kept


def onto(E, G, g, z, working):
    """Where the working rows hold exactly, if that breaks none of the others; else z, without them."""
    held = np.vstack([E, G[working]])
    there = z - np.linalg.lstsq(held, np.concatenate([np.zeros(len(E)), G[working] @ z + g[working]]), rcond=None)[0]
    if (G @ there + g).min(initial=0.0) >= -1e-9:
        return there, working
    return z, []


def certified(T, t, E, G, g, before, z):
    """Whether z keeps the rows and limits, and only limits that are reached hold the gradient, by pushing."""
    size = max(1.0, np.abs(z).max())
    if np.abs(E @ (z - before)).max(initial=0.0) > 1e-10 * size or (G @ z + g).min(initial=0.0) < -1e-9 * size:
        return False
    touching = G[G @ z + g <= 1e-8 * size]
    gradient = T.T @ (T @ z - t)
    gradient = gradient - E.T @ (E @ gradient)
    made_of = np.linalg.norm(T) * max(np.linalg.norm(T @ z), np.linalg.norm(t), 1e-4)
    length = np.linalg.norm(gradient)
    if length > 1e-11 * made_of and len(touching):
        touching = touching - (touching @ E.T) @ E
        gradient = gradient - length * touching.T @ nnls(touching.T, gradient / length, maxiter=10_000)[0]
    return np.linalg.norm(gradient) <= 1e-10 * made_of
