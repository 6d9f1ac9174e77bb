"""Whether the traces of a policy that ran to their end come to one place or to two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.report.html import Html, join, tag
from surefoot.report.run_motion import ANGLES, PLACES
from surefoot.report.run_outcomes import KINDS, KNOWN
from surefoot.report.run_verdict import scrolling
from surefoot.traces.groups import Array, Group
from surefoot.traces.scatter import Scatter, scatter


def section(groups: Sequence[Group]) -> Html | None:
    """A table of where traces end and how far apart; None if no trace says where."""
    names = sorted({name for group in groups for name in group.final}, key=_place)
    if not names:
        return None
    heads = ["policy", "final states", "traces", *(f"{name} [{'°' if _is_angle(name) else 'm'}]" for name in names)]
    rows = []
    for group in groups:
        ended = group.answered & (group.kind != KINDS.index(KNOWN))
        units = np.array([np.degrees(1.0) if _is_angle(name) else 1.0 for name in names])
        missing = np.full(len(group), np.nan)
        states = np.array([group.final.get(name, missing)[ended] for name in names]).T * units
        rows.append(_row(group.policy, states, scatter(states), names))
    head = tag("tr", *(tag("th", text, scope="col", class_="left" if k < 2 else None) for k, text in enumerate(heads)))
    text = (
        "Where traces end that violated no requirement: mean ± standard deviation. They scatter if their final states "
        "are one cloud. They bifurcate if there are two, which no average describes: a small difference decides "
        "which one a robot comes to."
    )
    return join([tag("p", text), scrolling(tag("table", tag("thead", head), tag("tbody", *rows)), "final states")])


def _row(policy: str, states: Array, found: Scatter, names: Sequence[str]) -> Html:
    kept = states[np.isfinite(states).all(axis=1)]
    word = found.word or "too few to tell"
    if found.word == "bifurcates":
        along = names[int(np.argmax(np.abs(found.direction) * found.spread))]
        small, large = sorted(found.shares)
        word = f"bifurcates along {along}, {100 * large:.0f} % against {100 * small:.0f} %"
    cells = [tag("td", word, class_="left"), tag("td", len(kept))]
    for k in range(len(names)):
        shown = f"{_small(kept[:, k].mean()):.3g} ± {_small(found.spread[k]):.2g}" if len(kept) > 1 else "-"
        cells.append(tag("td", shown, class_="nowrap"))
    return tag("tr", tag("th", policy, scope="row"), *cells)


def _small(value: float) -> float:
    """The value, or 0 if it is rounding alone."""
    return 0.0 if abs(value) < 1e-9 else value


def _place(name: str) -> tuple[int, str]:
    """Order of columns: places, then angles, then others."""
    known = (*PLACES, *ANGLES)
    last = name.rpartition(".")[2]
    return (known.index(last) if last in known else len(known), name)


def _is_angle(name: str) -> bool:
    return name.rpartition(".")[2] in ANGLES
