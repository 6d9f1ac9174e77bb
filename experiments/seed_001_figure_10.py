"""[Greenfield2005], figure 10: the blind controller flips RHex on linoleum.

`flip.py` tells what was chosen where the paper is silent.

    surefoot reproduce 001-figure-10
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.flip import SMOOTH
from surefoot_experiments.flip_draw import history

from surefoot.report.comparison import Comparison

NOTES = (
    "The paper: on linoleum, where the detection was tuned, the switch to a stuck rear toe is timed relatively "
    "accurately. So it is here; the model does not see that the rear toe slides again at the end.",
)


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a decision every 4 ms. Nothing is random."""
    return history(folder, "001-figure-10", "blind", SMOOTH, quick=quick, progress=progress, notes=NOTES)
