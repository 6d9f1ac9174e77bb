"""A compiled controller that holds a posture on any robot, its gains chosen from the robot's inertia and weight."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate.policy import Policy

SAG = 0.1  # rad: how far a joint may give way under a leg's share of the weight
STABLE = 0.5  # dt^2 K A, at most; an undamped spring held for a step is stable below 4


def posture_gains(scene: Scene, state: State, dt: float) -> tuple[float, NDArray[np.float64]]:
    """Stiffness K and damping V of the torque K (target - q) - V v.

    K carries a leg's share of the weight with `SAG` of give, and dampers D would be critical for that share. Held for
    a whole step they would make a light shank shake. So V is what dampers do at the *end* of a step,
    tau = -D v+, where v+ = v + dt A tau is how the flying robot answers and A is the actuated block of M^-1 at `state`:
    V = (1 + dt D A)^-1 D. A touching robot gives way less, so what is stable in the air is stable on the ground.

    Args:
        scene: the robot.
        state: the posture to hold.
        dt: control step in s.

    Returns:
        K in N m/rad, the same for all joints, and V in N m s/rad, (len(joints), len(joints)).
    """
    model = scene.model
    data = mujoco.MjData(model)
    state.to_mujoco(data)
    mujoco.mj_forward(model, data)
    inertia = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(model, data, inertia)
    mobility = np.linalg.inv(inertia)[np.ix_(scene.dofs, scene.dofs)]
    reach, legs = _reach(scene, data), max(len(scene.feet), 1)
    stiffness = scene.mass * float(np.linalg.norm(model.opt.gravity)) * reach / legs / SAG
    damping = 2.0 * np.sqrt(stiffness * scene.mass * reach**2 / legs)
    most = STABLE / (dt**2 * float(np.linalg.eigvalsh(mobility)[-1]))
    return min(stiffness, most), damping * np.linalg.inv(np.eye(len(scene.dofs)) + dt * damping * mobility)


def hold_posture(scene: Scene, state: State, dt: float) -> Any:
    """A compiled policy that holds the joints where they are in `state`; `dt` is the control step in s."""
    stiffness, damping = posture_gains(scene, state, dt)
    target = state.q[scene.joint_positions]
    numbers = (scene.joint_positions, scene.dofs, target, damping.ravel(), [stiffness])
    return Policy(springs_and_dampers, np.concatenate(numbers, dtype=np.float64), kept=True)


def springs_and_dampers(t, q, v, torque_out, memory, params):
    """Torque K (target - q) - V v; params: places of the joints in q, in v, their targets, V row by row, K."""
    n = torque_out.size
    stiffness = params[3 * n + n * n]
    for i in range(n):
        torque = stiffness * (params[2 * n + i] - q[int(params[i])])
        for j in range(n):
            torque -= params[3 * n + i * n + j] * v[int(params[n + j])]
        torque_out[i] = torque
    return 0


def _reach(scene: Scene, data: mujoco.MjData) -> float:
    """Mean distance in m from the base to its feet, or half the robot's size if it has none."""
    if scene.base is None or not scene.feet:
        return 0.5 * float(scene.model.stat.extent)
    base = data.body(scene.base).xpos
    return float(np.mean([np.linalg.norm(data.body(foot.body).xpos - base) for foot in scene.feet]))
