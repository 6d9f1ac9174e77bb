"""[Zapolsky2017], figure 27: where a quadruped walks in 20 s, by gait period: scattering against bifurcation.

Short periods mean more steps and impacts, which scatter the robots; with long ones some fall, and never get up. Every
particle is a robot that is not quite as modelled; all periods meet the same ones. The scenario is the bundled
`gait_period`.

    surefoot reproduce 004-figure-27
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from surefoot_experiments.curb_study import Array, Progress, silent
from surefoot_experiments.period_study import Walks, differences, walks

from surefoot.report.comparison import Comparison
from surefoot.traces.rates import Rate
from surefoot.traces.scatter import scatter

PAPER = {"0.6 s": "scatter most", "1.0 s": "scatter less", "1.1 s": "scatter little, some fall", "1.5 s": "most fall"}
COLUMNS = 3


def reproduce(folder: Path, *, quick: bool = False, progress: Progress = silent) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles, a short walk."""
    scenario, found = walks(quick, progress)
    notes = (
        "Along and across: standard deviations of the final places of those upright at the end, seen from above; "
        "region: the root of the sum of their squares. Final states: whether place and lean of all particles are one "
        "cloud (scatters) or two (bifurcates), which takes 16 particles and four in each cloud.",
        "The paper shows four panes, the last two with periods beyond 1.0 s that its text does not name.",
        differences(scenario, found),
    )
    return Comparison(tuple(map(_row, found)), notes, _draw(folder / "004-figure-27.png", found))


def _row(mine: Walks) -> dict[str, str]:
    final = mine.finding.group.final
    ends = np.array([final["x"], final["y"]]).T[mine.up]
    spread = ends.std(axis=0, ddof=1) if len(ends) > 1 else None
    return {
        "period": mine.finding.policy,
        "fallen": str(Rate(int(mine.fell.sum()), len(mine.fell))),
        "upright": str(len(ends)),
        "their way, m": f"{ends[:, 0].mean():.2f}" if len(ends) else "-",
        "along, cm": "-" if spread is None else f"{100 * spread[0]:.0f}",
        "across, cm": "-" if spread is None else f"{100 * spread[1]:.0f}",
        "region, cm": "-" if spread is None else f"{100 * np.hypot(*spread):.0f}",
        "final states": scatter(_states(mine)).word or "too few to tell",
        "the paper": PAPER.get(mine.finding.policy, "not shown"),
    }


def _states(mine: Walks) -> Array:
    """(k, 3) final x and y in m and lean of the base in rad, of the walks that have an answer."""
    final = mine.finding.group.final
    lean = np.arccos(np.clip(np.cos(final["roll"]) * np.cos(final["pitch"]), -1.0, 1.0))
    return np.array([final["x"], final["y"], lean]).T[mine.finding.group.answered]


def _draw(path: Path, found: list[Walks]) -> Path:
    from matplotlib.figure import Figure

    rows = -(-len(found) // COLUMNS)
    figure = Figure(figsize=(12, 4 * rows), layout="constrained")
    axes = figure.subplots(rows, min(COLUMNS, len(found)), sharex=True, sharey=True, squeeze=False).flat
    for axis, mine in zip(axes, found, strict=True):
        for q, fell in zip(mine.q, mine.fell, strict=True):
            colour = "tab:red" if fell else "tab:green"
            axis.plot(q[:, 0], q[:, 1], color=colour, linewidth=0.8, alpha=0.7)
            axis.plot(*q[-1, :2], "x" if fell else "o", color=colour, markersize=5)
        axis.set(title=f"{mine.finding.policy}: {mine.fell.sum()} of {len(mine.fell)} fall", aspect="equal")
        axis.grid(alpha=0.25)
    figure.supxlabel("x, m; green: upright at the end, red: fallen")
    figure.supylabel("y, m")
    figure.savefig(path, dpi=110)
    return path
