"""[Zapolsky2017], figure 19: a quadruped changes from a walk to a fast trot, at four moments of its gait.

In the dissertation only particles that change when 75 % of a period are over stay upright. Every particle is a robot
that is not quite as modelled; all moments meet the same ones. The scenario is the bundled `transition`; variations of
it show what decides: the path, the speed, the plan of a foot in mid-air.

    surefoot reproduce 004-figure-19
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.abrupt_change import abrupt

from surefoot.report.comparison import Comparison
from surefoot.traces.paired import paired
from surefoot.traces.policies import Steps
from surefoot.traces.rates import wilson
from surefoot.traces.result import SUCCESS, Result
from surefoot.traces.scenario import Scenario
from surefoot.traces.scenario_file import load_scenario

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]

PAPER = {"0 %": "0 of 4", "25 %": "0 of 4", "50 %": "0 of 4", "75 %": "4 of 4"}
BEST = "75 %"
PARTICLES, FEW = 96, 16
SOON = 0.6  # s after the change: two periods
LIMIT, STRICT = 1.0, 0.3  # rad, lean that counts as a fall, and one that a strict requirement might name
POINTS = tuple((0.1 * k, 0.1 * math.sin(0.2 * math.pi * k)) for k in range(1, 31))  # m
BUNDLED, MIRROR, ALONG, ABRUPT, BOLD = "bends right", "bends left", "points", "points, abrupt", "points, abrupt, bold"
COLOURS = {True: "tab:green", False: "tab:red"}


@dataclass(frozen=True)
class Changed:
    """All particles but the nominal one, with one moment of the change.

    Attributes:
        time: s of the change.
        safe: (n,) whether it stayed upright.
        lean: (n,) rad, the largest.
        soon: (n,) rad, the largest in the first two periods after the change.
        paths: where the base went, each (rows, 3) m.
    """

    time: float
    safe: NDArray[np.bool_]
    lean: Array
    soon: Array
    paths: tuple[Array, ...]


def reproduce(folder: Path, *, quick: bool = False, progress: Progress | None = None, seed: int = 0) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles, few variations."""
    scenario = load_scenario("transition")
    studies = _studies(dict(scenario.policies))
    if quick:
        studies = {BUNDLED: studies[BUNDLED], ABRUPT: {moment: studies[ABRUPT][moment] for moment in ("33 %", BEST)}}
    counts = {name: (2 if quick else PARTICLES) if name == BUNDLED else (1 if quick else FEW) for name in studies}
    total = sum(counts[name] * len(studies[name]) for name in studies)
    found: dict[str, dict[str, Changed]] = {}
    done = 0
    for name, policies in studies.items():
        made = {moment: make for moment, (_, make) in policies.items()}
        studied = replace(scenario, policies=made)
        found[name] = {}
        for moment, (steps, _) in policies.items():
            traces = []
            for particle in range(1, counts[name] + 1):
                traces.append(studied.trace(moment, particle, seed))
                done += 1
                if progress is not None:
                    progress(done, total)
            found[name][moment] = _changed(steps, traces)
    rows = tuple(_row(name, moment, found[name]) for name in found for moment in found[name])
    return Comparison(rows, _notes(scenario, counts), _draw(folder / "004-figure-19.png", found[BUNDLED]))


def _studies(bundled: dict[str, Any]) -> dict[str, dict[str, tuple[Steps, Any]]]:
    """By name and moment: the numbers of a policy, and the policy."""

    def of(change: Callable[[Steps], Steps], make: Callable[[Steps], Any] = lambda steps: steps) -> Any:
        changed = {moment: change(steps) for moment, steps in bundled.items()}
        return {moment: (steps, make(steps)) for moment, steps in changed.items()}

    def turning(walk: float, trot: float, **more: Any) -> Callable[[Steps], Steps]:
        return lambda steps: replace(steps, turn=walk, then=replace(steps.then, turn=trot, **more))

    def along(steps: Steps) -> Steps:
        return replace(steps, turn=0.5, points=POINTS, then=replace(steps.then, turn=1.0, points=POINTS))

    def odd(studied: dict[str, tuple[Steps, Any]], make: Callable[[Steps], Any]) -> dict[str, tuple[Steps, Any]]:
        """With the phase at 1 s, too."""
        third = replace(studied["25 %"][0], at=1.0 / 3.0)
        return {**dict(list(studied.items())[:2]), "33 %": (third, make(third)), **dict(list(studied.items())[2:])}

    bold = lambda steps: abrupt(steps, bold=True)  # noqa: E731
    return {
        BUNDLED: odd(of(lambda steps: steps), lambda steps: steps),
        MIRROR: of(turning(0.5, 1.0)),
        "straight": of(turning(0.0, 0.0)),
        "straight, 1 m/s": of(turning(0.0, 0.0, forward=1.0)),
        "bends right, 2600 N/m": of(lambda steps: replace(steps, kp=2600.0, kd=30.0)),
        ALONG: odd(of(along), lambda steps: steps),
        ABRUPT: odd(of(along, abrupt), abrupt),
        BOLD: odd(of(along, bold), bold),
    }


def _changed(steps: Steps, traces: list[Result]) -> Changed:
    time = steps.policy().changeover()
    leans, soons, paths = [], [], []
    for trace in traces:
        told = trace.telemetry
        t, lean = np.asarray(told["t"]), LIMIT * (1.0 - np.asarray(told["witness upright"]))
        leans.append(LIMIT * (1.0 - trace.margins["upright"]))
        soons.append(max(lean[(t >= time) & (t <= time + SOON)], default=math.nan))
        paths.append(np.column_stack([told["q0"], told["q1"], told["q2"]]))
    safe = np.array([trace.outcome == SUCCESS for trace in traces])
    return Changed(time, safe, np.array(leans), np.array(soons), tuple(paths))


def _row(study: str, moment: str, found: dict[str, Changed]) -> dict[str, str]:
    mine = found[moment]
    n, safe = len(mine.safe), int(mine.safe.sum())
    low, high = wilson(safe, n)
    return {
        "set-up": study,
        "change at": moment,
        "s": f"{mine.time:.3f}",
        "safe": f"{safe} of {n}, {100 * safe / n:.0f} % ({100 * low:.0f} to {100 * high:.0f})",
        "paper's": PAPER.get(moment, "-"),
        "p": "-" if moment == BEST else f"{paired(mine.safe, found[BEST].safe).p:.2g}",
        f"{STRICT:g} rad": f"{int((mine.lean < STRICT).sum())}",
        "lean, median": f"{math.degrees(np.median(mine.lean)):.1f}",
        "lean, worst": f"{math.degrees(np.max(mine.lean)):.1f}",
        "soon, median": f"{math.degrees(np.nanmedian(mine.soon)):.1f}",
        "soon, worst": f"{math.degrees(np.nanmax(mine.soon)):.1f}",
    }


def _notes(scenario: Scenario, counts: dict[str, int]) -> tuple[str, ...]:
    return (
        f"{counts[BUNDLED]} particles in the first set-up, {min(counts.values())} in the others, the same for all "
        f"moments (paper: 4). Safe: leans by less than {LIMIT:g} rad until {scenario.duration:g} s, and nothing but "
        "the feet touches the ground; in brackets the interval of Wilson, 95 %. p: exact test of McNemar against the "
        f"change at {BEST}. {STRICT:g} rad: how many never lean by so much. Lean in degrees, "
        f"over the whole trace; soon: within {SOON:g} s after the change.",
        "Set-ups: the bundled scenario, where the path bends to the right by 0.5 rad/s, in the trot by 1 rad/s, the "
        "most that the paper's tables allow; the same to the left; straight; straight and faster; stiffer feet; along "
        "the paper's points on a sine, where our steering slows down; with a change that does not mend the plan of "
        "feet in mid-air; and with steering that does not slow down, both as in the source of the dissertation's "
        "controller.",
        "33 %: that controller changes as soon as the phase is at least that of the policy, from 1 s on, when the "
        "phase is 33 %. Its changes at 0 % and 25 % are then one and the same, at 33 %, with a foot in mid-air.",
    )


def _draw(path: Path, found: dict[str, Changed]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 6.5), layout="constrained")
    axes = figure.subplots(2, len(found), sharex=True, sharey="row", height_ratios=(2.2, 1))
    for column, (moment, mine) in enumerate(found.items()):
        top, side = axes[:, column]
        for safe, way in sorted(zip(mine.safe, mine.paths, strict=True), key=lambda pair: not pair[0]):
            style: dict[str, Any] = {"color": COLOURS[bool(safe)], "linestyle": "-" if safe else ":"}
            style |= {"linewidth": 1.0 if safe else 1.4, "alpha": 0.35 if safe else 0.9}
            top.plot(way[:, 0], way[:, 1], **style)
            side.plot(way[:, 0], 1e2 * way[:, 2], **style)
            for axis, height in ((top, way[-1, 1]), (side, 1e2 * way[-1, 2])):
                axis.plot(way[-1, 0], height, marker="o" if safe else "x", color=COLOURS[bool(safe)], markersize=3)
        top.set(title=f"{moment}: {int(mine.safe.sum())} of {len(mine.safe)} safe (paper: {PAPER.get(moment, 'none')})")
        top.set_aspect("equal", adjustable="box")
        side.set(xlabel="x, m")
        for axis in (top, side):
            axis.grid(alpha=0.25)
    axes[0, 0].set(ylabel="y, m")
    axes[1, 0].set(ylabel="height of the base, cm")
    figure.savefig(path, dpi=110)
    return path
