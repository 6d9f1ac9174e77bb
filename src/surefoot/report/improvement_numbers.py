"""Numbers of an improvement: what stayed of its steps, who asked for it, and how much of the task each design does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.design.beginning import beginning
from surefoot.design.course import GaitTask, HandTask
from surefoot.design.history import LEAP, Step
from surefoot.design.improvement import Improvement
from surefoot.design.morphology import Morphology, Parameter
from surefoot.design.problem import Look, Problem
from surefoot.design.rehearsal import Rehearsal

Array = NDArray[np.float64]
UNDO = "undo"
UNASKED = "no single witness"
_LENGTHS = {"length", "size", "radius", "width", "depth", "height", "mount", "drop", "x", "y", "z", "bar", "place"}
_ANGLES = {"tare", "axis", "tilt1", "tilt2", "low", "high", "home"}


@dataclass(frozen=True)
class Unit:
    """How people read a parameter.

    Attributes:
        name: "mm", "g", "°", "%" or "".
        scale: of that unit to one of the parameter.
    """

    name: str
    scale: float

    def text(self, value: float, *, signed: bool = False) -> str:
        """A value in this unit, without the unit's name, to about a thousandth of what people build."""
        shown = self.scale * value
        digits = 1 if self.name else 4
        text = f"{shown:+.{digits}f}" if signed else f"{shown:.{digits}f}"
        return minus(text) if float(text) else text.lstrip("+-")


def minus(number: str) -> str:
    """The same number with a true minus sign."""
    return number.replace("-", "\u2212")


def unit_of(parameter: Parameter) -> Unit:
    """Lengths are read in mm, masses in g, angles in degrees, factors in per cent; all else as it is."""
    words = parameter.targets[0].split(".")
    word = next((word for word in reversed(words) if not word.isdigit()), "")
    if parameter.factor:
        return Unit("%", 100.0)
    if word == "mass":
        return Unit("g", 1e3)
    if word == "length" and parameter.targets[0].count(".") == 2 and parameter.low <= 1.0 <= parameter.high:
        return Unit("%", 100.0)  # of a link of a file: what it is multiplied by
    if word in _LENGTHS:
        return Unit("mm", 1e3)
    return Unit("°", float(np.degrees(1.0))) if word in _ANGLES else Unit("", 1.0)


def how_hard(task: Any, difficulty: float) -> str:
    """A difficulty in words: "0.4 m/s" of a gait, "2 times the speed" of a hand."""
    if isinstance(task, GaitTask):
        return f"{difficulty:g} m/s"
    return f"{difficulty:g} times the speed" if isinstance(task, HandTask) else f"difficulty {difficulty:g}"


def hardness_label(task: Any) -> str:
    """Name of the axis of difficulties."""
    return "speed [m/s]" if isinstance(task, GaitTask) else "difficulty"


def final_difficulty(improvement: Improvement) -> float:
    """The highest at which all limits hold; if there is none, the one that was tried last."""
    if np.isfinite(improvement.difficulty):
        return improvement.difficulty
    return improvement.steps[-1].difficulty if improvement.steps else improvement.wanted


def moved(step: Step) -> bool:
    """Whether a step left another design behind."""
    return step.accepted and (bool(step.motors) or any(step.applied.values()))


def kept(improvement: Improvement) -> list[Step]:
    """The steps that lead from the start to the design at the end: nothing taken back, undone, or made after it."""
    path: list[Step] = []
    for step in improvement.steps:
        if UNDO in step.answers:
            if path:
                path.pop()
        elif moved(step):
            path.append(step)
    while path and not np.allclose(after(path[-1], improvement.morphology), improvement.p, rtol=1e-9, atol=1e-12):
        path.pop()
    return path


def after(step: Step, morphology: Morphology) -> Array:
    """(m,) parameters that a step left behind."""
    p = np.array([step.before[name] + step.applied.get(name, 0.0) for name in morphology.names])
    return np.clip(p, morphology.low, morphology.high)


def forced(improvement: Improvement) -> dict[str, dict[str, float]]:
    """By witness and parameter the sum of the changes, without their signs, that it asked for more than any other.

    Returns:
        Witness to parameter to change in the parameter's unit; the witness that asked for most comes first, measured
        by the parameters' ranges.
    """
    morphology = improvement.morphology
    ranges = {parameter.name: parameter.range for parameter in morphology.parameters}
    found: dict[str, dict[str, float]] = {}
    for step in kept(improvement):
        for name, change in step.applied.items():
            if change:
                mine = found.setdefault(_asked(step, name), {})
                mine[name] = mine.get(name, 0.0) + abs(change)
    total = {who: sum(change / ranges[name] for name, change in mine.items()) for who, mine in found.items()}
    return {who: found[who] for who in sorted(found, key=lambda who: -total[who])}


def _asked(step: Step, name: str) -> str:
    """Who asked for a step's change of a parameter."""
    if LEAP in step.answers and step.violations:
        return f"{step.violations[0].witness} (leap)"
    return step.because.get(name, UNASKED)


@dataclass(frozen=True, eq=False)
class Progress:
    """How much of the task every design of an improvement does.

    Attributes:
        levels: (l,) difficulties, rising.
        share: (l, n + 1) share of the course, 0 to 1, before the first violation, after 0 to n updates; NaN: not known.
        tried: (n + 1,) difficulty that each design was to do.
        worst: (n + 1,) the least witness there; NaN: not known.
        witness: (n + 1,) name of the witness that is it; "" if all limits hold.
        met: number of updates, difficulty and least witness of each difficulty that was done.
    """

    levels: Array
    share: Array
    tried: Array
    worst: Array
    witness: tuple[str, ...]
    met: tuple[tuple[int, float, float], ...] = ()


def progress(improvement: Improvement, everywhere: bool | None = None) -> Progress:
    """Share of the course that every design does at every difficulty.

    Args:
        improvement: from `improve`.
        everywhere: whether to look at all designs at all difficulties, about 0.1 s each; else those that the steps
            tell of. None: unless there is a crowd, of which each look takes as many times as long.
    """
    levels = np.unique([*(step.difficulty for step in improvement.steps), improvement.wanted])
    count = max([improvement.updates, *(step.number for step in improvement.steps)])
    share = np.full((len(levels), count + 1), np.nan)
    tried, worst, witness = np.full(count + 1, np.nan), np.full(count + 1, np.nan), [""] * (count + 1)
    designs: dict[int, tuple[Array, Problem]] = {0: (improvement.start, beginning(improvement))}
    met: dict[float, tuple[int, float, float]] = {}
    for column, step, design in _looks(improvement):
        if column in designs and not _same(design, designs[column]):  # undone, or another motor
            share[:, column] = tried[column] = np.nan
        designs[column] = design
        if step is not None:
            share[np.searchsorted(levels, step.difficulty), column] = step.progress
            tried[column], worst[column] = step.difficulty, step.worst
            if step.number == 0 and not step.motors:
                met[step.difficulty] = column, step.difficulty, step.worst
            witness[column] = step.violations[0].witness if step.violations and step.worst < 0.0 else ""
    everywhere = improvement.problem.crowd is None if everywhere is None else everywhere
    known: dict[tuple[bytes, int, float], Look] = {}
    for column in range(count + 1):
        p, problem = designs[column] = designs.get(column) or designs[column - 1]  # an update that changed nothing
        unseen = np.isnan(tried[column])
        if unseen:
            tried[column] = tried[column - 1] if column else levels[0]
        for k, level in enumerate(levels.tolist()):
            if np.isnan(share[k, column]) and (everywhere or (unseen and level == tried[column])):
                key = p.tobytes(), id(problem), level
                look = known[key] = known.get(key) or problem.look(p, level)
                share[k, column] = look.progress
                if unseen and level == tried[column]:
                    worst[column] = look.worst
                    witness[column] = look.names[int(look.values.min(axis=0).argmin())] if look.worst < 0.0 else ""
    return Progress(levels, share, tried, worst, tuple(witness), tuple(met.values()))


def _looks(improvement: Improvement) -> Iterator[tuple[int, Step | None, tuple[Array, Problem]]]:
    """By number of updates made the step that tells of the design then; then the design that each left behind.

    Of one number the last counts: after it was undone, or with another motor.
    """
    morphology, done = improvement.morphology, 0
    design, past = (improvement.start, beginning(improvement)), []
    for step in improvement.steps:
        here = step.number if step.motors else done if step.number == 0 else step.number - 1
        design = np.array([step.before[name] for name in morphology.names]), design[1]
        yield here, step, design
        if UNDO in step.answers:
            design = past.pop() if past else design
            continue
        if moved(step):
            past.append(design)
            problem = design[1]
            for pattern, motor in step.motors.items():
                problem = problem.with_morphology(problem.morphology.with_motor(pattern, motor))
            design = after(step, morphology), problem
        done = max(done, step.number)
        if step.number:
            yield done, None, design


def _same(one: tuple[Array, Problem], other: tuple[Array, Problem]) -> bool:
    return one[1] is other[1] and np.array_equal(one[0], other[0])


@dataclass(frozen=True, eq=False)
class Cloud:
    """What joints with one kind of motor do along the course.

    Attributes:
        speed: (k,) rad/s of samples whose torque is known, all joints together.
        torque: (k,) N m.
        beyond: share of these, 0 to 1, that the motor cannot do.
        hidden: share of the course, 0 to 1, without torques: out of reach, or without an answer.
        joints: names.
    """

    speed: Array
    torque: Array
    beyond: float
    hidden: float
    joints: tuple[str, ...]


def clouds(problem: Problem, rehearsal: Rehearsal) -> dict[str, Cloud]:
    """By kind of motor what its joints do; joints that were given none are called "no motor".

    Args:
        problem: whose motors count.
        rehearsal: of the robot as drawn.
    """
    morphology, scene = problem.morphology, rehearsal.scene
    names = ["no motor" if (motor := morphology.motor(joint)) is None else motor.name for joint in scene.joints]
    found = {}
    for name in dict.fromkeys(names):
        mine = [k for k, other in enumerate(names) if other == name]
        torque, speed = rehearsal.torque[:, mine], rehearsal.v[:, scene.dofs[mine]]
        used = np.abs(torque) / morphology.torque[mine] + np.abs(speed) / morphology.speed[mine]
        known = np.isfinite(torque)
        beyond = float((used[known] > 1.0).mean()) if known.any() else 0.0
        hidden = 1.0 - known.all(axis=1).sum() / len(rehearsal.course)
        joints = tuple(scene.joints[k] for k in mine)
        found[name] = Cloud(speed[known], torque[known], beyond, float(hidden), joints)
    return found
