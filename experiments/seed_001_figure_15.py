"""[Greenfield2005], figure 15: pitch over time on the rough surface, blind and with all contact modes; with a film.

Both flips, one below the other, are in the film.

    surefoot reproduce 001-figure-15
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from surefoot_experiments.flip import CHOSEN, NAMES, QUICK, ROUGH, Flip, flip
from surefoot_experiments.flip_film import film

from surefoot.report.comparison import Comparison

THEIRS = {"blind": "", "all": "8%", "toes": "not given"}  # quicker than blind
STYLES = {"blind": "k-", "all": "r--", "toes": "b:"}


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Write figure and film into `folder`; `quick`: a decision every 4 ms. Nothing is random."""
    runs: dict[str, Flip] = {}
    for name in NAMES:
        runs[name] = flip(name, ROUGH, QUICK if quick else CHOSEN)
        if progress is not None:
            progress(len(runs), len(NAMES))
    shown = film(folder / "001-flip.webp", {NAMES[name]: runs[name] for name in ("blind", "all")})
    rows = tuple(_row(name, run, runs["blind"]) for name, run in runs.items())
    notes = (
        "The blind controller goes on believing in a rear toe that slides, and thrusts less, until a jump of the "
        "filtered pitch acceleration tells it otherwise; by then the robot has almost stopped.",
        f"The film is {shown}: a quarter of the speed; dots tell the contacts' modes (blue slides back, orange ahead, "
        "dark is fixed), arrows the ground's forces.",
    )
    return Comparison(rows, notes, _draw(folder / "001-figure-15.png", runs))


def _row(name: str, run: Flip, blind: Flip) -> dict[str, str]:
    halfway = np.argmax(run.pitch > 0.25 * np.pi)
    stuck = [k for k in range(int(halfway), len(run.t)) if run.modes[k][1] == "F"]
    return {
        "controller": NAMES[name],
        "knows of the stuck toe, ms": f"{1e3 * run.t[stuck[0]]:.0f}" if stuck else "never",
        "up after, ms": f"{1e3 * run.time:.0f}" if run.up else "not up",
        "quicker": "" if name == "blind" else f"{1.0 - run.time / blind.time:.0%}",
        "the paper's": THEIRS[name],
    }


def _draw(path: Path, runs: dict[str, Flip]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axis = figure.subplots()
    for name, run in runs.items():
        axis.plot(run.t, np.degrees(run.pitch), STYLES[name], linewidth=1.5, label=NAMES[name])
    axis.axhline(90.0, color="0.7", linewidth=0.8)
    axis.set(xlabel="time, s", ylabel="pitch, degrees", title="Flip on the rough surface, toes of friction 0.6")
    axis.legend(frameon=False)
    axis.grid(color="0.93")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100)
    return path
