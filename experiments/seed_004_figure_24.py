"""[Zapolsky2017], figure 24: how long a quadruped walks until it falls, by gait period.

Every particle is a robot that is not quite as modelled and walks for 20 s or until it falls; all periods meet the same
ones. The scenario is the bundled `gait_period`, once more with steps as low as the paper's.

    surefoot reproduce 004-figure-24
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from surefoot_experiments.curb_study import Progress, silent
from surefoot_experiments.period_study import STABLE, Walks, differences, walks

from surefoot.report.comparison import Comparison

PAPER_STEPS = 0.03  # m


def reproduce(folder: Path, *, quick: bool = False, progress: Progress = silent) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles, a short walk."""
    scenario, found = walks(quick, lambda done, total: progress(done, 2 * total))
    low = walks(quick, lambda done, total: progress(total + done, 2 * total), PAPER_STEPS)[1]
    notes = (
        "Walked: mean of the time until a fall, or of the whole walk without one (all that do not fall end at the same "
        "time), +- its standard error. In brackets the interval of Wilson, 95 %. With steps of "
        f"{100 * PAPER_STEPS:g} cm: upright at the end, the same particles with steps as high as the paper's.",
        f"In the paper no particle falls up to {STABLE:g} s and falls begin at 1.1 s, in simulation and in situ. Here "
        f"some fall with: {_falling(found)}; with steps of {100 * PAPER_STEPS:g} cm with: {_falling(low)}.",
        differences(scenario, found),
    )
    return Comparison(tuple(map(_row, found, low)), notes, _draw(folder / "004-figure-24.png", found))


def _falling(found: list[Walks]) -> str:
    """Periods with which some fall."""
    return ", ".join(mine.finding.policy for mine in found if mine.fell.any()) or "none"


def _row(mine: Walks, low: Walks) -> dict[str, str]:
    falls = mine.finding.group.time[mine.fell]
    return {
        "period": mine.finding.policy,
        "upright at the end": str(mine.finding.rate),
        "walked, s": f"{mine.lasted.mean():.1f} +- {_error(mine):.1f}" if mine.lasted.size else "-",
        "median time of a fall, s": f"{np.median(falls):.1f}" if falls.size else "-",
        "first fall, s": f"{falls.min():.1f}" if falls.size else "-",
        "verdict": mine.finding.verdict.word,
        f"with steps of {100 * PAPER_STEPS:g} cm": f"{low.up.sum()} of {len(low.up)}",
        "the paper": "none falls" if mine.period <= STABLE else "falls",
    }


def _error(mine: Walks) -> float:
    """Standard error of the mean time walked, s; 0 of a single walk."""
    n = mine.lasted.size
    return float(mine.lasted.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0


def _draw(path: Path, found: list[Walks]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axis = figure.subplots()
    for mine in found:
        beside = mine.period + np.linspace(-0.02, 0.02, mine.lasted.size)
        label = "a particle" if mine is found[0] else "_"
        axis.plot(beside, mine.lasted, ".", color="tab:gray", alpha=0.6, label=label)
    means = [mine.lasted.mean() if mine.lasted.size else np.nan for mine in found]
    errors = [_error(mine) for mine in found]
    periods = [mine.period for mine in found]
    axis.errorbar(periods, means, errors, fmt="o-", color="tab:blue", capsize=3, label="mean and standard error")
    axis.plot([0.6, STABLE], 2 * [found[0].duration], "x:", color="black", label="the paper: none falls")
    axis.axvspan(1.1, 1.5, color="tab:red", alpha=0.08, label="the paper: falls, in simulation and in situ")
    axis.set(xlabel="gait period, s", ylabel="time until a fall, s", ylim=(0.0, 1.05 * found[0].duration))
    axis.legend(fontsize="small", loc="lower left")
    axis.grid(alpha=0.25)
    figure.savefig(path, dpi=110)
    return path
