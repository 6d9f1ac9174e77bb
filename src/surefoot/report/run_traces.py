"""Traces over time and from above, coloured by outcome, with a log of the real robot laid over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.report.html import Html
from surefoot.report.run_log import Columns
from surefoot.report.run_motion import ANGLES, Motion
from surefoot.report.run_outcomes import KINDS
from surefoot.report.svg import INK, inline, label, panel

MOST_OF_A_LOG = 6  # of its columns that are drawn beside those that always are


@dataclass(frozen=True)
class View:
    """What is drawn over what.

    Attributes:
        title: of the figures.
        x: channel, or "t".
        y: channel.
        x_label: with the unit.
        y_label: with the unit.
        level: height of a line to draw across, or None.
    """

    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    level: float | None = None


def views(motions: Sequence[Motion], what: str, witness: str | None, log: Columns | None) -> list[View]:
    """Which figures these traces allow.

    Args:
        motions: of all policies.
        what: "base" or "object".
        witness: name of the requirement that matters most, if any.
        log: of the real robot; what it holds is shown too.
    """
    known = {name for motion in motions for name in motion.channels}
    found = []
    if {"x", "y"} <= known:
        found.append(View(f"Way of the {what}, seen from above", "x", "y", "x [m]", "y [m]"))
    wanted = ["yaw", "z"] if what == "base" else ["z"]
    wanted += [name for name in log or () if name not in ("t", *wanted)][:MOST_OF_A_LOG]
    for name in wanted:
        if name in known:
            found.append(_over_time(name, what))
    if witness is not None and f"witness {witness}" in known:
        found.append(View(f"Margin of “{witness}”", "t", f"witness {witness}", "time [s]", "margin", 0.0))
    return found


def _over_time(name: str, what: str) -> View:
    """A channel over time."""
    if name.startswith("q"):
        return View(f"Coordinate {name}", "t", name, "time [s]", name)
    word = {"z": "height"}.get(name, name)
    title = f"{word.capitalize()} of the {what}" if len(word) > 1 else f"{word} of the {what}"
    return View(title, "t", name, "time [s]", f"{word} [{'°' if name in ANGLES else 'm'}]")


def limits(view: View, motions: Sequence[Motion], log: Columns | None) -> list[tuple[float, float]]:
    """Ranges of both axes, the same for all policies: all but the wildest traces on either side, and the log."""
    found = []
    for name in (view.x, view.y):
        parts = [_finite(_channel(motion, name)) for motion in motions]
        ends = np.array([(part.min(), part.max()) for part in parts if len(part)])
        low, high = (np.quantile(ends[:, 0], 0.02), np.quantile(ends[:, 1], 0.98)) if ends.size else (0.0, 1.0)
        if log is not None and name in log and name != "t":
            measured = _finite(log[name])
            low, high = min(low, measured.min(initial=low)), max(high, measured.max(initial=high))
        pad = 0.0 if name == "t" else 0.05 * (high - low) or 1.0
        found.append((float(low - pad), float(high + pad)))
    return found


def figure(
    view: View,
    motions: Sequence[Motion],
    ranges: Sequence[tuple[float, float]],
    log: Columns | None,
    alt: str,
    key: str,
) -> Html:
    """One policy's traces; failures lie above successes and end in a cross."""
    from matplotlib.collections import LineCollection

    alpha = float(np.clip(14.0 / max(len(motions), 1), 0.35, 0.9))
    with panel() as (drawn, axes):
        for k, kind in enumerate(KINDS):
            pairs = [(_channel(m, view.x), _channel(m, view.y)) for m in motions if m.kind == k]
            lines = [np.stack((x, y), axis=1) for x, y in pairs if x is not None and y is not None]
            if not lines:
                continue
            over = 2.0 + 0.1 * (k > 0)
            axes.add_collection(
                LineCollection(lines, colors=kind.colour, linewidths=0.9, alpha=alpha, rasterized=True, zorder=over)
            )
            if k:
                ends = np.array([line[-1] for line in lines])
                axes.plot(*ends.T, "x", color=kind.colour, markersize=4.5, rasterized=True, zorder=2.5)
        if view.level is not None:
            axes.axhline(view.level, color=INK, linewidth=0.9)
        if log is not None and view.x in log and view.y in log:
            axes.plot(log[view.x], log[view.y], color=INK, linewidth=1.8, zorder=3, label="your log")
            axes.legend(loc="best")
        axes.set_xlim(*ranges[0])
        axes.set_ylim(*ranges[1])
        axes.locator_params(nbins=5)
        label(axes, view.x_label, view.y_label)
        return inline(drawn, alt, key)


def _channel(motion: Motion, name: str) -> NDArray[np.float64] | None:
    return motion.t if name == "t" else motion.channels.get(name)


def _finite(values: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Those values that are numbers; a witness is infinite where nothing limits it."""
    return np.empty(0) if values is None else values[np.isfinite(values)]
