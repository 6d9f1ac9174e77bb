"""[Greenfield2005], figure 11: the blind controller flips RHex on asphalt.

`flip.py` tells what was chosen where the paper is silent.

    surefoot reproduce 001-figure-11
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.flip import ROUGH
from surefoot_experiments.flip_draw import history

from surefoot.report.comparison import Comparison

NOTES = (
    "The paper: the stuck rear toe alone does not make the pitch acceleration jump enough; the switch comes much "
    "later, when the body halts.",
)


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a decision every 4 ms. Nothing is random."""
    return history(folder, "001-figure-11", "blind", ROUGH, quick=quick, progress=progress, notes=NOTES)
