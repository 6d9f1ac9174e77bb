"""Inverse dynamics in a loop: joint accelerations in, torques out, without leaving compiled code."""

from __future__ import annotations

import math
from typing import Any

from numba import int64, typeof, types

from surefoot.kernels.cache import Pointer, caller, inlined, kernel, part
from surefoot.kernels.engine import read_address
from surefoot.kernels.plant import EVERYTHING, NEAR
from surefoot.kernels.status import CAPACITY, GONE, REGULARISED, SOLVED
from surefoot.kernels.step import find_rows, joint_torques, solve_rows


@part
def load_state(step, q, v):
    """Put a state (nq,), (nv,) into mjData; nothing that an earlier call found is left in the way."""
    for i in range(q.shape[0]):
        step.plant.qpos[i] = q[i]
    for i in range(v.shape[0]):
        step.plant.qvel[i] = v[i]
        step.v_next[i] = v[i]


@inlined
def _follow(step, acceleration, given, torque_out):
    """Torques for the state in mjData; without an answer the old ones stay.

    Returns (status, residual, method, blocks, free velocities, bilateral rows).
    """
    dofs = step.dofs
    for i in range(dofs.shape[0]):
        step.v_next[dofs[i]] = step.plant.qvel[dofs[i]] + step.settings.dt * acceleration[i]
    residual, method, nu, bilateral = math.inf, int64(0), int64(0), int64(0)
    status, n = find_rows(step, given)
    if status == SOLVED:
        status, residual, method, nu, bilateral = solve_rows(step, n)
    if status == SOLVED or status == REGULARISED:
        joint_torques(step, n, torque_out)
    return status, residual, method, n, nu, bilateral


@kernel
def follow_box(step, acceleration, given, torque_out):
    """Torques (joints,) that give these accelerations (joints,) at the state in mjData; see `_follow`.

    `given`: contacts that already stand in the rows; -1: find them.
    """
    return _follow(step, acceleration, given, torque_out)


@kernel
def follow_many(step, Q, V, accelerations, first, last, torque_out, velocity_out, status_out, residual_out):
    """`follow_box` for states first..last-1, one row each. Returns the first one not done (last if all are)."""
    plant = step.plant
    for k in range(first, last):
        for i in range(plant.qpos.shape[0]):
            plant.qpos[i] = Q[k, i]
        for i in range(plant.qvel.shape[0]):
            plant.qvel[i] = V[k, i]
            step.last_force[i] = 0.0  # of another state, which is none of this one's past
        status, residual, _, _, _, _ = _follow(step, accelerations[k], int64(-1), torque_out[k])
        if status == CAPACITY:
            return k
        status_out[k] = status
        residual_out[k] = residual
        for i in range(plant.qvel.shape[0]):
            velocity_out[k, i] = step.v_next[i]
    return last


# The Box of a Step is one pointer, which is what a compiled policy has of it: an address.
_VECTOR = types.float64[::1]
_CALL = types.int64(types.uintp, types.int64, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
_call = caller(_CALL)


def _follow_state(step, afresh, q, v, acceleration, stance, torque_out, push_out):
    """`follow_box` for a state given as arrays; returns the status. See `follow_from`."""
    if afresh:
        step.memory.count[0] = 0
        for i in range(step.last_force.shape[0]):
            step.last_force[i] = 0.0
    load_state(step, q, v)
    step.planned[0] = NEAR if stance.shape[0] > 0 else EVERYTHING
    for i in range(stance.shape[0]):
        step.stance[i] = stance[i] != 0.0
    status, _, _, n, _, _ = _follow(step, acceleration, int64(-1), torque_out)
    if push_out.shape[0] > 0 and (status == SOLVED or status == REGULARISED):
        push_out[0] = 0.0
        for i in range(n):
            if step.rows.source[i, 1] >= 0:
                push_out[0] += step.f[3 * i] / step.settings.dt
    return status


def state_follower(box: Any) -> Pointer:
    """`_follow_state` as a pointer, for one kind of Box."""
    signature = types.int64(typeof(box), *_CALL.args[1:])
    return Pointer(_follow_state, signature)


@kernel
def follow(handle, q, v, acceleration, torque_out):
    """For compiled policies: torques of the controller with this handle (`InverseDynamics.handle`).

    Args:
        handle: what `controller.handle` gave, a number that fits in a policy's params.
        q, v: (nq,), (nv,) the state that the controller is told.
        acceleration: (joints,) wanted joint accelerations.
        torque_out: (joints,) result; as it was if there is no answer.

    Returns:
        0 if solved, else the code of a Status.
    """
    none = torque_out[:0]
    return follow_from(handle, 0, q, v, acceleration, none, torque_out, none)


@inlined
def follow_from(handle, afresh, q, v, acceleration, stance, torque_out, push_out):
    """`follow`; `afresh` 1: as if the controller had never been called before.

    `stance`: (ngeom,) 1 for the geoms of feet that shall stand, which then are the only contacts; empty: all that is
    near. `push_out`: (1,) sum of the contacts' normal forces in N, or empty; as it was without answer.
    """
    address = types.uintp(handle)
    if address == 0:  # no handle at all
        return GONE
    function = read_address(address)
    if function == 0:
        return GONE
    arguments = (read_address(address + 8), afresh, q, v, acceleration, stance, torque_out, push_out)
    return _call(function, arguments)
