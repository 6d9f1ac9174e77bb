"""The end of the page: particles worth running again, what was uncertain, and how the run was made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from surefoot.report.html import Html, tag
from surefoot.report.run_outcomes import KINDS
from surefoot.report.run_verdict import scrolling
from surefoot.traces.groups import Group

EARLIEST = 5
MOST_MESSAGES = 20


def failures(groups: Sequence[Group]) -> Html | None:
    """The earliest failures of each policy, to be run again; None if nothing failed."""
    rows = []
    for group in groups:
        failed = np.flatnonzero(group.answered & ~group.success)
        for k in failed[np.argsort(group.time[failed], kind="stable")][:EARLIEST]:
            kind = KINDS[group.kind[k]]
            ended = tag("td", tag("span", class_=f"key {kind.key}"), kind.word, class_="left nowrap")
            time = f"{group.time[k]:.4g}" if np.isfinite(group.time[k]) else "-"
            what = tag("td", group.requirement[k], class_="left")
            rows.append((group.policy, tag("td", group.particle[k]), ended, what, tag("td", time)))
    return _table(("policy", "particle", "outcome", "violated or missed", "time [s]"), rows, "earliest failures")


def messages(groups: Sequence[Group]) -> Html | None:
    """Why traces are broken; None if none is."""
    rows = [
        (group.policy, tag("td", group.particle[k]), *(tag("td", each[k], class_="left") for each in texts))
        for group in groups
        for texts in [(group.outcome, group.message)]
        for k in np.flatnonzero(~group.answered)
    ]
    return _table(("policy", "particle", "outcome", "message"), rows[:MOST_MESSAGES], "traces without an answer")


def parameters(header: Mapping[str, Any]) -> Html | None:
    """What was uncertain, and how; None if nothing was."""
    rows = []
    for each in header["parameters"]:
        drawn = each.get("distribution", "")
        drawn = drawn if isinstance(drawn, str) else json.dumps(drawn, ensure_ascii=False)
        nominal = each.get("nominal", "")
        shown = f"{nominal:.6g}" if isinstance(nominal, int | float) else str(nominal)
        rows.append((each["name"], tag("td", shown), tag("td", tag("code", drawn), class_="left")))
    found = _table(("parameter", "nominal", "distribution"), rows, "uncertain parameters")
    if found is None:
        return None
    return tag("details", tag("summary", f"All {len(rows)} uncertain parameters"), found)


def made(header: Mapping[str, Any], traces: int) -> Html:
    """Numbers that it takes to run all of it again."""
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    rows = [
        ("scenario", header["scenario"]),
        ("traces", f"{traces} of {len(header['policies']) * header['particles']} wanted"),
        ("seed and method", f"{header['seed']}, {header['method']}"),
        ("versions", versions),
        ("started", header.get("started") or "-"),
        ("finished", header.get("finished") or "not yet"),
    ]
    return _table(("what", "value"), [(name, tag("td", value, class_="left")) for name, value in rows], "how") or Html()


def _table(heads: Sequence[str], rows: Sequence[tuple[Any, ...]], label: str) -> Html | None:
    """Rows of a heading and cells; None without rows."""
    if not rows:
        return None
    left = {"outcome", "violated or missed", "message", "distribution", "value"}
    head = tag("tr", *(tag("th", text, scope="col", class_="left" if text in left else None) for text in heads))
    body = [tag("tr", tag("th", name, scope="row"), *cells) for name, *cells in rows]
    return scrolling(tag("table", tag("thead", head), tag("tbody", *body)), label)
