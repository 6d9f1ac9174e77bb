"""A picture of the forces that the feet can exert on the centre of mass, and of where it can rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.solvers.contact_problem import edge_directions
from surefoot.whole_body.centre_of_mass import weight
from surefoot.whole_body.reachable import ReachableForces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
ENDINGS = (".png", ".pdf", ".svg", ".jpg", ".webp")
FORCE, CONE, SUPPORT, CENTRE, BODY, GRID = "#2f6db5", "#d9772b", "#3f9a57", "#b33c4a", "#5f6b73", "#e4e7ea"


def plot_reachable(
    reachable: ReachableForces, path: str | Path | None = None, *, view: tuple[float, float] = (18.0, -62.0)
) -> Figure:
    """Draw feet, friction cones, the centre of mass over its support, and the forces that it can be given.

    Args:
        reachable: from `reachable_forces`.
        path: where to write, if anywhere; the ending (.png, .pdf, .svg, .jpg, .webp) says how.
        view: elevation and azimuth of the eye, in degrees.

    Returns:
        The figure.

    Raises:
        InputError: the path cannot be written to, or there is no contact to draw.
    """
    from matplotlib.figure import Figure

    target = None if path is None else _target(path)
    if not isinstance(reachable, ReachableForces):
        raise InputError(f"reachable: expected ReachableForces (see reachable_forces), got {type(reachable).__name__}")
    if not len(reachable.space.contacts):
        raise InputError("reachable: expected at least one contact, got none")
    figure = Figure(figsize=(12.5, 6.6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.75, 1))
    _scene(figure.add_subplot(grid[:, 0], projection="3d"), reachable, view)
    _support(figure.add_subplot(grid[0, 1]), reachable)
    _horizontal(figure.add_subplot(grid[1, 1]), reachable)
    figure.suptitle(_title(reachable), fontsize=12, x=0.01, ha="left")
    if target is not None:
        try:
            figure.savefig(target, dpi=110)
        except OSError as error:
            raise InputError(f"path: {str(target)!r} cannot be written: {error.strerror}") from None
    return figure


def _target(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"path: expected a file name ending in {', '.join(ENDINGS)}, got {str(path)!r}")
    if not target.parent.is_dir():
        raise InputError(f"path: the folder {str(target.parent)!r} does not exist")
    return target


def _title(reachable: ReachableForces) -> str:
    space = reachable.space
    heavy = float(np.linalg.norm(weight(space.robot)))
    moment = "any moment" if reachable.moment is None else "no moment" if not reachable.moment.any() else "a moment"
    pairs = sorted({f"{mu:g}" for mu in reachable.mu})
    return (
        f"{space.robot.name} on {len(space.contacts)} contacts, friction {', '.join(pairs)}: forces on the centre of "
        f"mass with {moment}, up to {reachable.largest / heavy if heavy else np.inf:.3g} weights"
    )


def _scene(panel: Any, reachable: ReachableForces, view: tuple[float, float]) -> None:
    """The robot as sticks on its feet, cones under it, and the set of forces at its centre of mass."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    contacts, centre, hull = reachable.space.contacts, reachable.grasp.centre, reachable.hull
    sticks = _sticks(reachable)
    everything = np.concatenate([contacts.points, centre[None], sticks.reshape(-1, 3)])
    reach = float(np.ptp(everything, axis=0).max())
    metres = 0.75 * reach / reachable.largest  # per newton
    floor = contacts.points[:, 2].min()
    stance = float(np.ptp(contacts.points, axis=0).max()) or reach
    if len(reachable.support) >= 3:
        flat = np.column_stack([reachable.support, np.full(len(reachable.support), floor)])
        panel.add_collection3d(Poly3DCollection([flat], facecolor=SUPPORT, alpha=0.25, edgecolor=SUPPORT))
    panel.add_collection3d(Line3DCollection(list(sticks), colors=BODY, linewidths=2.5, alpha=0.55))
    for i in range(len(contacts)):
        panel.add_collection3d(
            Poly3DCollection(
                _cone(reachable, i, min(0.22 * reach, 0.5 * stance)),
                facecolor=CONE,
                alpha=0.22,
                edgecolor=CONE,
                linewidths=0.4,
            )
        )
    shown = centre + metres * hull.corners
    if hull.dimension == 3:
        panel.add_collection3d(Poly3DCollection(shown[hull.sides], facecolor=FORCE, alpha=0.13, edgecolor="none"))
        panel.add_collection3d(Line3DCollection(shown[_edges(hull)], colors=FORCE, linewidths=0.9, alpha=0.8))
    elif hull.dimension == 2:
        panel.add_collection3d(Poly3DCollection([shown], facecolor=FORCE, alpha=0.3, edgecolor=FORCE))
    elif hull.dimension == 1:
        panel.plot(*shown.T, color=FORCE, linewidth=3)
    panel.plot(*np.array([centre, [*centre[:2], floor]]).T, color=CENTRE, linestyle=":", linewidth=1.2)
    up = centre - metres * weight(reachable.space.robot)
    panel.plot(*np.array([centre, up]).T, color=CENTRE, linewidth=2.2)
    panel.scatter(*up, color=CENTRE, marker="^", s=36, depthshade=False)
    panel.text(*up, "  the weight, carried", color=CENTRE, fontsize=8.5)
    panel.scatter(*centre, color=CENTRE, s=55, depthshade=False, zorder=10)
    panel.scatter(*centre[:2], floor, color=CENTRE, s=18, depthshade=False)
    panel.scatter(*contacts.points.T, color="#202428", s=22, depthshade=False)
    _frame(panel, np.concatenate([everything, shown]))
    panel.view_init(*view)
    panel.set_title("forces at the centre of mass; friction cones at the contacts", fontsize=10, fontweight="bold")


def _frame(panel: Any, points: Array) -> None:
    """Equal axes about all points, without walls."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.maximum(0.5 * (0.45 * (high - low).max() - (high - low)), 0.0)  # thin robots need not be drawn as a line
    low, high = low - room, high + room
    panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    panel.set_box_aspect(high - low, zoom=1.0)
    for axis, name in zip((panel.xaxis, panel.yaxis, panel.zaxis), "xyz", strict=True):
        axis.pane.set_visible(False)
        axis._axinfo["grid"].update(color=GRID, linewidth=0.6)
        axis.set_label_text(f"{name} [m]", fontsize=8)
        axis.set_tick_params(labelsize=7)
        axis.set_major_locator(_few())


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)


def _sticks(reachable: ReachableForces) -> Array:
    """(n, 2, 3) lines from each body of the robot to its parent, and to its contacts."""
    space = reachable.space
    model, data = space.robot.model, mujoco.MjData(space.robot.model)
    space.state.to_mujoco(data)
    mujoco.mj_kinematics(model, data)
    lines = [
        (data.xpos[i], data.xpos[model.body_parentid[i]])
        for i in range(1, model.nbody)
        if model.body_weldid[i] and model.body_weldid[model.body_parentid[i]]
    ]
    for pair, point in zip(space.contacts.bodies, space.contacts.points, strict=True):
        lines += [(data.xpos[model.body(name).id], point) for name in pair if model.body_weldid[model.body(name).id]]
    return np.array(lines).reshape(-1, 2, 3)


def _cone(reachable: ReachableForces, i: int, height: float) -> list[Array]:
    """Triangles of a contact's friction pyramid."""
    contacts, mu = reachable.space.contacts, min(float(reachable.mu[i]), 3.0)
    normal, *tangents = contacts.frames[i]
    rim = contacts.points[i] + height * (
        normal + mu * edge_directions(reachable.edges) @ np.array(tangents)
    ) / np.hypot(1, mu)
    return [np.array([contacts.points[i], a, b]) for a, b in zip(rim, np.roll(rim, -1, axis=0), strict=True)]


def _edges(hull: Any) -> NDArray[np.int64]:
    """(n, 2) corners of the edges between sides that lie in different planes."""
    seen: dict[tuple[int, int], list[int]] = {}
    for k, side in enumerate(hull.sides):
        for a, b in ((0, 1), (1, 2), (0, 2)):
            seen.setdefault((min(side[a], side[b]), max(side[a], side[b])), []).append(k)
    sharp = [pair for pair, (j, *k) in seen.items() if not k or hull.normals[j] @ hull.normals[k[0]] < 1 - 1e-7]
    return np.array(sharp, dtype=np.int64).reshape(-1, 2)


def _support(panel: Any, reachable: ReachableForces) -> None:
    """Seen from above: contacts, where the centre of mass can rest, and where it is."""
    contacts, centre = reachable.space.contacts, reachable.grasp.centre
    if len(reachable.support):
        panel.fill(
            *reachable.support.T, facecolor=_pale(SUPPORT), edgecolor=SUPPORT, linewidth=1.5, label="it can rest here"
        )
    panel.scatter(*contacts.points[:, :2].T, color="#202428", s=22, zorder=3)
    middle = contacts.points[:, 1].mean()
    for name, point in zip(contacts.names, contacts.points, strict=True):
        if "#" not in name or name.endswith("#1"):
            panel.annotate(
                name.split(" on ")[0],
                point[:2],
                fontsize=7.5,
                color=BODY,
                xytext=(0, 6 if point[1] >= middle else -13),
                textcoords="offset points",
                ha="center",
            )
    panel.scatter(*centre[:2], color=CENTRE, s=45, zorder=4, label="centre of mass")
    panel.set(xlabel="x [m]", ylabel="y [m]")
    panel.margins(0.18)
    _tidy(panel, "from above")


def _horizontal(panel: Any, reachable: ReachableForces) -> None:
    """Horizontal forces while the vertical force is the weight."""
    heavy = float(np.linalg.norm(weight(reachable.space.robot)))
    flat = reachable.at_height(heavy)
    if len(flat):
        panel.fill(*flat.T, facecolor=_pale(FORCE), edgecolor=FORCE, linewidth=1.5, label="it can be pushed")
    limit = heavy * float(reachable.mu.max())
    if len(flat) < 2 or np.abs(flat).max() > 0.3 * limit:
        angle = np.linspace(0, 2 * np.pi, 200)
        circle = limit * np.array([np.cos(angle), np.sin(angle)])
        panel.plot(*circle, color=CONE, linewidth=0.9, linestyle="--", label="friction x weight")
    else:
        panel.plot(
            [], [], color=CONE, linewidth=0.9, linestyle="--", label=f"friction x weight:\nfar out, {limit:.3g} N"
        )
    panel.scatter(0, 0, color=CENTRE, s=30, zorder=3, label="standing still")
    panel.set(xlabel="force x [N]", ylabel="force y [N]")
    _tidy(panel, "horizontal force while the weight is carried")


def _pale(colour: str) -> tuple[str, float]:
    """A colour that lets the grid shine through; edges keep theirs."""
    return colour, 0.22


def _tidy(panel: Any, title: str) -> None:
    panel.set_title(title, fontsize=10, fontweight="bold")
    panel.set_aspect("equal", adjustable="datalim")
    panel.grid(True, color=GRID, linewidth=0.7)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
