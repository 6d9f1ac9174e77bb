"""[Greenfield2005], figure 14: the controller of all contact modes flips RHex on asphalt.

`flip.py` tells what was chosen where the paper is silent.

    surefoot reproduce 001-figure-14
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.flip import ROUGH
from surefoot_experiments.flip_draw import history

from surefoot.report.comparison import Comparison

NOTES = (
    "The paper: the controller finds the moment in which the rear toe sticks much more exactly, and thrusts more.",
)


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a decision every 4 ms. Nothing is random."""
    return history(folder, "001-figure-14", "all", ROUGH, quick=quick, progress=progress, notes=NOTES)
