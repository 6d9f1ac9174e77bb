"""Which witnesses at which samples an update looks at, and which of them are violated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.design.history import Violation
from surefoot.design.jacobian import Row
from surefoot.design.morphology import Morphology
from surefoot.design.problem import Look
from surefoot.traces.witness import crossing

Array = NDArray[np.float64]
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


def limiting(look: Look, aim: float, morphology: Morphology, held: Array | None) -> str:
    """Which witness is in the way, and which bounds: the end of a sentence; "" if none is.

    Args:
        look: at the design.
        aim: what witnesses shall be at least.
        morphology: whose bounds they are.
        held: (m,) how much the bounds of each parameter hold it back, see `Update`.
    """
    found = violations(look, aim)
    if not found:
        return ""
    bounds = []
    for j in [] if held is None else [int(j) for j in np.argsort(-held) if held[j] > 1e-9][:3]:
        low = look.p[j] - morphology.low[j] < morphology.high[j] - look.p[j]
        bound = morphology.low[j] if low else morphology.high[j]
        bounds.append(f"{morphology.names[j]} ({'lowest' if low else 'highest'} {bound:g})")
    stuck = f"; at their bounds: {', '.join(bounds)}" if bounds else "; no parameter is at a bound that would help"
    one = found[0]
    return (
        f": at difficulty {look.difficulty:g} {one.witness} stays at {one.value:+.3f} at {100 * one.phase:.0f} % of "
        f"the course{stuck}"
    )
