"""Many steps in one compiled loop, with the policy inside it."""

from __future__ import annotations

from typing import NamedTuple

from numba import int64, types
from numpy import ndarray

from surefoot.kernels.cache import kernel
from surefoot.kernels.plant import GIVEN
from surefoot.kernels.status import CAPACITY, CONTACTS_DROPPED, LOG_FULL, POLICY, REGULARISED, SOLVED
from surefoot.kernels.step import advance, find_rows, solve_rows

_VECTOR = types.float64[::1]
POLICY_SIGNATURE = types.int64(types.float64, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
"""int64 policy(t, q, v, torque_out, memory, params)"""


class Log(NamedTuple):
    """Where a roll-out writes; step k has its contacts in rows start[k] .. start[k + 1] - 1."""

    q: ndarray  # (steps + 1, nq)
    v: ndarray  # (steps + 1, nv)
    torque: ndarray  # (steps, joints)
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
    q: ndarray  # (nq,) what the policy sees: a copy, so that it cannot move the plant
    v: ndarray


@kernel
def roll(step, policy, loop, log, first, last, every, t0, resume):
    """Steps first..last-1 from the state in mjData. Returns (status, steps done); the log holds what was done.

    Args:
        step: Box of a Step.
        policy: function of POLICY_SIGNATURE.
        loop: Loop.
        log: Log.
        first, last: step numbers.
        every: the policy is called at every n-th step.
        t0: time of step 0 in s.
        resume: True if the policy was already called for step `first`.
    """
    plant, rows, dt = step.plant, step.rows, step.settings.dt
    nq, nv = plant.qpos.shape[0], plant.qvel.shape[0]
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
        status, n = find_rows(step, int64(-1))
        if status != SOLVED:
            return status, k
        used = log.start[k]
        if used + n > log.gaps.shape[0]:
            return LOG_FULL, k
        status, residual, method, nu, _ = solve_rows(step, n)
        if status == CAPACITY or status == CONTACTS_DROPPED:
            return status, k
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
    return SOLVED, last
