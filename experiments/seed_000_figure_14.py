"""[Zapolsky2015], figure 14: errors of a trotting quadruped's joints over time, seven controllers on four grounds.

The robot goes between the paper's waypoints for 10 s.

    surefoot reproduce 000-figure-14
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.quadruped import DT, GAIT, PAPER, PLANES, QUICK, Walk, walks

from surefoot.report.comparison import Comparison

SECONDS = 10.0  # s that the figure shows


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: 2 s of each walk. Nothing in it is random."""
    found = walks([(ground, name) for ground in PLANES for name in PAPER], QUICK if quick else SECONDS, progress)
    errors = [_error(walk) for walk in found]
    rows = tuple(_row(walk, error) for walk, error in zip(found, errors, strict=True))
    notes = (
        "The paper's figure has no numbers; its table 3 does (surefoot reproduce 000-table-3).",
        "Errors are means over the joints, and over one gait period around each time.",
    )
    return Comparison(rows, notes, _draw(folder / "000-figure-14.png", found, errors))


def _error(walk: Walk) -> NDArray[np.float64]:
    """(steps,) rad: mean over the joints, then over a period."""
    period = np.ones(round(GAIT.period / DT))
    error = walk.joint_error()
    return np.convolve(error, period, "same") / np.convolve(np.ones(len(error)), period, "same")


def _row(walk: Walk, error: NDArray[np.float64]) -> dict[str, str]:
    return {
        "ground": walk.ground,
        "controller": walk.controller,
        "median, rad": f"{np.median(error):.4f}",
        "largest": f"{np.max(error):.4f}",
        "the paper's": "not given",
        "fell": f"{walk.numbers.fell:.1f} s" if walk.numbers.fell is not None else "thrown" if walk.fell else "no",
    }


def _draw(path: Path, found: list[Walk], errors: list[NDArray[np.float64]]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    panels: Any = figure.subplots(2, 2, sharex=True, sharey=True)
    styles = dict(zip(PAPER, ("C0-", "C0:", "C1-", "C1:", "k-", "C2-", "C2:"), strict=True))
    for panel, ground in zip(panels.T.ravel(), PLANES, strict=True):
        for walk, error in zip(found, errors, strict=True):
            if walk.ground == ground:
                panel.semilogy(walk.trace.t[: len(error)], error, styles[walk.controller], label=walk.controller)
        panel.set(title=ground, ylim=(1e-4, 1.0))
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.93")
    for panel in panels[1]:
        panel.set_xlabel("time, s")
    handles, names = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", frameon=False)
    figure.supylabel("mean error of the joints, rad")
    figure.savefig(path, dpi=110)
    return path
