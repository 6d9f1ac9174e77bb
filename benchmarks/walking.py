"""`links` in a closed loop, in our rigid plant and in MuJoCo's own physics: the same stages drive both."""

from __future__ import annotations

import copy
import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import mujoco
import numpy as np

import surefoot as sf
from benchmarks.harness import Absent, Laps, Method, Problem, Setting, Task, Verdict
from surefoot.control import Command, FeedForward, Follow, GaitPlanner, InverseKinematics, JointPID, Pipeline, stage
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3  # s
UPRIGHT = 0.97  # least cosine of the base's tilt
MOTORS = 4.0  # N m
SPRING, DAMPER = 30.0, 0.3  # N m / rad, N m s / rad: they hold the posture where only `mj_step` is timed

_RIGID = "rigid contact, Coulomb's law with 4 edges"
_COMPILED = "Timed: `Simulator.rollout` under the compiled pipeline, its log included"
_FROM_PYTHON = (
    "Timed: `MujocoPlant.rollout`: `mj_step` and the pipeline's machine code, called from Python; its log included"
)


@dataclass(frozen=True)
class Walk:
    """A robot that shall walk.

    Attributes:
        ground: robot and ground.
        gait: its gait.
        speed: m/s forward.
        steps: how many, of `DT` each.
    """

    ground: sf.Scene
    gait: Gait
    speed: float
    steps: int


def limited() -> Method:
    """Everything in one compiled loop, with the controller that also walks on MuJoCo's ground."""
    law = f"{_RIGID}; belief in the same, inverse dynamics over two steps, motors of at most {MOTORS:g} N m"
    return Method("surefoot-limits", law, partial(_prepare, sf.Simulator, "limits"), ours=True, note=_COMPILED)


def compiled() -> Method:
    """The same with motors of any torque, as in examples/trot.py."""
    law = f"{_RIGID}; belief in the same, motors of any torque"
    return Method("surefoot", law, partial(_prepare, sf.Simulator, "coulomb"), ours=True, note=_COMPILED)


def hard() -> Method:
    """MuJoCo's ground as hard as its steps allow, under the controller of surefoot-limits."""
    law = "MuJoCo's contact with a time constant of two steps; the controller of surefoot-limits"
    return Method("mujoco-hard", law, partial(_prepare, _hardened, "limits"), note=_FROM_PYTHON)


def soft() -> Method:
    """MuJoCo's ground as it is, under a controller that believes in soft ground."""
    law = f"MuJoCo's soft contact as it is; belief in soft contact, motors of at most {MOTORS:g} N m"
    return Method("mujoco-soft", law, partial(_prepare, sf.MujocoPlant, "soft"), note=_FROM_PYTHON)


def bare() -> Method:
    """No controller at all: what `mj_step` takes by itself."""
    note = (
        "For reference. Timed: `mujoco.mj_step` in a Python loop; springs at the joints, part of the model, hold it up"
    )
    return Method("mujoco-step", "MuJoCo's soft contact; the robot stands", _prepare_bare, note=note)


def _hardened(ground: sf.Scene, dt: float) -> sf.MujocoPlant:
    plant = sf.MujocoPlant(ground, dt)
    plant.model.geom_solref[:] = [2 * dt, 1.0]
    plant.model.geom_solimp[:, :2] = 0.99
    return plant


def _pipeline(walk: Walk, belief: str, stamps: np.ndarray) -> Pipeline:
    robot, legs = walk.ground, Legs(walk.ground)
    follow = {
        "coulomb": lambda: Follow(robot, DT, "coulomb"),
        "limits": lambda: Follow(robot, 2 * DT, "coulomb", torque_limits=MOTORS),
        "soft": lambda: Follow(robot, DT, "soft", torque_limits=MOTORS),
    }
    stages = [
        _clock().bind([float(stamps.ctypes.data), *np.shape(stamps)[:1]]),
        Command(walk.speed),
        GaitPlanner(Planner(legs, walk.gait, DT)),
        InverseKinematics(legs, DT),
        FeedForward(robot),
        JointPID(robot, kp=2e3, kd=60.0, output="acceleration"),
        follow[belief](),
    ]
    return Pipeline(robot, DT, stages)


def _clock() -> Any:
    """A stage that writes the time of each tick, s and ns, to an address."""
    if os.name != "posix":
        raise Absent("the clock of ticks", "it needs a POSIX system")
    read = ctypes.CDLL(None).clock_gettime
    read.argtypes, read.restype = [ctypes.c_int, ctypes.c_size_t], ctypes.c_int
    kind = int(time.CLOCK_MONOTONIC)

    @stage(phase="perception", memory=1, params=[0.0, 0.0])
    def clock(t, board, where, memory, params):
        if memory[0] < params[1]:
            read(kind, int(params[0]) + 16 * int(memory[0]))
            memory[0] += 1.0
        return 0

    return clock


def _prepare(
    plant: Callable[..., sf.Simulator | sf.MujocoPlant], belief: str, problem: Problem, setting: Setting
) -> Task:
    walk: Walk = problem.data
    stamps = np.zeros((walk.steps, 2), dtype=np.int64)
    policy, engine = _pipeline(walk, belief, stamps).policy(), plant(walk.ground, DT)

    def call() -> Any:
        stamps[:] = 0
        trace = engine.rollout(walk.ground.home(), policy, walk.steps * DT)
        if not setting.options["laps"]:
            return trace
        times = stamps[: len(trace)] @ [10**9, 1]  # after the last of them the trace is made, which is no tick
        return Laps((1e-9 * np.diff(times)).tolist(), trace)

    return Task(call, lambda trace: _judge(trace, walk))


def _judge(trace: sf.Trace, walk: Walk) -> Verdict:
    """Claimed: upright to the end. Residual: how far its speed is from the command, relative."""
    x, y = trace.q[:, 4], trace.q[:, 5]
    upright = trace.ok and float((1 - 2 * (x**2 + y**2)).min()) >= UPRIGHT
    return Verdict(upright, abs(trace.q[-1, 0] / (walk.speed * walk.steps * DT) - 1))


def _prepare_bare(problem: Problem, setting: Setting) -> Task:
    walk: Walk = problem.data
    scene, model = walk.ground, copy.copy(walk.ground.model)
    joints = [model.joint(name).id for name in scene.joints]
    home = scene.home().q
    model.opt.timestep = DT
    model.jnt_stiffness[joints], model.dof_damping[scene.dofs] = SPRING, DAMPER
    model.qpos_spring[scene.joint_positions] = home[scene.joint_positions]
    data = mujoco.MjData(model)

    def reset() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = home

    def call() -> Any:
        if not setting.options["laps"]:
            for _ in range(walk.steps):
                mujoco.mj_step(model, data)
            return None
        clock, times = time.perf_counter_ns, np.empty(walk.steps + 1)
        times[0] = clock()
        for k in range(walk.steps):
            mujoco.mj_step(model, data)
            times[k + 1] = clock()
        return Laps((1e-9 * np.diff(times)).tolist(), None)

    def judge(_: Any) -> Verdict:
        x, y = data.qpos[4], data.qpos[5]
        return Verdict(bool(1 - 2 * (x**2 + y**2) >= UPRIGHT), 0.0)

    return Task(call, judge, reset)
