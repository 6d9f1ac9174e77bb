"""The arrays that a roll-out writes into, and how they grow."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.kernels.rollout import Log
from surefoot.robots.scene import Scene
from surefoot.robots.state import State


def new_log(steps: int, scene: Scene, state: State, moved: int = 0) -> Log:
    """An empty log with room for `steps` from `state`; `moved`: how many joints follow a motion."""
    contacts = 8 * min(steps, 10_000) + 64  # grows when needed
    joints = len(scene.joints)
    size = 2 * 8 * (steps + 1) * (scene.nq + scene.nv + joints + 2 * moved + 4)  # twice: the trace is a copy
    if size > _physical_memory():
        raise InputError(
            f"duration: {steps:.3g} steps need {size / 1e9:.3g} GB, more than this machine has; simulate in pieces, "
            "each from the last state of the one before"
        )
    log = Log(
        q=np.empty((steps + 1, scene.nq)),
        v=np.empty((steps + 1, scene.nv)),
        torque=np.zeros((steps, joints)),
        wanted=np.zeros((steps, moved)),
        aim=np.zeros((steps, moved)),
        status=np.zeros(steps, dtype=np.int64),
        residual=np.zeros(steps),
        method=np.zeros(steps, dtype=np.int64),
        start=np.zeros(steps + 1, dtype=np.int64),
        geoms=np.empty((contacts, 2), dtype=np.int64),
        points=np.empty((contacts, 3)),
        frames=np.empty((contacts, 3, 3)),
        gaps=np.empty(contacts),
        forces=np.empty((contacts, 3)),
        velocities=np.empty((contacts, 3)),
    )
    log.q[0], log.v[0] = state.q, state.v
    return log


def _physical_memory() -> float:
    """Bytes, or infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return np.inf


def grown(log: Log) -> Log:
    """The same log with room for twice as many contacts."""

    def double(values: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([values, np.empty_like(values)])

    names = ("geoms", "points", "frames", "gaps", "forces", "velocities")
    return log._replace(**{name: double(getattr(log, name)) for name in names})
