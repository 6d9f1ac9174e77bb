"""Loops and coupled joints of a workspace: what they ask for, and who contradicts them."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.motion.workspace import Workspace

Array = NDArray[np.float64]

OF_JOINTS = int(mujoco.mjtEq.mjEQ_JOINT)
SITE = int(mujoco.mjtObj.mjOBJ_SITE)


def equality_rows(space: Workspace) -> tuple[Array, Array]:
    """Rows J_E (k, nv) and targets (k,) of J_E v+ = target in the last solve; m/s, or rad/s where it turns."""
    first, count = 3 * space.count, space.bilateral_count
    share = space.settings.bilateral_rate / space.dt
    return space.step.rows.J[first : first + count].copy(), -share * space.data.efc_pos[:count]


def contradictions(space: Workspace) -> tuple[str, ...]:
    """Equalities that the prescribed motion breaks, then the prescribed joints that break them, by name.

    The free velocities miss J_E v+ = 0 by a smallest r. It is a combination of rows that no free velocity changes,
    r'J_E,u = 0, while the prescribed ones break it, r'J_E,a v_a+ != 0: those in it are to blame.
    """
    J, _ = equality_rows(space)
    step, model = space.step, space.model
    fixed = step.prescribed
    if not len(J) or not fixed.any():
        return ()
    wanted = -J[:, fixed] @ step.v_next[fixed]
    r = wanted - J[:, ~fixed] @ np.linalg.lstsq(J[:, ~fixed], wanted, rcond=1e-9)[0]
    speeds = np.abs(J) @ np.maximum(np.abs(space.data.qvel), np.where(fixed, np.abs(step.v_next), 0.0))
    if np.abs(r).max() <= space.settings.tolerance * max(1e-3, speeds.max()):
        return ()
    rows = np.abs(r) > 1e-6 * np.abs(r).max()
    pull = np.where(fixed, r @ J, 0.0)
    joints = model.dof_jntid[np.abs(pull) > 1e-6 * np.abs(pull).max()]
    equalities = dict.fromkeys(space.data.efc_id[: len(J)][rows].tolist())
    named = tuple(equality_name(model, e) for e in equalities)
    return named + tuple(f"motion of {model.joint(int(j)).name}" for j in dict.fromkeys(joints.tolist()))


def equality_name(model: mujoco.MjModel, e: int) -> str:
    """The name of an equality, or the two things that it ties together."""
    if model.equality(e).name:
        return f"equality {model.equality(e).name}"
    first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if model.eq_type[e] == OF_JOINTS:
        tied = f" to {model.joint(second).name}" if second >= 0 else ""
        return f"coupling of {model.joint(first).name}{tied}"
    of = model.site if model.eq_objtype[e] == SITE else model.body
    return f"loop of {of(first).name} and {of(second).name}"
