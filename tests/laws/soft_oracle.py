"""The soft law from MuJoCo's own numbers and dense algebra: no kernel, no row of ours.

Contact points, frames, gaps, friction and condim come from `mjData.contact`, equalities from `mj_makeConstraint`. The
tangents are MuJoCo's, others than ours: the law does not depend on them. Nor are the constants of R read from the
model: they are computed here, in the reference pose.
"""

from typing import NamedTuple

import mujoco
import numpy as np

from tests.laws.conic_oracle import Block, least


class Soft(NamedTuple):
    """The law's problem with every velocity free; equalities stand in M and kappa already."""

    M: np.ndarray
    kappa: np.ndarray
    J: np.ndarray  # (rows, nv)
    R: np.ndarray  # (rows,)
    aim: np.ndarray  # (rows,) c*
    blocks: list[Block]
    contacts: list[tuple[int, int]]  # geoms of each contact block, which come first
    dt: float


def soft_problem(scene, state, dt, law, torque=None):
    """Assemble; `torque` (nv,) acts beside gravity and springs."""
    model = scene.model
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    M = np.empty((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    B = np.diag(model.dof_damping)
    applied = np.zeros(model.nv) if torque is None else torque
    kappa = M @ data.qvel + dt * (data.qfrc_passive + B @ data.qvel - data.qfrc_bias + applied)
    M = M + dt * B
    rows, gaps, blocks, geoms, sizes = [], [], [], [], []
    bodies, joints = reference(model)

    def add(J, gap, what, size, slope=()):
        start = len(rows)
        rows.extend(J)
        sizes.extend([size] * len(J))
        gaps.extend([gap] + [0.0] * (len(J) - 1))
        blocks.append(Block(list(range(start, len(rows))), what, tuple(slope)))

    for contact in data.contact:
        if contact.dist > 0.0:
            continue
        move, turn = np.zeros((2, 3, model.nv)), np.zeros((2, 3, model.nv))
        for side, geom in enumerate(contact.geom):
            mujoco.mj_jac(model, data, move[side], turn[side], contact.pos, model.geom_bodyid[geom])
        frame = contact.frame.reshape(3, 3)
        J = np.vstack([frame @ (move[1] - move[0]), frame @ (turn[1] - turn[0])])[: contact.dim]
        friction = contact.friction[: contact.dim - 1] if law.mu is None else [law.mu, law.mu, *contact.friction[2:]]
        size = bodies[model.geom_bodyid[contact.geom]].sum()
        add(J, contact.dist, "cone" if contact.dim > 1 else "half", size, friction[: contact.dim - 1])
        geoms.append(tuple(int(geom) for geom in contact.geom))
    for joint in np.flatnonzero(model.jnt_limited):
        dof = model.jnt_dofadr[joint]
        position, unit = data.qpos[model.jnt_qposadr[joint]], np.eye(model.nv)[dof]
        for sign, gap in ((1, position - model.jnt_range[joint, 0]), (-1, model.jnt_range[joint, 1] - position)):
            if gap <= 0.0:
                add([sign * unit], gap, "half", joints[dof])
    for dof in np.flatnonzero(model.dof_frictionloss):
        add([np.eye(model.nv)[dof]], 0.0, "box", joints[dof], [dt * model.dof_frictionloss[dof]])
    J = np.array(rows).reshape(-1, model.nv)
    J_E = data.efc_J.reshape(-1, model.nv)[: data.ne]
    both = np.vstack([J, J_E])
    mobility = both @ np.linalg.solve(M, both.T)
    R = law.epsilon * np.concatenate([sizes, data.efc_diagA[: data.ne]])
    for block in blocks:
        if block.what == "cone":
            R[block.rows[1:]] *= (block.slope[0] / np.array(block.slope)) ** 2
    c, gap = both @ state.v, np.concatenate([gaps, data.efc_pos[: data.ne]])
    if law.critical:
        damp = np.eye(len(R)) + np.diag(R) @ np.linalg.pinv(mobility, rcond=1e-9, hermitian=True)
        aim = c - dt * damp @ (2 / law.kappa * c + gap / law.kappa**2)
    else:
        aim = c - dt * (1 + law.epsilon) * (2 / law.kappa * c + gap / law.kappa**2)
    n = len(J)
    weight = J_E.T / R[n:]
    return Soft(M + weight @ J_E, kappa + weight @ aim[n:], J, R[:n], aim[:n], blocks, geoms, dt)


def reference(model):
    """J M^-1 J' in the reference pose: of bodies (mean over directions at the centre of mass) and velocities.

    A body whose centre hardly moves counts with its turning, relative to how a free one turns for each 1/m.
    """
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    M = np.empty((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    bodies, J = np.zeros(model.nbody), np.zeros((6, model.nv))
    for body in range(1, model.nbody):
        mujoco.mj_jacBodyCom(model, data, J[:3], J[3:], body)
        move, turn = np.diag(J @ np.linalg.solve(M, J.T)).reshape(2, 3).mean(axis=1)
        bodies[body] = max(move, turn / (model.body_mass[body] * np.mean(1 / model.body_inertia[body])))
    return bodies, np.diag(np.linalg.inv(M))


def minimum(p, v_next=None, prescribed=()):
    """(v+, f, force of the prescribed velocities), the velocities `prescribed` being those of v_next."""
    held = np.zeros(len(p.kappa), dtype=bool)
    held[list(prescribed)] = True
    v = np.where(held, v_next if v_next is not None else 0.0, 0.0)
    A, J_u = p.M[np.ix_(~held, ~held)], p.J[:, ~held]
    right = p.kappa[~held] - p.M[np.ix_(~held, held)] @ v[held]
    G = J_u @ np.linalg.solve(A, J_u.T)
    c0 = J_u @ np.linalg.solve(A, right) + p.J[:, held] @ v[held]
    scale = np.sqrt(np.diag(G) + p.R)  # impulses in units of velocity: what Clarabel rounds well
    blocks = []
    for block in p.blocks:
        size = scale[block.rows]
        slope = np.array(block.slope)
        if block.what == "cone":
            slope = slope * size[1:] / size[0]
        elif block.what == "box":
            slope = slope * size[0]
        blocks.append(block._replace(slope=tuple(slope)))
    x = least((G + np.diag(p.R)) / np.outer(scale, scale), (c0 - p.aim) / scale, blocks)
    f = x / scale
    v[~held] = np.linalg.solve(A, right + J_u.T @ f)
    force = np.where(held, (p.M @ v - p.kappa - p.J.T @ f) / p.dt, 0.0)
    return v, f, force


def projection(p, v_next):
    """Impulses (rows,) of a fully prescribed motion, block by block: the nearest of K to R^-1 (c* - c+)."""
    y = (p.aim - p.J @ v_next) / p.R
    f = np.zeros_like(y)
    for rows, what, slope in p.blocks:
        if what == "half":
            f[rows] = np.maximum(y[rows], 0.0)
        elif what == "box":
            f[rows] = np.clip(y[rows], -slope[0], slope[0])
        else:
            root = np.sqrt(p.R[rows])
            top, side = root[0] * y[rows[0]], root[1:] * y[rows[1:]]
            t, hat = np.linalg.norm(side), slope[0] * root[1] / root[0]
            if hat * t <= -top:
                continue
            if t > hat * top:
                top = (top + hat * t) / (1 + hat**2)
                side = hat * top * side / t
            f[rows[0]], f[rows[1:]] = top / root[0], side / root[1:]
    return f
