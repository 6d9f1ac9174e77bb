"""[Zapolsky2015], table 3: how well seven controllers let a trotting quadruped's joints follow, on four grounds.

The robot goes between the paper's waypoints for 30 s. Errors are means over joints and time, until a fall if it falls.

    surefoot reproduce 000-table-3
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.quadruped import CONTROLLERS, PAPER, PLANES, QUICK, SECONDS, Walk, walks

from surefoot.report.comparison import Comparison

# Position error in rad and velocity error in rad/s; None: it fell.
THEIRS: dict[str, dict[str, tuple[float, float] | None]] = {
    "rigid, mu 0.1": {
        "ID(t) QP, mu": (0.0310, 1.9425),
        "ID(t) QP, inf": (0.0483, 2.6295),
        "ID(t) LCP, mu": (0.0239, 1.8386),
        "ID(t) LCP, inf": None,
        "PID": (0.0895, 1.5569),
        "ID(t-1)": (0.0325, 1.7952),
        "ID(t-2)": (0.0328, 1.7830),
    },
    "rigid, mu inf": {
        "ID(t) QP, mu": (0.0486, 2.2596),
        "ID(t) QP, inf": (0.0654, 2.5737),
        "ID(t) LCP, mu": (0.0259, 1.8784),
        "ID(t) LCP, inf": (0.0260, 1.8950),
        "PID": (0.0916, 1.4653),
        "ID(t-1)": (0.1317, 2.5585),
        "ID(t-2)": (0.1316, 2.5608),
    },
    "compliant, mu 0.1": {
        "ID(t) QP, mu": (0.0217, 2.0365),
        "ID(t) QP, inf": None,
        "ID(t) LCP, mu": (0.0219, 2.0786),
        "ID(t) LCP, inf": None,
        "PID": (0.0850, 1.5845),
        "ID(t-1)": (0.0265, 1.8858),
        "ID(t-2)": (0.0267, 1.8742),
    },
    "compliant, mu inf": {
        "ID(t) QP, mu": (0.0342, 2.9360),
        "ID(t) QP, inf": (0.0446, 3.9779),
        "ID(t) LCP, mu": (0.0226, 2.1243),
        "ID(t) LCP, inf": None,
        "PID": (0.0850, 1.5845),
        "ID(t-1)": (0.1270, 4.4377),
        "ID(t-2)": (0.1270, 4.2061),
    },
}


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: 2 s of each walk. Nothing in it is random."""
    cells = [(ground, name) for ground in PLANES for name in CONTROLLERS]
    found = walks(cells, QUICK if quick else SECONDS, progress)
    rows = tuple(_row(walk) for walk in found)
    finished = [walk for walk in found if THEIRS[walk.ground].get(walk.controller) is not None]
    better = [walk for walk in finished if not walk.fell and walk.numbers.position_error <= _theirs(walk)[0]]
    notes = (
        f"Of the {len(finished)} cells that the paper's robot finished, ours finishes and follows as well or better in "
        f"{len(better)}.",
        "QP is our dissipative law in its slip form; the row of the energy QP is the paper's own objective, which "
        "brakes a robot whose feet do not slip. At infinite friction the ground obeys the no-slip law, as Moby's does: "
        "there QP and LCP, inf are one problem.",
        "All controllers have the same feedback as torque (20 N m/rad, 0.1 N m s/rad), all inverse dynamics the same "
        "as acceleration, and motors of 2 N m. The paper gives neither gains nor limits; its velocity errors suggest "
        "that its torques chattered.",
        "Sensed forces are those of the last step, or of the one before, exactly. Between feet that cannot give way "
        "they add the feedback's torque again in every step; motors of 2 N m bound that.",
        "On compliant ground controllers expect contacts to be rigid within 10 ms instead of one step: a rigid contact "
        "that stops a sinking foot within 1 ms would push with many times the weight.",
    )
    return Comparison(rows, notes, _draw(folder / "000-table-3.png", found))


def _theirs(walk: Walk) -> tuple[float, float]:
    return THEIRS[walk.ground].get(walk.controller) or (np.nan, np.nan)


def _row(walk: Walk) -> dict[str, str]:
    numbers, paper = walk.numbers, _theirs(walk)
    unknown = "fell" if walk.controller in PAPER else "not given"
    return {
        "ground": walk.ground,
        "controller": walk.controller,
        "position, rad": f"{numbers.position_error:.4f}",
        "the paper's": f"{paper[0]:.4f}" if np.isfinite(paper[0]) else unknown,
        "velocity, rad/s": f"{numbers.velocity_error:.3f}",
        "the paper's ": f"{paper[1]:.3f}" if np.isfinite(paper[1]) else unknown,
        "fell": f"{numbers.fell:.1f} s" if numbers.fell is not None else "thrown" if not walk.trace.ok else "no",
    }


def _draw(path: Path, found: list[Walk]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    panels: Any = figure.subplots(2, 2, sharex=True, sharey=True)
    for panel, ground in zip(panels.T.ravel(), PLANES, strict=True):
        mine = [walk for walk in found if walk.ground == ground]
        places = np.arange(len(mine))
        ours = [walk.numbers.position_error for walk in mine]
        bars = panel.barh(places + 0.2, ours, 0.38, color="tab:blue", label="ours")
        panel.barh(places - 0.2, [_theirs(walk)[0] for walk in mine], 0.38, color="0.75", label="the paper's")
        for bar, walk in zip(bars, mine, strict=True):
            if walk.fell:
                bar.set(facecolor="white", edgecolor="tab:red", hatch="///")
        for place, walk in zip(places, mine, strict=True):
            if walk.controller in PAPER and not np.isfinite(_theirs(walk)[0]):
                panel.text(1.15e-4, place - 0.22, "the paper's fell", va="center", color="0.5", fontsize=8)
        panel.set(title=ground, xscale="log", xlim=(1e-4, 0.3), yticks=places)
        panel.set_yticklabels([walk.controller for walk in mine])
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="x", color="0.9")
        panel.set_axisbelow(True)
    panels[0, 0].invert_yaxis()
    for panel in panels[1]:
        panel.set_xlabel("mean error of the joints, rad")
    handles, names = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=2, frameon=False)
    figure.suptitle("A trot between waypoints (hatched: it fell)", x=0.01, ha="left")
    figure.savefig(path, dpi=110)
    return path
