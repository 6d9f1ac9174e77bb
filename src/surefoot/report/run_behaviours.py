"""Behaviours on the page of a run: traces grouped by their impacts, how each group fares, and one of it to replay."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.report.html import Html, join, tag
from surefoot.report.run_tree import event_words
from surefoot.report.run_verdict import scrolling
from surefoot.traces.behaviours import Behaviour, Mark
from surefoot.traces.findings import Finding
from surefoot.traces.rates import Rate

_LEFT = ("tells it apart", "meets first")


def section(judged: Sequence[Finding]) -> Html | None:
    """A table of the behaviours of every policy; None if no trace has an impact."""
    shown = [each for each in judged if any(each.signatures)]
    if not shown:
        return None
    heads = ("policy", "behaviour", "traces", "succeed", *_LEFT, "replay")
    head = tag("tr", *(tag("th", name, scope="col", class_="left" if name in _LEFT else None) for name in heads))
    rows = [row for each in shown for row in _rows(each)]
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return join([_explanation(shown), scrolling(table, "behaviours")])


def _explanation(shown: Sequence[Finding]) -> Html:
    shares = [f"{100 * each.behaviours.explained:.0f} % ({each.policy})" for each in shown if len(each.behaviours) > 1]
    between = (
        f" Of what differs between traces, so much lies between behaviours: {', '.join(shares)}." if shares else ""
    )
    return tag(
        "p",
        "Traces that meet the same impacts about as often, and in about the same order, are one behaviour; how they "
        "end does not count. Beside each stand the impacts that it has more or less often than the others (times a "
        "trace); what its most typical trace meets first, of all that not every trace meets; and the number of that "
        f"particle, for --replay.{between}",
    )


def _rows(finding: Finding) -> list[Html]:
    group, total = finding.group, len(finding.signatures)
    rows = []
    for k, (each, (count, good)) in enumerate(zip(finding.behaviours.groups, finding.ways(), strict=True)):
        heading = (
            tag("th", group.policy, scope="row") if k == 0 else tag("th", "", scope="row", aria_label=group.policy)
        )
        texts = [_apart(each), ", ".join(event_words(event) for event in each.first) or "-"]
        cells = [tag("td", text, class_="left") for text in texts]
        share = tag("td", f"{count} of {total}, {100 * count / total:.0f}\u00a0%", class_="nowrap")
        rate = tag("td", str(Rate(good, count)), class_="nowrap")
        rows.append(tag("tr", heading, tag("td", k + 1), share, rate, *cells, tag("td", group.particle[each.example])))
    return rows


def _apart(behaviour: Behaviour) -> str:
    return "; ".join(_mark(each) for each in behaviour.marks) or "-"


def _mark(mark: Mark) -> str:
    words = " then ".join(event_words(event) for event in mark.events)
    here, elsewhere = (f"{often:.{0 if often >= 10.0 else 1}f}" for often in (mark.here, mark.elsewhere))
    return f"{words} {here} times (others {elsewhere})"
