"""[Zapolsky2017], table 9: the reconfigurable quadruped from two starts, small and large, before and after.

Lengths in cm, and the speeds up to which all limits hold.

    surefoot reproduce 004-table-9
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefoot_experiments.redesign import automatic, highest, proofs

from surefoot.design.studies import bundled
from surefoot.report.comparison import Comparison
from surefoot.report.improvement_plot import draw_progress

# By parameter the paper's modified small and modified large robot, in cm.
PAPER = {
    "front thigh length": (7.3, 11.8), "front shank length": (7.5, 5.7), "hind thigh length": (8.6, 8.0),
    "hind shank length": (8.9, 8.5), "base length": (10.9, 10.3), "base width": (10.6, 9.895),
}  # fmt: skip
STARTS = ("reconfigurable-small", "reconfigurable-large")


def reproduce(folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None) -> Comparison:
    """Improve both robots; `quick`: three updates of each."""
    found = [automatic(name, quick, progress, k, 2) for k, name in enumerate(STARTS)]
    rows = []
    for name, paper in PAPER.items():
        k = found[0].morphology.names.index(name)
        numbers = [f"{100 * float(p[k]):.1f}" for one in found for p in (one.start, one.p)]
        rows.append(_row(f"{name}, cm", numbers, [f"{value:g}" for value in paper]))
    best = [0.0 if quick else highest(one.problem, p) for one in found for p in (one.start, one.p)]
    rows.append(_row("limits hold up to, m/s", [f"{speed:g}" for speed in best], ["0.4", "0.4"]))
    notes = [f"{name}: {one.reason}; {one.updates} updates." for name, one in zip(STARTS, found, strict=True)]
    if not quick:
        notes += [f"In the simulator under PD with the motors' limits: {'; '.join(proofs(one))}." for one in found]
        notes.append(_slower(found))
    notes.append(
        "The paper's modified small robot cannot reach its own stance (30 x 20 cm, 15 cm high) with hips of 2.5 cm at "
        "the corners of the base, as we have them; where its hips are the text does not say."
    )
    return Comparison(tuple(rows), tuple(notes), draw_progress(found[1], folder / "004-table-9.png"))


def _slower(found: list) -> str:
    """How fast the same robots are with the hind hips' motors of figure 44."""
    speeds = []
    for name, one in zip(STARTS, found, strict=True):
        problem = bundled()[name].problem()
        slower = problem.with_morphology(problem.morphology.with_motor("?H_Y2", "MX-64"))
        speeds.append(f"{highest(slower, one.p):g} m/s ({name.split('-')[1]})")
    return (
        "Hind hips have the MX-64 at 14.8 V (7.3 N m, 8.2 rad/s), as the files of that work; with figure 44's 6.0 N m "
        f"and 6.597 rad/s the same robots keep their limits up to {' and '.join(speeds)}."
    )


def _row(what: str, ours: list[str], paper: list[str]) -> dict[str, str]:
    columns = ("small, initial", "small, modified", "large, initial", "large, modified")
    return {
        "": what,
        **dict(zip(columns, ours, strict=True)),
        "paper's small, modified": paper[0],
        "paper's large, modified": paper[1],
    }
