"""What a walk was like, in numbers: how far it went, how well it followed, what it cost, whether it fell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.control import Follow, GaitPlanner, Pipeline, Waypoints
from surefoot.errors import InputError
from surefoot.kernels.status import REGULARISED, SOLVED
from surefoot.simulate.fall import base_place, first_fall, foot_places, leaning
from surefoot.simulate.plot import base_angles, contact_steps
from surefoot.simulate.trace import Trace

Array = NDArray[np.float64]
GOALS = ("command", "stance", "joint_position", "joint_velocity")


@dataclass(frozen=True, eq=False)
class Walking:
    """Numbers of one walk; all are of the time before it fell, if it did.

    Attributes:
        fell: s from the start to the fall, or None.
        seconds: s from the start to the fall or the end.
        distance: length in m of the base's way over the ground, measured once a gait cycle: its sway does not count.
        end: (3,) where it got to: m forward and m to the left as it stood at the start, and rad that it turned.
        velocity: (3,) mean velocity of the base in its own heading: forward and left in m/s, turning in rad/s.
        command: (3,) mean of what was commanded.
        position_error: mean of |q* - q| over joints and time, in rad (m).
        velocity_error: mean of |v* - v|, in rad/s (m/s).
        height: (2,) lowest and highest place of the base, in m.
        lean: largest angle in rad between the base's vertical and the world's.
        torque: mean of |tau|, in N m (N).
        peak_torque: the largest.
        chatter: mean of |tau_k - tau_(k-1)| over joints and steps, in N m [Zapolsky2015, table 4].
        force_error: mean of |predicted - actual| sum of normal forces, in N [Zapolsky2015, table 5]; NaN for a
            controller that predicts none.
        force_share: the same relative to the mean of the actual sum.
        unanswered: steps in which inverse dynamics had no answer, and gave its last torques.
        predicted: (n,) sum of the normal forces in N that the controller expected in each step.
        actual: (n,) what it was.
        stance: (n, feet) which feet shall stand in each step.
        touching: (n, feet) which feet bear load.
        feet: (n + 1, feet, 3) m, where the feet are, in the world.
        names: of the feet.
        legs: for each foot the joints that move it, as places in `robot.joints`.
        period: of the gait in s.
        waypoints: (n, 2) m that it was sent to, none if the command was a velocity.
    """

    fell: float | None
    seconds: float
    distance: float
    end: Array
    velocity: Array
    command: Array
    position_error: float
    velocity_error: float
    height: tuple[float, float]
    lean: float
    torque: float
    peak_torque: float
    chatter: float
    force_error: float
    force_share: float
    unanswered: int
    predicted: Array
    actual: Array
    stance: NDArray[np.bool_]
    touching: NDArray[np.bool_]
    feet: Array
    names: tuple[str, ...]
    legs: tuple[tuple[int, ...], ...]
    period: float
    waypoints: Array


def walking(trace: Any, pipeline: Pipeline) -> Walking:
    """Read a walk's numbers off its trace and off the goals that its controller had.

    Args:
        trace: a `Trace` of a roll-out of `pipeline.policy()`, with one step a tick.
        pipeline: the controller, with a GaitPlanner; it is run again over the trace's states.

    Returns:
        The numbers.

    Raises:
        InputError: the trace is empty or has another step, or the pipeline does not walk.
    """
    planner = _planner(pipeline)
    if not isinstance(trace, Trace):
        raise InputError(f"trace: expected a Trace of sim.rollout, got {type(trace).__name__}")
    followers = [stage.name for stage in pipeline.stages if isinstance(stage, Follow)][:1]
    forces, codes = ([f"{name}_{what}" for name in followers] for what in ("normal_force", "status"))
    if len(trace) < 1:
        raise InputError("trace: expected at least one step, got none")
    if abs(pipeline.dt - trace.dt) > 1e-9 * trace.dt:
        raise InputError(f"trace: expected one step a tick of {pipeline.dt:g} s, got steps of {trace.dt:g} s")
    goals = pipeline.replay(trace, *GOALS, *forces, *codes)
    scene, names = trace.scene, planner.legs.feet
    feet, touching = foot_places(trace, names), np.zeros((len(trace), len(names)), dtype=bool)
    steps, loaded = contact_steps(trace), trace.contact_forces[:, 0] > 0
    for i, geoms in enumerate(scene.foot_geoms(names)):
        touching[steps[loaded & np.isin(trace.contact_geoms, geoms).any(axis=1)], i] = True
    place = base_place(trace)
    angles = base_angles(trace)
    down = first_fall(trace, feet)
    n = len(trace) if down is None else max(down, 1)  # steps that count
    now = slice(0, n)
    actual = np.zeros(len(trace))
    np.add.at(actual, steps, trace.contact_forces[:, 0])
    predicted = goals[forces[0]].reshape(len(trace)) if forces else np.full(len(trace), np.nan)
    wrong = float(np.abs(predicted - actual)[now].mean())
    return Walking(
        fell=None if down is None else float(trace.t[down] - trace.t[0]),
        seconds=float(trace.t[n] - trace.t[0]),
        distance=_way(place[: n + 1, :2], round(planner.gait.period / trace.dt)),
        end=np.array([*_turned(place[n, :2] - place[0, :2], angles[0, 2]), angles[n, 2] - angles[0, 2]]),
        velocity=_velocity(place[: n + 1], angles[: n + 1, 2], trace.dt),
        command=goals["command"][now].mean(axis=0),
        position_error=_mean_off(goals["joint_position"], trace.q[:-1, scene.joint_positions], now),
        velocity_error=_mean_off(goals["joint_velocity"], trace.v[:-1, scene.dofs], now),
        height=(float(place[: n + 1, 2].min()), float(place[: n + 1, 2].max())),
        lean=float(leaning(trace)[: n + 1].max()),
        torque=float(np.abs(trace.torque[now]).mean()),
        peak_torque=float(np.abs(trace.torque[now]).max()),
        chatter=float(np.abs(np.diff(trace.torque[now], axis=0)).mean()) if n > 1 else 0.0,
        force_error=wrong,
        force_share=wrong / max(float(actual[now].mean()), 1e-9),
        unanswered=int(np.count_nonzero(~np.isin(goals[codes[0]][now], (SOLVED, REGULARISED)))) if codes else 0,
        predicted=predicted,
        actual=actual,
        stance=goals["stance"] > 0,
        touching=touching,
        feet=feet,
        names=names,
        legs=tuple(tuple(chain[chain >= 0].tolist()) for chain in planner.legs.work.chain),
        period=planner.gait.period,
        waypoints=np.concatenate([np.empty((0, 2)), *(s.points for s in pipeline.stages if isinstance(s, Waypoints))]),
    )


def _planner(pipeline: Any) -> Any:
    stages = pipeline.stages if isinstance(pipeline, Pipeline) else ()
    for stage in stages:
        if isinstance(stage, GaitPlanner):
            return stage.planner
    got = ", ".join(stage.name for stage in stages) or type(pipeline).__name__
    raise InputError(f"pipeline: expected one with a GaitPlanner, such as sf.control.walker makes, got {got}")


def _way(place: Array, cycle: int) -> float:
    """Length in m of a way (n + 1, 2), with one corner a cycle."""
    corners = place[np.unique([*range(0, len(place), max(cycle, 1)), len(place) - 1])]
    return float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())


def _velocity(place: Array, yaw: Array, dt: float) -> Array:
    """(3,) mean velocity in the base's heading, and turning rate."""
    step = np.diff(place[:, :2], axis=0) / dt
    middle = 0.5 * (yaw[1:] + yaw[:-1])
    ahead = step[:, 0] * np.cos(middle) + step[:, 1] * np.sin(middle)
    aside = step[:, 1] * np.cos(middle) - step[:, 0] * np.sin(middle)
    return np.array([ahead.mean(), aside.mean(), (yaw[-1] - yaw[0]) / (dt * len(step))])


def _turned(vector: Array, yaw: float) -> tuple[float, float]:
    """A vector (2,) of the world as seen along a heading: forward, left."""
    c, s = np.cos(yaw), np.sin(yaw)
    return c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]


def _mean_off(goal: Array, value: Array, now: slice) -> float:
    return float(np.abs(goal - value)[now].mean())
