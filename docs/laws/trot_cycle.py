"""A trot and a crawl of `links` in which feet on the ground keep their distances, as a gait without slip must."""

import mujoco
import numpy as np

import surefoot as sf

DT = 1e-3
PHASES = {"trot": (0.0, 0.5, 0.5, 0.0), "crawl": (0.0, 0.5, 0.75, 0.25)}  # of LF, RF, LH, RH
SWING = {"trot": 0.5, "crawl": 0.22}  # share of a period in which a foot is up
PERIOD = {"trot": 0.4, "crawl": 1.2}  # s
SPEED, LIFT = 0.1, 0.02  # m/s, m


def offset(gait: str, phase: float) -> tuple[float, float]:
    """Where a foot is relative to its place at home: forward and up, in m, as seen from the base."""
    share, stride = SWING[gait], SPEED * PERIOD[gait]
    s = phase / share
    if s >= 1.0:  # on the ground: moves back with the speed of the walk
        return stride * (0.5 * (1.0 - share) - (phase - share)), 0.0
    smooth = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return stride * (smooth - phase - 0.5 * (1.0 - share)), LIFT * 64.0 * (s * (1.0 - s)) ** 3


def joint_motion(robot: sf.Scene, gait: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, velocities and accelerations (steps of one period, joints) by inverse kinematics of each foot."""
    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[:] = robot.home().q
    mujoco.mj_kinematics(model, data)
    geoms = [model.geom(foot.geoms[0]).id for foot in robot.feet]
    places = data.geom_xpos[geoms].copy()
    steps = round(PERIOD[gait] / DT)
    angles = np.zeros((steps, len(robot.joints)))
    J = np.zeros((3, model.nv))
    for k in range(steps):
        for _ in range(20):
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            miss = 0.0
            for i, geom in enumerate(geoms):
                x, z = offset(gait, (k / steps + PHASES[gait][i]) % 1.0)
                error = places[i] + [x, 0.0, z] - data.geom_xpos[geom]
                mujoco.mj_jac(model, data, J, None, data.geom_xpos[geom], model.geom_bodyid[geom])
                leg = robot.dofs[3 * i : 3 * i + 3]
                data.qpos[robot.joint_positions[3 * i : 3 * i + 3]] += np.linalg.solve(J[:, leg], error)
                miss = max(miss, np.abs(error).max())
            if miss < 1e-13:
                break
        angles[k] = data.qpos[robot.joint_positions]
    before, after = np.roll(angles, 1, axis=0), np.roll(angles, -1, axis=0)
    return angles, (after - before) / (2 * DT), (after - 2 * angles + before) / DT**2
