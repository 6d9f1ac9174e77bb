"""Wiring mistakes, found when a pipeline is built: each names the stages and the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from surefoot import checks
from surefoot.control.blackboard import GIVEN, KNOWN, PHASES, Value, names_of
from surefoot.control.stage import Stage
from surefoot.errors import InputError
from surefoot.robots.scene import Scene


@dataclass(frozen=True)
class Wiring:
    """Stages whose wiring is in order.

    Attributes:
        stages: in the order they run.
        shapes: of every value on the blackboard, by name.
        adding: names of the values that add up; "torque" is the first.
    """

    stages: tuple[Stage, ...]
    shapes: dict[str, tuple[int, ...]]
    adding: tuple[str, ...]


def wire(robot: Scene, stages: Sequence[Stage]) -> Wiring:
    """Check the wiring of stages; the first mistake is an InputError.

    Args:
        robot: the robot whose blackboard it is.
        stages: in the order they are to run.
    """
    _check_names(stages)
    _check_phases(stages)
    values = _values(robot, stages)
    _check_flow(stages)
    added = {name for stage in stages for name in names_of(stage.adds)}
    adding = ("torque", *(name for name in values if name in added and name != "torque"))
    return Wiring(tuple(stages), {name: value.shape_for(robot) for name, value in values.items()}, adding)


def _check_names(stages: Sequence[Stage]) -> None:
    names = []
    for stage in stages:
        if not isinstance(stage, Stage):
            raise InputError(f"stages: expected Stages (see sf.control.stage), got {type(stage).__name__}")
        if stage.name in names:
            raise InputError(f"stages: two stages are called {stage.name!r}; give one another name")
        names.append(stage.name)


def _check_phases(stages: Sequence[Stage]) -> None:
    """Perception, then planning, then control; and each value in its own phase."""
    for before, stage in pairwise(stages):
        if PHASES.index(stage.phase) < PHASES.index(before.phase):
            raise InputError(
                f"stages: {stage.name!r} ({stage.phase}) stands after {before.name!r} ({before.phase}); "
                f"the order is {', '.join(PHASES)}"
            )
    for stage in stages:
        for verb, items in (("writes", stage.writes), ("adds to", stage.adds)):
            for name in names_of(items):
                if name in KNOWN and stage.phase not in KNOWN[name].phases:
                    raise InputError(
                        f"stages: {stage.name!r} ({stage.phase}) {verb} {name!r}, "
                        f"which is for {' or '.join(KNOWN[name].phases)}"
                    )


def _values(robot: Scene, stages: Sequence[Stage]) -> dict[str, Value]:
    """Every value by name: torque, what is given, and what the stages name. All that name it agree on it."""
    values = {name: KNOWN[name].value.of(robot) for name in ("torque", *GIVEN)}
    declared_by: dict[str, str] = {}
    everything = [(stage, item) for stage in stages for item in (*stage.reads, *stage.writes, *stage.adds)]
    for stage, item in everything:
        name = names_of([item])[0]
        if name in KNOWN:
            values.setdefault(name, KNOWN[name].value.of(robot))
        if not isinstance(item, Value):
            continue
        value = item.of(robot)
        first = values.setdefault(name, value)
        if (first.shape, first.unit) != (value.shape, value.unit):
            other = repr(declared_by[name]) if name in declared_by else f"the blackboard of {robot.name!r}"
            raise InputError(f"stages: {name!r} is {first} for {other}, but {value} for {stage.name!r}")
        if name not in KNOWN:
            declared_by.setdefault(name, stage.name)
    for stage, item in everything:
        if names_of([item])[0] not in values:
            choices = list(dict.fromkeys([*values, *KNOWN]))
            checks.indices(f"stages: {stage.name!r}", names_of([item]), choices, "value")
    return values


def _check_flow(stages: Sequence[Stage]) -> None:
    """What is read was written before, by one stage; what adds up was added before it was read."""
    writer = dict.fromkeys(GIVEN, "the pipeline")
    adder: dict[str, str] = {}
    reader: dict[str, str] = {}
    for place, stage in enumerate(stages):
        for name in names_of(stage.reads):
            if name not in writer and name not in adder:
                later = [s.name for s in stages[place + 1 :] if name in names_of(s.writes + s.adds)]
                hint = f"; {later[0]!r} does so after it" if later else ""
                raise InputError(f"stages: {stage.name!r} reads {name!r}, which no stage before it writes{hint}")
        for name in names_of(stage.writes):
            if name in names_of(stage.reads):
                continue  # it changes what others gave
            if name in adder or (name in KNOWN and KNOWN[name].adds):
                other = f" by {adder[name]!r}" if name in adder else ""
                raise InputError(
                    f"stages: {stage.name!r} writes {name!r}, which is added to{other}; "
                    "name it in adds, or in reads and writes to change the sum"
                )
            if name in writer:
                other = repr(writer[name]) if name not in GIVEN else writer[name]
                raise InputError(
                    f"stages: {other} and {stage.name!r} both write {name!r}; "
                    "leave one out, or name it in reads as well to change it"
                )
            writer[name] = stage.name
        for name in names_of(stage.adds):
            if name in writer or (name in KNOWN and not KNOWN[name].adds):
                other = f" by {writer[name]!r}" if name in writer and name not in GIVEN else ""
                raise InputError(
                    f"stages: {stage.name!r} adds to {name!r}, which is written{other} and does not add up"
                )
            if name in reader:
                raise InputError(
                    f"stages: {stage.name!r} adds to {name!r} after {reader[name]!r} has read it; put it before"
                )
            adder.setdefault(name, stage.name)
        for name in names_of(stage.reads):
            reader.setdefault(name, stage.name)
