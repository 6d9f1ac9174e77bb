"""`links` swaying on its feet: smooth random motions that every contact law can follow, with 1 to 40 contacts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from surefoot.robots.families import build
from surefoot.robots.scene import Foot, Scene
from surefoot.robots.state import State

DT = 1e-3  # s
DOWN = {1: ("LF_FOOT",), 2: ("LF_FOOT", "RH_FOOT")}  # else all four
LIFT = 0.02  # m: how high the other feet are
RING = 0.003  # m: radius of the ring of points that stand for one foot, from two points a foot on
SWAY = np.array([0.01, 0.01, 0.005, 0.03, 0.03, 0.03])  # m and rad: largest motion of the base
DEPTH = 1e-7  # m: how deep the highest point is in the ground


@dataclass(frozen=True)
class Motion:
    """States along a motion, and the joint accelerations wanted in each.

    Attributes:
        robot: the scene.
        contacts: points that touch in every state.
        states: N of them, DT apart.
        accelerations: N arrays (joints,) in rad/s^2; no foot's middle slips if they are kept.
    """

    robot: Scene
    contacts: int
    states: Sequence[State]
    accelerations: Sequence[np.ndarray]

    def at_rest(self) -> Motion:
        """The same postures without velocities: points of one foot cannot all stay in place while the shank turns."""
        still = [State(state.q, np.zeros(len(state.v)), state.t) for state in self.states]
        return Motion(self.robot, self.contacts, still, [np.zeros(len(self.robot.joints))] * len(still))


@cache
def robot(contacts: int) -> Scene:
    """`links`; with more contacts than feet every foot is a ring of spheres whose lowest points are level at home."""
    links = build("links")
    around = contacts // 4
    if around < 2:
        return links
    spec = links.spec.copy()
    data = mujoco.MjData(links.model)
    links.home().to_mujoco(data)
    mujoco.mj_kinematics(links.model, data)
    feet = []
    for foot in links.feet:
        first = spec.geom(foot.name)
        turn = data.geom(foot.name).xmat.reshape(3, 3)
        centre, names = np.array(first.pos), []
        for k in range(around):
            angle = 2 * np.pi * k / around + 0.3
            at = centre + turn.T @ (RING * np.array([np.cos(angle), np.sin(angle), 0.0]))
            names.append(foot.name if k == 0 else f"{foot.name}_{k}")
            if k == 0:
                first.pos = at
            else:
                kind = {"type": first.type, "size": first.size, "mass": 0.0}
                spec.body(foot.body).add_geom(
                    name=names[-1], pos=at, contype=int(first.contype), conaffinity=int(first.conaffinity), **kind
                )
        feet.append(Foot(foot.name, foot.body, tuple(names)))
    return Scene(
        spec, name=f"links-{contacts}", joints=links.joints, base=links.base, feet=tuple(feet), home=links.home().q
    )


def motion(seed: Sequence[int], contacts: int, count: int) -> Motion:
    """`count` states of a random sway, 1 ms apart."""
    rng = np.random.default_rng(seed)
    legs = _Legs(DOWN.get(contacts))
    rates = 2 * np.pi * rng.uniform(0.3, 1.5, (3, 6))  # rad/s
    phases = rng.uniform(0.0, 2 * np.pi, (3, 6))
    poses, twists = [], []
    for t in DT * np.arange(count + 1):
        poses.append(SWAY * np.sin(rates * t + phases).mean(axis=0))
        twists.append(SWAY * (rates * np.cos(rates * t + phases)).mean(axis=0))
    states, accelerations = [], []
    for k in range(count):
        q, follow = legs.stand(poses[k])
        v, after = follow(twists[k]), follow(twists[k + 1])
        states.append((q, v))
        accelerations.append(((after - v) / DT)[legs.scene.dofs])
    scene = robot(contacts)
    made = []
    lower = DEPTH + _highest(scene, [q for q, _ in states], DOWN.get(contacts)) if scene is not legs.scene else 0.0
    for k, (q, v) in enumerate(states):
        q[2] -= lower
        made.append(State(q, v, DT * k))
    return Motion(scene, contacts, made, accelerations)


class _Legs:
    """Inverse kinematics of `links`: where its joints must be, and how fast, for the base to move over fixed feet."""

    def __init__(self, down: Sequence[str] | None) -> None:
        self.scene = robot(4)
        self.model, self.data = self.scene.model, mujoco.MjData(self.scene.model)
        self.home = self.scene.home().q
        self.feet = [self.model.geom(foot.name).id for foot in self.scene.feet]
        self.q = self.home.copy()
        self._update()
        self.places = self.data.geom_xpos[self.feet].copy()
        self.places[:, 2] = self.model.geom_size[self.feet, 0] - DEPTH
        for i, foot in enumerate(self.scene.feet):
            self.places[i, 2] += LIFT * (down is not None and foot.name not in down)

    def stand(self, pose: np.ndarray):
        """Configuration with the base moved by `pose` from home, and a function from its twist to all velocities."""
        self.q[:3] = self.home[:3] + pose[:3]
        mujoco.mju_euler2Quat(self.q[3:7], pose[3:], "xyz")
        for _ in range(20):
            self._update()
            miss = self.places - self.data.geom_xpos[self.feet]
            if np.abs(miss).max() < 1e-13:
                break
            J = self._jacobian(touching=False)
            self.q[self.scene.joint_positions] += np.linalg.solve(J[:, self.scene.dofs], miss.ravel())
        J, dofs = self._jacobian(touching=True), self.scene.dofs

        def follow(twist: np.ndarray) -> np.ndarray:
            v = np.zeros(self.model.nv)
            v[:6] = twist
            v[dofs] = -np.linalg.solve(J[:, dofs], J[:, :6] @ twist)
            return v

        return self.q.copy(), follow

    def _update(self) -> None:
        self.data.qpos[:] = self.q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def _jacobian(self, *, touching: bool) -> np.ndarray:
        """(12, nv) of the feet's centres, or of the points below them where they touch: half as deep as the sphere."""
        rows = np.zeros((len(self.feet), 3, self.model.nv))
        for J, geom in zip(rows, self.feet, strict=True):
            point = self.data.geom_xpos[geom].copy()
            if touching:
                point[2] -= self.model.geom_size[geom, 0] - DEPTH / 2
            mujoco.mj_jac(self.model, self.data, J, None, point, self.model.geom_bodyid[geom])
        return rows.reshape(-1, self.model.nv)


def _highest(scene: Scene, configurations: Sequence[np.ndarray], down: Sequence[str] | None) -> float:
    """Largest height in m over the ground of any sphere of a foot that is to touch, over all configurations."""
    geoms = np.concatenate(
        [geoms for foot, geoms in zip(scene.feet, _geoms(scene), strict=True) if down is None or foot.name in down]
    )
    data, highest = mujoco.MjData(scene.model), -np.inf
    for q in configurations:
        data.qpos[:] = q
        mujoco.mj_kinematics(scene.model, data)
        highest = max(highest, (data.geom_xpos[geoms, 2] - scene.model.geom_size[geoms, 0]).max())
    return float(highest)


def _geoms(scene: Scene) -> Iterator[np.ndarray]:
    for foot in scene.feet:
        yield np.array([scene.model.geom(name).id for name in foot.geoms])
