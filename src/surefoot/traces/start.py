"""How a particle starts: offsets to the pose and the velocity of a scene at home."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.robots.home import follow
from surefoot.robots.placing import put_on
from surefoot.robots.scene import ONE_DOF, Scene
from surefoot.robots.state import State
from surefoot.robots.terrains import Terrain

PLACE = ("x", "y", "z")
TURN = ("roll", "pitch", "yaw")
VELOCITY = "velocity."


def start_names(scene: Scene) -> dict[str, float]:
    """Names of the offsets, each nominally 0.

    x, y, z in m and roll, pitch, yaw in rad of a floating base; every hinge and slide of the robot by its name (rad,
    m); and after "velocity." the same in m/s and rad/s. Roll, pitch and yaw turn the base about the world's x, y and z
    through its origin, in that order; as velocities they are about the world's x, y and z at the start.
    """
    base = () if scene.base is None else PLACE + TURN
    names = dict.fromkeys((*base, *_joints(scene)), 0.0)
    return names | {VELOCITY + name: 0.0 for name in names}


def posed(scene: Scene, joints: Mapping[str, float] | None, terrain: Terrain | None) -> NDArray[np.float64]:
    """(nq,) the scene's home with some joints put elsewhere (rad, m, by name); a floating base then just touches."""
    q = np.array(scene.home().q)
    if not joints:
        return q
    known = _joints(scene)
    checks.indices("joints", joints, list(known), "joint")
    for name, value in joints.items():
        q[known[name][0]] = checks.number(f"joints[{name!r}]", value)
    q = follow(scene.model, q)
    return q if scene.base is None or terrain is None else _touching(scene, terrain, q)


def started(scene: Scene, q: NDArray[np.float64], offsets: Mapping[str, float], terrain: Terrain | None) -> State:
    """The state that `q` and the offsets give; a base that would be in the ground is lifted until it just touches.

    Args:
        scene: the particle's.
        q: (nq,) the start before the offsets.
        offsets: by the names of `start_names`; what is not given is 0.
        terrain: what it stands on; None: nothing is lifted.
    """
    home = scene.home()
    if not any(offsets.values()):
        return home.replace(q=q)
    known, q, v = _joints(scene), np.array(q), np.array(home.v)
    for name, value in offsets.items():
        if name in known:
            q[known[name][0]] += value
        elif name.removeprefix(VELOCITY) in known:
            v[known[name.removeprefix(VELOCITY)][1]] += value
    q = follow(scene.model, q)
    if scene.base is not None:
        _move_base(scene, q, v, offsets)
        if terrain is not None and any(value for name, value in offsets.items() if not name.startswith(VELOCITY)):
            q = _lifted(scene, terrain, q)
    return home.replace(q=q, v=v)


def _joints(scene: Scene) -> dict[str, tuple[int, int]]:
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


def _touching(scene: Scene, terrain: Terrain, q: NDArray[np.float64]) -> NDArray[np.float64]:
    assert scene.base is not None
    return put_on(terrain, scene.surfaces, scene.model, scene.base, q)


def _lifted(scene: Scene, terrain: Terrain, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """`q`, or the pose above it in which the robot just touches, whichever is higher."""
    height = _base(scene)[0] + 2
    touching: Any = _touching(scene, terrain, q)
    return touching if touching[height] > q[height] else q
