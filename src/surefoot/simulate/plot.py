"""One figure of a roll-out: how the base moved, what the ground pushed with, what the motors did, what slipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = (".png", ".pdf", ".svg", ".jpg", ".webp")
COLOURS = (
    "#2f6db5",
    "#d9772b",
    "#3f9a57",
    "#b33c4a",
    "#7d5ba6",
    "#8a6b4f",
    "#d071b0",
    "#5f6b73",
    "#a3a636",
    "#35a2b5",
)
_OTHER = "other parts"


def plot_trace(trace: Any, path: str | Path) -> Path:
    """Draw a roll-out into a figure of six panels that share the time axis.

    Args:
        trace: a `Trace`.
        path: where to write; the ending (.png, .pdf, .svg, .jpg, .webp) says how.

    Returns:
        The path written.

    Raises:
        InputError: the path cannot be written to, or the trace holds no step.
    """
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"path: expected a file name ending in {', '.join(ENDINGS)}, got {str(path)!r}")
    if not target.parent.is_dir():
        raise InputError(f"path: the folder {str(target.parent)!r} does not exist")
    if len(trace.t) < 2:
        raise InputError("trace: expected at least one step, got none")
    figure(trace).savefig(target, dpi=110)
    return target


def figure(trace: Any) -> Any:
    """The figure itself, for those who want to change it before saving."""
    from matplotlib.figure import Figure

    result = Figure(figsize=(12.5, 8.5), layout="constrained")
    axes = result.subplots(3, 2, sharex=True)
    parts = touching_parts(trace)
    if trace.scene.base is None:
        joint_lines(
            axes[0, 0],
            trace,
            trace.q[:, trace.scene.joint_positions],
            "joint position",
            units(trace, "rad", "m"),
            trace.t,
        )
        joint_lines(
            axes[0, 1], trace, trace.v[:, trace.scene.dofs], "joint velocity", units(trace, "rad/s", "m/s"), trace.t
        )
    else:
        base_height(axes[0, 0], trace)
        _base_orientation(axes[0, 1], trace)
    normal_forces(axes[1, 0], trace, parts)
    joint_lines(axes[1, 1], trace, trace.torque, "torque as applied", units(trace, "N m", "N"), trace.t[:-1])
    _slip(axes[2, 0], trace, parts)
    _gaps(axes[2, 1], trace, parts)
    for row in axes:
        for panel in row:
            tidy(panel, trace.t)
    for panel in axes[2]:
        panel.set_xlabel("time [s]")
    result.suptitle(_title(trace), fontsize=12, x=0.01, ha="left")
    return result


def touching_parts(trace: Any) -> dict[str, NDArray[np.bool_]]:
    """Which contact rows belong to which foot; what touches and is no foot comes last.

    Returns:
        For each foot, in the scene's order, and for "other parts" if any: a mask (k,) of the contact rows.
    """
    model = trace.scene.model
    parts = {}
    rest = np.ones(len(trace.contact_geoms), dtype=bool)
    for foot in trace.scene.feet:
        geoms = [model.geom(name).id for name in foot.geoms]
        mine = np.isin(trace.contact_geoms, geoms).any(axis=1) & rest
        parts[foot.name] = mine
        rest &= ~mine
    if rest.any():
        parts[_OTHER] = rest
    return parts


def contact_steps(trace: Any) -> NDArray[np.int64]:
    """(k,) the step each contact row belongs to."""
    return np.repeat(np.arange(len(trace.torque)), np.diff(trace.contact_start))


def base_angles(trace: Any) -> NDArray[np.float64]:
    """(n+1, 3) roll, pitch and yaw of the base in rad: turns about x, then y, then z of the world; yaw unwrapped."""
    start = base_address(trace)
    return roll_pitch_yaw(trace.q[:, start + 3 : start + 7])


def roll_pitch_yaw(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 3) rad of unit quaternions (n, 4), the real part first: turns about x, then y, then z; yaw unwrapped."""
    w, x, y, z = quaternion.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))
    return np.stack([roll, pitch, yaw], axis=1)


def base_address(trace: Any) -> int:
    """Index in q of the base's position; its quaternion follows."""
    model = trace.scene.model
    return int(model.jnt_qposadr[model.body_jntadr[model.body(trace.scene.base).id]])


def base_height(panel: Axes, trace: Any) -> None:
    """Draw the height of the base over time."""
    start = base_address(trace)
    height = trace.q[:, start + 2]
    panel.plot(trace.t, height, color=COLOURS[0], label=f"ends at\n{height[-1]:.4g} m")
    panel.set_title("base height")
    panel.set_ylabel("m")
    legend(panel)


def _base_orientation(panel: Axes, trace: Any) -> None:
    for angle, name, look in zip(np.degrees(base_angles(trace)).T, ("roll", "pitch", "yaw"), looks(3), strict=True):
        panel.plot(trace.t, angle, label=name, **look)
    panel.set_title("base orientation")
    panel.set_ylabel("degrees")
    at_least(panel, 0.5)
    legend(panel)


def normal_forces(panel: Axes, trace: Any, parts: dict[str, NDArray[np.bool_]]) -> None:
    """Draw the normal forces of parts, see `touching_parts`."""
    steps, normal = contact_steps(trace), trace.contact_forces[:, 0]
    total = np.bincount(steps, normal, minlength=len(trace.torque))
    weight = float(trace.scene.mass * np.linalg.norm(trace.scene.model.opt.gravity))
    tallest = weight or 1.0
    for (name, mine), look in zip(parts.items(), looks(len(parts)), strict=True):
        force = np.bincount(steps[mine], normal[mine], minlength=len(trace.torque))
        panel.plot(trace.t[:-1], force, label=name, drawstyle="steps-post", **look)
        tallest = max(tallest, float(np.quantile(force, 0.98)))
    panel.axhline(weight, color="#808890", linestyle=":", label=f"weight, {weight:.3g} N")
    panel.set_title("normal force")
    panel.set_ylabel("N")
    panel.set_ylim(-0.05 * tallest, 1.6 * tallest)
    peak = int(np.argmax(total))
    if total[peak] > 1.6 * tallest:  # an impact is a spike one step wide: name it rather than flatten the rest
        text = f"peak of all together {total[peak]:.4g} N at {trace.t[peak]:.3f} s"
        # Beside the spike, on the side that has room.
        left = trace.t[peak] < 0.5 * (trace.t[0] + trace.t[-1])
        place = (trace.t[peak] + (1 if left else -1) * 0.02 * (trace.t[-1] - trace.t[0]), 1.52 * tallest)
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
        panel.text(*place, text, fontsize=8, va="top", ha="left" if left else "right", color="#404850", bbox=box)
    legend(panel)


def _slip(panel: Axes, trace: Any, parts: dict[str, NDArray[np.bool_]]) -> None:
    steps = contact_steps(trace)
    speed = 1e3 * np.linalg.norm(trace.contact_velocities[:, 1:], axis=1)
    closed = trace.contact_forces[:, 0] > 0
    for (name, mine), look in zip(parts.items(), looks(len(parts)), strict=True):
        worst = np.full(len(trace.torque), np.nan)
        rows = mine & closed
        np.fmax.at(worst, steps[rows], speed[rows])
        panel.plot(trace.t[:-1], worst, label=name, **look)
    panel.set_title("slip speed under load")
    panel.set_ylabel("mm/s")
    at_least(panel, 1.0)
    legend(panel)


def _gaps(panel: Axes, trace: Any, parts: dict[str, NDArray[np.bool_]]) -> None:
    steps = contact_steps(trace)
    for (name, mine), look in zip(parts.items(), looks(len(parts)), strict=True):
        least = np.full(len(trace.torque), np.nan)
        np.fmin.at(least, steps[mine], 1e3 * trace.contact_gaps[mine])
        panel.plot(trace.t[:-1], least, label=name, **look)
    panel.axhline(0.0, color="#808890", linewidth=0.8)
    panel.set_title("gap where near (below zero: depth)")
    panel.set_ylabel("mm")
    at_least(panel, 0.01)
    legend(panel)


def joint_lines(
    panel: Axes, trace: Any, values: NDArray[np.float64], title: str, unit: str, t: NDArray[np.float64]
) -> None:
    """Lines of all joints; of more than twelve only the liveliest are named, or the legend would hide the picture."""
    names = trace.scene.joints
    order = np.argsort(-np.ptp(values, axis=0), kind="stable") if values.size else np.arange(0)
    named = set(order[:12] if len(names) <= 12 else order[:8])
    for i in (i for i in range(len(names)) if i not in named):
        panel.plot(t, values[:, i], color="#c3c8cc", linewidth=0.8)
    for rank, i in enumerate(sorted(named)):
        panel.plot(
            t,
            values[:, i],
            color=COLOURS[rank % 10],
            linestyle="-" if rank < 10 else "--",
            label=names[i],
            linewidth=1.2,
        )
    if len(named) < len(names):
        panel.plot([], [], color="#c3c8cc", label=f"{len(names) - len(named)} others")
    panel.set_title(title)
    panel.set_ylabel(unit)
    if values.size:
        low, high = np.nanquantile(values, [0.002, 0.998])
        margin = 0.15 * max(high - low, 1e-6)
        if np.nanmin(values) < low - margin or np.nanmax(values) > high + margin:
            panel.set_ylim(low - margin, high + margin)
    legend(panel, columns=2 if len(named) > 6 else 1, without="no actuated joints")


def units(trace: Any, turning: str, sliding: str) -> str:
    """The unit of a joint quantity: one for hinges, one for slides, both if the robot has both."""
    model = trace.scene.model
    kinds = {int(model.jnt_type[model.joint(name).id]) for name in trace.scene.joints}
    units = {int(mujoco.mjtJoint.mjJNT_HINGE): turning, int(mujoco.mjtJoint.mjJNT_SLIDE): sliding}
    return " or ".join(units[kind] for kind in sorted(kinds, reverse=True))


def looks(count: int) -> list[dict[str, Any]]:
    """Line styles: the first lines wider, so that feet that do the same are all seen."""
    widths = np.linspace(3.2, 1.0, count) if count != 1 else [1.4]
    return [{"color": COLOURS[i % len(COLOURS)], "linewidth": float(width)} for i, width in enumerate(widths)]


def at_least(panel: Axes, span: float) -> None:
    """Keep an axis from blowing rounding errors up to full height."""
    low, high = panel.get_ylim()
    if high - low < span:
        middle = 0.5 * (low + high)
        panel.set_ylim(middle - 0.5 * span, middle + 0.5 * span)


def legend(panel: Axes, columns: int = 1, without: str = "nothing touched") -> None:
    """A legend beside a panel; in a panel without lines the text `without`."""
    handles, _ = panel.get_legend_handles_labels()
    if handles:
        panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), ncols=columns, fontsize=8, frameon=False)
    else:
        panel.text(0.5, 0.5, without, transform=panel.transAxes, ha="center", color="#808890")


def tidy(panel: Axes, t: NDArray[np.float64]) -> None:
    """Grid, title and limits as in all our figures; `t`: times in s that the panel begins and ends with."""
    panel.title.set_fontsize(10)
    panel.title.set_fontweight("bold")
    panel.grid(True, color="#e4e7ea", linewidth=0.7)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    panel.set_xlim(t[0], t[-1])


def _title(trace: Any) -> str:
    text = (
        f"{trace.scene.name}, {trace.t[-1] - trace.t[0]:.4g} s in {len(trace.torque)} steps of {1e3 * trace.dt:.4g} ms"
    )
    return text if trace.ok else f"{text}; stopped: {trace.message}"
