"""Draw domains of modes in a plane of two torques, or along one torque."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.modes import polygons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
# Okabe and Ito's colours, which the colour-blind tell apart, then paler ones.
COLOURS = (
    "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#a5dcc8", "#f7cf85", "#c5d8ee",
)  # fmt: skip
_REST = "#c3c8cc"  # modes after those with a colour of their own
_INK = "#303840"
_SEVERAL, _NONE = "////", "xx"
_SPECK = 1e-9  # share of an axis below which a length is a point
_NAMED = 0.012  # share of the plane from which on a region is named within it


class Domain(NamedTuple):
    """What one mode allows of the torques shown.

    Attributes:
        name: of the mode.
        corners: (n, 2) in order; or (2, 1) ends.
    """

    name: str
    corners: Array


def plane(panel: Axes, domains: Sequence[Domain], box: Array) -> None:
    """Colour a plane of torques by mode; hatch where there are several, and where there is none.

    Args:
        panel: to draw in.
        domains: corners (n, 2) within the box.
        box: ((low, high), (low, high)).
    """
    whole = polygons.rectangle(box[:, 0], box[:, 1])
    everything = polygons.area(whole)
    sizes = [polygons.area(domain.corners) for domain in domains]
    order = np.argsort([-size for size in sizes], kind="stable")
    domains, sizes = [domains[i] for i in order], [sizes[i] for i in order]
    colours = _colours(len(domains))
    shares: dict[tuple[int, ...], list[Array]] = {}
    for cell in polygons.cells(whole, [domain.corners for domain in domains]):
        shares.setdefault(cell.members, []).append(cell.polygon)
    for members, pieces in shares.items():
        _fill(panel, pieces, [colours[i] for i in members])
    for domain, size, colour in zip(domains, sizes, colours, strict=True):
        flat = size <= polygons.SLIVER * everything
        outline = np.vstack([domain.corners, domain.corners[:1]])
        panel.plot(*outline.T, color=colour if flat else _INK, linewidth=3.0 if flat else 0.8, solid_capstyle="butt")
        if flat and np.ptp(outline, axis=0).max() < _SPECK * np.ptp(box):
            panel.plot(*outline[0], "o", color=colour, markersize=7, clip_on=False)
    for members, pieces in shares.items():
        _name(panel, members, pieces, domains, everything)
    _legend(panel, domains, colours, counts={min(len(members), 2) for members in shares})
    panel.set_xlim(*box[0])
    panel.set_ylim(*box[1])
    panel.spines[["top", "right"]].set_visible(False)


def line(panel: Axes, domains: Sequence[Domain], box: Array) -> None:
    """One lane a mode along a torque, above them how many of them there are.

    Args:
        panel: to draw in.
        domains: ends (2, 1) within the box.
        box: ((low, high),).
    """
    (low, high), whole = box[0], float(np.ptp(box))
    ends = np.array([domain.corners[:, 0] for domain in domains]).reshape(-1, 2)
    order = np.argsort(ends[:, 0] - ends[:, 1], kind="stable")
    colours = _colours(len(domains))
    shown = order[: len(COLOURS)]
    for lane, i in enumerate(shown):
        _bar(panel, -lane, *ends[i], colour=colours[lane], whole=whole)
    labels = ["how many", *(domains[i].name for i in shown)]
    if len(shown) < len(domains):
        for i in order[len(COLOURS) :]:
            _bar(panel, -len(shown), *ends[i], colour=_REST, whole=whole)
        labels.append(f"{len(domains) - len(shown)} others")
    cuts = np.unique(np.clip(np.concatenate([[low, high], ends.ravel()]), low, high))
    counts = set()
    for a, b in pairwise(cuts):
        if b - a <= _SPECK * whole:
            continue
        middle = 0.5 * (a + b)
        count = int(((ends[:, 0] <= middle) & (middle <= ends[:, 1])).sum())
        counts.add(min(count, 2))
        hatch = (_NONE, None, _SEVERAL)[min(count, 2)]
        face = "white" if count == 0 else "#eef1f3"
        panel.broken_barh([(a, b - a)], (0.6, 0.8), facecolor=face, edgecolor=_INK, linewidth=0.0, hatch=hatch)
        if b - a > 0.03 * whole:
            panel.text(middle, 1.0, str(count), ha="center", va="center", fontsize=9, bbox=_BOX)
    panel.axvline(0.0, color="#808890", linewidth=0.8, linestyle=":")
    panel.set_yticks(1.0 - np.arange(len(labels)), labels)
    panel.set_xlim(low, high)
    panel.set_ylim(1.5 - len(labels), 1.6)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)
    _legend(panel, [], [], counts)


_BOX = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.2}


def _colours(count: int) -> list[str]:
    return [COLOURS[i] if i < len(COLOURS) else _REST for i in range(count)]


def _bar(panel: Axes, row: int, low: float, high: float, colour: str, whole: float) -> None:
    """An interval as a bar; one that is a point as a mark."""
    if high - low > _SPECK * whole:
        panel.broken_barh([(low, high - low)], (row - 0.35, 0.7), facecolors=colour, linewidth=0)
    else:
        panel.plot([low], [row], "o", color=colour, markersize=7, clip_on=False)


def _fill(panel: Axes, pieces: list[Array], colours: list[str]) -> None:
    """Fill a region: one colour, the pale mean of several with a hatch, or a hatch alone for none."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    shape = Path.make_compound_path(*(Path(np.vstack([piece, piece[:1]]), closed=True) for piece in pieces))
    if len(colours) == 1:
        look: dict[str, Any] = {"facecolor": colours[0]}
    elif colours:
        mean = np.mean([to_rgb(colour) for colour in colours], axis=0)
        look = {"facecolor": tuple(0.5 + 0.5 * mean), "hatch": _SEVERAL}
    else:
        look = {"facecolor": "white", "hatch": _NONE}
    # No smoothing of edges: it would leave bright seams between the pieces of a region.
    panel.add_patch(PathPatch(shape, edgecolor="#808890", linewidth=0.0, antialiased=False, **look))


def _name(
    panel: Axes, members: tuple[int, ...], pieces: list[Array], domains: Sequence[Domain], everything: float
) -> None:
    """Write the modes of a region into its middle, or into its largest piece, if it has room."""
    whole, room = sum(polygons.area(piece) for piece in pieces), _NAMED * everything
    largest = max(pieces, key=polygons.area)
    if len(members) == 1 and whole > 0.999 * polygons.area(domains[members[0]].corners):
        largest = domains[members[0]].corners  # a convex region, in pieces because of its neighbours
    if members and whole > room and polygons.area(largest) > 0.5 * room:
        names = [domains[i].name.split(" (")[0] for i in members[:4]]
        text = ", ".join(names) + (f" + {len(members) - 4}" if len(members) > 4 else "")
        x, y = polygons.centre(largest)
        panel.text(x, y, text, ha="center", va="center", fontsize=9, color=_INK, bbox=_BOX)


def _legend(panel: Axes, domains: Sequence[Domain], colours: list[str], counts: set[int]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=colour, label=domain.name)
        for domain, colour in zip(domains[: len(COLOURS)], colours, strict=False)
    ]
    if len(domains) > len(COLOURS):
        handles.append(Patch(facecolor=_REST, label=f"{len(domains) - len(COLOURS)} others"))
    if 2 in counts:
        handles.append(Patch(facecolor="#eef1f3", edgecolor="#808890", hatch=_SEVERAL, label="several modes"))
    if 0 in counts:
        handles.append(Patch(facecolor="white", edgecolor="#808890", hatch=_NONE, label="no solution"))
    panel.legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9, frameon=False)
