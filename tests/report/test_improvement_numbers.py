"""Numbers of an improvement: which steps stay, who asked for what, how much of the task each design does."""

import numpy as np
import pytest

from surefoot.design import GaitTask, Parameter
from surefoot.gait import Gait
from surefoot.report.improvement_numbers import (
    UNASKED,
    clouds,
    final_difficulty,
    forced,
    how_hard,
    kept,
    progress,
    unit_of,
)
from tests.design.small import resting
from tests.report.designs import by_hand, improved, problem, step

START = problem().morphology.start
A, B = np.array([0.01, 0.0, 0.0]), np.array([0.0, -0.02, 0.005])
LF, RH = "torque-speed LF_Y2", "reach RH_FOOT"


@pytest.mark.parametrize(
    ("target", "bounds", "more", "unit", "text"),
    [
        ("robot.lf.thigh.length", (0.05, 0.2), {}, "mm", "123.4"),
        ("robot.base.size.0", (0.05, 0.2), {}, "mm", "123.4"),
        ("robot.lower.place.0", (0.05, 0.2), {}, "mm", "123.4"),
        ("robot.lf.shank.mass", (0.05, 0.2), {}, "g", "123.4"),
        ("robot.elbow.tare", (-1.0, 1.0), {}, "°", "7.1"),
        ("robot.lower.length", (0.5, 2.0), {}, "%", "12.3"),
        ("robot.lf.thigh.length", (0.5, 2.0), {"factor": True}, "%", "12.3"),
        ("robot.lf.x1.damping", (0.0, 1.0), {}, "", "0.1234"),
    ],
)
def test_units_are_those_that_people_read(target, bounds, more, unit, text):
    found = unit_of(Parameter("it", target, *bounds, **more))
    assert (found.name, found.text(0.1234)) == (unit, text)


def test_signs_are_true_ones_and_zero_has_none():
    unit = unit_of(Parameter("it", "robot.lf.thigh.length", 0.05, 0.2))
    assert [unit.text(x, signed=True) for x in (0.0123, -0.0123, 0.0, -1e-9)] == ["+12.3", "\u221212.3", "0.0", "0.0"]


def test_difficulties_are_said_in_the_words_of_the_task():
    assert how_hard(GaitTask(Gait.named("trot")), 0.4) == "0.4 m/s"
    assert how_hard(resting(), 2.0) == "2 times the speed"
    assert how_hard(object(), 2.0) == "difficulty 2"


def test_witnesses_are_charged_with_what_they_asked_for():
    steps = [
        step(1, START, A, because=(LF, LF, LF)),
        step(2, START + A, B, because=(LF, RH)),
        step(0, START + A + B, worst=0.1),
        step(3, START + A + B, -A, because=(RH,), difficulty=0.2),
    ]
    found = forced(by_hand(steps, START + B))
    names = problem().morphology.names
    assert found == {
        LF: {names[0]: pytest.approx(0.01)},
        RH: {names[1]: pytest.approx(0.02), names[0]: pytest.approx(0.01)},
        UNASKED: {names[2]: pytest.approx(0.005)},
    }
    assert next(iter(found)) == RH  # asked for most


def test_leaps_are_called_so():
    found = forced(by_hand([step(1, START, A, answers=("leap",))], START + A))
    assert list(found) == [f"{LF} (leap)"]


def test_what_was_taken_back_undone_or_made_after_the_end_is_not_kept():
    first, worse = step(1, START, A, because=(LF,)), step(2, START + A, accepted=False)
    second = step(3, START + A, B, because=(RH, RH, RH))
    undone = step(4, START + A + B, answers=("undo",), accepted=False)
    assert kept(by_hand([first, worse, second, undone], START + A)) == [first]
    assert kept(by_hand([first, worse, second], START + A)) == [first]
    assert kept(by_hand([first, worse, second], START + A + B)) == [first, second]
    assert kept(by_hand([first, undone], START)) == []


def test_progress_is_what_looks_say():
    found = improved(updates=2, speeds=(0.1, 0.2))
    seen = progress(found)
    assert seen.share.shape == (2, found.updates + 1)
    assert np.isfinite(seen.share).all()
    for column, p in ((0, found.start), (-1, found.p)):
        for row, level in enumerate(seen.levels):
            assert seen.share[row, column] == found.problem.look(p, level).progress
    assert seen.worst[0] == found.problem.look(found.start, 0.1).worst
    assert progress(found, everywhere=False).share.shape == seen.share.shape


def test_progress_follows_undo_and_other_motors():
    answers = ["accept", "undo", 'motor "*" MX-64', "accept"]
    found = improved(answers, updates=3)
    assert [step.motors for step in found.steps if step.motors] == [{"*": "MX-64"}]
    seen = progress(found)
    for row, level in enumerate(seen.levels):
        assert seen.share[row, 0] == problem().look(found.start, level).progress
        assert seen.share[row, -1] == found.problem.look(found.p, level).progress
    assert kept(found)[0].motors == {"*": "MX-64"}


def test_nothing_done_has_numbers_too():
    found = by_hand([], reached=False)
    assert final_difficulty(found) == 0.2
    assert progress(found).share.shape == (1, 1)
    assert forced(found) == {}


def test_clouds_hold_every_sample_or_say_what_is_hidden():
    made = problem()
    rehearsal = made.rehearse(made.morphology.start, 0.2)
    (name, cloud), *others = clouds(made, rehearsal).items()
    assert (name, others, cloud.joints) == ("hobby servo", [], rehearsal.scene.joints)
    known = np.isfinite(rehearsal.torque)
    assert cloud.speed.shape == cloud.torque.shape == (known.sum(),)
    assert cloud.hidden == 1.0 - known.all(axis=1).mean()
    used = np.abs(cloud.torque) / 1.1 + np.abs(cloud.speed) / 6.55
    assert cloud.beyond == np.mean(used > 1.0)
    values = made.look(made.morphology.start, 0.2).values
    assert (cloud.beyond > 0.0) == bool((values[:, 5:17] < 0.0).any())
