"""A log of the real robot beside the traces: its columns in the page's units, and how often it is where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.report.html import Html, join, tag
from surefoot.report.run_motion import ANGLES, Motion
from surefoot.report.run_verdict import scrolling
from surefoot.traces.groups import Group
from surefoot.traces.overlay import read_log

Columns = dict[str, NDArray[np.float64]]
"""Columns of a log by name, t in s among them; places in m, angles in degrees and without jumps by a turn."""

LEAST = 5
"""Traces that must still go on where a log is compared with them, if there are as many."""


def columns(path: str | Path) -> Columns:
    """Read a log.

    Raises:
        InputError: it cannot be read; the text says why.
    """
    log = read_log(path)
    found = {"t": log.t, **log.columns}
    for name in ANGLES:
        if name in found:
            known = np.isfinite(found[name])
            found[name][known] = np.degrees(np.unwrap(found[name][known]))
    return found


def inside(motions: Sequence[Motion], log: Columns, name: str) -> float | None:
    """Share of a log's rows in which a channel lies between the 5 % and 95 % quantiles of the traces at that time.

    Rows count where at least `LEAST` traces still go on; None if there are none.
    """
    at = log["t"]
    curves = [np.interp(at, m.t, m.channels[name], left=np.nan, right=np.nan) for m in motions if name in m.channels]
    if not curves:
        return None
    stacked = np.array(curves)
    compared = (np.isfinite(stacked).sum(axis=0) >= min(LEAST, len(curves))) & np.isfinite(log[name])
    if not compared.any():
        return None
    low, high = np.nanquantile(stacked[:, compared], [0.05, 0.95], axis=0)
    return float(((log[name][compared] >= low) & (log[name][compared] <= high)).mean())


def table(groups: Sequence[Group], moved: Sequence[Sequence[Motion]], log: Columns) -> Html:
    """How often the log is where the traces of each policy are."""
    known = {name for each in moved for motion in each for name in motion.channels}
    names = [name for name in log if name in known and name != "t"]
    rows = []
    for group, each in zip(groups, moved, strict=True):
        shares = [inside(each, log, name) for name in names]
        cells = [tag("td", "-" if share is None else f"{100 * share:.0f} %") for share in shares]
        rows.append(tag("tr", tag("th", group.policy, scope="row"), *cells))
    head = tag("tr", *(tag("th", text, scope="col") for text in ("policy", *names)))
    text = (
        "Your log is the thick line. How much of its time it lies within the middle 90 % of each policy's traces: far "
        "below 90 % means that the model, or what is uncertain in it, is not that of the real robot."
    )
    body = tag("table", tag("thead", head), tag("tbody", *rows))
    return join([tag("p", text), scrolling(body, "your log"), tag("p")])
