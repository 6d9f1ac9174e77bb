"""A walk: which robot, on which feet, in which gait, how it stands, where it shall go, and how stiffly it follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.control.pipeline import Pipeline
from surefoot.control.stage import Stage
from surefoot.control.stages import Command, Waypoints
from surefoot.control.walker import KD, KP, walker
from surefoot.dynamics import by_joint
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs
from surefoot.laws import Law
from surefoot.robots.compose import scene
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import load
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Terrain

TROT = Gait.named("trot")
TURN = 0.5  # rad/s between waypoints


@dataclass(frozen=True, eq=False)
class Walk:
    """All that `walker` needs, as plain numbers and names; `Walk.from_toml` reads it from a file.

    Example:
        walk = sf.control.Walk("links", gait=sf.gait.Gait.named("walk"), forward=0.1)
        ground = walk.stand_on(sf.Plane(mu=0.5))
        pipeline = walk.pipeline(ground, dt=1e-3)
        trace = sf.Simulator(ground, dt=1e-3).rollout(ground.home(), pipeline.policy(), duration=5.0)

    Attributes:
        robot: bundled name or path, see `sf.load`.
        feet: links or geoms that touch, in the order of the gait's touchdowns, or a dict of sphere radii, see
            `sf.load`. None: as loaded; four feet are taken as left front, right front, left hind, right hind by where
            they are.
        gait: when the feet step.
        joints: joint positions in rad (m) by name in which the robot starts and stands; others are as at home.
        places: (feet, 3) m, where the feet stand, in the base's frame; None: where `joints` bring them.
        forward, left, turn: commanded velocity in m/s, m/s and rad/s.
        ramp: time in s in which the command grows from zero.
        waypoints: (n, 2) m, points of the world to go to, again and again; `forward` is then the largest speed, and
            `turn` the largest turning rate, 0.5 rad/s if it is zero.
        kp, kd: feedback, see `walker`.
        torque_limits: see `sf.solve`; inf for none. None: those of the robot's file, and at most half of its weight
            times the length of its longest leg, which carries a trot in every posture.
        mu: friction of the ground, None if the walk does not say.
    """

    robot: str | Path = "links"
    feet: Sequence[str] | Mapping[str, float] | None = None
    gait: Gait = TROT
    joints: Mapping[str, float] | None = None
    places: Any = None
    forward: float = 0.2
    left: float = 0.0
    turn: float = 0.0
    ramp: float = 0.5
    waypoints: Any = None
    kp: Any = KP
    kd: Any = KD
    torque_limits: Any = None
    mu: float | None = None

    @classmethod
    def from_toml(cls, path: str | Path) -> Walk:
        """Read a walk from a TOML file; see docs/gait.md for its keys.

        Args:
            path: of the file; a robot's path in it is relative to its folder.
        """
        from surefoot.control.walk_file import read_walk

        return cls(**read_walk(path))

    def stand_on(self, terrain: Terrain) -> Scene:
        """The robot on a terrain: its home is the stance, its feet are in the order of the gait.

        Args:
            terrain: what it shall walk on.
        """
        bundled = isinstance(self.robot, str) and self.robot in FAMILIES
        if bundled and isinstance(self.feet, Mapping):
            raise InputError(f"feet: expected a list of names, since {self.robot} has its own feet, got sphere radii")
        robot = load(self.robot, feet=None if bundled else self.feet)
        if robot.base is None:
            raise InputError(f"robot: {robot.name!r} is bolted down and cannot walk")
        order = list(Legs(robot, self.feet).feet) if bundled and self.feet is not None else _in_order(robot, self)
        known = {foot.name: foot for foot in robot.feet}
        stance = Scene(
            robot.spec.copy(),
            name=robot.name,
            joints=robot.joints,
            base=robot.base,
            feet=tuple(known[name] for name in order),
            objects=robot.objects,
            surfaces=robot.surfaces,
            notes=robot.notes,
            home=self._stance(robot, order),
        )
        return scene(stance, terrain=terrain)

    def command(self, robot: Scene) -> Stage:
        """The stage that says where to go.

        Args:
            robot: robot or scene.
        """
        if self.waypoints is None:
            return Command(self.forward, self.left, self.turn, ramp=self.ramp)
        if checks.number("left", self.left) != 0.0:
            raise InputError(f"left: expected none beside waypoints, which say where to go, got {self.left:g}")
        turn = TURN if self.turn == 0.0 else self.turn
        return Waypoints(robot, self.waypoints, self.forward, turn=turn, ramp=self.ramp, cycle=True)

    def pipeline(self, robot: Scene, dt: float, law: Law | str | None = None) -> Pipeline:
        """The controller.

        Args:
            robot: what `stand_on` returned, or the same robot on the ground that the controller believes in.
            dt: time between ticks in s.
            law: contact law that the controller believes in.
        """
        limits = walking_limits(as_robot(robot)) if self.torque_limits is None else self.torque_limits
        return walker(robot, self.command(robot), self.gait, dt, law=law, kp=self.kp, kd=self.kd, torque_limits=limits)

    def _stance(self, robot: Scene, feet: list[str]) -> NDArray[np.float64]:
        """(nq,) the pose to stand in, at no particular height."""
        q = robot.home().q.copy()
        given, joints = by_joint("joints", robot, self.joints)
        q[robot.joint_positions] = np.where(given, joints, q[robot.joint_positions])
        if self.places is not None:
            q[robot.joint_positions] = Legs(robot, feet).angles(self.places, q[robot.joint_positions])
        return q


def weight(robot: Scene) -> float:
    """Weight in N of a robot with a floating base, without the loose objects of its scene."""
    mass = robot.model.body_subtreemass[robot.model.body(robot.base).id]
    return float(mass * np.linalg.norm(robot.model.opt.gravity))


def walking_limits(robot: Scene) -> NDArray[np.float64]:
    """(joints, 2) lowest and highest torque in N m (N) that a walk is given by default, see `Walk.torque_limits`."""
    most = 0.5 * float(Legs(robot).reach.max()) * weight(robot)
    return np.clip(robot.torque_limits, -most, most)


def _in_order(robot: Scene, walk: Walk) -> list[str]:
    """Names of the feet as they are; if there are four and nobody has named them, front to hind and left to right."""
    names = [foot.name for foot in robot.feet]
    if walk.feet is not None or len(names) != 4:
        return names
    places = Legs(robot).home
    front = np.argsort(-places[:, 0], kind="stable")
    return [names[i] for pair in (front[:2], front[2:]) for i in sorted(pair, key=lambda i: -places[i, 1])]
