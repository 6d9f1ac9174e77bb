"""The traces of a run by policy, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.result import KNOWN, SUCCESS, UNKNOWN

Array = NDArray[np.float64]
ANSWERS = (SUCCESS, KNOWN, UNKNOWN)
"""Outcomes that say something of the policy; all else is a trace without an answer."""


@dataclass(frozen=True, eq=False)
class Group:
    """All traces of one policy, by number of the particle.

    Attributes:
        policy: its name.
        place: its number among the policies.
        particle: (n,) numbers.
        outcome: (n,) texts.
        requirement: (n,) names of what was violated or missed; "" if nothing.
        time: (n,) s; NaN if there is none.
        message: (n,) why a trace is broken.
        margins: (n,) each, by name.
        final: (n,) each, by name.
        values: (n,) each, by name of the parameter: numbers or texts.
    """

    policy: str
    place: int
    particle: NDArray[np.int64]
    outcome: NDArray[np.str_]
    requirement: NDArray[np.str_]
    time: Array
    message: NDArray[np.str_]
    margins: dict[str, Array]
    final: dict[str, Array]
    values: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.particle)

    @property
    def kind(self) -> NDArray[np.int64]:
        """(n,) place of the outcome in `ANSWERS`; one more for a trace without an answer."""
        places = {outcome: k for k, outcome in enumerate(ANSWERS)}
        return np.array([places.get(str(outcome), len(ANSWERS)) for outcome in self.outcome], dtype=np.int64)

    @property
    def success(self) -> NDArray[np.bool_]:
        """(n,) whether each trace succeeded."""
        return self.outcome == SUCCESS

    @property
    def answered(self) -> NDArray[np.bool_]:
        """(n,) whether each trace came to an answer."""
        return self.kind < len(ANSWERS)

    def causes(self) -> list[tuple[str, int, float]]:
        """What was violated or missed: its name, how often, and the median time in s; the most frequent first."""
        failed = self.answered & ~self.success
        names, often = np.unique(self.requirement[failed], return_counts=True)
        times = [_median(self.time[failed & (self.requirement == name)]) for name in names]
        found = [(str(name), int(n), at) for name, n, at in zip(names, often, times, strict=True)]
        return sorted(found, key=lambda each: -each[1])


def groups(table: Any, policies: Sequence[str]) -> list[Group]:
    """Split the `particles` table of a run folder (pyarrow) by policy; policies without a trace are empty groups."""
    policy = np.array(table.column("policy").to_pylist(), dtype=object)
    found = []
    for place, name in enumerate(policies):
        part = table.filter(policy == name) if len(policy) else table
        outcome = texts(part.column("outcome"))
        found.append(
            Group(
                policy=str(name),
                place=place,
                particle=np.asarray(part.column("particle"), dtype=np.int64),
                outcome=outcome,
                requirement=texts(part.column("requirement")),
                time=numbers(part.column("time")),
                message=texts(part.column("message")),
                margins=_named(part, "m:", numbers),
                final=_named(part, "f:", numbers),
                values=_named(part, "p:", _any),
            )
        )
    return found


def texts(column: Any) -> NDArray[np.str_]:
    """(n,) texts of a column; "" for what is missing."""
    return np.array(["" if value is None else str(value) for value in column.to_pylist()], dtype=np.str_)


def numbers(column: Any) -> Array:
    """(n,) numbers of a column; NaN for what is missing or no number."""
    values = column.to_pylist()
    return np.array([value if isinstance(value, int | float) else np.nan for value in values], dtype=np.float64)


def _median(values: Array) -> float:
    """Of those values that are numbers; NaN if none is."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else float("nan")


def _any(column: Any) -> NDArray[Any]:
    """Numbers of a column of numbers, else texts."""
    return texts(column) if str(column.type) in ("string", "large_string") else numbers(column)


def _named(table: Any, start: str, read: Any) -> dict[str, Any]:
    names = [name for name in table.column_names if name.startswith(start)]
    return {name.removeprefix(start): read(table.column(name)) for name in names}
