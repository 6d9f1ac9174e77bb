"""[Zapolsky2017], figure 16: where robots that turn into a curb 3 cm high end up, with four step heights.

Every particle is a robot that is not quite as modelled; all step heights meet the same ones. With low steps none gets
over, with high ones nearly all do; with steps as high as the curb the particle decides. The scenario is the bundled
`curb`, once more with a curb that is exactly 3 cm high, and once more with strikes forbidden, as in the paper.

    surefoot reproduce 004-figure-16
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.curb_study import (
    PARTICLES,
    Array,
    Progress,
    curb,
    differences,
    feet_over,
    motions,
    silent,
    traced,
)

from surefoot.report.camera import moving_geoms
from surefoot.report.comparison import Comparison
from surefoot.report.picture import Painter
from surefoot.traces.findings import Finding
from surefoot.traces.run import Run
from surefoot.traces.scenario import Scenario

PAPER = {
    "1 cm": "all collide",
    "2 cm": "all collide",
    "3 cm": "brittle, two ways",
    "4 cm": "nearly all get over",
}
FIGURE, EXACT, STRICT = "as bundled", "curb exactly 3 cm", "no strike allowed"
STRICT_PARTICLES, FEW = 64, 3
SHOWN, TIMES = 10, (0.0, 1.0, 2.0, 3.0, 4.0)  # particles of a pane, s
WIDTH, HEIGHT = 640, 400
BOX = (0.0, -0.85, 0.0), (0.85, 0.15, 0.1)  # m, corners of what the panes show
COLOURS = {True: (0.15, 0.55, 0.25, 1.0), False: (0.80, 0.18, 0.15, 1.0)}
AZIMUTH, ELEVATION = 80.0, -40.0  # degrees


def reproduce(folder: Path, *, quick: bool = False, progress: Progress = silent) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles."""
    n, fewer = (FEW, FEW) if quick else (PARTICLES, STRICT_PARTICLES)
    wanted: dict[str, tuple[Any, int, list[str]]] = {
        FIGURE: (curb(), n, list(PAPER)),
        EXACT: (curb(ruler=False), n, ["3 cm", "4 cm"]),
        STRICT: (curb(strikes=False), fewer, list(PAPER)),
    }
    total, done, runs = sum(count * len(policies) for _, count, policies in wanted.values()), 0, {}
    for study, (scenario, count, policies) in wanted.items():
        runs[study] = traced(scenario, count, policies, lambda k, before=done: progress(before + k, total))
        done += count * len(policies)
    found = {study: run.findings() for study, run in runs.items()}
    rows = tuple(_row(study, runs[study], one) for study in runs for one in found[study])
    times = TIMES[-1:] if quick else TIMES
    figure = _draw(folder / "004-figure-16.png", runs[FIGURE], found[FIGURE], times)
    return Comparison(rows, _notes(wanted[FIGURE][0], found, n, fewer), figure)


def _row(study: str, run: Run, one: Finding) -> dict[str, str]:
    ends = [q[-1] for _, q in motions(run, one.group) if len(q)]
    return {
        "particles": study,
        "steps": one.policy,
        "over the curb": str(one.rate),
        "verdict": one.verdict.word,
        "decides": one.decides or "-",
        "what fails": ", ".join(f"{name} {often}" for name, often, _ in one.group.causes()) or "-",
        "feet over": f"{np.mean([feet_over(run.scenario, q) for q in ends]):.1f} of 4",
        "told apart best by": _told_by(one),
        "the paper": PAPER[one.policy] if study == FIGURE else "-",
    }


def _told_by(one: Finding) -> str:
    """The impact that is most unlike as frequent in successes as in failures, with both shares."""
    events = sorted({event for each in one.signatures for event in each})
    shares = {event: _shares(one, event) for event in events}
    if not one.group.success.any() or one.group.success.all():
        return "-"
    best = max(events, key=lambda event: abs(shares[event][0] - shares[event][1]))
    return f"{best}, {100 * shares[best][0]:.0f} against {100 * shares[best][1]:.0f} %"


def _shares(one: Finding, event: str) -> tuple[float, float]:
    """Of the successes and of the failures: in how many an event occurs that begins so; 0 if there are none."""
    has = np.array([any(each.startswith(event) for each in order) for order in one.signatures])
    success = one.group.success
    won, lost = has[success], has[~success]
    return float(won.mean()) if won.size else 0.0, float(lost.mean()) if lost.size else 0.0


def _notes(scenario: Scenario, found: dict[str, list[Finding]], particles: int, fewer: int) -> tuple[str, ...]:
    brittle = next(one for one in found[FIGURE] if one.policy == "3 cm")
    won, lost = _shares(brittle, "strike RF_FOOT/curb side")
    touched = [any("/curb" in event for event in each) for one in found[FIGURE] for each in one.signatures]
    return (
        f"{particles} particles, the same for all step heights ({fewer} where no "
        "strike is allowed); in brackets the interval of Wilson, 95 %. Decides: parameter on which success "
        "depends for sure. Feet over: mean number beyond the curb when the trace ends. Told apart best by: the impact "
        "whose share among the successes differs most from that among the failures, with both shares.",
        f"In the paper RF/obstacle tells success from failure in all traces. Here {sum(touched)} of {len(touched)} "
        f"traces touch the curb, and with steps of 3 cm RF strikes its side in {100 * won:.0f} % of the successes and "
        f"{100 * lost:.0f} % of the failures. Where their impacts part (3 cm): {brittle.parting or 'nowhere'}.",
        differences(scenario),
    )


def _draw(path: Path, run: Run, found: Sequence[Finding], times: Sequence[float]) -> Path:
    from matplotlib.figure import Figure

    scene = run.scenario.nominal()
    figure = Figure(figsize=(12, 8), layout="constrained")
    with Painter(scene, WIDTH, HEIGHT) as painter:
        camera = painter.frame(*np.array(BOX), azimuth=AZIMUTH, elevation=ELEVATION)
        painter.model.light_castshadow[:] = 0
        moving = moving_geoms(painter.model)
        painter.model.geom_matid[moving] = -1
        painter.model.geom_rgba[moving] = (0.0, 0.0, 0.0, 0.0)
        empty = painter.paint(scene.home().q, camera).astype(np.float64)
        for axis, one in zip(figure.subplots(2, 2).flat, found, strict=True):
            image, moved = empty, motions(run, one.group)[:SHOWN]
            for t in times:
                for (moments, q), won in zip(moved, one.group.success[:SHOWN], strict=True):
                    painter.model.geom_rgba[moving] = COLOURS[bool(won)]
                    there = _at(moments, q, t)
                    if there is not None:
                        image = _over(image, painter.paint(there, camera), empty, 0.06 + 0.5 * (t / TIMES[-1]) ** 2)
            axis.imshow(image.round().clip(0, 255).astype(np.uint8))
            axis.set_title(f"{one.policy}: {one.rate.successes} of {one.rate.n} over the curb, {one.verdict.word}")
            axis.axis("off")
    figure.savefig(path, dpi=110)
    return path


def _at(t: Array, q: Array, when: float) -> Array | None:
    """Configuration (nq,) at a time in s, or the last one if the trace ended within the second before."""
    if not len(t) or when >= t[-1] + 1.0:
        return None
    return q[np.searchsorted(t, when, side="right") - 1]


def _over(image: Array, drawn: Any, empty: Array, strength: float) -> Array:
    """A picture with another laid over it, where that differs from the empty scene."""
    stands_out = np.clip(np.abs(drawn - empty).max(axis=2, keepdims=True) / 12.0 - 0.25, 0.0, 1.0)
    return image + strength * stands_out * (drawn - image)
