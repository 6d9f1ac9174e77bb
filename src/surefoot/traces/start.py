"""How a particle starts: offsets to the pose and the velocity of a scene at home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.robots.home import follow
from surefoot.robots.placing import Standing
from surefoot.robots.scene import ONE_DOF, Scene
from surefoot.robots.state import State
from surefoot.robots.terrains import Terrain

PLACE = ("x", "y", "z")
TURN = ("roll", "pitch", "yaw")
VELOCITY = "velocity."


class Start:
    """Where a particle starts: at home, with some joints put elsewhere, and offsets.

    Attributes:
        names: of the offsets, each nominally 0: x, y, z in m and roll, pitch, yaw in rad of a floating base; every
            hinge and slide of the robot by its name (rad, m); and after "velocity." the same in m/s and rad/s. Roll,
            pitch and yaw turn the base about the world's x, y and z through its origin, in that order; as velocities
            they are about the world's x, y and z.
    """

    def __init__(self, scene: Scene, joints: Mapping[str, float] | None = None) -> None:
        """Check the joints.

        Args:
            scene: the nominal scene; particles have the same joints.
            joints: start of some joints by name, in rad or m; a floating base then just touches the ground.
        """
        self._places = _joint_places(scene)
        self._joints = {} if joints is None else dict(joints)
        checks.indices("joints", self._joints, list(self._places), "joint")
        for name, value in self._joints.items():
            checks.number(f"joints[{name!r}]", value)
        base = () if scene.base is None else PLACE + TURN
        names = dict.fromkeys((*base, *self._places), 0.0)
        self.names = names | {VELOCITY + name: 0.0 for name in names}

    def state(
        self,
        scene: Scene,
        ground: Any,
        offsets: Mapping[str, float],
        standing: Standing | None = None,
        origin: State | None = None,
    ) -> State:
        """The start in a scene; a base that the offsets would put into the ground is lifted until it just touches.

        Args:
            scene: the particle's.
            ground: the terrain it stands on; if it is none, nothing is lifted.
            offsets: by the names of `names`; what is not given is 0.
            standing: what finds heights in that scene; made if it is needed and None.
            origin: where to start from instead of home, with all joints as they are there.
        """
        home = scene.home() if origin is None else origin
        joints = self._joints if origin is None else {}
        if not joints and not offsets:
            return home
        q, v = np.array(home.q), np.array(home.v)
        touching = _toucher(scene, ground, standing)
        for name, value in joints.items():
            q[self._places[name][0]] = value
        if joints:
            q = touching(follow(scene.model, q))
        self._move(scene, q, v, offsets)
        if not all(name.startswith(VELOCITY) for name in offsets):
            q = follow(scene.model, q)
            q = max(q, touching(q), key=lambda pose: 0.0 if scene.base is None else pose[_base(scene)[0] + 2])
        return home.replace(q=q, v=v)

    def _move(self, scene: Scene, q: NDArray[np.float64], v: NDArray[np.float64], offsets: Mapping[str, float]) -> None:
        """Add the offsets to pose and velocity."""
        for name, value in offsets.items():
            if name in self._places:
                q[self._places[name][0]] += value
            elif name.removeprefix(VELOCITY) in self._places:
                v[self._places[name.removeprefix(VELOCITY)][1]] += value
        if scene.base is not None:
            _move_base(scene, q, v, offsets)


def _joint_places(scene: Scene) -> dict[str, tuple[int, int]]:
    """Place in q and in v of every joint of one degree of freedom, actuated ones first."""
    model = scene.model
    single = [model.joint(j).name for j in range(model.njnt) if int(model.jnt_type[j]) in ONE_DOF]
    names = dict.fromkeys((*scene.joints, *single))
    return {name: (int(model.joint(name).qposadr[0]), int(model.joint(name).dofadr[0])) for name in names}


def _move_base(scene: Scene, q: NDArray[np.float64], v: NDArray[np.float64], offsets: Mapping[str, float]) -> None:
    at, dof = _base(scene)
    q[at : at + 3] += [offsets.get(name, 0.0) for name in PLACE]
    turn = np.array([offsets.get(name, 0.0) for name in TURN])
    if turn.any():
        by = np.empty(4)
        mujoco.mju_euler2Quat(by, turn, "XYZ")
        mujoco.mju_mulQuat(q[at + 3 : at + 7], by, q[at + 3 : at + 7].copy())
    v[dof : dof + 3] += [offsets.get(VELOCITY + name, 0.0) for name in PLACE]
    back, spin = np.empty(4), np.empty(3)
    mujoco.mju_negQuat(back, q[at + 3 : at + 7])
    mujoco.mju_rotVecQuat(spin, np.array([offsets.get(VELOCITY + name, 0.0) for name in TURN]), back)
    v[dof + 3 : dof + 6] += spin


def _base(scene: Scene) -> tuple[int, int]:
    """Where the floating base begins in q and in v."""
    joint = int(scene.model.body(scene.base).jntadr[0])
    return int(scene.model.jnt_qposadr[joint]), int(scene.model.jnt_dofadr[joint])


def _toucher(
    scene: Scene, ground: Any, standing: Standing | None
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """What lifts or lowers a pose until a floating base just touches; poses without base or ground stay as they are."""
    if scene.base is None or not isinstance(ground, Terrain):
        return lambda q: q
    put = standing or Standing(scene.model.__copy__(), scene.base, scene.surfaces)
    return lambda q: put.put_on(ground, q)
