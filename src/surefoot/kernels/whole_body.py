"""Whole-body control: state in, torques out, without leaving compiled code.

Contacts, inertia and bias are those of a Step in which nothing is prescribed. The program then says which torques; what
the feet will do under them is for the Step's own law to say (`foresee`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import int64, typeof, types
from numpy import ndarray

from surefoot.kernels.cache import Pointer, caller, inlined, kernel, part
from surefoot.kernels.dynamics_space import (
    OUT,
    Space,
    hold_contacts,
    span_space,
    span_torques,
    torques_of,
)
from surefoot.kernels.engine import read_address
from surefoot.kernels.follow import load_state
from surefoot.kernels.foresight import bring_to_rest, copy_modes, foresee
from surefoot.kernels.free_coordinates import largest_violation
from surefoot.kernels.give_way import give_way
from surefoot.kernels.held_contacts import choose_contacts
from surefoot.kernels.plant import CLOSED, CONE, DRY_FRICTION, EVERYTHING
from surefoot.kernels.program_limits import TORQUE_LOW, Limits, contact_limits, joint_limits, joints_within
from surefoot.kernels.reduction import assemble
from surefoot.kernels.status import (
    CAPACITY,
    GONE,
    NOT_FINITE,
    REGULARISED,
    RELAXED,
    SOLVED,
    UNSOLVED,
)
from surefoot.kernels.step import find_rows
from surefoot.kernels.task_program import MISSED, Quadratic, solve_level, start_program
from surefoot.kernels.task_rows import Bodies, Tasks, momentum_rows, task_rows

TRUST, TELL, CORRECT = 0, 1, 2  # whether the law is asked what the feet will do, and its answer heeded
ROUNDS = 8  # of correction
GRIP = 0.99  # of the law's friction is counted on in the first: at its very edge feet may slip
CREEP = 1e-2  # rad/s: below it dry friction is overcome in part only


class Controller(NamedTuple):
    """A whole-body controller; made once, used for ever."""

    step: Any  # Box of a Step, nothing prescribed
    space: Space
    bodies: Bodies
    tasks: Tasks
    limits: Limits
    program: Quadratic
    levels: int
    settle: float  # s in which contacts that are held come to rest
    unit: float  # N, weight of the robot or so
    weighs_torques: bool  # whether a task does
    full: ndarray  # (1,) bool: whether a limit of a joint was active in the last call
    calm: ndarray  # (2,) weight of normal and tangential forces, over `unit`
    share: float  # N: the normal forces' nominal sum
    idle: ndarray  # (nv - joints,) int64: velocities without a motor
    mode: ndarray  # (capacity,) int64: what each contact found is taken for
    chosen: ndarray  # (capacity,) int64: the same before the law is heard
    best_mode: ndarray  # (capacity,) int64: as in the round of correction that the law contradicts least
    best_rub: ndarray  # (capacity, 2)
    best_mu: ndarray  # (2,) as `limits.mu`
    rub: ndarray  # (capacity, 2) direction of friction of those that slide
    rubs: ndarray  # (capacity, 2) the same as the law has it
    counts_on: float  # friction that the program counts on; NaN: that of the contacts
    given: ndarray  # (1,) int64: 1 if `mode` and `rub` are as the caller wants them
    sizes: ndarray  # (4,) int64: contacts found, force directions, coordinates, limits
    acceleration: ndarray  # (nv,)
    force: ndarray  # (3 capacity,) N, in the contacts' frames
    torque: ndarray  # (joints,)
    check: ndarray  # (1,) int64: TRUST, TELL or CORRECT
    seen: ndarray  # (3 capacity,) m/s: contact velocities that the law foresees
    planned: ndarray  # (3,) work, m/s: velocity of a contact that is planned
    foreseen: ndarray  # (capacity,) int64: what each contact will do by the law: OUT (it lifts), STICKS or SLIDES
    law: ndarray  # (3,) int64: status of the law, contacts that it sees otherwise, rounds of correction
    missed: ndarray  # (1,) how far the answer is beyond a limit, in its scale


@part
def find_state(c, given):
    """Contacts, inertia and bias of the state in mjData. Returns (status, blocks)."""
    step = c.step
    for i in range(step.torque.shape[0]):
        step.torque[i] = 0.0
    status, n = find_rows(step, given)
    if status != SOLVED:
        return status, n
    plant = step.plant
    assemble(
        plant.m, plant.d, plant.qvel, plant.qfrc_passive, plant.qfrc_applied, plant.qfrc_bias, plant.dof_damping,
        step.settings.dt, step.torque, step.reduced.M, step.reduced.kappa,
    )  # fmt: skip
    return SOLVED, n


@part
def solve_tasks(c, n):
    """The program on blocks 0..n-1. Returns a status; torques, accelerations and forces are written if it is one.

    RELAXED: the limits contradict each other, and `program.give` says by how much each gave way.
    """
    step, space, limits = c.step, c.space, c.limits
    plant, rows, dt = step.plant, step.rows, step.settings.dt
    contacts = choose_contacts(c, n)
    _dry_friction(c, n)
    used = 0
    for i in range(contacts):
        used += 3 * (c.mode[i] != OUT)
    if used > space.C.shape[0]:
        return CAPACITY
    held, forces = hold_contacts(rows, contacts, c.mode, c.rub, space)
    M, kappa = step.reduced.M, step.reduced.kappa
    count = span_space(M, kappa, plant.qvel, dt, c.settle, c.unit, c.idle, held, forces, space)
    if c.bodies.base >= 0:
        momentum_rows(plant, c.bodies, M)
    c.sizes[0], c.sizes[1], c.sizes[2] = contacts, forces, count
    held = contact_limits(plant, rows, dt, space, forces, count, c.mode, limits)
    if not (c.full[0] or c.weighs_torques):
        # Joints are mostly far from their limits: an answer that keeps them though nobody asked is the answer.
        status = _answer(c, forces, count, held)
        if status == SOLVED and joints_within(plant, step.dofs, dt, c.acceleration, c.torque, limits):
            return status
    span_torques(M, step.dofs, forces, count, space)
    c.full[0] = True
    status = _answer(c, forces, count, joint_limits(plant, step.dofs, dt, space, count, limits, held))
    if status == SOLVED:
        c.full[0] = _joint_limit_active(c)
    return status


@part
def _joint_limit_active(c):
    """Whether a limit of a joint is active in the answer: then it probably will be in the next call."""
    work = c.program
    for level in range(c.levels):
        for k in range(work.basic[level]):
            if c.limits.what[work.basis[level, k]] >= TORQUE_LOW:
                return True
    return False


@part
def _answer(c, forces, count, limited):
    """The program with this many limits; where they contradict each other they give way.

    Where the first attempt fails for another reason nothing gives way, but levels then start within the limits.
    """
    work, limits = c.program, c.limits
    c.sizes[3] = limited
    start_program(work, limited, count)
    status = _levels(c, forces, count, limited, count, False)
    gave = False
    if status != SOLVED and status != NOT_FINITE:
        for level in range(c.levels):
            work.basic[level] = 0
        status = _levels(c, forces, count, limited, give_way(work, limits, limited, count), True)
        for i in range(limited):
            gave = gave or work.give[i] > 0.0
    if status != SOLVED:
        return status
    _read_answer(c, forces, count)
    for i in range(c.torque.shape[0]):
        if not math.isfinite(c.torque[i]):
            return NOT_FINITE
    return RELAXED if gave else SOLVED


@part
def _levels(c, forces, count, limited, dim, within):
    """All levels, the first first, in `dim` free coordinates; `within`: beta is within the limits at the start."""
    work = c.program
    for level in range(c.levels):
        last = level == c.levels - 1
        m = task_rows(
            c.step.plant, c.step.rows, c.bodies, c.tasks, level, c.space, c.rub, forces, count, work.D, work.e
        )
        if last:
            m = bring_to_rest(c, count, _calm_forces(c, forces, count, m))
        status, dim = solve_level(work, c.limits, level, last, m, limited, count, dim, within or level > 0)
        if status != SOLVED:
            return status
        if dim == 0:  # nothing is left to choose
            break
    c.missed[0] = largest_violation(work, c.limits, limited, count)
    return SOLVED if c.missed[0] <= MISSED else UNSOLVED


@part
def _calm_forces(c, forces, count, m):
    """Rows that keep forces small: tangential ones towards zero, normal ones towards their share (23)."""
    work, space = c.program, c.space
    normals = 0
    for f in range(forces):
        normals += space.axis[f] == 0 or space.axis[f] == 3
    for f in range(forces):
        normal = space.axis[f] == 0 or space.axis[f] == 3
        root = math.sqrt(c.calm[0] if normal else c.calm[1]) / c.unit
        if root > 0.0:
            work.e[m] = root * ((c.share / normals if normal else 0.0) - space.f0[f])
            for b in range(count):
                work.D[b, m] = root * space.L[b, f]
            m += 1
    return m


@part
def _read_answer(c, forces, count):
    """Accelerations, forces and torques at beta."""
    space, s, step = c.space, c.program.s, c.step
    for j in range(c.acceleration.shape[0]):
        c.acceleration[j] = space.a0[j]
    for b in range(count):
        value = s[b]
        for j in range(c.acceleration.shape[0]):
            c.acceleration[j] += value * space.A[b, j]
    for k in range(3 * c.sizes[0]):
        c.force[k] = 0.0
    for f in range(forces):
        total = space.f0[f]
        for b in range(count):
            total += s[b] * space.L[b, f]
        space.x[f] = total
        i = space.contact[f]
        if space.axis[f] < 3:
            c.force[3 * i + space.axis[f]] = total
        else:
            c.force[3 * i] = total
            c.force[3 * i + 1] = step.rows.mu[i] * c.rub[i, 0] * total
            c.force[3 * i + 2] = step.rows.mu[i] * c.rub[i, 1] * total
    torques_of(step.reduced.M, step.dofs, forces, space.F, c.acceleration, space.x, c.torque)
    for i in range(c.torque.shape[0]):
        c.torque[i] += c.limits.friction[i] - space.r[step.dofs[i]]


@part
def _dry_friction(c, n):
    """Torque (joints,) that overcomes the dry friction of the joints, as they move now, into `limits.friction`."""
    step, friction = c.step, c.limits.friction
    for i in range(friction.shape[0]):
        friction[i] = 0.0
    for b in range(n):
        if step.rows.source[b, 1] == DRY_FRICTION:
            for i in range(step.dofs.shape[0]):
                if step.dofs[i] == step.rows.source[b, 0]:
                    speed = step.plant.qvel[step.dofs[i]] / CREEP
                    friction[i] = step.rows.bound[b] * max(-1.0, min(1.0, speed))


@part
def _solve_and_check(c, n):
    """The program, and what the law says of its torques; a contact seen otherwise is taken for what it will be.

    Where that does not end, or ends without an answer, of all rounds the one that the law contradicts least is taken.
    """
    c.law[0], c.law[1], c.law[2] = SOLVED, 0, 0
    c.limits.mu[0], c.limits.mu[1] = c.counts_on, 1.0
    least = int64(-1)
    while True:
        status = solve_tasks(c, n)
        if status != SOLVED and status != RELAXED:
            break
        if c.check[0] == TRUST:
            return status
        foresee(c, n)
        if c.check[0] == TELL or c.law[1] == 0:
            return status
        if c.law[0] != SOLVED and c.law[0] != REGULARISED:
            break
        if least < 0 or c.law[1] <= least:
            least = c.law[1]
            copy_modes(c, c.mode, c.rub, c.best_mode, c.best_rub)
            c.best_mu[0], c.best_mu[1] = c.limits.mu[0], c.limits.mu[1]
        if c.law[2] == ROUNDS:
            break
        if c.law[2] == 0:
            copy_modes(c, c.mode, c.rub, c.chosen, c.rub)
        c.law[2] += 1
        c.given[0] = 1
        if not math.isnan(c.limits.mu[0]):  # friction as the law has it may do
            c.limits.mu[0], c.limits.mu[1] = math.nan, GRIP
            continue
        for i in range(c.sizes[0]):
            if c.step.rows.kind[i] == CONE and c.chosen[i] != OUT:
                c.mode[i] = c.foreseen[i]
                c.rub[i, 0], c.rub[i, 1] = c.rubs[i, 0], c.rubs[i, 1]
    good = status == SOLVED or status == RELAXED
    if least < 0 or (good and c.law[1] == least):
        return status
    copy_modes(c, c.best_mode, c.best_rub, c.mode, c.rub)
    c.limits.mu[0], c.limits.mu[1] = c.best_mu[0], c.best_mu[1]
    status = solve_tasks(c, n)
    if status == SOLVED or status == RELAXED:
        foresee(c, n)
    return status


@kernel
def control_box(c, given):
    """Torques of the state in mjData. Returns (status, blocks found)."""
    c.given[0] = 0
    status, n = find_state(c, given)
    if status == SOLVED:
        status = _solve_and_check(c, n)
    return status, n


_VECTOR = types.float64[::1]
_CALL = types.int64(types.uintp, types.int64, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
_call = caller(_CALL)


def _control_state(c, afresh, q, v, stance, goals, torque_out):
    """`control_box` for a state given as arrays; returns the status. See `control_from`."""
    step = c.step
    if afresh:
        step.memory.count[0] = 0
        c.full[0] = False
        for level in range(c.program.basic.shape[0]):
            c.program.basic[level] = 0
    load_state(step, q, v)
    step.planned[0] = CLOSED if stance.shape[0] > 0 else EVERYTHING
    for i in range(stance.shape[0]):
        step.stance[i] = stance[i] != 0.0
    for i in range(goals.shape[0]):
        c.tasks.numbers[i] = goals[i]
    c.given[0] = 0
    status, n = find_state(c, int64(-1))
    if status == SOLVED:
        status = _solve_and_check(c, n)
    good = status == SOLVED or status == RELAXED
    for i in range(torque_out.shape[0]):
        torque_out[i] = c.torque[i] if good else 0.0
    return status


def state_controller(box: Any) -> Pointer:
    """`_control_state` as a pointer, for one kind of Box."""
    return Pointer(_control_state, types.int64(typeof(box), *_CALL.args[1:]))


@inlined
def control_from(handle, afresh, q, v, stance, goals, torque_out):
    """Torques of the whole-body controller with this handle (`WholeBody.handle`); zero without an answer.

    `afresh` 1: as if it had never been called before. `stance`: (ngeom,) 1 for geoms of feet that shall stand, or
    empty: whatever touches. `goals`: references of all tasks, or empty: as they are. Returns the status.
    """
    address = types.uintp(handle)
    if address == 0:
        return GONE
    function = read_address(address)
    if function == 0:
        return GONE
    return _call(function, (read_address(address + 8), afresh, q, v, stance, goals, torque_out))
