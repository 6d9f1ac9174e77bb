"""[Zapolsky2017], figure 16: where robots that turn into a curb 3 cm high end up, with four step heights.

Every particle is a robot that is not quite as modelled; all step heights meet the same ones. With low steps none gets
over, with high ones nearly all do; with steps as high as the curb the particle decides. The scenario is the bundled
`curb`, once more with a curb that is exactly 3 cm high, and once more with strikes forbidden, as in the paper.

    surefoot reproduce 004-figure-16
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.curb_study import DIFFERENCES, PARTICLES, QUICK, Array, Progress, curb, feet_over
from surefoot_experiments.curb_study import motions, traced

from surefoot.report.camera import moving_geoms
from surefoot.report.comparison import Comparison
from surefoot.report.picture import Painter
from surefoot.traces.findings import Finding
from surefoot.traces.run import Run

PAPER = {
    "1 cm": "all collide",
    "2 cm": "all collide",
    "3 cm": "brittle, two ways",
    "4 cm": "nearly all get over",
}
FIGURE, EXACT, STRICT = "as bundled", "curb exactly 3 cm", "no strike allowed"
STRICT_PARTICLES = 64
SHOWN, TIMES = 12, (0.0, 1.0, 2.0, 3.0, 4.0)  # particles of a pane, s
WIDTH, HEIGHT = 720, 500
COLOURS = {True: (0.15, 0.55, 0.25, 1.0), False: (0.80, 0.18, 0.15, 1.0)}
AZIMUTH, ELEVATION = 70.0, -42.0  # degrees


def reproduce(folder: Path, *, quick: bool = False, progress: Progress | None = None) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles."""
    n, fewer = (QUICK, QUICK) if quick else (PARTICLES, STRICT_PARTICLES)
    wanted: dict[str, tuple[Any, int, list[str]]] = {
        FIGURE: (curb(), n, list(PAPER)),
        EXACT: (curb(ruler=False), n, ["3 cm", "4 cm"]),
        STRICT: (curb(strikes=False), fewer, list(PAPER)),
    }
    total, done, runs = sum(count * len(policies) for _, count, policies in wanted.values()), 0, {}
    for study, (scenario, count, policies) in wanted.items():
        tell = None if progress is None else lambda k, before=done: progress(before + k, total)
        runs[study] = traced(scenario, count, policies, tell)
        done += count * len(policies)
    rows = tuple(_row(study, run, one) for study, run in runs.items() for one in run.findings())
    return Comparison(rows, _notes(runs[FIGURE], n), _draw(folder / "004-figure-16.png", runs[FIGURE]))


def _row(study: str, run: Run, one: Finding) -> dict[str, str]:
    ends = [q[-1] for _, q in motions(run, one.policy).values()]
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


def _notes(run: Run, particles: int) -> tuple[str, ...]:
    found = {one.policy: one for one in run.findings()}
    won, lost = _shares(found["3 cm"], "strike RF_FOOT/curb side")
    touched = [any("/curb" in event for event in each) for one in found.values() for each in one.signatures]
    return (
        f"{particles} particles, the same for all step heights ({STRICT_PARTICLES if particles > QUICK else QUICK} "
        "where no strike is allowed); in brackets the interval of Wilson, 95 %. Decides: parameter on which success "
        "depends for sure. Feet over: mean number beyond the curb when the trace ends. Told apart best by: the impact "
        "whose share among the successes differs most from that among the failures, with both shares.",
        f"In the paper RF/obstacle tells success from failure in all traces. Here {sum(touched)} of {len(touched)} "
        f"traces touch the curb, and with steps of 3 cm RF strikes its side in {100 * won:.0f} % of the successes and "
        f"{100 * lost:.0f} % of the failures. Where their impacts part (3 cm): {found['3 cm'].parting or 'nowhere'}.",
        DIFFERENCES,
    )


def _draw(path: Path, run: Run) -> Path:
    from matplotlib.figure import Figure

    scenario = run.scenario
    moved = {one.policy: list(motions(run, one.policy).values())[:SHOWN] for one in run.findings()}
    figure = Figure(figsize=(12, 9), layout="constrained")
    with Painter(scenario.nominal(), WIDTH, HEIGHT) as painter:
        poses = [_at(*motion, t) for each in moved.values() for motion in each for t in (TIMES[0], TIMES[-1])]
        boxes = np.array([painter.bounds(q) for q in poses if q is not None])
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        camera = painter.frame(low, high, azimuth=AZIMUTH, elevation=ELEVATION)
        moving = moving_geoms(painter.model)
        painter.model.geom_matid[moving] = -1
        painter.model.geom_rgba[moving] = (0.0, 0.0, 0.0, 0.0)
        empty = painter.paint(poses[0], camera).astype(np.float64)
        for axis, one in zip(figure.subplots(2, 2).flat, run.findings(), strict=True):
            image = empty
            for t in TIMES:
                for motion, won in zip(moved[one.policy], one.group.success, strict=False):
                    painter.model.geom_rgba[moving] = COLOURS[bool(won)]
                    q = _at(*motion, t)
                    if q is not None:
                        image = _over(image, painter.paint(q, camera), empty, 0.15 + 0.45 * (t / TIMES[-1]) ** 2)
            axis.imshow(image.round().clip(0, 255).astype(np.uint8))
            axis.set_title(f"{one.policy}: {one.rate.successes} of {one.rate.n} over the curb, {one.verdict.word}")
            axis.axis("off")
    figure.savefig(path, dpi=110)
    return path


def _at(t: Array, q: Array, when: float) -> Array | None:
    """Configuration (nq,) at a time in s, or the last before it if the trace ended within the second before."""
    return q[np.searchsorted(t, when, side="right") - 1] if when < t[-1] + 1.0 else None


def _over(image: Array, drawn: Any, empty: Array, strength: float) -> Array:
    """A picture with another laid over it, where that differs from the empty scene."""
    stands_out = np.clip(np.abs(drawn - empty).max(axis=2, keepdims=True) / 12.0 - 0.25, 0.0, 1.0)
    return image + strength * stands_out * (drawn - image)
