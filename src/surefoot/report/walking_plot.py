"""One figure of a walk: who stands when, how feet lift, what motors and ground do, and the way seen from above."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.report.picture import writable
from surefoot.report.walking import Walking
from surefoot.simulate.fall import base_place
from surefoot.simulate.plot import (
    COLOURS,
    ENDINGS,
    at_least,
    base_angles,
    base_height,
    legend,
    looks,
    tidy,
    units,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CYCLES = 4  # of the gait that are shown in detail: the last ones, or those before a fall
_PALE = 0.28


def plot_walk(trace: Any, found: Walking, path: str | Path) -> Path:
    """Draw a walk into a figure.

    Args:
        trace: the `Trace`.
        found: its numbers, from `walking`.
        path: where to write; the ending (.png, .pdf, .svg, .jpg, .webp) says how.

    Returns:
        The path written.

    Raises:
        InputError: the path cannot be written to.
    """
    target = writable("path", path, ENDINGS)
    figure(trace, found).savefig(target, dpi=110)
    return target


def figure(trace: Any, found: Walking) -> Any:
    """The figure itself, for those who want to change it before saving."""
    from matplotlib.figure import Figure

    result = Figure(figsize=(15.0, 10.0), layout="constrained")
    grid = result.add_gridspec(4, 2, width_ratios=[1.45, 1.0])
    detail = [result.add_subplot(grid[0, 0])]
    detail += [result.add_subplot(grid[row, 0], sharex=detail[0]) for row in (1, 2, 3)]
    above, height, angles = (result.add_subplot(grid[place, 1]) for place in (slice(0, 2), 2, 3))
    window = _window(trace, found)
    _footfall(detail[0], trace, found)
    _foot_heights(detail[1], trace, found, window)
    _torques(detail[2], trace, found, window)
    _ground_force(detail[3], trace, found, window)
    for panel in detail:
        tidy(panel, np.array(window))
        panel.tick_params(labelbottom=panel is detail[-1])
    base_height(height, trace)
    at_least(height, 2e-3)
    _roll_and_pitch(angles, trace)
    height.sharex(angles)
    for panel in (height, angles):
        tidy(panel, trace.t)
        if found.fell is not None:
            panel.axvline(trace.t[0] + found.fell, color=COLOURS[3], linestyle="--", linewidth=1.0)
    _from_above(above, trace, found)
    for panel in (detail[3], angles):
        panel.set_xlabel("time [s]")
    result.suptitle(_title(trace, found), fontsize=12, x=0.01, ha="left")
    return result


def _window(trace: Any, found: Walking) -> tuple[float, float]:
    """First and last time in s of what is shown in detail."""
    end = float(trace.t[-1]) if found.fell is None else min(trace.t[0] + found.fell + found.period, trace.t[-1])
    return max(float(trace.t[0]), end - CYCLES * found.period), end


def _footfall(panel: Axes, trace: Any, found: Walking) -> None:
    """Planned stance as wide pale bars, feet that bear load as narrow dark ones in them."""
    for i, name in enumerate(found.names):
        row, colour = len(found.names) - 1 - i, COLOURS[i % len(COLOURS)]
        for mask, thick, alpha in ((found.stance[:, i], 0.8, _PALE), (found.touching[:, i], 0.34, 1.0)):
            spans = [(trace.t[a], trace.t[b] - trace.t[a]) for a, b in runs(mask)]
            panel.broken_barh(spans, (row - thick / 2, thick), facecolors=colour, alpha=alpha, linewidth=0)
        panel.text(-0.01, row, name, transform=panel.get_yaxis_transform(), ha="right", va="center", fontsize=9)
    panel.set_yticks([])
    panel.set_ylim(-0.6, len(found.names) - 0.4)
    panel.set_title("footfall")
    panel.barh([0], [0], color="#5f6b73", alpha=_PALE, label="planned")
    panel.barh([0], [0], color="#5f6b73", label="bears load")
    legend(panel)


def _foot_heights(panel: Axes, trace: Any, found: Walking, window: tuple[float, float]) -> None:
    """Heights of the feet above their lowest place within the window."""
    shown = (trace.t >= window[0]) & (trace.t <= window[1])
    for i, (name, look) in enumerate(zip(found.names, looks(len(found.names)), strict=True)):
        height = 1e3 * (found.feet[shown, i, 2] - found.feet[shown, i, 2].min())
        panel.plot(trace.t[shown], height, label=name, **look)
    panel.set_title("height of the feet above their lowest place here")
    panel.set_ylabel("mm")
    at_least(panel, 1.0)
    legend(panel)


def _torques(panel: Axes, trace: Any, found: Walking, window: tuple[float, float]) -> None:
    """Torques of all joints, one colour a leg."""
    first, last = np.searchsorted(trace.t, window)
    torque = trace.torque[first:last]
    for i, (name, joints) in enumerate(zip(found.names, found.legs, strict=True)):
        lines = panel.plot(trace.t[first:last], torque[:, list(joints)], color=COLOURS[i % len(COLOURS)], linewidth=0.8)
        for line in lines[:1]:
            line.set_label(f"leg of {name}")
    panel.set_title("torques as applied, all joints")
    panel.set_ylabel(units(trace, "N m", "N"))
    legend(panel)


def _ground_force(panel: Axes, trace: Any, found: Walking, window: tuple[float, float]) -> None:
    """Sum of normal forces: what the ground gave and what the controller expected of it."""
    weight = float(trace.scene.mass * np.linalg.norm(trace.scene.model.opt.gravity))
    t = trace.t[:-1]
    panel.plot(t, found.actual, color=COLOURS[0], linewidth=3.2, alpha=0.45, label="actual", drawstyle="steps-post")
    if np.isfinite(found.predicted).all():
        panel.plot(t, found.predicted, color=COLOURS[1], linewidth=1.1, label="predicted", drawstyle="steps-post")
    panel.axhline(weight, color="#808890", linestyle=":", label=f"weight, {weight:.3g} N")
    shown = (t >= window[0]) & (t <= window[1])
    most = float(np.nanquantile(np.concatenate([found.actual[shown], found.predicted[shown], [weight]]), 0.995))
    panel.set_ylim(-0.05 * most, 1.25 * max(most, weight))
    panel.set_title("sum of normal forces")
    panel.set_ylabel("N")
    legend(panel)


def _roll_and_pitch(panel: Axes, trace: Any) -> None:
    for i, name in enumerate(("roll", "pitch")):
        panel.plot(trace.t, np.degrees(base_angles(trace)[:, i]), label=name, color=COLOURS[i], linewidth=1.2)
    panel.set_title("roll and pitch of the base")
    panel.set_ylabel("degrees")
    at_least(panel, 1.0)
    legend(panel)


def _from_above(panel: Axes, trace: Any, found: Walking) -> None:
    """Way of the base over the ground, and where feet came down, until it fell."""
    steps = round(found.seconds / trace.dt)
    place = base_place(trace)[: steps + 1]
    for i, name in enumerate(found.names):
        stands = found.stance[:steps, i] & found.touching[:steps, i]
        lands = np.array([first for first, _ in runs(stands)], dtype=int)
        colour = COLOURS[i % len(COLOURS)]
        panel.plot(*found.feet[lands, i, :2].T, ".", color=colour, markersize=4, alpha=0.5, label=name)
    if len(found.waypoints):
        path = np.vstack([found.waypoints, found.waypoints[:1]])
        panel.plot(*path.T, "x:", color="#808890", markersize=8, markeredgewidth=2, linewidth=1.0, label="waypoints")
    panel.plot(place[:, 0], place[:, 1], color="#303840", linewidth=1.8, label="base")
    panel.plot(*place[0, :2], "o", color="white", markeredgecolor="#303840", markersize=7, label="start")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_title("seen from above: way of the base, places where feet came down")
    panel.set_xlabel("x [m]")
    panel.set_ylabel("y [m]")
    panel.title.set_fontsize(10)
    panel.title.set_fontweight("bold")
    panel.grid(True, color="#e4e7ea", linewidth=0.7)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    legend(panel)


def runs(mask: Any) -> list[tuple[int, int]]:
    """First index of each run of true values, and the index after its last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _title(trace: Any, found: Walking) -> str:
    text = f"{trace.scene.name}: {found.distance:.3g} m in {found.seconds:.4g} s"
    if found.fell is not None:
        return f"{text}, then it fell"
    return text if trace.ok else f"{text}; stopped: {trace.message}"
