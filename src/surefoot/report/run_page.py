"""One self-contained HTML page of a run: the verdict first, then why, then everything else."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from surefoot.report import run_curves, run_log, run_scatter, run_verdict
from surefoot.report import run_sections as sections
from surefoot.report.html import Html, tag
from surefoot.report.picture import writable
from surefoot.report.run_log import Columns
from surefoot.report.run_pictures import Replay
from surefoot.traces.findings import Finding, findings
from surefoot.traces.groups import Group
from surefoot.traces.run_folder import RunFolder

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
    columns = None if log is None else run_log.columns(log)
    target.write_text(page(opened, columns, replay), encoding="utf-8")
    return target


def page(folder: RunFolder, log: Columns | None = None, replay: Replay | None = None) -> str:
    """The report of a run as one text; arguments as in `write_page`, with the log already read."""
    header = folder.header
    judged = findings(folder)
    found = [each.group for each in judged]
    margins = run_curves.shown_margins(found)
    first = margins[0] if margins else None
    ranked = [(each.by, each.influences) for each in judged]
    drawn = found[:MOST_POLICIES]
    listed = [
        ("verdict", "Verdict", sections.verdict(judged, header.get("stop") is not None)),
        ("pictures", "What it looks like", sections.pictures(drawn, replay)),
        ("decides", "What decides", sections.decides(drawn, ranked)),
        ("parting", "Where traces part", sections.parting(judged[:MOST_POLICIES], header.get("grazes"))),
        ("policies", "Policies against each other", run_verdict.comparisons(judged)),
        ("traces", "Traces", sections.traces(folder, drawn, first, log)),
        ("ends", "Where traces end", run_scatter.section(found)),
        ("survival", "Time to failure", sections.survival(drawn)),
        ("margins", "Margins", sections.margins(drawn, margins)),
        ("particles", "Particles to run again", sections.particles(found)),
        ("run", "How this run was made", sections.how_made(header, found)),
    ]
    shown = [(key, title, content) for key, title, content in listed if content is not None]
    body = [tag("section", tag("h2", title), content, id=key) for key, title, content in shown]
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
    version = header["versions"].get("surefoot", "")
    foot = tag("footer", tag("p", f"Written by Surefoot {version}; this file needs no network."))
    top_of_file = head(f"{title}: {header['scenario']}")
    return "<!DOCTYPE html>\n" + tag("html", top_of_file, tag("body", top, tag("main", *body), foot), lang="en")


def head(title: str) -> Html:
    """The head of a page: its title, its style, and that nothing is loaded from elsewhere."""
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


def _facts(header: Any, found: Sequence[Group]) -> str:
    policies = "policy" if len(found) == 1 else "policies"
    parameters = len(header["parameters"])
    most = max((len(group) for group in found), default=0)
    return (
        f"{len(found)} {policies}, each on the same {most} particles; {parameters} uncertain "
        f"{'parameter' if parameters == 1 else 'parameters'}; seed {header['seed']}"
    )


def _notes(header: Any, judged: Sequence[Finding]) -> list[str]:
    """What a reader must know before believing the numbers."""
    notes = []
    done, wanted = sum(len(each.group) for each in judged), header["particles"] * len(judged)
    if header.get("stopped") is not None:
        notes.append(
            f"Stopped early, after {header['stopped']} particles of {header['particles']}: the rates were known well "
            "enough. The intervals of the rates hold after such a stop."
        )
    elif done < wanted:
        notes.append(f"This run is not finished: {done} of {wanted} traces. The numbers will change.")
    if len(judged) > MOST_POLICIES:
        notes.append(f"Figures show the first {MOST_POLICIES} of {len(judged)} policies; tables have all of them.")
    notes.append(run_verdict.broken_note(judged))
    return [note for note in notes if note]
