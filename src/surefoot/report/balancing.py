"""How well a robot kept its balance, in numbers: how near to its goals, how upright, what slipped, who foresaw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.control import Pipeline
from surefoot.errors import InputError
from surefoot.kernels.status import RELAXED, SOLVED
from surefoot.simulate.fall import first_fall, foot_places, leaning
from surefoot.simulate.plot import contact_steps, touching_parts
from surefoot.simulate.trace import Trace
from surefoot.whole_body import WholeBodyControl

Array = NDArray[np.float64]
SLIPPED = 1e-3  # m along the ground under load: a foot that went farther has slipped
FAST = 1e-4  # m/s: a foot that is faster slips


@dataclass(frozen=True, eq=False)
class Balancing:
    """Numbers of one balancing act; all are of the time before a fall, if there was one.

    Attributes:
        fell: s from the start to the fall, or None.
        seconds: s from the start to the fall or the end.
        wanted: (n, 3) m, where the centre of mass should be in each step.
        centre: (n, 3) m, where it was.
        error: root of the mean square of the distance between both, in m.
        worst: the largest.
        lean: largest angle in rad between the base's vertical and the world's.
        peak_torque: N m (N).
        slips: m that each foot got away by sliding along the ground under load, by its name.
        first_slip: s from the start to the first step in which a foot slid faster than 0.1 mm/s, or None.
        seen: s from the start to the first step in which the law saw a contact slip or lift that the program held, or
            None.
        disagrees: (n,) contacts in each step that the law saw slip or lift and the program held.
        asked: whether the law was asked.
        solved: steps in which the program was solved.
        gave_way: steps in which limits had to give way.
        unanswered: steps without an answer, and so without torques.
        stance: (n, feet) which feet should stand.
        feet: (n + 1, feet, 3) m, middles of the feet.
    """

    fell: float | None
    seconds: float
    wanted: Array
    centre: Array
    error: float
    worst: float
    lean: float
    peak_torque: float
    slips: dict[str, float]
    first_slip: float | None
    seen: float | None
    disagrees: NDArray[np.int64]
    asked: bool
    solved: int
    gave_way: int
    unanswered: int
    stance: NDArray[np.bool_]
    feet: Array


def balancing(trace: Any, pipeline: Pipeline) -> Balancing:
    """Read a balancing act's numbers off its trace; its controller runs again over the trace's states.

    Args:
        trace: a `Trace` of a roll-out of `pipeline.policy()`, with one step a tick.
        pipeline: the controller, such as `sf.whole_body.balancer` makes.

    Raises:
        InputError: the trace is empty or has another step, or the pipeline does not balance.
    """
    stage = _control(pipeline)
    if not isinstance(trace, Trace):
        raise InputError(f"trace: expected a Trace of sim.rollout, got {type(trace).__name__}")
    if len(trace) < 1:
        raise InputError("trace: expected at least one step, got none")
    if abs(pipeline.dt - trace.dt) > 1e-9 * trace.dt:
        raise InputError(f"trace: expected one step a tick of {pipeline.dt:g} s, got steps of {trace.dt:g} s")
    wanted, stance, status, disagrees = _again(trace, pipeline, stage)
    feet = foot_places(trace, tuple(foot.name for foot in trace.scene.feet))
    down = first_fall(trace, feet)
    n = len(trace) if down is None else max(down, 1)
    now = slice(0, n)
    centre = centres(trace)
    off = np.linalg.norm(centre[:-1] - wanted, axis=1)[now]
    slips, first = _slips(trace, n)
    status, disagrees = status[now], disagrees[now]
    return Balancing(
        fell=None if down is None else float(trace.t[down] - trace.t[0]),
        seconds=float(trace.t[n] - trace.t[0]),
        wanted=wanted,
        centre=centre[:-1],
        error=float(np.sqrt(np.mean(off**2))),
        worst=float(off.max()),
        lean=float(leaning(trace)[: n + 1].max()),
        peak_torque=float(np.abs(trace.torque[now]).max(initial=0.0)),
        slips=slips,
        first_slip=first,
        seen=float(trace.t[(disagrees > 0).argmax()] - trace.t[0]) if disagrees.any() else None,
        disagrees=disagrees,
        asked=stage.controller.check != "trust",
        solved=int(np.count_nonzero(status == SOLVED)),
        gave_way=int(np.count_nonzero(status == RELAXED)),
        unanswered=int(np.count_nonzero(~np.isin(status, (SOLVED, RELAXED)))),
        stance=stance,
        feet=feet,
    )


def centres(trace: Any) -> Array:
    """(n + 1, 3) m: the centre of mass of a floating robot in every state."""
    model = trace.scene.model
    data, root = mujoco.MjData(model), model.body(trace.scene.base).rootid[0]
    places = np.zeros((len(trace.t), 3))
    for k, q in enumerate(trace.q):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        places[k] = data.subtree_com[root]
    return places


def _control(pipeline: Any) -> WholeBodyControl:
    stages = pipeline.stages if isinstance(pipeline, Pipeline) else ()
    for stage in stages:
        if isinstance(stage, WholeBodyControl) and "com" in stage.follows:
            return stage
    got = ", ".join(stage.name for stage in stages) or type(pipeline).__name__
    raise InputError(f"pipeline: expected one that leads a centre of mass, see sf.whole_body.balancer, got {got}")


def _again(trace: Any, pipeline: Pipeline, stage: WholeBodyControl) -> tuple[Array, Any, Array, Any]:
    """Goals (n, 3), stance (n, feet), status (n,) and disagreements (n,) of every step."""
    again = Pipeline(pipeline.robot, pipeline.dt, pipeline.stages)
    again.reset()
    n = len(trace)
    wanted, stance = np.zeros((n, 3)), np.zeros((n, len(trace.scene.feet)), dtype=bool)
    status, disagrees = np.zeros(n), np.zeros(n, dtype=np.int64)
    for k in range(n):
        if not np.array_equal(again(trace.state(k)), trace.torque[k]):
            raise InputError(
                f"trace: at t = {trace.t[k]:.6g} s this pipeline gives other torques; it did not make this trace"
            )
        wanted[k], stance[k] = again.value("com_goal")[:3], again.value("stance") > 0.0
        status[k], disagrees[k] = again.value(f"{stage.name}_status"), stage.controller.disagreements
    return wanted, stance, status, disagrees


def _slips(trace: Any, n: int) -> tuple[dict[str, float], float | None]:
    """How far in m each foot got from where it stood by sliding under load within n steps, and when in s one began to.

    Velocities add up with their directions: a foot that trembles on soft ground has not gone anywhere.
    """
    steps = contact_steps(trace)
    slide = np.einsum("kij,ki->kj", trace.contact_frames[:, 1:], trace.contact_velocities[:, 1:])
    loaded = (trace.contact_forces[:, 0] > 0.0) & (steps < n)
    slips, began = {}, []
    for name, mine in touching_parts(trace).items():
        rows = mine & loaded
        points = np.maximum(np.bincount(steps[rows], minlength=n), 1)
        velocity = np.stack([np.bincount(steps[rows], slide[rows, i], minlength=n) for i in range(3)], axis=1)
        velocity = velocity / points[:, None]
        slips[name] = float(np.linalg.norm(np.cumsum(velocity, axis=0) * trace.dt, axis=1).max())
        began += np.flatnonzero(np.linalg.norm(velocity, axis=1) > FAST)[:1].tolist()
    return slips, float(min(began) * trace.dt) if began else None
