"""What a requirement looks at: some steps of a roll-out, with their contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.kernels import poses as kernel
from surefoot.kernels.rollout import Log
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Span:
    """n steps. Contacts of step k stand in rows `start[k]` to `start[k + 1] - 1` of the contact arrays.

    Attributes:
        scene: robot or scene as built, not as the policy believes.
        t: (n,) s, at the start of each step, as all that follows.
        q: (n, nq) positions.
        v: (n, nv) velocities.
        torque: (n, joints) N m (N) as applied.
        start: (n + 1,).
        geoms: (k, 2) geom pushed, geom that pushes.
        points: (k, 3) m.
        frames: (k, 3, 3) rows normal, tangent 1, tangent 2.
        gaps: (k,) m; things farther apart than `near` are not listed.
        forces: (k, 3) N in the frame, on the first geom.
        velocities: (k, 3) m/s in the frame.
        near: m.
        touch: m; what is nearer than this touches.
    """

    scene: Scene
    t: Array
    q: Array
    v: Array
    torque: Array
    start: NDArray[np.int64]
    geoms: NDArray[np.int64]
    points: Array
    frames: Array
    gaps: Array
    forces: Array
    velocities: Array
    near: float
    touch: float

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def base(self) -> Array:
        """(n, 7) pose of the base: x, y, z in m, quaternion w, x, y, z; of the first loose object if it is bolted."""
        name = self.scene.base or next(iter(self.scene.objects), None)
        if name is None:
            raise InputError(f"base: {self.scene.name!r} has no base that floats and no loose object")
        at = int(self.scene.model.jnt_qposadr[self.scene.model.body(name).jntadr[0]])
        return self.q[:, at : at + 7]

    def geom_names(self) -> list[str]:
        """Names of all geoms by number."""
        return [self.scene.model.geom(i).name for i in range(self.scene.model.ngeom)]

    def places(self, geoms: list[int]) -> Array:
        """(n, len(geoms), 3) m where geoms are."""
        out = np.empty((len(self), len(geoms), 3))
        model, data = self.scene.model, scratch(self.scene)
        where = np.array(geoms, dtype=np.int64)
        kernel.places(
            model._address, data._address, data.qpos, data.geom_xpos, np.ascontiguousarray(self.q), where, out
        )
        return out

    def clearances(self, pairs: NDArray[np.int64], every: int, most: float) -> Array:
        """(n,) m, the least distance among pairs (k, 2) of geoms, at most `most`; see kernels/poses.py."""
        out = np.empty(len(self))
        model, data = self.scene.model, scratch(self.scene)
        kernel.clearances(
            model._address, data._address, data.qpos, data.geom_xpos, np.ascontiguousarray(self.q), every, pairs,
            model.geom_rbound, most, out,
        )  # fmt: skip
        return out

    def least(self, rows: NDArray[np.bool_], values: Array, otherwise: float) -> Array:
        """(n,) the least of the values of chosen contacts in each step, `otherwise` where there are none."""
        out = np.full(len(self), otherwise)
        step = np.repeat(np.arange(len(self)), np.diff(self.start))
        np.minimum.at(out, step[rows], values[rows])
        return out


Found = TypeVar("Found")


def of_scene(find: Callable[..., Found]) -> Callable[..., Found]:
    """A function of a scene (and of things that can be keys) that is asked once a scene, for as long as that lives."""
    known: WeakKeyDictionary[Scene, dict[Any, Found]] = WeakKeyDictionary()

    @wraps(find)
    def found(scene: Scene, *more: Any) -> Found:
        kept = known.setdefault(scene, {})
        if more not in kept:
            kept[more] = find(scene, *more)
        return kept[more]

    return found


@of_scene
def scratch(scene: Scene) -> Any:
    """Data of a scene's model for kinematics on the side; one a scene."""
    return mujoco.MjData(scene.model)


def span_of_log(scene: Scene, log: Log, t0: float, dt: float, near: float, first: int, last: int) -> Span:
    """Steps first..last-1 of a log, as views."""
    a, b = int(log.start[first]), int(log.start[last])
    return Span(
        scene=scene,
        t=t0 + dt * np.arange(first, last, dtype=np.float64),
        q=log.q[first:last],
        v=log.v[first:last],
        torque=log.torque[first:last],
        start=log.start[first : last + 1] - a,
        geoms=log.geoms[a:b],
        points=log.points[a:b],
        frames=log.frames[a:b],
        gaps=log.gaps[a:b],
        forces=log.forces[a:b],
        velocities=log.velocities[a:b],
        near=near,
        touch=dt * dt,
    )


def last_moment(span: Span, q: Array, v: Array, t: float) -> Span:
    """One moment, the end of a span: a state (nq,), (nv,) at time t with the torque and contacts of the last step."""
    a = int(span.start[-2])
    return Span(
        span.scene, np.array([t]), q[None], v[None], span.torque[-1:], span.start[-2:] - a, span.geoms[a:],
        span.points[a:], span.frames[a:], span.gaps[a:], span.forces[a:], span.velocities[a:], span.near, span.touch,
    )  # fmt: skip
