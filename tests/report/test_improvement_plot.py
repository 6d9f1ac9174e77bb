"""Figures of an improvement: they are drawn for whatever happened, and nothing in them overlaps."""

from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from surefoot.errors import InputError
from surefoot.report import improvement_plot as plot
from surefoot.report.improvement_numbers import Cloud, Progress
from tests.report.designs import by_hand, improved, problem

DRAWERS = (plot.draw_progress, plot.draw_witness, plot.draw_clouds)


@pytest.fixture(scope="module")
def found():
    return improved()


@pytest.mark.parametrize("draw", DRAWERS)
def test_figures_are_written(draw, found, tmp_path):
    path = draw(found, tmp_path / "figure.png")
    with Image.open(path) as image:
        assert min(image.size) > 300
        assert len(image.convert("RGB").getcolors(1 << 24)) > 20


@pytest.mark.parametrize("draw", DRAWERS)
def test_nothing_done_is_drawn_too(draw, tmp_path):
    assert draw(by_hand([], reached=False), tmp_path / "figure.svg").stat().st_size > 1000


def test_other_motors_get_their_own_panels(tmp_path):
    other = improved(['motor "?F_*" MX-64', "accept"], updates=1, speeds=(0.1,))
    pairs, unit = plot.cloud_pairs(other)
    assert unit == "N m"
    (front, hind) = (pairs[name] for name in ("MX-64", "hobby servo"))
    assert front[0] is None
    assert (len(front[1].joints), len(hind[0].joints), len(hind[1].joints)) == (6, 12, 6)
    plot.draw_clouds(other, tmp_path / "figure.png")


def test_all_quadrants_have_the_motors_line(found):
    axes = Figure().add_subplot()
    ((_, pair),) = plot.cloud_pairs(found)[0].items()
    plot.cloud_panel(axes, found, pair)
    corners = axes.lines[-1].get_xydata()
    np.testing.assert_allclose(np.abs(corners) @ [1 / 6.55, 1 / 1.1], 1.0)
    assert {tuple(np.sign(corner)) for corner in corners} == {(1, 0), (0, 1), (-1, 0), (0, -1)}


def test_what_cannot_be_drawn_is_said(found):
    cloud = Cloud(np.array([1.0]), np.array([0.1]), 0.5, 0.25, ("LF_X1",))
    assert plot.cloud_words("start", cloud) == (
        "start robot: 50 % of the samples beyond the motor;\n25 % of the course out of reach, not drawn"
    )
    nothing = replace(cloud, hidden=1.0)
    assert "all of the course is out of its reach" in plot.cloud_words("start", nothing)
    axes = Figure().add_subplot()
    far = replace(cloud, speed=np.array([1000.0]))
    plot.cloud_panel(axes, found, (far, replace(cloud, joints=problem().morphology.parts.scene.joints)))
    assert "1 samples lie outside" in [text.get_text() for text in axes.texts]


def test_words_at_the_top_do_not_overlap():
    figure = Figure(figsize=(6.0, 3.0))
    axes = figure.add_subplot()
    tried = np.array([0.1, 0.2, 0.3, 0.3, 0.4, 0.4])
    seen = Progress(np.unique(tried), np.zeros((4, 6)), tried, np.linspace(-1.0, 0.1, 6), ("a",) * 6, ((0, 0.1, 0.2),))
    plot.worst_panel(axes, by_hand([]), seen)
    draw = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    boxes = [text.get_window_extent(draw) for text in axes.texts]
    assert len(boxes) == 4
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_looks_of_others_are_left_alone(found, tmp_path):
    before = dict(mpl.rcParams)
    plot.draw_clouds(found, tmp_path / "figure.png")
    assert dict(mpl.rcParams) == before


def test_bad_paths(found, tmp_path):
    with pytest.raises(InputError, match=r"^path: expected a file name ending in \.png, "):
        plot.draw_progress(found, tmp_path / "figure.doc")
