"""Matplotlib's figures as SVG inside a page: they take the page's colours and fonts, in light and in dark."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from surefoot.report.html import Html, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that the page replaces by its own; drawn artists that become pixels (`rasterized`) must not use them.
INK, MUTED, GRID = "#010203", "#010204", "#010205"
_OF_THE_PAGE = {INK: "var(--ink)", MUTED: "var(--muted)", GRID: "var(--line)"}

_LOOKS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "surefoot",
    "text.parse_math": False,
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 9.0,
    "axes.titlecolor": MUTED,
    "axes.titlelocation": "left",
    "figure.facecolor": "none",
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "savefig.facecolor": "none",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
}


@contextmanager
def panel(width: float = 3.4, height: float = 2.3) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one panel in the page's looks; sizes in inches, of which a phone shows not quite four."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_LOOKS):
        figure = Figure(figsize=(width, height))
        # Room for labels in inches: much faster than measuring them, and panels beside each other line up.
        yield figure, figure.add_axes((0.5 / width, 0.42 / height, 1 - 0.6 / width, 1 - 0.67 / height))


def label(axes: Axes, x: str, y: str) -> None:
    """Name both axes; the name of y stands above it, where it is read without turning one's head."""
    axes.set_xlabel(x)
    axes.set_title(y)


def inline(figure: Figure, alt: str, name: str) -> Html:
    """The figure as an `<svg>` element.

    Args:
        figure: made within `panel`, which must still be open.
        alt: what the figure shows, in words, for those who do not see it.
        name: unique in the page; what the picture refers to within itself is named after it.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, dpi=144)
    drawn = buffer.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", "", drawn, flags=re.DOTALL)
    view = re.search(r'viewBox="[^"]*"', drawn)
    drawn = drawn[drawn.index(">") + 1 :]
    used = set(re.findall(r"<[^>]*(?:url\(#|href=\"#)([^\")]+)", drawn))
    # Within tags only: a name that somebody wrote is left as it is.
    drawn = re.sub(r"<[^>]*>", lambda found: _tag_of_the_page(found[0], used, name), drawn)
    drawn = re.sub(r"\s*\n\s*", "\n", drawn)
    return Html(f'<svg role="img" aria-label="{text(alt)}" {view[0] if view else ""} class="plot">{drawn}')


def _tag_of_the_page(written: str, used: set[str], name: str) -> str:
    """One tag of a figure without fonts, with names of the page, its colours, and small pictures."""
    written = re.sub(r"font-family:[^;\"]*;? ?", "", written)
    written = re.sub(r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", written)
    written = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{name}-", written)
    for colour, variable in _OF_THE_PAGE.items():
        written = written.replace(colour, variable)
    return re.sub(r"(?<=data:image/png;base64,)[^\"]+", lambda found: _few_colours(found[0]), written)


def _few_colours(png: str) -> str:
    """The same picture in at most 128 colours and degrees of transparency: a third of the size; both in base 64."""
    from PIL import Image

    buffer = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(png))) as image:
        image.convert("RGBA").quantize(128, method=Image.Quantize.FASTOCTREE).save(buffer, format="png", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()
