import math
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import surefoot as sf
from surefoot.cli import outing, rollout
from surefoot.cli import walk as command
from surefoot.control import Walk
from surefoot.gait import GAITS, Gait
from surefoot.laws import LAWS
from surefoot.report.renderer import find_renderer
from surefoot.report.walking import Walking, walking
from tests.cli.test_cli_drop import _rows
from tests.control.quadruped import files

NAMES = [
    "fell",
    "way",
    "ends",
    "mean speed",
    "joints off by",
    "base",
    "torque",
    "torque changes by",
    "force predicted",
    "steps",
    "computed at",
]


def test_links_trots(run, tmp_path):
    path = tmp_path / "walk.png"
    result = run("walk", "--duration", 2, "--plot", path)
    assert result.exit_code == 0, result.output
    assert "links, plane of mu 0.7, the controller believes in coulomb" in result.output
    rows = _rows(result.output)
    assert list(rows) == NAMES
    assert rows["fell"] == "no"
    assert rows["way"].endswith(" m in 2 s")
    assert float(rows["way"].split()[0]) == pytest.approx(0.35, abs=0.05)
    assert rows["mean speed"].endswith(" m/s forward of 0.175 commanded")
    assert rows["steps"] == "2000 solved"
    with Image.open(path) as image:
        assert min(image.size) > 800


def test_the_same_walk_from_python(run):
    """The table is that of a walk put together by hand."""
    walk = Walk(gait=Gait.named("pace", duty=0.8), forward=0.1, torque_limits=5.0)
    ground = walk.stand_on(sf.Plane(mu=0.6))
    pipeline = walk.pipeline(ground, 1e-3, "dissipative")
    trace = sf.Simulator(ground, 1e-3).rollout(ground.home(), pipeline.policy(), duration=0.5)
    expected = dict(command.summary_rows(walking(trace, pipeline)))
    words = ("--gait", "pace", "--duty", 0.8, "--speed", 0.1, "--torque-limit", 5, "--mu", 0.6, "--law", "dissipative")
    rows = _rows(run("walk", "links", *words, "--duration", 0.5).output)
    assert {name: rows[name] for name in expected} == expected


def test_a_fall_is_told_and_ends_with_an_error(run, tmp_path):
    path = tmp_path / "fall.png"
    result = run("walk", "--terrain", "soft", "--law", "coulomb", "--duration", 1, "--plot", path)
    assert result.exit_code == 1
    rows = _rows(result.stdout)
    assert list(rows) == NAMES
    seconds = rows["fell"].split()[1]
    assert rows["fell"] == f"after {seconds} s; the numbers below are of the time before"
    assert result.stderr == f"error: links fell after {seconds} s\n"
    assert path.exists()


def test_soft_ground_that_the_controller_knows(run):
    result = run("walk", "--terrain", "soft", "--duration", 1)
    assert result.exit_code == 0, result.output
    assert "links, soft of mu 0.7, the controller believes in compliant" in result.output
    assert _rows(result.output)["fell"] == "no"


def test_rough_ground(run):
    result = run("walk", "--terrain", "rough", "--duration", 1)
    assert result.exit_code == 0, result.output
    assert "links, rough of mu 0.1 to 1.5, the controller believes in coulomb" in result.output
    assert _rows(result.output)["fell"] == "no"


def test_a_file_with_a_robot_of_ones_own(run, tmp_path):
    result = run("walk", files(tmp_path), "--duration", 1)
    assert result.exit_code == 0, result.output
    assert "my_robot, plane of mu 0.8, the controller believes in coulomb" in result.output
    assert "of 0.120 commanded" in _rows(result.output)["mean speed"]  # 0.15 m/s after 0.4 s


def test_waypoints(run):
    result = run("walk", "--waypoints", "--duration", 2)
    assert result.exit_code == 0, result.output
    ahead = float(_rows(result.output)["ends"].split()[0])
    assert ahead == pytest.approx(0.25, abs=0.06)  # it turns in place at the second point


def test_options_beat_the_file(tmp_path):
    walk = Walk.from_toml(files(tmp_path))
    same = command.changed(walk, None, {"period": None}, {"forward": None, "mu": None})
    assert (same.gait, same.forward, same.mu) == (walk.gait, 0.15, 0.8)
    other = command.changed(walk, "walk", {"period": 0.5}, {"forward": 0.05, "mu": math.inf})
    assert other.gait == replace(walk.gait, touchdown=GAITS["walk"], period=0.5)
    assert (other.forward, other.mu, other.feet) == (0.05, math.inf, walk.feet)


def test_an_animation_is_drawn(run, tmp_path):
    if find_renderer().backend is None:
        pytest.skip(f"no renderer: {find_renderer()}")
    path = tmp_path / "walk.webp"
    result = run("walk", "--duration", 0.4, "--video", path)
    assert result.exit_code == 0, result.output
    with Image.open(path) as image:
        assert (image.n_frames, image.size) == (11, (640, 480))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("arm",), "robot: 'arm' is bolted down and cannot walk"),
        (("no.toml",), "no.toml: cannot be read: No such file or directory"),
        (("--mu", -1), "Plane.mu: expected a friction coefficient of at least 0 (inf allowed), got -1.0"),
        (("--law", "compliant"), "--law: compliant belongs to --terrain soft, and the ground is rigid"),
        (("--dt", 0), "dt: expected a number above 0, got 0"),
        (("--duration", 0), "duration: expected a number above 0, got 0"),
        (("--speed", "nan"), "forward: expected a finite number, got nan"),
        (("--terrain", "rough", "--speed", "nan"), "forward: expected a finite number, got nan"),
        (
            ("--waypoints", "--left", 0.1),
            "left: expected none beside waypoints, which say where to go, got 0.1",
        ),
        (("--ramp", -1), "ramp: expected a number of at least 0, got -1"),
        (("--duty", 1), "duty[0]: expected a share of the period between 0 and 1, got 1"),
        (("--period", 0), "period: expected a number above 0, got 0"),
        (("--torque-limit", -1), "torque_limits: expected a number of at least 0, got -1"),
        (("--plot", "a.txt"), "--plot: expected a file name ending in .png, .pdf, .svg, .jpg, .webp, got 'a.txt'"),
        (("--video", "a.mp4"), "--video: expected a file name ending in .webp, got 'a.mp4'"),
    ],
)
def test_wrong_options_are_refused_before_any_work(run, words, text, monkeypatch):
    monkeypatch.setattr(rollout, "timed", lambda *_, **__: pytest.fail("it ran"))
    result = run("walk", *words)
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")


def test_every_gait_and_law_has_a_name_here():
    assert [gait.value for gait in command.GaitName] == list(GAITS)
    assert {law.value for law in command.Belief} == {*LAWS, sf.Compliant.name} - {"soft"}


def test_the_ground():
    assert outing.terrain("plane", None, 2.0) == sf.Plane(mu=0.7)
    assert outing.terrain("soft", 0.3, 2.0) == sf.Plane(mu=0.3)
    # within 1.5 m it is the paper's
    assert outing.terrain("rough", None, 1.0) == sf.HeightMap(mu=(0.1, 1.5))
    assert outing.farthest(Walk(forward=0.3, left=-0.4), 4.0) == pytest.approx(2.0)
    assert outing.farthest(Walk(waypoints=outing.WAYPOINTS), 30.0) == 0.25
    assert outing.terrain("rough", 0.4, 2.0) == sf.HeightMap(size=(5.0, 5.0), hills=2778, mu=0.4)


def test_soft_ground_gives_way_by_a_millimetre():
    ground = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.7))
    law = outing.plant_law("soft", ground)
    controller, rest = sf.InverseDynamics(ground, 1e-3, law), np.zeros(12)
    trace = sf.Simulator(ground, 1e-3, law).rollout(ground.home(), lambda state: controller(state, rest), duration=0.5)
    assert trace.contact_gaps[trace.contacts_of(499)].mean() == pytest.approx(-1e-3, rel=0.02)


def test_summary_in_words():
    numbers: dict = dict.fromkeys(Walking.__dataclass_fields__, 0.0)
    found = Walking(
        **{
            **numbers,
            "fell": 1.5,
            "distance": 0.25,
            "seconds": 1.5,
            "end": (0.2, -0.1, math.pi / 2),
            "velocity": (0.2, 0.0, -0.1),
            "command": (0.25, 0.0, -0.2),
            "height": (0.1, 0.2),
            "lean": math.pi / 4,
            "force_error": 4.7,
            "force_share": 0.1,
        }
    )
    rows = dict(command.summary_rows(found))
    assert rows["fell"] == "after 1.500 s; the numbers below are of the time before"
    assert rows["ends"] == "0.200 m ahead, -0.100 m to the left, turned by 90.0 degrees"
    assert rows["mean speed"] == "0.200 m/s forward of 0.250 commanded\n-0.100 rad/s turning of -0.200 commanded"
    assert rows["base"] == "100.0 to 200.0 mm high, leans by 45.00 degrees at most"
    assert rows["force predicted"] == "to 4.7 N = 10 % in the mean"
    assert dict(command.summary_rows(replace(found, command=(0, 0, 0))))["mean speed"] == "nothing commanded"
