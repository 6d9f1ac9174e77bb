"""A picture of a response: which modes the torques of a plane, or of a line, allow; exact polygons, not a raster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes import draw
from surefoot.solvers.polyhedron import Polyhedron

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from surefoot.modes.response import Response
    from surefoot.modes.system import ContactSystem

Array = NDArray[np.float64]
ENDINGS = (".png", ".pdf", ".svg", ".jpg", ".webp")
_FAR = 1e4  # times the size of the forces at work: corners farther away are not looked for
_MANY, _OUTER = 20, 0.1  # of more corners than this, the outermost share in each direction may be left out
_OPEN = {"none": "", "forces": " (forces open)", "accelerations": " (accelerations open)"}


def plot_torques(
    response: Response,
    path: str | Path | None = None,
    axes: Sequence[int | str] = (0, 1),
    at: Any = None,
    limits: Any = None,
) -> Figure:
    """Draw which modes the torques allow, where there are several solutions and where there is none.

    Args:
        response: of a system with at least one torque.
        path: where to write, if anywhere; the ending (.png, .pdf, .svg, .jpg, .webp) says how.
        axes: the two torques that are drawn, or the one, by number or name; of a system with one torque always that.
        at: (t,) torques in N m, of which the others are taken; 0 by default.
        limits: ((low, high), (low, high)) of the torques drawn, (low, high) if it is one; by default the torque limits,
            and without limits what shows all corners, or most if there are many.

    Returns:
        The figure.

    Raises:
        InputError: an argument is not what it should be, or the system has no torques.
    """
    from matplotlib.figure import Figure

    system = response.system
    target = None if path is None else _target(path)
    shown = _axes(system, axes)
    fixed = np.zeros(system.torques) if at is None else checks.array("at", at, (system.torques,))
    modes = response.modes_within(_held(system.torques, shown, fixed))
    slices = [_slice(mode.domain, shown, fixed) for mode in modes]
    box = _box(system, shown, slices) if limits is None else _limits(limits, len(shown))
    labels = [mode.name + _OPEN[mode.ambiguity] for mode in modes]
    domains = [draw.Domain(label, _part(one, box)) for label, one in zip(labels, slices, strict=True)]
    domains = [domain for domain in domains if len(domain.corners)]
    rows = min(len(domains), len(draw.COLOURS)) + 2
    figure = Figure(figsize=(10.0, 6.2 if len(shown) == 2 else 1.2 + 0.34 * rows), layout="constrained")
    panel = figure.add_subplot()
    (draw.plane if len(shown) == 2 else draw.line)(panel, domains, box)
    for axis, set_label in zip(shown, (panel.set_xlabel, panel.set_ylabel), strict=False):
        set_label(_named(system.torque_names[axis]))
    text = f"{len(domains)} modes of {response.combinations} combinations{_where(system, shown, fixed)}"
    figure.suptitle(text, fontsize=11, x=0.01, ha="left")
    if target is not None:
        try:
            figure.savefig(target, dpi=110)
        except OSError as error:
            raise InputError(f"path: {str(target)!r} cannot be written: {error.strerror}") from None
    return figure


def _named(name: str) -> str:
    """Name of a torque with its unit."""
    return name if name.endswith("]") else f"{name} [N m]"


def _where(system: ContactSystem, shown: list[int], fixed: Array) -> str:
    """Where the torques that are not shown are held."""
    others = [i for i in range(system.torques) if i not in shown]
    held = [f"{_named(system.torque_names[i])} = {fixed[i]:g}" for i in others if fixed[i] != 0.0]
    if len(held) < len(others):
        held.append("other torques 0" if held else "the other torques are 0")
    return f"; {', '.join(held)}" if held else ""


def _target(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path: expected a file name, got {path!r}")
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"path: expected a file name ending in {', '.join(ENDINGS)}, got {str(path)!r}")
    if not target.parent.is_dir():
        raise InputError(f"path: the folder {str(target.parent)!r} does not exist")
    return target


def _axes(system: ContactSystem, axes: Any) -> list[int]:
    """Numbers of the torques to draw."""
    if system.torques == 0:
        raise InputError("response: expected a system with torques to draw, got one without; see solutions([])")
    if system.torques == 1 and axes == (0, 1):
        return [0]
    if isinstance(axes, str) or not isinstance(axes, Sequence) or not 1 <= len(axes) <= 2:
        raise InputError(f"axes: expected one or two torques, by number or name, got {axes!r}")
    short = [name.split(" [")[0] for name in system.torque_names]
    found = []
    for axis in axes:
        if isinstance(axis, str):
            found += checks.indices("axes", [axis.split(" [")[0]], short, "torque")
        elif isinstance(axis, bool) or not isinstance(axis, int | np.integer) or not 0 <= axis < system.torques:
            raise InputError(f"axes: expected numbers from 0 to {system.torques - 1}, got {axis!r}")
        else:
            found.append(int(axis))
    if len(set(found)) < len(found):
        raise InputError(f"axes: expected two different torques, got {axes!r}")
    return found


def _limits(limits: Any, count: int) -> Array:
    """(count, 2) lowest and highest torque drawn."""
    box = checks.array("limits", limits, (2, 2) if count == 2 else (2,)).reshape(-1, 2)
    if (box[:, 0] >= box[:, 1]).any():
        raise InputError(f"limits: expected low below high, got {box.tolist() if count == 2 else box[0].tolist()}")
    return box


def _held(t: int, shown: list[int], fixed: Array) -> Polyhedron:
    """All torques (t,) at which those not shown are as they are fixed."""
    others = [i for i in range(t) if i not in shown]
    return Polyhedron(np.zeros((0, t)), np.zeros(0), np.eye(t)[others], fixed[others])


def _slice(domain: Polyhedron, shown: list[int], fixed: Array) -> Polyhedron:
    """The torques shown that a domain of torques and ambiguity variables allows, where the others are fixed."""
    others = [i for i in range(len(fixed)) if i not in shown]
    kept = [*shown, *range(len(fixed), domain.space)]
    part = Polyhedron(
        domain.rows[:, kept],
        domain.offset - domain.rows[:, others] @ fixed[others],
        domain.equal[:, kept],
        domain.value - domain.equal[:, others] @ fixed[others],
    )
    return part.project(len(shown))


def _part(domain: Polyhedron, box: Array) -> Array:
    """(n, 2) corners of what of a domain lies in the box; (2, 1) ends if there is one torque; no rows: nothing."""
    if domain.space == 2:
        return domain.polygon(box)
    low, high = box[0]
    for row, offset in (
        *zip(domain.rows[:, 0], domain.offset, strict=True),
        *zip(domain.equal[:, 0], domain.value, strict=True),
        *zip(-domain.equal[:, 0], -domain.value, strict=True),
    ):
        if row == 0.0:
            low = low if offset <= 0.0 else np.inf
        elif row > 0.0:
            low = max(low, offset / row)
        else:
            high = min(high, offset / row)
    slack = 1e-12 * np.abs(box).max()
    return np.array([[low], [max(low, high)]]) if low <= high + slack else np.zeros((0, 1))


def _box(system: ContactSystem, shown: list[int], slices: list[Polyhedron]) -> Array:
    """(n, 2) what to show: the torque limits; where there are none, all corners with room about them."""
    size = max(float(np.abs(system.bias).max(initial=0.0)), 1e-3)
    far = np.tile([-_FAR * size, _FAR * size], (len(shown), 1))
    corners = np.concatenate([np.zeros((1, len(shown))), *(_part(one, far).reshape(-1, len(shown)) for one in slices)])
    corners = np.unique(corners[(np.abs(corners) < 0.5 * _FAR * size).all(axis=1)].round(9), axis=0)
    share = _OUTER if len(corners) > _MANY else 0.0
    low, high = (np.quantile(corners, end, axis=0) for end in (share, 1.0 - share))
    low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    extent = high - low
    flat = extent <= 1e-9 * size
    room = np.where(flat, 0.85 * extent.max() if not flat.all() else size, 0.35 * extent)
    box = np.column_stack([low - room, high + room])
    given = system.torque_limits[shown]
    return np.where(np.isfinite(given) & (given[:, :1] < given[:, 1:]), given, box)
