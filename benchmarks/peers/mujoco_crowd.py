"""The crowd in MuJoCo: `Batch` under a joint PD in NumPy, `rollout` with servos in the model, `mj_step` in Python."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks import crowd
from benchmarks.crowd import KD, KP, Crowd
from benchmarks.harness import Laps, Method, Problem, Setting, Task, require
from benchmarks.particle_traces import MOST, ONE, TWO
from benchmarks.workers import Worker, together

POSITIONS, DOFS = slice(7, 19), slice(6, 18)
_LAW = "MuJoCo's soft contact"
_PD = f"joint PD, {KP:g} N m/rad and {KD:g} N m s/rad"
_BUILT = "models are made beforehand and nothing is kept but the last state"


def batch() -> Method:
    """All robots step by step, the PD between two steps in NumPy."""
    made = require("mujoco-batch", "mujoco.batch", "'mujoco>=4'")

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        models, q, v = _crowd(one.duration, one.seed, tuple(range(one.robots)))
        robots = made.Batch(models[0], one.robots, one.workers)
        robots.set_models(models)
        positions, velocities, torques = (robots.bind(name) for name in ("qpos", "qvel", "ctrl"))
        goals, rates, _ = crowd.reference(one.duration)

        def reset() -> None:
            robots.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)
            positions[:], velocities[:] = q, v

        def call() -> None:
            for goal, rate in zip(goals, rates, strict=True):
                torques[:] = KP * (goal - positions[:, POSITIONS]) + KD * (rate - velocities[:, DOFS])
                robots.step()

        return Task(call, lambda _: crowd.verdict(crowd.standing(positions)), reset)

    note = f"Timed: `Batch.step` on a thread a worker, PD of all robots in NumPy; {_BUILT}"
    return Method("mujoco-batch", f"{_LAW}; {_PD}", prepare, note=note, sizes=(ONE, TWO))


def open_loop() -> Method:
    """All robots with commands that were there beforehand; servos in the model follow them."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        models, q, v = _crowd(one.duration, one.seed, tuple(range(one.robots)))
        models = [servos(model) for model in models]
        pool = rollout.Rollout(nthread=0 if one.workers == 1 else one.workers)
        data = [mujoco.MjData(models[0]) for _ in range(one.workers)]
        start = np.hstack([np.zeros((one.robots, 1)), q, v])
        goals, rates, _ = crowd.reference(one.duration)
        commands = np.repeat((goals + KD / KP * rates)[None], one.robots, axis=0)

        def call() -> Any:
            return pool.rollout(models, data, start, commands)[0]

        return Task(call, lambda states: crowd.verdict(crowd.standing(states[:, -1, 1:])))

    note = (
        "Open loop: all commands are given beforehand, and no policy can look. Timed: `Rollout.rollout` on a thread a "
        "worker, every state kept; models are made beforehand"
    )
    text = f"{_LAW}; the same PD as servos of the model, in MuJoCo's own code"
    return Method("mujoco-rollout", text, prepare, note=note, sizes=(ONE, TWO))


def servos(model: Any) -> Any:
    """A copy whose motors are servos: torque = kp (command - q) - kd v, within the limits that the motors had."""
    model = model.__copy__()
    model.actuator_forcelimited[:], model.actuator_forcerange[:] = model.actuator_ctrllimited, model.actuator_ctrlrange
    model.actuator_ctrllimited[:] = False
    model.actuator_biastype[:] = mujoco.mjtBias.mjBIAS_AFFINE
    model.actuator_gainprm[:, 0] = KP
    model.actuator_biasprm[:, :3] = 0.0, -KP, -KD
    return model


def python() -> Method:
    """The loop that most users write, in as many processes as there are workers."""
    workers = [Worker(stepped) for _ in range(MOST)]

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        mine = workers[: one.workers]
        together(mine, list(one.shares()))

        def call() -> Any:
            told = [robot for share in together(mine, [None] * len(mine)) for robot in share]
            return Laps([seconds / one.duration for seconds, _ in told], told) if one.one_by_one else told

        return Task(call, lambda told: crowd.verdict(crowd.standing([pose for _, pose in told])))

    note = f"Timed: a Python loop of `mujoco.mj_step`, PD in NumPy, in a process a worker; {_BUILT}"
    return Method("mujoco-python", f"{_LAW}; {_PD}", prepare, note=note)


def stepped(share: tuple[int, int, tuple[int, ...]]) -> list[tuple[float, Any]]:
    """Simulate some robots: of each its s, and its base's pose (7,) at the end."""
    duration = share[0]
    goals, rates, _ = crowd.reference(duration)
    told = []
    for model, q, v in zip(*_crowd(*share), strict=True):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = q, v
        began = time.perf_counter()
        for goal, rate in zip(goals, rates, strict=True):
            data.ctrl[:] = KP * (goal - data.qpos[POSITIONS]) + KD * (rate - data.qvel[DOFS])
            mujoco.mj_step(model, data)
        told.append((time.perf_counter() - began, data.qpos[:7].copy()))
    return told


@lru_cache(maxsize=8)
def _crowd(duration: int, seed: int, numbers: tuple[int, ...]) -> tuple[list[Any], Any, Any]:
    """Models of some robots, and their first positions (n, nq) and velocities (n, nv)."""
    built = crowd.particles(duration, seed, numbers)
    models = [robot.scene.model.__copy__() for robot in built]
    for model in models:
        model.opt.timestep = crowd.DT
    return models, np.array([robot.state.q for robot in built]), np.array([robot.state.v for robot in built])
