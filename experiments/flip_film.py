"""A film of flips, one below the other: body, legs, forces of the ground, and which contacts slide."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.flip import Flip
from surefoot_experiments.flip_draw import COLOURS
from surefoot_experiments.flip_plant import BODY, TOES, Robot

from surefoot.report.animation import frame_steps

FPS = 20.0
SPEED = 0.25  # s of the flip in a second of the film
METRES = 2e-3  # a newton is drawn as long as this
SIZE = (4.0, 3.2)  # inches, of 100 pixels


def film(path: Path, runs: dict[str, Flip]) -> Path:
    """Write an animated WebP; flips by title, each stays as it ends until the last one is over."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=SIZE, dpi=100, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = np.atleast_1d(figure.subplots(len(runs), 1, sharex=True))
    longest = max(runs.values(), key=lambda run: len(run.t))
    frames = []
    for k in frame_steps(longest.t, FPS, SPEED):
        for panel, (title, run) in zip(panels, runs.items(), strict=True):
            _paint(panel, run, min(int(k), len(run.t) - 1), title)
        canvas.draw()
        frames.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[:, :, :3]))
    settings = {"duration": round(1000 / FPS), "loop": 0, "quality": 35, "method": 4}
    frames[0].save(path, save_all=True, append_images=frames[1:], **settings)
    return path


def _paint(axis: Any, run: Flip, k: int, title: str) -> None:
    """Draw one moment."""
    from matplotlib.patches import Polygon

    robot, state = Robot(), run.state[k]
    c, s = math.cos(state[2]), math.sin(state[2])
    turn = np.array([[c, -s], [s, c]])
    d, h = robot.half_length, robot.half_height
    corners = np.array([[-d, -h], [d, -h], [d, h], [-d, h]]) @ turn.T + state[:2]
    hips = np.outer(robot.hips, [c, s]) + state[:2]
    toes = state[BODY:].reshape(3, TOES)[:, :2]
    axis.clear()
    axis.axhspan(-0.05, 0.0, color="0.85")
    axis.add_patch(Polygon(corners, facecolor="0.6", edgecolor="0.3"))
    for hip, toe in zip(hips, toes, strict=True):
        axis.plot(*np.column_stack([hip, toe]), color="tab:brown", linewidth=2.5)
    for point, force, mode in zip([corners[0], *toes], run.force[k], run.true_modes[k], strict=True):
        if force[0] > 0.0:
            tip = point + METRES * force[::-1]
            axis.annotate("", tip, point, arrowprops={"arrowstyle": "-|>", "color": "tab:red", "linewidth": 1.2})
        axis.plot(*point, "o", markersize=5, color=COLOURS[mode], markeredgecolor="0.2", markeredgewidth=0.6)
    axis.set(xlim=(-0.5, 0.85), ylim=(-0.05, 0.52), aspect="equal", xticks=[], yticks=[])
    axis.text(0.84, 0.5, f"{title}\n{1e3 * run.t[k]:.0f} ms", ha="right", va="top", fontsize=9)
    axis.spines[:].set_visible(False)
