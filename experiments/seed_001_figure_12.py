"""[Greenfield2005], figure 12: how fast toes seem to slide to a rigid model, and how fast they do.

From it the paper takes its thresholds: the most that the model says of a toe that is fixed.

    surefoot reproduce 001-figure-12
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.flip import CHOSEN, QUICK, SMOOTH, Flip, flip
from surefoot_experiments.flip_model import CONTACTS

from surefoot.report.comparison import Comparison

THEIRS = (None, 0.08, 0.001, 0.001)  # m/s of body and toes
SHOWN = 1.0  # m/s


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a decision every 4 ms. Nothing is random."""
    run = flip("blind", SMOOTH, QUICK if quick else CHOSEN)
    if progress is not None:
        progress(1, 1)
    rows = tuple(_row(run, i) for i in range(4))
    notes = (
        "The flip of the blind controller on the smooth surface, as in the paper. A toe or the body is fixed while it "
        "moves by less than 1 mm/s.",
        "The rear leg is pressed the longest and gives: its hip sinks, which to a rigid leg means that the toe slides. "
        "So it is the paper's first leg that needs the large threshold. The middle and front toes are fixed for the "
        "first milliseconds only.",
        "The controllers use the paper's thresholds, and 1 mm/s for the body.",
    )
    return Comparison(rows, notes, _draw(folder / "001-figure-12.png", run))


def fixed(run: Flip, contact: int) -> Any:
    """(n,) ticks in which a contact is fixed in the simulation and known to the model."""
    still = np.array([word[contact] == "F" for word in run.true_modes])
    return still & np.isfinite(run.expected[:, contact])


def _row(run: Flip, contact: int) -> dict[str, str]:
    still = fixed(run, contact)
    seems = np.abs(run.expected[still, contact])
    theirs = THEIRS[contact]
    return {
        "contact": CONTACTS[contact],
        "fixed for, ms": f"{1e3 * run.t[1] * still.sum():.0f}",
        "seems to slide by, m/s": f"{seems.max():.3f}" if len(seems) else "",
        "the paper's threshold": "not given" if theirs is None else f"{theirs:g}",
    }


def _draw(path: Path, run: Flip) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    panels: Any = figure.subplots(4, 1, sharex=True)
    for i, panel in enumerate(panels):
        slips = np.where(run.force[:, i, 0] > 0.0, run.slips[:, i], np.nan)
        panel.fill_between(
            run.t, -2 * SHOWN, 2 * SHOWN, where=fixed(run, i).tolist(), color="0.9", linewidth=0, label="fixed"
        )
        panel.plot(run.t, slips, color="black", linewidth=1.5, label="simulation")
        panel.plot(run.t, run.expected[:, i], color="tab:red", linewidth=1.2, linestyle="--", label="rigid model")
        low, high = np.nanmin(run.expected[:, i]), np.nanmax(run.expected[:, i])
        panel.set(ylabel=CONTACTS[i], ylim=(max(low, -SHOWN) - 0.1, min(high, SHOWN) + 0.1))
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.93")
    panels[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    panels[0].set_title("Velocity along the ground, m/s")
    panels[-1].set_xlabel("time, s")
    figure.savefig(path, dpi=100)
    return path
