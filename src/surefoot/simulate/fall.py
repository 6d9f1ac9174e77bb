"""Whether a robot fell in a roll-out, and where its base and its feet were."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.simulate.plot import base_address, base_angles

Array = NDArray[np.float64]
LEAN = np.radians(45.0)  # a base that leans more than this has fallen
LOW = 0.5  # and so has one that is lower over its feet than this share of its height at the start


def foot_places(trace: Any, feet: tuple[str, ...]) -> Array:
    """(n + 1, feet, 3) m: middle of each foot's geoms in every state, in the world."""
    model = trace.scene.model
    data = mujoco.MjData(model)
    geoms = trace.scene.foot_geoms(feet)
    places = np.zeros((len(trace.t), len(feet), 3))
    for k, q in enumerate(trace.q):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        places[k] = [data.geom_xpos[mine].mean(axis=0) for mine in geoms]
    return places


def first_fall(trace: Any, feet: Array) -> int | None:
    """First state in which the robot lies, or None: it leans, or its base is low over its feet.

    Args:
        trace: a `Trace`.
        feet: (n + 1, feet, 3) m, from `foot_places`.
    """
    above = base_place(trace)[:, 2] - feet[:, :, 2].mean(axis=1)
    fallen = np.flatnonzero((leaning(trace) > LEAN) | (above < LOW * above[0]))
    return int(fallen[0]) if fallen.size else None


def leaning(trace: Any) -> Array:
    """(n + 1,) angle in rad between the base's vertical and the world's in every state."""
    roll, pitch, _ = base_angles(trace).T
    return np.arccos(np.clip(np.cos(roll) * np.cos(pitch), -1.0, 1.0))


def base_place(trace: Any) -> Array:
    """(n + 1, 3) m: where the base is in every state, in the world."""
    start = base_address(trace)
    return trace.q[:, start : start + 3]
