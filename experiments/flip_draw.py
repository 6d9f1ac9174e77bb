"""Figures 10, 11, 13 and 14 of [Greenfield2005]: a flip over time, as a controller expects it and as it is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.flip import CHOSEN, NAMES, QUICK, ROUGH, SMOOTH, Flip, flip
from surefoot_experiments.flip_model import CONTACTS

from surefoot.report.comparison import Comparison

COLOURS = {"S": "0.92", "L": "tab:blue", "F": "0.25", "R": "tab:orange"}
MEANS = {"S": "apart", "L": "slides back", "F": "fixed", "R": "slides ahead"}
SHORTEST = 3  # ticks of a mode that are worth telling


def history(
    folder: Path,
    name: str,
    controller: str,
    mu: float,
    *,
    quick: bool,
    progress: Callable[[int, int], None] | None,
    notes: tuple[str, ...],
) -> Comparison:
    """Let the robot flip and compare what the controller's model says with what happens; the figure is `name`.png."""
    run = flip(controller, mu, QUICK if quick else CHOSEN)
    if progress is not None:
        progress(1, 1)
    rows = tuple(
        {
            "contact": contact,
            "in the simulation, ms": sequence(run, run.true_modes, i),
            "by the model, ms": sequence(run, run.modes, i),
            "right": f"{run.right(i):.0%}",
        }
        for i, contact in enumerate(CONTACTS)
    )
    told = f"RMSE of the pitch acceleration {run.rmse:.2f} rad/s^2; {summary(run)}."
    return Comparison(rows, (told, *notes), _draw(folder / f"{name}.png", run, controller, mu))


def summary(run: Flip) -> str:
    """When it was up, and in how many ticks the controller could not do what it should."""
    time = f"up after {1e3 * run.time:.0f} ms" if run.up else "it does not get up"
    loose, unsure = int((~run.pressed).sum()), int((~run.sure).sum())
    return (
        f"{time}; in {loose} of {len(run.t)} ticks no torque kept the body's least force, in {unsure} every torque "
        "left several modes open"
    )


def sequence(run: Flip, modes: list[str], contact: int) -> str:
    """The modes of a contact in order, with the ms in which each ends; the shortest are left out."""
    parts, k = [], 0
    for mode, group in groupby(word[contact] for word in modes):
        n = len(list(group))
        k += n
        if n >= SHORTEST:
            parts.append((mode, 1e3 * (run.t[k - 1] + run.t[1])))
    return " ".join(f"{mode} {end:.0f}" for mode, end in parts)


def surface(mu: float) -> str:
    """Name of a surface."""
    return {SMOOTH: "smooth", ROUGH: "rough"}[mu]


def strips(axis: Any, run: Flip) -> None:
    """Draw the modes of all contacts as coloured strips, the model's above those of the simulation."""
    beside = axis.get_yaxis_transform()
    for i, contact in enumerate(CONTACTS):
        for below, modes in enumerate((run.modes, run.true_modes)):
            y = -(2.6 * i + below)
            start = 0.0
            for mode, group in groupby(word[i] for word in modes):
                width = len(list(group)) * run.t[1]
                axis.barh(y, width, left=start, height=0.9, color=COLOURS[mode])
                start += width
            who = "model" if below == 0 else "sim."
            axis.text(-0.006, y, who, transform=beside, ha="right", va="center", fontsize=7, color="0.4")
        axis.text(-0.05, -(2.6 * i + 0.5), contact, transform=beside, ha="right", va="center")
    axis.set(yticks=[], xlabel="time, s")
    axis.spines[["top", "right", "left"]].set_visible(False)


def legend(axis: Any) -> None:
    """Explain the colours of the strips."""
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=f"{mode}: {MEANS[mode]}") for mode, colour in COLOURS.items()]
    axis.legend(
        handles=patches, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.22), frameon=False, fontsize="small"
    )


def _draw(path: Path, run: Flip, controller: str, mu: float) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    above.plot(run.t, run.pitch_acceleration, color="black", linewidth=1.5, label="simulation")
    above.plot(run.t, run.predicted, color="tab:red", linewidth=1.2, linestyle="--", label="model of the controller")
    low, high = np.percentile(run.pitch_acceleration, (0.2, 99.0))
    above.set(ylabel="pitch acceleration, rad/s$^2$", xlim=(0.0, run.t[-1]), ylim=(low - 10.0, high + 30.0))
    above.set_title(f"{NAMES[controller]}, toes of friction {mu:g}")
    above.legend(frameon=False)
    above.grid(color="0.93")
    above.spines[["top", "right"]].set_visible(False)
    strips(below, run)
    legend(below)
    figure.savefig(path, dpi=100)
    return path
