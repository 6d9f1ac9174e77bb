"""Rigid-contact simulation: one step, or many in a compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.answer import Answer, answer_from
from surefoot.dynamics import by_joint
from surefoot.kernels import status as codes
from surefoot.kernels.step import advance
from surefoot.laws import Coulomb, Law, as_law
from surefoot.motion.limits import torque_range
from surefoot.motion.workspace import Workspace, step_size
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate.arguments import check_progress, check_scene, control_rate
from surefoot.simulate.joint_motion import JointMotion, positions_now, refuse_both
from surefoot.simulate.policy import Policy, PythonPolicy
from surefoot.simulate.push import Push, Pushes
from surefoot.simulate.roll_out import PIECE, RollOut
from surefoot.simulate.trace import Trace

PythonMotion = Callable[[float], Any] | Mapping[str, Callable[[float], float] | float]


class Simulator:
    """A plant with rigid contact: owns its own model and data, so a controller's belief never touches it.

    Semi-implicit Euler on MuJoCo's manifold: the law gives v+, then q+ = q (+) dt v+. Penetration never becomes
    velocity: depth is removed by a separate displacement. Every step starts cold, so a step is a function of its
    state and torque alone.

    Attributes:
        scene: robot or scene.
        dt: step in s.
        control_dt: the policy is called this often (s), a multiple of dt.
        law: contact law.
        every: steps from one call of the policy to the next.
        space: its model, data and arrays of the kernels, for rooms that build on it.
        loading: s that the last roll-out spent on loading or compiling parts of the law when they were first needed.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float = 1e-3,
        law: Law | str | None = None,
        control_dt: float | None = None,
        *,
        restitution: float = 0.0,
        speed: float = 3.0,
    ) -> None:
        """Make a plant.

        Args:
            scene: robot or scene.
            dt: step in s.
            law: `sf.Coulomb()` (default), `sf.NoSlip()` or their names.
            control_dt: how often the policy is called, a multiple of dt; default: every step.
            restitution: Newton's coefficient, 0 (default) to 1, for impacts.
            speed: largest approach speed in m/s that is surely caught before it penetrates.
        """
        self.scene = check_scene(scene)
        self.law = as_law(Coulomb() if law is None else law)
        self.dt = step_size(dt)
        self.control_dt, self.every = control_rate(control_dt, self.dt)
        self.restitution = checks.number("restitution", restitution, at_least=0.0, at_most=1.0)
        self.speed = checks.number("speed", speed, above=0.0, at_most=1e6)
        self.space = Workspace(
            scene,
            self.dt,
            law=self.law.numbers(),
            restitution=self.restitution,
            speed=self.speed,
        )

        self.loading = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made anew, with arrays of their own."""
        remade = partial(Simulator, restitution=self.restitution, speed=self.speed)
        return remade, (self.scene, self.dt, self.law, self.control_dt)

    def step(
        self, state: State, torque: Any = None, *, motion: Any = None, torque_limits: Any = None, throw: bool = True
    ) -> tuple[State, Answer]:
        """One step; returns the next state and the Answer that led there.

        Args:
            state: where it is and how it moves.
            torque: (len(joints),) N m, or a dict by joint name; None: no torque.
            motion: where joints shall be at the end of the step: a dict by joint name, or (len(joints),) for all of
                them (rad, m). The others feel `torque`.
            torque_limits: largest torque of the joints that follow a motion, see `sf.solve`.
            throw: raise SolveError if the step has no answer; else return the old state with the answer's status.
        """
        torque = by_joint("torque", self.scene, torque)[1]
        velocity = None if motion is None else self._arriving(state, motion)
        answer = self.solve(state, torque, velocity=velocity, torque_limits=torque_limits).raise_if(throw)
        if not answer.ok:
            return state, answer
        space = self.space
        advance(space.box, space.count, space.free_count)
        return State(space.data.qpos, space.data.qvel, state.t + self.dt), answer

    def solve(self, state: State, torque: Any, *, velocity: Any = None, torque_limits: Any = None) -> Answer:
        """The Answer of one step without taking it; its status tells of a torque (len(joints),) that is not finite.

        `velocity` (rad/s, m/s, by joint name) of joints that follow a motion, and `torque_limits`: see `sf.solve`.
        """
        space, scene = self.space, self.scene
        torque = checks.array("torque", torque, (len(scene.joints),), finite=False)
        moved, v_next = by_joint("velocity", scene, velocity)
        refuse_both("torque", scene, moved & (torque != 0.0))
        space.load(state)
        space.prescribe(scene.dofs, moved, torque, *torque_range(scene, torque_limits))
        space.step.last_force[:] = 0.0
        space.step.v_next[scene.dofs[moved]] = v_next[moved]
        code = space.find()
        residual, method = np.inf, 0
        if code == codes.SOLVED:
            code, residual, method = space.solve()
        return answer_from(space, state, self.law, None, code, residual, method)

    def rollout(
        self,
        state: State,
        policy: Policy | PythonPolicy | None = None,
        duration: float = 1.0,
        *,
        motion: JointMotion | PythonMotion | None = None,
        torque_limits: Any = None,
        pushes: Sequence[Push] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> Trace:
        """Simulate for `duration` seconds under a policy, a prescribed motion, or both, each for joints of its own.

        A prescribed joint ends every step where its motion says: v+ = (q*(t + dt) - q) / dt. The torques that takes
        are in `trace.torque`. Contact, friction and the base are left to mechanics. Start where the motion starts: a
        joint that is elsewhere jumps there within a step.

        A NaN, dropped contacts or a failed solve end the roll-out early; `trace.ok` and `trace.message` say so, and
        `trace.replay()` runs the last step again.

        Args:
            state: start.
            policy: `@sf.policy` function (compiled into the loop), a Python function of a State that returns torques,
                or None. It must leave the torques of prescribed joints at zero.
            duration: s; rounded to whole steps.
            motion: `@sf.joint_motion` function (compiled into the loop), a Python function of time in s that returns
                positions of all joints (len(joints),) or a dict by joint name (rad, m), or a dict of such functions or
                of numbers by joint name.
            torque_limits: largest torque of the joints that follow a motion, see `sf.solve`. One that cannot follow
                slips at its limit and catches up later, in about 0.1 s or as its torque allows; `trace.lag` says how
                far behind it is.
            pushes: forces from outside, see `sf.Push`; no policy knows of them, and `trace.replay()` has none.
            progress: called with (steps done, steps in all) now and then.
        """
        check_progress(progress)
        outside, space = Pushes(pushes, self.scene, self.dt), self.space
        run = self.begin(state, policy, duration, motion=motion, torque_limits=torque_limits)
        self.loading = 0.0
        try:
            while run.going:
                if outside:
                    space.data.qfrc_applied[:] = 0.0
                    outside.add(run.done, space.model, space.data, space.data.qfrc_applied)
                run.advance(min(run.done - run.done % PIECE + PIECE, outside.next(run.done)))
                if progress is not None:
                    progress(run.done, run.steps)
        finally:
            if outside:
                space.data.qfrc_applied[:] = 0.0
            self.loading = run.loading
        return run.trace()

    def begin(
        self,
        state: State,
        policy: Policy | PythonPolicy | None = None,
        duration: float = 1.0,
        *,
        motion: JointMotion | PythonMotion | None = None,
        torque_limits: Any = None,
    ) -> RollOut:
        """A roll-out to be taken piece by piece; the arguments are those of `rollout`."""
        return RollOut(self, state, policy, duration, motion, torque_limits)

    def _arriving(self, state: State, motion: Any) -> dict[str, float]:
        """Velocities by joint name with which joints are where `motion` says at the end of the step."""
        self.space.load(state)  # a state of another robot is refused
        moved, position = positions_now(self.scene, motion)
        velocity = (position - state.q[self.scene.joint_positions]) / self.dt
        return {joint: velocity[i] for i, joint in enumerate(self.scene.joints) if moved[i]}
