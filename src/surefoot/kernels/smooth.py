"""Stage II: among all impulses that give the same motion under the same law, those of least torque.

With v+ fixed every law is convex contact by contact: impulse i may lie in a face F_i of its cone (faces.py). So

    min 1/2 |tau_0 - J_a'f / dt - tau_last|^2    subject to  W'f = W'f*,   f_i in F_i

with W'f* from stage I. The torque of the minimum is unique, so it moves nothing and changes smoothly with the state.
For few contacts `few_contacts` also makes the impulses unique, and finds most stances without a single pivot; its time
grows with the cube of their number. That of `many_contacts` does not, but impulses that no torque feels are left to
chance. It also helps where the former fails: nearly dependent contacts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types
from numpy import ndarray

from surefoot.kernels.active_modes import checked_residual
from surefoot.kernels.box import Box, box_type
from surefoot.kernels.cache import Pointer
from surefoot.kernels.faces import AT_REST, Faces, find_faces, make_faces
from surefoot.kernels.few_contacts import Few, few_contacts, make_few
from surefoot.kernels.many_contacts import Many, make_many, many_contacts
from surefoot.kernels.problem import ENERGY, PROBLEM_TYPE

# What smoothing aims at.
NOTHING = 0
LEAST_TORQUE = 1
LEAST_CHANGE = 2  # of torque since the last call
EVEN_LOAD = 3

FEW = 8  # blocks
MOST_EVEN = 100  # blocks: with more the load stays as stage I has spread it


class Smoothing(NamedTuple):
    """Work arrays."""

    faces: Faces
    wanted: ndarray  # (nv,) torques to take away
    felt: ndarray  # (nv,) bool: whether the torque on a velocity counts
    kept: ndarray  # (columns,) W'f*
    before: ndarray  # (3 capacity,) impulses of stage I
    few: Few
    many: Many


def make_smoothing(goal: int, capacity: int, edges: int, nv: int, columns: int) -> Smoothing:
    """Work arrays for up to `capacity` blocks with k edges; `columns`: those of W."""
    return Smoothing(
        faces=make_faces(capacity, edges),
        wanted=np.zeros(nv),
        felt=np.zeros(nv, dtype=bool),
        kept=np.zeros(columns),
        before=np.zeros(3 * capacity),
        few=make_few(min(capacity, MOST_EVEN if goal == EVEN_LOAD else FEW), edges, nv, columns),
        many=make_many(capacity, edges, nv + columns),
    )


def _smooth(p, goal, dt, J, prescribed, tau_0, tau_last, residual, scratch, work, f):
    """Replace impulses f (3n,) that satisfy the law of Problem p; returns its residual for the new ones.

    Args:
        p: Problem.
        goal: LEAST_TORQUE, LEAST_CHANGE or EVEN_LOAD.
        dt: step in s.
        J: (3n, nv) rows of the blocks.
        prescribed: (nv,) bool.
        tau_0: (nv,) forces that the prescribed velocities would need without impulses.
        tau_last: (nv,) forces of the last call.
        residual: that of f.
        scratch: Scratch.
        work: Box of a Smoothing.
        f: impulses, changed in place; as they were if nothing better satisfies the law.
    """
    if not checked_residual(p, scratch, f) < math.inf:  # leaves the velocities in scratch.c
        return residual
    pushing = find_faces(p, scratch.c, work.faces)
    few = pushing <= (MOST_EVEN if goal == EVEN_LOAD else FEW)
    if pushing == 0 or (goal == EVEN_LOAD and not few):
        return residual
    largest = 0.0
    for i in range(p.n):
        largest = max(largest, scratch.g[i, 0], scratch.g[i, 1])
    for j in range(prescribed.shape[0]):
        work.felt[j] = prescribed[j] and goal != EVEN_LOAD
        work.wanted[j] = tau_0[j] - (tau_last[j] if goal == LEAST_CHANGE else 0.0)
    for r in range(3 * p.n):
        work.before[r] = f[r]
    # How far W'f may be off without moving anything by more than the law's tolerance.
    allowed = p.tolerance * p.scale / math.sqrt(largest) if largest > 0.0 else math.inf
    for crowd in range(0 if few else 1, 1 if goal == EVEN_LOAD else 2):
        if crowd == 0:
            done = few_contacts(p, dt, J, work.felt, work.wanted, allowed, work.faces, work.few, f)
        else:
            done = many_contacts(p, dt, J, work.felt, work.wanted, allowed, work.faces, work.kept, work.many, f)
        after = residual if p.form == ENERGY else checked_residual(p, scratch, f)
        if done and after <= max(AT_REST, residual):
            return after
        for r in range(3 * p.n):
            f[r] = work.before[r]
    return residual


def _keep(p, goal, dt, J, prescribed, tau_0, tau_last, residual, scratch, work, f):
    """Stands where no smoothing is wanted."""
    return residual


def smoother(scratch: Any, goal: int, capacity: int, edges: int, nv: int, columns: int) -> tuple[Any, Pointer]:
    """Box of a Smoothing, and `_smooth` as a pointer if there is a goal."""
    wanted = goal != NOTHING
    box = Box(make_smoothing(goal, capacity if wanted else 1, edges, nv, columns))
    vector, number = types.float64[::1], types.float64
    signature = number(
        *(PROBLEM_TYPE, types.int64, number, types.float64[:, ::1], types.boolean[::1], vector, vector, number),
        *(box_type(scratch), typeof(box), vector),
    )
    return box, Pointer(_smooth if wanted else _keep, signature)
