"""One step: from the state in mjData to velocities, impulses and forces, and the move to the next state."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import int64
from numpy import ndarray

from surefoot.kernels.active_modes import cold_modes
from surefoot.kernels.cache import Pointer, inlined, kernel, part
from surefoot.kernels.contact_law import Solver
from surefoot.kernels.engine import equality_rows, integrate, read_address, read_float, read_int
from surefoot.kernels.fallback import PIVOTS
from surefoot.kernels.memory import Memory, recall, remember
from surefoot.kernels.plant import BOX, CONE, DRY_FRICTION, LIMIT, MOTOR, NORMAL, TENDON, TURN, Plant, Rows
from surefoot.kernels.problem import ENERGY, SOFT, STANDARD, Problem, prepare
from surefoot.kernels.reduction import (
    Reduced,
    assemble,
    back_substitute,
    needed_force,
    reduce_to_contacts,
    velocities,
)
from surefoot.kernels.settings import Settings
from surefoot.kernels.soft_inverse import project_law
from surefoot.kernels.softness import row_velocities
from surefoot.kernels.status import CAPACITY, CONTACTS_DROPPED, INCONSISTENT, INERTIA, REGULARISED, SOLVED


class Step(NamedTuple):
    """Everything one step reads and writes; made once, used for ever."""

    settings: Settings
    plant: Plant
    rows: Rows
    reduced: Reduced
    memory: Memory
    finding: Any  # Box of a Finding
    find: Pointer  # see `_find_rows`
    solver: Solver
    law: Pointer  # law(Problem, Solver, impulses) -> (status, residual, method)
    depth_law: Pointer  # the same for the displacement that removes depth
    softening: Any  # Box of a Softening
    soften: Pointer  # of the soft law
    hold: Pointer  # of loops and coupled joints
    loop_force: Pointer
    smoothing: Any  # Box of a Smoothing
    smooth: Pointer  # stage II
    edges: ndarray  # (k, 6), see pyramid.py
    offset: ndarray  # (capacity,) gap / dt
    impulse_bound: ndarray  # (capacity,)
    f: ndarray  # (3 capacity,) impulses
    target: ndarray  # (bilateral rows,)
    dofs: ndarray  # (joints,) int64: velocities of the actuated joints
    prescribed: ndarray  # (nv,) bool
    nothing: ndarray  # (nv,) bool: no velocity is prescribed
    v_next: ndarray  # (nv,)
    torque: ndarray  # (nv,) known generalised forces
    motor: ndarray  # (nv,) largest torque by which a free velocity is driven towards v_next; -1: it is not
    force: ndarray  # (nv,) what prescribed velocities need
    last_force: ndarray  # (nv,) the same in the last step
    planned: ndarray  # (1,) int64: EVERYTHING, CLOSED or NEAR of kernels/plant.py
    stance: ndarray  # (ngeom,) bool
    warnings: ndarray  # (2,) int64: contacts and constraints dropped so far
    correction: ndarray  # (nv,) displacement that removes depth
    zeros: ndarray  # (3 capacity,)
    gaps: ndarray  # (capacity,)
    normal_only: ndarray  # (capacity,) int64


@kernel
def find_rows(step, given):
    """Rows of the state in mjData, see `_find_rows`. `step`: Box of a Step, as in all that follows."""
    return step.find(step.finding, given)


@part
def _bilateral(m, d, layout, settings, n, J, target, mobility, warnings):
    """Copy MuJoCo's equality rows and their A behind the contact rows; returns their number, or minus a status."""
    equality_rows(m, d)
    number = read_int(d + layout.warning + 2 * layout.warning_size)
    if number != warnings[1]:
        warnings[1] = number
        return -CONTACTS_DROPPED
    count = read_int(d + layout.ne)
    if 3 * n + count > J.shape[0] or count > target.shape[0]:
        return -CAPACITY
    nv = J.shape[1]
    values = read_address(d + layout.efc_J)
    gaps = read_address(d + layout.efc_pos)
    sizes = read_address(d + layout.efc_diagA)
    for e in range(count):
        mobility[3 * n + e] = read_float(sizes + 8 * e)
        for j in range(nv):
            J[3 * n + e, j] = read_float(values + 8 * (e * nv + j))
        target[e] = -settings.bilateral_rate / settings.dt * read_float(gaps + 8 * e)
    return count


@part
def _offsets(rows, settings, n, qvel, impulse_bound, offset):
    """Gap rates phi/dt (penetration counts as zero), Newton restitution, the slip's offset, the spring's pull."""
    law = settings.law
    springs = not math.isinf(law.stiffness)
    for i in range(n):
        impulse_bound[i] = rows.bound[i] if rows.kind[i] == TURN else settings.dt * rows.bound[i]
        offset[i] = max(rows.gap[i], 0.0) / settings.dt
        if rows.kind[i] == BOX or rows.kind[i] == TURN or rows.source[i, 1] in (LIMIT, TENDON):
            continue
        if not (settings.restitution > 0.0 or law.slip_offset or springs):
            continue
        cn, cx, cy = 0.0, 0.0, 0.0
        for j in range(rows.J.shape[1]):
            cn += rows.J[3 * i, j] * qvel[j]
            cx += rows.J[3 * i + 1, j] * qvel[j]
            cy += rows.J[3 * i + 2, j] * qvel[j]
        if settings.restitution > 0.0 and cn < -settings.bounce and rows.gap[i] + settings.dt * cn <= 0.0:
            offset[i] = settings.restitution * cn
        if law.slip_offset and rows.kind[i] == CONE and not math.isinf(rows.mu[i]):
            # s = mu |J_t v|: without it a sliding contact would jump to c_n = mu |c_t|
            offset[i] += rows.mu[i] * math.sqrt(cx * cx + cy * cy)
        if springs:
            damping = law.damping if rows.gap[i] <= 0.0 else 0.0  # nothing damps in mid-air
            offset[i] = rows.gap[i] * law.stiffness / (settings.dt * law.stiffness + damping)


@part
def _add_springs(rows, settings, n, nu, W):
    """Give every contact a velocity of its own, that of its spring: G_nn + R_n, R_n = 1 / (dt (dt k + d)).

    Returns the number of columns.
    """
    law, dt = settings.law, settings.dt
    if math.isinf(law.stiffness):
        return nu
    for r in range(3 * n):
        for j in range(nu, nu + n):
            W[r, j] = 0.0
    for i in range(n):
        if rows.kind[i] != BOX and rows.source[i, 1] not in (LIMIT, TENDON):
            damping = law.damping if rows.gap[i] <= 0.0 else 0.0
            W[3 * i, nu + i] = 1.0 / math.sqrt(dt * (dt * law.stiffness + damping))
    return nu + n


@kernel
def solve_rows(step, n):
    """Solve the one problem on rows 0..n-1. Returns (status, residual, method, nu, bilateral rows).

    `step.v_next` receives the free velocities, `step.f` the impulses, `step.force` what the prescribed ones need.
    """
    settings = step.settings
    rows, reduced, plant = step.rows, step.reduced, step.plant
    for r in range(3 * n):
        step.f[r] = 0.0
    assemble(
        plant.m, plant.d, plant.qvel, plant.qfrc_passive, plant.qfrc_applied, plant.qfrc_bias, plant.dof_damping,
        settings.dt, step.torque, reduced.M, reduced.kappa,
    )  # fmt: skip
    bilateral = 0
    if plant.neq > 0:
        bilateral = _bilateral(
            plant.m, plant.d, plant.layout, settings, n, rows.J, step.target, step.solver.R, step.warnings
        )
    if bilateral < 0:
        return -bilateral, math.inf, 0, 0, 0
    total = 3 * n + bilateral
    soft, free = settings.law.form == SOFT, 0
    for i in range(plant.qvel.shape[0]):
        free += not step.prescribed[i]
    if soft:
        if settings.law.critical and reduce_to_contacts(rows.J, total, step.nothing, step.v_next, reduced) < 0:
            return INERTIA, math.inf, 0, 0, 0
        for e in range(bilateral):
            step.target[e] *= -settings.dt / settings.bilateral_rate  # the gap itself
        step.soften(step.softening, n, bilateral)
        bilateral = 0
    nu = int64(0)
    if soft and free == 0:  # the impulses follow from velocities alone
        row_velocities(rows, n, step.v_next, reduced.c0)
    else:
        nu = reduce_to_contacts(rows.J, 3 * n + bilateral, step.prescribed, step.v_next, reduced)
    if nu < 0:
        return INERTIA, math.inf, 0, 0, 0
    rank = 0
    if bilateral > 0:
        rank = step.hold(
            rows.J, plant.qvel, step.v_next, 3 * n, 3 * n, bilateral, step.target, nu, settings.tolerance, reduced
        )
        if rank < 0:
            return INCONSISTENT, math.inf, 0, nu, bilateral
    _offsets(rows, settings, n, plant.qvel, step.impulse_bound, step.offset)
    for i in range(n):
        reduced.c0[3 * i + 1] -= rows.drive[i]
    columns = _add_springs(rows, settings, n, nu, reduced.W)
    scale = prepare(reduced.W, columns, n, reduced.c0, step.offset, step.solver.scratch.g)
    problem = Problem(
        reduced.W, columns, n, reduced.c0, step.offset, rows.kind, rows.mu, step.impulse_bound, step.edges,
        settings.law.dissipative, settings.law.form, scale, settings.tolerance,
    )  # fmt: skip
    if settings.law.form == ENERGY:
        _energy_gradient(step, n, nu)
        step.solver.scratch.known[0] = settings.remembers and step.memory.count[0] == n
    if settings.remembers and settings.law.form == STANDARD:
        cold_modes(problem, step.solver.scratch)
        recall(rows, n, step.memory, step.solver.scratch.mode)
        step.solver.scratch.known[0] = step.memory.count[0] > 0
    if soft and nu == 0:  # what its law does, but to hand over the solver takes longer than to project
        status, residual, method = project_law(problem, step.solver.R, step.solver.target, step.solver.turn, step.f)
    else:
        status, residual, method = step.law(problem, step.solver, step.f)
    if status == REGULARISED and method == PIVOTS and nu < plant.qvel.shape[0]:
        status = INCONSISTENT  # contacts that may not slip, dragged by the prescribed motion
    if settings.remembers:
        remember(rows, n, step.solver.scratch.mode, step.memory)
    velocities(nu, 3 * n, rank, step.f, step.v_next, reduced)
    if nu < plant.qvel.shape[0]:
        if settings.law.smooth > 0 and status == SOLVED:
            needed_force(rows.J, int64(0), step.f, step.v_next, settings.dt, reduced, step.force)
            residual = step.smooth(
                problem, settings.law.smooth, settings.dt, rows.J, step.prescribed, step.force, step.last_force,
                residual, step.solver.scratch, step.smoothing, step.f,
            )  # fmt: skip
        _read_forces(step, n, nu, rank)
        if status == SOLVED or status == REGULARISED:
            for i in range(step.force.shape[0]):
                step.last_force[i] = step.force[i]
    return status, residual, method, nu, bilateral


@part
def _read_forces(step, n, nu, rank):
    """What the prescribed velocities need, from the impulses in `step.f` and the velocities in `step.v_next`."""
    settings, rows, reduced = step.settings, step.rows, step.reduced
    needed_force(rows.J, 3 * n, step.f, step.v_next, settings.dt, reduced, step.force)
    if rank > 0:
        step.loop_force(reduced, rows.J, n, rank, nu, settings.dt, step.target, step.force)
    if settings.law.form != SOFT:
        _dry_friction_of_prescribed(rows, n, step.prescribed, step.v_next, settings.dt, step.force, step.f)


@inlined
def joint_torques(step, n, torque_out):
    """Torques (joints,) of the step just solved on rows 0..n-1: found where a motion is prescribed, given elsewhere."""
    dofs = step.dofs
    for i in range(dofs.shape[0]):
        torque_out[i] = step.force[dofs[i]] if step.prescribed[dofs[i]] else step.torque[dofs[i]]
    for b in range(n):
        if step.rows.source[b, 1] == MOTOR:
            for i in range(dofs.shape[0]):
                if dofs[i] == step.rows.source[b, 0]:
                    torque_out[i] += step.f[3 * b + 1] / step.settings.dt


@part
def _energy_gradient(step, n, nu):
    """G = J_u A^-1 kappa_u of the energy form, into `step.solver.target`."""
    reduced, y = step.reduced, step.reduced.y
    for i in range(nu):
        total = reduced.kappa[reduced.free[i]]
        for k in range(reduced.rise[i], i):
            total -= reduced.L[i, k] * y[k]
        y[i] = total * reduced.inverse_pivot[i]
    for r in range(3 * n):
        total = 0.0
        for i in range(nu):
            total += reduced.W[r, i] * y[i]
        step.solver.target[r] = total


@part
def _dry_friction_of_prescribed(rows, n, prescribed, v_next, dt, force, f):
    """A prescribed joint's motor also overcomes its dry friction; at rest it uses what friction holds."""
    for i in range(n):
        if rows.source[i, 1] != DRY_FRICTION or not prescribed[rows.source[i, 0]]:
            continue
        dof = rows.source[i, 0]
        if v_next[dof] != 0.0:
            friction = -math.copysign(rows.bound[i], v_next[dof])
        else:
            friction = math.copysign(min(abs(force[dof]), rows.bound[i]), force[dof])
        force[dof] -= friction
        f[3 * i + 1] = dt * friction


@part
def deepest(rows, n):
    """Largest penetration among contacts and limits (m or rad), at least 0."""
    depth = 0.0
    for i in range(n):
        if rows.kind[i] != BOX:
            depth = max(depth, -rows.gap[i])
    return depth


@part
def _remove_depth(step, n, nu):
    """The least displacement (in the inertia's metric) that takes a share of the depth away; adds no velocity."""
    rows, reduced, settings, gaps = step.rows, step.reduced, step.settings, step.gaps
    for i in range(n):
        gaps[i] = settings.depth_rate * (rows.gap[i] + settings.slop) if rows.gap[i] < -settings.slop else 0.0
        gaps[i] += max(rows.gap[i], 0.0)
        step.normal_only[i] = NORMAL
    problem = Problem(
        reduced.W, nu, n, step.zeros, gaps, step.normal_only, rows.mu, step.impulse_bound, step.edges,
        False, STANDARD, deepest(rows, n), 1e-6,
    )  # fmt: skip
    status, _, _ = step.depth_law(problem, step.solver, step.f)
    if status != SOLVED:
        return False
    y = reduced.y
    for i in range(nu):
        y[i] = 0.0
    for i in range(n):
        for j in range(nu):
            y[j] += reduced.W[3 * i, j] * step.f[3 * i]
    back_substitute(nu, y, reduced)
    for i in range(step.correction.shape[0]):
        step.correction[i] = 0.0
    for i in range(nu):
        step.correction[reduced.free[i]] = y[i]
    return True


@kernel
def advance(step, n, nu):
    """Move to the next state: q+ = q (+) dt v+ (semi-implicit), then remove depth, which overwrites `step.f`."""
    plant, settings = step.plant, step.settings
    for i in range(plant.qvel.shape[0]):
        plant.qvel[i] = step.v_next[i]
    integrate(plant.m, plant.qpos, plant.qvel, settings.dt)
    if settings.depth_rate > 0.0 and deepest(step.rows, n) > settings.slop:
        if _remove_depth(step, n, nu):
            integrate(plant.m, plant.qpos, step.correction, 1.0)


@kernel
def apply(step, n, nu):
    """Velocities and forces of other impulses, put into `step.f`, for a problem without bilateral rows just solved."""
    velocities(nu, 3 * n, int64(0), step.f, step.v_next, step.reduced)
    if nu < step.v_next.shape[0]:
        _read_forces(step, n, nu, int64(0))
