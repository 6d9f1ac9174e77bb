"""What to do when the first guess of the modes fails: convex problems, sweeps, pivoting.

This is most of the machine code and rarely runs, so it stands behind a pointer.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import int64, typeof, types
from numpy import ndarray

from surefoot.kernels.active_modes import checked_residual, cold_modes
from surefoot.kernels.box import Box, box_type
from surefoot.kernels.cache import Pointer, inlined, part
from surefoot.kernels.convex_route import Convex, convex_route_solver, make_convex
from surefoot.kernels.plant import CONE
from surefoot.kernels.problem import PROBLEM_TYPE, with_friction, with_tolerance
from surefoot.kernels.status import CAPACITY, INCONSISTENT, INFEASIBLE, REGULARISED, SOLVED, UNSOLVED
from surefoot.kernels.sweeps import read_modes, sweep
from surefoot.kernels.working_set import VERY_ROUGH, make_working_set, working_set_solver

# Who found the answer.
GUESS = 1
CONVEX = 2
SWEEPS = 3
PIVOTS = 4


NEARLY = (
    1e-6  # contacts that may not slip, but are dragged by no more than this times the velocity scale, count as held
)

STRAINED = 1e3  # held contacts micrometres apart may hold a foot's turning by tons, which only cancel: see `_strain`

# How much of the law is loaded. What is missing returns CAPACITY where it would be needed: mostly it never is, and need
# not be compiled.
FIRST_GUESS = 0
CONVEX_PROBLEMS = 1
ALL = 2


class Ladder(NamedTuple):
    """Work arrays of the fallback, for up to `capacity` blocks."""

    best: ndarray  # (3 capacity,) impulses of the sweeps
    mu: ndarray  # (capacity,) friction, changed for a second try
    certificate: ndarray  # (capacity,) weights that prove a demand impossible, or mark its culprits
    modes: Pointer
    convex: Convex
    solve_convex: Pointer
    working_set: Any  # Box of a WorkingSet
    solve_working_set: Pointer


def make_ladder(capacity: int, edges: int, nv: int, scratch: Any, modes: Pointer, level: int = ALL) -> Ladder:
    """Work arrays; `level`: how much of it is loaded, FIRST_GUESS, CONVEX_PROBLEMS or ALL."""
    convex = make_convex(capacity, edges, nv)
    working_set = Box(make_working_set(capacity, edges, nv))
    return Ladder(
        best=np.zeros(3 * capacity),
        mu=np.zeros(capacity),
        certificate=np.zeros(capacity),
        modes=modes,
        convex=convex,
        solve_convex=convex_route_solver(scratch, modes, convex, level > FIRST_GUESS),
        working_set=working_set,
        solve_working_set=working_set_solver(scratch, modes, working_set, level == ALL),
    )


@part
def _held(p):
    """Whether any friction is infinite."""
    for i in range(p.n):
        if p.kind[i] == CONE and math.isinf(p.mu[i]):
            return True
    return False


@part
def _strain(p, g, f):
    """The largest velocity that one impulse makes by itself, relative to the velocity scale."""
    largest = 0.0
    for i in range(p.n):
        largest = max(largest, g[i, 0] * f[3 * i], g[i, 1] * abs(f[3 * i + 1]), g[i, 1] * abs(f[3 * i + 2]))
    return largest / p.scale


@inlined
def _smoothed(p, mu_out):
    """Copy friction, none of it above VERY_ROUGH; True if that changed any."""
    changed = False
    for i in range(p.n):
        mu_out[i] = min(p.mu[i], VERY_ROUGH)
        changed = changed or p.mu[i] > VERY_ROUGH
    return changed


@part
def _climb(p, s, ladder, f):
    """One method after the other. Returns (status, residual, method, verdict of the convex problems)."""
    verdict, residual = ladder.solve_convex(p, s, ladder.modes, ladder.convex, f, ladder.certificate)
    if verdict != UNSOLVED and verdict != INCONSISTENT:
        return verdict, residual, CONVEX, verdict
    # Inconsistent only if all closed contacts stay: some may lift, which the others find out.
    for r in range(3 * p.n):
        ladder.best[r] = 0.0
    for stage in range(3):
        sweep(p, int64(10 << stage), s, ladder.best)
        for r in range(3 * p.n):
            f[r] = ladder.best[r]
        residual = ladder.modes(p, int64(8), s, f)
        if residual <= p.tolerance:
            return SOLVED, residual, SWEEPS, verdict
    status, residual = ladder.solve_working_set(p, s, ladder.modes, ladder.working_set, ladder.best, f)
    return status, residual, PIVOTS, verdict


def _fallback(p, s, ladder, f):
    """Returns (status, residual, method).

    Infinite friction may have no answer, or one of tons that only cancel. What is prescribed may drag contacts apart:
    by a little that is forgiven. Or held, a contact would be pulled; released, it would be driven in (Painleve's
    paradox): then friction of 1e3 stands for it. Both answers are called REGULARISED.
    """
    status, residual, method, verdict = _climb(p, s, ladder, f)
    if _held(p) and status in (SOLVED, UNSOLVED, INFEASIBLE):
        exact = status == SOLVED and residual <= p.tolerance
        strain = _strain(p, s.g, f) if exact else math.inf
        if strain > STRAINED:
            for r in range(3 * p.n):
                ladder.best[r] = f[r]
            loosely = with_tolerance(p, NEARLY)
            cold_modes(p, s)
            near = ladder.modes(loosely, int64(8), s, f)
            if near <= NEARLY and _strain(p, s.g, f) <= 1e-2 * strain:
                return REGULARISED, near, GUESS
            for r in range(3 * p.n):
                f[r] = ladder.best[r]
            if exact:
                read_modes(p, s, f)  # those of the answer, for the next call
    if status != UNSOLVED:
        return status, residual, method
    if verdict == INCONSISTENT or p.dissipative or not _smoothed(p, ladder.mu):
        for r in range(3 * p.n):
            f[r] = 0.0
        return verdict, math.inf, PIVOTS
    status, residual, method, _ = _climb(with_friction(p, ladder.mu), s, ladder, f)
    if status != SOLVED:
        return (CAPACITY if status == CAPACITY else UNSOLVED), math.inf, PIVOTS
    # Friction that is large but finite has the same modes: solve them with its own value.
    for r in range(3 * p.n):
        ladder.best[r] = f[r]
    read_modes(with_friction(p, ladder.mu), s, f)
    exact = ladder.modes(p, int64(8), s, f)
    if exact <= p.tolerance:
        return SOLVED, exact, PIVOTS
    for r in range(3 * p.n):
        f[r] = ladder.best[r]
    residual = checked_residual(p, s, f)
    for i in range(p.n):  # who slips although it is held
        slips = max(abs(s.c[3 * i + 1]), abs(s.c[3 * i + 2])) > p.tolerance * p.scale
        ladder.certificate[i] = 1.0 if math.isinf(p.mu[i]) and f[3 * i] > 0.0 and slips else 0.0
    return REGULARISED, residual, PIVOTS


def _ask_for_more(p, s, ladder, f):
    return CAPACITY, math.inf, GUESS


def fallback_solver(scratch: Any, ladder: Any, loaded: bool) -> Pointer:
    """`_fallback` as a pointer, for one kind of work arrays; `ladder`: Box of a Ladder."""
    result = types.Tuple((types.int64, types.float64, types.int64))
    signature = result(PROBLEM_TYPE, box_type(scratch), typeof(ladder), types.float64[::1])
    return Pointer(_fallback if loaded else _ask_for_more, signature)
