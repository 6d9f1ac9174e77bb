"""Inverse dynamics in a loop: joint accelerations in, torques out, without leaving compiled code."""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import int64, typeof, types
from numba.extending import intrinsic

from surefoot.kernels.cache import Pointer, inlined, kernel
from surefoot.kernels.engine import read_address
from surefoot.kernels.status import CAPACITY, REGULARISED, SOLVED
from surefoot.kernels.step import find_rows, joint_torques, solve_rows


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
_CALL = types.int64(types.uintp, types.int64, _VECTOR, _VECTOR, _VECTOR, _VECTOR)


def _follow_state(step, afresh, q, v, acceleration, torque_out):
    """`follow_box` for a state given as arrays; returns the status. `afresh`: forget what was before."""
    if afresh:
        step.memory.count[0] = 0
        for i in range(step.last_force.shape[0]):
            step.last_force[i] = 0.0
    for i in range(step.plant.qpos.shape[0]):
        step.plant.qpos[i] = q[i]
    for i in range(step.plant.qvel.shape[0]):
        step.plant.qvel[i] = v[i]
    return _follow(step, acceleration, int64(-1), torque_out)[0]


def state_follower(box: Any) -> Pointer:
    """`_follow_state` as a pointer, for one kind of Box."""
    signature = types.int64(typeof(box), *_CALL.args[1:])
    return Pointer(_follow_state, signature)


@intrinsic
def _call_at(typingctx, function, box, afresh, q, v, acceleration, torque_out):
    """Call a `state_follower` at an address."""

    def codegen(context, builder, signature, args):
        kinds = [context.get_value_type(kind) for kind in _CALL.args]
        kind = ir.FunctionType(context.get_value_type(_CALL.return_type), kinds)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(types.uintp, *_CALL.args), codegen


_call: Any = _call_at  # numba passes the first argument


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
    return follow_from(handle, 0, q, v, acceleration, torque_out)


@inlined
def follow_from(handle, afresh, q, v, acceleration, torque_out):
    """`follow`; `afresh` 1: as if the controller had never been called before."""
    address = types.uintp(handle)
    return _call(read_address(address), read_address(address + 8), afresh, q, v, acceleration, torque_out)
