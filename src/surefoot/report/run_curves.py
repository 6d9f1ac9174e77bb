"""Figures of outcomes: how long traces last, and how near they come to a violation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefoot.report.html import Html
from surefoot.report.run_outcomes import KINDS, KNOWN
from surefoot.report.svg import INK, MUTED, inline, label, panel
from surefoot.traces.groups import Array, Group

POLICY_COLOURS = ("#3b7dd8", "#d9772b", "#2f9e6b", "#b05cc6", "#c2485a", "#1f9fb0", "#94832b", "#7a7f87")
_DASHES = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 1.5, 1.5, 1.5)))


def time_to_failure(groups: Sequence[Group]) -> Html | None:
    """Share of traces that have violated no requirement yet, over time, with 95 % bands; None if none ever does.

    Estimate and band (log-log) of [Kaplan1958]: a trace that broke counts for as long as it went.
    """
    from scipy.stats import CensoredData, ecdf

    lines = []
    for group in groups:
        timed = np.isfinite(group.time)
        if not timed.any():
            continue
        violated = group.kind[timed] == KINDS.index(KNOWN)
        time = group.time[timed]
        survival = ecdf(CensoredData(uncensored=time[violated], right=time[~violated])).sf
        lines.append((group, survival, float(time.max())))
    if not any((group.kind == KINDS.index(KNOWN)).any() for group, _, _ in lines):
        return None
    words = []
    with panel(4.0, 2.6) as (figure, axes):
        for group, survival, end in lines:
            colour = POLICY_COLOURS[group.place % len(POLICY_COLOURS)]
            dash = _DASHES[group.place // len(POLICY_COLOURS) % len(_DASHES)]
            x, y = np.r_[0.0, survival.quantiles, end], np.r_[1.0, survival.probabilities]
            axes.step(x, 100 * np.r_[y, y[-1]], where="post", color=colour, linestyle=dash, label=group.policy)
            low, high = _band(survival)
            axes.fill_between(x, 100 * low, 100 * high, step="post", color=colour, alpha=0.13, linewidth=0)
            words.append(f"{group.policy}: {100 * y[-1]:.0f} %")
        axes.set_ylim(-3, 103)
        axes.set_xlim(0, max(end for _, _, end in lines))
        label(axes, "time [s]", "traces without a violation [%]")
        axes.legend(loc="lower left")
        return inline(figure, f"Traces without a violation at the end: {'; '.join(words)}.", "survival")


def _band(survival: Any) -> tuple[Array, Array]:
    """95 % band (log-log) of a survival function, from time 0 to the end; kept from before where it is not defined."""
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        band = survival.confidence_interval(method="log-log")
    ends = []
    for each in (band.low, band.high):
        values = np.r_[1.0, each.probabilities, each.probabilities[-1:]]
        last = np.maximum.accumulate(np.where(np.isfinite(values), np.arange(len(values)), 0))
        ends.append(values[last])
    return ends[0], ends[1]


def shown_margins(groups: Sequence[Group], most: int = 3) -> list[str]:
    """The margins worth a figure: those violated most often, then those that come nearest to it for their spread."""
    names = list(dict.fromkeys(name for group in groups for name in group.margins))

    def order(name: str) -> tuple[float, float]:
        found = np.concatenate([group.margins.get(name, np.empty(0)) for group in groups])
        found = found[np.isfinite(found)]
        if not found.size:
            return 0.0, np.inf
        spread = float(np.subtract(*np.quantile(found, [0.95, 0.05])))
        return -float((found < 0).sum()), float(np.quantile(found, 0.05)) / max(spread, 1e-300)

    with_numbers = [name for name in names if np.isfinite(order(name)[1])]
    return sorted(with_numbers, key=order)[:most]


def margin_histogram(groups: Sequence[Group], group: Group, name: str, key: str) -> Html | None:
    """How near one policy's traces came to violating `name`, coloured by outcome; the same scale for all policies."""
    every = np.concatenate([each.margins.get(name, np.empty(0)) for each in groups])
    every = every[np.isfinite(every)]
    values = group.margins.get(name, np.empty(0))
    if not every.size or not np.isfinite(values).any():
        return None
    low, high = np.quantile(every, [0.005, 0.995])
    low, high = min(low, 0.0), max(high, 0.0)
    pad = 0.03 * (high - low) or 1.0
    edges = np.linspace(low - pad, high + pad, 31)
    stacks = [np.clip(values[(group.kind == k) & np.isfinite(values)], edges[0], edges[-1]) for k in range(len(KINDS))]
    with panel(3.4, 2.0) as (figure, axes):
        base = np.zeros(len(edges) - 1)
        for kind, stack in zip(KINDS, stacks, strict=True):
            heights = base + np.histogram(stack, edges)[0]
            axes.stairs(heights, edges, baseline=base, fill=True, color=kind.colour, linewidth=0)
            base = heights
        axes.set_ylim(0, 1.18 * max(base.max(), 1.0))
        axes.axvline(0.0, color=INK, linewidth=1.0)
        left = -edges[0] < 0.35 * (edges[-1] - edges[0])  # where there is no room for the longer word
        words, side = (" ▸ kept", "left") if left else ("violated ◂ ", "right")
        axes.text(0.0, 1.0, words, transform=axes.get_xaxis_transform(), ha=side, va="top", color=MUTED)
        axes.grid(False, axis="x")
        axes.set_xlim(edges[0], edges[-1])
        axes.locator_params(axis="y", integer=True, nbins=4)
        axes.locator_params(axis="x", nbins=5)
        label(axes, "least margin", "traces")
        below = int((values < 0).sum())
        words = f"{group.policy}, least margin of {name}: median {np.nanmedian(values):.3g}, {below} below zero."
        return inline(figure, words, key)
