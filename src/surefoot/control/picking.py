"""A hand that goes to a ball, closes round it and lifts it: two ways to do so [Zapolsky2017, section 4.3.1].

The plan is made once, on the arm that the controller believes in: the grasp point of the hand follows straight lines at
a steady speed, the joints follow by inverse kinematics, and the torques are those that this takes in the air. Feedback
at the joints keeps to the plan, whatever the arm is really like.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.arguments import as_robot
from surefoot.control.baselines import ContactFree
from surefoot.control.pipeline import Pipeline
from surefoot.control.reaching import place, reach
from surefoot.control.stages import JointPID, Timetable, TorqueTable
from surefoot.errors import InputError
from surefoot.robots.families.arm import ARM_JOINTS
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]

DIRECT, INDIRECT = WAYS = ("direct", "indirect")
HAND, TURN = "HAND", "X_7"  # the hand, and the joint that turns it about its own axis
STEP = 5e-3  # s between two rows of a plan
FARTHEST = 10.0  # m; no arm reaches so far, and a plan has a row for every few millimetres

# Gains of the dissertation's files: kp, kd, ki in N m/rad, N m s/rad, N m/(rad s).
ARM_GAINS, WRIST_GAINS, FINGER_GAINS = (100.0, 0.1, 0.02), (10.0, 0.1, 0.02), (10.0, 1e-3, 0.0)
WRIST = ("Y_5", "Z_6", "X_7")


@dataclass(frozen=True, kw_only=True)
class Pick:
    """How the hand goes to the ball.

    Attributes:
        way: "direct": straight to the ball; "indirect": back along x until it is `beside` the ball, down, then straight
            to the ball along x.
        speed: of the grasp point in m/s.
        beside: m.
        above: m above the ball's centre where the grasp point ends, to keep the fingers off the ground.
        grasp: (3,) grasp point in the hand's frame in m.
        level: whether the hand turns about its own axis on its way, so that opposite fingers close at one height.
        open: angle of the fingers on the way in rad.
        closed: angle that they close to in rad; the ball stops them before.
        closing: their speed in rad/s.
        lift: height in m by which the hand then rises.
        rise: its speed in m/s.
        blend: time in s over which the hand goes from one line into the next, so that corners are round.
    """

    way: str
    speed: float
    beside: float = 0.08
    above: float = 0.008
    grasp: tuple[float, float, float] = (0.04, 0.0, 0.0)
    level: bool = True
    open: float = 0.8
    closed: float = 0.3
    closing: float = 1.0
    lift: float = 0.1
    rise: float = 0.2
    blend: float = 0.04

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("Pick.way", self.way, WAYS)
        for name in ("speed", "closing", "lift", "rise"):
            checks.number(f"Pick.{name}", getattr(self, name), above=0.0)
        for name in ("beside", "above", "blend"):
            checks.number(f"Pick.{name}", getattr(self, name), at_least=0.0)
        for name in ("open", "closed"):
            checks.number(f"Pick.{name}", getattr(self, name))
        checks.array("Pick.grasp", self.grasp, (3,))

    def corners(self, start: Array, ball: Array) -> Array:
        """(n, 3) m: points between which the grasp point goes straight, from `start` to the ball."""
        end = ball + np.array([0.0, 0.0, self.above])
        if self.way == DIRECT:
            return np.array([start, end])
        aside = ball[0] - self.beside
        return np.array([start, (aside, *start[1:]), (aside, start[1], end[2]), (aside, *end[1:]), end])


PICKS = {DIRECT: Pick(way=DIRECT, speed=0.4), INDIRECT: Pick(way=INDIRECT, speed=0.6)}
"""The two ways with the speeds of the dissertation."""


@dataclass(frozen=True)
class Plan:
    """Goals `STEP` apart in time.

    Attributes:
        position: (rows, joints) rad.
        torque: (rows, joints) N m that the motion takes in the air.
        grab: s at which the fingers begin to close.
        lift: s at which the hand begins to rise.
    """

    position: Array
    torque: Array
    grab: float
    lift: float


def plan(robot: Scene, pick: Pick, ball: Any) -> Plan:
    """From home to the ball, grab, lift.

    Args:
        robot: arm of the family `arm` that the controller believes in, alone or in a scene.
        pick: how.
        ball: (3,) m where its centre is believed to be.

    Raises:
        InputError: the robot is no such arm, or the ball is out of its reach.
    """
    _check_arm(robot)
    home = robot.home().q[robot.joint_positions]
    start, _ = place(robot, HAND, pick.grasp, home)
    corners = pick.corners(start, checks.array("ball", ball, (3,)))
    far = float(np.abs(corners - start).max())
    if not far <= FARTHEST:
        raise InputError(f"ball: expected it within {FARTHEST:g} m of the hand, got {far:g} m")
    going = _along(corners, pick.speed * STEP)
    waiting = math.ceil(abs(pick.open - pick.closed) / (pick.closing * STEP))
    rising = _along(np.array([corners[-1], corners[-1] + np.array([0.0, 0.0, pick.lift])]), pick.rise * STEP)
    late = round(pick.blend / STEP)
    points = np.vstack([start, going, np.repeat(going[-1:], late + waiting, axis=0), rising])
    rows = reach(robot, HAND, pick.grasp, _rounded(points, late), start=home)
    there = len(going) + late  # row at which the hand has come to the ball
    now = np.arange(len(rows))
    if pick.level:
        rows[:, robot.joints.index(TURN)] += _roll(robot, rows[there]) * np.minimum(now / there, 1.0)
    shut = np.clip((now - there) / waiting, 0.0, 1.0) if waiting else np.ones(len(rows))
    rows[:, _fingers(robot)] = (pick.open + (pick.closed - pick.open) * shut)[:, None]
    return Plan(rows, _torques(robot, rows), there * STEP, (there + waiting) * STEP)


def picker(robot: Scene, pick: Pick | str, dt: float = 1e-3, *, ball: Any = None) -> Pipeline:
    """A pipeline that picks up a ball: a table of joint goals, torques for them, and feedback at the joints.

    Example:
        ball = sf.Ball(radius=0.025, mass=0.5, position=(0.3, 0.14, -0.175), mu=1.0)
        scene = sf.scene(sf.load("arm"), objects=[ball])
        trace = sf.Simulator(scene).rollout(scene.home(), sf.control.picker(scene, "direct").policy(), duration=2.0)

    Args:
        robot: arm of the family `arm` that the controller believes in, alone or in a scene; it starts at home.
        pick: how, or "direct" or "indirect" for one of `PICKS`.
        dt: time between ticks in s.
        ball: (3,) m where its centre is believed to be; None: the place of the scene's first object at home.
    """
    if isinstance(pick, str):
        pick = PICKS[checks.choice("pick", pick, WAYS)]
    if not isinstance(pick, Pick):
        raise InputError(f"pick: expected a Pick, 'direct' or 'indirect', got {pick!r}")
    planned = plan(robot, pick, _first_object(robot) if ball is None else ball)
    gains = [
        FINGER_GAINS if f else WRIST_GAINS if j in WRIST else ARM_GAINS
        for j, f in zip(robot.joints, _fingers(robot), strict=True)
    ]
    stages = [
        Timetable(robot, planned.position, STEP),
        TorqueTable(robot, planned.torque, STEP),
        JointPID(robot, *np.transpose(gains)),
    ]
    return Pipeline(robot, dt, stages)


def _check_arm(robot: Scene) -> None:
    for joint in ARM_JOINTS:
        if joint not in as_robot(robot).joints:
            raise InputError(f"robot: expected an arm of the family 'arm', but {robot.name} has no joint {joint}")


def _fingers(robot: Scene) -> NDArray[np.bool_]:
    """(joints,) which joints are fingers."""
    return np.array([joint not in ARM_JOINTS for joint in robot.joints])


def _first_object(robot: Scene) -> Array:
    """(3,) m where it is at home."""
    if not as_robot(robot).objects:
        raise InputError(f"ball: expected where it is, for {robot.name} has no loose object")
    model = robot.model
    at = int(model.jnt_qposadr[model.body(robot.objects[0]).jntadr[0]])
    return robot.home().q[at : at + 3]


def _torques(robot: Scene, rows: Array) -> Array:
    """(rows, joints) N m that the rows take in the air; at rest after the last."""
    speed = np.gradient(np.vstack([rows, rows[-1:]]), STEP, axis=0)[:-1]
    acceleration = np.gradient(speed, STEP, axis=0)
    home, air = robot.home(), ContactFree(robot, STEP)
    q, v, torques = home.q.copy(), np.zeros(robot.nv), np.empty_like(rows)
    for row, torque in enumerate(torques):
        q[robot.joint_positions], v[robot.dofs] = rows[row], speed[row]
        torque[:] = air(home.replace(q=q, v=v), acceleration[row], throw=True)
    return torques


def _along(corners: Array, stride: float) -> Array:
    """(n, 3) points a stride apart along the lines between corners; the last corner is the last."""
    passed = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))]
    at = np.minimum(stride * np.arange(1, math.ceil(passed[-1] / stride) + 1), passed[-1])
    return np.stack([np.interp(at, passed, corners[:, i]) for i in range(3)], axis=1)


def _rounded(points: Array, width: int) -> Array:
    """Each point the mean of itself and the `width` before it; `width` more at the end, until all have come there."""
    held = np.vstack([np.repeat(points[:1], width + 1, axis=0), points, np.repeat(points[-1:], width, axis=0)])
    total = np.cumsum(held, axis=0)
    return (total[width + 1 :] - total[: -width - 1]) / (width + 1)


def _roll(robot: Scene, position: Array) -> float:
    """Least angle in rad about the hand's x axis after which its z axis is level."""
    _, axes = place(robot, HAND, np.zeros(3), position)
    return math.atan(axes[2, 2] / axes[2, 1]) if axes[2, 1] != 0.0 else 0.0
