"""From the state in mjData to rows: contacts with their frames and Jacobians, joint limits, dry joint friction."""

from __future__ import annotations

import math

import numpy as np
from numba import int64

from surefoot.kernels.cache import part
from surefoot.kernels.engine import read_address, read_float, read_int
from surefoot.kernels.friction import contact_friction
from surefoot.kernels.height_field import belongs_to_facet
from surefoot.kernels.plant import (
    BOX,
    CLOSED,
    CONE,
    DRY_FRICTION,
    EVERYTHING,
    LIMIT,
    MOTOR,
    NORMAL,
    TENDON,
    TURN,
    TURNING,
)

SLIP_FLOOR = 1e-6  # m/s: above this the first tangent follows the slip


@part
def gather_rows(plant, rows, dt, touch, law_mu, planned, stance, v_next, motor, turns, given):
    """Fill `rows`; returns the number of blocks, or -1 if the capacity is too small.

    Args:
        plant: model and data after `smooth_terms`.
        rows: outputs.
        dt: step in s.
        touch: a contact whose gap is larger enters with its normal row only (m).
        law_mu: friction the law believes in; NaN: ask the scene.
        planned: EVERYTHING counts; or contacts of geoms in `stance` with the fixed world alone, CLOSED or as NEAR as
            they are.
        stance: (ngeom,) bool.
        v_next: (nv,) velocities at the end of the step, where prescribed.
        motor: (nv,) largest torque of the motor that drives a free velocity towards v_next; -1: there is none.
        turns: whether contacts feel torsional and rolling friction.
        given: if >= 0, that many contacts already stand in the rows and only joint rows are added.
    """
    count = given
    if given < 0:
        count = _gather_contacts(plant, rows, touch, law_mu, planned, stance)
    if count >= 0 and turns:
        count = _gather_turning(plant, rows, count)
    if count >= 0:
        count = _gather_limits(plant, rows, count, dt, v_next)
    if count >= 0:
        count = _gather_tendon_limits(plant, rows, count, dt)
    if count >= 0:
        count = _gather_boxes(rows, count, plant.dof_frictionloss, 0.0, int64(DRY_FRICTION), v_next)
    if count >= 0:
        count = _gather_boxes(rows, count, motor, -0.5, int64(MOTOR), v_next)
    return count


@part
def _gather_contacts(plant, rows, touch, law_mu, planned, stance):
    layout = plant.layout
    found = read_int(plant.d + layout.ncon)
    base = read_address(plant.d + layout.contact)
    count = 0
    for i in range(found):
        contact = base + i * layout.contact_size
        if read_int(contact + layout.exclude) > 1:  # 0: MuJoCo would use it, 1: in the gap
            continue
        first = read_int(contact + layout.geom + 4)  # row 0 of MuJoCo's frame points from geom1 to geom2
        second = read_int(contact + layout.geom)
        if first < 0 or second < 0:
            continue
        sign = 1.0
        if plant.geom_rank[second] > plant.geom_rank[first]:
            first, second = second, first
            sign = -1.0
        if planned != EVERYTHING and not (stance[first] and plant.geom_rank[second] == 0):
            continue
        if count == rows.gap.shape[0]:
            return -1
        for k in range(3):
            rows.point[count, k] = read_float(contact + layout.pos + 8 * k)
            rows.frame[count, 0, k] = sign * read_float(contact + layout.frame + 8 * k)
        if plant.hfield[second] >= 0 and not belongs_to_facet(plant, second, rows.point[count], rows.frame[count, 0]):
            continue
        if _is_duplicate(rows, count, first, second):
            continue
        gap = read_float(contact + layout.dist)
        rows.source[count, 0] = first
        rows.source[count, 1] = second
        rows.gap[count] = min(gap, 0.0) if planned == CLOSED else gap
        closed = rows.gap[count] <= touch
        rows.kind[count] = CONE if closed else NORMAL
        rows.bound[count] = 0.0
        rows.drive[count] = 0.0
        dim = read_int(contact + layout.dim)
        rows.turning[count, 0] = read_float(contact + layout.friction + 16) if dim > 3 else 0.0
        rows.turning[count, 1] = read_float(contact + layout.friction + 24) if dim > 4 else 0.0
        if np.isnan(law_mu):
            rows.mu[count] = contact_friction(plant, first, second, dim, rows.point, count)
        else:
            rows.mu[count] = law_mu
        _contact_rows(plant, rows, count, closed)
        count += 1
    return count


@part
def _is_duplicate(rows, count, first, second):
    """True if the same two geoms already touch at the same point along the same normal."""
    for j in range(count):
        if rows.source[j, 0] != first or rows.source[j, 1] != second:
            continue
        apart = 0.0
        turned = 0.0
        for k in range(3):
            apart = max(apart, abs(rows.point[j, k] - rows.point[count, k]))
            turned = max(turned, abs(rows.frame[j, 0, k] - rows.frame[count, 0, k]))
        if apart < 1e-9 and turned < 1e-9:
            return True
    return False


@part
def _contact_rows(plant, rows, i, closed):
    """Frame and Jacobian of contact i: relative velocity of the first body against the second.

    Only degrees of freedom that move one of the two bodies are visited; J_world is right for them alone.
    """
    first = plant.body_last_dof[plant.geom_bodyid[rows.source[i, 0]]]
    second = plant.body_last_dof[plant.geom_bodyid[rows.source[i, 1]]]
    for dof in (first, second):
        while dof >= 0:
            for k in range(3):
                rows.J_world[dof, k] = 0.0
            dof = plant.dof_parentid[dof]
    ax, ay, az = _add_point_jacobian(plant, rows, i, plant.geom_bodyid[rows.source[i, 0]], 1.0)
    bx, by, bz = _add_point_jacobian(plant, rows, i, plant.geom_bodyid[rows.source[i, 1]], -1.0)
    if closed:
        _tangents(rows, i, ax + bx, ay + by, az + bz)
    else:
        for k in range(3):
            rows.frame[i, 1, k] = 0.0
            rows.frame[i, 2, k] = 0.0
    for r in range(3):
        for j in range(rows.J.shape[1]):
            rows.J[3 * i + r, j] = 0.0
    for dof in (first, second):
        while dof >= 0:
            x, y, z = rows.J_world[dof, 0], rows.J_world[dof, 1], rows.J_world[dof, 2]
            for r in range(3):
                rows.J[3 * i + r, dof] = rows.frame[i, r, 0] * x + rows.frame[i, r, 1] * y + rows.frame[i, r, 2] * z
            dof = plant.dof_parentid[dof]


@part
def _add_point_jacobian(plant, rows, i, body, sign):
    """Add sign times the velocity of contact i's point on a body, per unit of each velocity that moves the body.

    Returns sign times the point's velocity.
    """
    dof = plant.body_last_dof[body]
    root = plant.body_rootid[body]
    x = rows.point[i, 0] - plant.subtree_com[root, 0]
    y = rows.point[i, 1] - plant.subtree_com[root, 1]
    z = rows.point[i, 2] - plant.subtree_com[root, 2]
    vx, vy, vz = 0.0, 0.0, 0.0
    while dof >= 0:
        # cdof: rotation, then translation about the tree's centre of mass
        a, b, c = plant.cdof[dof, 0], plant.cdof[dof, 1], plant.cdof[dof, 2]
        dx = sign * (plant.cdof[dof, 3] + b * z - c * y)
        dy = sign * (plant.cdof[dof, 4] + c * x - a * z)
        dz = sign * (plant.cdof[dof, 5] + a * y - b * x)
        rows.J_world[dof, 0] += dx
        rows.J_world[dof, 1] += dy
        rows.J_world[dof, 2] += dz
        speed = plant.qvel[dof]
        vx += dx * speed
        vy += dy * speed
        vz += dz * speed
        dof = plant.dof_parentid[dof]
    return vx, vy, vz


@part
def _tangents(rows, i, sx, sy, sz):
    """First tangent: along the slip s, else world x (y where x is normal) in the tangent plane."""
    nx, ny, nz = rows.frame[i, 0, 0], rows.frame[i, 0, 1], rows.frame[i, 0, 2]
    along = sx * nx + sy * ny + sz * nz
    sx -= along * nx
    sy -= along * ny
    sz -= along * nz
    length = sx * sx + sy * sy + sz * sz
    if length <= SLIP_FLOOR**2:
        if abs(nx) < 0.9:
            sx, sy, sz = 1.0 - nx * nx, -nx * ny, -nx * nz
        else:
            sx, sy, sz = -ny * nx, 1.0 - ny * ny, -ny * nz
        length = sx * sx + sy * sy + sz * sz
    length = math.sqrt(length)
    sx /= length
    sy /= length
    sz /= length
    rows.frame[i, 1, 0], rows.frame[i, 1, 1], rows.frame[i, 1, 2] = sx, sy, sz
    rows.frame[i, 2, 0] = ny * sz - nz * sy
    rows.frame[i, 2, 1] = nz * sx - nx * sz
    rows.frame[i, 2, 2] = nx * sy - ny * sx


@part
def _gather_turning(plant, rows, contacts):
    """Rows of relative angular velocity for closed contacts with torsional or rolling friction."""
    count = contacts
    for i in range(contacts):
        if rows.kind[i] != CONE or rows.turning[i, 0] <= 0.0:
            continue
        if count == rows.gap.shape[0]:
            return -1
        _clear(rows, count)
        rows.kind[count] = TURN
        rows.source[count, 0] = i
        rows.source[count, 1] = TURNING
        rows.mu[count] = rows.turning[i, 0]
        rows.bound[count] = rows.turning[i, 1]
        for side in range(2):
            dof = plant.body_last_dof[plant.geom_bodyid[rows.source[i, side]]]
            sign = 1.0 - 2.0 * side
            while dof >= 0:
                for r in range(3):
                    total = 0.0
                    for k in range(3):
                        total += rows.frame[i, r, k] * plant.cdof[dof, k]
                    rows.J[3 * count + r, dof] += sign * total
                dof = plant.dof_parentid[dof]
        count += 1
    return count


@part
def _gather_limits(plant, rows, count, dt, v_next):
    """One normal row for a hinge or slide joint that could reach its limit within the step or so."""
    for joint in range(plant.jnt_type.shape[0]):
        if not plant.jnt_limited[joint] or plant.jnt_type[joint] < 2:
            continue
        dof = plant.jnt_dofadr[joint]
        position = plant.qpos[plant.jnt_qposadr[joint]]
        reach = 0.01 + 4.0 * dt * max(abs(plant.qvel[dof]), abs(v_next[dof]))
        for side in range(2):
            gap = position - plant.jnt_range[joint, 0] if side == 0 else plant.jnt_range[joint, 1] - position
            if gap > reach:
                continue
            if count == rows.gap.shape[0]:
                return -1
            _clear(rows, count)
            rows.kind[count] = NORMAL
            rows.source[count, 0] = joint
            rows.source[count, 1] = LIMIT
            rows.gap[count] = gap
            rows.J[3 * count, dof] = 1.0 if side == 0 else -1.0
            count += 1
    return count


@part
def _gather_tendon_limits(plant, rows, count, dt):
    """One normal row for a tendon that could reach its limit within the step or so."""
    for tendon in range(plant.ten_length.shape[0]):
        if not plant.tendon_limited[tendon]:
            continue
        first = plant.ten_J_rowadr[tendon]
        last = first + plant.ten_J_rownnz[tendon]
        speed = 0.0
        for k in range(first, last):
            speed += plant.ten_J[k] * plant.qvel[plant.ten_J_colind[k]]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            gap = sign * (plant.ten_length[tendon] - plant.tendon_range[tendon, side])
            if gap > 0.01 + 4.0 * dt * abs(speed):
                continue
            if count == rows.gap.shape[0]:
                return -1
            _clear(rows, count)
            rows.kind[count] = NORMAL
            rows.source[count, 0] = tendon
            rows.source[count, 1] = TENDON
            rows.gap[count] = gap
            for k in range(first, last):
                rows.J[3 * count, plant.ten_J_colind[k]] = sign * plant.ten_J[k]
            count += 1
    return count


@part
def _gather_boxes(rows, count, bounds, above, source, v_next):
    """One box row for each degree of freedom whose bound is above a number; a motor aims at v_next."""
    for dof in range(bounds.shape[0]):
        if not bounds[dof] > above:
            continue
        if count == rows.gap.shape[0]:
            return -1
        _clear(rows, count)
        rows.kind[count] = BOX
        rows.source[count, 0] = dof
        rows.source[count, 1] = source
        rows.bound[count] = bounds[dof]
        rows.drive[count] = v_next[dof] if source == MOTOR else 0.0
        rows.J[3 * count + 1, dof] = 1.0
        count += 1
    return count


@part
def _clear(rows, i):
    rows.gap[i] = 0.0
    rows.mu[i] = 0.0
    rows.bound[i] = 0.0
    rows.drive[i] = 0.0
    for r in range(3):
        rows.point[i, r] = 0.0
        for k in range(3):
            rows.frame[i, r, k] = 0.0
        for j in range(rows.J.shape[1]):
            rows.J[3 * i + r, j] = 0.0
