"""MuJoCo's contacts and their forces, written into a roll-out's log as ours are."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.kernels.rollout import Log
from surefoot.motion.arrays import geom_ranks
from surefoot.robots.scene import Scene
from surefoot.simulate.log import grown

IN_GAP = 1  # MuJoCo's `exclude` of a contact that is near but does not act


class ContactRecorder:
    """Writes contacts step by step as MuJoCo has them, and puts them in our order for many steps at once.

    MuJoCo's normal points from its first geom to its second. Ours points to the one that is pushed: the robot, else
    the loose object, else MuJoCo's second.

    Attributes:
        log: what is written into; it grows.
        steps: how many steps can be written before `finish`.
    """

    def __init__(self, scene: Scene, model: mujoco.MjModel, data: mujoco.MjData, log: Log, steps: int) -> None:
        self.log, self.steps = log, steps
        self._model, self._data = model, data
        self._ranks = geom_ranks(scene, model)
        self._twist = np.empty((steps, model.nbody, 6))  # rad/s and m/s at the centre of the body's tree
        self._centre = np.empty((steps, model.nbody, 3))  # m
        self._wrench = np.zeros(6)
        self._first = 0

    def write(self, k: int) -> None:
        """Contacts of step k, which has just been taken, with the bodies' velocities at its end."""
        model, data, start = self._model, self._data, self.log.start[k]
        while start + data.ncon > len(self.log.gaps):
            self.log = grown(self.log)
        log, row = self.log, start
        for i in range(data.ncon):
            contact = data.contact[i]
            if contact.exclude > IN_GAP or contact.geom1 < 0 or contact.geom2 < 0:
                continue
            mujoco.mj_contactForce(model, data, i, self._wrench)
            log.geoms[row] = contact.geom2, contact.geom1
            log.points[row], log.frames[row].flat[:], log.gaps[row] = contact.pos, contact.frame, contact.dist
            log.forces[row] = self._wrench[:3]
            row += 1
        log.start[k + 1] = row
        mujoco.mj_comVel(model, data)  # of the velocities after the step, where bodies were before it
        self._twist[k - self._first] = data.cvel
        self._centre[k - self._first] = data.subtree_com

    def finish(self, done: int) -> None:
        """Order the contacts of all steps since the last call, up to step `done`, and find their velocities."""
        log, model, first = self.log, self._model, self._first
        rows = slice(int(log.start[first]), int(log.start[done]))
        geoms, frames, forces = log.geoms[rows], log.frames[rows], log.forces[rows]
        turned = self._ranks[geoms[:, 1]] > self._ranks[geoms[:, 0]]
        geoms[turned] = geoms[turned, ::-1]
        frames[turned] *= np.array([-1.0, 1.0, -1.0])[:, None]  # turned about the first tangent
        forces[turned] *= [1.0, -1.0, 1.0]  # and now on the other geom
        step = np.repeat(np.arange(done - first), np.diff(log.start[first : done + 1]))

        def velocity(geom: np.ndarray) -> np.ndarray:
            body = model.geom_bodyid[geom]
            arm = log.points[rows] - self._centre[step, model.body_rootid[body]]
            twist = self._twist[step, body]
            return twist[:, 3:] + np.cross(twist[:, :3], arm)

        slip = velocity(geoms[:, 0]) - velocity(geoms[:, 1])
        log.velocities[rows] = np.einsum("kij,kj->ki", frames, slip)
        self._first = done
