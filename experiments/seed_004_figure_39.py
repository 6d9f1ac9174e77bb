"""[Zapolsky2017], figure 39: how far a printed quadruped gets with its trot, update by update.

Left the automatic process, right a designer who keeps front and hind legs alike (recorded answers). The paper's robots
both end at 50 cm/s.

    surefoot reproduce 004-figure-39
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.redesign import automatic, proofs, supervised

from surefoot.report.comparison import Comparison
from surefoot.report.improvement_numbers import progress as seen_of
from surefoot.report.improvement_plot import progress_panel


def reproduce(folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None) -> Comparison:
    """Improve the robot twice and draw both ways; `quick`: three updates of each."""
    ways = {"automatic": automatic("printed", quick, progress, 0, 2), "supervised": supervised(quick, progress, 1, 2)}
    rows, notes = [], []
    for name, found in ways.items():
        rows.append(
            {
                "process": name,
                "updates": str(found.updates),
                "speed, m/s": "none" if found.difficulty != found.difficulty else f"{found.difficulty:g}",
                "paper's, m/s": "0.5",
                "least witness": f"{found.margin:+.3f}",
            }
        )
        if not quick:
            notes.append(f"{name}, in the simulator under PD with the servos' limits: {'; '.join(proofs(found))}.")
    notes.append("Blue: nothing of the gait is done before a limit is violated; white: half; red: all of it.")
    return Comparison(tuple(rows), tuple(notes), _draw(folder / "004-figure-39.png", ways))


def _draw(path: Path, ways: dict) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4.5), layout="constrained")
    for panel, (name, found) in zip(figure.subplots(1, 2), ways.items(), strict=True):
        image = progress_panel(panel, found, seen_of(found))
        panel.set_title(name)
    figure.colorbar(image, ax=figure.axes, label="share of the gait done", shrink=0.8)
    figure.savefig(path, dpi=120)
    return path
