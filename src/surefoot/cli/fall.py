"""The experiment behind `surefoot drop`: let go, hold the posture."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot import checks
from surefoot.cli.posture import hold_posture
from surefoot.errors import InputError
from surefoot.report.camera import bounds
from surefoot.robots.scene import Scene
from surefoot.robots.state import State


def let_go(scene: Scene, height: float, tilt: float = 0.0) -> State:
    """The home posture, lifted and tilted.

    Args:
        scene: a robot with a floating base.
        height: in m, of the lowest point of the upright robot above the ground.
        tilt: roll of the base in degrees; the robot is lifted so that no foot starts lower for it.

    Returns:
        The state to start from, at rest.

    Raises:
        InputError: the robot is bolted down, or a number is out of range.
    """
    height = checks.number("height", height, at_least=0.0)
    tilt = np.radians(checks.number("tilt", tilt, at_least=-180.0, at_most=180.0))
    if scene.base is None:
        raise InputError(
            f"robot: {scene.name!r} is bolted down and cannot fall; `surefoot robots` lists those that can"
        )
    home = scene.home()
    model = scene.model
    start = int(model.jnt_qposadr[model.body_jntadr[model.body(scene.base).id]])
    q = home.q.copy()
    turn = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0])
    mujoco.mju_mulQuat(q[start + 3 : start + 7], turn, home.q[start + 3 : start + 7])
    q[start + 2] += height + max(0.0, _lowest(scene, home.q) - _lowest(scene, q))
    return home.replace(q=q, v=np.zeros(scene.nv))


def make_ready(scene: Scene, start: State, law: Any, dt: float) -> tuple[Any, Any]:
    """A simulator and a policy that holds the home posture, both compiled by running one step.

    Args:
        scene: the robot.
        start: where it is let go.
        law: contact law.
        dt: time step in s.

    Returns:
        The `Simulator` and the `Policy`.
    """
    simulator = sf.Simulator(scene, dt=dt, law=law)
    policy = hold_posture(scene, scene.home(), simulator.dt)
    simulator.rollout(start, policy, duration=simulator.dt)
    return simulator, policy


def _lowest(scene: Scene, q: NDArray[np.float64]) -> float:
    """Height in m of the lowest corner of the boxes round the robot's parts at configuration `q`."""
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(scene.model, data)
    return float(bounds(scene.model, data)[0][2])
