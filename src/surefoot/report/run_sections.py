"""Sections of the page of a run: a few words on how to read, then figures side by side; None where there is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.errors import EngineError
from surefoot.report import (
    run_behaviours,
    run_curves,
    run_details,
    run_log,
    run_pictures,
    run_sensitivity,
    run_traces,
    run_tree,
    run_verdict,
)
from surefoot.report.html import Html, join, tag
from surefoot.report.run_log import Columns
from surefoot.report.run_motion import FIRST, FURTHER, Motion, motions
from surefoot.report.run_pictures import Replay
from surefoot.traces.findings import Finding
from surefoot.traces.groups import Group
from surefoot.traces.run_folder import RunFolder


def side_by_side(parts: Sequence[Html], class_: str = "figures", most: int = 4) -> Html:
    """Cards or figures in rows as even as their number allows, at most `most` in a row."""
    rows = -(-len(parts) // most) or 1
    return tag("div", *parts, class_=class_, style=f"--columns:{-(-len(parts) // rows) or 1}")


def verdict(judged: Sequence[Finding], looked: bool) -> Html:
    """A card a policy, what the colours mean, and all counts; `looked`: somebody may have stopped at a good moment."""
    cards = side_by_side([run_verdict.card(each) for each in judged], "cards")
    return join([cards, run_verdict.legend(), tag("h3", "Outcomes"), run_verdict.outcome_table(judged, looked)])


def pictures(found: Sequence[Group], replay: Replay | None) -> Html | None:
    """Time-lapse pictures, or why there are none."""
    if replay is None:
        return None
    try:
        shown = [each for group in found for each in run_pictures.figures(group, replay)]
    except EngineError as error:
        return run_pictures.without(error)
    text = (
        "A typical and the worst particle of each policy: the last pose is solid, earlier ones are paler. "
        "Worst is what failed first or, if nothing did, what came nearest to it."
    )
    return join([tag("p", text), side_by_side(shown)]) if shown else None


def decides(found: Sequence[Group], ranked: Any) -> Html | None:
    """Parameters that decide, one list a policy."""
    if not any(names for _, names in ranked):
        return None
    bars = [run_sensitivity.figure(group, *each) for group, each in zip(found, ranked, strict=False)]
    return join([run_sensitivity.explanation(), side_by_side(bars)])


def parting(judged: Sequence[Finding], grazes: Any = None) -> Html | None:
    """Where good and bad traces part, at which value of a parameter (if `--graze` found one), behaviours and trees."""
    events = [each.signatures for each in judged]
    lines = [str(line) for line in grazes.values()] if isinstance(grazes, dict) else []
    located = [tag("h3", "Grazes"), tag("ul", *(tag("li", line) for line in lines), class_="plain")] if lines else []
    if not any(any(each) for each in events):
        return join(located) if located else None
    shown = [(each.group, each.signatures) for each in judged]
    sentences = [tag("li", tag("b", group.policy), ": ", run_tree.parting_sentence(group, e)) for group, e in shown]
    trees = [run_tree.figure(group, each) for group, each in shown if each]
    parts = [run_tree.explanation(), tag("ul", *sentences, class_="plain")]
    grouped = [tag("h3", "Behaviours"), run_behaviours.section(judged)]
    return join([*parts, *grouped, tag("h3", "Trees"), side_by_side(trees, most=2), *located])


def traces(folder: RunFolder, found: Sequence[Group], witness: str | None, log: Columns | None) -> Html | None:
    """Traces over time and from above, and how a log compares with them."""
    moved = [motions(folder, group) for group in found]
    every: list[Motion] = [motion for each in moved for motion in each]
    what = "base" if any("x" in group.final for group in found) else "object"
    parts: list[Html] = []
    for v, view in enumerate(run_traces.views(every, what, witness, log)):
        ranges = run_traces.limits(view, every, log)
        figures = []
        for group, each in zip(found, moved, strict=True):
            alt = f"{view.title}, {group.policy}: {len(each)} traces coloured by outcome."
            drawn = run_traces.figure(view, each, ranges, log, alt, f"trace{v}-{group.place}")
            figures.append(tag("figure", tag("figcaption", group.policy), drawn))
        parts += [tag("h3", view.title), side_by_side(figures)]
    if not parts:
        return None
    text = (
        f"Up to {FIRST + FURTHER} traces a policy: the first {FIRST} particles and failures among later ones; the same "
        "scale for all policies. A cross is where a trace ended in failure."
    )
    compared = run_log.table(found, moved, log) if log is not None else ""
    return join([tag("p", text), compared, run_verdict.legend(), *parts])


def survival(found: Sequence[Group]) -> Html | None:
    """How long traces last."""
    drawn = run_curves.time_to_failure(found)
    if drawn is None:
        return None
    text = "Share of traces that have violated no requirement so far, with 95 % bands."
    return join([tag("p", text), tag("figure", drawn, class_="wide")])


def margins(found: Sequence[Group], names: Sequence[str]) -> Html | None:
    """How near traces came to violating each of some requirements."""
    parts: list[Html] = []
    for m, name in enumerate(names):
        figures = []
        for group in found:
            drawn = run_curves.margin_histogram(found, group, name, f"margin{m}-{group.place}")
            if drawn is not None:
                figures.append(tag("figure", tag("figcaption", group.policy), drawn))
        parts += [tag("h3", name), side_by_side(figures)]
    if not parts:
        return None
    text = "How near each trace came to a violation: the least value of a witness in it. Below zero is violated."
    return join([tag("p", text), *parts])


def particles(found: Sequence[Group]) -> Html | None:
    """Failures worth running again, and traces without an answer."""
    failed, broken = run_details.failures(found), run_details.messages(found)
    if failed is None and broken is None:
        return None
    parts = [tag("p", "The earliest failures of each policy."), failed] if failed is not None else []
    return join([*parts, tag("h3", "Without an answer"), broken] if broken is not None else parts)


def how_made(header: Any, found: Sequence[Group]) -> Html:
    """What it takes to run all of it again."""
    parts = [run_details.made(header, sum(map(len, found))), run_details.parameters(header)]
    return join(part for part in parts if part is not None)
