"""Inverse dynamics of many states in one call, on all cores."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import status as codes
from surefoot.kernels.follow import follow_many
from surefoot.laws import Coulomb, Law, as_law
from surefoot.motion.limits import torque_range
from surefoot.motion.workspace import Workspace, reach_speed
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status

Array = NDArray[np.float64]
_IDLE: list[tuple[tuple[Any, ...], Workspace]] = []  # with what they were made for, the last used last
MOST_IDLE = 8
CHUNK = 64  # states that a thread takes at a time, at least


@dataclass(frozen=True, eq=False)
class BatchAnswer:
    """Inverse dynamics of N states.

    Attributes:
        torque: (N, joints) N m (N); NaN where there is no answer.
        velocity: (N, nv) at the end of the step; NaN where there is no answer.
        codes: (N,) status codes; `status(i)` says what they mean.
        residual: (N,) largest violation of the law, relative to the largest contact velocity.
    """

    torque: Array
    velocity: Array
    codes: NDArray[np.int64]
    residual: Array

    @property
    def ok(self) -> NDArray[np.bool_]:
        """(N,) which states have an answer."""
        return np.isin(self.codes, (codes.SOLVED, codes.REGULARISED))

    def status(self, i: int) -> Status:
        """How state i ended."""
        return Status.from_code(int(self.codes[i]))

    def __len__(self) -> int:
        return len(self.codes)


def inverse_dynamics_batch(
    robot: Scene,
    states: Sequence[State] | tuple[Any, Any],
    accelerations: Any,
    *,
    dt: float,
    law: Law | str | None = None,
    torque_limits: Any = None,
    threads: int | None = None,
) -> BatchAnswer:
    """Torques for thousands of states; each by itself, so the result does not depend on the number of threads.

    Args:
        robot: robot or scene.
        states: N States, or (q, v): arrays (N, nq) and (N, nv).
        accelerations: (N, joints) wanted joint accelerations in rad/s^2 (m/s^2).
        dt: step in s.
        law: contact law, `sf.Coulomb()` by default.
        torque_limits: see `sf.solve`.
        threads: default: one a core.
    """
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
    Q, V = _stacked(robot, states)
    count, joints = len(Q), len(robot.joints)
    wanted = checks.array("accelerations", accelerations, (count, joints))
    law = as_law(Coulomb() if law is None else law)
    limits = torque_range(robot, torque_limits)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = max(1, min(int(checks.number("threads", threads, at_least=1)), -(-count // CHUNK)))
    speed = reach_speed(robot, np.abs(V).max(axis=0, initial=0.0))
    answer = BatchAnswer(
        torque=np.full((count, joints), np.nan),
        velocity=np.full((count, robot.nv), np.nan),
        codes=np.full(count, codes.UNSOLVED),
        residual=np.full(count, np.inf),
    )
    chunks = iter(_chunks(count, threads))  # of a list, so that threads may share it

    key = (robot, _fingerprint(robot.model), dt, law, speed)

    def work(_: int) -> None:
        space = _idle(key) or Workspace(robot, dt, law=law.numbers(), speed=speed)
        space.prescribe(robot.dofs, np.ones(joints, dtype=bool), np.zeros(joints), *limits)
        for first, last in chunks:
            while first < last:
                first = follow_many(
                    space.box, Q, V, wanted, first, last, answer.torque, answer.velocity, answer.codes,
                    answer.residual,
                )  # fmt: skip
                if first < last:
                    space.grow()
        _IDLE.append((key, space))
        del _IDLE[:-MOST_IDLE]

    if threads == 1:
        work(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))
    answer.velocity[~answer.ok] = np.nan
    return answer


def _idle(key: tuple[Any, ...]) -> Workspace | None:
    """Work arrays that an earlier call left behind: to make them takes as long as hundreds of states."""
    for entry in reversed(_IDLE.copy()):
        if entry[0] == key:
            try:
                _IDLE.remove(entry)
            except ValueError:  # another thread was quicker
                continue
            return entry[1]
    return None


def _fingerprint(model: mujoco.MjModel) -> bytes:
    """Of all numbers of a model, which a caller may change between calls."""
    buffer = np.empty(mujoco.mj_sizeModel(model), dtype=np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return hashlib.blake2b(buffer.data).digest()


def _chunks(count: int, threads: int) -> list[tuple[int, int]]:
    """First and last state of each chunk: large ones first, so that threads rarely wait for the interpreter."""
    chunks, first = [], 0
    while first < count:
        last = min(count, first + max(CHUNK, (count - first) // (3 * threads)))
        chunks.append((first, last))
        first = last
    return chunks


def _stacked(robot: Scene, states: Any) -> tuple[Array, Array]:
    """States as arrays (N, nq), (N, nv)."""
    if isinstance(states, tuple) and len(states) == 2 and not isinstance(states[0], State):
        Q = checks.array("states[0]", states[0], (None, robot.nq))
        return Q, checks.array("states[1]", states[1], (len(Q), robot.nv))
    states = list(states)
    for i, state in enumerate(states):
        if not isinstance(state, State):
            raise InputError(f"states[{i}]: expected a State, got {type(state).__name__}; or give (q, v) as two arrays")
        checks.array(f"states[{i}].q", state.q, (robot.nq,))
        checks.array(f"states[{i}].v", state.v, (robot.nv,))
    Q = np.array([state.q for state in states]).reshape(len(states), robot.nq)
    return Q, np.array([state.v for state in states]).reshape(len(states), robot.nv)
