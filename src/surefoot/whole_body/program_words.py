"""A task program and its solution as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot.whole_body.program_parts import Cones, Inequalities, TaskRows

if TYPE_CHECKING:
    from surefoot.whole_body.program import Program
    from surefoot.whole_body.program_solve import ProgramSolution

Array = NDArray[np.float64]


def table(program: Program) -> str:
    """Sizes, tasks, equalities, limits."""
    v = program.variables
    sizes = f"{len(v.accelerations)} accelerations, {len(v.torques)} torques, {_forces(v.contacts)}"
    lines = [
        f"{program.title}: {len(v)} variables ({sizes})",
        f"  {'level':<7}{'task':<18}{'rows':>4}  weight   error now",
    ]
    for level in program.levels:
        lines += [_task(block) for block in level]
    lines.append(f"  {'equal':<25}{'rows':>4}")
    lines += [f"  {rows.family:<25}{len(rows.right):>4}" for rows in program.equalities]
    if program.inequalities:
        lines.append(f"  {'limits':<25}{'rows':>4}  counts as one")
    lines += [_limit(rows) for rows in program.inequalities]
    return "\n".join(lines)


def _forces(contacts: tuple[str, ...]) -> str:
    if not contacts:
        return "no forces: nothing touches"
    return f"{3 * len(contacts)} forces of {len(contacts)} contact{'s' if len(contacts) > 1 else ''}"


def _task(block: TaskRows) -> str:
    weight = " to ".join(f"{value:g}" for value in sorted({block.weight.min(initial=np.inf), block.weight.max()}))
    error = "" if block.error is None else f"{np.linalg.norm(block.error):.3g} {block.error_unit}"
    return f"  {block.level:<7}{block.name:<18}{len(block.right):>4}  {weight:<9}{error}".rstrip()


def _limit(rows: Inequalities | Cones) -> str:
    name = f"{rows.family}, exact cones" if isinstance(rows, Cones) else rows.family
    units = "/".join(dict.fromkeys(rows.units))
    return f"  {name:<25}{len(rows.names):>4}  {rows.scale[0]:g} {units}"


def solution_table(solution: ProgramSolution) -> str:
    """How it ended, what is left of each task, what is at its limit, what gave way."""
    program = solution.program
    lines = [f"{program.title}, by {solution.solver}: {solution.text()}"]
    lines.append(f"  {'level':<7}{'task':<18}residual")
    for level in program.levels:
        for block in level:
            size = np.linalg.norm(solution.task_residuals[block.name])
            lines.append(f"  {block.level:<7}{block.name:<18}{size:.3g} {block.unit}")
    if solution.active:
        lines.append("  at their limits: " + "; ".join(solution.active))
    lines += [f"  gave way: {violation}" for violation in solution.violations]
    return "\n".join(lines)
