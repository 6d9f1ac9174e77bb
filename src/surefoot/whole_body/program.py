"""The task program in the open: every variable, task and limit of a whole-body controller by name, as plain arrays.

level by level:   min sum weight (T x - t)^2     x = (acceleration, torque, force)
subject to        A x = b                        dynamics, contacts held
                  G x + g >= 0                   force, friction, torque, joint speed and range, distance
                  and T x as found for all levels before
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.dynamics import ContactChoice
from surefoot.errors import InputError, SolveError
from surefoot.kernels import status as codes
from surefoot.kernels.plant import CONE
from surefoot.modes.of import closed_contacts, coordinate_name
from surefoot.motion.workspace import Workspace
from surefoot.robots.state import State
from surefoot.solvers.status import Status
from surefoot.whole_body import program_rows, program_words
from surefoot.whole_body.program_parts import Cones, Equalities, Inequalities, TaskRows, Variables
from surefoot.whole_body.program_solve import ProgramSolution, solve_program
from surefoot.whole_body.program_tasks import Body, task_rows

if TYPE_CHECKING:
    from surefoot.whole_body.controller import WholeBody

Array = NDArray[np.float64]
CONES = ("pyramid", "exact")


class Source(NamedTuple):
    """What a program was built from."""

    controller: WholeBody
    state: State
    contacts: ContactChoice
    goals: dict[str, Array]
    friction: Array  # (joints,) dry friction, N m
    places: tuple[int, ...]  # of the held contacts among those found


@dataclass(frozen=True, eq=False)
class Program:
    """A whole-body controller's program at one state; see `build`. `print` it, or `solve` it.

    Attributes:
        title: robot and step, for people.
        variables: names, units and scales of x.
        levels: blocks of task rows, the most important level first; the last one also keeps forces calm.
        equalities: families of A x = b.
        inequalities: families of G x + g >= 0, and friction cones if they are exact.
    """

    title: str
    variables: Variables
    levels: tuple[tuple[TaskRows, ...], ...]
    equalities: tuple[Equalities, ...]
    inequalities: tuple[Inequalities | Cones, ...]
    _source: Source = field(repr=False)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<Program {self.title}: {len(self.variables)} variables, {len(self.levels)} levels>"

    @property
    def tasks(self) -> dict[str, TaskRows]:
        """Blocks of rows by name."""
        return {block.name: block for level in self.levels for block in level}

    @property
    def limits(self) -> dict[str, Inequalities | Cones]:
        """Inequalities by family."""
        return {family.family: family for family in self.inequalities}

    @property
    def is_exact(self) -> bool:
        """Whether friction cones are exact."""
        return any(isinstance(family, Cones) for family in self.inequalities)

    def table(self) -> str:
        """The program for people: sizes, tasks with level, weight, rows and present error, limits with counts."""
        return program_words.table(self)

    def value(self, x: Any) -> Array:
        """(levels,) sums of weight times squared residual at x (n,)."""
        x = checks.array("x", x, (len(self.variables),))
        return np.array([sum(block.value(x) for block in level) for level in self.levels])

    def residuals(self, x: Any) -> dict[str, float]:
        """Largest violation of each family of equalities and inequalities at x (n,), in its unit; 0 if it holds."""
        x = checks.array("x", x, (len(self.variables),))
        found = {rows.family: float(np.abs(rows.residual(x)).max(initial=0.0)) for rows in self.equalities}
        return found | {rows.family: float(max(0.0, -rows.room(x).min(initial=0.0))) for rows in self.inequalities}

    def vector(self, acceleration: Any, torque: Any, force: Any) -> Array:
        """X (n,) from acceleration (nv,), torque (joints,) and force (contacts, 3)."""
        v = self.variables
        return np.concatenate([
            checks.array("acceleration", acceleration, (len(v.accelerations),)),
            checks.array("torque", torque, (len(v.torques),)),
            checks.array("force", force, (len(v.contacts), 3)).ravel(),
        ])  # fmt: skip

    def solve(self, solver: str | None = None, *, throw: bool = True) -> ProgramSolution:
        """Solve level by level; if the limits contradict each other the closest program, with what gave way named.

        What no task weighs is as small as it can be, in the variables' scales.

        Args:
            solver: "daqp" (default), "clarabel" (default for exact cones; extra `cones`) or "pivoting", which is what
                the compiled controller answers: it is called, so what it last found is overwritten.
            throw: raise SolveError without an answer.
        """
        return solve_program(self, solver, throw=throw)


def build(controller: WholeBody, state: State, *, contacts: ContactChoice = None, cone: str = "pyramid") -> Program:
    """The program that a controller solves at a state, from MuJoCo's own Jacobians, without any elimination.

    Args:
        controller: whose tasks, goals and limits; it is not changed.
        state: where the robot is.
        contacts: None: what is near the ground; or names of the feet that shall stand, or Contacts.
        cone: "pyramid": friction with the controller's number of edges; "exact": round cones, for Clarabel.
    """
    from surefoot.whole_body.controller import WholeBody

    if not isinstance(controller, WholeBody):
        raise InputError(f"controller: expected a WholeBody, got {type(controller).__name__}")
    cone = checks.choice("cone", cone, CONES)
    robot, dt = controller.robot, controller.dt
    space = Workspace(robot, dt)
    space.load(state)
    code = space.find(contacts)
    if code != codes.SOLVED:
        raise SolveError(f"{robot.name}: {Status.from_code(code)}")
    model, data = space.model, mujoco.MjData(space.model)
    state.to_mujoco(data)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    held = program_rows.held_contacts(robot, model, data, closed_contacts(space, contacts))
    closed = np.flatnonzero(space.step.rows.kind[: space.contact_count] == CONE)
    places = tuple(int(closed[i]) for i in held.index)
    variables = _variables(controller, model, held)
    n, names = len(variables), variables.accelerations
    first = model.nv + len(robot.joints)
    feet = [(body, held.contacts.frames[i], first + 3 * i) for i, body in enumerate(held.bodies)]
    goals = {
        name: checks.array(f"goals[{name!r}]", numbers, (None,)).copy() for name, numbers in controller.goals.items()
    }
    body = Body(robot, model, data)
    levels: dict[int, list[TaskRows]] = {level: [] for level in sorted({t.level for t in controller.tasks.values()})}
    for name, task in controller.tasks.items():
        levels[task.level] += task_rows(task, name, task.level, goals[name], body, feet, n)
    last = max(levels)
    levels[last] += _calm(controller, len(held.contacts), first, n, last)
    return Program(
        title=f"{robot.name} over {1e3 * dt:g} ms",
        variables=variables,
        levels=tuple(tuple(level) for level in levels.values()),
        equalities=tuple(
            program_rows.equalities(robot, model, data, dt, controller.settle, held, names, variables.turning)
        ),
        inequalities=tuple(program_rows.inequalities(controller, model, data, held, variables.turning, cone)),
        _source=Source(controller, state, contacts, goals, model.dof_frictionloss[robot.dofs].copy(), places),
    )


def _variables(controller: WholeBody, model: mujoco.MjModel, held: program_rows.Held) -> Variables:
    robot, weight = controller.robot, controller._weight
    kinds = model.jnt_type[model.dof_jntid]
    turning = kinds != int(mujoco.mjtJoint.mjJNT_SLIDE)
    for joint in np.flatnonzero(model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)):
        turning[model.jnt_dofadr[joint] : model.jnt_dofadr[joint] + 3] = False
    torque = weight * min(float(model.stat.extent), 1.0)
    return Variables(
        accelerations=tuple(coordinate_name(model, i) for i in range(model.nv)),
        torques=tuple(robot.joints),
        contacts=held.contacts.names,
        turning=np.concatenate([turning, turning[robot.dofs]]),
        scale=np.concatenate([
            np.full(model.nv, 10.0), np.full(len(robot.joints), torque), np.full(len(held.J), weight)
        ]),
    )  # fmt: skip


def _calm(controller: WholeBody, contacts: int, first: int, n: int, level: int) -> list[TaskRows]:
    """Normal forces near an even share of the weight, tangential ones near zero, both in units of the weight."""
    if not contacts:
        return []
    forces = np.eye(3 * contacts, n, first) / controller._weight
    normal = np.arange(3 * contacts) % 3 == 0
    even, small = controller._calm
    unit = "weights"
    return [
        TaskRows("even load", level, forces[normal], np.full(contacts, 1 / contacts), np.full(contacts, even), unit),
        TaskRows("little friction", level, forces[~normal], np.zeros(2 * contacts), np.full(2 * contacts, small), unit),
    ]
