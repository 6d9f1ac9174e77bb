"""One self-contained HTML page of a run: the verdict first, then why, then everything else."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import EngineError
from surefoot.report import run_curves, run_details, run_pictures, run_sensitivity, run_traces, run_tree, run_verdict
from surefoot.report.html import Html, join, tag
from surefoot.report.picture import writable
from surefoot.report.run_facts import Group, groups
from surefoot.report.run_motion import FIRST, FURTHER, Motion, motions
from surefoot.report.run_pictures import Replay
from surefoot.report.run_traces import Log
from surefoot.report.run_verdict import Judged
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.signatures import Signature, behaviours
from surefoot.traces.verdict import verdict

PAGE_ENDINGS = (".html", ".htm")
MOST_POLICIES = 12
"""Policies with figures of their own; the others are in the tables only."""

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def write_page(
    folder: RunFolder | str | Path, out: str | Path, log: str | Path | None = None, replay: Replay | None = None
) -> Path:
    """Write the report of a run.

    Args:
        folder: of the run.
        out: file to write, ending in .html.
        log: CSV file of a real robot, laid over the traces; see `surefoot.traces.overlay`.
        replay: runs one particle again, (policy, particle) -> `Trace` or None; without it there are no pictures.

    Returns:
        The path written.

    Raises:
        InputError: the folder is not that of a run, or a file cannot be read or written.
    """
    target = writable("out", out, PAGE_ENDINGS)
    opened = folder if isinstance(folder, RunFolder) else RunFolder.open(folder)
    target.write_text(page(opened, log=None, replay=replay), encoding="utf-8")
    return target


def page(folder: RunFolder, log: Log | None = None, replay: Replay | None = None) -> str:
    """The report of a run as one text; arguments as in `write_page`, with the log already read."""
    header = folder.header
    found = groups(folder.particles(), folder.policies)
    margins = run_curves.shown_margins(found)
    first = margins[0] if margins else None
    events = [run_tree.signatures(folder, group) for group in found]
    ranked = [run_sensitivity.influences(group, first) for group in found]
    judged = [_judge(*each) for each in zip(found, events, ranked, strict=True)]
    drawn = found[:MOST_POLICIES]
    sections = [
        ("verdict", "Verdict", _verdict(judged)),
        ("pictures", "What it looks like", _pictures(drawn, replay)),
        ("decides", "What decides", _decides(drawn, ranked)),
        ("parting", "Where traces part", _parting(drawn, events)),
        ("policies", "Policies against each other", run_verdict.comparisons(judged)),
        ("traces", "Traces", _traces(folder, drawn, first, log)),
        ("survival", "Time to failure", _survival(drawn)),
        ("margins", "Margins", _margins(drawn, margins)),
        ("particles", "Particles to run again", _particles(found)),
        ("run", "How this run was made", _run(header, found)),
    ]
    shown = [(key, title, content) for key, title, content in sections if content is not None]
    body = [
        tag("section", tag("h2", title), content, id=key) for key, title, content in shown
    ]
    links = [tag("a", title, href=f"#{key}") for key, title, _ in shown]
    title = header.get("title") or header["scenario"]
    top = tag(
        "header",
        tag("p", f"Surefoot · {header['scenario']}"),
        tag("h1", title),
        tag("p", run_verdict.headline(judged), class_="headline"),
        tag("p", _facts(header, found), class_="facts"),
        *(tag("p", note, class_="note") for note in _notes(header, judged)),
        tag("nav", *links, aria_label="sections"),
        class_="top",
    )
    foot = tag("footer", tag("p", f"Written by Surefoot {header['versions'].get('surefoot', '')}; this file needs no network."))
    return "<!DOCTYPE html>\n" + tag("html", _head(f"{title}: {header['scenario']}"), tag("body", top, tag("main", *body), foot), lang="en")


def _head(title: str) -> Html:
    style = resources.files("surefoot.report").joinpath("run_page.css").read_text(encoding="utf-8")
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Html(style)),
    )


def side_by_side(parts: Sequence[Html], class_: str = "figures", most: int = 4) -> Html:
    """Cards or figures in rows as even as their number allows, at most `most` in a row."""
    rows = -(-len(parts) // most) or 1
    return tag("div", *parts, class_=class_, style=f"--columns:{-(-len(parts) // rows) or 1}")


def _judge(group: Group, events: list[Signature], ranked: Any) -> Judged:
    decides = run_sensitivity.deciding(ranked[1]) if ranked[0] == run_sensitivity.BY_SUCCESS else ""
    ways = behaviours(events).counts if any(events) else ()
    return Judged(group, verdict(int(group.success.sum()), len(group), ways, decides), decides)


def _facts(header: Any, found: Sequence[Group]) -> str:
    policies = "policy" if len(found) == 1 else "policies"
    parameters = len(header["parameters"])
    most = max((len(group) for group in found), default=0)
    return (
        f"{len(found)} {policies}, each on the same {most} particles; {parameters} uncertain "
        f"{'parameter' if parameters == 1 else 'parameters'}; seed {header['seed']}"
    )


def _notes(header: Any, judged: Sequence[Judged]) -> list[str]:
    """What a reader must know before believing the numbers."""
    notes = []
    done, wanted = sum(len(each.group) for each in judged), header["particles"] * len(judged)
    if header.get("stopped") is not None:
        notes.append(f"Stopped early, after {header['stopped']} particles of {header['particles']}.")
    elif done < wanted:
        notes.append(f"This run is not finished: {done} of {wanted} traces. The numbers will change.")
    notes.append(run_verdict.broken_note(judged))
    return [note for note in notes if note]


def _verdict(judged: Sequence[Judged]) -> Html:
    cards = side_by_side([run_verdict.card(each) for each in judged], "cards")
    return join([cards, run_verdict.legend(), tag("h3", "Outcomes"), run_verdict.outcome_table(judged)])


def _pictures(found: Sequence[Group], replay: Replay | None) -> Html | None:
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


def _decides(found: Sequence[Group], ranked: Any) -> Html | None:
    if not any(names for _, names in ranked):
        return None
    bars = [run_sensitivity.figure(group, *each) for group, each in zip(found, ranked, strict=False)]
    return join([run_sensitivity.explanation(), side_by_side(bars)])


def _parting(found: Sequence[Group], events: Sequence[list[Signature]]) -> Html | None:
    if not any(any(each) for each in events):
        return None
    shown = list(zip(found, events, strict=False))
    sentences = [tag("li", tag("b", group.policy), ": ", run_tree.parting_sentence(group, e)) for group, e in shown]
    trees = [run_tree.figure(group, each) for group, each in shown if each]
    parts = [run_tree.explanation(), tag("ul", *sentences, class_="plain"), tag("h3", "Trees")]
    return join([*parts, side_by_side(trees)])


def _traces(folder: RunFolder, found: Sequence[Group], witness: str | None, log: Log | None) -> Html | None:
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
    return join([tag("p", text), run_verdict.legend(), *parts])


def _survival(found: Sequence[Group]) -> Html | None:
    drawn = run_curves.time_to_failure(found)
    if drawn is None:
        return None
    text = "Share of traces that have violated no requirement so far, with 95 % bands."
    return join([tag("p", text), tag("figure", drawn, class_="wide")])


def _margins(found: Sequence[Group], margins: Sequence[str]) -> Html | None:
    parts: list[Html] = []
    for m, name in enumerate(margins):
        drawn = [(group, run_curves.margin_histogram(found, group, name, f"margin{m}-{group.place}")) for group in found]
        figures = [tag("figure", tag("figcaption", group.policy), each) for group, each in drawn if each is not None]
        parts += [tag("h3", name), side_by_side(figures)]
    if not parts:
        return None
    text = "How near each trace came to a violation: the least value of a requirement's witness. Left of zero it was violated."
    return join([tag("p", text), *parts])


def _particles(found: Sequence[Group]) -> Html | None:
    failed, broken = run_details.failures(found), run_details.messages(found)
    if failed is None and broken is None:
        return None
    parts = [tag("p", "The earliest failures of each policy."), failed] if failed is not None else []
    return join([*parts, tag("h3", "Without an answer"), broken] if broken is not None else parts)


def _run(header: Any, found: Sequence[Group]) -> Html:
    parts = [run_details.made(header, int(np.sum([len(group) for group in found]))), run_details.parameters(header)]
    return join(part for part in parts if part is not None)
