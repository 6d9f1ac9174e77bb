"""[Zapolsky2017], figure 25: how a walking quadruped rolls, by gait period.

Every line is a robot that is not quite as modelled, until it falls; all periods meet the same ones. The scenario is the
bundled `gait_period`.

    surefoot reproduce 004-figure-25
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from surefoot_experiments.curb_study import Array, Progress, silent
from surefoot_experiments.period_study import STABLE, Walks, differences, walks

from surefoot.report.comparison import Comparison

FALLING = 1.0  # s before a fall that do not count as walking


def reproduce(folder: Path, *, quick: bool = False, progress: Progress = silent) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles, a short walk."""
    scenario, found = walks(quick, progress)
    notes = (
        "Roll: turn of the base about its x axis; root of the mean square over all particles, until a fall, and "
        f"without the last {FALLING:g} s before one, so that falling itself is left out; then the median over the "
        "particles of the largest one of each, likewise.",
        differences(scenario, found),
    )
    return Comparison(tuple(map(_row, found)), notes, _draw(folder / "004-figure-25.png", found))


def _row(mine: Walks) -> dict[str, str]:
    walking = [part for part in (_walking(mine, k) for k in range(len(mine.t))) if part.size]
    whole = np.concatenate([mine.roll(k) for k in range(len(mine.t))])
    return {
        "period": mine.finding.policy,
        "rms roll, degrees": f"{_rms(whole):.1f}",
        "before a fall": f"{_rms(np.concatenate(walking)):.1f}" if walking else "-",
        "largest before a fall": f"{np.median([np.abs(part).max() for part in walking]):.1f}" if walking else "-",
        "fell": f"{mine.fell.sum()} of {len(mine.t)}",
        "the paper": "grows with the period" if mine.period <= STABLE else "grows with the period, falls",
    }


def _walking(mine: Walks, k: int) -> Array:
    """(n,) degrees: roll in walk k, without the last moments before a fall."""
    t, roll = mine.t[k], mine.roll(k)
    return roll[t < mine.finding.group.time[k] - FALLING] if mine.fell[k] else roll


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _draw(path: Path, found: list[Walks]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 1.5 * len(found) + 1), layout="constrained")
    for axis, mine in zip(figure.subplots(len(found), 1, sharex=True, sharey=True), found, strict=True):
        for k, t in enumerate(mine.t):
            colour = "tab:red" if mine.fell[k] else "tab:blue"
            axis.plot(t, mine.roll(k), color=colour, linewidth=0.5, alpha=0.6)
        axis.set(ylabel=mine.finding.policy, ylim=(-90.0, 90.0), yticks=(-90, -45, 0, 45, 90))
        axis.grid(alpha=0.25)
    figure.axes[0].set_title("roll of the base in degrees, by gait period; red: falls before the end")
    figure.axes[-1].set_xlabel("time, s")
    figure.savefig(path, dpi=110)
    return path
