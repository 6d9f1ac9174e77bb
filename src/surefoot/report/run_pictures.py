"""Time-lapse pictures of a typical and of the worst particle of each policy."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import numpy as np

from surefoot.errors import SurefootError
from surefoot.report.html import Html, tag
from surefoot.report.run_outcomes import KINDS
from surefoot.report.timelapse import overlay
from surefoot.traces.groups import Group

Replay = Callable[[str, int], Any]
"""(policy, particle) -> its `Trace`, or None if it cannot be run again."""

POSES = 5


def typical(group: Group) -> int | None:
    """Row of the trace nearest to the middle of those that end as most do, by its final values; None without any."""
    if not group.answered.any():
        return None
    kind = np.bincount(group.kind[group.answered], minlength=len(KINDS)).argmax()
    rows = np.flatnonzero(group.kind == kind)
    columns = [values[rows] for values in (*group.final.values(), group.time) if np.isfinite(values[rows]).all()]
    distance = np.zeros(len(rows))
    for values in columns:
        spread = np.median(np.abs(values - np.median(values)))
        distance += np.minimum(np.abs(values - np.median(values)) / max(spread, 1e-12), 10.0) if spread > 0 else 0.0
    return int(rows[distance.argmin()])


def worst(group: Group) -> int | None:
    """Row of the trace that failed first; if none did, the one that came nearest to it; None without any."""
    failed = group.answered & ~group.success & np.isfinite(group.time)
    if failed.any():
        return int(np.where(failed, group.time, np.inf).argmin())
    if not group.answered.any():
        return None
    least = np.full(len(group), np.inf)
    for values in group.margins.values():
        middle = np.nanmedian(values) if np.isfinite(values).any() else 0.0
        if middle > 0:
            least = np.fmin(least, values / middle)
    return int(np.where(group.answered, least, np.inf).argmin()) if np.isfinite(least).any() else None


def figures(group: Group, replay: Replay) -> list[Html]:
    """Pictures of one policy.

    Raises:
        EngineError: there is no renderer.
    """
    chosen: dict[int, str] = {}
    for word, row in (("typical", typical(group)), ("worst", worst(group))):
        if row is not None:
            chosen[row] = f"{chosen[row]} and {word}" if row in chosen else word
    return [_figure(group, row, word, replay) for row, word in chosen.items()]


def _figure(group: Group, row: int, word: str, replay: Replay) -> Html:
    particle = int(group.particle[row])
    ended = KINDS[group.kind[row]]
    why = f": {group.requirement[row]}" if group.requirement[row] else ""
    at = f" at {group.time[row]:.3g}\u00a0s" if np.isfinite(group.time[row]) else ""
    story = f"{ended.word}{why}{at}"
    caption = tag(
        "figcaption",
        f"{group.policy}, {word} ",
        tag("small", f"particle {particle}, ", tag("span", class_=f"key {ended.key}"), story),
    )
    trace = replay(group.policy, particle)
    if trace is None:
        return tag("figure", caption, tag("p", "This particle cannot be run again here.", class_="more"))
    image, times = overlay(trace, POSES)
    alt = f"{group.policy}, particle {particle} ({word}), poses from {times[0]:.2f} s to {times[-1]:.2f} s; {story}."
    source = f"data:image/webp;base64,{webp(image)}"
    picture = tag("img", src=source, alt=alt, width=image.shape[1], height=image.shape[0])
    return tag("figure", caption, picture)


def without(error: SurefootError) -> Html:
    """What the page says where nothing can be drawn."""
    return tag("p", f"No pictures: {error}", class_="note")


def webp(image: Any) -> str:
    """Pixels (height, width, 3) as a picture in base 64."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, format="webp", quality=82, method=6)
    return base64.b64encode(buffer.getvalue()).decode()
