"""Several poses of one roll-out in one picture, the last in full colour and earlier ones as paler ghosts."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.report.camera import moving_geoms
from surefoot.report.picture import Painter

WIDTH, HEIGHT = 720, 300
_FAINTEST = 0.35  # how much of its difference from the empty scene the first pose keeps
_WIDEST = 3.5  # of a long way the last part is shown, this many times as long as the robot
_SIDE = 110.0  # angle in degrees between the way and the direction of sight


def pictures(trace: Any, n: int = 5, *, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """Draw a roll-out as one picture in which n poses, equally far apart in time, stand beside and over each other.

    It is seen from the side of its way. Of a long way the last part is shown, a few times as long as the robot.

    Args:
        trace: a `Trace`.
        n: number of poses, the last state among them; 1 draws that alone.
        width: in pixels.
        height: in pixels.

    Returns:
        A PNG file.

    Raises:
        InputError: an argument is out of range, or the trace holds no finite pose.
        EngineError: there is no renderer.
    """
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(overlay(trace, n, width=width, height=height)[0]).save(buffer, format="png")
    return buffer.getvalue()


def overlay(
    trace: Any, n: int = 5, *, width: int = WIDTH, height: int = HEIGHT
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The picture of `pictures` as (height, width, 3) colours, top row first, and the times (poses,) in s in it."""
    n = int(checks.number("n", n, at_least=1, at_most=50))
    finite = np.flatnonzero(np.isfinite(trace.q).all(axis=1))
    if not finite.size:
        raise InputError("trace: expected at least one finite pose, got none")
    with Painter(trace.scene, width, height) as painter:
        first, last = _last_part(painter, trace.q, int(finite[-1]))
        steps = np.unique(np.linspace(first, last, n).round().astype(int)) if n > 1 else np.array([last])
        boxes = np.array([painter.bounds(trace.q[k]) for k in steps])
        way = boxes[-1].mean(axis=0) - boxes[0].mean(axis=0)
        size = np.linalg.norm(boxes[-1, 1] - boxes[-1, 0])
        heading = np.degrees(np.arctan2(way[1], way[0])) if np.hypot(way[0], way[1]) > 0.3 * size else 0.0
        camera = painter.frame(boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0), azimuth=float(heading) + _SIDE)
        drawn = [painter.paint(trace.q[k], camera).astype(np.float64) for k in steps]
        hidden = moving_geoms(painter.model)
        painter.model.geom_matid[hidden] = -1
        painter.model.geom_rgba[hidden, 3] = 0.0
        empty = painter.paint(trace.q[last], camera).astype(np.float64)
    result = empty
    for image, strength in zip(drawn, np.linspace(1.0 if len(drawn) == 1 else _FAINTEST, 1.0, len(drawn)), strict=True):
        stands_out = np.clip(np.abs(image - empty).max(axis=2, keepdims=True) / 12.0 - 0.25, 0.0, 1.0)
        result = result + strength * stands_out * (image - result)
    return result.round().clip(0, 255).astype(np.uint8), np.asarray(trace.t)[steps]


def _last_part(painter: Painter, q: NDArray[np.float64], last: int) -> tuple[int, int]:
    """First and last state of what is shown."""
    low, high = painter.bounds(q[last])
    widest = _WIDEST * np.linalg.norm(high - low)
    tried = np.unique(np.linspace(0, last, 60).round().astype(int))[::-1]
    first = last
    for k in tried:
        box = painter.bounds(q[k])
        low, high = np.minimum(low, box[0]), np.maximum(high, box[1])
        if np.linalg.norm(high - low) > widest:
            break
        first = int(k)
    return first, last
