"""[Zapolsky2015], figure 17: path of a quadruped's centre of mass between waypoints, high and low friction.

The robot trots for 30 s and steers like a car, as in the paper: it turns in place while the next point lies more than
45 degrees aside, and bends its way below that. Where it may walk sideways, the commanded ways are straight lines; what
is left is the controller's part.

    surefoot reproduce 000-figure-17
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.quadruped import SECONDS, WAYPOINTS, Walk, walks

from surefoot.report.comparison import Comparison
from surefoot.simulate.fall import base_place

Array = NDArray[np.float64]

DURATION = {"car": SECONDS, "holonomic": 10.0}  # s, by the steering
QUICK = {"car": 1.5, "holonomic": 0.2}
GROUNDS = {"high": "rigid, mu inf", "low": "rigid, mu 0.1"}
CONTROLLERS = ("PID", "ID(t) QP, mu", "ID(t) LCP, mu", "ID(t-1)", "ID(t-2)")
TOLERANCE = 0.03  # m at which a point is reached, of `Waypoints`
PAPER = {
    "PID": "fairly straight",
    "ID(t) QP, mu": "fairly straight",
    "ID(t-1)": "worse",
    "ID(t-2)": "worse",
}


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: 1.5 s and less. Nothing is random."""
    seconds = QUICK if quick else DURATION
    ways: dict[tuple[str, str, str], Way] = {}
    cells = [(ground, name) for ground in GROUNDS.values() for name in CONTROLLERS]
    frictions = {ground: friction for friction, ground in GROUNDS.items()}
    for steering, length in seconds.items():

        def tell(done: int, count: int, before: int = len(ways)) -> None:
            if progress is not None:
                progress(before + done, len(seconds) * count)

        for walked in walks(cells, length, tell, steering=steering):
            ways[steering, frictions[walked.ground], walked.controller] = Way(walked)
    rows = tuple(_row(*job, way) for job, way in ways.items())
    return Comparison(rows, _notes(seconds), _draw(folder / "000-figure-17.png", ways))


class Way:
    """Where the centre of mass went.

    Attributes:
        path: (n + 1, 2) m.
        off: (n,) m from the straight line between the last waypoint and the next.
        reached: how many waypoints, the start not counted.
        fell: s from the start to the fall, or None.
    """

    def __init__(self, walked: Walk) -> None:
        self.path = walked.centre()
        points, following = np.array(WAYPOINTS), next_points(base_place(walked.trace)[: walked.steps, :2])
        self.off = distance(self.path[:-1], points[following - 1], points[following])  # before the first is the last
        self.reached = np.count_nonzero(np.diff(following))
        self.fell = walked.numbers.seconds if walked.fell else None


def next_points(place: Array) -> NDArray[np.int64]:
    """(n,) number of the waypoint that the robot goes to from each place (n, 2) of its base, as `Waypoints` counts."""
    number, numbers = 0, np.zeros(len(place), dtype=np.int64)
    for k, (x, y) in enumerate(place.tolist()):
        while math.hypot(x - WAYPOINTS[number][0], y - WAYPOINTS[number][1]) <= TOLERANCE:
            number = (number + 1) % len(WAYPOINTS)
        numbers[k] = number
    return numbers


def distance(place: Array, start: Array, end: Array) -> Array:
    """(n,) m from each place (n, 2) to its line from start (n, 2) to end (n, 2), or to the line's nearer end."""
    line = end - start
    along = np.clip(((place - start) * line).sum(axis=1) / (line**2).sum(axis=1), 0.0, 1.0)
    return np.linalg.norm(place - start - along[:, None] * line, axis=1)


def _row(steering: str, friction: str, name: str, way: Way) -> dict[str, str]:
    return {
        "steers": steering,
        "friction": friction,
        "controller": name,
        "off the line, mm": f"{1e3 * way.off.mean():.1f}",
        "at most": f"{1e3 * way.off.max():.0f}",
        "waypoints": f"{way.reached}",
        "fell at, s": "-" if way.fell is None else f"{way.fell:.1f}",
        "the paper": PAPER.get(name, "not shown") if steering == "car" else "",
    }


def _notes(seconds: dict[str, float]) -> tuple[str, ...]:
    return (
        "Off the line: distance of the centre of mass from the straight line between the last waypoint and the next, "
        "mean and largest, before a fall only; a point is reached within 30 mm. The paper gives no numbers.",
        f"car ({seconds['car']:g} s): as in the paper. Its way is no straight line even where it follows its command "
        "exactly: it drives as soon as the point lies less than 45 degrees aside, the faster the less it does, and "
        "turns at 0.5 rad/s at most.",
        f"holonomic ({seconds['holonomic']:g} s): walks sideways and does not turn, so that the commands are straight "
        "lines and what is left is the controller's part. Not in the paper.",
    )


def _draw(path: Path, ways: dict[tuple[str, str, str], Way]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 9.6), layout="constrained")
    panels = figure.subplots(4, len(CONTROLLERS), sharex=True, sharey=True)
    rows = [(steering, friction) for steering in DURATION for friction in GROUNDS]
    corners = np.array([*WAYPOINTS, WAYPOINTS[0]])
    for line, (steering, friction) in zip(panels, rows, strict=True):
        for panel, name in zip(line, CONTROLLERS, strict=True):
            way = ways[steering, friction, name]
            panel.plot(*corners.T, color="0.75", linewidth=4, solid_capstyle="round", zorder=1)
            colour = "tab:blue" if friction == "high" else "tab:cyan"
            panel.plot(*way.path.T, color=colour, linewidth=1.3)
            panel.plot(*corners.T, "o", color="gold", markeredgecolor="black", markersize=5)
            if way.fell is not None:
                panel.plot(*way.path[-1], "X", color="tab:red", markersize=10)
            panel.text(0.03, 0.03, f"{1e3 * way.off.mean():.0f} mm off", transform=panel.transAxes, fontsize="small")
            panel.set(aspect="equal", xlim=(-0.4, 0.4), ylim=(-0.42, 0.42))
            panel.grid(alpha=0.2)
        how = "steers like a car" if steering == "car" else "walks sideways"
        line[0].set_ylabel(f"{how}\n{friction} friction\n\ny, m")
    for panel, name in zip(panels[0], CONTROLLERS, strict=True):
        panel.set_title(name)
    for panel in panels[-1]:
        panel.set_xlabel("x, m")
    figure.suptitle("Centre of mass between waypoints; grey: straight lines, red X: fell")
    figure.savefig(path, dpi=80)
    return path
