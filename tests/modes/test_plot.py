"""Pictures of responses: what is coloured, hatched and named, by its geometry; and what is refused."""

import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.path import Path as Outline

import surefoot as sf
from surefoot.errors import InputError
from surefoot.modes import draw, plot
from tests.modes.systems import block as pushed_block


def texts(figure):
    (panel,) = figure.axes
    return [text.get_text() for text in panel.texts]


def legend(figure):
    (panel,) = figure.axes
    return [text.get_text() for text in panel.get_legend().get_texts()]


def regions(figure):
    """Filled patches: outline, colour and hatch."""
    (panel,) = figure.axes
    return [(patch.get_path(), patch.get_facecolor(), patch.get_hatch()) for patch in panel.patches]


def parts(outline):
    """The closed pieces of a compound outline."""
    starts = [*np.flatnonzero(outline.codes == Outline.MOVETO), len(outline.codes)]
    return [Outline(outline.vertices[a:b]) for a, b in pairwise(starts)]


def seen_at(figure, torque):
    """Hatches of the regions that a torque lies in."""
    return [
        hatch for outline, _, hatch in regions(figure) if any(part.contains_point(torque) for part in parts(outline))
    ]


@pytest.mark.parametrize("name", ["block", "table", "rod_in_corner"])
def test_every_torque_of_a_plane_is_coloured_by_how_many_modes_it_has(response, name):
    found = response(name)
    figure = found.plot(limits=[(-40, 60), (-30, 50)])
    rng = np.random.default_rng(0)
    for torque in rng.uniform([-40, -30], [60, 50], (60, 2)):
        expected = {0: "xx", 1: None}.get(len(found.solutions(torque)), "////")
        assert seen_at(figure, torque) == [expected]


def test_names_and_legend(response):
    figure = response("rod_in_corner").plot()
    assert set(texts(figure)) == {"FF", "SS", "FS", "SL", "FS, SS, RS"}  # LL is too small
    assert legend(figure) == ["FF (forces open)", "FS", "SS", "RS", "SL", "LL", "several modes"]
    (panel,) = figure.axes
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("pull right [N]", "pull up [N]")
    assert figure.get_suptitle() == "6 modes of 16 combinations"


def test_a_region_in_pieces_is_named_in_its_middle():
    (panel,) = sf.modes.load("block").change(friction=0.0).response().plot(limits=[(-9, 9), (0, 30)]).axes
    places = {text.get_text(): text.get_position() for text in panel.texts}
    assert places["S"] == pytest.approx((0, (30 + 19.62) / 2))
    assert places["R"] == pytest.approx((4.5, 19.62 / 2))


def test_all_corners_are_shown(response):
    """The torques at which three modes meet are in the picture: for the block its weight."""
    (panel,) = response("block").plot().axes
    (left, right), (bottom, top) = panel.get_xlim(), panel.get_ylim()
    assert left < 0 < right
    assert bottom < 0 < 19.62 < top
    (panel,) = sf.modes.load("block").change(torque_limits=[[-3, 5], [0, np.inf]]).response().plot().axes
    assert panel.get_xlim() == (-3.0, 5.0)
    assert panel.get_ylim()[0] == 0.0


def test_one_torque_has_a_lane_for_each_mode(response):
    figure = response("painleve_rod").plot(limits=(0, 20))
    (panel,) = figure.axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["how many", "S", "L"]
    assert texts(figure) == ["0", "2"]
    assert legend(figure) == ["several modes", "no solution"]
    bars = [collection.get_paths()[0].get_extents() for collection in panel.collections]
    spans = sorted((box.x0, box.x1, box.y0 > 0.5) for box in bars)
    expected = [(0.0, 9.81, True), (9.81, 20.0, False), (9.81, 20.0, False), (9.81, 20.0, True)]
    np.testing.assert_allclose(spans, expected, atol=1e-9)


def test_a_mode_at_a_single_torque_is_a_mark():
    """A block on ice can only be still if nothing pushes it."""
    block = sf.modes.load("block")
    pushed = block.change(friction=0.0, inputs=[[1], [0]], torque_names=["push [N]"], torque_limits=None)
    figure = pushed.response().plot(limits=(-5, 5))
    (panel,) = figure.axes
    marks = [line.get_xydata() for line in panel.lines if line.get_marker() == "o"]
    assert len(marks) == 1
    assert abs(marks[0][0, 0]) < 1e-9
    assert texts(figure) == ["1", "1"]


def test_a_mode_on_a_line_is_a_line():
    figure = sf.modes.load("block").change(friction=0.0).response().plot()
    (panel,) = figure.axes
    (line,) = [line for line in panel.lines if line.get_linewidth() == 3.0]
    np.testing.assert_allclose(line.get_xdata(), 0.0, atol=1e-9)


def test_other_torques_are_held(response):
    figure = response("table").plot(axes=["lift"], at=[50, 0])
    (panel,) = figure.axes
    assert panel.get_xlabel() == "lift [N]"
    assert figure.get_suptitle().endswith("; push [N] = 50")
    slice_of = response("table").plot(axes=("lift [N]", "push"))
    assert slice_of.axes[0].get_ylabel() == "push [N]"
    lanes = {label.get_text() for label in panel.get_yticklabels()[1:]}
    low, high = panel.get_xlim()
    lifts = np.linspace(low, high, 101)[1:-1]
    seen = {mode for lift in lifts for mode in response("table").solutions([50, lift]).modes}
    assert seen <= {lane.split(" (")[0] for lane in lanes}


def test_many_modes_share_the_last_colour():
    rng = np.random.default_rng(0)
    corners = [np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * 0.1 + rng.uniform(0, 0.9, 2) for _ in range(25)]
    domains = [draw.Domain(f"mode {i}", corner) for i, corner in enumerate(corners)]
    from matplotlib.figure import Figure

    panel = Figure().add_subplot()
    draw.plane(panel, domains, np.array([[0.0, 1.0], [0.0, 1.0]]))
    labels = [text.get_text() for text in panel.get_legend().get_texts()]
    assert len(labels) == len(draw.COLOURS) + 3
    assert labels[-3:] == ["15 others", "several modes", "no solution"]
    lanes = [draw.Domain(f"mode {i}", np.array([[0.1 * i], [0.1 * i + 1]])) for i in range(25)]
    panel = Figure().add_subplot()
    draw.line(panel, lanes, np.array([[0.0, 4.0]]))
    assert [label.get_text() for label in panel.get_yticklabels()][-1] == "15 others"


@pytest.mark.parametrize("ending", plot.ENDINGS)
def test_files_are_written(response, tmp_path, ending):
    path = tmp_path / f"modes{ending}"
    response("block").plot(path)
    assert path.stat().st_size > 1000


def test_the_same_picture_twice(response, tmp_path):
    for name in ("a.png", "b.png"):
        response("rod_in_corner").plot(tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"path": "a.txt"}, "path: expected a file name ending in .png, .pdf, .svg, .jpg, .webp, got 'a.txt'"),
        ({"path": 3}, "path: expected a file name, got 3"),
        ({"path": "no/a.png"}, "path: the folder 'no' does not exist"),
        ({"axes": (0, 2)}, "axes: expected numbers from 0 to 1, got 2"),
        ({"axes": (0, 0)}, "axes: expected two different torques, got (0, 0)"),
        ({"axes": 0}, "axes: expected one or two torques, by number or name, got 0"),
        ({"axes": ("push", "pull")}, "axes: no torque is called 'pull'; The choices are: push, lift"),
        ({"at": [1]}, "at: expected shape (2,), got (1,)"),
        ({"limits": (0, 1)}, "limits: expected shape (2, 2), got (2,)"),
        ({"limits": [(0, 1), (2, 2)]}, "limits: expected low below high, got [[0.0, 1.0], [2.0, 2.0]]"),
        ({"limits": (1, 0), "axes": (1,)}, "limits: expected low below high, got [1.0, 0.0]"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(response, options, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        response("table").plot(**options)


def test_without_torques_there_is_nothing_to_draw(response):
    text = "response: expected a system with torques to draw, got one without; see solutions([])"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        response("ambiguous_rod").plot()


@pytest.mark.filterwarnings("error")
def test_a_torque_that_is_held_has_room_about_it():
    limits = [[2.0, 2.0], [-1.0, 1.0], [-1.0, 1.0]]
    (panel,) = pushed_block(torque_limits=limits).response().plot(axes=(np.int64(0), 1)).axes
    low, high = panel.get_xlim()
    assert low < 2.0 < high
    assert panel.get_ylim() == (-1.0, 1.0)


def test_a_path_that_cannot_be_written(tmp_path):
    folder = tmp_path / "taken.png"
    folder.mkdir()
    with pytest.raises(InputError, match=rf"^path: '{re.escape(str(folder))}' cannot be written: Is a directory$"):
        pushed_block().response().plot(folder)
