"""Solutions of a task program: by DAQP, by Clarabel, and by the compiled controller itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, SolveError
from surefoot.solvers.status import Status
from surefoot.whole_body import program_words
from surefoot.whole_body.program_cones import least_squares_cones, load_clarabel
from surefoot.whole_body.program_least import Least, least_squares
from surefoot.whole_body.program_levels import ROUNDING, Found, Reduced, reduce, solve_levels
from surefoot.whole_body.program_optimality import stationarity
from surefoot.whole_body.program_parts import Cones, Inequalities

if TYPE_CHECKING:
    from surefoot.whole_body.program import Program

Array = NDArray[np.float64]
SOLVERS = ("daqp", "clarabel", "pivoting")


class Violation(NamedTuple):
    """A limit that gave way."""

    name: str
    amount: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name} by {self.amount:.4g} {self.unit}"


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """What a program's solver found.

    Attributes:
        program: what was solved.
        solver: by whom.
        status: SOLVED, REGULARISED (limits contradict each other and gave way, see `violations`), or no answer.
        x: (n,) the variables.
        violations: limits that gave way, each with its amount and unit.
        multipliers: a level a dict: by how much the level's value would fall for a unit of room at each limit.
    """

    program: Program
    solver: str
    status: Status
    x: Array
    violations: tuple[Violation, ...]
    multipliers: tuple[dict[str, float], ...] = field(default=(), repr=False)

    @property
    def acceleration(self) -> Array:
        """(nv,) m/s^2 and rad/s^2."""
        return self.program.variables.split(self.x)[0]

    @property
    def torque(self) -> Array:
        """(joints,) N m."""
        return self.program.variables.split(self.x)[1]

    @property
    def forces(self) -> Array:
        """(contacts, 3) N, in the contacts' frames."""
        return self.program.variables.split(self.x)[2]

    @cached_property
    def task_residuals(self) -> dict[str, Array]:
        """By task what it got less what it wanted."""
        return {name: block.residual(self.x) for name, block in self.program.tasks.items()}

    @cached_property
    def active(self) -> tuple[str, ...]:
        """Names of the limits that are at their end."""
        names: list[str] = []
        for family in self.program.inequalities:
            at_end = family.room(self.x) <= 1e-8 * family.scale
            names += [name for name, there in zip(family.names, at_end, strict=True) if there]
        return tuple(names)

    @cached_property
    def residuals(self) -> dict[str, float]:
        """Conditions of optimality, computed from the problem: `Program.residuals`, and "optimality of level k".

        The latter is the part of a level's gradient that neither limits nor levels before hold, relative to what it is
        made of. Limits that gave way count as violated here by as much.
        """
        found = self.program.residuals(self.x)
        give = {violation.name: violation.amount for violation in self.violations}
        for k, value in enumerate(stationarity(self.program, reduce(self.program), self.x, give)):
            found[f"optimality of level {k}"] = value
        return found

    def text(self) -> str:
        """How it ended, in a sentence."""
        if self.violations:
            gave = ", ".join(map(str, self.violations))
            return f"the limits contradict each other; the closest program exceeds {gave}"
        return "solved" if self.status is Status.SOLVED else str(self.status)

    def table(self) -> str:
        """How it ended, what is left of each task, what is at its limit."""
        return program_words.solution_table(self)

    def __str__(self) -> str:
        return self.table()


def solve_program(program: Program, solver: str | None, *, throw: bool) -> ProgramSolution:
    """See `Program.solve`."""
    if solver is None:
        solver = "clarabel" if program.is_exact else "daqp"
    checks.choice("solver", solver, SOLVERS)
    if program.is_exact and solver != "clarabel":
        raise InputError(f"solver: expected 'clarabel' for a program with exact cones, got {solver!r}")
    if solver == "clarabel":
        load_clarabel()
    solution = _pivoting(program) if solver == "pivoting" else _by_levels(program, solver)
    if throw and not solution.status.is_answer:
        raise SolveError(f"{program.title}: {solution.text()}", solution)
    return solution


def _daqp(A: Array, c: Array, R: Array, r: Array, C: Array, d: Array) -> Least | None:
    return least_squares(A, c, R, r)


def _by_levels(program: Program, solver: str) -> ProgramSolution:
    reduced = reduce(program)
    found = solve_levels(reduced, _daqp if solver == "daqp" else least_squares_cones)
    if found is None:
        return ProgramSolution(program, solver, Status.UNSOLVED, np.zeros(len(program.variables)), ())
    violations = _violations(program, found.give, found.give_cones)
    status = Status.REGULARISED if violations else Status.SOLVED
    multipliers = _multipliers(program, reduced, found)
    return ProgramSolution(program, solver, status, reduced.at(found.y), violations, multipliers)


def _violations(program: Program, give: Array, give_cones: Array) -> tuple[Violation, ...]:
    """Names of what gives way, from the amounts in units of the scales."""
    found, at, at_cones = [], 0, 0
    for family in program.inequalities:
        m = len(family.names)
        if isinstance(family, Cones):
            amounts, at_cones = give_cones[at_cones : at_cones + m] * family.scale, at_cones + m
        else:
            amounts, at = give[at : at + m] * family.scale, at + m
        named = zip(family.names, amounts, family.units, strict=True)
        found += [Violation(name, float(amount), unit) for name, amount, unit in named if amount > 0.0]
    return tuple(found)


def _multipliers(program: Program, reduced: Reduced, found: Found) -> tuple[dict[str, float], ...]:
    """By name, of what pushes; a cone's is that of its first component."""
    rows = [family for family in program.inequalities if isinstance(family, Inequalities)]
    cones = [family for family in program.inequalities if isinstance(family, Cones)]
    names = [(name, scale) for one in rows for name, scale in zip(one.names, one.scale, strict=True)]
    m = len(reduced.r)
    result = []
    for push in found.multipliers:
        level = {name: float(2 * value / scale) for (name, scale), value in zip(names, push[:m], strict=True)}
        round_ = [(name, scale) for one in cones for name, scale in zip(one.names, one.scale, strict=True)]
        level |= {name: float(2 * value / scale) for (name, scale), value in zip(round_, push[m::3], strict=True)}
        largest = max((abs(value) for value in level.values()), default=0.0)
        result.append({name: value for name, value in level.items() if value > 1e-9 * largest})
    return tuple(result)


def _pivoting(program: Program) -> ProgramSolution:
    """The compiled controller's answer, with the goals that the program was built with, contacts taken as held."""
    source = program._source
    controller, kernel = source.controller, source.controller._c
    goals = {name: numbers.copy() for name, numbers in controller.goals.items()}
    check = int(kernel.check[0])
    try:
        for name, numbers in source.goals.items():
            controller.goals[name][:] = numbers
        kernel.check[0] = 0
        torque = controller(source.state, contacts=source.contacts).copy()
    finally:
        for name, numbers in goals.items():
            controller.goals[name][:] = numbers
        controller._c.check[0] = check
    status = controller.status
    if not status.is_answer:
        return ProgramSolution(program, "pivoting", status, np.zeros(len(program.variables)), ())
    acceleration, dofs = controller.acceleration.copy(), controller.robot.dofs
    speed = source.state.v[dofs] + controller.dt * acceleration[dofs]
    torque -= np.copysign(source.friction, speed) * np.minimum(1.0, np.abs(speed) / 1e-2)  # which motors overcome
    x = program.vector(acceleration, torque, controller.forces[list(source.places)])
    violations = []
    for family in program.inequalities:
        short = -family.room(x)
        named = zip(family.names, short, family.units, short > 3 * ROUNDING * family.scale, strict=True)
        violations += [Violation(name, float(amount), unit) for name, amount, unit, beyond in named if beyond]
    return ProgramSolution(program, "pivoting", status, x, tuple(violations))
