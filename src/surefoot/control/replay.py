"""What stood on a pipeline's blackboard during a roll-out, read back by running its stages again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.pipeline import run_ticks
from surefoot.robots.scene import Scene
from surefoot.simulate.trace import Trace


def replay(pipeline: Any, trace: Any, names: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
    """See `Pipeline.replay`; `pipeline` stands at the start of a run, and at its end afterwards."""
    layout, memory = pipeline._layout, pipeline._memory
    shapes = layout.wiring.shapes
    checks.indices("names", names, list(shapes), "value")
    names = tuple(dict.fromkeys(names))
    torque, every = _given_torque(pipeline.robot, trace), _steps_a_tick(pipeline.dt, trace.dt)
    spans = {name: layout.span(name) for name in names}
    places = np.concatenate([np.arange(*span) for span in spans.values()] or [np.zeros(0, np.int64)])
    out = np.zeros((-(-len(trace) // every), len(places)))
    if all(stage.compiled for stage in pipeline.stages):
        code, done = run_ticks(
            trace.t, trace.q, trace.v, torque, every, memory, layout.params, places.astype(np.int64), 0, out
        )
        if code != 0:
            raise InputError(f"trace: at t = {trace.t[done * every]:.6g} s a stage of this pipeline gives code {code}")
    else:
        done = 0
        while done < len(out) and np.array_equal(pipeline(trace.state(done * every)), torque[done * every]):
            out[done] = pipeline._memory[places]
            done += 1
    if done < len(out):
        raise InputError(
            f"trace: at t = {trace.t[done * every]:.6g} s this pipeline gives other torques; it did not make this trace"
        )
    ends = np.cumsum([last - first for first, last in spans.values()])
    return {
        name: out[:, end - (spans[name][1] - spans[name][0]) : end].reshape(len(out), *shapes[name])
        for name, end in zip(names, ends, strict=True)
    }


def _given_torque(robot: Scene, trace: Any) -> NDArray[np.float64]:
    """(n, joints) torques that the policy of a trace of this robot gave: none to joints that followed a motion."""
    if not isinstance(trace, Trace):
        raise InputError(f"trace: expected a Trace of sim.rollout, got {type(trace).__name__}")
    wanted, got = (robot.nq, robot.nv, robot.joints), (trace.scene.nq, trace.scene.nv, trace.scene.joints)
    if wanted != got:
        raise InputError(f"trace: expected one of {robot}, got one of {trace.scene}")
    return np.where(np.isin(robot.joints, trace.prescribed), 0.0, trace.torque)


def _steps_a_tick(tick: float, step: float) -> int:
    every = round(tick / step)
    if abs(every * step - tick) > 1e-9 * tick:
        raise InputError(f"trace: expected a whole number of steps in a tick of {tick:g} s, got steps of {step:g} s")
    return every
