import re

import pytest
from PIL import Image

import surefoot as sf
from surefoot.cli import drop as command
from surefoot.cli import fall as experiment
from surefoot.cli import rollout
from surefoot.laws import LAWS
from surefoot.report.landing import Landing
from surefoot.report.renderer import find_renderer


def _rows(output):
    """The summary as a dict, cells split over lines joined."""
    rows, name = {}, None
    for line in output.splitlines():
        cells = [cell.strip() for cell in re.split("[│|]", line)[1:-1]]
        if len(cells) == 2:
            name = cells[0] or name
            rows[name] = f"{rows.get(name, '')} {cells[1]}".strip()
    return rows


def test_links_lands_on_its_feet_and_rests(run, tmp_path):
    path = tmp_path / "fall.png"
    result = run("drop", "links", "--mu", 0.7, "--duration", 1.5, "--plot", path)
    assert result.exit_code == 0, result.output
    assert "links, coulomb, mu 0.7" in result.output
    rows = _rows(result.output)
    assert list(rows) == [
        "touch-down",
        "peak force",
        "at rest after",
        "drift at the end",
        "slip",
        "deepest penetration",
        "peak torque",
        "energy",
        "steps",
        "computed at",
    ]
    # 0.1 m of free fall take sqrt(2 h / g) = 0.143 s.
    assert float(rows["touch-down"].split()[0]) == pytest.approx(0.143, abs=2e-3)
    assert 0.2 < float(rows["at rest after"].split()[0]) < 1.5
    assert float(rows["drift at the end"].split()[0]) < 100
    assert float(rows["deepest penetration"].split()[0]) < 1
    assert rows["steps"] == "1500 solved"
    with Image.open(path) as image:
        assert min(image.size) > 800


def test_an_animation_is_drawn(run, tmp_path):
    if find_renderer().backend is None:
        pytest.skip(f"no renderer: {find_renderer()}")
    path = tmp_path / "fall.webp"
    result = run("drop", "links", "--duration", 0.4, "--tilt", 10, "--video", path, "--speed", 1)
    assert result.exit_code == 0, result.output
    with Image.open(path) as image:
        assert (image.n_frames, image.size) == (11, (640, 480))
    assert path.stat().st_size < 2_000_000


def test_a_robot_that_is_bolted_down(run):
    result = run("drop", "arm")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: robot: 'arm' is bolted down and cannot fall; `surefoot robots` lists those that can\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--mu", -1), "mu: expected a friction coefficient of at least 0 (inf allowed), got -1.0"),
        (
            ("--law", "compliant"),
            "--stiffness: the compliant law needs one, in N/m; for instance --stiffness 20000",
        ),
        (("--law", "compliant", "--stiffness", -1), "stiffness: expected a number above 0, got -1"),
        (("--stiffness", 1e4), "--stiffness: belongs to --law compliant, and the law is coulomb"),
        (("--law", "soft", "--damping", 1), "--damping: belongs to --law compliant, and the law is soft"),
        (("--dt", 0), "dt: expected a number above 0, got 0"),
        (("--duration", -2), "duration: expected a number above 0, got -2"),
        (("--speed", 0), "speed: expected a number above 0, got 0"),
        (("--speed", "nan", "--video", "fall.webp"), "speed: expected a finite number, got nan"),
        (("--height", -0.1), "height: expected a number of at least 0, got -0.1"),
        (
            ("--plot", "fall.txt"),
            "--plot: expected a file name ending in .png, .pdf, .svg, .jpg, .webp, got 'fall.txt'",
        ),
        (("--video", "fall.mp4"), "--video: expected a file name ending in .webp, got 'fall.mp4'"),
    ],
)
def test_wrong_options_are_refused_before_any_work(run, words, text, monkeypatch):
    monkeypatch.setattr(rollout, "timed", lambda *_, **__: pytest.fail("it ran"))
    result = run("drop", "links", *words)
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")


def test_unknown_law(run):
    result = run("drop", "links", "--law", "glue")
    assert result.exit_code == 2
    assert "'coulomb', 'no-slip', 'dissipative', 'soft', 'compliant'" in result.output


def test_every_law_has_a_name_here():
    assert {law.value for law in command.Law} == {*LAWS, sf.Compliant.name}


@pytest.mark.parametrize(
    ("words", "title", "sink"),
    [
        (("dissipative",), "links, dissipative, mu 0.7", (0.0, 1000.0)),
        # Landing with 1.4 m/s on a critically damped spring of time constant 20 ms: 1.4 x 20 / e = 10 mm
        (("soft",), "links, soft, mu 0.7", (5_000.0, 20_000.0)),
        # A quarter of 47.1 N on 10 kN/m: at least 1.18 mm
        (("compliant", "--stiffness", 1e4, "--damping", 200), "links, compliant, mu 0.7", (1177.0, 20_000.0)),
        (("no-slip",), "links, no-slip\n", (0.0, 1.0)),
    ],
)
def test_a_fall_under_every_law(run, words, title, sink):
    result = run("drop", "links", "--law", *words, "--duration", 0.6)
    assert result.exit_code == 0, result.output
    assert title in re.sub(" +\n", "\n", result.output)
    rows = _rows(result.output)
    assert re.fullmatch(r"600 solved|\d+ solved, \d regularised", rows["steps"])
    assert sink[0] <= float(rows["deepest penetration"].split()[0]) < sink[1]


def test_the_options_make_the_law():
    law = command.Law
    assert command.contact_law(law.COULOMB, 0.3, None, None) == sf.Coulomb(mu=0.3)
    assert command.contact_law(law.NO_SLIP, 0.3, None, None) == sf.NoSlip()
    assert command.contact_law(law.DISSIPATIVE, 0.3, None, None) == sf.Dissipative(mu=0.3)
    assert command.contact_law(law.SOFT, 0.3, None, None) == sf.Soft(mu=0.3)
    assert command.contact_law(law.COMPLIANT, 0.3, 5e3, None) == sf.Compliant(5e3, mu=0.3)
    assert command.contact_law(law.COMPLIANT, 0.3, 5e3, 7.0) == sf.Compliant(5e3, 7.0, mu=0.3)


def test_a_run_that_stops_early_says_why_after_its_summary(run, monkeypatch):
    """Let the policy give up: any code but 0 ends the roll-out."""

    @sf.policy
    def gives_up(t, q, v, torque_out, memory, params):
        return 1 if t > 0.01 else 0

    monkeypatch.setattr(experiment, "hold_posture", lambda *_: gives_up)
    result = run("drop", "links")
    assert result.exit_code == 1
    assert "touch-down" in result.stdout
    assert result.stderr.startswith("error: stopped at step ")


class _Trace:
    t = (0.0, 0.5, 1.0)
    torque = (None,) * 2000


def test_summary_in_words():
    numbers = dict.fromkeys(Landing.__dataclass_fields__, 0.0)
    found = Landing(**{**numbers, "weight": 47.0, "touch_time": None, "rest_time": None, "peak_force": 94.0})
    result = rollout.Run(_Trace(), seconds=0.1, statuses=(("solved", 1998), ("regularised", 2)))
    rows = dict(command.summary_rows(found, result))
    assert rows["touch-down"] == "never"
    assert rows["at rest after"] == "not within this run; try a longer --duration"
    assert rows["peak force"] == "94 N = 2.0 x weight, at 0.000 s"
    assert rows["steps"] == "1998 solved, 2 regularised"
    assert rows["computed at"] == "20,000 steps/s, 10 x real time"
