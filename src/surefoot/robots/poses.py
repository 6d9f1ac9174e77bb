"""Places in space: a rotation and a shift, and roll, pitch, yaw as URDF writes rotations."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray


class Pose(NamedTuple):
    """Takes coordinates x in a frame to `turn @ x + shift` in the frame around it.

    Attributes:
        turn: (3, 3) rotation.
        shift: (3,) in m.
    """

    turn: NDArray[np.float64]
    shift: NDArray[np.float64]

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.turn @ inner.turn, self.turn @ inner.shift + self.shift)

    def inverse(self) -> Pose:
        """The way back."""
        return Pose(self.turn.T, -self.turn.T @ self.shift)


def pose(quaternion: Any, shift: Any) -> Pose:
    """From a unit quaternion w, x, y, z and a shift in m."""
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, np.array(quaternion, dtype=np.float64))
    return Pose(turn.reshape(3, 3), np.array(shift, dtype=np.float64))


def shifted(shift: Any) -> Pose:
    """A shift in m alone."""
    return Pose(np.eye(3), np.array(shift, dtype=np.float64))


def turned(axis: Any, angle: float) -> Pose:
    """A rotation by an angle in rad about a unit axis."""
    quaternion = np.empty(4)
    mujoco.mju_axisAngle2Quat(quaternion, np.array(axis, dtype=np.float64), angle)
    return pose(quaternion, np.zeros(3))


def roll_pitch_yaw(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3,) angles in rad about the fixed axes x, y, z, in this order.

    Exact to rounding for every rotation, at a pitch of a right angle too: roll and pitch are read from what is left
    when the yaw is taken off, whatever yaw the rounding there may have chosen.
    """
    yaw = np.arctan2(turn[1, 0], turn[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-turn[2, 0], c * turn[0, 0] + s * turn[1, 0])
    roll = np.arctan2(s * turn[0, 2] - c * turn[1, 2], c * turn[1, 1] - s * turn[0, 1])
    return np.array([roll, pitch, yaw]) + 0.0  # no minus zeros
