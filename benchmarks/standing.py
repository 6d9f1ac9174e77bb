"""A robot standing on its feet, as a simulation problem that every engine can start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np


@dataclass(frozen=True)
class Standing:
    """A robot told to hold a posture by proportional-derivative control.

    Attributes:
        scene: `surefoot.robots.scene.Scene`.
        model: its compiled MuJoCo model, with `dt` as its time step.
        dt: time step [s].
        q: configuration to start from.
        target: wanted angles of the actuated joints [rad].
        positions: their indices in q.
        dofs: their indices in v.
        kp: N m / rad.
        kd: N m s / rad.
        settle: steps that an engine takes, not timed, to find its own standing state.
    """

    scene: Any
    model: mujoco.MjModel
    dt: float
    q: np.ndarray
    target: np.ndarray
    positions: np.ndarray
    dofs: np.ndarray
    kp: float
    kd: float
    settle: int


def stands(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a base at (position, quaternion) stayed within 1 cm and 3 degrees of where it was."""
    moved = np.linalg.norm(after[:3] - before[:3])
    turned = 2 * np.arccos(np.clip(abs(before[3:7] @ after[3:7]), 0.0, 1.0))
    return bool(moved < 0.01 and turned < np.radians(3))


def pd(t, q, v, torque_out, memory, params):
    """A policy that holds a posture; params: kp, kd, then target, place in q and place in v of each joint."""
    n = torque_out.shape[0]
    for i in range(n):
        angle, speed = q[int(params[2 + n + i])], v[int(params[2 + 2 * n + i])]
        torque_out[i] = params[0] * (params[2 + i] - angle) - params[1] * speed
    return 0
