"""What inverse dynamics with contact is measured against [Zapolsky2015, section 7.3].

`PID` knows no model; `ContactFree` knows the robot but not the ground; `SensedForce` knows the ground by forces that
are one or two steps old. The last two read their torques off the one problem with the contact forces known:

    A v_u+ = kappa_u + dt g_u - B v_a+          dt tau = C v_a+ + B' v_u+ - kappa_a - dt g_a

with g = J'f/dt the generalised contact force. Armature, damping, dry friction and loops count as in every solve.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.answer import Answer
from surefoot.contact.contacts import Contacts
from surefoot.control.arguments import as_robot, check_state, gains
from surefoot.dynamics import by_joint
from surefoot.errors import InputError, SolveError
from surefoot.kernels import status as codes
from surefoot.kernels.follow import follow_box
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate import Simulator
from surefoot.solvers.status import Status

Array = NDArray[np.float64]


class PID:
    """Joint error feedback, torque = kp (q* - q) + kd (v* - v) + ki (sum of q* - q over time), without a model.

    With gains in 1/s^2, 1/s and 1/s^3 the same formula is an acceleration: the error feedback that inverse dynamics
    follows, `controller(state, feedback(state))`.

    Example:
        controller = sf.control.PID(robot, kp=30.0, kd=0.2)
        trace = sf.Simulator(robot).rollout(robot.home(), controller, duration=2.0)

    Attributes:
        robot: the robot.
        kp: (joints,) N m/rad (N/m).
        kd: (joints,) N m s/rad (N s/m).
        ki: (joints,) N m/(rad s) (N/(m s)).
    """

    def __init__(self, robot: Scene, kp: Any, kd: Any, ki: Any = 0.0) -> None:
        """Set the gains.

        Args:
            robot: robot or scene.
            kp: one gain for all joints, an array (joints,), or a dict by joint name (others have none).
            kd: the same for velocities.
            ki: the same for the integral.
        """
        self.robot = as_robot(robot)
        self.kp, self.kd, self.ki = (gains(robot, *named) for named in (("kp", kp), ("kd", kd), ("ki", ki)))
        self._rest = robot.home().q[robot.joint_positions]
        self.reset()

    def reset(self) -> None:
        """Forget the integral."""
        self._integral = np.zeros(len(self.robot.joints))
        self._time: float | None = None

    def __call__(self, state: State, position: Any = None, velocity: Any = None) -> Array:
        """Torques (joints,) in N m.

        The integral grows by error times the time since the last call; when time runs back it starts anew.

        Args:
            state: where the robot is.
            position: (joints,) wanted joint positions in rad (m), or a dict by name; by default those of `home()`.
            velocity: (joints,) wanted joint velocities, or a dict by name; by default zero.
        """
        robot = self.robot
        check_state(robot, state)
        given, wanted = by_joint("position", robot, position)
        error = np.where(given, wanted, self._rest) - state.q[robot.joint_positions]
        drift = by_joint("velocity", robot, velocity)[1] - state.v[robot.dofs]
        if self._time is not None and state.t < self._time:
            self.reset()
        if self._time is not None:
            self._integral += (state.t - self._time) * error
        self._time = state.t
        return self.kp * error + self.kd * drift + self.ki * self._integral


class _KnownForces:
    """Inverse dynamics with known contact forces, on a model of its own."""

    def __init__(self, robot: Scene, dt: float) -> None:
        self.robot = as_robot(robot)
        self._space = Workspace(robot, dt)
        self.dt = self._space.dt
        count = len(robot.joints)
        unlimited = np.full(count, np.inf)
        self._space.prescribe(robot.dofs, np.ones(count, dtype=bool), np.zeros(count), -unlimited, unlimited)
        self._torque = np.zeros(count)
        self.velocity = np.zeros(robot.nv)
        self.status = Status.SOLVED

    def _solve(self, state: State, acceleration: Any, force: Array, held: slice, throw: bool) -> Array:
        """Torques under a generalised force (nv,), with the velocities `held` kept; a copy."""
        space, robot = self._space, self.robot
        check_state(robot, state)
        given, wanted = by_joint("acceleration", robot, acceleration)
        if acceleration is not None and not given.all():
            missing = ", ".join(np.array(robot.joints)[~given])
            raise InputError(f"acceleration: expected every actuated joint, missing {missing}")
        space.load(state)
        space.step.torque[:] = force
        space.step.v_next[held] = state.v[held]
        code, _, _, *counts = follow_box(space.box, wanted, 0, self._torque)
        while code == codes.CAPACITY:
            space.grow()
            code, _, _, *counts = follow_box(space.box, wanted, 0, self._torque)
        space.found(code, None, *counts)
        self.status = Status.from_code(code)
        if throw and not self.status.is_answer:
            raise SolveError(f"{robot.name}, {type(self).__name__}: {self.status}")
        if self.status.is_answer:
            self.velocity = space.step.v_next.copy()
        return self._torque.copy()


class ContactFree(_KnownForces):
    """Inverse dynamics that has never heard of the ground: tau = M qdd + h on the rows of the actuated joints.

    Without contact someone must say what the base does. By default it is held: it keeps its velocity, as if a steady
    hand carried the robot, so that every leg is controlled like an arm bolted to the base, and gravity is compensated
    for the legs but not for the body they carry. That is what fixed-base software computes for a legged robot. With
    `base="free"` the base falls, legs at rest fall along with it, and a standing robot gets nearly no torque. Loose
    objects and joints without a motor move freely in both.

    Example:
        controller = sf.control.ContactFree(robot, dt=1e-3)
        torque = controller(state, acceleration)

    Attributes:
        robot: the robot the controller believes in.
        dt: step in s over which the accelerations are to hold.
        base: "held" or "free"; the same thing for a robot that is bolted down.
        velocity: (nv,) at the end of the step as the controller expects it, from the last call.
        status: how the last call ended.
    """

    def __init__(self, robot: Scene, dt: float, base: str = "held") -> None:
        """Prepare.

        Args:
            robot: robot or scene that the controller believes in.
            dt: step in s.
            base: "held" or "free": what the base is taken to do.
        """
        super().__init__(robot, dt)
        self.base = checks.choice("base", base, ("held", "free"))
        self._held = slice(0, 0)
        if robot.base is not None and base == "held":
            body = robot.model.body(robot.base)
            self._held = slice(int(body.dofadr[0]), int(body.dofadr[0] + body.dofnum[0]))
        self._space.step.prescribed[self._held] = True

    def __call__(self, state: State, acceleration: Any = None, *, throw: bool = False) -> Array:
        """Torques (joints,) in N m that would give these joint accelerations if nothing touched.

        Args:
            state: where the robot is.
            acceleration: (joints,) rad/s^2 (m/s^2), or a dict naming every joint; by default zero.
            throw: raise SolveError if there is no answer; else the previous torques are returned and `status` says so.
        """
        return self._solve(state, acceleration, np.zeros(self.robot.nv), self._held, throw)


class SensedForce(_KnownForces):
    """Inverse dynamics with the contact forces that were sensed one or two steps before: ID(t_i-1) and ID(t_i-2).

    The base is free and moves as those forces push it. While nothing changes they are the right ones; where a foot
    lands, lifts or begins to slip they are late, which is what predicting them avoids.

    Example:
        controller = sf.control.SensedForce(robot, dt=1e-3, delay=1)
        answer = sf.inverse_dynamics(robot, state, acceleration, dt=1e-3)  # what the sensors show at first
        for _ in range(1000):
            torque = controller(state, acceleration, answer)
            state, answer = plant.step(state, torque)

    Attributes:
        robot: the robot the controller believes in.
        dt: step in s over which the accelerations are to hold.
        delay: 1: the forces of the step that ended just now; 2: those of the step before it.
        velocity: (nv,) at the end of the step as the controller expects it, from the last call.
        status: how the last call ended.
    """

    def __init__(self, robot: Scene, dt: float, delay: int = 1) -> None:
        """Prepare.

        Args:
            robot: robot or scene that the controller believes in.
            dt: step in s.
            delay: 1 or 2 steps by which the sensed forces are late.
        """
        super().__init__(robot, dt)
        self.delay = int(checks.choice("delay", delay, (1, 2)))
        self._sensed: deque[Array] = deque(maxlen=self.delay)

    def reset(self) -> None:
        """Forget all forces sensed so far."""
        self._sensed.clear()

    def __call__(self, state: State, acceleration: Any = None, forces: Any = None, *, throw: bool = False) -> Array:
        """Torques (joints,) in N m; call it once a step, for every call moves the sensed forces on by one.

        Args:
            state: where the robot is.
            acceleration: (joints,) rad/s^2 (m/s^2), or a dict naming every joint; by default zero.
            forces: what the sensors showed over the step that ended just now: the `Answer` of that step, a pair
                (Contacts, forces (n, 3) in N in their frames), or a generalised force (nv,); None: nothing touched.
                Two steps late, the first call uses what it is given, for there is nothing older.
            throw: raise SolveError if there is no answer; else the previous torques are returned and `status` says so.
        """
        self._sensed.append(_generalised(self.robot, forces))
        return self._solve(state, acceleration, self._sensed[0], slice(0, 0), throw)

    def policy(
        self, plant: Simulator, plan: Callable[[State], Any] | None = None, first: Any = None
    ) -> Callable[[State], Array]:
        """A policy for `plant.rollout` that senses the plant's own contact forces.

        It takes every step a second time, on a copy of the plant, to see its forces: they are the same bits, since a
        step is a function of state and torque alone.

        Args:
            plant: the simulator that will run the policy.
            plan: function of a State that returns joint accelerations (joints,); by default zero.
            first: forces sensed when a roll-out begins, as in a call; None: nothing touched yet.
        """
        if not isinstance(plant, Simulator):
            raise InputError(f"plant: expected a Simulator, got {type(plant).__name__}")
        twin = copy.copy(plant)
        last: list[tuple[State, Array]] = []

        def follow(state: State) -> Array:
            forces = _force_of_last_step(twin, *last[0], state) if last else None
            if forces is None:  # a roll-out begins
                self.reset()
                forces = first
            torque = self(state, None if plan is None else plan(state), forces)
            last[:] = [(state, torque)]
            return torque

        return follow


def _force_of_last_step(plant: Simulator, state: State, torque: Array, now: State) -> Answer | None:
    """Answer of the plant's last step on its way from `state` to `now`; None if this torque does not lead there."""
    answer = None
    for _ in range(round((now.t - state.t) / plant.dt)):
        state, answer = plant.step(state, torque, throw=False)
    return answer if np.array_equal(state.q, now.q) and np.array_equal(state.v, now.v) else None


def _generalised(robot: Scene, forces: Any) -> Array:
    """Contact forces as a generalised force (nv,) in N (N m)."""
    if forces is None:
        return np.zeros(robot.nv)
    if isinstance(forces, Answer):
        return checks.array("forces: the answer's contact_force", forces.contact_force, (robot.nv,))
    if isinstance(forces, tuple) and len(forces) == 2 and isinstance(forces[0], Contacts):
        contacts, values = forces
        J = checks.array("forces: J of the contacts", contacts.J, (len(contacts), 3, robot.nv))
        return np.einsum("ikj,ik->j", J, checks.array("forces", values, (len(contacts), 3)))
    if isinstance(forces, Contacts | str):
        raise InputError(
            "forces: expected an Answer, a pair (Contacts, forces (n, 3)) or a generalised force (nv,), "
            f"got {type(forces).__name__}"
        )
    return checks.array("forces", forces, (robot.nv,)).copy()
