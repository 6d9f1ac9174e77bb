import re
from xml.etree import ElementTree

import numpy as np

from surefoot.report.svg import GRID, INK, MUTED, inline, label, panel


def drawn(name="a", title="t", alt="what it shows"):
    with panel() as (figure, axes):
        axes.plot([0, 1], [0, 1], color=INK, marker="o")
        line = np.cumsum(np.random.default_rng(0).standard_normal((200, 2)), axis=0)
        axes.plot(*line.T, color="#1a9b78", alpha=0.5, rasterized=True)
        label(axes, "time [s]", title)
        return inline(figure, alt, name)


def test_it_takes_the_colours_of_the_page():
    picture = drawn()
    assert "var(--ink)" in picture
    assert "var(--line)" in picture
    assert not any(colour in picture for colour in (INK, MUTED, GRID))
    assert "font-family" not in picture


def test_it_is_well_formed_and_the_same_every_time():
    picture = drawn()
    assert picture == drawn()
    root = ElementTree.fromstring(picture.replace("xlink:href", "href"))
    assert root.tag == "svg"
    assert (root.get("role"), root.get("aria-label")) == ("img", "what it shows")
    assert [each.tag for each in root.iter() if each.tag in ("style", "script", "metadata")] == []


def test_two_figures_share_no_name_and_find_their_own():
    first, second = drawn("a"), drawn("b")
    names = [set(re.findall(r' id="([^"]*)"', each)) for each in (first, second)]
    assert names[0]
    assert not names[0] & names[1]
    for picture, known in zip((first, second), names, strict=True):
        assert set(re.findall(r"url\(#([^)]*)\)", picture)) | set(re.findall(r'href="#([^"]*)"', picture)) == known


def test_words_stay_as_they_were_written():
    hostile = f'<script>alert(1)</script> $x_1$ id="b" {INK} url(#c) _a'
    root = ElementTree.fromstring(drawn(title=hostile, alt=hostile).replace("xlink:href", "href"))
    assert root.get("aria-label") == hostile
    assert hostile in [each.text for each in root.iter("text")]
    assert list(root.iter("script")) == []


def test_pixels_are_few():
    picture = drawn()
    (data,) = re.findall(r'data:image/png;base64,([^"]+)"', picture)
    assert 500 < len(data) < 40_000
