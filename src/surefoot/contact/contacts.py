"""Where it touches: points, frames, gaps, friction and Jacobians of all contacts at one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contacts:
    """n contacts. The second body pushes on the first along the normal; a positive gap is open.

    Attributes:
        points: (n, 3) world, m.
        frames: (n, 3, 3) rows: normal (from the second body to the first), tangent 1, tangent 2; tangents of open
            ones are 0.
        gaps: (n,) m; negative: depth.
        mu: (n,) friction coefficient, inf allowed.
        closed: (n,) touching at the start of the step: friction acts. Open ones enter with their normal row only; those
            that a user gave with a gap are open once the step is known.
        bodies: names of the first and the second body.
        names: one name a contact, such as "LF_FOOT on ground".
        geoms: (n, 2) geom indices, -1 where the user gave the point.
        J: (n, 3, nv) velocity of the first body against the second, in the frame, per generalised velocity.
    """

    points: Array
    frames: Array
    gaps: Array
    mu: Array
    closed: NDArray[np.bool_]
    bodies: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    geoms: NDArray[np.int64]
    J: Array

    def __len__(self) -> int:
        return len(self.gaps)

    @property
    def depth(self) -> Array:
        """(n,) penetration in m, at least 0."""
        return np.maximum(-self.gaps, 0.0)

    @classmethod
    def from_points(
        cls,
        scene: Scene,
        state: State,
        points: Any,
        bodies: list[str],
        *,
        normals: Any = None,
        mu: Any = 1.0,
        gaps: Any = 0.0,
        against: list[str] | None = None,
    ) -> Contacts:
        """Contacts that the caller knows better than the geometry.

        Args:
            scene: robot or scene.
            state: where it is.
            points: (n, 3) world coordinates, m.
            bodies: n names of the bodies that are pushed.
            normals: (n, 3) from the pushing body to the pushed one; default straight up.
            mu: friction, one or n.
            gaps: m, one or n.
            against: n names of the pushing bodies; default "world".
        """
        if not isinstance(scene, Scene):
            raise InputError(f"scene: expected a robot or scene (see sf.load), got {type(scene).__name__}")
        if not isinstance(state, State):
            raise InputError(f"state: expected a State (see robot.home()), got {type(state).__name__}")
        points = checks.array("points", points, (None, 3))
        n = len(points)
        normals = np.tile([0.0, 0.0, 1.0], (n, 1)) if normals is None else checks.array("normals", normals, (n, 3))
        largest = np.abs(normals).max(axis=1, initial=0.0)
        if (largest == 0).any():
            raise InputError(f"normals: expected a direction, got a zero vector at index {int(np.argmin(largest))}")
        normals = normals / largest[:, None]
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        against = ["world"] * n if against is None else against
        known = [scene.model.body(i).name for i in range(scene.model.nbody)]
        for name, given in (("bodies", bodies), ("against", against)):
            if isinstance(given, str) or not isinstance(given, Sequence):
                raise InputError(f"{name}: expected a list of {n} names, one a point, got {given!r}")
            if len(given) != n:
                raise InputError(f"{name}: expected a list of {n} names, one a point, got {len(given)} of them")
        first, second = (
            checks.indices("bodies", bodies, known, "body"),
            checks.indices("against", against, known, "body"),
        )
        for i in range(n):
            if first[i] == second[i]:
                raise InputError(f"against: expected another body than {bodies[i]!r} itself, at index {i}")
        friction = np.array([checks.friction("mu", value) for value in _one_or_each("mu", mu, n)])
        distance = checks.array("gaps", _one_or_each("gaps", gaps, n), (n,))
        data = mujoco.MjData(scene.model)
        state.to_mujoco(data)
        mujoco.mj_kinematics(scene.model, data)
        mujoco.mj_comPos(scene.model, data)
        frames = np.empty((n, 3, 3))
        J = np.empty((n, 3, scene.nv))
        for i in range(n):
            J[i] = _point_jacobian(scene.model, data, points[i], first[i]) - _point_jacobian(
                scene.model, data, points[i], second[i]
            )
            frames[i] = contact_frame(normals[i], J[i] @ state.v)
            J[i] = frames[i] @ J[i]
        pairs = tuple((known[a], known[b]) for a, b in zip(first, second, strict=True))
        return cls(
            points, frames, distance, friction, np.ones(n, dtype=bool), pairs,
            tuple(f"{a} on {b}" for a, b in pairs), np.full((n, 2), -1), J,
        )  # fmt: skip


def _one_or_each(name: str, values: Any, n: int) -> list[Any]:
    """One value for each of n, from one for all or from n."""
    if np.ndim(values) == 0:
        return [values] * n
    values = list(values)
    if len(values) != n:
        raise InputError(f"{name}: expected one number or {n}, got {len(values)}")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def contact_frame(normal: Array, slip: Array) -> Array:
    """(3, 3) rows normal, tangent 1, tangent 2: tangent 1 along the slip, else world x (y where x is normal)."""
    along = slip - normal * (normal @ slip)
    if np.linalg.norm(along) <= 1e-6:
        axis = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
        along = axis - normal * (normal @ axis)
    tangent = along / np.linalg.norm(along)
    return np.stack([normal, tangent, np.cross(normal, tangent)])


def _point_jacobian(model: mujoco.MjModel, data: mujoco.MjData, point: Array, body: int) -> Array:
    J = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, J, None, point, body)
    return J


def contact_names(scene: Scene, geoms: NDArray[np.int64]) -> tuple[str, ...]:
    """Names such as "LF_FOOT on ground"; several points of one pair get a number."""
    feet = {scene.model.geom(geom).id: foot.name for foot in scene.feet for geom in foot.geoms}

    def geom_name(geom: int) -> str:
        if geom in feet:
            return feet[geom]
        return scene.model.geom(geom).name or scene.model.body(int(scene.model.geom_bodyid[geom])).name

    names = [f"{geom_name(int(a))} on {geom_name(int(b))}" for a, b in geoms]
    return tuple(
        name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}" for i, name in enumerate(names)
    )
