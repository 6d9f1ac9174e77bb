"""A robot's legs as a planner sees them: where the feet are, how far they reach, which joints bring them there."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import legs as kernel
from surefoot.kernels.box import Box
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

Array = NDArray[np.float64]
CLOSE = 1e-10  # m
ROUNDS = 50
TRACKS = 1e-13  # m along a path, so that it is smooth
MISSES = 1e-6  # m: what is farther is out of reach
IN_REACH = 0.95  # of the stretched leg: what planners use, as PACER does


class Legs:
    """Kinematics of the feet in the base's frame, on a model of its own.

    Attributes:
        robot: the robot.
        feet: names of the feet, in the order of all arrays.
        home: (feet, 3) m, where the feet are in `robot.home()`, in the base's frame.
        hips: (feet, 3) m, where the first joint of each leg is then.
        reach: (feet,) m, how far from its hip a foot may go: 95 % of the stretched leg.
    """

    def __init__(self, robot: Scene, feet: Any = None) -> None:
        """Look at a robot.

        Args:
            robot: robot or scene with a floating base.
            feet: names of the feet; None: all of the robot's.
        """
        if not isinstance(robot, Scene):
            raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
        if robot.base is None:
            raise InputError(f"robot: expected a floating base, but {robot.name} is bolted down")
        known = {foot.name: foot for foot in robot.feet}
        chosen = list(known) if feet is None else _names(feet)
        checks.indices("feet", chosen, list(known), "foot")
        if not known:
            raise InputError(
                f"feet: expected at least one, but {robot.name} has none; name them in sf.load(feet=[...])"
            )
        self.robot = robot
        self.feet = tuple(chosen)
        self._model: mujoco.MjModel = copy.copy(robot.model)
        self._data = mujoco.MjData(self._model)
        self._pose = robot.home().q.copy()
        start = int(self._model.jnt_qposadr[self._model.body(robot.base).jntadr[0]])
        self._pose[start : start + 7] = [0, 0, 0, 1, 0, 0, 0]
        self._data.qpos[:] = self._pose
        mujoco.mj_kinematics(self._model, self._data)
        bodies = [self._model.body(known[name].body).id for name in chosen]
        chains = [self._chain(body) for body in bodies]
        longest = max(len(chain) for chain in chains)
        self.work = kernel.Legs(
            m=self._model._address,
            d=self._data._address,
            qpos=self._data.qpos,
            cdof=self._data.cdof,
            subtree_com=self._data.subtree_com,
            body_rootid=self._model.body_rootid.astype(np.int64),
            xpos=self._data.xpos,
            xmat=self._data.xmat,
            body=np.array(bodies),
            point=np.array([self._centre(b, known[name].geoms) for b, name in zip(bodies, chosen, strict=True)]),
            chain=np.array([chain + [-1] * (longest - len(chain)) for chain in chains], dtype=np.int64),
            dof=robot.dofs,
            address=robot.joint_positions,
            J=np.zeros((3, longest)),
            A=np.zeros((3, 3)),
            x=np.zeros(3),
        )
        self.box = Box(self.work)
        self.home = self.places(robot.home())
        self.hips, self.reach = self._hips(chains)

    def __reduce__(self) -> tuple[Any, ...]:
        """Addresses do not travel: copies and pickles are made anew."""
        return Legs, (self.robot, self.feet)

    def places(self, state: State) -> Array:
        """(feet, 3) m, where the feet are in a state, in the base's frame."""
        if not isinstance(state, State):
            raise InputError(f"state: expected a State (see robot.home()), got {type(state).__name__}")
        checks.array("state.q", state.q, (self.robot.nq,))
        places = np.zeros((len(self.feet), 3))
        self._load(state.q[self.robot.joint_positions])
        kernel.foot_places(self.box, places)
        return places

    def angles(self, places: Any, start: Any = None) -> Array:
        """(joints,) joint positions in rad (m) that bring the feet to `places` (feet, 3) m in the base's frame.

        Args:
            places: where the feet shall be.
            start: (joints,) where to look from; by default `robot.home()`.

        Raises:
            InputError: a place is out of reach; the text names the foot and what is missing.
        """
        goal = checks.array("places", places, (len(self.feet), 3))
        home = self._pose[self.robot.joint_positions]
        self._load(home if start is None else checks.array("start", start, home.shape))
        missing = kernel.reach_places(self.box, goal, CLOSE, ROUNDS)
        if missing > MISSES:
            found = np.zeros_like(goal)
            kernel.foot_places(self.box, found)
            apart = np.linalg.norm(found - goal, axis=1)
            foot = int(np.argmax(apart.round(4)))
            raise InputError(
                f"places: {self.feet[foot]} cannot reach ({', '.join(f'{x:.3g}' for x in goal[foot])}) m in the base's "
                f"frame, {apart[foot] * 1e3:.3g} mm are missing; its leg reaches {self.reach[foot]:.3g} m from its hip"
            )
        return self._data.qpos[self.robot.joint_positions].copy()

    def velocities(self, velocity: Any) -> Array:
        """(joints,) rad/s (m/s) that move the feet with `velocity` (feet, 3) m/s, at the pose that `angles` found."""
        out = np.zeros(len(self.robot.joints))
        kernel.joint_velocities(self.box, checks.array("velocity", velocity, (len(self.feet), 3)), out)
        return out

    def track(self, places: Any, velocity: Any, start: Any = None) -> tuple[Array, Array, Array]:
        """Joints that bring the feet along a path, sample by sample; where it is out of reach, as near as they can.

        Args:
            places: (n, feet, 3) m in the base's frame.
            velocity: (n, feet, 3) m/s.
            start: (joints,) where to look from at the first sample, or (n, joints) at each; by default `robot.home()`,
                and each sample from the one before.

        Returns:
            (n, joints) positions in rad (m), (n, joints) velocities, and (n, feet) m that are missing.
        """
        goals = checks.array("places", places, (None, len(self.feet), 3))
        speeds = checks.array("velocity", velocity, goals.shape)
        home = self._pose[self.robot.joint_positions]
        first = home if start is None else np.asarray(start, dtype=float)
        q, v = np.zeros((2, len(goals), len(home)))
        missing, found = np.zeros(goals.shape[:2]), np.zeros(goals.shape[1:])
        self._load(first[0] if first.ndim == 2 else first)
        for i, goal in enumerate(goals):
            if first.ndim == 2:
                self._load(first[i])
            if kernel.reach_places(self.box, goal, TRACKS, ROUNDS) > MISSES:
                kernel.foot_places(self.box, found)
                missing[i] = np.linalg.norm(found - goal, axis=1)
            q[i] = self._data.qpos[self.robot.joint_positions]
            kernel.joint_velocities(self.box, speeds[i], v[i])
        return q, v, missing

    def stretch(self, places: Any, joints: Any) -> Array:
        """(n, feet) how far places are from the second joint of their legs, relative to the leg's length from there.

        Args:
            places: (n, feet, 3) m in the base's frame.
            joints: (n, joints) positions that bring the feet there, or as near as they can.
        """
        goals = checks.array("places", places, (None, len(self.feet), 3))
        found = np.zeros(goals.shape[:2])
        numbers = [self._model.joint(name).id for name in self.robot.joints]
        chains = [[numbers[k] for k in chain if k >= 0] for chain in self.work.chain]
        here = np.zeros(goals.shape[1:])
        for i, angles in enumerate(checks.array("joints", joints, (len(goals), len(self.robot.joints)))):
            self._load(angles)
            kernel.foot_places(self.box, here)
            for foot, chain in enumerate(chains):
                way = [*self._data.xanchor[chain[1:] if len(chain) > 2 else chain], here[foot]]
                length = sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(way))
                found[i, foot] = np.linalg.norm(goals[i, foot] - way[0]) / length
        return found

    def _load(self, joints: Array) -> None:
        self._data.qpos[:] = self._pose
        self._data.qpos[self.robot.joint_positions] = joints

    def _chain(self, body: int) -> list[int]:
        """Actuated joints between the base and a body, from the base on."""
        model, dofs = self._model, self.robot.dofs.tolist()
        chain: list[int] = []
        while body > 0:
            first, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
            chain[:0] = [dofs.index(dof) for dof in range(first, first + count) if dof in dofs]
            body = int(model.body_parentid[body])
        return chain

    def _centre(self, body: int, geoms: tuple[str, ...]) -> Array:
        """(3,) mean of the centres of a foot's geoms, in the frame of its body."""
        data = self._data
        centre = np.mean([data.geom_xpos[self._model.geom(geom).id] for geom in geoms], axis=0)
        return data.xmat[body].reshape(3, 3).T @ (centre - data.xpos[body])

    def _hips(self, chains: list[list[int]]) -> tuple[Array, Array]:
        """Anchors of the first joints at home, and 95 % of the way along each leg's joints to its foot."""
        self._load(self._pose[self.robot.joint_positions])
        mujoco.mj_kinematics(self._model, self._data)
        joints = [self._model.joint(name).id for name in self.robot.joints]
        anchors = [[self._data.xanchor[joints[k]].copy() for k in chain] for chain in chains]
        ways = [np.array([*points, foot]) for points, foot in zip(anchors, self.home, strict=True)]
        lengths = [np.linalg.norm(np.diff(way, axis=0), axis=1).sum() for way in ways]
        return np.array([way[0] for way in ways]), IN_REACH * np.array(lengths)


def as_legs(legs: Any) -> Legs:
    """Return Legs as they are; anything else is an InputError."""
    if not isinstance(legs, Legs):
        raise InputError(f"legs: expected Legs (see sf.gait), got {type(legs).__name__}")
    return legs


def _names(feet: Any) -> list[str]:
    """Names of feet, each once."""
    if isinstance(feet, str) or not isinstance(feet, Iterable):
        raise InputError(f"feet: expected a list of names, got {feet!r}")
    names = list(feet)
    if not names:
        raise InputError("feet: expected at least one, got none")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"feet: {name!r} stands there twice")
    return names
