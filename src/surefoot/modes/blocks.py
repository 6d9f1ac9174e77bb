"""The modes of one contact as bounds on linear forms of its force and its acceleration.

Tables I, II and III of [Greenfield2005], with strict signs: a contact that separates or slides accelerates away from
rest; where it does not, it is fixed. So every solution has exactly one mode. Planar contacts: S separates, L and R
slide left and right, F is fixed. Spatial contacts have a friction pyramid of e edges: they slide in one of e sectors
"0", "1", ..., friction on the opposite edge, or exactly between two sectors "0|1", friction anywhere on the opposite
face.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STRICT = 1e-9
"""What counts as a positive acceleration, in units of the largest acceleration without contact."""

LARGEST_FRICTION = 1e4
"""Stands for infinite friction: without load there is none, however large mu."""


@dataclass(frozen=True, eq=False)
class Block:
    """Forms of one contact and their bounds in each of its modes.

    Attributes:
        force: (p, d) forms of the contact force.
        motion: (q, d) forms of the contact's acceleration.
        tokens: (m,) names of the modes that its velocity leaves.
        low: (m, p + q) lower bounds of the forms, first those of the force.
        high: (m, p + q) upper bounds; equal bounds are equalities.
        strict: (m, p + q) whether a bound of zero on an acceleration is strict.
        always: (2, p) lowest and highest values of the forms of the force in any mode, if its bounds do not tell.
    """

    force: Array
    motion: Array
    tokens: tuple[str, ...]
    low: Array
    high: Array
    strict: NDArray[np.bool_]
    always: Array | None = None


Bound = tuple[float, float, bool]  # low, high, strict

ZERO: Bound = (0.0, 0.0, False)
FREE: Bound = (-np.inf, np.inf, False)
PUSH: Bound = (0.0, np.inf, False)
DOWN: Bound = (-np.inf, 0.0, False)
MORE: Bound = (0.0, np.inf, True)
LESS: Bound = (-np.inf, 0.0, True)


def planar_block(mu: tuple[float, float], velocity: Array, threshold: Array) -> Block:
    """The modes of a planar contact; forms of its force: itself, then the sides of the friction cone.

    Args:
        mu: friction, from lowest to highest: equal, unless it is only known to lie between.
        velocity: (2,) normal, tangential [m/s].
        threshold: (2,) velocities up to these count as zero [m/s].
    """
    low, high = mu
    sides = [_sides(min(high, LARGEST_FRICTION)), *([_sides(low)] if low < high else [])]
    rest = (FREE,) * (2 * len(sides))
    nothing = (ZERO, ZERO, *rest)
    hold, left, right = (FREE, FREE, PUSH, PUSH), (PUSH, FREE, ZERO, FREE), (PUSH, FREE, FREE, ZERO)
    if high == 0.0:
        hold = left = right = (PUSH, ZERO, FREE, FREE)
    elif np.isinf(high):
        left = right = nothing
    elif low < high:  # friction of a slide lies in the wedge between both
        hold = (*hold, FREE, FREE)
        left, right = (PUSH, FREE, PUSH, FREE, DOWN, FREE), (PUSH, FREE, FREE, PUSH, FREE, DOWN)
    modes = {"S": (*nothing, MORE, FREE), "L": (*left, ZERO, LESS), "R": (*right, ZERO, MORE)}
    modes["F"] = (*hold, ZERO, ZERO)
    always = (PUSH, FREE, PUSH, PUSH, *rest[2:])
    return _block(np.vstack([np.eye(2), *sides]), np.eye(2), modes, always, velocity, threshold, _slide(velocity[1]))


def _sides(mu: float) -> Array:
    """(2, 2) forms of the force that are positive inside the cone."""
    return np.array([[mu, -1.0], [mu, 1.0]]) / np.hypot(1.0, mu)


def _slide(v: float) -> str:
    return "R" if v > 0 else "L"


def spatial_block(mu: tuple[float, float], velocity: Array, threshold: Array, edges: int) -> Block:
    """The modes of a spatial contact with a friction pyramid; arguments as in `planar_block`, velocity (3,)."""
    low, high = mu
    angle = 2 * np.pi * (np.arange(edges) + 0.5) / edges
    outward = np.column_stack([np.cos(angle), np.sin(angle)])  # normals of the faces, borders of the sectors
    half = edges // 2
    across = np.column_stack([-outward[:half, 1], outward[:half, 0]])
    motion = np.pad(np.vstack([across, outward[:half]]), ((0, 0), (1, 0)))
    motion = np.vstack([[1.0, 0.0, 0.0], motion])
    force = np.vstack([np.eye(3), _faces(min(high, LARGEST_FRICTION), outward)])
    hold = (PUSH, ZERO, ZERO, *(FREE,) * edges) if high == 0.0 else (FREE, FREE, FREE, *(PUSH,) * edges)
    always = (PUSH, FREE, FREE, *(PUSH,) * edges)
    if low < high:
        angle = 2 * np.pi * np.arange(half) / edges
        beside = np.column_stack([np.zeros(half), -np.sin(angle), np.cos(angle)])
        force = np.vstack([force, _faces(low, outward), beside])
        hold, always = (*hold, *(FREE,) * (edges + half)), (*always, *(FREE,) * (edges + half))
    nothing = (ZERO, ZERO, ZERO, *(FREE,) * (len(force) - 3))
    modes: dict[str, tuple[Bound, ...]] = {"S": (*nothing, MORE, *(FREE,) * edges)}
    for j in range(edges):
        for between in (False, True):
            name = f"{j}|{(j + 1) % edges}" if between else str(j)
            moving: list[Bound] = [ZERO, *(FREE,) * edges]
            if between:
                moving[1 + j % half] = ZERO
                moving[1 + half + j % half] = MORE if j < half else LESS
            else:
                before = (j - 1) % edges
                moving[1 + before % half] = MORE if before < half else LESS
                moving[1 + j % half] = LESS if j < half else MORE
            sliding = nothing if np.isinf(high) else _sliding(low, high, edges, (j + half) % edges, between)
            modes[name] = (*sliding, *moving)
    modes["F"] = (*hold, ZERO, ZERO, ZERO, *(FREE,) * (edges - 2))
    return _block(force, motion, modes, always, velocity, threshold, _sector(velocity[1:], edges))


def _faces(mu: float, outward: Array) -> Array:
    """(e, 3) forms of the force that are positive inside the pyramid."""
    e = len(outward)
    return np.column_stack([np.full(e, mu * np.cos(np.pi / e)), -outward]) / np.hypot(1.0, mu)


def _sliding(low: float, high: float, edges: int, j: int, between: bool) -> tuple[Bound, ...]:
    """Bounds of the forms of the force on edge j (between: on face j) of the pyramid."""
    if high == 0.0:
        return (PUSH, ZERO, ZERO, *(FREE,) * edges)
    tight = {j} if between else {j, (j - 1) % edges}
    if low == high:
        return (PUSH, FREE, FREE, *(ZERO if i in tight else PUSH for i in range(edges)))
    # Friction of unknown size: inside the larger pyramid, beyond the smaller one, beside the edge or between two.
    beyond, beside = [FREE] * edges, [FREE] * (edges // 2)
    beyond[j] = DOWN
    after = (j + 1) % edges
    if between:
        beside[j % (edges // 2)] = PUSH if j < edges // 2 else DOWN
        beside[after % (edges // 2)] = DOWN if after < edges // 2 else PUSH
    else:
        beside[j % (edges // 2)] = ZERO
    return (PUSH, FREE, FREE, *(PUSH,) * edges, *beyond, *beside)


def _sector(v: Array, edges: int) -> str:
    """The sector that a sliding velocity lies in, or the border between two."""
    if not v.any():
        return ""
    where = np.arctan2(v[1], v[0]) * edges / (2 * np.pi)
    j = int(np.floor(where + 0.5))
    border = int(np.round(where - 0.5))
    if abs(where - 0.5 - border) < 1e-9:
        return f"{border % edges}|{(border + 1) % edges}"
    return str(j % edges)


def _block(
    force: Array,
    motion: Array,
    modes: dict[str, tuple[Bound, ...]],
    always: tuple[Bound, ...],
    velocity: Array,
    threshold: Array,
    slide: str,
) -> Block:
    """Keep the modes that the velocity allows (table III), with the signs that it leaves open."""
    normal, slip = velocity[0], float(np.linalg.norm(velocity[1:]))
    p = len(force)
    allowed = modes
    if normal < -threshold[0]:
        allowed = {}
    elif normal > threshold[0]:  # it separates already, whatever its acceleration
        allowed = {"S": (*modes["S"][:p], FREE, *modes["S"][p + 1 :])}
    elif slip > threshold[1]:  # it slides already
        allowed = {"S": modes["S"], slide: (*modes[slide][: p + 1], *(FREE,) * (len(motion) - 1))}
    table = np.array([list(bounds) for bounds in allowed.values()], dtype=float).reshape(-1, p + len(motion), 3)
    ends = np.array(always)[:, :2].T
    return Block(force, motion, tuple(allowed), table[:, :, 0], table[:, :, 1], table[:, :, 2] > 0, ends)
