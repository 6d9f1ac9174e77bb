"""[Greenfield2005], figure 13: the controller of all contact modes flips RHex on linoleum.

`flip.py` tells what was chosen where the paper is silent.

    surefoot reproduce 001-figure-13
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.flip import SMOOTH
from surefoot_experiments.flip_draw import history

from surefoot.report.comparison import Comparison

NOTES = (
    "The paper: much better modes than the blind controller's even where that was tuned, with the renewed sliding of "
    "the rear toe towards the end, at about 0.45 s.",
)


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a decision every 4 ms. Nothing is random."""
    return history(folder, "001-figure-13", "all", SMOOTH, quick=quick, progress=progress, notes=NOTES)
