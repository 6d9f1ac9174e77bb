"""Coulomb's law and its no-slip limit, exactly: quick guesses first, pivoting if they fail, a check before "solved".

1. Guess modes from nothing (`active_modes`); enough for a robot that stands, walks or slides. Not with many contacts.
2. A sequence of convex problems (`convex_route`) shows the modes of redundant contact, or proves that the normals
   contradict.
3. Gauss-Seidel sweeps suggest modes, and the guess starts there; three rounds, each with more sweeps.
4. Lemke's method on a working set (`working_set`).

Whatever finds the impulses, the law's residual is computed anew from the problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int64, types
from numpy import ndarray

from surefoot.kernels.active_modes import Scratch, cold_modes, make_scratch, modes_solver
from surefoot.kernels.box import Box, box_type
from surefoot.kernels.cache import Pointer, inlined, part
from surefoot.kernels.cone_laws import make_cone_work
from surefoot.kernels.fallback import ALL, CONVEX, FIRST_GUESS, GUESS, Ladder, fallback_solver, make_ladder
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import PROBLEM_TYPE
from surefoot.kernels.springs import all_on_springs, make_springs, solve_crowd
from surefoot.kernels.status import NOT_FINITE, SOLVED, UNSOLVED


class Solver(NamedTuple):
    """Work arrays of the contact law, for up to `capacity` blocks."""

    scratch: Scratch
    modes: Pointer  # solves for modes, from a guess in the scratch
    ladder: Any  # Box of a Ladder; its certificate names the culprits of an impossible demand
    fallback: Pointer  # called when the first guess fails
    cones: Any  # Box of a ConeWork, for laws with round cones
    springs: Any  # Box of Springs, for many contacts on springs
    R: ndarray  # (3 capacity + equalities,) softness of each row
    target: ndarray  # (3 capacity + equalities,) velocity that the soft law aims at; g of the energy form
    turn: ndarray  # (capacity,) int64: the contact whose turning a block is, else -1


def make_solver(
    capacity: int, edges: int, columns: int, equalities: int = 0, *, level: int = ALL
) -> tuple[Solver, Ladder]:
    """Work arrays; the Ladder is what stands in the solver's Box.

    Args:
        capacity: blocks.
        edges: of the pyramids.
        columns: those of W.
        equalities: rows of equality constraints.
        level: how much of the law is loaded, see fallback.py.
    """
    scratch = make_scratch(capacity, columns)
    modes = modes_solver(scratch)
    ladder = make_ladder(capacity, edges, columns, scratch, modes, level)
    box = Box(ladder)
    solver = Solver(
        scratch=scratch,
        modes=modes,
        ladder=box,
        fallback=fallback_solver(scratch, box, level > FIRST_GUESS),
        cones=Box(make_cone_work(capacity, columns)),
        springs=Box(make_springs(capacity, edges, columns)),
        R=np.zeros(3 * capacity + equalities),
        target=np.zeros(3 * capacity + equalities),
        turn=np.full(capacity, -1),
    )
    return solver, ladder


def solve_contacts(p, solver, f):
    """Impulses `f` (3n,) that satisfy the law of Problem p. Returns (status, residual, method).

    `solver.scratch.g` must hold the row sizes (`prepare`).
    """
    s = solver.scratch
    for r in range(3 * p.n):
        f[r] = 0.0
        if not math.isfinite(p.c0[r]):
            return NOT_FINITE, math.inf, GUESS
    for i in range(p.n):
        if math.isnan(p.mu[i]) or not math.isfinite(p.offset[i] + p.bound[i]):
            return NOT_FINITE, math.inf, GUESS
    if p.scale == 0.0:
        return SOLVED, 0.0, GUESS
    status, method, residual = SOLVED, GUESS, math.inf
    crowded = _crowded(p, s)
    if not s.known[0]:
        solver.ladder.convex.start[0] = 0
    for known in range(2):  # from what the caller knows, then from nothing
        if (known == 0 and not s.known[0]) or (known == 1 and crowded):
            continue
        if known == 1:
            cold_modes(p, s)
        residual = solver.modes(p, int64(2 if crowded else 8), s, f)
        if residual <= p.tolerance:
            break
    s.known[0] = False
    if not residual <= p.tolerance:
        status, residual, method = solver.fallback(p, s, solver.ladder, f)
    _drag(p, s.g, f)
    return status, residual, method


_rigid = part(solve_contacts)


def solve_spring_law(p, solver, f):
    """The same with every contact on a spring, which is a velocity of its own: behind those of the robot in W.

    Few contacts, and blocks without a spring or with infinite friction, take the way of the rigid law.
    """
    s = solver.scratch
    if _crowded(p, s) and all_on_springs(p):
        residual = solve_crowd(p, s, s.known[0], solver.springs, f)
        if residual <= p.tolerance:
            s.known[0] = False
            return SOLVED, residual, CONVEX
    return _rigid(p, solver, f)


def law_pointer(function: Callable[..., Any], solver: Solver) -> Pointer:
    """A law as a pointer, for one kind of work arrays."""
    result = types.Tuple((types.int64, types.float64, types.int64))
    return Pointer(function, result(PROBLEM_TYPE, box_type(solver), types.float64[::1]))


def contact_law(solver: Solver) -> Pointer:
    """Coulomb's law, no slip, and the dissipative law with pyramids."""
    return law_pointer(solve_contacts, solver)


def absent_law(solver: Solver) -> Pointer:
    """Stands where no law will be asked for."""
    return law_pointer(_absent, solver)


def _absent(p, solver, f):
    return UNSOLVED, math.inf, GUESS


@inlined
def _crowded(p, s):
    """Whether there are so many contacts that convex problems find the modes sooner than guesses do."""
    cones = 0
    for i in range(p.n):
        cones += p.kind[i] == CONE
        if p.kind[i] == BOX and s.g[i, 1] > 0.0:
            return False
    return 3 * cones > max(int64(12), p.nu)


@inlined
def _drag(p, g, f):
    """Friction where no free velocity can change the slip: it moves nothing, but what prescribes the slip feels it."""
    D, c0 = p.D, p.c0
    for i in range(p.n):
        if p.kind[i] != CONE or g[i, 1] > 0.0 or not f[3 * i] > 0.0 or math.isinf(p.mu[i]):
            continue
        best, most = -1, 0.0
        for e in range(D.shape[0]):
            against = -(D[e, 0] * c0[3 * i + 1] + D[e, 1] * c0[3 * i + 2])
            if against > most:
                most = against
                best = e
        if best >= 0:
            f[3 * i + 1] = p.mu[i] * f[3 * i] * D[best, 0]
            f[3 * i + 2] = p.mu[i] * f[3 * i] * D[best, 1]
