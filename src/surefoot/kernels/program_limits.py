"""What accelerations, torques and forces may not exceed, as rows G beta + g >= 0 in the space of dynamics."""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.dynamics_space import SLIDES
from surefoot.kernels.engine import geom_points

# What a row limits; `Limits.which` says whose.
FRICTION, LOAD, MOST_LOAD, DISTANCE, TORQUE_LOW, TORQUE_HIGH, SPEED_LOW, SPEED_HIGH, STOP_LOW, STOP_HIGH = range(10)


class Limits(NamedTuple):
    """Numbers of the limits, and the rows that come of them."""

    normals: ndarray  # (k, 2) outward normals of the friction pyramid's faces
    mu: float  # friction that the program counts on; NaN: that of the contacts
    inside: float  # cos(pi / k): the faces' distance, of the corners'
    least: float  # N: least normal force of a contact that is held
    most: float  # N: largest
    low: ndarray  # (joints,) N m
    high: ndarray  # (joints,)
    friction: ndarray  # (joints,) N m: what motors need besides, to overcome dry friction
    speed: ndarray  # (joints,) rad/s: largest
    stop_low: ndarray  # (joints,) rad: ends of the joints' range
    stop_high: ndarray  # (joints,)
    address: ndarray  # (joints,) int64: place in q
    brake: float  # s in which a joint comes to its stop, and links to their least distance
    pairs: ndarray  # (p, 2) int64: geoms to be kept apart
    apart: ndarray  # (p,) m
    ends: ndarray  # (6,) work: nearest points of two geoms
    J: ndarray  # (1, nv) work
    load: float  # N: how much a force must be wrong to be as bad as `push` of a motor, or `jerk` of a joint
    push: float  # N m
    jerk: float  # rad/s^2 (m/s^2)
    G: ndarray  # (rows, nb)
    g: ndarray  # (rows,)
    scale: ndarray  # (rows,) how much of a row counts as one
    what: ndarray  # (rows,) int64
    which: ndarray  # (rows,) int64
    distance: ndarray  # (p,) m: distances found


@part
def contact_limits(plant, rows, dt, space, forces, count, mode, limits):
    """Fill G, g and what they mean for contacts and distances. Returns the number of rows."""
    m = 0
    for f in range(forces):
        if space.axis[f] == 0 or space.axis[f] == 3:
            m = _contact_rows(rows, space, f, space.contact[f], mode, count, limits, m)
    for p in range(limits.pairs.shape[0]):
        m = _distance_row(plant, space, p, dt, count, limits, m)
    return m


@part
def joint_limits(plant, dofs, dt, space, count, limits, m):
    """The same for torques, speeds and ranges of the joints, behind m rows. Returns the number of all."""
    for i in range(dofs.shape[0]):
        if not math.isinf(limits.low[i]):
            m = _row(
                space.T,
                space.t0,
                i,
                1.0,
                limits.friction[i] - limits.low[i],
                limits.push,
                TORQUE_LOW,
                i,
                count,
                limits,
                m,
            )
        if not math.isinf(limits.high[i]):
            m = _row(
                space.T,
                space.t0,
                i,
                -1.0,
                limits.high[i] - limits.friction[i],
                limits.push,
                TORQUE_HIGH,
                i,
                count,
                limits,
                m,
            )
        v, q, most = plant.qvel[dofs[i]], plant.qpos[limits.address[i]], limits.speed[i]
        low, high = -most, most  # of the velocity at the end of the step
        first, last = SPEED_LOW, SPEED_HIGH
        if (limits.stop_low[i] - q) / limits.brake > low:
            low, first = (limits.stop_low[i] - q) / limits.brake, STOP_LOW
        if (limits.stop_high[i] - q) / limits.brake < high:
            high, last = (limits.stop_high[i] - q) / limits.brake, STOP_HIGH
        if not math.isinf(low):
            m = _row(space.A, space.a0, dofs[i], 1.0, (v - low) / dt, limits.jerk, first, i, count, limits, m)
        if not math.isinf(high):
            m = _row(space.A, space.a0, dofs[i], -1.0, (high - v) / dt, limits.jerk, last, i, count, limits, m)
    return m


@part
def joints_within(plant, dofs, dt, a, torque, limits):
    """Whether accelerations (nv,) and torques (joints,) keep all limits of the joints."""
    for i in range(dofs.shape[0]):
        if not limits.low[i] <= torque[i] <= limits.high[i]:
            return False
        v, q, most = plant.qvel[dofs[i]], plant.qpos[limits.address[i]], limits.speed[i]
        low = max(-most, (limits.stop_low[i] - q) / limits.brake)
        high = min(most, (limits.stop_high[i] - q) / limits.brake)
        if not low <= v + dt * a[dofs[i]] <= high:
            return False
    return True


@part
def _row(basis, start, i, sign, room, scale, what, which, count, limits, m):
    """Row m: sign times entry i of start + basis'beta, plus room, is not negative."""
    limits.g[m] = room + sign * start[i]
    for b in range(count):
        limits.G[m, b] = sign * basis[b, i]
    limits.scale[m], limits.what[m], limits.which[m] = scale, what, which
    return m + 1


@part
def _contact_rows(rows, space, f, i, mode, count, limits, m):
    """Unilateral force and friction pyramid of contact i, whose normal force is f."""
    m = _row(space.L, space.f0, f, 1.0, -limits.least, limits.load, LOAD, i, count, limits, m)
    if not math.isinf(limits.most):
        m = _row(space.L, space.f0, f, -1.0, limits.most, limits.load, MOST_LOAD, i, count, limits, m)
    mu = rows.mu[i] if math.isnan(limits.mu) else limits.mu
    if mode[i] == SLIDES or math.isinf(mu):
        return m
    reach = mu * limits.inside
    for k in range(limits.normals.shape[0]):
        x, y = limits.normals[k, 0], limits.normals[k, 1]
        limits.g[m] = reach * space.f0[f] - x * space.f0[f + 1] - y * space.f0[f + 2]
        for b in range(count):
            limits.G[m, b] = reach * space.L[b, f] - x * space.L[b, f + 1] - y * space.L[b, f + 2]
        limits.scale[m], limits.what[m], limits.which[m] = limits.load, FRICTION, i
        m += 1
    return m


@part
def _distance_row(plant, space, p, dt, count, limits, m):
    """Two geoms come no nearer than they may: d + brake d' >= least, of the velocity at the end of the step."""
    first, second = limits.pairs[p, 0], limits.pairs[p, 1]
    near = limits.apart[p] + 0.2
    distance = geom_points(plant.m, plant.d, first, second, near, limits.ends)
    limits.distance[p] = distance
    ends = limits.ends
    x, y, z = ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]
    length = math.sqrt(x * x + y * y + z * z)
    if not distance < near or length == 0.0:
        return m
    sign = 1.0 if distance > 0.0 else -1.0
    x, y, z = sign * x / length, sign * y / length, sign * z / length
    nv, J = plant.qvel.shape[0], limits.J
    for j in range(nv):
        J[0, j] = 0.0
    for side in range(2):
        geom = second if side == 1 else first
        body = plant.geom_bodyid[geom]
        root = plant.body_rootid[body]
        px = limits.ends[3 * side] - plant.subtree_com[root, 0]
        py = limits.ends[3 * side + 1] - plant.subtree_com[root, 1]
        pz = limits.ends[3 * side + 2] - plant.subtree_com[root, 2]
        way = 1.0 if side == 1 else -1.0
        dof = plant.body_last_dof[body]
        while dof >= 0:
            s = plant.cdof[dof]
            dx, dy, dz = s[3] + s[1] * pz - s[2] * py, s[4] + s[2] * px - s[0] * pz, s[5] + s[0] * py - s[1] * px
            J[0, dof] += way * (x * dx + y * dy + z * dz)
            dof = plant.dof_parentid[dof]
    speed, here = 0.0, 0.0
    for j in range(nv):
        speed += J[0, j] * plant.qvel[j]
        here += J[0, j] * space.a0[j]
    limits.g[m] = ((distance - limits.apart[p]) / limits.brake + speed) / dt + here
    for b in range(count):
        total = 0.0
        for j in range(nv):
            total += J[0, j] * space.A[b, j]
        limits.G[m, b] = total
    limits.scale[m], limits.what[m], limits.which[m] = limits.jerk, DISTANCE, p
    return m + 1
