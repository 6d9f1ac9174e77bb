"""Where a scene is and how it moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks


@dataclass(frozen=True, eq=False)
class State:
    """A configuration, its velocity and the time.

    Attributes:
        q: (nq,) positions in MuJoCo's order; a free body: x, y, z in m, then the quaternion w, x, y, z.
        v: (nv,) velocities; a free body: linear in the world frame (m/s), angular in the body frame (rad/s).
        t: time in s.
    """

    q: NDArray[np.float64]
    v: NDArray[np.float64]
    t: float = field(default=0.0)

    def __post_init__(self) -> None:
        """Take copies, so that a state never changes behind its owner's back."""
        for name in ("q", "v"):
            value = checks.array(f"State.{name}", getattr(self, name), (None,)).copy()
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "t", checks.number("State.t", self.t))

    @classmethod
    def from_mujoco(cls, data: mujoco.MjData) -> State:
        """Read a state out of MuJoCo's data."""
        return cls(np.array(data.qpos), np.array(data.qvel), float(data.time))

    def to_mujoco(self, data: mujoco.MjData) -> None:
        """Write this state into MuJoCo's data (call `mj_forward` yourself if you need the rest)."""
        data.qpos[:] = checks.array("State.q", self.q, data.qpos.shape)
        data.qvel[:] = checks.array("State.v", self.v, data.qvel.shape)
        data.time = self.t

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made anew, so that they are read-only too."""
        return State, (self.q, self.v, self.t)

    def __eq__(self, other: object) -> bool:
        """Same numbers, bit for bit."""
        if not isinstance(other, State):
            return NotImplemented
        return self.t == other.t and np.array_equal(self.q, other.q) and np.array_equal(self.v, other.v)

    def __hash__(self) -> int:
        return hash((self.q.tobytes(), self.v.tobytes(), self.t))

    def replace(self, **changes: Any) -> State:
        """Return a copy with `q`, `v` or `t` changed."""
        checks.indices("replace", changes, ("q", "v", "t"), "field")
        return State(**{"q": self.q, "v": self.v, "t": self.t, **changes})
