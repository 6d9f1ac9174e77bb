"""[Zapolsky2015], table 5: contact forces that inverse dynamics foresees, against those that the ground then gives.

The robot goes between the paper's waypoints for 30 s on four grounds. Compared are sums of normal forces.

    surefoot reproduce 000-table-5
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.quadruped import DT, LAWS, OWN, PAPER, PLANES, QUICK, SECONDS, Walk, walks

from surefoot.report.comparison import Comparison

# Mean absolute error in N and relative error in %; None: it fell.
THEIRS: dict[str, dict[str, tuple[float, float] | None]] = {
    "rigid, mu 0.1": {
        "ID(t) QP, mu": (3.8009, 12.53),
        "ID(t) QP, inf": (8.4567, 22.26),
        "ID(t) LCP, mu": (0.9371, 1.94),
        "ID(t) LCP, inf": None,
    },
    "rigid, mu inf": {
        "ID(t) QP, mu": (13.8457, 27.48),
        "ID(t) QP, inf": (12.4153, 25.26),
        "ID(t) LCP, mu": (1.2768, 1.55),
        "ID(t) LCP, inf": (0.3572, 1.16),
    },
    "compliant, mu 0.1": {
        "ID(t) QP, mu": (7.8260, 17.12),
        "ID(t) QP, inf": None,
        "ID(t) LCP, mu": (4.6385, 6.37),
        "ID(t) LCP, inf": None,
    },
    "compliant, mu inf": {
        "ID(t) QP, mu": (14.9225, 30.86),
        "ID(t) QP, inf": (15.1897, 30.66),
        "ID(t) LCP, mu": (12.4896, 24.00),
        "ID(t) LCP, inf": None,
    },
}
SEVERAL = "compliant, mu inf"  # the ground whose law has now and then several answers
SHOWN = (2.0, 2.6)  # s of the walk that the figure shows


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: 3 s of each walk. Nothing in it is random."""
    cells = [(ground, name) for ground in PLANES for name in (*LAWS, OWN)]
    both = 2 * len(cells)
    seconds = 1.5 * QUICK if quick else SECONDS

    def tell(first: int) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, _: progress(first + done, both)

    alone = walks(cells, seconds, tell(0), torque_feedback=False)
    added = walks(cells, seconds, tell(len(cells)))
    rows = tuple(_row(walk, other) for walk, other in zip(alone, added, strict=True))
    own = {walk.ground: walk for walk in alone if walk.controller == OWN}
    several = own.pop(SEVERAL)
    apart = np.abs(several.numbers.predicted - several.numbers.actual) > 1e-6 * several.numbers.actual.mean()
    notes = (
        "Under the ground's own law, with all feedback as acceleration, the relative error is at most "
        f"{max(walk.numbers.force_share for walk in own.values()):.1e}: forward and inverse dynamics solve one "
        f"problem. Not so on compliant ground of infinite friction: there {np.mean(apart):.1%} of the steps have "
        "several answers, as a contact that is let go and one that is held may both satisfy the law.",
        "Feedback added as torque is a torque that the prediction did not know of, which costs some of it. The paper "
        "adds it in all cases.",
        "Relative errors are of the mean force. On compliant ground the controllers of the paper take it for rigid "
        "and look 10 ms ahead; the last row of each ground knows its law and looks one step ahead.",
    )
    return Comparison(rows, notes, _draw(folder / "000-table-5.png", alone))


def _row(walk: Walk, added: Walk) -> dict[str, str]:
    paper = THEIRS[walk.ground].get(walk.controller)
    unknown = "fell" if walk.controller in PAPER else "not given"
    return {
        "ground": walk.ground,
        "controller": walk.controller,
        "error, N": f"{walk.numbers.force_error:.2g}",
        "relative": _share(walk),
        "with torque feedback, N": f"{added.numbers.force_error:.2g}",
        "relative ": _share(added),
        "the paper's, N": f"{paper[0]:.2f}" if paper else unknown,
        "the paper's": f"{paper[1]:.2f} %" if paper else unknown,
    }


def _share(walk: Walk) -> str:
    share = f"{100 * walk.numbers.force_share:.2g} %"
    if walk.numbers.fell is not None:
        return f"{share}, fell after {walk.numbers.fell:.1f} s"
    return share if walk.trace.ok else f"{share}, thrown"


def _draw(path: Path, found: list[Walk]) -> Path:
    from matplotlib.figure import Figure

    names = ("ID(t) QP, mu", "ID(t) LCP, mu", OWN)
    figure = Figure(figsize=(11, 7), layout="constrained")
    panels: Any = figure.subplots(4, 1, sharex=True)
    steps = slice(*(round(t / DT) for t in SHOWN))
    for panel, ground in zip(panels, PLANES, strict=True):
        shown = {walk.controller: walk for walk in found if walk.ground == ground}
        own = shown[OWN]
        panel.plot(own.trace.t[:-1][steps], own.numbers.actual[steps], color="black", linewidth=3, label="the ground's")
        for name, colour in zip(names, ("tab:green", "tab:orange", "tab:red"), strict=True):
            walk = shown[name]
            if len(walk.trace) >= steps.stop and not walk.fell:
                error = np.abs(walk.numbers.predicted - walk.numbers.actual)[steps]
                panel.plot(walk.trace.t[:-1][steps], error + 1e-16, color=colour, linewidth=1, label=f"error of {name}")
        panel.set(yscale="log", ylim=(1e-16, 1e4), title=ground)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.93")
    panels[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    panels[-1].set_xlabel("time, s")
    figure.supylabel("sum of normal forces, N")
    figure.savefig(path, dpi=100)
    return path
