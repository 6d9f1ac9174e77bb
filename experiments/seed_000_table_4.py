"""[Zapolsky2015], table 4: how smooth the torques of seven controllers are while a quadruped trots.

The robot goes between the paper's waypoints for 30 s on rigid ground of friction 0.1.

    surefoot reproduce 000-table-4
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.quadruped import CONTROLLERS, DT, QUICK, SECONDS, Walk, walks

from surefoot.report.comparison import Comparison

GROUND = "rigid, mu 0.1"
THEIRS = {  # mean |change of torque| and mean |torque|; the paper does not say in which units the change is
    "ID(t) QP, mu": (52.5718, 0.2016),
    "ID(t) QP, inf": (245.5117, 0.4239),
    "ID(t) LCP, mu": (677.9693, 0.8351),
    "ID(t) LCP, inf": (351.1803, 0.4055),
    "PID": (100.1571, 0.3413),
    "ID(t-1)": (974.3312, 0.9918),
    "ID(t-2)": (17528.0, 2.7416),
}
REFERENCE = "PID"
SHOWN = (1.0, 1.6)  # s of the walk that the figure shows


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: 2 s of each walk. Nothing in it is random."""
    found = walks([(GROUND, name) for name in CONTROLLERS], QUICK if quick else SECONDS, progress)
    base = next(walk.numbers for walk in found if walk.controller == REFERENCE)
    rows = tuple(_row(walk, base.chatter) for walk in found)
    notes = (
        "Changes are per second, |tau(t) - tau(t - dt)| / dt; the paper does not say in which units its own are. "
        "Robots, gains and limits differ; how much rougher than PID a controller is can be compared.",
        "Torques stay within 2 N m, which bounds how far they can jump: the paper's of ID(t-2) are 175 times as rough "
        "as PID's.",
    )
    return Comparison(rows, notes, _draw(folder / "000-table-4.png", found))


def _row(walk: Walk, base: float) -> dict[str, str]:
    numbers, paper = walk.numbers, THEIRS.get(walk.controller)
    return {
        "controller": walk.controller,
        "change, N m/s": f"{numbers.chatter / DT:.1f}",
        "the paper's": f"{paper[0]:.1f}" if paper else "not given",
        "times PID's": f"{numbers.chatter / base:.2f}",
        "the paper's times": f"{paper[0] / THEIRS[REFERENCE][0]:.2f}" if paper else "not given",
        "torque, N m": f"{numbers.torque:.4f}",
        "the paper's ": f"{paper[1]:.4f}" if paper else "not given",
        "fell": "no" if not walk.fell else "yes",
    }


def _draw(path: Path, found: list[Walk]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 1.3 * len(found)), layout="constrained")
    panels: Any = figure.subplots(len(found), 1, sharex=True, sharey=True)
    steps = slice(*(round(t / DT) for t in SHOWN))
    for panel, walk in zip(panels, found, strict=True):
        panel.plot(walk.trace.t[:-1][steps], walk.trace.torque[steps, :3], linewidth=0.9)
        panel.set_title(f"{walk.controller}: {walk.numbers.chatter / DT:.0f} N m/s", loc="left", fontsize=9, pad=2)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.93")
    largest = np.percentile([np.abs(walk.trace.torque[steps, :3]).max() for walk in found], 60)
    panels[0].set_ylim(-largest, largest)
    panels[-1].set_xlabel("time, s")
    figure.supylabel("torques of the left front leg, N m")
    figure.savefig(path, dpi=100)
    return path
