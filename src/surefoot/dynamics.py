"""The one problem, in one call: choose what is prescribed and which law holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.answer import Answer, answer_from
from surefoot.contact.contacts import Contacts
from surefoot.errors import InputError
from surefoot.kernels import status as codes
from surefoot.laws import Coulomb, Law, as_law
from surefoot.modes.selection import Selection
from surefoot.motion.consistent import adjust
from surefoot.motion.limits import torque_range
from surefoot.motion.workspace import Workspace, reach_speed
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

Array = NDArray[np.float64]
ContactChoice = Contacts | Sequence[str] | None

IMPOSSIBLE = (codes.INFEASIBLE, codes.INCONSISTENT)
REMEDY = '; on_inconsistent="nearest" offers the nearest consistent demand'


def solve(
    robot: Scene,
    state: State,
    *,
    dt: float,
    velocity: Any = None,
    acceleration: Any = None,
    torque: Any = None,
    law: Law | str | None = None,
    contacts: ContactChoice = None,
    torque_limits: Any = None,
    on_inconsistent: str = "raise",
    throw: bool = True,
) -> Answer:
    """Solve the one problem: some joints follow a motion, others feel a torque, contact and gravity do the rest.

    A v_u+ = kappa_u - B v_a+ + J_u' f and dt tau = C v_a+ + B' v_u+ - kappa_a - J_a' f, closed by the law.

    Args:
        robot: robot or scene.
        state: where it is and how it moves.
        dt: step in s.
        velocity: joint velocities at the end of the step: an array (len(robot.joints),) or a dict by joint name
            (rad/s, m/s).
        acceleration: the same as accelerations over the step (rad/s^2, m/s^2).
        torque: known joint torques, array or dict (N m, N). A joint named nowhere feels none.
        law: `sf.Coulomb()` (default), `sf.NoSlip()`, or their names.
        contacts: None: from the geometry; foot names: exactly these touch; or `Contacts.from_points(...)`.
        torque_limits: largest torque of the joints that follow a motion (N m, N): one number, an array (joints,), an
            array (joints, 2) of low and high, or a dict by joint name. A joint that cannot follow slips at its limit;
            `answer.missed` says by how much.
        on_inconsistent: what to do about a motion that contacts, limits or loops make impossible. "raise": refuse it,
            with the names of those in its way. "nearest": take the nearest one that is possible (least sum of squares
            over the joints, in rad/s and m/s); `answer.adjusted` says by how much each joint was changed.
        throw: raise SolveError if there is no answer; else return it with its status.

    Returns:
        An Answer: torques, forces, velocities, status, residuals.
    """
    checks.choice("on_inconsistent", on_inconsistent, ("raise", "nearest"))
    law = as_law(Coulomb() if law is None else law)
    space = _workspace(robot, state, dt, law)
    moved, v_next = _prescribed(robot, state, space.dt, velocity, acceleration)
    loaded, tau = by_joint("torque", robot, torque)
    for i in np.flatnonzero(moved & loaded):
        raise InputError(
            f"torque: joint {robot.joints[i]!r} has both a torque and a prescribed motion; give one of them"
        )
    space.prescribe(robot.dofs, moved, tau, *torque_range(robot, torque_limits))
    space.step.v_next[robot.dofs] = v_next
    wanted = space.step.v_next.copy()
    selection = Selection() if law.selects else None
    code, residual, method = _outcome(space, contacts, selection)
    change, remedy = np.zeros(len(robot.joints)), ""
    if moved.any() and on_inconsistent == "nearest":
        for strict in (False, True):
            if code in (*IMPOSSIBLE, codes.UNSOLVED):
                change = adjust(space, contacts, wanted, strict=strict)[robot.dofs]
                code, residual, method = _outcome(space, contacts, selection)
    elif moved.any() and code in IMPOSSIBLE:
        remedy = REMEDY
    given = contacts if isinstance(contacts, Contacts) else None
    answer = answer_from(space, state, law, given, code, residual, method)
    return replace(answer, adjusted=change).raise_if(throw, remedy)


def forward_dynamics(
    robot: Scene,
    state: State,
    torque: Any = None,
    *,
    dt: float,
    law: Law | str | None = None,
    contacts: ContactChoice = None,
    throw: bool = True,
) -> Answer:
    """What moves under these torques: one step of rigid contact (nothing prescribed).

    Args:
        robot: robot or scene.
        state: where it is and how it moves.
        torque: (len(robot.joints),) N m, or a dict by joint name; None: no torque.
        dt: step in s.
        law: contact law.
        contacts: see `solve`.
        throw: see `solve`.
    """
    return solve(robot, state, dt=dt, torque=torque, law=law, contacts=contacts, throw=throw)


def inverse_dynamics(
    robot: Scene,
    state: State,
    acceleration: Any = None,
    *,
    dt: float,
    velocity_next: Any = None,
    law: Law | str | None = None,
    contacts: ContactChoice = None,
    torque_limits: Any = None,
    on_inconsistent: str = "raise",
    throw: bool = True,
) -> Answer:
    """Which torques give this motion, and what the ground pushes back with (all actuated joints prescribed).

    Args:
        robot: robot or scene.
        state: where it is and how it moves.
        acceleration: (len(robot.joints),) wanted joint accelerations in rad/s^2 (m/s^2), or a dict naming every joint.
        dt: step in s.
        velocity_next: instead of accelerations, all velocities (nv,) at the end of the step, the base's too: analytic
            inverse dynamics. `answer.unactuated` is the force that is left where there is no motor. Meant for soft and
            compliant laws, whose forces the motion determines.
        law: contact law.
        contacts: see `solve`.
        torque_limits: see `solve`.
        on_inconsistent: see `solve`.
        throw: see `solve`.
    """
    _check_robot(robot)
    if velocity_next is not None:
        if acceleration is not None or torque_limits is not None:
            other = "acceleration" if acceleration is not None else "torque_limits"
            raise InputError(f"velocity_next: prescribes everything, so {other} has no place beside it")
        law = as_law(Coulomb() if law is None else law)
        space = _workspace(robot, state, dt, law)
        space.step.prescribed[:] = True
        space.step.v_next[:] = checks.array("velocity_next", velocity_next, (robot.nv,))
        code, residual, method = _outcome(space, contacts)
        given = contacts if isinstance(contacts, Contacts) else None
        return answer_from(space, state, law, given, code, residual, method).raise_if(throw)
    if acceleration is None:
        raise InputError(
            "acceleration: expected one for every actuated joint, got None; use solve(...) to leave some free"
        )
    acceleration = _by_name(acceleration)
    if isinstance(acceleration, Mapping):
        missing = [joint for joint in robot.joints if joint not in acceleration]
        if missing:
            raise InputError(
                f"acceleration: expected every actuated joint, missing {', '.join(missing)}; "
                "use solve(...) to leave some free"
            )
    return solve(
        robot,
        state,
        dt=dt,
        acceleration=acceleration,
        law=law,
        contacts=contacts,
        torque_limits=torque_limits,
        on_inconsistent=on_inconsistent,
        throw=throw,
    )


def _workspace(robot: Scene, state: State, dt: float, law: Law) -> Workspace:
    """A fresh workspace at this state; contacts are found as far as the present speeds can reach in a step."""
    _check_robot(robot)
    if not isinstance(state, State):
        raise InputError(f"state: expected a State (see robot.home()), got {type(state).__name__}")
    checks.array("state.q", state.q, (robot.nq,))
    speed = reach_speed(robot, checks.array("state.v", state.v, (robot.nv,)))
    space = Workspace(robot, dt, law=law.numbers(), speed=speed)
    space.load(state)
    return space


def _outcome(space: Workspace, contacts: ContactChoice, selection: Selection | None = None) -> tuple[int, float, int]:
    """Find rows and solve on them; returns (status code, residual, method)."""
    code = space.find(contacts)
    if code != codes.SOLVED:
        return code, np.inf, 0
    code, residual, method = space.solve()
    if code == codes.SOLVED and selection is not None:
        selection.choose(space)
    if code == codes.SOLVED and space.forces_undetermined():
        code = codes.INDETERMINATE
    return code, residual, method


def _check_robot(robot: Any) -> None:
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")


def _prescribed(
    robot: Scene, state: State, dt: float, velocity: Any, acceleration: Any
) -> tuple[NDArray[np.bool_], Array]:
    """Which actuated joints are prescribed, and their velocities at the end of the step."""
    given_v, v = by_joint("velocity", robot, velocity)
    given_a, a = by_joint("acceleration", robot, acceleration)
    for i in np.flatnonzero(given_v & given_a):
        raise InputError(
            f"acceleration: joint {robot.joints[i]!r} has both a velocity and an acceleration; give one of them"
        )
    return given_v | given_a, np.where(given_a, state.v[robot.dofs] + dt * a, v)


def by_joint(name: str, robot: Scene, values: Any) -> tuple[NDArray[np.bool_], Array]:
    """(given, value) per actuated joint, from None, an array or a dict by name."""
    count = len(robot.joints)
    if values is None:
        return np.zeros(count, dtype=bool), np.zeros(count)
    values = _by_name(values)
    if isinstance(values, Mapping):
        places = checks.indices(name, values, robot.joints, "actuated joint")
        given, result = np.zeros(count, dtype=bool), np.zeros(count)
        for i, value in zip(places, values.values(), strict=True):
            given[i] = True
            result[i] = checks.number(f"{name}[{robot.joints[i]!r}]", value)
        return given, result
    return np.ones(count, dtype=bool), checks.array(name, values, (count,))


def _by_name(values: Any) -> Any:
    """A pandas Series with names for an index as a dict; anything else as it is."""
    if hasattr(values, "to_dict") and np.ndim(values) == 1 and all(isinstance(name, str) for name in values.index):
        return values.to_dict()
    return values
