"""Test set x setting x tolerance: every method meets every problem, and what happened is kept, failures too.

Methods take turns on each problem, so that noise of the machine hits all alike; each is called a few times in a row and
its best time is kept. Preparing a problem (building matrices, copying into a peer's types) is not timed; `Method.note`
says what is.
"""

from __future__ import annotations

import gc
import importlib
import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

REPEATS = 5
LONG = 10.0
"""Seconds after which a method is not repeated on the same problem."""


class Absent(Exception):
    """A method that cannot run here, with the reason and the remedy."""

    def __init__(self, name: str, reason: str, remedy: str = "") -> None:
        super().__init__(f"{name}: {reason}")
        self.name, self.reason, self.remedy = name, reason, remedy


def require(name: str, module: str, pip: str) -> ModuleType:
    """Import what method `name` needs, or raise `Absent` with the pip line."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Absent(name, str(error), f"pip install {pip}") from None


class Verdict(NamedTuple):
    """A method's own claim, and how far its answer is from the method's own law (NaN: it gave no answer).

    `counts`: what the judge counted besides, by name; the report sums it over the problems of a size.
    """

    claimed: bool
    residual: float
    counts: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class Problem:
    """One problem of a test set.

    Attributes:
        name: unique within the set.
        size: the group it is summarised in, such as "4 contacts".
        data: what methods prepare from.
        work: units of work in one call (steps of a roll-out); times are per unit.
    """

    name: str
    size: str
    data: Any
    work: int = 1


@dataclass(frozen=True)
class Setting:
    """How methods are asked to solve, and when an answer counts.

    Attributes:
        name: heading of its table.
        tolerance: largest residual to the method's own law at which an answer counts as solved.
        options: what the methods of this set understand.
    """

    name: str
    tolerance: float
    options: dict[str, Any] = field(default_factory=dict)


class Laps(NamedTuple):
    """What a `Task.call` returns that reads the clock itself: seconds of each unit of work, and the raw answer."""

    seconds: Sequence[float]
    answer: Any


@dataclass(frozen=True)
class Task:
    """A method ready for one problem.

    Attributes:
        call: the timed work; returns the raw answer, or `Laps` to have every unit of work count for itself.
        judge: the verdict on that answer, not timed.
        reset: run before each call, not timed.
        units: how often `call` does the work (a compiled loop around something too short to call from Python).
    """

    call: Callable[[], Any]
    judge: Callable[[Any], Verdict]
    reset: Callable[[], Any] = lambda: None
    units: int = 1


@dataclass(frozen=True)
class Method:
    """A solver or simulator in a comparison.

    Attributes:
        name: short name, unique within the set.
        law: the law it solves, to which its residual is measured.
        prepare: makes a `Task` of a problem and a setting.
        ours: whether it is Surefoot's.
        note: what exactly is timed.
        sizes: the only sizes of problem that it is meant for; empty: all.
    """

    name: str
    law: str
    prepare: Callable[[Problem, Setting], Task]
    ours: bool = False
    note: str = ""
    sizes: Sequence[str] = ()


@dataclass(frozen=True)
class Bar:
    """A number that a run must reach.

    Attributes:
        text: what is compared.
        measure: gives the number from the rows of the summary; raises LookupError if one is missing.
        limit: the bar.
        at_least: whether it is a lower bar.
    """

    text: str
    measure: Callable[[Sequence[Any]], float]
    limit: float
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Whether this number reaches it."""
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class TestSet:
    """Problems and the methods that meet them.

    Attributes:
        name: what the command line calls it.
        title: heading of the report.
        about: what the problems are, in a paragraph.
        unit: what one unit of work is called ("solve", "step").
        problems: makes the problems, or raises `Absent`; `problems(True)` makes a few for a quick look.
        settings: in the order of their tables.
        finders: each returns a `Method` or raises `Absent`.
        references: names of the peers that get a column of ratios.
        limitations: what the numbers do not say.
        bars: what a run must reach.
    """

    __test__ = False  # not a pytest class

    name: str
    title: str
    about: str
    unit: str
    problems: Callable[[bool], Sequence[Problem]]
    settings: Sequence[Setting]
    finders: Sequence[Callable[[], Method]]
    references: Sequence[str] = ()
    limitations: Sequence[str] = ()
    bars: Sequence[Bar] = ()


@dataclass(frozen=True)
class Record:
    """What one method did on one problem under one setting.

    Attributes:
        seconds: best time per unit of work (NaN if it raised); of laps the median.
        repeats: how many calls that is the best of.
        claimed: whether the method says that it solved the problem.
        residual: to its own law (NaN: no answer).
        error: text of an exception, or "".
        laps: best time of each unit of work, where they were timed one by one.
        counts: what the judge counted besides.
    """

    setting: str
    size: str
    problem: str
    method: str
    seconds: float
    repeats: int
    claimed: bool
    residual: float
    error: str = ""
    laps: tuple[float, ...] = field(default=(), repr=False)
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """All records of a test set, and who was not there."""

    test_set: TestSet
    methods: Sequence[Method]
    absent: Sequence[Absent]
    records: Sequence[Record]


def find_methods(test_set: TestSet, only: Iterable[str] = ()) -> tuple[list[Method], list[Absent]]:
    """Return the methods that can run here (those named in `only`, if any) and the absent ones."""
    methods, absent, only = [], [], set(only)
    for find in test_set.finders:
        try:
            method = find()
        except Absent as reason:
            absent.append(reason)
        else:
            methods.append(method)
    return [method for method in methods if not only or method.name in only], absent


def measure(
    test_set: TestSet,
    *,
    quick: bool = False,
    repeats: int = REPEATS,
    only: Iterable[str] = (),
    on_progress: Callable[[str], Any] = lambda what: None,
    on_start: Callable[[int], Any] = lambda total: None,
) -> Result:
    """Let every method meet every problem under every setting.

    Args:
        test_set: what to run.
        quick: a few problems only.
        repeats: calls of which the best time is kept.
        only: names of the methods to run; empty for all.
        on_progress: called with a line of text before each problem of a method.
        on_start: called with the number of those lines to come.
    """
    methods, absent = find_methods(test_set, only)
    try:
        problems = list(test_set.problems(quick))
    except Absent as reason:
        return Result(test_set, methods, [*absent, reason], [])
    on_start(len(methods) * len(test_set.settings) * (len(problems) + 1))
    records = []
    for setting in test_set.settings:
        for method in methods:
            on_progress(f"warming up {method.name}")
            mine = [problem for problem in problems if not method.sizes or problem.size in method.sizes]
            for problem in mine[:1]:
                _warm_up(method, problem, setting)
        for index, problem in enumerate(problems):
            turn = index % len(methods) if methods else 0
            for method in [*methods[turn:], *methods[:turn]]:
                on_progress(f"{problem.size}, {method.name}")
                if not method.sizes or problem.size in method.sizes:
                    records.append(_meet(method, problem, setting, repeats))
    return Result(test_set, methods, absent, records)


def _warm_up(method: Method, problem: Problem, setting: Setting) -> None:
    """Compile and load what the first call would; an error shows up again, and is recorded, when it counts."""
    try:
        task = method.prepare(problem, setting)
        for _ in range(2):
            task.reset()
            task.judge(_without_laps(task.call())[0])
    except Exception:
        return


def _meet(method: Method, problem: Problem, setting: Setting, repeats: int) -> Record:
    times: list[float] = []
    laps: tuple[float, ...] = ()
    units = problem.work
    try:
        task = method.prepare(problem, setting)
        units *= task.units
        answer = None
        while len(times) < repeats and sum(times) < LONG:
            task.reset()
            seconds, answer = _timed(task.call)
            times.append(seconds)
            answer, these = _without_laps(answer)
            laps = tuple(map(min, laps, these)) if laps else these
        verdict = task.judge(answer)
    except Exception as error:  # a peer may raise anything; that is a result, not a reason to stop
        verdict, message = Verdict(False, math.nan), f"{type(error).__name__}: {error}"
    else:
        message = ""
    best = math.nan if message else statistics.median(laps) if laps else min(times) / units
    names = (setting.name, problem.size, problem.name, method.name)
    claim = bool(verdict.claimed), float(verdict.residual)
    return Record(*names, best, len(times), *claim, message, laps, dict(verdict.counts))


def _without_laps(answer: Any) -> tuple[Any, tuple[float, ...]]:
    """The raw answer, and its laps if it has any."""
    return (answer.answer, tuple(answer.seconds)) if isinstance(answer, Laps) else (answer, ())


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, without the garbage collector, as `timeit` does."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter_ns()
        answer = call()
        return (time.perf_counter_ns() - start) * 1e-9, answer
    finally:
        if collecting:
            gc.enable()
