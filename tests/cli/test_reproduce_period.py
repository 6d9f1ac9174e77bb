"""`surefoot reproduce 004-figure-24`, `-25` and `-27`: a quadruped walks with short and with long gait periods."""

from types import SimpleNamespace

import numpy as np
import pytest

from surefoot.cli import reproduce as command

NAMES = ("004-figure-24", "004-figure-25", "004-figure-27")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Quick runs by name, each made once."""
    made = {}

    def run(name):
        if name not in made:
            told = []
            experiment = command.load(command.experiments()[name])
            folder = tmp_path_factory.mktemp(name)
            made[name] = experiment.reproduce(folder, quick=True, progress=lambda *now: told.append(now))
            assert told == sorted(told)
            assert told[-1][0] == told[-1][1]
        return made[name]

    return run


@pytest.fixture(scope="module")
def study():
    """What the experiments share."""
    return command.load(command.experiments()["004-figure-24"].with_name("period_study.py"))


def _walks(study, period, time, success, q=None):
    """Walks of 20 s made up: times of their end, who is upright, and configurations."""
    success = np.array(success)
    group = SimpleNamespace(success=success, answered=np.isfinite(time), time=np.array(time))
    t = [np.linspace(0.0, end, 201) for end in np.nan_to_num(time)]
    return study.Walks(SimpleNamespace(group=group, policy=f"{period} s"), period, 20.0, t, q or [])


@pytest.mark.parametrize("name", NAMES)
def test_every_period_has_a_line_and_the_figure_is_there(quick, name):
    found = quick(name)
    assert [row["period"] for row in found.rows] == ["0.6 s", "1.5 s"]
    assert len({tuple(row) for row in found.rows}) == 1
    assert found.figure.name == f"{name}.png"
    assert found.figure.stat().st_size > 10_000
    assert found.notes[-1].startswith("2 particles (the paper: four), the same for all periods, 2 s each.")
    assert (
        "steps are 3.5 cm high (3 cm), chosen after 3 cm were tried, with which fewer fall; this robot of 3.8 kg"
        in found.notes[-1]
    )


def test_short_periods_stay_up_and_long_ones_fall_within_two_seconds(quick):
    short, long = quick("004-figure-24").rows
    assert (short["upright at the end"][:6], long["upright at the end"][:6]) == ("2 of 2", "0 of 2")
    assert (short["walked, s"], short["median time of a fall, s"]) == ("2.0 +- 0.0", "-")
    assert 1.0 < float(long["first fall, s"]) <= float(long["median time of a fall, s"]) < 2.0
    assert short["with steps of 3 cm"] == "2 of 2"
    assert (short["the paper"], long["the paper"]) == ("none falls", "falls")
    assert "Here some fall with: 1.5 s; with steps of 3 cm with: " in quick("004-figure-24").notes[1]


def test_long_periods_roll_more_even_before_the_fall(quick):
    short, long = quick("004-figure-25").rows
    assert float(long["rms roll, degrees"]) > 2.0 * float(short["rms roll, degrees"])
    assert float(long["before a fall"]) < float(long["rms roll, degrees"])
    assert short["before a fall"] == short["rms roll, degrees"]


def test_only_those_upright_have_a_spread(quick):
    short, long = quick("004-figure-27").rows
    assert (short["upright"], long["upright"], long["region, cm"]) == ("2", "0", "-")
    assert 0.1 < float(short["their way, m"]) < 0.5  # 0.2 m/s for 2 s at most
    assert short["final states"] == "too few to tell"


def test_walks_without_an_answer_do_not_count(study):
    mine = _walks(study, 1.1, [20.0, 5.0, np.nan], [True, False, False])
    assert mine.fell.tolist() == [False, True, False]
    assert mine.lasted.tolist() == [20.0, 5.0]


def test_roll_is_about_the_bases_own_x_axis(study):
    angle = np.radians(np.linspace(-60.0, 60.0, 201))
    q = np.zeros((201, 19))
    q[:, 3], q[:, 4] = np.cos(angle / 2), np.sin(angle / 2)
    np.testing.assert_allclose(_walks(study, 0.6, [20.0], [True], [q]).roll(0), np.degrees(angle), atol=1e-9)


def test_the_second_before_a_fall_is_no_walking(study):
    figure = command.load(command.experiments()["004-figure-25"])
    q = np.zeros((201, 19))
    q[:, 3] = 1.0
    assert len(figure._walking(_walks(study, 1.5, [4.0], [False], [q]), 0)) == 150  # of a step of 20 ms, until 3 s
    assert len(figure._walking(_walks(study, 1.5, [20.0], [True], [q]), 0)) == 201


def test_up_and_fallen_are_two_clouds(study):
    figure = command.load(command.experiments()["004-figure-27"])
    generator = np.random.default_rng(0)
    fell = np.arange(24) % 2 == 0
    x, y, pitch = generator.normal(0.0, 0.05, (3, 24))
    final = {"x": x, "y": y, "pitch": pitch, "roll": np.where(fell, np.pi / 2, 0.0) * (-1) ** np.arange(24)}
    mine = _walks(study, 1.1, np.where(fell, 5.0, 20.0), ~fell)
    mine.finding.group.final = final
    states = figure._states(mine)
    np.testing.assert_allclose(states[fell, 2], np.pi / 2, atol=1e-9)  # to the left as to the right
    assert figure.scatter(states).word == "bifurcates"
    mine.finding.group.final = {**final, "roll": np.zeros(24)}
    assert figure.scatter(figure._states(mine)).word == "scatters"
