"""Tasks as rows: what accelerations, forces and torques shall be, in the coordinates of the space of dynamics.

A task wants `T a = goal + kp (reference - now) + kd (its rate - now) - bias`, where `T a + bias` is the acceleration of
what it moves. In the coordinates beta of the space it is a row `D beta = e`, times the root of its weight.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.plant import GIVEN

CENTRE, MOMENTUM, POSTURE, POINT, TURN, FORCE, TORQUE, MOTION = range(8)


class Bodies(NamedTuple):
    """Live views of MuJoCo's data beside those of a Plant, and what a task may need of the base."""

    cdof_dot: ndarray  # (nv, 6)
    xpos: ndarray  # (nbody, 3)
    xquat: ndarray  # (nbody, 4)
    xmat: ndarray  # (nbody, 9)
    base: int  # body that floats, -1 if none
    first: int  # its first velocity
    mass: float  # of all that hangs on it
    gravity: ndarray  # (3,)
    momentum: ndarray  # (6, nv) work: momentum (force, then moment about the centre of mass) per velocity
    J: ndarray  # (6, nv) work


class Tasks(NamedTuple):
    """All tasks, one entry a task, then one a row, then one a number that it follows."""

    kind: ndarray  # int64
    level: ndarray  # int64: 0 comes first
    body: ndarray  # int64
    place: ndarray  # (tasks, 3) in the frame of the body
    row: ndarray  # (tasks + 1,) int64: first row
    goal: ndarray  # int64: where its numbers begin
    weight: ndarray  # a row
    kp: ndarray  # a row
    kd: ndarray  # a row
    dof: ndarray  # int64 a row: of a joint, or number of a motor
    address: ndarray  # int64 a row: place of a joint in q
    numbers: ndarray  # references: place, rate, acceleration


@part
def momentum_rows(plant, bodies, M):
    """Fill `bodies.momentum`.

    The rows of a free base are the force on the whole robot, and the moment about the base's origin in its own axes.
    """
    P, first, nv = bodies.momentum, bodies.first, M.shape[0]
    body = bodies.base
    c = plant.subtree_com[plant.body_rootid[body]]
    x, y, z = c[0] - bodies.xpos[body, 0], c[1] - bodies.xpos[body, 1], c[2] - bodies.xpos[body, 2]
    R = bodies.xmat[body]
    for j in range(nv):
        fx, fy, fz = M[first, j], M[first + 1, j], M[first + 2, j]
        a, b, d = M[first + 3, j], M[first + 4, j], M[first + 5, j]
        P[0, j], P[1, j], P[2, j] = fx, fy, fz
        P[3, j] = R[0] * a + R[1] * b + R[2] * d - (y * fz - z * fy)
        P[4, j] = R[3] * a + R[4] * b + R[5] * d - (z * fx - x * fz)
        P[5, j] = R[6] * a + R[7] * b + R[8] * d - (x * fy - y * fx)


@part
def _rest_wrench(plant, bodies, r, k):
    """Component k of what P a leaves of the contacts' wrench about the centre of mass: wrench = P a - rest."""
    first, body = bodies.first, bodies.base
    if k < 3:
        return r[first + k]
    c = plant.subtree_com[plant.body_rootid[body]]
    x, y, z = c[0] - bodies.xpos[body, 0], c[1] - bodies.xpos[body, 1], c[2] - bodies.xpos[body, 2]
    R = bodies.xmat[body]
    i = 3 * (k - 3)
    turned = R[i] * r[first + 3] + R[i + 1] * r[first + 4] + R[i + 2] * r[first + 5]
    fx, fy, fz = r[first], r[first + 1], r[first + 2]
    if k == 3:
        return turned - (y * fz - z * fy)
    if k == 4:
        return turned - (z * fx - x * fz)
    return turned - (x * fy - y * fx)


@part
def _body_rows(plant, bodies, body, place, turning):
    """Jacobian (3, nv) of a point of a body, or of its turning, into `bodies.J`; returns its bias (3)."""
    J, root = bodies.J, plant.body_rootid[body]
    nv = J.shape[1]
    for j in range(nv):
        J[0, j], J[1, j], J[2, j] = 0.0, 0.0, 0.0
    x = bodies.xpos[body, 0] - plant.subtree_com[root, 0]
    y = bodies.xpos[body, 1] - plant.subtree_com[root, 1]
    z = bodies.xpos[body, 2] - plant.subtree_com[root, 2]
    for j in range(3):
        x += bodies.xmat[body, j] * place[j]
        y += bodies.xmat[body, 3 + j] * place[j]
        z += bodies.xmat[body, 6 + j] * place[j]
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    bx, by, bz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    dof = plant.body_last_dof[body]
    while dof >= 0:
        s, u = plant.cdof[dof], bodies.cdof_dot[dof]
        speed = plant.qvel[dof]
        dx, dy, dz = s[3] + s[1] * z - s[2] * y, s[4] + s[2] * x - s[0] * z, s[5] + s[0] * y - s[1] * x
        if turning:
            J[0, dof], J[1, dof], J[2, dof] = s[0], s[1], s[2]
        else:
            J[0, dof], J[1, dof], J[2, dof] = dx, dy, dz
        wx, wy, wz = wx + s[0] * speed, wy + s[1] * speed, wz + s[2] * speed
        vx, vy, vz = vx + dx * speed, vy + dy * speed, vz + dz * speed
        bx, by, bz = bx + u[0] * speed, by + u[1] * speed, bz + u[2] * speed
        ax += speed * (u[3] + u[1] * z - u[2] * y)
        ay += speed * (u[4] + u[2] * x - u[0] * z)
        az += speed * (u[5] + u[0] * y - u[1] * x)
        dof = plant.dof_parentid[dof]
    if turning:
        return bx, by, bz
    return ax + wy * vz - wz * vy, ay + wz * vx - wx * vz, az + wx * vy - wy * vx


@part
def _turn_error(now, goal, k):
    """Component k of the rotation vector, in the world, that turns the quaternion `now` into `goal`."""
    w = goal[0] * now[0] + goal[1] * now[1] + goal[2] * now[2] + goal[3] * now[3]
    x = -goal[0] * now[1] + goal[1] * now[0] - goal[2] * now[3] + goal[3] * now[2]
    y = -goal[0] * now[2] + goal[1] * now[3] + goal[2] * now[0] - goal[3] * now[1]
    z = -goal[0] * now[3] - goal[1] * now[2] + goal[2] * now[1] + goal[3] * now[0]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, w) / sine
    if k == 0:
        return factor * x
    return factor * (y if k == 1 else z)


@part
def task_rows(plant, rows, bodies, tasks, level, space, rub, forces, count, D_out, e_out):
    """Rows D and right sides e (m,) of all tasks of a level, D by columns (count, m). Returns m.

    Args:
        plant: model and data.
        rows: contacts.
        bodies: see Bodies; its momentum is up to date.
        tasks: see Tasks.
        level: which ones.
        space: of dynamics.
        rub: (contacts, 2) direction of friction of contacts that slide.
        forces: number of its force directions.
        count: number of its coordinates.
        D_out: columns of the rows.
        e_out: right sides.
    """
    m = 0
    for task in range(tasks.kind.shape[0]):
        if tasks.level[task] != level:
            continue
        kind, body, first = tasks.kind[task], tasks.body[task], tasks.row[task]
        g, size = tasks.goal[task], tasks.row[task + 1] - first
        bias = (0.0, 0.0, 0.0)
        if kind == POINT or kind == TURN:
            bias = _body_rows(plant, bodies, body, tasks.place[task], kind == TURN)
        for k in range(size):
            root = math.sqrt(tasks.weight[first + k])
            if root == 0.0:
                continue
            kp, kd = tasks.kp[first + k], tasks.kd[first + k]
            wanted, number = 0.0, tasks.numbers
            if kind == CENTRE or kind == MOMENTUM:
                scale = 1.0 / bodies.mass
                wanted = _wanted_momentum(plant, bodies, kind, k, number[g:], kp, kd) * bodies.mass
                if k < 3:
                    wanted -= bodies.mass * bodies.gravity[k]
                wanted += _rest_wrench(plant, bodies, space.r, k)
                _project(bodies.momentum, k, space.A, space.a0, count, scale * root, wanted, D_out, e_out, m)
            elif kind == POSTURE:
                dof = tasks.dof[first + k]
                wanted = kp * (number[g + k] - plant.qpos[tasks.address[first + k]])
                wanted += kd * (number[g + size + k] - plant.qvel[dof]) + number[g + 2 * size + k]
                _take(space.A, space.a0, dof, count, root, wanted, D_out, e_out, m)
            elif kind == POINT:
                at, speed = bodies.xpos[body, k], 0.0
                for j in range(3):
                    at += bodies.xmat[body, 3 * k + j] * tasks.place[task, j]
                for j in range(plant.qvel.shape[0]):
                    speed += bodies.J[k, j] * plant.qvel[j]
                wanted = kp * (number[g + k] - at) + kd * (number[g + 3 + k] - speed) + number[g + 6 + k] - bias[k]
                _project(bodies.J, k, space.A, space.a0, count, root, wanted, D_out, e_out, m)
            elif kind == TURN:
                speed = 0.0
                for j in range(plant.qvel.shape[0]):
                    speed += bodies.J[k, j] * plant.qvel[j]
                wanted = kp * _turn_error(bodies.xquat[body], number[g : g + 4], k)
                wanted += kd * (number[g + 4 + k] - speed) + number[g + 7 + k] - bias[k]
                _project(bodies.J, k, space.A, space.a0, count, root, wanted, D_out, e_out, m)
            elif kind == FORCE:
                nbody = bodies.xpos.shape[0]
                _push_row(plant, rows, space, rub, nbody, forces, body, k, count, root, number[g + k], D_out, e_out, m)
            elif kind == TORQUE:
                i = tasks.dof[first + k]
                _take(space.T, space.t0, i, count, root, number[g + k], D_out, e_out, m)
            else:
                _take(space.A, space.a0, tasks.dof[first + k], count, root, number[g + k], D_out, e_out, m)
            m += 1
    return m


@part
def _wanted_momentum(plant, bodies, kind, k, number, kp, kd):
    """Wanted rate of the momentum over the mass."""
    now = 0.0
    for j in range(plant.qvel.shape[0]):
        now += bodies.momentum[k, j] * plant.qvel[j]
    now /= bodies.mass
    if kind == CENTRE:
        at = plant.subtree_com[plant.body_rootid[bodies.base], k]
        return kp * (number[k] - at) + kd * (number[3 + k] - now) + number[6 + k]
    return kd * (number[k] / bodies.mass - now) + number[6 + k] / bodies.mass


@part
def _project(J, k, basis, start, count, root, wanted, D_out, e_out, m):
    """Row m: root J[k] (start + basis'beta) = root wanted."""
    nv = start.shape[0]
    here = 0.0
    for j in range(nv):
        here += J[k, j] * start[j]
    e_out[m] = root * (wanted - here)
    for b in range(count):
        total = 0.0
        for j in range(nv):
            total += J[k, j] * basis[b, j]
        D_out[b, m] = root * total


@part
def _take(basis, start, i, count, root, wanted, D_out, e_out, m):
    """Row m: root times entry i of start + basis'beta = root wanted."""
    e_out[m] = root * (wanted - start[i])
    for b in range(count):
        D_out[b, m] = root * basis[b, i]


@part
def contact_body(plant, rows, i, nbody):
    """The body that contact i pushes on."""
    if rows.source[i, 1] == GIVEN:
        return rows.source[i, 0] // nbody
    return plant.geom_bodyid[rows.source[i, 0]]


@part
def _push_row(plant, rows, space, rub, nbody, forces, body, k, count, root, wanted, D_out, e_out, m):
    """Row m: component k, in the world, of the contacts' force on a body."""
    here = 0.0
    for b in range(count):
        D_out[b, m] = 0.0
    for f in range(forces):
        i = space.contact[f]
        if contact_body(plant, rows, i, nbody) != body:
            continue
        along = root * rows.frame[i, space.axis[f], k] if space.axis[f] < 3 else 0.0
        if space.axis[f] == 3:
            slide = rub[i, 0] * rows.frame[i, 1, k] + rub[i, 1] * rows.frame[i, 2, k]
            along = root * (rows.frame[i, 0, k] + rows.mu[i] * slide)
        here += along * space.f0[f]
        for b in range(count):
            D_out[b, m] += along * space.L[b, f]
    e_out[m] = root * wanted - here
