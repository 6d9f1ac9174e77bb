"""Bundled studies, and those of bundled quadrupeds."""

import pytest

import surefoot as sf
from surefoot.design.studies import bundled, of_legs, study
from surefoot.errors import InputError


def test_bundled_studies_are_those_of_the_dissertation():
    """[Zapolsky2017]: figures 38 and 44, tables 6 and 8."""
    studies = bundled()
    assert list(studies) == ["printed", "reconfigurable-small", "reconfigurable-large"]
    assert [one.speed for one in studies.values()] == [0.5, 0.4, 0.4]
    printed = studies["printed"].problem().morphology
    assert len(printed.parameters) == 19
    assert set(printed.torque) == {1.1}
    assert set(printed.speed) == {6.55}
    large = studies["reconfigurable-large"]
    assert large.problem().morphology.torque.tolist().count(2.6) == 10
    assert (large.task.length, large.task.width, large.task.height) == (0.30, 0.20, 0.15)


@pytest.mark.parametrize("name", ["reconfigurable-small", "reconfigurable-large"])
def test_reconfigurable_starts_fail_below_10_cm_a_second(name):
    problem = bundled()[name].problem()
    for speed in (0.02, 0.1):
        assert problem.look(problem.morphology.start, speed).worst < 0.0


def test_speeds_rise_to_the_one_asked_for():
    one = bundled()["printed"]
    assert one.difficulties() == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert one.difficulties(0.25) == [0.1, 0.2, 0.25]
    assert one.difficulties(0.05) == [0.05]


def test_any_bundled_quadruped_has_a_study():
    """Left and right stay the same to the bit, front and hind may differ."""
    found = study("links-light", speed=0.3)
    assert found.difficulties() == [0.1, 0.2, 0.3]
    values = found.problem().morphology.values(found.problem().morphology.start)
    assert values["robot.lf.shank.length"] == values["robot.rf.shank.length"]
    assert len(found.parameters) == 11


def test_of_legs():
    front, hind = of_legs("thigh length", "thigh.length", 0.1, 0.2, weight=2.0)
    assert (front.name, hind.name, front.weight) == ("front thigh length", "hind thigh length", 2.0)
    assert hind.targets == ("robot.lh.thigh.length", "robot.rh.thigh.length")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "speed"), [("printed", 0.5), ("reconfigurable-small", 0.4)])
def test_a_start_that_fails_becomes_a_robot_that_trots(name, speed):
    """Within 100 updates and its bounds; under PD in the simulator the start does not trot, the improved one does."""
    one = bundled()[name]
    problem = one.problem()
    found = sf.design.improve(problem, one.difficulties(), margin=one.margin)
    assert found.reached
    assert found.difficulty == speed
    assert found.updates <= 100
    assert found.margin >= one.margin
    for step in found.steps:
        for parameter in problem.morphology.parameters:
            assert parameter.low <= step.before[parameter.name] <= parameter.high
    before, after = sf.design.prove_both(found)
    assert not before.trots
    assert after.trots


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: study("ur10"), "robot: expected one of 'printed', 'reconfigurable-small', 'reconfigurable-large', "),
        (lambda: study("printed", gait="walk"), "gait: study 'printed' trots; expected 'trot', got 'walk'"),
        (lambda: study("links", gait="hop"), "gait: expected one of 'trot', 'walk', 'pace', 'bound', got 'hop'"),
        (lambda: study("links", share=0.0), "share: expected a number above 0, got 0"),
        (lambda: bundled()["printed"].difficulties(-1.0), "speed: expected a number above 0, got -1"),
    ],
)
def test_errors(call, text):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(text)
