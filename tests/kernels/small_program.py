"""Task programs of a few coordinates, for the tests of the kernels that solve them."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from surefoot.kernels.task_program import make_quadratic, solve_level, start_program
from tests.kernels.door import door


class Rows(NamedTuple):
    """What the kernels read of limits: G beta + g >= 0."""

    G: np.ndarray
    g: np.ndarray
    scale: np.ndarray


start, one_level = door(start_program), door(solve_level)


def program(G, g, m=8, levels=3, scale=None):
    """(work, limits) with beta at zero."""
    G, g = np.array(G, dtype=float), np.array(g, dtype=float)
    limits = Rows(G, g, np.ones(len(g)) if scale is None else np.array(scale, dtype=float))
    work = make_quadratic(m, len(g), G.shape[1], levels)
    start(work, len(g), G.shape[1])
    return work, limits


def put(work, D, e):
    """Rows D (m, n) and e of a level; returns m."""
    D = np.atleast_2d(np.array(D, dtype=float))
    work.D[: D.shape[1], : len(D)] = D.T
    work.e[: len(D)] = e
    return len(D)


def solve(G, g, levels, *, within=False):
    """Levels [(D, e), ...] one after another: status, beta, and what is left free."""
    work, limits = program(G, g, levels=len(levels))
    count = limits.G.shape[1]
    dim, status = count, 0
    for k, (D, e) in enumerate(levels):
        m = put(work, D, e)
        status, dim = one_level(work, limits, k, k == len(levels) - 1, m, len(limits.g), count, dim, within or k > 0)
        if status:
            break
    return SimpleNamespace(status=int(status), beta=work.s.copy(), free=int(dim), x=work.x.copy(), work=work)
