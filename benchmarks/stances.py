"""Real robots that sway on their feet: the same states for every whole-body controller.

Soles and the spheres of point feet stay where they are on the ground to `DEPTH`: the legs follow the base by inverse
kinematics. All other joints move at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import surefoot as sf
from benchmarks.harness import Absent
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

DT = 1e-3  # s
MU = 0.7
DEPTH = 1e-7  # m: how deep feet are in the ground
COM = (1.0, 50.0, 14.0)  # of the tasks: weight, kp in 1/s^2, kd in 1/s
TURN = (0.3, 100.0, 20.0)
POSTURE = (1e-2, 50.0, 14.0)
LEAST, MOST = 0.1, 4.0  # N: normal force of a point at the least; of a foot at most, in weights of the robot
SWAY = np.array([0.01, 0.01, 0.005, 0.03, 0.03, 0.03])  # m and rad: largest motion of the base
SWING = 0.05  # rad: largest motion of the joints that are not in a leg


@dataclass(frozen=True)
class Kind:
    """Which robot, and how it stands.

    Attributes:
        file: name of its URDF.
        corners: (4, 3) m, of the flat soles in the frame of their link; none: feet are spheres.
        bent: angles in rad of joints that are not as in the robot's home, by the end of their names.
    """

    file: str
    corners: tuple[tuple[float, float, float], ...] = ()
    bent: tuple[tuple[str, float], ...] = ()


KINDS = {
    "solo12": Kind("solo12.urdf"),
    "talos": Kind(
        "talos_reduced_box.urdf",
        tuple((x, y, -0.11) for x, y in ((0.105, 0.065), (0.105, -0.065), (-0.105, -0.065), (-0.105, 0.065))),
    ),
    "g1": Kind(
        "g1_29dof_rev_1_0.urdf",
        tuple((x, y, -0.035) for x, y in ((0.12, 0.03), (0.12, -0.03), (-0.05, -0.025), (-0.05, 0.025))),
        (("hip_pitch_joint", -0.35), ("knee_joint", 0.7), ("ankle_pitch_joint", -0.35)),
    ),
}


@dataclass(frozen=True)
class Stance:
    """A robot on its feet.

    Attributes:
        name: one of `KINDS`.
        robot: the scene.
        urdf: path of its file.
        home: standing.
        corners: see `Kind`.
        points: points of contact.
    """

    name: str
    robot: Scene
    urdf: Path
    home: State
    corners: tuple[tuple[float, float, float], ...]
    points: int


@cache
def stance(name: str) -> Stance:
    """One of `KINDS`, standing; without dry friction and damping in its joints, which peers know nothing of."""
    kind = KINDS[name]
    path = urdf(kind.file)
    robot = sf.load(path, meshes="spheres", ground=sf.Plane(mu=MU))
    robot.model.dof_damping[:] = 0.0
    robot.model.dof_frictionloss[:] = 0.0
    q = robot.home().q.copy()
    q[3:7] = [1.0, 0.0, 0.0, 0.0]
    for joint, address in zip(robot.joints, robot.joint_positions, strict=True):
        q[address] = next((angle for end, angle in kind.bent if joint.endswith(end)), q[address])
    legs = _Legs(robot, q, kind.corners)
    legs.home[2] += legs.rise()
    at, _ = legs.stand(np.zeros(6), q)
    points = len(robot.feet) * max(len(kind.corners), 1)
    return Stance(name, robot, path, State(at, np.zeros(robot.nv)), kind.corners, points)


@dataclass(frozen=True)
class Sway:
    """States along a motion, DT apart."""

    stance: Stance
    states: Sequence[State]


def sway(name: str, seed: Sequence[int], count: int) -> Sway:
    """`count` states of a random sway."""
    here = stance(name)
    robot, rng = here.robot, np.random.default_rng(seed)
    legs = _Legs(robot, here.home.q, here.corners)
    size = 6 + len(robot.joints)
    rates, phases = 2 * np.pi * rng.uniform(0.3, 1.5, (3, size)), rng.uniform(0.0, 2 * np.pi, (3, size))
    reach = np.concatenate([SWAY, np.full(len(robot.joints), SWING)])
    reach[6:][legs.in_leg] = 0.0
    states, q = [], here.home.q.copy()
    for t in DT * np.arange(count):
        moved = reach * np.sin(rates * t + phases).mean(axis=0)
        speed = reach * (rates * np.cos(rates * t + phases)).mean(axis=0)
        others = ~legs.in_leg
        q[robot.joint_positions[others]] = here.home.q[robot.joint_positions[others]] + moved[6:][others]
        q, follow = legs.stand(moved[:6], q)
        states.append(State(q, follow(speed), t))
    return Sway(here, states)


def to_pinocchio(state: State) -> tuple[list[float], list[float]]:
    """(q, v) with quaternion x y z w and the base's velocities in its own frame; joints in the scene's order."""
    q, v = state.q.copy(), state.v.copy()
    q[3:7] = state.q[[4, 5, 6, 3]]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, state.q[3:7])
    v[:3] = turn.reshape(3, 3).T @ state.v[:3]
    return q.tolist(), v.tolist()


def urdf(name: str) -> Path:
    """Path of a URDF of example-robot-data, wherever pip put it."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name:
            return Path(str(file.locate()))
    raise Absent(name, "example-robot-data is not installed", "pip install example-robot-data")


class _Legs:
    """Inverse kinematics: where the joints of the legs must be, and how fast, for feet that stay."""

    def __init__(self, robot: Scene, home: np.ndarray, corners: Any) -> None:
        self.robot, self.model, self.data = robot, robot.model, mujoco.MjData(robot.model)
        self.home, self.flat = home, len(corners) > 0
        self.bodies = [self.model.body(foot.body).id for foot in robot.feet]
        self.geoms = [self.model.geom(foot.geoms[0]).id for foot in robot.feet]
        chains = [self._chain(body) for body in self.bodies]
        self.legs = np.array([dof for chain in chains for dof in chain])
        self.in_leg = np.isin(robot.dofs, self.legs)
        self.addresses = np.array([self.model.jnt_qposadr[self.model.dof_jntid[dof]] for dof in self.legs])
        self._update(home)
        self.places = np.array([self.data.xpos[body] for body in self.bodies])
        if self.flat:
            self.places[:, 2] = -corners[0][2] - DEPTH
        else:
            self.places = self.data.geom_xpos[self.geoms].copy()
            self.places[:, 2] = self.model.geom_size[self.geoms, 0] - DEPTH

    def stand(self, pose: np.ndarray, start: np.ndarray):
        """Configuration with the base moved by `pose` from home, and a function from velocities of all but the legs."""
        q = start.copy()
        q[:3] = self.home[:3] + pose[:3]
        mujoco.mju_euler2Quat(q[3:7], pose[3:], "xyz")
        for _ in range(20):
            self._update(q)
            miss = self._miss()
            if np.abs(miss).max() < 1e-12:
                break
            q[self.addresses] += np.linalg.solve(self._jacobian(touching=False)[:, self.legs], miss)
        J, dofs = self._jacobian(touching=True), self.robot.dofs

        def follow(speed: np.ndarray) -> np.ndarray:
            v = np.zeros(self.model.nv)
            v[:6], v[dofs] = speed[:6], speed[6:]
            v[self.legs] = 0.0
            v[self.legs] = -np.linalg.solve(J[:, self.legs], J @ v)
            return v

        return q, follow

    def rise(self) -> float:
        """How much higher in m the base must be for the first foot to be on the ground."""
        self._update(self.home)
        return float(self._miss()[2])

    def _chain(self, body: int) -> list[int]:
        found = []
        base = self.model.body(self.robot.base).id
        while body != base:
            found += [int(self.model.body_dofadr[body])] * int(self.model.body_dofnum[body])
            body = int(self.model.body_parentid[body])
        return found

    def _update(self, q: np.ndarray) -> None:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def _miss(self) -> np.ndarray:
        if not self.flat:
            return (self.places - self.data.geom_xpos[self.geoms]).ravel()
        rows = []
        for place, body in zip(self.places, self.bodies, strict=True):
            turn = np.zeros(3)
            mujoco.mju_quat2Vel(turn, self.data.xquat[body], 1.0)
            rows += [place - self.data.xpos[body], -turn]
        return np.concatenate(rows)

    def _jacobian(self, *, touching: bool) -> np.ndarray:
        """Of soles (place and turn), or of spheres' centres or the points below them where they touch."""
        rows = []
        for body, geom in zip(self.bodies, self.geoms, strict=True):
            J, turn = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
            point = self.data.xpos[body].copy() if self.flat else self.data.geom_xpos[geom].copy()
            if touching and not self.flat:
                point[2] -= self.model.geom_size[geom, 0] - DEPTH / 2
            mujoco.mj_jac(self.model, self.data, J, turn, point, body)
            rows += [J, turn] if self.flat else [J]
        return np.vstack(rows)
