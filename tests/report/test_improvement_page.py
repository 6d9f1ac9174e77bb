"""The page of an improvement: what it says, and what a real browser makes of it."""

import re

import pytest

from surefoot.errors import InputError
from surefoot.report.improvement_page import headline, improvement_page
from surefoot.report.renderer import find_renderer
from surefoot.traces.paired import paired
from surefoot.traces.run import Run
from tests.report.browser import Visit, chromium
from tests.report.designs import by_hand, improved, step
from tests.report.synthetic_run import HOSTILE, Synthetic, fill
from tests.report.test_run_page import CONTRAST, STICKING_OUT

SIZE = 2_000_000


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same policy and particles, and a robot that is better."""
    folder = tmp_path_factory.mktemp("runs")
    made = [
        Synthetic(
            policies=("trot",), heights=(height,), parameters=("ground.height", "ground.mu", "lag", "law", "mass")
        )
        for height in (0.02, 0.04)
    ]
    return [Run(fill(folder / str(k), one)) for k, one in enumerate(made)]


@pytest.fixture(scope="module")
def written(tmp_path_factory, runs):
    folder = tmp_path_factory.mktemp("page")
    (folder / "robot.xml").write_text("<mujoco/>")
    found = improved()
    return found, improvement_page(found, folder / "report.html", proofs=["it falls", HOSTILE], runs=runs)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "light"), (1280, "dark")])
def test_a_browser_finds_nothing_wrong(browser, written, width, scheme):
    _, page = written
    with Visit(browser, page, width, scheme) as visit:
        assert visit.said == []
        assert {url.partition(":")[0] for url in visit.asked} <= {"file", "data"}
        assert visit.get(STICKING_OUT) == []
        assert visit.get(CONTRAST) == []
        assert visit.get("[...document.images].every(i => i.complete && i.naturalWidth > 0)")


def test_the_verdict_is_what_a_phone_shows_first(browser, written):
    found, page = written
    with Visit(browser, page, 390, "light") as visit:
        assert visit.get("document.querySelector('.headline').textContent") == headline(found)
        assert visit.get("document.querySelector('.headline').getBoundingClientRect().bottom < innerHeight")


def test_numbers_are_those_of_the_design(browser, written):
    found, page = written
    with Visit(browser, page, 1280, "light") as visit:
        rows = visit.get("[...document.querySelectorAll('#changes tbody tr')].map(r => r.innerText.split('\\t'))")
        steps = visit.get("document.querySelectorAll('#steps tbody tr').length")
    for row, name, a, b in zip(rows, found.morphology.names, found.start, found.p, strict=False):
        assert row[:3] == [name, f"{1e3 * a:.1f}", f"{1e3 * b:.1f}"]
    assert [row[4] for row in rows] == ["mm", "mm", "g", "g"]
    assert rows[-1][:3] == [
        "whole robot",
        *(f"{1e3 * found.morphology.scene(p).mass:.0f}" for p in (found.start, found.p)),
    ]
    assert steps == len(found.steps)


def test_it_holds_everything_and_needs_nobody(written, runs):
    _, page = written
    text = page.read_text(encoding="utf-8")
    assert len(text) < SIZE
    assert text.count("<svg") == 3
    if find_renderer().backend is not None:
        assert text.count("data:image/webp;base64,") == 4
    assert 'href="robot.xml"' in text
    assert "robot.urdf" not in text
    assert HOSTILE not in text
    assert not re.search(r"(?:src|href)=\"https?:", text)
    before, after = (run.rates()["trot"] for run in runs)
    assert f"{before.successes} of {before.n} traces succeed" in text
    won = [run.findings()[0].group.success for run in runs]
    assert f"p = {paired(*won).p:.2g}" in text
    assert f"Failures go from {100 * (1 - before.rate):.1f} % to {100 * (1 - after.rate):.1f} %." in text


def test_other_particles_are_not_paired(runs, tmp_path):
    other = Synthetic(policies=("trot",), heights=(0.04,), parameters=("ground.height", "a", "b", "c", "d"), seed=3)
    page = improvement_page(by_hand([]), tmp_path / "page.html", runs=[runs[0], Run(fill(tmp_path / "run", other))])
    assert "The two runs did not meet the same particles, so there is no paired test." in page.read_text()


def test_verdicts():
    done = by_hand([step(1, by_hand([]).start)])
    assert headline(done) == "The improved robot keeps all limits at 0.2 m/s, with 0.010 to spare, after 1 update."
    lost = by_hand([step(1, done.start), step(2, done.start)], reached=False)
    assert headline(lost) == (
        "No robot was found that keeps all limits at 0.1 m/s, after 2 updates: that is how it ended."
    )


def test_a_page_of_nothing(tmp_path):
    text = improvement_page(by_hand([], reached=False), tmp_path / "page.html").read_text()
    assert "The start robot violated torque-speed" in text
    assert 'id="steps"' not in text


def test_wrong_arguments(runs, tmp_path):
    with pytest.raises(InputError, match=r"^path: expected a file name ending in \.html, \.htm, "):
        improvement_page(by_hand([]), tmp_path / "page.txt")
    with pytest.raises(InputError, match=r"^runs: expected two, of the start robot and of the improved one, got 1$"):
        improvement_page(by_hand([]), tmp_path / "page.html", runs=runs[:1])


def test_files_that_are_elsewhere_are_linked(tmp_path):
    (tmp_path / "a b").mkdir()
    page = improvement_page(by_hand([]), tmp_path / "page.html", files=[tmp_path / "a b" / "robot.xml"])
    assert 'href="a%20b/robot.xml"' in page.read_text()
