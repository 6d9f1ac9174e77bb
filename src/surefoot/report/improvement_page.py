"""One self-contained HTML page of an improvement: what came of it, what changed, and which limit asked for it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from surefoot.design.improvement import Improvement
from surefoot.design.robot_files import MJCF, URDF
from surefoot.errors import InputError
from surefoot.report import improvement_plot as plot
from surefoot.report import improvement_sections as sections
from surefoot.report.html import Html, join, tag
from surefoot.report.improvement_numbers import Progress, final_difficulty, how_hard, minus, progress
from surefoot.report.picture import writable
from surefoot.report.run_page import PAGE_ENDINGS, head
from surefoot.report.svg import INK, MUTED, inline, panel

BESIDE = (MJCF, URDF, "steps.jsonl", "answers.txt")
"""Files that the page links to where they stand beside it."""


def improvement_page(
    improvement: Improvement,
    path: str | Path,
    *,
    proofs: Sequence[Any] | None = None,
    runs: Sequence[Any] | None = None,
    files: Iterable[str | Path] | None = None,
) -> Path:
    """Write the report of an improvement.

    Args:
        improvement: from `improve`.
        path: file to write, ending in .html.
        proofs: what the start robot and the improved one do in the simulator; each is shown as its text.
        runs: two `Run`s of `sf.falsify`, of the start robot and of the improved one, on the same particles.
        files: to link to; None: robot files and logs that stand in the page's folder.

    Returns:
        The path written.

    Raises:
        InputError: the file cannot be written, or there are not two runs.
    """
    target = writable("path", path, PAGE_ENDINGS)
    if runs is not None and len(runs) != 2:
        raise InputError(f"runs: expected two, of the start robot and of the improved one, got {len(runs)}")
    if files is None:
        files = [target.parent / name for name in BESIDE if (target.parent / name).is_file()]
    links = [(Path(file).name, quote(os.path.relpath(file, target.parent))) for file in files]
    target.write_text(page(improvement, proofs, runs, links), encoding="utf-8")
    return target


def page(
    improvement: Improvement,
    proofs: Sequence[Any] | None = None,
    runs: Sequence[Any] | None = None,
    links: Sequence[tuple[str, str]] = (),
) -> str:
    """The report as one text; arguments as in `improvement_page`, links as names and addresses."""
    seen = progress(improvement)
    listed = [
        ("robots", "Before and after", sections.robots(improvement)),
        ("changes", "What changed", sections.changes(improvement)),
        ("witnesses", "Which witness forced which millimetre", sections.witnesses(improvement)),
        ("progress", "Progress", _progress(improvement, seen)),
        ("clouds", "Torque and speed", _clouds(improvement)),
        ("proofs", "In the simulator", sections.proven(proofs)),
        ("runs", "Robots as built", sections.falsified(runs)),
        ("steps", "Steps", sections.steps(improvement)),
        ("made", "How it was made", sections.made(improvement)),
    ]
    shown = [(key, title, content) for key, title, content in listed if content is not None]
    body = [tag("section", tag("h2", title), content, id=key) for key, title, content in shown]
    name = improvement.scene.name
    got = join((tag("a", text, href=address) for text, address in links), " · ")
    top = tag(
        "header",
        tag("p", "Surefoot · improvement"),
        tag("h1", name),
        tag("p", headline(improvement), class_="headline"),
        tag("p", _facts(improvement, seen), class_="facts"),
        tag("p", "Files: ", got, class_="facts") if links else None,
        tag("nav", *(tag("a", title, href=f"#{key}") for key, title, _ in shown), aria_label="sections"),
        class_="top",
    )
    foot = tag("footer", tag("p", f"Written by Surefoot {metadata.version('surefoot')}; this file needs no network."))
    return "<!DOCTYPE html>\n" + tag(
        "html", head(f"{name}: improvement"), tag("body", top, tag("main", *body), foot), lang="en"
    )


def headline(improvement: Improvement) -> str:
    """What came of it, in a sentence."""
    task = improvement.problem.task
    wanted, after = how_hard(task, improvement.wanted), _updates(improvement.updates)
    if improvement.reached:
        return (
            f"The improved robot keeps all limits at {wanted}, with {improvement.margin:.3f} to spare, after {after}."
        )
    if np.isfinite(improvement.difficulty):
        got = how_hard(task, improvement.difficulty)
        return f"The improved robot keeps all limits at {got}, not at {wanted}, after {after}: {improvement.reason}."
    return f"No robot was found that keeps all limits at {_least(improvement)}, after {after}: {improvement.reason}."


def _least(improvement: Improvement) -> str:
    levels = [step.difficulty for step in improvement.steps] or [improvement.wanted]
    return how_hard(improvement.problem.task, min(levels))


def _updates(count: int) -> str:
    return "1 update" if count == 1 else f"{count} updates"


def _facts(improvement: Improvement, seen: Progress) -> str:
    """How it began, for those who read on."""
    count = len(improvement.p)
    k = next((k for k, name in enumerate(seen.witness) if name), None)
    began = "The start robot violated nothing."
    if k is not None:
        who = "The start robot" if k == 0 else f"The robot after {_updates(k)}"
        value, where = minus(f"{seen.worst[k]:+.3f}"), how_hard(improvement.problem.task, float(seen.tried[k]))
        began = f"{who} violated {seen.witness[k]} ({value}) at {where}."
    return f"{began} {count} {'parameter was' if count == 1 else 'parameters were'} free."


def _progress(improvement: Improvement, seen: Progress) -> Html:
    """The map of figure 39, and the worst witness below it."""
    with panel(9.5, 1.1 + 0.42 * len(seen.levels)) as (figure, axes):
        plot.progress_panel(axes, improvement, seen)
        axes.set_title(axes.get_ylabel())
        axes.set_ylabel("")
        final = seen.share[np.searchsorted(seen.levels, final_difficulty(improvement)), -1]
        words = (
            f"Share of the course that each design does, at {len(seen.levels)} difficulties; at the end {final:.0%}."
        )
        drawn = inline(figure, words, "progress")
    key = tag(
        "p",
        "0 % ",
        tag("span", style=_RAMP),
        " 100 % of the course before the first violation. The line is what was tried, with the witness that was the "
        "worst there at first.",
        " Grey was not looked at." if np.isnan(seen.share).any() else None,
        class_="key-line",
    )
    text = (
        "Every design, one column an update, at every difficulty. Below: how far the worst witness is from its limit "
        "(under zero it is violated), and which one it is, with larger dots the worse it is."
    )
    figures = [tag("figure", _wide(drawn), key), tag("figure", _wide(_witness(improvement, seen)))]
    return join([tag("p", text), tag("div", *figures, class_="figures", style="--columns:1")])


_RAMP = (
    "display:inline-block;width:9em;height:0.8em;border-radius:3px;vertical-align:-0.05em;"
    f"background:linear-gradient(90deg, {', '.join(plot.RAMP)})"
)


def _witness(improvement: Improvement, seen: Progress) -> Html:
    rows = len(plot.worst_witnesses(seen))
    height = 2.9 + 0.21 * rows
    with panel(9.5, height) as (figure, axes):
        left, wide, low = 1.75 / 9.5, 1.0 - 1.85 / 9.5, 0.42 / height
        share = (0.15 + 0.21 * max(rows, 1)) / height
        axes.set_position((left, low + share + 0.12 / height, wide, 1.0 - low - share - 0.37 / height))
        below = figure.add_axes((left, low, wide, share), sharex=axes)
        plot.worst_panel(axes, improvement, seen, INK, MUTED)
        plot.which_panel(below, seen, INK)
        axes.set_title("worst witness")
        axes.set_ylabel("")
        axes.set_xlabel("")
        axes.tick_params(labelbottom=False)
        return inline(figure, f"Worst witness after each update; at the end {improvement.margin:.3f}.", "witness")


def _clouds(improvement: Improvement) -> Html:
    """Figure 45: torques over speeds before and after."""
    pairs, unit = plot.cloud_pairs(improvement)
    figures = []
    for k, (name, pair) in enumerate(pairs.items()):
        shown = [
            (colour, plot.cloud_words(who, cloud), cloud.joints)
            for who, colour, cloud in zip(("start", "improved"), (plot.START, plot.IMPROVED), pair, strict=True)
            if cloud is not None
        ]
        with panel(4.6, 3.3) as (figure, axes):
            plot.cloud_panel(axes, improvement, pair, unit, INK, legend=False)
            axes.set_title(axes.get_ylabel())
            axes.set_ylabel("")
            drawn = inline(figure, f"{name}: {'; '.join(words for _, words, _ in shown)}.", f"cloud{k}")
        caption = tag("figcaption", f"{name} ", tag("small", ", ".join(shown[-1][2])))
        said = [tag("li", tag("span", class_="key", style=f"background:{one}"), words) for one, words, _ in shown]
        figures.append(tag("figure", caption, drawn, tag("ul", *said, class_="legend")))
    difficulty = how_hard(improvement.problem.task, final_difficulty(improvement))
    text = (
        f"Every joint at every sample of the course at {difficulty}, by kind of motor. Inside the line the motor "
        "can do it. Where the course is out of a robot's reach there are no torques to draw."
    )
    return join([tag("p", text), tag("div", *figures, class_="figures", style="--columns:2")])


def _wide(drawn: Html) -> Html:
    """A wide figure that a phone scrolls instead of shrinking it until nobody can read it."""
    inner = tag("div", drawn, style="min-width:700px")
    return tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label="figure", style="border:0")
