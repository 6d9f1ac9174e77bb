"""How contact velocities change by the motion alone: the product of the Jacobian's rate and the velocity.

A contact point is where two surfaces touch, and it wanders over both [Greenfield2005, footnote 1]: the lowest point of
a rolling ball has no centripetal acceleration, the corner of a box that turns has. So the rate is taken along the path
that the velocity begins, q + t v, with the contacts found anew a little before and a little after.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.contact.contacts import Contacts
from surefoot.robots.state import State

Array = NDArray[np.float64]

STEP = 1e-6
"""Way of the fastest coordinate to either side, in m or rad."""
LONG_STEP = 1e-3
"""The same where MuJoCo finds a contact by iteration, whose error a shorter way would blow up."""
LOST = 100
"""A contact that is farther away than this many steps is another one."""

_ROUND = tuple(map(int, (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_BOX)))
_PLANE, _SPHERE = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_SPHERE)
_CYLINDER = int(mujoco.mjtGeom.mjGEOM_CYLINDER)


def contact_rates(model: mujoco.MjModel, state: State, contacts: Contacts) -> Array:
    """(n, 3) m/s^2: rate of the contact velocities J v along the motion, each in its own frame (normal, tangents).

    The frame goes with the normal. A contact that is gone on one side is taken from the other; one that is gone on
    both, or that the caller gave, counts as a point of the first body on a flat face of the second.

    Args:
        model: with gaps that let contacts be found a little apart.
        state: pose and velocity; at rest there is nothing to do.
        contacts: n closed contacts of that state.
    """
    rates = np.zeros((len(contacts), 3))
    fastest = float(np.abs(state.v).max(initial=0.0))
    if fastest < 1e-100:  # rates go with its square
        return rates
    iterated = np.array([_is_iterated(model, pair) for pair in contacts.geoms], dtype=bool)
    for which, step in ((np.flatnonzero(~iterated), STEP), (np.flatnonzero(iterated), LONG_STEP)):
        if len(which):
            rates[which] = _rates(model, state, contacts, which, step, step / fastest)
    return rates


def _is_iterated(model: mujoco.MjModel, geoms: NDArray[np.int64]) -> bool:
    """Whether MuJoCo finds this pair's contacts by iteration, not by a formula."""
    if geoms.min() < 0:
        return False
    kinds = sorted(model.geom_type[geoms].tolist())
    return not (kinds[0] == _PLANE or set(kinds) <= set(_ROUND) or kinds == [_SPHERE, _CYLINDER])


def _rates(
    model: mujoco.MjModel, state: State, contacts: Contacts, which: NDArray[np.int64], step: float, h: float
) -> Array:
    """(len(which), 3) differences of the contact velocities over the time `h` to both sides."""
    data = mujoco.MjData(model)
    _place(model, data, state, 0.0)
    bodies = [(model.body(contacts.bodies[i][0]).id, model.body(contacts.bodies[i][1]).id) for i in which]
    points = [_turn(data, a).T @ (contacts.points[i] - data.xpos[a]) for i, (a, _) in zip(which, bodies, strict=True)]
    frames = [contacts.frames[i] @ _turn(data, b) for i, (_, b) in zip(which, bodies, strict=True)]
    here = contacts.J[which] @ state.v
    found, fixed = np.full((2, len(which), 3), np.nan), np.empty((2, len(which), 3))
    for side, time in enumerate((-h, h)):
        _place(model, data, state, time)
        mujoco.mj_collision(model, data)
        for k, (i, (a, b)) in enumerate(zip(which, bodies, strict=True)):
            point = data.xpos[a] + _turn(data, a) @ points[k]
            fixed[side, k] = frames[k] @ _turn(data, b).T @ _slip(model, data, state.v, (point, a), (point, b))
            again = _find(data, contacts, i, LOST * step)
            if again is not None:
                frame, at_first, at_second = again
                found[side, k] = frame @ _slip(model, data, state.v, (at_first, a), (at_second, b))
    before, after = found
    rates = (after - before) / (2 * h)
    for other in ((after - here) / h, (here - before) / h, (fixed[1] - fixed[0]) / (2 * h)):
        rates = np.where(np.isnan(rates), other, rates)
    return rates


def _place(model: mujoco.MjModel, data: mujoco.MjData, state: State, time: float) -> None:
    """Bodies and their motion axes where the velocity brings them within `time`."""
    q = state.q.copy()
    mujoco.mj_integratePos(model, q, state.v, time)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)


def _slip(
    model: mujoco.MjModel, data: mujoco.MjData, v: Array, first: tuple[Array, int], second: tuple[Array, int]
) -> Array:
    """(3,) world: velocity of a point of the first body against a point of the second."""
    J, J_second = np.empty((3, model.nv)), np.empty((3, model.nv))
    mujoco.mj_jac(model, data, J, None, *first)
    mujoco.mj_jac(model, data, J_second, None, *second)
    return J @ v - J_second @ v


def _turn(data: mujoco.MjData, body: int) -> Array:
    return data.xmat[body].reshape(3, 3)


def _find(data: mujoco.MjData, contacts: Contacts, i: int, reach: float) -> tuple[Array, Array, Array] | None:
    """Contact i in the pose of `data`: its frame and its points on the first and the second body, None if it is gone.

    It is the nearest of its two geoms with about its normal. The frame turns by no more than the normal.
    """
    first, second = contacts.geoms[i]
    geoms, points, normals = data.contact.geom, data.contact.pos, data.contact.frame[:, :3]
    # MuJoCo's normal points from its first geom to its second.
    sign = (geoms == (second, first)).all(axis=1) * 1.0 - (geoms == (first, second)).all(axis=1)
    distance = np.linalg.norm(points - contacts.points[i], axis=1)
    near = np.flatnonzero((distance <= reach) & (sign * (normals @ contacts.frames[i, 0]) > 0.9))
    if not len(near):
        return None
    best = near[np.argmin(distance[near])]
    normal = sign[best] * normals[best]
    tangents = contacts.frames[i, 1:] - np.outer(contacts.frames[i, 1:] @ normal, normal)
    frame = np.vstack([normal, tangents / np.linalg.norm(tangents, axis=1)[:, None]])
    opened = 0.5 * (data.contact.dist[best] - contacts.gaps[i]) * normal  # MuJoCo's point is half-way
    return frame, points[best] + opened, points[best] - opened
