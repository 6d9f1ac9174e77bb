import pytest
from PIL import Image

import surefoot as sf
from surefoot.cli import balance as command
from surefoot.cli import poise
from surefoot.report.balancing import balancing
from surefoot.report.renderer import find_renderer
from surefoot.whole_body.push_recovery import LargestPush
from tests.cli.test_cli_drop import _rows

NAMES = [
    "fell",
    "centre of mass off by",
    "base leans by",
    "torque",
    "slipped",
    "the law disagreed",
    "programs",
    "steps",
    "computed at",
]


def test_links_squats(run, tmp_path):
    path = tmp_path / "balance.png"
    result = run("balance", "--motion", "squat", "--duration", 1.5, "--plot", path)
    assert result.exit_code == 0, result.output
    assert "links, squat, ground of mu 0.7, rigid contact" in result.output
    rows = _rows(result.output)
    assert list(rows) == NAMES
    assert rows["fell"] == "no"
    assert float(rows["centre of mass off by"].split()[0]) < 0.2
    assert rows["slipped"] == "no foot by more than 1 mm"
    assert rows["the law disagreed"] == "never"
    assert rows["programs"] == rows["steps"] == "1500 solved"
    with Image.open(path) as image:
        assert min(image.size) > 700


def test_the_same_from_python(run):
    scene = poise.stand_on("links", 0.6)
    options = {"torque_limits": 5.0, "check": "trust", "mu": 0.5}
    pipeline = sf.whole_body.balancer(scene, poise.moves(scene, "shift", 0.5, 0.5), poise.DT, **options)
    trace = sf.MujocoPlant(scene, 1e-3).rollout(scene.home(), pipeline.policy(), duration=0.5)
    expected = dict(command.summary_rows(balancing(trace, pipeline)))
    words = ("--plant", "mujoco", "--mu", 0.6, "--believed-mu", 0.5, "--torque-limit", 5, "--check", "trust")
    result = run("balance", "links", "--motion", "shift", "--duration", 0.5, *words)
    rows = _rows(result.output)
    assert {name: rows[name] for name in expected} == expected
    assert rows["the law disagreed"] == "nobody asked it"
    assert "MuJoCo's contact" in result.output


def test_pushes_are_told(run, monkeypatch):
    found = {name: LargestPush(1.5, 1.55, 7) for name in ("forward", "backward", "left", "right")}
    monkeypatch.setattr(poise, "hardest", lambda plant, policy, tell: found)
    monkeypatch.setattr(poise, "PUSHED", 0.6)
    result = run("balance", "links", "--motion", "push")
    assert result.exit_code == 0, result.output
    rows = _rows(result.output)
    assert rows["survives a push"].startswith("forward 1.5 N s (1.55 fells it) backward 1.5 N s")
    assert command.push_rows({"left": LargestPush(9.0, float("inf"), 3)}) == [
        ("survives a push", "left 9 N s and more")
    ]


def test_a_fall_ends_with_code_1(run):
    words = ("--motion", "shift", "--mu", 0.05, "--believed-mu", 0.7, "--duration", 3)
    result = run("balance", "links", *words)
    assert result.exit_code == 1
    rows = _rows(result.output)
    assert rows["fell"].endswith("the numbers below are of the time before")
    assert "a foot first slipped at" in rows["the law disagreed"]
    assert result.stderr.startswith("error: links fell after ")


def test_every_motion_has_its_moves(links):
    scene = poise.stand_on("links", 0.7)
    seconds = {motion: poise.moves(scene, motion, 2.0).duration for motion in command.Motion}
    assert seconds["stand"] == seconds["push"] == pytest.approx(2.0)
    assert seconds["squat"] == seconds["shift"] == pytest.approx(2.0)
    assert seconds["all"] == pytest.approx(2.0 + seconds["lift"])


def test_a_video(run, tmp_path):
    if find_renderer() is None:
        pytest.skip("no renderer")
    path = tmp_path / "stand.webp"
    result = run("balance", "--motion", "stand", "--duration", 0.2, "--video", path)
    assert result.exit_code == 0, result.output
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("arm",), "error: robot: 'arm' is bolted down and cannot fall"),
        (("links", "--duration", -1), "error: duration: expected a number above 0, got -1"),
        (("links", "--mu", -1), "error: mu: expected a friction coefficient of at least 0 (inf allowed), got -1.0"),
        (("links", "--plot", "x.txt"), "error: --plot: expected a file name ending in"),
    ],
)
def test_what_is_refused(run, words, text):
    result = run("balance", *words)
    assert result.exit_code == 1
    assert result.stderr.startswith(text)
