"""[Zapolsky2015], figure 16: joint tracking of a quadruped on rigid rough ground with friction from 0.1 to 1.5.

Every controller trots between the waypoints on the same height maps: one run a map, the friction of each cell drawn
anew. The controllers know where a foot touches and the friction there; the plan of the feet knows flat ground only.

    surefoot reproduce 000-figure-16
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.quadruped import DT, GAIT, WAYPOINTS, Walk, grounds, walks

import surefoot as sf
from surefoot.report.comparison import Comparison

Array = NDArray[np.float64]

SECONDS, MAPS = 10.0, 5
QUICK = 1.5  # s, on one map
CONTROLLERS = ("PID", "ID(t) QP, mu", "ID(t) LCP, mu", "ID(t-1)", "ID(t-2)")
OURS = "ID(t) QP, mu"  # the paper's ID(t)
PAPER = {
    "PID": "worse than ID(t)",
    "ID(t) QP, mu": "19 % below PID",
    "ID(t-1)": "better than ID(t)",
    "ID(t-2)": "worse than ID(t)",
}
COLOURS = {
    "PID": "0.45",
    "ID(t) QP, mu": "tab:blue",
    "ID(t) LCP, mu": "tab:green",
    "ID(t-1)": "tab:red",
    "ID(t-2)": "tab:orange",
}


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: 1.5 s on one map. `seed`: of the first map."""
    seconds, maps = (QUICK, 1) if quick else (SECONDS, MAPS)
    found: dict[str, list[Walk]] = {name: [] for name in CONTROLLERS}
    for k in range(maps):

        def tell(done: int, count: int, before: int = k) -> None:
            if progress is not None:
                progress(before * count + done, maps * count)

        for walked in walks([("rough", name) for name in CONTROLLERS], seconds, tell, seed=seed + k):
            found[walked.controller].append(walked)
    rows = tuple(_row(name, found) for name in CONTROLLERS)
    return Comparison(rows, _notes(found, seconds), _draw(folder / "000-figure-16.png", found, seed))


def _errors(walks: list[Walk]) -> Array:
    return np.array([walked.numbers.position_error for walked in walks])


def _row(name: str, walks: dict[str, list[Walk]]) -> dict[str, str]:
    mine = walks[name]
    error = 1e3 * _errors(mine)
    speed = np.mean([walked.numbers.velocity_error for walked in mine])
    less = 100 * (1 - _errors(mine) / _errors(walks["PID"]))
    return {
        "controller": name,
        "error, mrad": f"{error.mean():.1f}",
        "of the maps": f"{error.min():.1f} to {error.max():.1f}",
        "velocity, rad/s": f"{speed:.2f}",
        "below PID": "" if name == "PID" else f"{less.min():.0f} to {less.max():.0f} %",
        "better than ID(t)": "" if name == OURS else f"{np.sum(error < 1e3 * _errors(walks[OURS]))} of {len(mine)}",
        "the paper": PAPER.get(name, "not shown"),
        "fell": f"{sum(walked.fell for walked in mine)} of {len(mine)}",
    }


def _notes(walks: dict[str, list[Walk]], seconds: float) -> tuple[str, ...]:
    pid, predicted, sensed = (_errors(walks[name]).mean() for name in ("PID", OURS, "ID(t-1)"))
    return (
        f"Error: mean over {seconds:g} s of the mean of |q - q wanted| over the twelve joints, the time before a fall "
        f"only. Height maps: {len(walks[OURS])}; the mean of them, and the range. Of numbers the paper gives the 19 % "
        "alone.",
        f"Predicted forces are {100 * (1 - predicted / pid):.0f} % below PID, and sensed ones of the last step "
        f"{sensed / predicted:.1f} times as far off as predicted ones, where the paper found them better. ID(t) knows "
        "the ground and the friction under each foot exactly.",
    )


def _draw(path: Path, walks: dict[str, list[Walk]], seed: int) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.6), layout="constrained")
    grid = figure.subplot_mosaic([["time", "time"], ["maps", "ground"]], height_ratios=[1, 1.3], width_ratios=[1, 1.15])
    first = {name: mine[0] for name, mine in walks.items()}
    _over_time(grid["time"], first)
    _by_map(grid["maps"], walks, seed)
    _on_the_ground(figure, grid["ground"], first, seed)
    for name in ("time", "maps"):
        panel = grid[name]
        panel.set(yscale="log", ylabel="mean joint error, mrad", ylim=(0.7, 90))
        panel.set_yticks([1, 2, 5, 10, 20, 50], labels=["1", "2", "5", "10", "20", "50"])
        panel.set_yticks([], minor=True)
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    figure.suptitle("A quadruped trots over hills of 30 mm, the friction of every 20 mm drawn from 0.1 to 1.5")
    figure.savefig(path, dpi=90)
    return path


def _over_time(panel: Any, walks: dict[str, Walk]) -> None:
    """Error over time, as the mean of the gait cycle before."""
    for name, walked in walks.items():
        error = 1e3 * walked.joint_error()
        cycle = min(round(GAIT.period / DT), len(error))  # it may fall sooner
        mean = np.convolve(error, np.full(cycle, 1 / cycle), "valid")
        t = walked.trace.t[cycle : cycle + len(mean)]
        panel.plot(t, mean, color=COLOURS[name], linewidth=1.5, label=name)
        if walked.fell:
            panel.plot(t[-1], mean[-1], "X", color=COLOURS[name], markersize=9)
    panel.set(xlabel="time, s", title="On one map, mean of a gait cycle")
    panel.margins(x=0)
    panel.legend(loc="upper center", ncols=len(walks), fontsize="small", columnspacing=1.2, frameon=False)


def _by_map(panel: Any, walks: dict[str, list[Walk]], seed: int) -> None:
    maps = seed + np.arange(len(walks["PID"]))
    for name, mine in walks.items():
        error, fell = 1e3 * _errors(mine), np.array([walked.fell for walked in mine])
        panel.plot(maps, error, "o-", color=COLOURS[name], linewidth=1.0)
        panel.plot(maps[fell], error[fell], "X", color=COLOURS[name], markersize=11, markeredgecolor="white")
    wanted = 0.81e3 * _errors(walks["PID"])
    panel.plot(maps, wanted, "k:", linewidth=1.2, label="19 % below PID: the paper's ID(t)")
    panel.legend(loc="lower left", fontsize="small", frameon=False)
    panel.set_xticks(maps)
    panel.set(xlabel="height map", title="All maps; X: fell")


def _on_the_ground(figure: Any, panel: Any, walks: dict[str, Walk], seed: int) -> None:
    """The first map from above, and the ways over it."""
    ground = grounds(sf.load("links"), seed)["rough"].terrain
    half, heights = ground.size[0] / 2, 1e3 * ground.heights
    sides = np.linspace(-half, half, len(heights))
    image = panel.contourf(sides, sides, heights, levels=np.arange(0, 33, 3), cmap="gist_earth", alpha=0.55)
    figure.colorbar(image, ax=panel, label="height, mm", shrink=0.9, pad=0.02)
    for name, walked in walks.items():
        way = walked.centre()
        panel.plot(*way.T, color="white", linewidth=3.0)
        panel.plot(*way.T, color=COLOURS[name], linewidth=1.6)
    panel.plot(*np.array(WAYPOINTS).T, "o", color="gold", markeredgecolor="black", label="waypoints")
    panel.set(aspect="equal", xlabel="x, m", ylabel="y, m", title=f"Map {seed}: ways of the centre of mass")
    panel.set(xlim=(-0.4, 0.6), ylim=(-0.35, 0.45))
    panel.legend(loc="lower left", fontsize="small")
