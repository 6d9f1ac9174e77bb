"""MuJoCo's `mj_inverse` in a compiled loop."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numba
import numpy as np
from numba import types

from benchmarks.harness import Method, Problem, Setting, Task, Verdict
from benchmarks.humanoid import DT, LOOP, Case
from benchmarks.peers.mujoco import LAW, forward_inverse

_mj_inverse = types.ExternalFunction("mj_inverse", types.void(types.uintp, types.uintp))


def elliptic() -> Method:
    """With elliptic cones, as ours."""
    return _method("mujoco-inverse", mujoco.mjtCone.mjCONE_ELLIPTIC)


def pyramidal() -> Method:
    """With pyramids, MuJoCo's default."""
    return _method("mujoco-inverse-pyramidal", mujoco.mjtCone.mjCONE_PYRAMIDAL)


def _method(name: str, cone: mujoco.mjtCone) -> Method:
    def prepare(problem: Problem, setting: Setting) -> Task:
        case: Case = problem.data
        model = copy.copy(case.robot.model)
        model.opt.timestep, model.opt.cone = DT, cone
        model.opt.tolerance, model.opt.iterations = 0.0, 200  # of the forward dynamics that gives it its accelerations
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = case.state.q, case.state.v
        data.qfrc_applied[case.robot.dofs] = case.torque
        mujoco.mj_forward(model, data)

        def judge(_: Any) -> Verdict:
            finite = bool(np.isfinite(data.qfrc_inverse).all())
            return Verdict(finite and not any(w.number for w in data.warning), forward_inverse(model, data))

        return Task(lambda: _loop(model._address, data._address, LOOP), judge, units=LOOP)

    note = f"Timed: {LOOP} calls of `mj_inverse` in a compiled loop, at the same state with its own accelerations"
    return Method(name, LAW, prepare, note=note)


@numba.njit
def _loop(m, d, count):
    for _ in range(count):
        _mj_inverse(m, d)
