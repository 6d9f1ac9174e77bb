"""What happened to a design: its steps, its end, and a log from which it can go on or be played again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import InputError

STEPS = "steps.jsonl"
LEAP = "leap"  # noted as the answer of a step that no slope suggested


@dataclass(frozen=True)
class Violation:
    """A witness at its worst.

    Attributes:
        witness: its name.
        value: negative by how far the limit is exceeded, without unit.
        time: s in the course, between samples where it first crosses zero before.
        phase: share of the course, 0 to 1, of its worst sample.
    """

    witness: str
    value: float
    time: float
    phase: float

    def __str__(self) -> str:
        return f"{self.witness} {self.value:+.3f} at {100 * self.phase:.0f} %"


@dataclass(frozen=True)
class Step:
    """One look at a design, and the change that followed.

    Attributes:
        number: of the update, from 1; 0: no update, the task was done at this difficulty.
        difficulty: of the task.
        before: parameters by name.
        progress: share of the course before the first violation.
        worst: the least witness.
        violations: at most one a witness, the worst first.
        suggested: change by parameter.
        answers: what was said to the suggestion.
        applied: change by parameter as made; all zero if it made things worse and was taken back.
        accepted: whether it stayed.
        rough: witnesses whose slopes two step sizes see differently.
        because: by parameter the witness that moved it most, by the slopes.
        motors: motor by pattern, if one was changed.
        memory: what the loop knew when it came to this step, from which a run that was killed goes on.
    """

    number: int
    difficulty: float
    before: dict[str, float]
    progress: float
    worst: float
    violations: tuple[Violation, ...] = ()
    suggested: dict[str, float] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    applied: dict[str, float] = field(default_factory=dict)
    accepted: bool = True
    rough: tuple[str, ...] = ()
    because: dict[str, str] = field(default_factory=dict)
    motors: dict[str, str] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Step:
        """From one line."""
        found: dict[str, Any] = json.loads(line)
        found["violations"] = tuple(Violation(**one) for one in found["violations"])
        for name in ("answers", "rough"):
            found[name] = tuple(found[name])
        return cls(**found)


class Log:
    """The steps of a design in a folder, one JSON line each, written as they happen.

    Attributes:
        path: of the file; None: nothing is written.
        steps: all of them.
    """

    def __init__(self, folder: str | Path | None = None, *, resume: bool = False) -> None:
        """Begin a log.

        Args:
            folder: to be made; None: keep the steps in memory alone.
            resume: go on with the steps that are there; without it a folder that has some is refused.
        """
        self.steps: list[Step] = []
        self.path: Path | None = None
        if folder is None:
            if resume:
                raise InputError("resume: expected a folder (out) with the log to go on with, got none")
            return
        try:
            self.path = Path(folder) / STEPS
            found = self.path.exists()
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except (OSError, TypeError) as error:
            raise InputError(f"out: {str(folder)!r} cannot be made: {getattr(error, 'strerror', error)}") from None
        if found:
            if not resume:
                raise InputError(f"out: {self.path.parent} has a run already; resume it, or choose another folder")
            self.steps = list(read_steps(self.path))
            self.keep(len(self.steps))

    def add(self, step: Step) -> None:
        """Write a step."""
        self.steps.append(step)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(step.to_json() + "\n")

    def keep(self, count: int) -> None:
        """Forget all steps but the first `count`."""
        del self.steps[count:]
        if self.path is not None:
            other = self.path.with_suffix(".part")
            other.write_text("".join(step.to_json() + "\n" for step in self.steps), encoding="utf-8")
            other.replace(self.path)


def read_steps(path: str | Path) -> Iterable[Step]:
    """Steps of a log; a last line that a killed run left half written is passed over.

    Raises:
        InputError: there is no such file, or a line in it is no step.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise InputError(f"log: {str(path)!r} cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        try:
            yield Step.from_json(line)
        except (ValueError, TypeError, KeyError) as error:
            if number == len(lines) and not line.endswith("\n"):
                return
            raise InputError(f"log: line {number} of {str(path)!r} is no step: {error}") from None


def as_dict(names: Iterable[str], values: Any) -> dict[str, float]:
    """Numbers (m,) by name."""
    return {name: float(value) for name, value in zip(names, np.asarray(values), strict=True)}


def answers_of(steps: Iterable[Step]) -> list[str]:
    """What was said, as a script that makes the same robot of the same start."""
    return [answer for step in steps for answer in step.answers if answer != LEAP]
