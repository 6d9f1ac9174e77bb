"""Joint gains that hold a posture on any robot, chosen from its inertia and weight."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

SAG = 0.1  # rad: how far a joint may give way under its share of the weight
DAMPING = 0.5  # of the largest damping that an explicit controller can apply without overshoot
STIFFNESS = 0.2  # of the largest stiffness that it can apply stably


def posture_gains(scene: Scene, state: State, dt: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stiffness and damping per actuated joint.

    A torque -K q - D v held for one step is stable if dt D and dt^2 K are small beside the inertia the motors feel when
    the robot flies, the inverse of the actuated block of M^-1. So D is the inverse of that block's diagonal, scaled by
    its largest eigenvalue; K carries a leg's share of the weight with `SAG` of give, but no more than stable.

    Args:
        scene: the robot.
        state: the posture to hold.
        dt: control step in s.

    Returns:
        Stiffness (len(joints),) in N m/rad and damping (len(joints),) in N m s/rad.
    """
    model = scene.model
    data = mujoco.MjData(model)
    state.to_mujoco(data)
    mujoco.mj_forward(model, data)
    inertia = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(model, data, inertia)
    mobility = np.linalg.inv(inertia)[np.ix_(scene.dofs, scene.dofs)]
    felt = 1.0 / np.diag(mobility)
    scaled = np.sqrt(felt)[:, None] * mobility * np.sqrt(felt)
    unit = felt / float(np.linalg.eigvalsh(scaled)[-1])
    load = scene.mass * float(np.linalg.norm(model.opt.gravity)) * _reach(scene, data) / max(len(scene.feet), 1)
    stiffness = np.minimum(load / SAG, STIFFNESS * unit / dt**2)
    return stiffness, DAMPING * unit / dt


def hold_posture(scene: Scene, state: State, dt: float) -> Any:
    """A compiled policy that holds the joints where they are in `state`; `dt` is the control step in s."""
    stiffness, damping = posture_gains(scene, state, dt)
    target = state.q[scene.joint_positions]
    return spring_and_damper.bind(np.concatenate([scene.joint_positions, scene.dofs, target, stiffness, damping]))


@sf.policy
def spring_and_damper(t, q, v, torque_out, memory, params):
    """Pull each joint to its target; params: places in q, places in v, targets, stiffness, damping."""
    n = torque_out.size
    for i in range(n):
        position, speed = q[int(params[i])], v[int(params[n + i])]
        torque_out[i] = params[3 * n + i] * (params[2 * n + i] - position) - params[4 * n + i] * speed
    return 0


def _reach(scene: Scene, data: mujoco.MjData) -> float:
    """Mean distance in m from the base to its feet, or half the robot's size if it has none."""
    if scene.base is None or not scene.feet:
        return 0.5 * float(scene.model.stat.extent)
    base = data.body(scene.base).xpos
    return float(np.mean([np.linalg.norm(data.body(foot.body).xpos - base) for foot in scene.feet]))
