"""Animated WebP of a roll-out, with the ground's forces as arrows; needs no video codec."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.report.picture import HEIGHT, WIDTH, Painter, writable

ANIMATION_ENDINGS = (".webp",)


def animate(
    trace: Any,
    path: str | Path,
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    width: int = WIDTH,
    height: int = HEIGHT,
    azimuth: float = 130.0,
    forces: bool = True,
    quality: int = 70,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Draw a roll-out into an animated WebP.

    Args:
        trace: a `Trace`.
        path: where to write; must end in .webp.
        fps: pictures per second of viewing.
        speed: 1 plays in real time, 0.25 four times slower.
        width: in pixels.
        height: in pixels.
        azimuth: direction of sight about the vertical in degrees.
        forces: whether to draw contact forces; means since the previous picture. An arrow as long as the robot's radius
            is 0.4 of its weight.
        quality: of the compression, 1 to 100.
        progress: called with the number of pictures drawn and their total.

    Returns:
        The path written.

    Raises:
        InputError: an argument is out of range, or the path cannot be written to.
        EngineError: there is no renderer.
    """
    from PIL import Image

    target = writable("path", path, ANIMATION_ENDINGS)
    fps = checks.number("fps", fps, above=0.0, at_most=100.0)
    speed = checks.number("speed", speed, above=0.0)
    azimuth = checks.number("azimuth", azimuth)
    quality = int(checks.number("quality", quality, at_least=1, at_most=100))
    steps = frame_steps(trace.t, fps, speed)
    if not np.isfinite(trace.q[steps]).all():
        raise InputError("trace: expected finite positions; draw the part before the roll-out failed")
    frames = []
    with Painter(trace.scene, width, height) as painter:
        boxes = np.array([painter.bounds(trace.q[k]) for k in steps])
        radius = 0.5 * float(np.linalg.norm(boxes[0, 1] - boxes[0, 0]))
        shots = _camera_boxes(boxes, radius, fps)
        scale = radius / max(0.4 * _weight(trace.scene), 1e-9)
        for i, k in enumerate(steps):
            since = steps[i - 1] if i else 0
            arrows = force_arrows(trace, since, k, scale, 1.3 * radius) if forces and k > since else None
            camera = painter.frame(*shots[i], azimuth=azimuth)
            image = Image.fromarray(painter.paint(trace.q[k], camera, arrows, thickness=0.02 * radius))
            frames.append(_caption(image, trace.t[k], speed))
            if progress is not None:
                progress(i + 1, len(steps))
    settings = {"duration": round(1000 / fps), "loop": 0, "quality": quality, "method": 2}
    frames[0].save(target, save_all=True, append_images=frames[1:], **settings)
    return target


def frame_steps(t: NDArray[np.float64], fps: float, speed: float) -> NDArray[np.int64]:
    """Which states to draw: the latest one at or before each picture's time.

    Args:
        t: (n+1,) times of the states in s.
        fps: pictures per second of viewing.
        speed: seconds of simulation per second of viewing.

    Returns:
        (pictures,) indices into `t`, the first 0.
    """
    times = np.arange(t[0], t[-1] + 1e-9, speed / fps)
    return np.searchsorted(t, times + 1e-9, side="right") - 1


def force_arrows(
    trace: Any, first: int, last: int, scale: float, longest: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Arrows of the mean contact forces over some steps, one a pair of geoms and so visible however short an impact is.

    Args:
        trace: a `Trace`.
        first: first step.
        last: the step after the last.
        scale: length in m per newton.
        longest: arrows are cut to this length in m, or an impact would hide the picture.

    Returns:
        Starts (k, 3) and ends (k, 3) in m, in the world frame; None if no force acts.
    """
    rows = slice(int(trace.contact_start[first]), int(trace.contact_start[last]))
    # Rows of a frame are the normal and the two tangents: a force in the frame goes to the world by its transpose.
    forces = np.einsum("kij,ki->kj", trace.contact_frames[rows], trace.contact_forces[rows])
    sizes = np.linalg.norm(forces, axis=1)
    if not sizes.any():
        return None
    pairs, pair = np.unique(trace.contact_geoms[rows], axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    starts, vectors = np.zeros((len(pairs), 3)), np.zeros((len(pairs), 3))
    np.add.at(vectors, pair, forces * (scale / (last - first)))
    # An arrow starts at the centre of pressure of its pair.
    np.add.at(starts, pair, trace.contact_points[rows] * sizes[:, None])
    total = np.bincount(pair, sizes, minlength=len(pairs))
    lengths = np.linalg.norm(vectors, axis=1)
    pushing = lengths > 1e-3 * longest
    if not pushing.any():
        return None
    starts = starts[pushing] / total[pushing, None]
    return starts, starts + vectors[pushing] * np.minimum(1.0, longest / lengths[pushing])[:, None]


def _weight(scene: Any) -> float:
    return float(scene.mass * np.linalg.norm(scene.model.opt.gravity))


def _camera_boxes(boxes: NDArray[np.float64], radius: float, fps: float) -> NDArray[np.float64]:
    """What each picture must show: all of the motion if that is near, else a box that follows it smoothly."""
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    if np.linalg.norm(high - low) < 5 * radius:
        return np.broadcast_to(np.array([low, high]), boxes.shape)
    half = 0.5 * (boxes[:, 1] - boxes[:, 0]).max(axis=0)
    centre = boxes.mean(axis=1)
    reach = int(fps / 2)
    padded = np.pad(centre, ((reach, reach), (0, 0)), mode="edge")
    window = np.ones(2 * reach + 1) / (2 * reach + 1)
    smooth = np.stack([np.convolve(padded[:, i], window, mode="valid") for i in range(3)], axis=1)
    return np.stack([smooth - half, smooth + half], axis=1)


def _caption(image: Any, time: float, speed: float) -> Any:
    from PIL import ImageDraw, ImageFont

    text = f"{time:.2f} s" + ("" if speed == 1 else f"   speed {speed:g}")
    font = ImageFont.load_default(size=max(12, image.height // 28))
    ImageDraw.Draw(image).text((0.02 * image.width, 0.02 * image.height), text, fill=(40, 50, 60), font=font)
    return image
