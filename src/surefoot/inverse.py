"""Torques in a control loop: inverse dynamics with buffers of its own."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.answer import Answer, answer_from
from surefoot.contact.contacts import Contacts
from surefoot.dynamics import ContactChoice
from surefoot.errors import InputError
from surefoot.kernels import status as codes
from surefoot.kernels.follow import follow_box, state_follower
from surefoot.laws import Coulomb, Law, as_law
from surefoot.modes.selection import Selection
from surefoot.motion.handle import Handle
from surefoot.motion.limits import torque_range
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status


class InverseDynamics:
    """A controller's own inverse dynamics: it owns the model it believes in, and shares nothing with the plant.

    Example:
        controller = sf.InverseDynamics(robot, dt=1e-3, law=sf.Coulomb(mu=0.5))
        torque = controller(state, acceleration)

    Attributes:
        robot: the robot the controller believes in.
        dt: step in s over which the accelerations are to hold.
        law: contact law the controller believes in.
        residual: the law's violation in the last call.
    """

    def __init__(self, robot: Scene, dt: float, law: Law | str | None = None, *, torque_limits: Any = None) -> None:
        """Prepare.

        Args:
            robot: robot or scene that the controller believes in.
            dt: step in s.
            law: contact law, `sf.Coulomb()` by default.
            torque_limits: see `sf.solve`; a joint that cannot follow stays at its limit.
        """
        if not isinstance(robot, Scene):
            raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
        self.robot = robot
        self.law = as_law(Coulomb() if law is None else law)
        self.torque_limits = torque_limits
        self._space = Workspace(robot, dt, law=self.law.numbers(), remembers=True, capacity=64)
        self.dt = self._space.dt
        count = len(robot.joints)
        self._space.prescribe(
            robot.dofs, np.ones(count, dtype=bool), np.zeros(count), *torque_range(robot, torque_limits)
        )
        self._torque = np.zeros(count)
        self._handle: Handle | None = None  # where policies find the kernel and its arrays
        self._handed: Any = None  # the Box that policies were told of
        self._selection = Selection() if self.law.selects else None
        self._last: tuple[State, ContactChoice, int, int] | None = None
        self._code = codes.SOLVED
        self.residual = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made anew, with arrays of their own; they have not been called yet."""
        return partial(InverseDynamics, torque_limits=self.torque_limits), (self.robot, self.dt, self.law)

    def __call__(
        self, state: State, acceleration: Any, *, contacts: ContactChoice = None, throw: bool = False
    ) -> NDArray[np.float64]:
        """Torques (joints,) in N m that give these joint accelerations (rad/s^2).

        The array belongs to the controller and is overwritten by the next call. Unless `throw` is set a failed solve
        returns the previous torques, and `status` says what happened.
        """
        space, torque = self._space, self._torque
        self._last = None
        if (
            type(acceleration) is not np.ndarray
            or acceleration.dtype is not torque.dtype
            or acceleration.shape != torque.shape
            or not acceleration.flags.c_contiguous  # for anything else the kernel would be compiled anew
        ):
            acceleration = checks.array("acceleration", acceleration, torque.shape)
        space.load(state)
        given = space.choose(contacts)
        while True:
            code, residual, method, count, free, bilateral = follow_box(space.box, acceleration, given, torque)
            if code != codes.CAPACITY:
                break
            space.grow()
        if self._handle is not None and self._handed is not space.box:
            self._hand_out(self._handle)  # the arrays have grown, and policies hold the handle of the old ones
        space.found(code, contacts, count, free, bilateral)
        if self._selection is not None and code == codes.SOLVED:
            self._selection.choose(space)
            torque[:] = space.step.force[self.robot.dofs]
        if code == codes.NOT_FINITE:
            checks.array("acceleration", acceleration, torque.shape)
        self._code, self.residual = code, residual
        self._last = (state, contacts, code, method)
        if throw and not self.status.is_answer:
            self.answer().raise_if(True)
        return torque

    @property
    def status(self) -> Status:
        """How the last call ended; INDETERMINATE is told by `answer()` alone."""
        return Status.from_code(self._code)

    @property
    def handle(self) -> float:
        """What a compiled policy passes to `sf.follow` to call this controller, as long as the controller lives.

        After that `sf.follow` returns the code of Status.GONE.

        A compiled policy cannot enlarge the controller's arrays: there is room for as many contacts as were ever met
        in calls from Python; without any, for twice those of `robot.home()`, and for 64 at least.
        """
        if self._selection is not None:
            raise InputError("handle: select='nearest' is for calls from Python; leave it out")
        self._space.complete()
        if self._handle is None:
            if self._last is None:
                self._space.make_room(self.robot.home())
            self._handle = Handle(self)
        self._hand_out(self._handle)
        return self._handle.number

    def _hand_out(self, handle: Handle) -> None:
        """Write where the kernel and its arrays are to where the handle points."""
        self._handed = box = self._space.box
        handle.point_to(state_follower(box), box)

    def answer(self) -> Answer:
        """The full Answer of the last call.

        It also looks whether the contact forces are determined, which calls leave out for their speed: where a call's
        status is SOLVED, that of its answer may be INDETERMINATE (internal force free).
        """
        if self._last is None:
            raise InputError("answer: call the controller first")
        state, contacts, code, method = self._last
        given = contacts if isinstance(contacts, Contacts) else None
        if code == codes.SOLVED and self._space.forces_undetermined():
            code = codes.INDETERMINATE
        return answer_from(self._space, state, self.law, given, code, self.residual, method)
