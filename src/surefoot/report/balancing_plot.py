"""One figure of a balancing act: where the centre of mass should be and is, and what feet and motors do for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.report.balancing import Balancing
from surefoot.report.picture import writable
from surefoot.simulate.fall import leaning
from surefoot.simulate.plot import (
    COLOURS,
    ENDINGS,
    at_least,
    joint_lines,
    legend,
    normal_forces,
    tidy,
    touching_parts,
    units,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_balance(trace: Any, found: Balancing, path: str | Path) -> Path:
    """Draw a balancing act into a figure.

    Args:
        trace: the `Trace`.
        found: its numbers, from `balancing`.
        path: where to write; the ending (.png, .pdf, .svg, .jpg, .webp) says how.

    Returns:
        The path written.

    Raises:
        InputError: the path cannot be written to.
    """
    target = writable("path", path, ENDINGS)
    figure(trace, found).savefig(target, dpi=90)
    return target


def figure(trace: Any, found: Balancing) -> Any:
    """The figure itself, for those who want to change it before saving; it ends where the robot fell, if it did."""
    from matplotlib.figure import Figure

    title, trace = _title(trace, found), _standing(trace, found)
    result = Figure(figsize=(14.0, 8.5), layout="constrained")
    grid = result.add_gridspec(3, 2, width_ratios=[1.5, 1.0])
    place = result.add_subplot(grid[0, 0])
    force, torque = (result.add_subplot(grid[row, 0], sharex=place) for row in (1, 2))
    above = result.add_subplot(grid[:2, 1])
    off = result.add_subplot(grid[2, 1], sharex=place)
    _centre(place, trace, found)
    normal_forces(force, trace, touching_parts(trace))
    force.set_title("normal force of each foot")
    joint_lines(torque, trace, trace.torque, "torque", units(trace, "N m", "N"), trace.t[:-1])
    _off(off, trace, found)
    for panel in (place, force, torque, off):
        tidy(panel, trace.t)
    _from_above(above, trace, found)
    for panel in (torque, off):
        panel.set_xlabel("time [s]")
    result.suptitle(title, fontsize=12, x=0.01, ha="left")
    return result


def _standing(trace: Any, found: Balancing) -> Any:
    """The trace up to the fall: what a heap of links does would set the scale of every panel."""
    n = round(found.seconds / trace.dt)
    steps = {name: getattr(trace, name)[:n] for name in ("torque", "status", "residual", "method", "wanted", "aim")}
    states = {name: getattr(trace, name)[: n + 1] for name in ("t", "q", "v", "contact_start")}
    parts = ("geoms", "points", "frames", "gaps", "forces", "velocities")
    touched = {f"contact_{part}": getattr(trace, f"contact_{part}")[: trace.contact_start[n]] for part in parts}
    return replace(trace, **steps, **states, **touched)


def _centre(panel: Axes, trace: Any, found: Balancing) -> None:
    """Wanted pale and wide, real narrow on top, from where it started."""
    t, start, n = trace.t[:-1], found.wanted[0], len(trace)
    for i, name in enumerate(("forward", "left", "up")):
        colour = COLOURS[i]
        panel.plot(t, 1e3 * (found.wanted[:n, i] - start[i]), color=colour, linewidth=4.0, alpha=0.3)
        panel.plot(t, 1e3 * (found.centre[:n, i] - start[i]), color=colour, linewidth=1.1, label=name)
    panel.plot([], [], color="#5f6b73", linewidth=4.0, alpha=0.3, label="wanted")
    _shade(panel, trace, found)
    panel.set_title("centre of mass")
    panel.set_ylabel("mm")
    at_least(panel, 1.0)
    legend(panel)


def _off(panel: Axes, trace: Any, found: Balancing) -> None:
    """Distance from the goal, and how far the base leans."""
    t, off = trace.t[:-1], 1e3 * np.linalg.norm(found.centre - found.wanted, axis=1)[: len(trace)]
    panel.plot(t, off, color=COLOURS[0], linewidth=1.1, label="centre of mass\noff by [mm]")
    panel.plot(t, np.degrees(leaning(trace)[:-1]), color=COLOURS[1], linewidth=1.1, label="base leans\n[degrees]")
    if found.disagrees.any():
        seen = np.flatnonzero(found.disagrees)
        panel.plot(t[seen], np.zeros(len(seen)), "|", color=COLOURS[3], markersize=9, label="the law\ndisagrees")
    panel.set_title("how far off")
    at_least(panel, 0.1)
    legend(panel)


def _shade(panel: Axes, trace: Any, found: Balancing) -> None:
    """Times in which a foot is off the ground by the plan."""
    lifted = np.concatenate([[False], ~found.stance[: len(trace)].all(axis=1), [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(lifted))
    for a, b in zip(edges[::2], edges[1::2], strict=True):
        panel.axvspan(trace.t[a], trace.t[b], color="#dfe3e6", alpha=0.6, linewidth=0)
    if edges.size:
        panel.fill_between([], [], color="#dfe3e6", alpha=0.6, label="a foot is lifted")


def _from_above(panel: Axes, trace: Any, found: Balancing) -> None:
    """Way of the centre of mass over the ground between the points that carried it."""
    steps = len(trace)
    loaded = trace.contact_forces[:, 0] > 0.0
    for i, (name, mine) in enumerate(touching_parts(trace).items()):
        points = trace.contact_points[mine & loaded][::50]
        panel.plot(*points[:, :2].T, ".", color=COLOURS[i % len(COLOURS)], markersize=4, label=name)
    panel.plot(*found.wanted[:steps, :2].T, color="#5f6b73", linewidth=4.0, alpha=0.3, label="wanted")
    panel.plot(*found.centre[:steps, :2].T, color="#303840", linewidth=1.1, label="centre of mass")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_title("seen from above: centre of mass, and points of contact that bear load", fontsize=10, weight="bold")
    panel.set_xlabel("x [m]")
    panel.set_ylabel("y [m]")
    panel.grid(True, color="#e4e7ea", linewidth=0.7)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    legend(panel)


def _title(trace: Any, found: Balancing) -> str:
    text = f"{trace.scene.name}: {found.seconds:.4g} s, centre of mass off by {1e3 * found.error:.3g} mm rms"
    if found.fell is not None:
        return f"{text}, then it fell"
    return text if trace.ok else f"{text}; stopped: {trace.message}"
