"""What a robot shall do whatever its shape: where its base and feet, or its hand, are at every moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from surefoot import checks
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs
from surefoot.gait.planner import numbers
from surefoot.kernels import gait as kernel
from surefoot.robots.roles import lowest_point
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]
SETTLED = 2  # periods after which steps repeat
BETWEEN = 0.382  # of a sample by which the gait is ahead: a touchdown right at a sample would be rounded in or out


@dataclass(frozen=True, eq=False)
class Course:
    """Samples of an operational-space trajectory [Zapolsky2017, (21)-(23)].

    Attributes:
        dt: s between two samples.
        base: (n, 7) pose of the base: x, y, z in m, quaternion w, x, y, z; None for robots that are bolted down.
        base_velocity: (n, 6) m/s in the world and rad/s in the base's frame, as MuJoCo has it; None as well.
        points: (n, k, 3) m: soles of the feet in the base's frame; of a bolted robot points in the world.
        velocities: (n, k, 3) m/s.
        stance: (n, k) which of them push against the ground.
        closed: whether the last sample is followed by the first.
    """

    dt: float
    base: Array | None
    base_velocity: Array | None
    points: Array
    velocities: Array
    stance: NDArray[np.bool_]
    closed: bool

    def __len__(self) -> int:
        return len(self.points)


class Task(Protocol):
    """Something to do, at a difficulty that can be raised."""

    def course(self, scene: Scene, difficulty: float) -> Course:
        """What it asks of a robot."""
        ...

    def parts(self, scene: Scene) -> tuple[str, ...]:
        """(k,) names of the feet or other parts that follow the course's points."""
        ...


@dataclass(frozen=True)
class GaitTask:
    """Steps of one period at a steady command; its difficulty is the speed forward in m/s.

    Attributes:
        gait: when the feet step.
        length, width: m from the hind to the front feet and from the right to the left, with the hips in the middle;
            None: as in `robot.home()`.
        height: m of the base above the ground; None: as at home.
        relative: whether length and width are shares of those of the hips, and height one of the shortest leg, from its
            second joint to its foot; then the stance moves with the robot's shape.
        left: m/s.
        turn: rad/s.
        dt: s between two samples.
    """

    gait: Gait
    length: float | None = None
    width: float | None = None
    height: float | None = None
    relative: bool = False
    left: float = 0.0
    turn: float = 0.0
    dt: float = 1e-3

    def __post_init__(self) -> None:
        """Check."""
        if not isinstance(self.gait, Gait):
            raise InputError(f"GaitTask.gait: expected a Gait, got {self.gait!r}")
        for name in ("length", "width", "height"):
            if getattr(self, name) is not None:
                checks.number(f"GaitTask.{name}", getattr(self, name), above=0.0)
        checks.number("GaitTask.left", self.left)
        checks.number("GaitTask.turn", self.turn)
        checks.number("GaitTask.dt", self.dt, above=0.0, at_most=0.1 * self.gait.period)

    def parts(self, scene: Scene) -> tuple[str, ...]:
        """Names of the feet."""
        return tuple(foot.name for foot in scene.feet)

    def soles(self, scene: Scene) -> Array:
        """(feet, 3) m, where the soles stand in the middle of their stance, in the base's frame."""
        legs = Legs(scene)
        places = legs.home - np.outer(sole_depths(scene), [0.0, 0.0, 1.0])
        for axis, size in enumerate((self.length, self.width)):
            if size is not None:
                hips = legs.hips[:, axis]
                middle, half = 0.5 * (hips.max() + hips.min()), 0.5 * float(np.ptp(hips))
                if half < 1e-9:
                    raise InputError(f"GaitTask.{('length', 'width')[axis]}: the hips of {scene.name} have none")
                wanted = size * half if self.relative else 0.5 * size
                places[:, axis] = middle + np.sign(hips - middle) * wanted
        height = -float(places[:, 2].mean()) if self.height is None else self.height
        if self.height is not None and self.relative:
            height *= float(_leg_lengths(scene).min())
        places[:, 2] = -height  # the ground is level
        return places

    def course(self, scene: Scene, difficulty: float) -> Course:
        """One period at this speed, once steps repeat."""
        command = np.array([checks.number("difficulty", difficulty), self.left, self.turn])
        places, gait = self.soles(scene), self.gait
        feet, n = len(places), max(round(gait.period / self.dt), 10)
        if feet != len(gait.touchdown):
            raise InputError(f"gait: expected touchdowns of {feet} feet, got {len(gait.touchdown)}")
        dt = gait.period / n
        params = numbers(gait, dt, np.full(feet, 1e9), places, places)
        memory = np.zeros(feet * kernel.PER_FOOT)
        kernel.start_gait(feet, memory, params)
        x, v, a = np.zeros((3, n, feet, 3))
        stance, felt = np.zeros((n, feet)), np.full(feet, -1.0)
        for i in range((SETTLED + 1) * n):
            k = i % n
            kernel.plan_feet((i + BETWEEN) * dt, feet, command, felt, memory, params, x[k], v[k], a[k], stance[k])
        height = ground_height(scene) - float(places[:, 2].mean())
        base, velocity = self._base(command, height, np.asarray(np.arange(n) * dt, dtype=np.float64))
        return Course(dt, base, velocity, x, v, stance > 0.0, closed=True)

    def _base(self, command: Array, height: float, t: Array) -> tuple[Array, Array]:
        """Pose and velocity of a base that moves as commanded."""
        forward, left, turn = command
        yaw = turn * t
        c, s = np.cos(yaw), np.sin(yaw)
        along, across = (t, 0.0 * t) if turn == 0.0 else (s / turn, (1.0 - c) / turn)
        base, velocity = np.zeros((len(t), 7)), np.zeros((len(t), 6))
        base[:, 0], base[:, 1], base[:, 2] = forward * along - left * across, forward * across + left * along, height
        base[:, 3], base[:, 6] = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
        velocity[:, 0], velocity[:, 1], velocity[:, 5] = forward * c - left * s, forward * s + left * c, turn
        return base, velocity


@dataclass(frozen=True, eq=False)
class HandTask:
    """A part of a bolted robot passes through points of the world; its difficulty is how many times as fast.

    Attributes:
        part: name of a foot (fingertip) or geom.
        points: (n, 3) m.
        duration: s from the first to the last, at difficulty 1; it rests at both.
        dt: s between two samples.
    """

    part: str
    points: Sequence[Sequence[float]]
    duration: float
    dt: float = 1e-2

    def __post_init__(self) -> None:
        """Check."""
        if not isinstance(self.part, str):
            raise InputError(f"HandTask.part: expected the name of a foot or geom, got {self.part!r}")
        points = checks.array("HandTask.points", self.points, (None, 3))
        if len(points) < 2:
            raise InputError(f"HandTask.points: expected two or more, got {len(points)}")
        checks.number("HandTask.duration", self.duration, above=0.0)
        checks.number("HandTask.dt", self.dt, above=0.0, at_most=0.1 * self.duration)

    def parts(self, scene: Scene) -> tuple[str, ...]:
        """The part's name."""
        return (self.part,)

    def course(self, scene: Scene, difficulty: float) -> Course:
        """The way at this many times its speed, as a cubic spline."""
        if scene.base is not None:
            raise InputError(f"HandTask: expected a robot that is bolted down, but {scene.name} floats")
        duration = self.duration / checks.number("difficulty", difficulty, above=0.0)
        points = checks.array("HandTask.points", self.points, (None, 3))
        way = CubicSpline(np.linspace(0.0, duration, len(points)), points, bc_type="clamped")
        n = max(math.ceil(duration / self.dt), 10) + 1
        t = np.linspace(0.0, duration, n)
        stance = np.zeros((n, 1), dtype=bool)
        return Course(duration / (n - 1), None, None, way(t)[:, None], way(t, 1)[:, None], stance, closed=False)


def ground_height(scene: Scene) -> float:
    """Z in m of the level plane that a robot stands on.

    Raises:
        InputError: it stands on something else, or on nothing.
    """
    model = scene.model
    grounds = [model.geom(surface.geom) for surface in scene.surfaces]
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    if len(grounds) != 1 or grounds[0].type[0] != plane or not np.array_equal(grounds[0].quat, [1.0, 0.0, 0.0, 0.0]):
        raise InputError(f"terrain: expected one level plane, on which a gait's course is laid, under {scene.name}")
    return float(grounds[0].pos[2])


def sole_depths(scene: Scene, feet: Sequence[str] | None = None) -> Array:
    """(feet,) m by which each foot's lowest point lies below its centre, at home; of all feet, or of those named."""
    data = mujoco.MjData(scene.model)
    data.qpos[:] = scene.home().q
    mujoco.mj_kinematics(scene.model, data)
    depths = []
    known = {foot.name: foot for foot in scene.feet}
    for foot in scene.feet if feet is None else [known[name] for name in feet]:
        geoms = [scene.model.geom(geom).id for geom in foot.geoms]
        centre = float(np.mean([data.geom_xpos[geom][2] for geom in geoms]))
        depths.append(centre - min(lowest_point(scene.model, data, geom) for geom in geoms))
    return np.array(depths)


def _leg_lengths(scene: Scene) -> Array:
    """(feet,) m from the second joint of each leg along its joints to the foot's centre."""
    model, lengths = scene.model, []
    data = mujoco.MjData(model)
    data.qpos[:] = scene.home().q
    mujoco.mj_kinematics(model, data)
    for foot in scene.feet:
        body, anchors = model.body(foot.body).id, []
        while body > 0 and model.body(body).name != scene.base:
            first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
            anchors[:0] = [data.xanchor[j].copy() for j in range(first, first + count)]
            body = int(model.body_parentid[body])
        centre = np.mean([data.geom_xpos[model.geom(geom).id] for geom in foot.geoms], axis=0)
        way = np.array([*(anchors[1:] or anchors), centre])
        lengths.append(float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()))
    return np.array(lengths)
