"""Which witnesses at which samples an update looks at, and which of them are violated."""

from __future__ import annotations

import numpy as np

from surefoot.design.history import Violation
from surefoot.design.jacobian import Row
from surefoot.design.problem import Look
from surefoot.traces.witness import crossing

NEAR = 0.2  # witnesses within this of what is aimed at guard their limits
DIPS = 3  # samples of a witness that are looked at: its worst, and other minima


def choose_rows(look: Look, aim: float, scope: str) -> list[Row]:
    """Witnesses at samples that an update looks at."""
    values = look.values
    if scope == "first":
        first = int(np.flatnonzero((values < aim).any(axis=1))[0])
        return [Row(first, int(k), int(look.whose[first, k])) for k in np.flatnonzero(values[first] < aim)]
    rows = []
    for k in range(values.shape[1]):
        column = values[:, k]
        if column.min() >= aim + NEAR:
            continue
        before, after = np.roll(column, 1), np.roll(column, -1)
        dips = np.flatnonzero((column <= before) & (column < after) & (column < aim + NEAR))
        dips = dips if len(dips) else np.array([int(column.argmin())])
        for i in sorted(dips[np.argsort(column[dips], kind="stable")][:DIPS]):
            rows.append(Row(int(i), k, int(look.whose[i, k])))
    return rows


def violations(look: Look, aim: float) -> tuple[Violation, ...]:
    """The worst of each violated witness, the worst of all first."""
    found = []
    t = look.rehearsals[0].t
    for k, name in enumerate(look.names):
        column = look.values[:, k]
        i = int(column.argmin())
        if column[i] < aim:
            first = int(np.flatnonzero(column < aim)[0])
            found.append(Violation(name, float(column[i]), crossing(t, column - aim, first), i / len(column)))
    return tuple(sorted(found, key=lambda one: one.value))
