"""[Zapolsky2017], table 7: the printed quadruped before and after it was improved, automatically and by a designer.

Masses in g and lengths in mm, ours beside the paper's.

    surefoot reproduce 004-table-7
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.redesign import automatic, highest, supervised

from surefoot.report.comparison import Comparison
from surefoot.report.improvement_plot import draw_witness

# By parameter the paper's initial, automated and supervised robots, in mm and g.
PAPER = {
    "front hip length": (62, 137, 54), "front thigh length": (72, 96, 53), "front shank length": (140, 189, 55),
    "hind hip length": (62, 1, 54), "hind thigh length": (72, 81, 53), "hind shank length": (140, 106, 55),
    "base length": (87, 165, 72), "base width": (64, 72, 64), "base height": (20, 34, 25),
    "front limb radius": (23, 92, 23), "hind limb radius": (23, 37, 23), "front foot radius": (20, 8, 27),
    "hind foot radius": (20, 187, 39), "front hip mass": (17, 148, 12), "front thigh mass": (18, 3, 12),
    "front shank mass": (29, 1, 15), "hind hip mass": (17, 200, 12), "hind thigh mass": (18, 166, 12),
    "hind shank mass": (29, 69, 15),
}  # fmt: skip


def reproduce(folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None) -> Comparison:
    """Improve the robot both ways; `quick`: three updates of each."""
    auto, led = automatic("printed", quick, progress, 0, 2), supervised(quick, progress, 1, 2)
    names = auto.morphology.names
    rows = []
    for name, paper in PAPER.items():
        k = names.index(name)
        ours = [1e3 * float(p[k]) for p in (auto.start, auto.p, led.p)]
        rows.append(
            {
                "parameter, mm or g": name,
                "initial": f"{ours[0]:.0f}",
                "automated": f"{ours[1]:.0f}",
                "supervised": f"{ours[2]:.0f}",
                "paper's automated": str(paper[1]),
                "paper's supervised": str(paper[2]),
            }
        )
    best = highest(auto.problem, auto.start)
    notes = (
        f"Automated: {auto.reason}; {auto.updates} updates. Supervised: {led.reason}; {led.updates} updates.",
        f"The initial robot keeps its limits up to {best:g} m/s (paper: it starts at 0.1 m/s, and needs its first "
        "update there).",
        "The paper bounds nothing, and its automated robot has feet of 187 mm; ours stays within the bounds of the "
        "study: lengths up to 300 mm, feet from 8 to 40 mm.",
        "Computer and battery (0.2 kg, ours) ride on the base; the paper does not weigh them.",
    )
    return Comparison(tuple(rows), notes, draw_witness(auto, folder / "004-table-7.png"))
