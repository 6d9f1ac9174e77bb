"""A roll-out in the making: taken piece by piece, so that its owner can look at it, change the world, or stop."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import status as codes
from surefoot.kernels.rollout import Log, Loop, roll
from surefoot.motion.limits import torque_range
from surefoot.robots.state import State
from surefoot.simulate.arguments import policy_of, step_count
from surefoot.simulate.joint_motion import Prescribed, refuse_both
from surefoot.simulate.log import grown, new_log
from surefoot.simulate.trace import Trace

if TYPE_CHECKING:
    from surefoot.simulate.simulator import Simulator

CATCH_UP = 0.1  # s in which a joint that its torque limit held back takes back its lag, if its torque allows
PIECE = 2000  # steps in one call of the compiled loop


class RollOut:
    """Steps of a simulator under a policy, a motion or both. The simulator belongs to it until it is done.

    Example:
        run = sim.begin(state, policy, duration=5.0)
        while run.going:
            run.advance(run.done + 100)
        trace = run.trace()

    Attributes:
        plant: the simulator.
        steps: how many there shall be.
        done: how many there are.
        code: how the last of them ended.
        loading: s that were spent on loading or compiling parts of the law when they were first needed.
        memory, params: of the compiled policy; who changes them between two pieces changes the policy.
    """

    def __init__(
        self, plant: Simulator, state: State, policy: Any, duration: float, motion: Any, torque_limits: Any
    ) -> None:
        self.plant = plant
        self.start = state
        self.steps = step_count(duration, plant.dt)
        self.torque_limits = torque_limits
        self.loading = 0.0
        self.done = 0
        self.code = codes.SOLVED
        self._resume = False
        scene, space = plant.scene, plant.space
        self._compiled, self._python = policy_of(policy, plant.control_dt)
        space.load(state)
        self._prescribed = moved = Prescribed(scene, motion, state.t + plant.dt)
        follows, none = np.zeros(len(scene.joints), dtype=bool), np.zeros(len(scene.joints))
        follows[moved.moved] = True
        space.prescribe(scene.dofs, follows, none, *torque_range(scene, torque_limits))
        space.step.last_force[:] = 0.0
        self._loop = Loop(
            dofs=scene.dofs,
            torque=np.zeros(len(scene.joints)),
            memory=self._compiled.new_memory(),
            params=self._compiled.params.copy(),
            q=np.zeros(scene.nq),
            v=np.zeros(scene.nv),
            moved=moved.moved,
            places=scene.joint_positions[moved.moved],
            middle=space.step.torque[scene.dofs[moved.moved]],
            before=state.q[scene.joint_positions[moved.moved]],
            position=np.zeros(len(moved.moved)),
            catch_up=max(CATCH_UP, plant.dt),
            motion_memory=moved.compiled.new_memory(),
            motion_params=moved.compiled.params.copy(),
        )
        self.memory, self.params = self._loop.memory, self._loop.params
        self._log = new_log(self.steps, scene, state, len(moved.moved))

    @property
    def going(self) -> bool:
        """Whether there are steps left and none has failed."""
        return self.done < self.steps and self.code in (codes.SOLVED, codes.CAPACITY, codes.LOG_FULL)

    @property
    def log(self) -> Log:
        """What was written so far; its arrays are replaced when they grow."""
        return self._log

    @property
    def now(self) -> float:
        """Time in s."""
        return self.start.t + self.done * self.plant.dt

    def advance(self, until: int) -> None:
        """Take steps until this many are done, or one fails; a policy's own error is raised.

        Args:
            until: step number; more than `steps` means `steps`.
        """
        plant, loop, moved = self.plant, self._loop, self._prescribed
        every, until = plant.every, min(until, self.steps)
        piece = every if self._python else max(every, PIECE // every * every)
        piece = 1 if moved.in_python else piece
        while self.going and self.done < until:
            last = min(self.done - self.done % piece + piece, until)
            if self._python and not self._resume and self.done % every == 0:
                seen = State(self._log.q[self.done], self._log.v[self.done], self.now)
                loop.torque[:] = checks.array(
                    "the policy's torque", self._python(seen), loop.torque.shape, finite=False
                )
            if moved.in_python and not self._resume:
                loop.position[:] = moved.ask(self.start.t + (self.done + 1) * plant.dt)
            self.code, self.done = roll(
                plant.space.box, self._compiled, moved.compiled, loop, self._log, self.done, last, every,
                self.start.t, self._resume,
            )  # fmt: skip
            self._resume = self.code in (codes.CAPACITY, codes.LOG_FULL)
            if self.code == codes.CAPACITY:
                began = time.perf_counter()
                plant.space.grow()
                self.loading += time.perf_counter() - began
            elif self.code == codes.LOG_FULL:
                self._log = grown(self._log)
        self._raise_errors()

    def _raise_errors(self) -> None:
        """Raise what the user's own functions did wrong."""
        loop, moved, scene = self._loop, self._prescribed, self.plant.scene
        if self.code == codes.POLICY:
            self._compiled.raise_error(self.now, loop.q, loop.v, loop.torque, loop.memory, loop.params)
            follows = np.isin(np.arange(len(scene.joints)), moved.moved)
            refuse_both("policy", scene, follows & (loop.torque != 0.0))
        if self.code == codes.MOTION:
            moved.compiled.raise_error(
                self.now + self.plant.dt, loop.q, loop.v, loop.position, loop.motion_memory, loop.motion_params
            )

    def trace(self, done: int | None = None) -> Trace:
        """What was done, as a Trace that owns its arrays.

        Args:
            done: only so many steps; None: all. A part ends as if it had been solved to its end.
        """
        plant = self.plant
        whole = isinstance(done, int | np.integer) and not isinstance(done, bool)
        if done is not None and not (whole and 0 <= done <= self.done):
            raise InputError(f"done: expected 0 to {self.done} steps, got {done!r}")
        code = self.code if done is None or done == self.done else codes.SOLVED
        return Trace.from_log(
            plant.scene, plant.law, plant.dt, self.start.t, self._log, self.done if done is None else done, code,
            self._loop.torque, prescribed=self._prescribed.joints, torque_limits=self.torque_limits,
            restitution=plant.restitution, speed=plant.speed,
        )  # fmt: skip
