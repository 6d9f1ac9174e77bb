"""A hand that goes to a ball, closes round it and lifts it: two ways to do so [Zapolsky2017, section 4.3.1].

The plan is made once, on the arm that the controller believes in: the hand's grasp point follows straight lines at a
constant speed, joints by inverse kinematics, and the torques that this takes in the air. A feedback at the joints keeps to
the plan, whatever the arm is really like.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.baselines import ContactFree
from surefoot.control.pipeline import Pipeline
from surefoot.control.reaching import place, reach
from surefoot.control.stages import JointPID, Timetable, TorqueTable
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]

DIRECT, INDIRECT = WAYS = ("direct", "indirect")
HAND, WRIST, FINGERS = "HAND", "X_7", slice(7, 11)
WRISTS = ("Y_5", "Z_6", "X_7")
STEP = 5e-3  # s between two rows of the plan


@dataclass(frozen=True, kw_only=True)
class Pick:
    """How the hand goes to the ball.

    Attributes:
        way: "direct": straight to the ball; "indirect": first aside, `beside` from the ball along x, then down to its
            height, then straight to it.
        speed: of the grasp point in m/s.
        above: m above the centre of the ball where the grasp point ends, to keep the fingers off the ground.
        beside: m.
        grasp: (3,) grasp point in the hand's frame in m.
        level: whether the hand turns about its own axis on its way, so that opposite fingers close at one height.
        open: angle of the fingers on the way in rad.
        closed: angle that they close to; the ball stops them before.
        closing: their speed in rad/s.
        lift: height in m by which the hand then rises.
        rise: speed at which it does, in m/s.
        blend: time in s over which the hand changes its velocity where the lines meet, so that corners are round.
    """

    way: str
    speed: float
    above: float = 0.008
    beside: float = 0.15
    grasp: tuple[float, float, float] = (0.04, 0.0, 0.0)
    level: bool = True
    open: float = 0.8
    closed: float = 0.3
    closing: float = 1.0
    lift: float = 0.05
    rise: float = 0.2
    blend: float = 0.06

    def __post_init__(self) -> None:
        """Check."""
        checks.choice("Pick.way", self.way, WAYS)
        for name in ("speed", "closing", "rise"):
            checks.number(f"Pick.{name}", getattr(self, name), above=0.0)
        for name in ("above", "beside", "lift", "blend"):
            checks.number(f"Pick.{name}", getattr(self, name), at_least=0.0)
        for name in ("open", "closed"):
            checks.number(f"Pick.{name}", getattr(self, name))
        checks.array("Pick.grasp", self.grasp, (3,))

    def corners(self, start: Array, ball: Array) -> Array:
        """(n, 3) points in m between which the grasp point goes straight, from `start` to near the ball."""
        x, y, z = end = ball + [0.0, 0.0, self.above]
        if self.way == DIRECT:
            return np.array([start, end])
        aside = x - self.beside
        return np.array([start, (aside, *start[1:]), (aside, start[1], z), (aside, y, z), end])


PICKS = {DIRECT: Pick(way=DIRECT, speed=0.4), INDIRECT: Pick(way=INDIRECT, speed=0.6)}


def plan(robot: Scene, pick: Pick, ball: Any) -> Array:
    """(rows, joints) rad: goals `STEP` apart in time, from home on: approach, (align,) grab, lift.

    Args:
        robot: robot or scene that the controller believes in, made of the family `arm`.
        pick: how.
        ball: (3,) where its centre is believed to be, in m.
    """
    home = robot.home().q[robot.joint_positions]
    start, _ = place(robot, HAND, pick.grasp, home)
    corners = pick.corners(start, checks.array("ball", ball, (3,)))
    going = _along(corners, pick.speed * STEP)
    waiting = math.ceil(abs(pick.open - pick.closed) / (pick.closing * STEP))
    rising = _along(np.array([corners[-1], corners[-1] + [0.0, 0.0, pick.lift]]), pick.rise * STEP)
    points = np.vstack([start, going, np.repeat(going[-1:], waiting, axis=0), rising])
    rows = reach(robot, HAND, pick.grasp, _rounded(points, round(pick.blend / STEP)), start=home)
    here = np.arange(len(rows)) / len(going)  # 1: the hand has come to the ball
    if pick.level:
        rows[:, robot.joints.index(WRIST)] += _roll(robot, rows[len(going)]) * np.minimum(here, 1.0)
    shut = (np.arange(len(rows)) - len(going)) / waiting
    rows[:, FINGERS] = (pick.open + (pick.closed - pick.open) * np.clip(shut, 0.0, 1.0))[:, None]
    return rows


def picker(robot: Scene, pick: Pick | str, dt: float = 1e-3, *, ball: Any = None) -> Pipeline:
    """A pipeline that picks up a ball: a timetable of joint goals, feedback at the joints."""
    pick = PICKS[checks.choice("pick", pick, WAYS)] if isinstance(pick, str) else pick
    rows = plan(robot, pick, robot.home().q[-7:-4] if ball is None else ball)
    kp = {joint: 10.0 if joint[0] == "F" or joint in WRISTS else 100.0 for joint in robot.joints}
    kd = {joint: 1e-3 if joint[0] == "F" else 0.1 for joint in robot.joints}
    ki = {joint: 0.0 if joint[0] == "F" else 0.02 for joint in robot.joints}
    return Pipeline(
        robot,
        dt,
        [Timetable(robot, rows, STEP), TorqueTable(robot, _torques(robot, rows), STEP), JointPID(robot, kp, kd, ki)],
    )


def _torques(robot: Scene, rows: Array) -> Array:
    """(rows, joints) N m that the plan takes in the air."""
    speed = np.gradient(rows, STEP, axis=0)
    speed[-1] = 0.0
    acceleration = np.gradient(speed, STEP, axis=0)
    home, air = robot.home(), ContactFree(robot, STEP)
    torques = np.empty_like(rows)
    q, v = home.q.copy(), np.zeros(robot.nv)
    for i in range(len(rows)):
        q[robot.joint_positions], v[robot.dofs] = rows[i], speed[i]
        torques[i] = air(home.replace(q=q, v=v), acceleration[i])
    return torques


def _along(corners: Array, stride: float) -> Array:
    """(n, 3) points a stride apart along the lines between corners, the last corner the last."""
    passed = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))]
    at = np.minimum(stride * np.arange(1, math.ceil(passed[-1] / stride) + 1), passed[-1])
    return np.stack([np.interp(at, passed, corners[:, i]) for i in range(3)], axis=1)


def _rounded(points: Array, width: int) -> Array:
    """Each point the mean of the `width` last ones; the first and the last stay, later by as many rows."""
    held = np.vstack([np.repeat(points[:1], width, axis=0), points, np.repeat(points[-1:], width, axis=0)])
    total = np.cumsum(held, axis=0)
    return (total[width:] - total[:-width]) / width if width else points


def _roll(robot: Scene, position: Array) -> float:
    """Least angle in rad about the hand's x axis after which its z axis is level."""
    _, axes = place(robot, HAND, np.zeros(3), position)
    return math.atan(axes[2, 2] / axes[2, 1]) if axes[2, 1] != 0.0 else 0.0
