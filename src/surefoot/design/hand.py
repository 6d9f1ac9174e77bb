"""A part of a bolted robot as a course sees it: which joints bring it to points of the world."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.gait.legs import CLOSE, MISSES, ROUNDS
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]


class Hand:
    """Kinematics of one part of a robot that is bolted down; the twin of `sf.gait.Legs` for arms.

    Attributes:
        robot: the robot.
    """

    def __init__(self, robot: Scene, parts: tuple[str, ...]) -> None:
        """Look at a robot.

        Args:
            robot: robot or scene.
            parts: (1,) name of a foot (fingertip) or geom.
        """
        self.robot = robot
        geoms = {foot.name: foot.geoms[0] for foot in robot.feet}
        names = [robot.model.geom(i).name for i in range(robot.model.ngeom)]
        self._geom = checks.indices("HandTask.part", [geoms.get(parts[0], parts[0])], names, "geom")[0]
        self._data = mujoco.MjData(robot.model)

    def track(self, places: Any, velocity: Any, start: Any = None) -> tuple[Array, Array, Array]:
        """Joints that bring the part along a path; see `sf.gait.Legs.track`. Of all changes the least is made.

        Args:
            places: (n, 1, 3) m in the world.
            velocity: (n, 1, 3) m/s.
            start: (n, joints) where to look from; None: home, and each sample from the one before.
        """
        robot, model, data = self.robot, self.robot.model, self._data
        data.qpos[:] = robot.home().q
        q, v = np.zeros((2, len(places), len(robot.joints)))
        missing, J = np.zeros((len(places), 1)), np.zeros((3, model.nv))
        body = int(model.geom_bodyid[self._geom])
        for i, (goal, speed) in enumerate(zip(places, velocity, strict=True)):
            if start is not None:
                data.qpos[robot.joint_positions] = start[i]
            for _ in range(ROUNDS):
                mujoco.mj_kinematics(model, data)
                mujoco.mj_comPos(model, data)
                here = data.geom_xpos[self._geom]
                mujoco.mj_jac(model, data, J, None, here, body)
                A, left = J[:, robot.dofs], goal[0] - here
                distance = float(np.linalg.norm(left))
                if distance <= CLOSE:
                    break
                soft = 0.2 * distance * float(np.sqrt(np.trace(A @ A.T)))
                data.qpos[robot.joint_positions] += A.T @ np.linalg.solve(A @ A.T + soft * np.eye(3), left)
            missing[i] = distance if distance > MISSES else 0.0
            q[i] = data.qpos[robot.joint_positions]
            v[i] = np.linalg.lstsq(J[:, robot.dofs], speed[0], rcond=1e-9)[0]
        return q, v, missing

    def stretch(self, places: Any, joints: Any) -> Array:
        """(n, 1) NaN: an arm of many joints has no one length that says how far it reaches."""
        return np.full((len(places), 1), np.nan)
