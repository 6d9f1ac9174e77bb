"""Figures of an improvement: progress over speed and update, worst witnesses, torque-speed clouds before and after.

The figures 39 and 45 of [Zapolsky2017]. Panels are drawn by functions of their own, so that a page can hold them too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.design.beginning import beginning
from surefoot.design.improvement import Improvement
from surefoot.report.improvement_numbers import (
    Cloud,
    Progress,
    clouds,
    final_difficulty,
    hardness_label,
    how_hard,
    minus,
    progress,
)
from surefoot.report.picture import writable
from surefoot.simulate.plot import ENDINGS, units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 130
INK, MUTED, GRID = "#17202a", "#586470", "#e2e6eb"
START, IMPROVED = "#cf4a2c", "#2f6db5"
RAMP = ("#2f6db5", "#f7f7f7", "#c0392b")  # 0, 50, 100 % of the gait, as in figure 39
_HALO = "#ffffff"
FAR = 4.0  # clouds are shown up to this many times what the motor can do


def draw_progress(improvement: Improvement, path: str | Path, *, seen: Progress | None = None) -> Path:
    """Draw how much of its task every design does at every difficulty, after every update (figure 39).

    Args:
        improvement: from `improve`.
        path: where to write; the ending (.png, .pdf, .svg, .jpg, .webp) says how.
        seen: from `improvement_numbers.progress`, if it is at hand.

    Returns:
        The path written.
    """
    target = writable("path", path, ENDINGS)
    seen = progress(improvement) if seen is None else seen
    with _looks():
        figure, axes = _figure(1, 9.0, 1.6 + 0.5 * len(seen.levels))
        mesh = progress_panel(axes[0], improvement, seen)
        bar = figure.colorbar(mesh, ax=axes[0], ticks=[0, 50, 100], pad=0.015, fraction=0.03)
        bar.set_label("of the course done [%]")
        bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
        axes[0].set_title(f"{improvement.scene.name}: how much of its task each design does")
        figure.savefig(target, dpi=DPI)
    return target


def draw_witness(improvement: Improvement, path: str | Path, *, seen: Progress | None = None) -> Path:
    """Draw the worst witness after every update, and which one it was; arguments as in `draw_progress`."""
    target = writable("path", path, ENDINGS)
    seen = progress(improvement) if seen is None else seen
    rows = len(worst_witnesses(seen))
    with _looks():
        figure, axes = _figure(2, 9.0, 3.1 + 0.24 * rows, ratios=(2.2, 0.35 + 0.24 * rows))
        worst_panel(axes[0], improvement, seen)
        which_panel(axes[1], seen)
        axes[0].set_title(f"{improvement.scene.name}: the worst witness after each update")
        axes[0].tick_params(labelbottom=False)
        axes[0].set_xlabel("")
        figure.savefig(target, dpi=DPI)
    return target


def draw_clouds(improvement: Improvement, path: str | Path) -> Path:
    """Draw torques over speeds of all joints at the final speed, start robot and improved robot (figure 45).

    One panel a kind of motor, with the line |torque| / torque_max + |speed| / speed_max = 1. Arguments as in
    `draw_progress`.
    """
    target = writable("path", path, ENDINGS)
    pairs, unit = cloud_pairs(improvement)
    with _looks():
        figure, axes = _figure(len(pairs), 5.0 * len(pairs), 4.7, across=True)
        for panel, (name, pair) in zip(axes, pairs.items(), strict=True):
            cloud_panel(panel, improvement, pair, unit)
            joints = (pair[1] or pair[0] or _NOBODY).joints
            panel.set_title(f"{name}: {len(joints)} joints")
        difficulty = how_hard(improvement.problem.task, final_difficulty(improvement))
        figure.suptitle(f"{improvement.scene.name} at {difficulty}", x=0.01, ha="left", weight="bold", fontsize=11)
        figure.savefig(target, dpi=DPI)
    return target


def progress_panel(panel: Axes, improvement: Improvement, seen: Progress) -> Any:
    """The map of figure 39, the way through it, and what was violated most where each difficulty was first tried.

    Returns:
        The coloured mesh, for a colour bar.
    """
    from matplotlib.colors import LinearSegmentedColormap

    levels, count = seen.levels, len(seen.tried) - 1
    rows = np.arange(len(levels))
    colours = LinearSegmentedColormap.from_list("share", RAMP).with_extremes(bad="#d5dade")
    edges = np.arange(count + 2) - 0.5, np.arange(len(levels) + 1) - 0.5
    mesh = panel.pcolormesh(
        *edges, 100 * seen.share, cmap=colours, vmin=0, vmax=100, edgecolors="#ffffff", linewidth=0.6
    )
    way = np.searchsorted(levels, seen.tried)
    panel.step(np.arange(count + 1), way, where="mid", color=_HALO, linewidth=4.0, solid_capstyle="round")
    panel.step(np.arange(count + 1), way, where="mid", color=INK, linewidth=1.8, solid_capstyle="round")
    for k in np.unique(way):
        first = int(np.flatnonzero(way == k)[0])
        if seen.witness[first]:
            _label(panel, first, int(k), f"{seen.witness[first]} {minus(f'{seen.worst[first]:+.2f}')}", count)
    panel.set_yticks(rows, [f"{level:g}" for level in levels])
    panel.set_xlim(-0.5, count + 0.5)
    panel.set_ylim(-0.5, len(levels) - 0.5)
    panel.set_ylabel(hardness_label(improvement.problem.task))
    panel.set_xlabel("updates made")
    panel.locator_params(axis="x", integer=True)
    panel.grid(False)
    panel.spines[:].set_visible(False)
    panel.tick_params(length=0)
    return mesh


def worst_panel(panel: Axes, improvement: Improvement, seen: Progress, ink: str = INK, muted: str = MUTED) -> None:
    """The least witness after every update; below zero a limit is violated. Each difficulty has a line of its own."""
    x, task = np.arange(len(seen.tried)), improvement.problem.task
    low = min(float(np.nanmin(seen.worst, initial=0.0)), -0.01)
    high = max(float(np.nanmax(seen.worst, initial=0.0)), -0.12 * low)
    panel.axhspan(0.0, 10.0, color="#1a9b78", alpha=0.12, linewidth=0)
    panel.axhline(0.0, color=muted, linewidth=0.8)
    begun: dict[int, list[str]] = {}
    met = {difficulty: (column, worst) for column, difficulty, worst in seen.met}
    for tried in dict.fromkeys(seen.tried.tolist() + list(met)):
        mine = np.flatnonzero(seen.tried == tried)
        points = dict(zip(mine.tolist(), seen.worst[mine].tolist(), strict=True)) | dict(
            [met[tried]] if tried in met else []
        )
        first = min(points)
        panel.plot(list(points), list(points.values()), "-o", color=START, markersize=4, linewidth=1.4)
        if tried in met:
            panel.plot(*met[tried], "o", color="#1a9b78", markersize=5.5, zorder=4)
        panel.axvline(first, color=muted, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
        begun.setdefault(first, []).append(f"{tried:g}")
    begun = {column: [*words[:-1], how_hard(task, float(words[-1]))] for column, words in begun.items()}
    _heads(panel, {column: ", ".join(words) for column, words in begun.items()}, len(x), ink)
    panel.set_ylim(1.08 * low, high + 0.22 * (high - low))
    panel.set_xlim(-0.5, len(x) - 0.5)
    panel.set_ylabel("worst witness")
    panel.set_xlabel("updates made")
    panel.locator_params(axis="x", integer=True)


def _heads(panel: Axes, words: dict[int, str], columns: int, ink: str) -> None:
    """Words at the top of a panel, by column; those that would run into the ones before stand a line lower."""
    wide = panel.get_window_extent().width / panel.figure.dpi / columns  # inches a column
    free: list[float] = []  # by line where its last words end
    for column, text in sorted(words.items()):
        line = next((k for k, end in enumerate(free) if end < column), len(free))
        free[line : line + 1] = [column + 0.3 + 0.085 * len(text) / wide]
        place = (column + 0.1, 0.97 - 0.09 * line)
        panel.text(*place, text, transform=panel.get_xaxis_transform(), va="top", color=ink, fontsize=8.5)


def which_panel(panel: Axes, seen: Progress, ink: str = INK) -> None:
    """Which witness was the worst after every update: a row each, dots larger the worse it was."""
    names = worst_witnesses(seen)
    most = max(1e-9, float(-np.nanmin(seen.worst, initial=0.0)))
    for row, name in enumerate(names):
        x = np.array([k for k, who in enumerate(seen.witness) if who == name])
        panel.scatter(x, np.full(len(x), row), s=18 + 70 * -seen.worst[x] / most, color=START, linewidth=0, zorder=3)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(max(len(names), 1) - 0.4, -0.6)
    panel.set_xlim(-0.5, len(seen.tried) - 0.5)
    panel.set_xlabel("updates made")
    panel.locator_params(axis="x", integer=True)
    panel.tick_params(axis="y", length=0, labelcolor=ink)
    if not names:
        panel.text(0.5, 0.5, "no limit was ever violated", transform=panel.transAxes, ha="center", color=ink)


def worst_witnesses(seen: Progress) -> list[str]:
    """Names of the witnesses that were the worst at least once, in the order in which they came up."""
    return list(dict.fromkeys(name for name in seen.witness if name))


_NOBODY = Cloud(np.zeros(0), np.zeros(0), 0.0, 0.0, ())


def cloud_pairs(improvement: Improvement) -> tuple[dict[str, tuple[Cloud | None, Cloud | None]], str]:
    """Clouds of the start robot and of the improved one, by kind of motor, at the final difficulty; unit of torque."""
    difficulty = final_difficulty(improvement)
    first, last = beginning(improvement), improvement.problem
    before = first.rehearse(improvement.start, difficulty)
    after = last.rehearse(improvement.p, difficulty)
    found = clouds(first, before), clouds(last, after)
    names = dict.fromkeys([*found[1], *found[0]])
    return {name: (found[0].get(name), found[1].get(name)) for name in names}, units(after, "N m", "N")


def cloud_panel(
    panel: Axes, improvement: Improvement, pair: tuple[Cloud | None, Cloud | None], unit: str = "N m",
    ink: str = INK, legend: bool = True,
) -> None:  # fmt: skip
    """Torques over speeds of the joints with one kind of motor, and what that motor can do, in all four quadrants."""
    start, improved = pair
    limits = _motor(improvement, pair)
    torque, speed = _scales(limits, pair)
    used = np.array([[1.0, 1.0]])
    for cloud, colour, who, marker in ((start, START, "start", "o"), (improved, IMPROVED, "improved", "o")):
        if cloud is None:
            continue
        panel.scatter(
            cloud.speed, cloud.torque, s=5, color=colour, alpha=0.35, linewidth=0, marker=marker, rasterized=True,
            zorder=2 if who == "start" else 3,
        )  # fmt: skip
        panel.scatter([], [], s=26, color=colour, label=cloud_words(who, cloud))
        if cloud.speed.size:
            used = np.vstack([used, [np.abs(cloud.speed).max() / speed, np.abs(cloud.torque).max() / torque]])
    reach = np.minimum(1.08 * used.max(axis=0), FAR)
    if np.isfinite(limits).all():
        corners = np.array([[speed, 0.0], [0.0, torque], [-speed, 0.0], [0.0, -torque], [speed, 0.0]])
        panel.plot(*corners.T, color=ink, linewidth=1.4, zorder=4, label="what the motor can do")
    elif np.isfinite(limits[0]):
        for level in (-torque, torque):
            panel.axhline(level, color=ink, linewidth=1.4, zorder=4)
    outside = sum(
        int(((np.abs(cloud.speed) > reach[0] * speed) | (np.abs(cloud.torque) > reach[1] * torque)).sum())
        for cloud in pair
        if cloud is not None
    )
    if outside:
        note = f"{outside} samples lie outside"
        panel.text(0.99, 0.99, note, transform=panel.transAxes, ha="right", va="top", color=ink, fontsize=8)
    panel.set_xlim(-reach[0] * speed, reach[0] * speed)
    panel.set_ylim(-reach[1] * torque, reach[1] * torque)
    panel.set_xlabel("speed [rad/s]")
    panel.set_ylabel(f"torque [{unit}]")
    if legend:
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=1, fontsize=8.5, frameon=False)


def cloud_words(who: str, cloud: Cloud) -> str:
    """What a legend says of a robot's cloud."""
    if cloud.hidden == 1.0:
        return f"{who} robot: nothing to draw, all of the course is out of its reach"
    text = f"{who} robot: {_percent(cloud.beyond)} of the samples beyond the motor"
    return text if cloud.hidden == 0.0 else f"{text};\n{_percent(cloud.hidden)} of the course out of reach, not drawn"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share == 0.0 or share >= 0.01 else "under 1 %"


def _motor(improvement: Improvement, pair: tuple[Cloud | None, Cloud | None]) -> tuple[float, float]:
    """Torque and speed of a kind of motor."""
    problem = improvement.problem if pair[1] is not None else beginning(improvement)
    joint = (pair[1] or pair[0] or _NOBODY).joints[0]
    k = problem.morphology.parts.scene.joints.index(joint)
    return float(problem.morphology.torque[k]), float(problem.morphology.speed[k])


def _scales(limits: tuple[float, float], pair: tuple[Cloud | None, Cloud | None]) -> tuple[float, float]:
    """Torque and speed by which a panel is scaled: the motor's, or, where it has none, the largest that are seen."""
    found = list(limits)
    for k, values in enumerate(("torque", "speed")):
        if not np.isfinite(found[k]):
            seen = np.concatenate([getattr(cloud, values) for cloud in pair if cloud is not None])
            found[k] = float(np.abs(seen).max(initial=0.0)) or 1.0
    return found[0], found[1]


def _label(panel: Axes, x: int, row: int, text: str, count: int) -> None:
    """A witness's name in a map, below where a difficulty was first tried; above it, if it would stick out there."""
    from matplotlib.patheffects import withStroke

    wide = panel.get_window_extent().width / panel.figure.dpi
    fits = (x + 0.1) / (count + 1) + 0.075 * len(text) / wide < 1.0
    place, side = ((x - 0.4, row - 0.26), "left") if fits else ((count + 0.42, row + 0.27), "right")
    panel.text(
        *place, text, ha=side, va="center", color=INK, fontsize=8,
        path_effects=[withStroke(linewidth=2.5, foreground=_HALO)],
    )  # fmt: skip


def _looks() -> Any:
    """The looks of figures in files."""
    import matplotlib as mpl

    looks: Any = {
        "font.size": 9.5, "text.color": INK, "axes.labelcolor": MUTED, "axes.edgecolor": MUTED, "axes.linewidth": 0.7,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left", "grid.color": GRID,
        "grid.linewidth": 0.7, "xtick.color": MUTED, "ytick.color": MUTED, "text.parse_math": False,
    }  # fmt: skip
    return mpl.rc_context(looks)


def _figure(
    panels: int, width: float, height: float, *, across: bool = False, ratios: tuple[float, ...] | None = None
) -> tuple[Figure, list[Axes]]:
    """A figure with panels below or beside each other; sizes in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    shape = (1, panels) if across else (panels, 1)
    axes = figure.subplots(*shape, squeeze=False, height_ratios=None if across else ratios)
    return figure, list(axes.ravel())
