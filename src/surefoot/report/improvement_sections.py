"""Tables and pictures on the page of an improvement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surefoot.design.beginning import beginning
from surefoot.design.history import Step
from surefoot.design.improvement import Improvement
from surefoot.errors import EngineError
from surefoot.report import run_verdict
from surefoot.report.html import Html, join, tag
from surefoot.report.improvement_numbers import (
    UNASKED,
    final_difficulty,
    forced,
    how_hard,
    minus,
    unit_of,
)
from surefoot.report.picture import Painter
from surefoot.report.run_pictures import webp, without
from surefoot.report.run_sections import side_by_side
from surefoot.report.run_verdict import scrolling
from surefoot.traces.findings import Finding
from surefoot.traces.paired import compare
from surefoot.traces.rates import percent

WIDTH, HEIGHT = 720, 460
VIEWS = (("from its right side", 90.0, -6.0, 1.0), ("from ahead, right", 145.0, -22.0, 0.8))
"""Name, azimuth and elevation in degrees, and how much nearer the camera is than where it would see a whole box."""

WHO = ("start robot", "improved robot")
MOST_FORCED = 3
NOWRAP = "white-space:nowrap"
LEAST = 0.05  # of a unit; smaller changes are not worth a name


def robots(improvement: Improvement) -> Html:
    """Both robots at one moment of their task, seen from the same places and as large as they are."""
    difficulty = final_difficulty(improvement)
    first = beginning(improvement).rehearse(improvement.start, difficulty, samples=[0])
    last = improvement.problem.rehearse(improvement.p, difficulty, samples=[0])
    shown = []
    try:
        with Painter(first.scene, WIDTH, HEIGHT) as one, Painter(last.scene, WIDTH, HEIGHT) as other:
            boxes = one.bounds(first.q[0]), other.bounds(last.q[0])
            low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
            for view, azimuth, elevation, nearer in VIEWS:
                for who, painter, rehearsal in ((WHO[0], one, first), (WHO[1], other, last)):
                    camera = painter.frame(low, high, azimuth=azimuth, elevation=elevation)
                    camera.distance *= nearer
                    shown.append(_picture(f"{who}, {view}", painter.paint(rehearsal.q[0], camera), rehearsal))
    except EngineError as error:
        return without(error)
    text = (
        f"Both as they begin the course at {how_hard(improvement.problem.task, difficulty)}, to the same scale. "
        "Squares of the floor are 0.2 m wide."
    )
    return join([tag("p", text), side_by_side(shown, most=2)])


def _picture(what: str, image: Any, rehearsal: Any) -> Html:
    missing = 1e3 * float(rehearsal.missing[0].max())
    note = f" A foot misses its place by {missing:.0f} mm." if missing > 0.5 else ""
    source = f"data:image/webp;base64,{webp(image)}"
    caption = tag("figcaption", what.capitalize(), tag("small", note) if note else None)
    return tag("figure", caption, tag("img", src=source, alt=f"{what}.{note}", width=WIDTH, height=HEIGHT))


def changes(improvement: Improvement) -> Html:
    """Parameters before and after, their bounds, and who asked for the change."""
    asked = forced(improvement)
    rows = []
    for parameter, a, b in zip(improvement.morphology.parameters, improvement.start, improvement.p, strict=True):
        unit = unit_of(parameter)
        who = [(name, mine[parameter.name]) for name, mine in asked.items() if mine.get(parameter.name)]
        told = [
            f"{name} {unit.text(change)}\u00a0{unit.name}".strip()
            for name, change in sorted(who, key=lambda each: -each[1])[:MOST_FORCED]
            if unit.scale * change >= LEAST
        ]
        bound = {parameter.low: "at its lowest", parameter.high: "at its highest"}.get(float(b), "")
        cells = [
            tag("td", unit.text(a)),
            tag("td", tag("b", unit.text(b))),
            tag("td", unit.text(b - a, signed=True)),
            tag("td", unit.name),
            tag("td", f"{unit.text(parameter.low)} to {unit.text(parameter.high)}", class_="nowrap"),
            tag("td", bound, class_="left"),
            tag("td", "; ".join(told) or "-", class_="left", style="min-width:20em"),
        ]
        rows.append(tag("tr", tag("th", parameter.name, scope="row"), *cells))
    masses = [float(scene.mass) for scene in (beginning(improvement).scene(improvement.start), improvement.scene)]
    rows.append(_mass_row(*masses))
    heads = ("parameter", "start", "improved", "change", "", "bounds", "", "asked for by")
    return _table(heads, rows, "parameters", left=("", "asked for by"))


def _mass_row(before: float, after: float) -> Html:
    numbers = (f"{1e3 * before:.0f}", tag("b", f"{1e3 * after:.0f}"), minus(f"{1e3 * (after - before):+.0f}"), "g")
    cells = [tag("td", each) for each in numbers]
    return tag("tr", tag("th", "whole robot", scope="row"), *cells, *(tag("td", "") for _ in range(3)))


def witnesses(improvement: Improvement) -> Html | None:
    """Which witness forced which millimetre: witnesses by parameters."""
    asked, parameters = forced(improvement), improvement.morphology.parameters
    units = [unit_of(parameter) for parameter in parameters]
    most = [max([mine.get(parameter.name, 0.0) for mine in asked.values()], default=0.0) for parameter in parameters]
    rows = []
    for who, mine in asked.items():
        cells = []
        for parameter, unit, largest in zip(parameters, units, most, strict=True):
            change = mine.get(parameter.name, 0.0)
            if unit.scale * change < LEAST:
                cells.append(tag("td", ""))
                continue
            tone = f"color-mix(in srgb, var(--link) {30 * change / largest:.0f}%, transparent)"
            shade = f"background-image:linear-gradient({tone} 0 0)"
            cells.append(tag("td", unit.text(change), style=shade))
        if any(cell != tag("td", "") for cell in cells):
            rows.append(tag("tr", tag("th", who, scope="row", style=NOWRAP), *cells))
    if not rows:
        return None
    heads = ("witness", *(f"{each.name} [{unit.name}]" if unit.name else each.name
                          for each, unit in zip(parameters, units, strict=True)))  # fmt: skip
    text = (
        "For every change that stayed the violated witness whose slope asked for it most, summed up without signs: a "
        "way there and back counts twice. A leap was taken where slopes showed no way out; "
        f"{UNASKED!r} moved with the others."
    )
    return join([tag("p", text), _table(heads, rows, "witnesses and parameters")])


def steps(improvement: Improvement) -> Html | None:
    """All steps in a table."""
    if not improvement.steps:
        return None
    parameters, task = improvement.morphology.parameters, improvement.problem.task
    units = [unit_of(parameter) for parameter in parameters]
    rows = []
    for step in improvement.steps:
        applied = [step.applied.get(each.name, 0.0) for each in parameters]
        told = [unit.text(change, signed=True) for unit, change in zip(units, applied, strict=True)]
        cells = [
            tag("td", how_hard(task, step.difficulty), class_="nowrap"),
            tag("td", f"{100 * step.progress:.0f} %", class_="nowrap"),
            tag("td", _worst(step), class_="left", style="min-width:13em"),
            *(tag("td", text if change else "") for text, change in zip(told, applied, strict=True)),
            tag("td", _said(step), class_="left"),
        ]
        rows.append(tag("tr", tag("th", step.number or "\u2013", scope="row", style="min-width:0"), *cells))
    heads = ["update", "at", "done", "worst witness"]
    heads += [f"{each.name} [{unit.name}]" if unit.name else each.name
              for each, unit in zip(parameters, units, strict=True)]  # fmt: skip
    table = _table((*heads, "answer"), rows, "steps", left=("worst witness", "answer"), narrow=True)
    text = (
        "Done: share of the course before the first violation. The worst witness stands with its value and where in "
        "the course it is worst; the numbers after it are the changes that were made. A change that made things worse "
        "was taken back, and the next may be half as large."
    )
    shown = tag("details", tag("summary", f"All {len(rows)} steps"), table, open=len(rows) <= 40 or None)
    return join([tag("p", text), shown])


def _worst(step: Step) -> str:
    if step.violations and step.worst < 0.0:
        one = step.violations[0]
        rough = ", not smooth" if one.witness in step.rough else ""
        return f"{one.witness} {minus(f'{one.value:+.3f}')} at {100 * one.phase:.0f}\u00a0%{rough}"
    return f"all limits hold, {step.worst:.3f} to spare"


def _said(step: Step) -> str:
    """What was answered, and what came of it."""
    said = ", ".join(step.answers)
    if step.motors:
        said = said or ", ".join(f"motor {pattern} {motor}" for pattern, motor in step.motors.items())
    if not step.accepted and "undo" not in step.answers:
        said = f"{said}, taken back"
    return said


def proven(proofs: Sequence[Any] | None) -> Html | None:
    """What both robots do in the simulator, in a line each."""
    if not proofs:
        return None
    names = WHO if len(proofs) == len(WHO) else tuple(str(k + 1) for k in range(len(proofs)))
    rows = [
        tag("tr", tag("th", who, scope="row", style=NOWRAP), tag("td", str(proof), class_="left", style="width:100%"))
        for who, proof in zip(names, proofs, strict=True)
    ]
    return tag("div", tag("table", tag("tbody", *rows)), class_="scroll")


def falsified(runs: Sequence[Any] | None) -> Html | None:
    """Rates of success of both robots over the same particles, with intervals, and the paired test.

    Args:
        runs: two `Run`s of the same policies and particles, the start robot's first.
    """
    if not runs:
        return None
    before, after = runs
    parts = []
    for one in before.findings():
        other = next((each for each in after.findings() if each.policy == one.policy), None)
        if other is None:
            continue
        judged = [_named(one, WHO[0], 0), _named(other, WHO[1], 1)]
        if len(before.folder.policies) > 1:
            parts.append(tag("h3", one.policy))
        parts.append(side_by_side([run_verdict.card(each) for each in judged], "cards", most=2))
        parts.append(tag("p", _paired(before, after, judged), style="margin-top:14px"))
    if not parts:
        return tag("p", "The two runs share no policy, so nothing can be compared.", class_="note")
    text = "Robots as built, not as drawn: success with its 95 % interval."
    return join([tag("p", text), *parts, run_verdict.legend()])


def _named(finding: Finding, who: str, place: int) -> Finding:
    return replace(finding, group=replace(finding.group, policy=who, place=place))


def _paired(before: Any, after: Any, judged: list[Finding]) -> str:
    """The comparison in a sentence or two."""
    a, b = (each.rate for each in judged)
    fell = f"Failures go from {percent(1 - a.rate)} % to {percent(1 - b.rate)} %."
    same = all(before.folder.header.get(key) == after.folder.header.get(key) for key in ("seed", "method"))
    groups = [each.group for each in judged]
    common = np.intersect1d(groups[0].particle, groups[1].particle)
    if not same or not common.size:
        return f"{fell} The two runs did not meet the same particles, so there is no paired test."
    won = {group.policy: group.success[np.searchsorted(group.particle, common)] for group in groups}
    told = str(compare(won)[0])
    return f"{fell} On the same {len(common)} particles: {told} (exact paired test, 95 % interval)"


def made(improvement: Improvement) -> Html:
    """Motors, task, law and bounds: what it takes to do it again."""
    problem, morphology = improvement.problem, improvement.morphology
    by_motor: dict[str, list[str]] = {}
    for joint in morphology.parts.scene.joints:
        by_motor.setdefault(str(morphology.motor(joint) or "as in the robot's file"), []).append(joint)
    changed = [f"{pattern}: {motor}" for step in improvement.steps for pattern, motor in step.motors.items()]
    crowd = problem.crowd
    rows = [
        ("task", str(problem.task)),
        ("contact law", str(problem.law)),
        *((f"motor {name}", ", ".join(joints)) for name, joints in by_motor.items()),
        *([("motors changed on the way", "; ".join(changed))] if changed else []),
        ("windows", "none: nothing is simulated" if problem.width == 1 else f"{problem.width} samples are simulated"),
        ("robots as built", "the one that was drawn" if crowd is None else
         f"{crowd.particles} particles, witnesses at the quantile {crowd.quantile:g}, seed {crowd.seed}"),
        ("updates", improvement.updates),
    ]  # fmt: skip
    body = [tag("tr", tag("th", name, scope="row"), tag("td", value, class_="left")) for name, value in rows]
    return _table(("what", "value"), body, "how it was made", left=("value",))


def _table(
    heads: Sequence[str], rows: Sequence[Html], label: str, left: Sequence[str] = (), narrow: bool = False
) -> Html:
    """A table in a box that scrolls; `narrow`: heads may break into several lines."""
    style = "white-space:normal;vertical-align:bottom" if narrow or len(heads) > 6 else None
    head = [tag("th", text, scope="col", class_="left" if text in left else None, style=style) for text in heads]
    return scrolling(tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows)), label)
