"""Put a floating robot on a terrain: as low as it goes without anything of it in the ground."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.robots.scene import Surface
from surefoot.robots.terrains import Terrain

REACH = 5e-3  # m; how far ahead contacts are looked for, and so the largest step down that is known to be safe
SPACING = 4e-3  # m; how densely the terrain's elevation is sampled to find a height to start from
FLOOR = 5.0  # m; how far down to look for ground
CLOSE = 1e-13  # m


def put_on(
    terrain: Terrain, surfaces: tuple[Surface, ...], model: mujoco.MjModel, base: str, q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Lift or lower a floating base, which keeps its posture and tilt, until its lowest part just touches the terrain.

    Args:
        terrain: what to stand on.
        surfaces: what adding the terrain returned.
        model: with the robot and the terrain's geoms; it is not changed.
        base: name of the body with the free joint.
        q: (nq,) pose; only the height of the base changes.

    Returns:
        (nq,) the pose on the terrain.

    Raises:
        InputError: no part of the terrain lies under the robot.
    """
    return Standing(model.__copy__(), base, surfaces).put_on(terrain, q)


class Standing:
    """A floating robot and the geoms of the ground, to find the heights at which it just touches.

    Attributes:
        model: with the robot and the terrain's geoms; while heights are looked for it is changed, then put back.
        data: scratch of it.
    """

    def __init__(self, model: mujoco.MjModel, base: str, surfaces: tuple[Surface, ...]) -> None:
        """Find the parts of the robot and of the ground.

        Args:
            model: give a copy of one that others use at the same time.
            base: name of the body with the free joint.
            surfaces: what adding the terrain returned.
        """
        self.model = model
        self.data = mujoco.MjData(model)
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, base)  # `model.body` builds an index of all names
        self._height = int(model.jnt_qposadr[model.body_jntadr[body]]) + 2
        ours = model.body_rootid[model.geom_bodyid] == model.body_rootid[body]
        self._ours = ours & ((model.geom_contype != 0) | (model.geom_conaffinity != 0))
        self._ground = np.zeros(model.ngeom, dtype=bool)
        self._ground[[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, surface.geom) for surface in surfaces]] = True

    def put_on(self, terrain: Terrain, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """As the function of this name: (nq,) `q` with the base as low as it goes."""
        model, data, height = self.model, self.data, self._height
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        data.qpos[height] += _clearance(model, data, self._ours, terrain)
        lowest = data.qpos[height] - FLOOR
        with _looking_ahead(model, self._ground):
            while data.qpos[height] > lowest:
                mujoco.mj_kinematics(model, data)
                mujoco.mj_comPos(model, data)
                mujoco.mj_collision(model, data)
                step = _step_down(data.contact, self._ours, self._ground)
                data.qpos[height] -= step
                if step < CLOSE:
                    return np.array(data.qpos)
        x, y = q[height - 2 : height]
        raise InputError(f"terrain: expected ground under the robot at x = {x:g} m, y = {y:g} m, found none")


@contextmanager
def _looking_ahead(model: mujoco.MjModel, ground: NDArray[np.bool_]) -> Iterator[None]:
    """Within, contacts with the ground are found within reach, and exactly; afterwards the model is as it was."""
    margin, gap = model.geom_margin.copy(), model.geom_gap.copy()
    flags, tolerance = model.opt.disableflags, model.opt.ccd_tolerance
    model.geom_margin[:] = 0.0
    model.geom_gap[:] = np.where(ground, REACH, 0.0)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE  # its trees of boxes know no gap set after compiling
    model.opt.ccd_tolerance = 1e-12
    try:
        yield
    finally:
        model.geom_margin[:], model.geom_gap[:] = margin, gap
        model.opt.disableflags, model.opt.ccd_tolerance = flags, tolerance


def _clearance(model: mujoco.MjModel, data: mujoco.MjData, ours: NDArray[np.bool_], terrain: Terrain) -> float:
    """Lift in m after which the robot is surely above the terrain, by no more than its own size."""
    centre, radius = data.geom_xpos[ours], model.geom_rbound[ours]
    low, high = (centre[:, :2] - radius[:, None]).min(axis=0), (centre[:, :2] + radius[:, None]).max(axis=0)
    x, y = (np.linspace(low[i], high[i], int(np.ceil((high[i] - low[i]) / SPACING)) + 1) for i in range(2))
    top = np.max(terrain.elevation(x[None, :], y[:, None]))
    return float(top - (centre[:, 2] - radius).min()) + REACH


def _step_down(contacts: Any, ours: NDArray[np.bool_], ground: NDArray[np.bool_]) -> float:
    """Largest step down that no contact forbids: distance to a convex part is a convex function of height."""
    step = REACH
    for geoms, distance, frame in zip(contacts.geom, contacts.dist, contacts.frame, strict=True):
        if not (ours[geoms].any() and ground[geoms].any()):
            continue
        upward = frame[2] if ours[geoms[1]] else -frame[2]  # the normal points from the first geom to the second
        if distance <= 0:
            return 0.0
        if upward > 0:
            step = min(step, distance / upward)
    return float(step)
