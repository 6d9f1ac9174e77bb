"""The page of a run in a real browser: nothing goes wrong, everything can be read, and names stay names."""

import re
from itertools import pairwise

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.report import run_page
from surefoot.report.renderer import find_renderer
from surefoot.report.run_page import write_page
from surefoot.traces.rates import Rate, percent, sequence
from tests.report.browser import Visit, chromium
from tests.report.soft_trace import quadruped, soft_trace
from tests.report.synthetic_run import HOSTILE, STEPS, Synthetic, fill, hostile

SIZE = 3_000_000

# Texts that are too pale for what lies behind them, as a list of [contrast, text]; [W3C]'s formula, sRGB.
CONTRAST = """() => {
  const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = rgb => 0.2126 * part(rgb[0]) + 0.7152 * part(rgb[1]) + 0.0722 * part(rgb[2]);
  const read = text => text.match(/[\\d.]+/g).map(Number);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const rgba = read(getComputedStyle(e).backgroundColor);
      if (rgba.length < 4 || rgba[3] > 0) return rgba;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    const a = light(read(svg ? style.fill : style.color)), b = light(behind(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push([contrast, e.textContent]);
  }
  return found;
}"""

# Elements that stick out of the page to the right, unless a box around them scrolls.
STICKING_OUT = """() => [...document.querySelectorAll("body *")]
  .filter(e => !e.closest(".scroll") && !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 0.5)
  .map(e => e.tagName + " " + e.className)"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def curb(tmp_path_factory):
    """The page of a run without pictures."""
    folder = tmp_path_factory.mktemp("curb")
    return write_page(fill(folder / "run", Synthetic()), folder / "page.html")


@pytest.fixture(scope="module")
def attack(tmp_path_factory):
    """The page of a run whose names are meant to do harm."""
    folder = tmp_path_factory.mktemp("hostile")
    return write_page(fill(folder / "run", hostile()), folder / "page.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 768, 390, 320])
def test_a_browser_finds_nothing_wrong(browser, curb, width, scheme):
    with Visit(browser, curb, width, scheme) as visit:
        assert visit.said == []
        assert {url.split(":")[0] for url in visit.asked} <= {"file", "data"}
        assert len([url for url in visit.asked if url.startswith("file")]) == 1
        assert visit.get("document.documentElement.scrollWidth") <= width
        assert visit.get(STICKING_OUT) == []
        assert visit.get(CONTRAST) == []


def test_dark_is_dark_and_light_is_light(browser, curb):
    means = {}
    for scheme in ("light", "dark"):
        with Visit(browser, curb, 800, scheme) as visit:
            colour = visit.get("getComputedStyle(document.body).backgroundColor")
            means[scheme] = np.mean([float(each) for each in re.findall(r"[\d.]+", colour)[:3]])
            ink = visit.get("getComputedStyle(document.querySelector('svg text')).fill")
            means[f"{scheme} ink"] = np.mean([float(each) for each in re.findall(r"[\d.]+", ink)])
    assert means["dark"] < 40 < 200 < means["light"]
    assert means["light ink"] < 130 < means["dark ink"]


def test_the_verdict_is_what_a_phone_shows_first(browser, curb):
    with Visit(browser, curb, 390, "light") as visit:
        words = visit.get("document.body.innerText")
        first = visit.get("document.querySelector('.headline').getBoundingClientRect().bottom")
        card = visit.get("document.querySelector('.card .word').getBoundingClientRect().bottom")
    middle = "step 2 cm and step 3 cm are brittle, decided by ground.height"
    assert f"step 4 cm is robust; {middle}; step 1 cm fails." in words
    assert first < 300
    assert card < 844


def test_text_can_be_read_on_a_phone(browser, curb):
    sizes = """() => [...document.querySelectorAll("svg text")].map(e => e.getBoundingClientRect().height)"""
    with Visit(browser, curb, 390, "light") as visit:
        upright = [size for size in visit.get(sizes) if size > 0]
        assert visit.get("parseFloat(getComputedStyle(document.body).fontSize)") >= 16
    assert min(upright) > 9.0


def test_what_is_not_seen_is_told(browser, curb):
    with Visit(browser, curb, 1280, "light") as visit:
        assert visit.get("[...document.querySelectorAll('img')].filter(e => !e.alt).length") == 0
        labels = visit.get("[...document.querySelectorAll('[role=img]')].map(e => e.getAttribute('aria-label'))")
        levels = visit.get("[...document.querySelectorAll('h1, h2, h3')].map(e => +e.tagName[1])")
        twice = visit.get(
            "(() => { const all = [...document.querySelectorAll('[id]')].map(e => e.id);"
            " return all.filter((id, k) => all.indexOf(id) < k); })()"
        )
        broken = visit.get(
            "[...document.querySelectorAll('nav a')].filter(e => !document.getElementById(e.hash.slice(1))).length"
        )
        assert visit.get("document.documentElement.lang") == "en"
        assert visit.get("[...document.querySelectorAll('table')].filter(e => !e.querySelector('th')).length") == 0
    assert all(labels)
    assert "step 3 cm: 93 success, 31 known failure, 4 unknown failure" in labels
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert (twice, broken) == ([], 0)


def test_names_that_would_be_code_stay_names(browser, attack):
    source = attack.read_text(encoding="utf-8")
    assert re.findall(r"<script", source) == []
    for width in (1280, 390):
        with Visit(browser, attack, width, "light") as visit:
            assert visit.said == []
            assert visit.get("document.querySelectorAll('script').length") == 0
            assert visit.get("document.querySelectorAll('style').length") == 1
            assert visit.get("document.title").startswith(f"Step over a curb of 3 cm: {HOSTILE}")
            names = visit.get("[...document.querySelectorAll('.card h3')].map(e => e.textContent)")
            shown = visit.get("document.body.textContent")
            legend = visit.get("[...document.querySelectorAll('#survival svg text')].map(e => e.textContent)")
            assert visit.get("document.documentElement.scrollWidth") <= width
        assert names == [HOSTILE, 'quoted "policy"']
        assert {HOSTILE, 'quoted "policy"'} <= set(legend)
        for name in hostile().parameters:
            assert name in shown


def test_numbers_of_the_table_are_those_of_the_run(browser, curb):
    rows = "[...document.querySelectorAll('#verdict tbody tr')].map(r => [...r.children].map(c => c.textContent))"
    with Visit(browser, curb, 1280, "light") as visit:
        table = {row[0]: row[1:] for row in visit.get(rows)}
    results = Synthetic().results()
    assert list(table) == list(STEPS)
    for policy, row in table.items():
        outcomes = [result.outcome for result in results if result.policy == policy]
        words = ("success", "known failure", "unknown failure", "broken")
        assert [int(cell) for cell in row[1:5]] == [outcomes.count(word) for word in words]
    assert table["step 3 cm"] == ["brittle", "93", "31", "4", "0", "72.7 %", "64.4 to 79.6 %", "23", "4", "8"]


def test_behaviours_are_counted_and_their_examples_are_theirs(browser, curb):
    rows = "[...document.querySelectorAll('#parting tbody tr')].map(r => [...r.children].map(c => c.textContent))"
    with Visit(browser, curb, 1280, "light") as visit:
        table = visit.get(rows)
    success = {(each.policy, each.particle): each.outcome == "success" for each in Synthetic().results()}
    starts = [k for k, row in enumerate(table) if row[0]]
    assert [table[k][0] for k in starts] == list(STEPS)
    for policy, a, b in zip(STEPS, starts, [*starts[1:], len(table)], strict=True):
        assert [int(row[1]) for row in table[a:b]] == list(range(1, b - a + 1))
        assert sum(int(row[2].split(" of 128")[0]) for row in table[a:b]) == 128
        assert sum(int(row[3].split(" of ")[0]) for row in table[a:b]) == sum(success[policy, k] for k in range(128))
        for row in table[a:b]:
            assert (policy, int(row[6])) in success
    assert any("times (others" in row[4] for row in table)


def test_the_page_is_the_same_every_time(tmp_path):
    stamp = re.compile(r"20\d\d-\d\d-\d\dT[\d:+]+")
    runs = [fill(tmp_path / name, Synthetic(particles=6)) for name in ("a", "b")]
    first, second = (stamp.sub("", run_page.page(run)) for run in runs)
    assert first == second


def test_the_page_is_small(curb):
    assert curb.stat().st_size < SIZE / 3


def test_sections_come_in_the_order_of_a_reader(curb):
    titles = re.findall(r"<h2>(.*?)</h2>", curb.read_text(encoding="utf-8"))
    assert titles == [
        "Verdict",
        "What decides",
        "Where traces part",
        "Policies against each other",
        "Traces",
        "Where traces end",
        "Time to failure",
        "Margins",
        "Particles to run again",
        "How this run was made",
    ]


@pytest.mark.usefixtures("drawing")
def test_pictures_of_typical_and_worst_particles(browser, tmp_path):
    asked = []

    def replay(policy, particle):
        asked.append((policy, particle))
        return None if policy == "step 1 cm" else trace

    trace = soft_trace(quadruped())
    small = Synthetic(particles=12)
    page = write_page(fill(tmp_path / "run", small), tmp_path / "page.html", replay=replay)
    outcomes = {(result.policy, result.particle): result for result in small.results()}
    assert {policy for policy, _ in asked} == set(STEPS)
    with Visit(browser, page, 390, "light") as visit:
        assert visit.said == []
        loaded = visit.get("[...document.querySelectorAll('#pictures img')].map(e => [e.naturalWidth, e.alt])")
        words = visit.get("document.querySelector('#pictures').innerText")
    assert len(loaded) == len([policy for policy, _ in asked if policy != "step 1 cm"])
    assert all(width == 720 and alt for width, alt in loaded)
    assert words.count("This particle cannot be run again here.") == len(asked) - len(loaded)
    worst = min((r.time, r.particle) for r in outcomes.values() if r.policy == "step 2 cm" and r.outcome != "success")
    assert ("step 2 cm", worst[1]) in asked
    assert page.stat().st_size < SIZE


def test_without_a_renderer_the_page_says_so_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "disable")
    find_renderer.cache_clear()
    run = fill(tmp_path / "run", Synthetic(particles=4))
    page = write_page(run, tmp_path / "page.html", replay=lambda *_: soft_trace(quadruped(), duration=0.05))
    find_renderer.cache_clear()
    text = page.read_text(encoding="utf-8")
    assert "No pictures: No renderer works here, so nothing can be drawn (MUJOCO_GL: set to &#x27;disable&#x27;" in text
    assert "<h2>Traces</h2>" in text


def test_a_log_of_the_real_robot_lies_over_the_traces(browser, tmp_path):
    t = np.linspace(0.0, 2.0, 41)
    np.savetxt(tmp_path / "a.csv", np.array([t, 0.4 * t, 0 * t]).T, delimiter=",", header="t,x,yaw", comments="")
    run = fill(tmp_path / "run", Synthetic(particles=16))
    page = write_page(run, tmp_path / "page.html", log=tmp_path / "a.csv")
    rows = "[...document.querySelectorAll('#traces tr')].map(r => [...r.children].map(c => c.textContent))"
    with Visit(browser, page, 390, "dark") as visit:
        assert visit.said == []
        assert visit.get("document.documentElement.scrollWidth") <= 390
        table = visit.get(rows)
        lines = visit.get("[...document.querySelectorAll('#traces svg text')].map(e => e.textContent)")
    assert table[0] == ["policy", "x", "yaw"]
    assert [row[0] for row in table[1:]] == list(STEPS)
    assert lines.count("your log") == 2 * len(STEPS)


def test_intervals_after_an_early_stop_hold_however_often_one_looked(tmp_path):
    run = fill(tmp_path / "run", Synthetic(particles=32), stop={"width": 0.2}, stopped=20)
    text = write_page(run, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Stopped early, after 20 particles of 32: the rates were known well enough." in text
    assert '<th scope="col">95 % after early stop</th>' in text
    successes = sum(
        each.outcome == "success" for each in Synthetic(particles=20).results() if each.policy == "step 3 cm"
    )
    low, high = sequence(successes, 20)
    ends = f"{percent(low)} to {percent(high)} %"
    assert f'<td class="nowrap">{ends}</td>' in text, "in the table of outcomes"
    assert f"{successes} of 20 traces succeed, {percent(successes / 20)} % ({ends})" in text, "behind the verdict"
    wilson = Rate(successes, 20)
    assert f"{percent(wilson.low)} to {percent(wilson.high)} %" not in text


def test_of_many_policies_the_first_have_figures_and_all_are_in_the_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(run_page, "MOST_POLICIES", 2)
    many = Synthetic(policies=tuple(f"policy {k}" for k in range(6)), heights=(0.04,) * 6, particles=3)
    text = write_page(fill(tmp_path / "run", many), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Figures show the first 2 of 6 policies; tables have all of them." in text
    assert text.count('<article class="card') == 6
    assert "<figcaption>policy 1</figcaption>" in text
    assert "<figcaption>policy 2</figcaption>" not in text
    assert "3 more pairs" in text


def test_a_run_that_is_not_finished_has_a_page(tmp_path):
    run = fill(tmp_path / "run", Synthetic(), keep=lambda result: result.policy == "step 4 cm" and result.particle < 5)
    text = write_page(run, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "This run is not finished: 5 of 512 traces. The numbers will change." in text
    assert "step 4 cm is brittle; step 1 cm, step 2 cm and step 3 cm are untested." in text


def test_a_run_without_any_trace_has_a_page(tmp_path):
    run = fill(tmp_path / "run", Synthetic(), keep=lambda result: False)
    text = write_page(run, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "step 1 cm, step 2 cm, step 3 cm and step 4 cm are untested." in text


def test_results_with_nothing_but_an_outcome(tmp_path):
    run = fill(tmp_path / "run", Synthetic(), bare=True)
    text = write_page(run, tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.findall(r"<h2>(.*?)</h2>", text)[:2] == ["Verdict", "Policies against each other"]


def test_traces_without_an_answer_are_told_with_their_messages(curb):
    text = curb.read_text(encoding="utf-8")
    assert "1 trace gave no answer; the rates count them as not successful." in text
    assert "the contact law has no solution at 0.84 s; try a smaller dt" in text


def test_wrong_ending(tmp_path):
    with pytest.raises(InputError, match=r"^out: expected a file name ending in \.html, \.htm, got 'page\.pdf'$"):
        write_page(tmp_path, "page.pdf")


def test_not_the_folder_of_a_run(tmp_path):
    with pytest.raises(InputError, match=r"expected the folder of a run, got one without run\.json$"):
        write_page(tmp_path, tmp_path / "page.html")
