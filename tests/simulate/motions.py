"""Motions that tests and their comparisons share: a trot of the quadruped, the dissertation's wave of the UR10."""

import math

import mujoco
import numpy as np

import surefoot as sf

TROT = 1.5  # Hz
SWING = 0.2  # rad
LEGS = ("LF", "RF", "LH", "RH")
ARM = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
WAVE = ((2.5, 1.0), (0.5, 2.0), (5 / 3, 2 / 3), (5 / 14, 1 / 7), (5 / 11, 2 / 11), (15 / 26, 3 / 13))  # rad, rad/s


@sf.joint_motion
def trot(t, q, v, position_out, memory, params):
    """Diagonal legs in phase; params: rad, Hz, home (12,), then directions of thighs (4,) and shanks (4,)."""
    grown = min(t, 1.0)
    size = params[0] * grown * grown * (3.0 - 2.0 * grown)  # from rest, within the first second
    for leg in range(4):
        phase = 2.0 * math.pi * params[1] * t
        if leg == 1 or leg == 2:  # RF and LH
            phase += math.pi
        position_out[3 * leg] = params[2 + 3 * leg]
        position_out[3 * leg + 1] = params[3 + 3 * leg] + params[14 + leg] * size * math.sin(phase)
        position_out[3 * leg + 2] = params[4 + 3 * leg] - params[18 + leg] * size * math.cos(phase)
    return 0


def trotting(robot, swing=SWING):
    """The trot of `links`: feet go back while on the ground and are lifted by the knees while they come forth."""
    home = robot.home().q[robot.joint_positions]
    back = [1.0 if leg[0] == "L" else -1.0 for leg in LEGS]  # about +y the foot goes back
    bend = np.sign(home[2::3])
    return trot.bind(params=np.concatenate([[swing, TROT], home, back, bend]))


@sf.joint_motion
def wave(t, q, v, position_out, memory, params):
    """Sums of sines: params are size (rad) and rate (rad/s) of each joint."""
    for i in range(position_out.size):
        position_out[i] = params[2 * i] * math.sin(params[2 * i + 1] * t)
    return 0


WAVING = wave.bind(joints=[f"{part}_joint" for part in ARM], params=WAVE)


def tilt(trace):
    """(n + 1,) cosine of the angle between the base's z axis and the world's."""
    x, y = trace.q[:, 4], trace.q[:, 5]
    return 1.0 - 2.0 * (x * x + y * y)


class Stride:
    """A trot by feet: on the ground they go straight back and keep their distances, so none of them has to slip.

    Called with a time in s it gives the twelve joint angles, found by Newton's method for feet that are `stride` m
    back and forth of where they stand at home, and up to `lift` m above, in the base's frame.
    """

    def __init__(self, robot, stride=0.03, lift=0.015):
        self.robot, self.stride, self.lift = robot, stride, lift
        self.model, self.data = robot.model, mujoco.MjData(robot.model)
        self.data.qpos[:] = robot.home().q
        self.geoms = [self.model.geom(foot.geoms[0]).id for foot in robot.feet]
        self.home = self._feet()
        self.legs = [robot.dofs[[joint[:2] == foot.name[:2] for joint in robot.joints]] for foot in robot.feet]

    def _feet(self):
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return self.data.geom_xpos[self.geoms].copy()

    def targets(self, t):
        """(4, 3) m: feet in the base's frame, moved to where the base is at home."""
        grown = min(t, 1.0)
        size = grown * grown * (3.0 - 2.0 * grown)
        feet = self.home.copy()
        for i, foot in enumerate(self.robot.feet):
            phase = (TROT * t + (0.0 if foot.name[:2] in ("LF", "RH") else 0.5)) % 1.0
            if phase < 0.5:
                feet[i, 0] += size * self.stride * (1.0 - 4.0 * phase)
            else:
                s = 2.0 * phase - 1.0  # cubic: forth, and back again with the ground's speed when it comes down
                feet[i, 0] += size * self.stride * (-1.0 - 2.0 * s + 12.0 * s**2 - 8.0 * s**3)
                feet[i, 2] += size * self.lift * math.sin(math.pi * s) ** 2
        return feet

    def __call__(self, t):
        wanted = self.targets(t)
        jacobian = np.zeros((3, self.model.nv))
        for _ in range(20):
            miss = wanted - self._feet()
            if np.abs(miss).max() < 1e-14:
                break
            for i, (geom, leg) in enumerate(zip(self.geoms, self.legs, strict=True)):
                mujoco.mj_jacGeom(self.model, self.data, jacobian, None, geom)
                self.data.qpos[leg + 1] += np.linalg.solve(jacobian[:, leg], miss[i])
        return self.data.qpos[self.robot.joint_positions].copy()
