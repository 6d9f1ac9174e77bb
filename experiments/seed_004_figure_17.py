"""[Zapolsky2017], figure 17: how robots turn that walk into a curb 3 cm high with steps of 2, 3 and 4 cm.

The command is to turn all the time. Who steps over the curb turns on; who strikes it is held up. Of the policy whose
traces do either, the height of the curb is then found at which one particle changes from the one to the other: where
it grazes the curb. The scenario is the bundled `curb`.

    surefoot reproduce 004-figure-17
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.curb_study import (
    PARTICLES,
    QUICK,
    RULER,
    Array,
    Progress,
    curb,
    differences,
    motions,
    silent,
    traced,
    yaw,
)

import surefoot as sf
from surefoot.report.comparison import Comparison
from surefoot.traces.findings import TOGETHER, Finding
from surefoot.traces.graze import Split
from surefoot.traces.result import Result
from surefoot.traces.scatter import scatter
from surefoot.traces.signatures import parting, signature

COLOURS = {"2 cm": "tab:blue", "3 cm": "tab:green", "4 cm": "tab:red"}
"""Policies, in the colours of the paper."""
BRITTLE = "3 cm"
TOLERANCE = 1e-6  # m


@dataclass(frozen=True)
class Turned:
    """The traces of one policy.

    Attributes:
        finding: what the run says of them.
        t, yaw: (n,) s and degrees, of every trace.
        whole: (traces,) whether it walked to the end.
    """

    finding: Finding
    t: list[Array]
    yaw: list[Array]
    whole: NDArray[np.bool_]

    def ends(self, which: NDArray[np.bool_]) -> Array:
        """(k,) degrees: final yaw of some of those that walked to the end."""
        return np.array([yaw[-1] for yaw, yes in zip(self.yaw, which & self.whole, strict=True) if yes])

    def across(self) -> Array:
        """(k,) m: final y of those that walked to the end; the curb lies along x."""
        return self.finding.group.final["y"][self.whole]


def reproduce(folder: Path, *, quick: bool = False, progress: Progress = silent) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles."""
    scenario, n = curb(), QUICK if quick else PARTICLES
    run = traced(scenario, n, list(COLOURS), lambda done: progress(done, n * len(COLOURS)))
    found = {one.policy: _turned(run, one) for one in run.findings()}
    split = sf.traces.locate_graze(scenario, _by_height(found[BRITTLE].finding), tolerance=TOLERANCE)
    sides = () if split is None else tuple(_side(scenario, split, x) for x in (split.graze.low, split.graze.high))
    rows = (*_rows(found), *_graze_rows(split, sides))
    return Comparison(rows, _notes(scenario, n), _draw(folder / "004-figure-17.png", found, split, sides))


def _turned(run: sf.traces.Run, finding: Finding) -> Turned:
    moved = motions(run, finding.group)
    whole = np.array([bool(t.size) and t[-1] > run.scenario.duration - 1e-9 for t, _ in moved])
    return Turned(finding, [t for t, _ in moved], [yaw(q) for _, q in moved], whole)


def _by_height(finding: Finding) -> Finding:
    """The same traces, told by the curb's height alone."""
    return replace(finding, group=replace(finding.group, values={RULER: finding.group.values[RULER]}))


def _side(scenario: sf.Scenario, split: Split, value: float) -> Result:
    """The particle that grazes, on one side of the change."""
    return scenario.trace(split.policy, split.particle, values={split.name: value})


def _rows(found: dict[str, Turned]) -> list[dict[str, str]]:
    def row(what: str, cell: Any, paper: str) -> dict[str, str]:
        return {"traces": what, **{name: cell(mine) for name, mine in found.items()}, "the paper": paper}

    return [
        row("over the curb", lambda m: str(m.finding.rate), "none; some; nearly all"),
        row("walked to the end", lambda m: f"{m.whole.sum()} of {len(m.whole)}", "not given"),
        row("their final yaw, degrees", lambda m: _mean(m.ends(m.whole)), "2 cm kept from turning"),
        row("of those over the curb", lambda m: _mean(m.ends(m.finding.group.success)), "turn on"),
        row("of those not over it", lambda m: _mean(m.ends(~m.finding.group.success)), "kept from turning"),
        row("final yaw", lambda m: _clouds(m.ends(m.whole)), "3 cm in two ways"),
        row("final place across the curb", lambda m: _clouds(m.across()), "3 cm in two ways"),
        row("verdict", lambda m: m.finding.verdict.word, "predictable; brittle; predictable"),
    ]


def _mean(values: Array) -> str:
    return f"{values.mean():.0f} +- {values.std(ddof=1):.0f} ({len(values)})" if len(values) > 1 else "-"


def _clouds(values: Array) -> str:
    """Whether they are one cloud or two."""
    spread = scatter(values[:, None])
    if not spread.word:
        return "too few to tell"
    shares = " and ".join(f"{100 * share:.0f} %" for share in spread.shares if share > 0.0)
    return f"{spread.word} ({shares})"


def _graze_rows(split: Split | None, sides: Sequence[Result]) -> list[dict[str, str]]:
    empty = dict.fromkeys(COLOURS, "-")
    if split is None:
        return [{"traces": "graze", **empty, BRITTLE: "not found", "the paper": "found by sampling"}]
    graze = split.graze
    again = "".join(f"; again between {1e3 * low:.2f} and {1e3 * high:.2f}" for low, high in graze.others)
    apart = parting([_impacts(sides[0])], [_impacts(sides[1])])
    differ = f"{apart.a} against {apart.b}" if apart is not None else "nothing"
    cells = {
        f"graze of {split.name}, mm": f"{1e3 * graze.value:.4f} (particle {split.particle}){again}",
        "bracket, mm": f"{1e3 * graze.low:.5f} to {1e3 * graze.high:.5f}",
        "below against above it": " against ".join(side.requirement or side.outcome for side in sides),
        "first impact that differs": differ,
    }
    return [{"traces": what, **empty, BRITTLE: cell, "the paper": "not given"} for what, cell in cells.items()]


def _impacts(side: Result) -> tuple[str, ...]:
    events = side.events
    return signature(list(events["kind"]), list(events["feature"]), np.array(events["t"], dtype=float), TOGETHER)


def _notes(scenario: sf.Scenario, particles: int) -> tuple[str, ...]:
    policy: Any = scenario.policies[BRITTLE]
    turn = np.degrees(policy.turn * scenario.duration)
    return (
        f"{particles} particles, the same for all step heights. Final yaw: mean, standard deviation and number of "
        "traces, of those that did not fall before; "
        f"{turn:.0f} degrees are commanded. Scatters: one cloud; bifurcates: two.",
        "Graze: in one particle, all else as drawn, the curb's height is moved until the trace ends in another way, "
        f"and that is narrowed down to {TOLERANCE:g} m.",
        differences(scenario),
    )


def _draw(path: Path, found: dict[str, Turned], split: Split | None, sides: Sequence[Result]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5.5), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True, width_ratios=(1.6, 1))
    for policy in ("4 cm", "2 cm", BRITTLE):  # the brittle one on top
        mine = found[policy]
        for k, (t, angle) in enumerate(zip(mine.t, mine.yaw, strict=True)):
            dots = (0, (1, 1.2)) if policy == BRITTLE else "-"
            left.plot(t, angle, color=COLOURS[policy], linewidth=0.7, linestyle=dots, alpha=0.7, label=k * "_" + policy)
    left.set(xlabel="time, s", ylabel="yaw of the base, degrees", title="each line a particle")
    left.legend(title="step height", fontsize="small", loc="lower left")
    if split is not None:
        for side, value, dash in zip(sides, (split.graze.low, split.graze.high), ("-", "--"), strict=True):
            q = np.array([side.telemetry[f"q{k}"] for k in range(7)], dtype=np.float64).T
            label = f"{1e3 * value:.5f} mm: {side.requirement or side.outcome}"
            right.plot(side.telemetry["t"], yaw(q), "black", linestyle=dash, label=label)
        right.legend(fontsize="small", loc="lower left")
        right.set_title(f"particle {split.particle}, steps of {split.policy}, by {split.name}")
    right.set(xlabel="time, s")
    for axis in (left, right):
        axis.grid(alpha=0.25)
    figure.savefig(path, dpi=110)
    return path
