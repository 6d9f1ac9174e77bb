"""Falsify, change the robot, falsify again: limits that a task violates suggest the least change of the design.

The loop of [Zapolsky2017, algorithm 2, with the errata]: after an update joints are found anew by inverse kinematics;
rows are violated witnesses, and those near their limits guard theirs; bounds hold; updates are counted. Difficulty is
raised in steps once a task is done without violation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.design.answers import Ask, accept, changed, understood
from surefoot.design.history import LEAP, Log, Step, as_dict
from surefoot.design.improvement import Improvement
from surefoot.design.jacobian import Crew, jacobian
from surefoot.design.leaps import merit_of, neighbours, scouts
from surefoot.design.morphology import Morphology
from surefoot.design.problem import Look, Problem
from surefoot.design.rows import choose_rows, limiting, violations
from surefoot.design.update import Update, least_update
from surefoot.errors import InputError

Array = NDArray[np.float64]
TRUST, MOST_TRUST, LEAST_TRUST = 0.1, 0.25, 1e-3  # of a parameter's range
ROOM = 5e-3  # is aimed at, so that a limit is passed and not just reached
BETTER = 1e-6  # least gain of an update that stays
WORTH = 5e-3  # least gain of a leap
FEW = 8  # designs that a crowd looks at before one
PATIENCE, LITTLE = 3, 0.2  # updates that gain less than this share of what is missing are slow
Progress = Callable[[Step], None]


def improve(
    problem: Problem,
    difficulties: Sequence[float],
    *,
    p: Any = None,
    ask: Ask | None = None,
    scope: str = "all",
    margin: float = 0.0,
    updates: int = 100,
    workers: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    choices: Mapping[str, Sequence[str]] | None = None,
    progress: Progress | None = None,
) -> Improvement:
    """Change a robot until it can do its task.

    Args:
        problem: what is designed.
        difficulties: of the task, rising: each is done before the next is tried.
        p: (m,) parameters to begin with; None: the robot as it is.
        ask: what a designer says to each suggestion, see `answers`; None: all are accepted (automatic).
        scope: "all": every violated witness of the course at its minima, and those near their limits; "first": those of
            the first sample that violates one, as the dissertation does.
        margin: that all witnesses shall have at the last difficulty; inf: as much as can be had.
        updates: how many at most.
        workers: processes for finite differences.
        out: folder of the log; None: none.
        resume: go on with the log in `out`.
        choices: names of motors by pattern of joints, tried in order when nothing else helps.
        progress: called with every step.

    Returns:
        The design, and why it ended; a task that cannot be done is no error.
    """
    if not isinstance(problem, Problem):
        raise InputError(f"problem: expected a Problem, got {type(problem).__name__}")
    if isinstance(difficulties, str) or not isinstance(difficulties, Iterable):
        raise InputError(f"difficulties: expected one or more rising numbers, got {difficulties!r}")
    levels = [checks.number("difficulties", level) for level in difficulties]
    if not levels or any(b <= a for a, b in itertools.pairwise(levels)):
        raise InputError(f"difficulties: expected one or more rising numbers, got {list(difficulties)!r}")
    checks.choice("scope", scope, ("all", "first"))
    if not (isinstance(margin, int | float) and margin >= 0.0):
        raise InputError(f"margin: expected a number of at least 0, inf allowed, got {margin!r}")
    checks.whole("updates", updates)
    for name, function in (("ask", ask), ("progress", progress)):
        if function is not None and not callable(function):
            raise InputError(f"{name}: expected a function of a step, got {function!r}")
    _check_choices(problem.morphology, choices)
    log = Log(out, resume=resume)
    with Crew(checks.whole("workers", workers, at_least=1)) as crew:
        loop = _Loop(problem, levels, ask or accept, scope, float(margin), updates, log, crew, choices or {}, progress)
        return loop.run(problem.morphology.start if p is None else problem.morphology.checked(p))


class _Loop:
    """The state of `improve`."""

    def __init__(
        self, problem: Problem, levels: list[float], ask: Ask, scope: str, margin: float, updates: int, log: Log,
        crew: Crew, choices: Mapping[str, Sequence[str]], progress: Progress | None,
    ) -> None:  # fmt: skip
        self.problem, self.levels, self.ask, self.scope, self.margin = problem, levels, ask, scope, margin
        self.most, self.log, self.crew, self.tell = updates, log, crew, progress
        self.choices = {pattern: list(names) for pattern, names in choices.items()}
        self.trust, self.count, self.done = TRUST, 0, math.nan
        self.held: Array | None = None
        self.recent: list[float] = []  # worst witnesses of the last updates
        self.past: list[tuple[Array, int, Problem]] = []  # what undo goes back to
        self.memory: dict[str, Any] = {}  # see `Step.memory`
        self.said: list[str] = []  # answers of a step that is done again after a run was killed

    def run(self, p: Array) -> Improvement:
        """Until the task is done, nothing helps, or somebody stops it."""
        start, level, aim = p, 0, 0.0
        best: Look | None = None  # of those that meet all limits, at the highest level at which one does
        if self.log.steps:
            p, level, aim, best = self._resumed()
        look = self.problem.look(p, self.levels[level])
        number = self.memory.get("round", 0) - 1
        while True:
            number += 1
            self._remember(number, look, aim, best)
            last = level == len(self.levels) - 1
            if look.worst >= 0.0 and (best is None or (look.difficulty, look.worst) >= (best.difficulty, best.worst)):
                best = look
            if look.worst >= aim:
                self.done = self.levels[level]
                if not last:
                    self._note(Step(0, look.difficulty, self._named(look.p), 1.0, look.worst))
                    level, self.trust, self.recent = level + 1, TRUST, []
                    look = self.problem.look(look.p, self.levels[level])
                    continue
                if look.worst >= self.margin:
                    self._note(Step(0, look.difficulty, self._named(look.p), 1.0, look.worst))
                    return self._end(
                        start, look, f"all limits hold at {look.difficulty:g} with {look.worst:.3f} to spare"
                    )
                aim = min(self.margin, look.worst + 2 * ROOM)
            if self.count >= self.most:
                return self._end(
                    start,
                    best or look,
                    f"{self.most} updates are used up{self._limiting(look, aim)}",
                )
            step, update = self._suggest(look, aim)
            outcome = self._ask(step, update, look, level)
            if outcome is None:
                ended = best if best and best.difficulty == look.difficulty else look
                return self._end(start, ended, "stopped by the designer")
            if isinstance(outcome, Look):  # undone, or with another motor
                look, level, aim, best = outcome, self.levels.index(outcome.difficulty), 0.0, None
                continue
            look, moved = self._apply(step, outcome, look, level)
            stuck = not moved and self.trust < LEAST_TRUST
            if stuck or self._slow(look, aim):
                bounds = self.problem.morphology.low, self.problem.morphology.high
                known = self.problem
                other = self._leap(look, level, neighbours(look, *bounds))
                if other is None and not stuck:
                    continue
                other = other or self._leap(look, level, scouts(*bounds)) or self._other_motor(look, level)
                if other is None:
                    what = "no more room to gain" if aim > 0.0 else "no change within the bounds helps"
                    return self._end(start, best or look, what + self._limiting(look, aim))
                if other.worst < 0.0:
                    aim = 0.0
                if self.problem is not known:  # with another motor nothing is known of other designs
                    best = None
                look = other

    def _suggest(self, look: Look, aim: float) -> tuple[Step, Update]:
        """The least update, and a step that tells of it."""
        rows = choose_rows(look, aim, self.scope)
        slopes = jacobian(self.problem, look, rows, self.crew)
        values = np.array([look.values[row.sample, row.witness] for row in rows])
        aims = np.where(values < aim, aim + ROOM, np.minimum(aim + ROOM, values))
        morphology = self.problem.morphology
        weights = np.array([parameter.weight for parameter in morphology.parameters])
        update = least_update(slopes.matrix, values, aims, look.p, morphology.low, morphology.high, weights, self.trust)
        self.held = update.held
        names = morphology.names
        gains = np.maximum(aims - values, 0.0)[:, None] * slopes.matrix * update.change  # which row asked for it
        because = {
            name: look.names[rows[int(gains[:, j].argmax())].witness]
            for j, name in enumerate(names)
            if update.change[j] != 0.0 and gains[:, j].max(initial=0.0) > 0.0
        }
        step = Step(
            self.count + 1, look.difficulty, self._named(look.p), look.progress, look.worst, violations(look, aim),
            as_dict(names, update.change), rough=slopes.rough(look.names), because=because,
        )  # fmt: skip
        return step, update

    def _ask(self, step: Step, update: Update, look: Look, level: int) -> tuple[Array, tuple[str, ...]] | Look | None:
        """What the designer makes of a suggestion: a change; another look after undo or a new motor; None to stop."""
        names, change, said = self.problem.morphology.names, update.change, []
        while True:
            asked = replace(step, suggested=as_dict(names, change), answers=tuple(said))
            text = self.said.pop(0) if self.said else self.ask(asked)
            answer = understood(text, names)
            said.append(answer.text)
            if answer.verb == "accept":
                return change, tuple(said)
            if answer.verb == "quit":
                return None
            if answer.verb == "undo":
                if not self.past:
                    raise InputError("answer 'undo': there is no update to take back")
                p, level, self.problem = self.past.pop()
                self.trust = TRUST
                self._note(replace(step, answers=tuple(said), accepted=False))
                return self.problem.look(p, self.levels[level])
            if answer.verb == "motor":
                pattern, motor = answer.words
                return self._fit(pattern, motor, look, level, tuple(said))
            change = changed(change, answer, names)

    def _apply(self, step: Step, outcome: tuple[Array, tuple[str, ...]], look: Look, level: int) -> tuple[Look, bool]:
        """Make a change; one that makes things worse is taken back, and the next may be half as large."""
        change, said = outcome
        morphology, self.count = self.problem.morphology, self.count + 1
        p = np.clip(look.p + change, morphology.low, morphology.high)
        new = self.problem.look(p, look.difficulty)
        supervised = self.ask is not accept
        better = new.merit > (look.merit[0], look.merit[1] + BETTER)
        stays = better or (supervised and bool(change.any()))
        applied = p - look.p if stays else np.zeros(len(p))
        self._note(replace(step, answers=said, applied=as_dict(morphology.names, applied), accepted=stays))
        self.trust = min(1.5 * self.trust, MOST_TRUST) if better else 0.5 * self.trust
        if not stays:
            return look, False
        self.past.append((look.p, level, self.problem))
        return new, True

    def _slow(self, look: Look, aim: float) -> bool:
        """Whether the last few updates gained next to nothing of what is missing."""
        self.recent.append(look.worst)
        if len(self.recent) <= PATIENCE:
            return False
        slow = self.recent[-1] - self.recent[-1 - PATIENCE] < LITTLE * (aim + ROOM - self.recent[-1 - PATIENCE])
        if slow:
            self.recent = []
        return slow

    def _leap(self, look: Look, level: int, tries: list[Array]) -> Look | None:
        """Where slopes show no way: the best of some other designs; None if none of them helps.

        Feet right under their hips are such a place: their leverage is least, whichever way the hips move.
        """
        if not tries or self.count >= self.most or self.ask is not accept:
            return None
        if self.problem.crowd is not None:  # many robots each: only those that do best as drawn
            drawn = self.crew.map(merit_of, [(self.problem.as_drawn, p, look.difficulty) for p in tries])
            tries = [tries[k] for k in sorted(range(len(tries)), key=drawn.__getitem__)[-FEW:]]
        seen = self.crew.map(merit_of, [(self.problem, p, look.difficulty) for p in tries])
        best = max(range(len(seen)), key=seen.__getitem__)
        self.count += 1
        if not seen[best] > (look.merit[0], look.merit[1] + WORTH):
            return None
        new = self.problem.look(tries[best], look.difficulty)
        self.past.append((look.p, level, self.problem))
        self.trust, self.recent = TRUST, []
        step = Step(self.count, look.difficulty, self._named(look.p), look.progress, look.worst, violations(look, 0.0))
        moved = as_dict(self.problem.morphology.names, new.p - look.p)
        self._note(replace(step, suggested=moved, applied=moved, answers=(LEAP,)))
        return new

    def _fit(self, pattern: str, motor: str, look: Look, level: int, said: tuple[str, ...]) -> Look:
        """Another motor at some joints."""
        self.past.append((look.p, level, self.problem))
        self.problem = self.problem.with_morphology(self.problem.morphology.with_motor(pattern, motor))
        new = self.problem.look(look.p, look.difficulty)
        self.trust = TRUST
        self._note(
            Step(self.count, look.difficulty, self._named(look.p), look.progress, look.worst, answers=said,
                 motors={pattern: motor})
        )  # fmt: skip
        return new

    def _other_motor(self, look: Look, level: int) -> Look | None:
        """The next of the motors that may be chosen, where one is left."""
        for pattern, names in self.choices.items():
            if names:
                return self._fit(pattern, names.pop(0), look, level, ())
        return None

    def _limiting(self, look: Look, aim: float) -> str:
        return limiting(look, aim, self.problem.morphology, self.held)

    def _remember(self, number: int, look: Look, aim: float, best: Look | None) -> None:
        """Keep what the loop knows, to be written with all steps of this round."""
        self.memory = {
            "round": number, "p": look.p.tolist(), "difficulty": look.difficulty, "aim": aim, "trust": self.trust,
            "count": self.count, "done": self.done, "recent": list(self.recent),
            "best": None if best is None else [best.p.tolist(), best.difficulty],
            "choices": {pattern: list(names) for pattern, names in self.choices.items()},
        }  # fmt: skip

    def _resumed(self) -> tuple[Array, int, float, Look | None]:
        """Where a log that is gone on with had come to: its last round is done again, with the answers given then."""
        names, steps = self.problem.morphology.names, self.log.steps
        for step in steps:
            if set(step.before) != set(names):
                raise InputError(f"resume: the log is of other parameters: {', '.join(step.before)}")
            if step.difficulty not in self.levels:
                raise InputError(f"resume: the log has difficulty {step.difficulty:g}, which is not asked for")
            if not step.memory:
                raise InputError(f"resume: step {step.number} of the log does not say how to go on")
        memory = steps[-1].memory
        again = [step for step in steps if step.memory["round"] == memory["round"]]
        self.said = [answer for step in again for answer in step.answers if answer != LEAP and self.ask is not accept]
        self.log.keep(len(steps) - len(again))
        for step in self.log.steps:
            before, level = np.array([step.before[name] for name in names]), self.levels.index(step.difficulty)
            if step.answers[-1:] == ("undo",):
                _, _, self.problem = self.past.pop()
            elif step.motors or (step.number and step.accepted):
                self.past.append((before, level, self.problem))
            for pattern, motor in step.motors.items():
                self.problem = self.problem.with_morphology(self.problem.morphology.with_motor(pattern, motor))
        self.memory, self.trust, self.count, self.done = memory, memory["trust"], memory["count"], memory["done"]
        self.recent, self.choices = list(memory["recent"]), {k: list(v) for k, v in memory["choices"].items()}
        level = self.levels.index(memory["difficulty"])
        last = level == len(self.levels) - 1
        best = memory["best"]
        return (
            self.problem.morphology.checked(memory["p"]),
            level,
            memory["aim"] if last else 0.0,
            None if best is None else self.problem.look(*best),
        )

    def _named(self, p: Array) -> dict[str, float]:
        return as_dict(self.problem.morphology.names, p)

    def _note(self, step: Step) -> None:
        step = replace(step, memory=self.memory)
        self.log.add(step)
        if self.tell is not None:
            self.tell(step)

    def _held_at(self, look: Look) -> float:
        """The highest difficulty at which this very design meets all limits: what came after may have cost some."""
        for level in reversed(self.levels):
            if level <= self.done:
                there = look if level == look.difficulty else self.problem.look(look.p, level)
                if there.worst >= 0.0:
                    return level
        return math.nan

    def _end(self, start: Array, look: Look, reason: str) -> Improvement:
        return Improvement(
            self.problem, start, look.p, self._held_at(look), self.levels[-1], look.worst, tuple(self.log.steps),
            reason, self.count,
        )  # fmt: skip


def _check_choices(morphology: Morphology, choices: Any) -> None:
    """Refuse motors that cannot be fitted before anything else is done."""
    if choices is not None and not isinstance(choices, Mapping):
        raise InputError(f"choices: expected names of motors by pattern of joints, got {choices!r}")
    for pattern, names in (choices or {}).items():
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"choices[{pattern!r}]: expected a list of names of motors, got {names!r}")
        for name in names:
            with checks.told("choices: "):
                morphology.with_motor(pattern, name)
