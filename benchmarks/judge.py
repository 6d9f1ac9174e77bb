"""A roll-out's last step, judged from its states alone: dense algebra on MuJoCo's inertia, bias and Jacobians."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks.inertia import whiten
from surefoot.solvers.contact_problem import ContactProblem

TOUCH = 1.0  # m/s^2: contacts closer than dt^2 times this are closed


def rigid_step_residual(model: mujoco.MjModel, trace: Any, edges: int = 4) -> float:
    """How far the last step of a `surefoot.Trace` is from the equations of motion and from Coulomb's law.

    The larger of the law's residual (`ContactProblem.residual`) and of |v+ - v - M^-1 (dt (tau - bias) + J'f)|, the
    latter relative to the largest |dt M^-1 bias|.
    """
    step, dt = len(trace) - 1, trace.dt
    rows = slice(int(trace.contact_start[step]), int(trace.contact_start[step + 1]))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = trace.q[step], trace.v[step]
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    M[np.diag_indices(model.nv)] += dt * model.dof_damping
    force = data.qfrc_passive - data.qfrc_bias
    force[trace.scene.dofs] += trace.torque[step]
    free = data.qvel + dt * np.linalg.solve(M, force)

    J = np.vstack([np.zeros((0, model.nv)), *_jacobians(model, data, trace, rows)])
    f = dt * trace.contact_forces[rows].ravel()
    scale = np.abs(dt * np.linalg.solve(M, data.qfrc_bias)).max()
    motion = np.abs(trace.v[step + 1] - free - np.linalg.solve(M, J.T @ f)).max() / scale

    gaps = trace.contact_gaps[rows]
    closed = gaps <= TOUCH * dt**2
    J[np.repeat(~closed, 3) & (np.arange(len(J)) % 3 > 0)] = 0.0  # an open contact has a normal row only
    geoms = trace.contact_geoms[rows]
    mu = model.geom_friction[geoms, 0].max(axis=1)
    W = whiten(J, M)
    problem = ContactProblem(W, J @ free, np.maximum(gaps, 0.0) / dt, mu, closed)
    return max(float(motion), problem.residual(f, edges))


def _jacobians(model: mujoco.MjModel, data: mujoco.MjData, trace: Any, rows: slice) -> list[np.ndarray]:
    """(3, nv) per contact, in its frame: the first geom's velocity less the second's."""
    result = []
    for (first, second), point, frame in zip(
        trace.contact_geoms[rows], trace.contact_points[rows], trace.contact_frames[rows], strict=True
    ):
        J = np.zeros((2, 3, model.nv))
        mujoco.mj_jac(model, data, J[0], None, point, model.geom_bodyid[first])
        mujoco.mj_jac(model, data, J[1], None, point, model.geom_bodyid[second])
        result.append(frame @ (J[0] - J[1]))
    return result
