"""From records to the rows of a table: success, wrong answers, residual, p50, p99, worst, ratio to peers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.harness import Record, Result, Setting


@dataclass(frozen=True)
class Row:
    """One method on all problems of one size under one setting; times in seconds per unit of work.

    Attributes:
        success: share of problems with an answer within tolerance that the method itself called solved.
        wrong: share that the method called solved but whose residual exceeds the tolerance.
        residual: largest residual among answers called solved (NaN: there are none; infinity: one was not a number).
        p50: median over problems (over units of work, where they are timed one by one) of the best time; failures
            are included, exceptions are not.
        p99: 99th percentile of the same.
        worst: largest of the same.
        repeats: fewest calls of which a best time was taken.
        errors: problems on which the method raised an exception.
        ratios: p50 divided by the p50 of each reference peer (below 1: faster than the peer).
        worst_ratios: the same of the worst times.
        times: best time of each problem, of laps the median. What is compared between sizes is compared problem by
            problem, since a machine's clock may change in the course of a run.
        tail: largest ratio of a problem's worst lap to the median of its laps (NaN: they were not timed one by one).
        counts: what judges counted besides, summed over the problems.
    """

    setting: str
    size: str
    method: str
    ours: bool
    law: str
    problems: int
    success: float
    wrong: float
    residual: float
    p50: float
    p99: float
    worst: float
    repeats: int
    errors: int
    ratios: dict[str, float] = field(default_factory=dict)
    worst_ratios: dict[str, float] = field(default_factory=dict)
    times: tuple[float, ...] = ()
    tail: float = math.nan
    counts: dict[str, int] = field(default_factory=dict)


def summarise(result: Result) -> list[Row]:
    """Return the rows in the order of settings, sizes and methods."""
    rows = []
    for setting in result.test_set.settings:
        here = [record for record in result.records if record.setting == setting.name]
        for size in dict.fromkeys(record.size for record in here):
            met = [
                (method, [r for r in here if r.size == size and r.method == method.name]) for method in result.methods
            ]
            group = [_row(records, setting, method.ours, method.law) for method, records in met if records]
            references = {row.method: row for row in group if row.method in result.test_set.references}
            for row in group:
                for name, reference in references.items():
                    row.ratios[name] = _ratio(row.p50, reference.p50)
                    row.worst_ratios[name] = _ratio(row.worst, reference.worst)
            rows += group
    return rows


def is_solved(record: Record, setting: Setting) -> bool:
    """Whether the method claims success and its residual agrees (a NaN residual never does)."""
    return record.claimed and record.residual <= setting.tolerance


def _row(records: Sequence[Record], setting: Setting, ours: bool, law: str) -> Row:
    count = len(records)
    solved = sum(is_solved(record, setting) for record in records)
    claimed = [record for record in records if record.claimed]
    times = np.concatenate([record.laps or [record.seconds] for record in records])
    times = times[np.isfinite(times)]
    p50, p99, worst = np.percentile(times, [50, 99, 100]) if len(times) else (math.nan,) * 3
    first = records[0]
    return Row(
        setting=first.setting,
        size=first.size,
        method=first.method,
        ours=ours,
        law=law,
        problems=count,
        success=solved / count,
        wrong=(len(claimed) - solved) / count,
        residual=max((_or_inf(record.residual) for record in claimed), default=math.nan),
        p50=float(p50),
        p99=float(p99),
        worst=float(worst),
        repeats=min(record.repeats for record in records),
        errors=sum(bool(record.error) for record in records),
        times=tuple(record.seconds for record in records),
        tail=max((max(record.laps) / record.seconds for record in records if record.laps), default=math.nan),
        counts=_summed([record.counts for record in records]),
    )


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for each in counts for name in each)
    return {name: sum(each.get(name, 0) for each in counts) for name in names}


def _or_inf(residual: float) -> float:
    """A claim without a number behind it is as wrong as can be."""
    return math.inf if math.isnan(residual) else residual


def _ratio(time: float, reference: float) -> float:
    return time / reference if reference > 0 else math.nan


def row_of(rows: Sequence[Row], setting: str, size: str, method: str) -> Row:
    """The one row; raises LookupError if it is not there."""
    for row in rows:
        if (row.setting, row.size, row.method) == (setting, size, method):
            return row
    raise LookupError(f"{setting}, {size}, {method}")
