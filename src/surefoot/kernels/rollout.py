"""Many steps in one compiled loop, with the policy inside it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from llvmlite import ir
from numba import int64, types
from numba.extending import intrinsic
from numpy import ndarray

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.plant import GIVEN
from surefoot.kernels.status import CAPACITY, CONTACTS_DROPPED, LOG_FULL, MOTION, POLICY, REGULARISED, SOLVED
from surefoot.kernels.step import advance, find_rows, joint_torques, solve_rows

_VECTOR = types.float64[::1]
POLICY_SIGNATURE = types.int64(types.float64, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
"""int64 policy(t, q, v, torque_out, memory, params), and the same with position_out for a motion"""


class Log(NamedTuple):
    """Where a roll-out writes; step k has its contacts in rows start[k] .. start[k + 1] - 1."""

    q: ndarray  # (steps + 1, nq)
    v: ndarray  # (steps + 1, nv)
    torque: ndarray  # (steps, joints)
    wanted: ndarray  # (steps, moved) where the joints that follow a motion shall be at the end of the step
    aim: ndarray  # (steps, moved) the velocity by which they shall get there
    status: ndarray  # (steps,)
    residual: ndarray  # (steps,)
    method: ndarray  # (steps,)
    start: ndarray  # (steps + 1,)
    geoms: ndarray  # (contacts, 2)
    points: ndarray  # (contacts, 3)
    frames: ndarray  # (contacts, 3, 3)
    gaps: ndarray  # (contacts,)
    forces: ndarray  # (contacts, 3)
    velocities: ndarray  # (contacts, 3)


class Loop(NamedTuple):
    """What lives from step to step besides mjData."""

    dofs: ndarray  # (joints,)
    torque: ndarray  # (joints,)
    memory: ndarray
    params: ndarray
    q: ndarray  # (nq,) what the policy and the motion see: a copy, so that they cannot move the plant
    v: ndarray
    moved: ndarray  # (moved,) joints that follow a motion, as places in `dofs`
    places: ndarray  # (moved,) their places in q
    middle: ndarray  # (moved,) middle of the range of their torques, 0 where that is infinite
    before: ndarray  # (moved,) where they should be at its start
    position: ndarray  # (moved,) where they shall be at the end of the step
    catch_up: float  # s in which a joint that its torque limit held back takes back its lag
    motion_memory: ndarray
    motion_params: ndarray


@intrinsic
def _policy_at(typingctx, address, t, q, v, torque, memory, params):
    """Call a policy at an address."""

    def codegen(context, builder, signature, args):
        kinds = [context.get_value_type(kind) for kind in POLICY_SIGNATURE.args]
        kind = ir.FunctionType(context.get_value_type(POLICY_SIGNATURE.return_type), kinds)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(types.uintp, *POLICY_SIGNATURE.args), codegen


_call: Any = _policy_at  # numba passes the first argument


@kernel
def ask(address, t, q, v, torque, memory, params):
    """Call the compiled policy at an address once and return its code: the same machine code as in `roll`.

    From Python an address costs less than the policy itself, whose type numba would find out anew in every call.
    """
    return _call(types.uintp(address), t, q, v, torque, memory, params)


@part
def _aim(step, motion, loop, log, k, t, called):
    """Ask where the joints shall be at time t, the end of step k, and let them arrive: v+ = (q*(t) - q) / dt.

    So a joint ends every step where it shall be, and no error of position grows. `called`: the motion was asked before.
    One of limited torque that is behind would arrive too fast to stop. It aims at the motion's own velocity, and takes
    its lag back bit by bit: (q*(t) - q*(t - dt)) / dt + (q*(t - dt) - q) / catch_up.
    """
    plant, dt = step.plant, step.settings.dt
    if not called:
        for i in range(loop.q.shape[0]):
            loop.q[i] = plant.qpos[i]
        for i in range(loop.v.shape[0]):
            loop.v[i] = plant.qvel[i]
        if motion(t, loop.q, loop.v, loop.position, loop.motion_memory, loop.motion_params) != 0:
            return MOTION
    status = SOLVED
    for i in range(loop.moved.shape[0]):
        dof = loop.dofs[loop.moved[i]]
        q = plant.qpos[loop.places[i]]
        if step.motor[dof] < 0.0:
            log.aim[k, i] = (loop.position[i] - q) / dt
        else:
            log.aim[k, i] = (loop.position[i] - loop.before[i]) / dt + (loop.before[i] - q) / loop.catch_up
        log.wanted[k, i] = loop.position[i]
        step.v_next[dof] = log.aim[k, i]
        step.torque[dof] = loop.middle[i]
        if not math.isfinite(loop.position[i]):
            status = MOTION
        elif status == SOLVED and loop.torque[loop.moved[i]] != 0.0:
            status = POLICY
    return status


@kernel
def roll(step, policy, motion, loop, log, first, last, every, t0, resume):
    """Steps first..last-1 from the state in mjData. Returns (status, steps done); the log holds what was done.

    Args:
        step: Box of a Step.
        policy: function of POLICY_SIGNATURE.
        motion: the same; called at every step if `loop.moved` names any joints.
        loop: Loop.
        log: Log.
        first, last: step numbers.
        every: the policy is called at every n-th step.
        t0: time of step 0 in s.
        resume: True if policy and motion were already called for step `first`.
    """
    plant, rows, dt = step.plant, step.rows, step.settings.dt
    nq, nv = plant.qpos.shape[0], plant.qvel.shape[0]
    moved = loop.moved.shape[0] > 0
    for k in range(first, last):
        if k % every == 0 and not (resume and k == first):
            for i in range(nq):
                loop.q[i] = plant.qpos[i]
            for i in range(nv):
                loop.v[i] = plant.qvel[i]
            if policy(t0 + k * dt, loop.q, loop.v, loop.torque, loop.memory, loop.params) != 0:
                return POLICY, k
        for i in range(loop.dofs.shape[0]):
            step.torque[loop.dofs[i]] = loop.torque[i]
            log.torque[k, i] = loop.torque[i]
        if moved:
            status = _aim(step, motion, loop, log, k, t0 + (k + 1) * dt, resume and k == first)
            if status != SOLVED:
                return status, k
        status, n = find_rows(step, int64(-1))
        if status != SOLVED:
            return status, k
        used = log.start[k]
        if used + n > log.gaps.shape[0]:
            return LOG_FULL, k
        status, residual, method, nu, _ = solve_rows(step, n)
        if status == CAPACITY or status == CONTACTS_DROPPED:
            return status, k
        if moved:
            joint_torques(step, n, log.torque[k])
        log.status[k] = status
        log.residual[k] = residual
        log.method[k] = method
        for i in range(n):
            if rows.source[i, 1] < 0 and rows.source[i, 1] != GIVEN:
                break  # contacts come first
            log.geoms[used, 0] = rows.source[i, 0]
            log.geoms[used, 1] = rows.source[i, 1]
            log.gaps[used] = rows.gap[i]
            for r in range(3):
                log.points[used, r] = rows.point[i, r]
                log.forces[used, r] = step.f[3 * i + r] / dt
                total = 0.0
                for j in range(nv):
                    total += rows.J[3 * i + r, j] * step.v_next[j]
                log.velocities[used, r] = total
                for c in range(3):
                    log.frames[used, r, c] = rows.frame[i, r, c]
            used += 1
        log.start[k + 1] = used
        if status != SOLVED and status != REGULARISED:
            return status, k
        advance(step, n, nu)
        for i in range(nq):
            log.q[k + 1, i] = plant.qpos[i]
        for i in range(nv):
            log.v[k + 1, i] = plant.qvel[i]
        for i in range(loop.moved.shape[0]):
            loop.before[i] = loop.position[i]
    return SOLVED, last
