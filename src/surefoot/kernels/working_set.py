"""Lemke's method on the few contacts that matter.

The law is solved on a working set with zero impulses elsewhere. That is exact if no contact left out is driven into
the other body; else the worst of them join the set. A further contact that carries nothing costs one look, not a
larger matrix.

On the set, in the order (f_n, beta, lam), with D the edges and E the 0/1 block matrix (the linear complementarity
form of Coulomb's law; dry friction of a joint is a block with two edges and a fixed bound b in the last row):

    M = [[Gnn, GnD, 0], [GDn, GDD, E], [mu, -E', 0]],        q = (c0_n + offset, D'c0_t, b)

(the dissipative law has -mu in place of the first 0, which makes M positive semidefinite).

Infinite friction that holds what lifts (dissipative) leaves out lam and its row. Without that infinite friction has no
such form: the set is solved with a very large coefficient, and the answer counts only if nothing slips.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import int64, typeof, types
from numpy import ndarray

from surefoot.kernels.active_modes import checked_residual
from surefoot.kernels.box import box_type
from surefoot.kernels.cache import Pointer, inlined
from surefoot.kernels.lemke import LemkeOptions, LemkeWork, lemke, lemke_work
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import PROBLEM_TYPE
from surefoot.kernels.pyramid import opening
from surefoot.kernels.status import CAPACITY, SOLVED, UNSOLVED
from surefoot.kernels.sweeps import read_modes

VERY_ROUGH = 1e3  # stands for infinite friction where that has no form or no answer


class WorkingSet(NamedTuple):
    """Work arrays for up to `capacity` blocks and N variables."""

    member: ndarray  # (capacity,) bool
    first: ndarray  # (capacity, 3) int64: a member's first normal, edge and lam variable, -1 if it has none
    V: ndarray  # (N, nv) W' of each impulse variable
    M: ndarray  # (N, N)
    q: ndarray  # (N,)
    z: ndarray  # (N,)
    cover: ndarray  # (N,)
    options: LemkeOptions
    strict: LemkeOptions  # for energy.py: there near ties, taken for ties, lead off the path
    exact: LemkeOptions  # for a second try, with as many attempts as it takes
    lemke: LemkeWork


def make_working_set(capacity: int, edges: int, nv: int) -> WorkingSet:
    """Work arrays; sets of more than 40 contacts are left to the sweeps."""
    size = min(capacity, 40) * (edges + 2)
    return WorkingSet(
        member=np.zeros(capacity, dtype=bool),
        first=np.zeros((capacity, 3), dtype=np.int64),
        V=np.empty((size, nv)),
        M=np.empty((size, size)),
        q=np.empty(size),
        z=np.empty(size),
        cover=np.ones(size),
        options=LemkeOptions(tie_tolerance=1e-5),  # the law's own check decides
        strict=LemkeOptions(),
        exact=LemkeOptions(tie_tolerance=1e-10, residual_tolerance=1e-13),
        lemke=lemke_work(size),
    )


def _solve_working_set(p, s, modes, work, best, f):
    """Impulses by Lemke's method on a growing set that starts with the contacts loaded in `best` (3n,).

    Returns (status, residual).
    """
    for i in range(p.n):
        work.member[i] = p.kind[i] == BOX or best[3 * i] > 0.0
    complete = False
    while True:
        size = _assemble(p, work)
        if size < 0:
            return UNSOLVED, math.inf
        result = lemke(work.M, work.q[:size], work.cover[:size], work.options, work.lemke, work.z[:size])
        _unpack(p, work, f)
        residual = checked_residual(p, s, f)
        if residual <= p.tolerance:
            return SOLVED, residual
        deepest = 0.0
        for i in range(p.n):
            if not work.member[i]:
                deepest = max(deepest, -opening(p, i, s.c))
        if result.status != SOLVED or deepest <= p.tolerance * p.scale:
            lemke(work.M, work.q[:size], work.cover[:size], work.exact, work.lemke, work.z[:size])
            _unpack(p, work, f)
            residual = checked_residual(p, s, f)
            if residual <= p.tolerance:
                return SOLVED, residual
            # Nearly dependent rows may hide the last digit: an answer of ten times the tolerance still counts.
            close = complete and residual <= 10.0 * p.tolerance
            # The impulses may lack a few digits only: read off their modes and solve these exactly.
            read_modes(p, s, f)
            exact = modes(p, int64(8), s, f)
            if exact <= p.tolerance:
                return SOLVED, exact
            if complete:
                _unpack(p, work, f)
                return (SOLVED if close else UNSOLVED), residual
            complete = True
            deepest = -math.inf
        grown = False
        for i in range(p.n):
            if not work.member[i] and (complete or -opening(p, i, s.c) > 0.3 * deepest):
                work.member[i] = True
                grown = True
        if not grown and not complete:
            return UNSOLVED, math.inf


def _ask_for_more(p, s, modes, work, best, f):
    return CAPACITY, math.inf


def working_set_solver(scratch: Any, modes: Pointer, work: Any, loaded: bool) -> Pointer:
    """`_solve_working_set` as a pointer, for one kind of work arrays; what never runs need not be compiled."""
    vector = types.float64[::1]
    result = types.Tuple((types.int64, types.float64))
    signature = result(PROBLEM_TYPE, box_type(scratch), typeof(modes), typeof(work), vector, vector)
    return Pointer(_solve_working_set if loaded else _ask_for_more, signature)


@inlined
def _assemble(problem, work):
    """Fill M and q for the members; returns the number of variables, or -1 if there is no room."""
    W, nu, n, c0, kind, mu, D = (
        problem.W, problem.nu, problem.n, problem.c0, problem.kind, problem.mu, problem.D,
    )  # fmt: skip
    k = D.shape[0]
    p = 0
    for i in range(n):
        work.first[i, 0] = -1
        work.first[i, 1] = -1
        work.first[i, 2] = -1
        if work.member[i] and kind[i] != BOX:
            if p >= work.q.shape[0]:
                return -1
            work.first[i, 0] = p
            work.q[p] = c0[3 * i] + problem.offset[i]
            for j in range(nu):
                work.V[p, j] = W[3 * i, j]
            p += 1
    for i in range(n):
        if work.member[i] and (kind[i] == BOX or (kind[i] == CONE and mu[i] > 0.0)):
            count = 2 if kind[i] == BOX else k
            if p + count > work.q.shape[0]:
                return -1
            work.first[i, 1] = p
            for e in range(count):
                x = (1.0 - 2.0 * e) if kind[i] == BOX else D[e, 0]
                y = 0.0 if kind[i] == BOX else D[e, 1]
                work.q[p] = x * c0[3 * i + 1] + y * c0[3 * i + 2]
                for j in range(nu):
                    work.V[p, j] = x * W[3 * i + 1, j] + y * W[3 * i + 2, j]
                p += 1
    impulses = p
    for i in range(n):
        held = problem.dissipative and kind[i] == CONE and math.isinf(mu[i])  # its edges have no bound
        if work.first[i, 1] >= 0 and not held:
            if p >= work.q.shape[0]:
                return -1
            work.first[i, 2] = p
            work.q[p] = problem.bound[i] if kind[i] == BOX else 0.0
            p += 1
    for a in range(p):
        for b in range(a, p):
            total = 0.0
            if b < impulses:
                for j in range(nu):
                    total += work.V[a, j] * work.V[b, j]
            work.M[a, b] = total
            work.M[b, a] = total
    for i in range(n):
        lam = work.first[i, 2]
        if lam >= 0:
            for e in range(2 if kind[i] == BOX else k):
                work.M[work.first[i, 1] + e, lam] = 1.0
                work.M[lam, work.first[i, 1] + e] = -1.0
            if kind[i] != BOX:
                work.M[lam, work.first[i, 0]] = min(mu[i], VERY_ROUGH)
                if problem.dissipative:
                    work.M[work.first[i, 0], lam] = -min(mu[i], VERY_ROUGH)
    return p


@inlined
def _unpack(p, work, f):
    """Impulses from the variables; zero outside the set."""
    kind, D = p.kind, p.D
    for i in range(p.n):
        f[3 * i] = work.z[work.first[i, 0]] if work.first[i, 0] >= 0 else 0.0
        f[3 * i + 1] = 0.0
        f[3 * i + 2] = 0.0
        start = work.first[i, 1]
        if start >= 0 and kind[i] == BOX:
            f[3 * i + 1] = work.z[start] - work.z[start + 1]
        elif start >= 0:
            for e in range(D.shape[0]):
                f[3 * i + 1] += D[e, 0] * work.z[start + e]
                f[3 * i + 2] += D[e, 1] * work.z[start + e]
