"""MuJoCo's own step, soft contact, from a compiled loop and from Python."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from typing import Any

import llvmlite.binding
import mujoco
import numba
import numpy as np
from numba import types

from benchmarks.harness import Method, Problem, Setting, Task, Verdict
from benchmarks.standing import Standing, stands

_LIBRARY = glob.glob(os.path.join(os.path.dirname(mujoco.__file__), "*mujoco*.[sd][oyl]*"))
llvmlite.binding.load_library_permanently(_LIBRARY[0])
_mj_step = types.ExternalFunction("mj_step", types.void(types.uintp, types.uintp))
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION

LAW = "MuJoCo's soft contact"


def compiled() -> Method:
    """`mj_step` and the PD law in one numba function: no Python between two steps."""
    note = "Timed: a compiled loop of `mj_step`, PD and all, from MuJoCo's own standing state"
    return Method("mujoco-compiled", LAW, _prepare(_compiled_loop), note=note)


def python() -> Method:
    """The loop most users write."""
    note = "Timed: a Python loop of `mujoco.mj_step`, PD in NumPy"
    return Method("mujoco-python", LAW, _prepare(_python_loop), note=note)


def _prepare(make_loop: Callable[..., Callable[[], Any]]) -> Callable[[Problem, Setting], Task]:
    def prepare(problem: Problem, setting: Setting) -> Task:
        case: Standing = problem.data
        model, data = case.model, mujoco.MjData(case.model)
        data.qpos[:] = case.q
        _loop(model._address, data._address, case.settle, True, *_arrays(case, data))
        state = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, state, _STATE)
        start = data.qpos.copy()

        def judge(_: Any) -> Verdict:
            claimed = stands(start, data.qpos) and data.ncon == 4 and not any(w.number for w in data.warning)
            return Verdict(claimed, forward_inverse(model, data))

        call = make_loop(case, model, data, problem.work, setting.options["pd"])
        return Task(call, judge, lambda: mujoco.mj_setState(model, data, state, _STATE))

    return prepare


def _compiled_loop(case: Standing, model: Any, data: Any, steps: int, pd: bool) -> Callable[[], Any]:
    arguments = (model._address, data._address, steps, pd, *_arrays(case, data))
    return lambda: _loop(*arguments)


def _python_loop(case: Standing, model: Any, data: Any, steps: int, pd: bool) -> Callable[[], Any]:
    target, positions, dofs, kp, kd = case.target, case.positions, case.dofs, case.kp, case.kd

    def loop() -> None:
        for _ in range(steps):
            if pd:
                data.qfrc_applied[dofs] = kp * (target - data.qpos[positions]) - kd * data.qvel[dofs]
            mujoco.mj_step(model, data)

    return loop


def _arrays(case: Standing, data: Any) -> tuple[Any, ...]:
    return case.target, case.positions, case.dofs, case.kp, case.kd, data.qpos, data.qvel, data.qfrc_applied


@numba.njit
def _loop(m, d, steps, pd, target, positions, dofs, kp, kd, q, v, force_out):
    for _ in range(steps):
        if pd:
            for i in range(len(dofs)):
                force_out[dofs[i]] = kp * (target[i] - q[positions[i]]) - kd * v[dofs[i]]
        _mj_step(m, d)


def forward_inverse(model: Any, data: Any) -> float:
    """How well MuJoCo's forward and inverse agree where the roll-out ended: zero where its optimum is exact."""
    mujoco.mj_forward(model, data)
    mujoco.mj_inverse(model, data)
    applied = data.qfrc_applied + data.qfrc_actuator
    return float(np.abs(data.qfrc_inverse - applied).max() / np.abs(data.qfrc_constraint).max())
