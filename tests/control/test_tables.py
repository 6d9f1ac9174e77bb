"""Stages that play tables: joint goals, torques."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import surefoot as sf
from surefoot.control import Pipeline, Timetable, TorqueTable

DT, STEP = 1e-3, 0.02
GOALS = ("joint_position", "joint_velocity", "joint_acceleration")


@pytest.fixture(scope="module")
def arm():
    return sf.load("arm")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.standard_normal((6, 11)), rng.standard_normal((6, 11))


def goals(pipeline, t):
    pipeline(pipeline.robot.home().replace(t=t))
    return [pipeline.value(name).copy() for name in GOALS]


def test_the_goals_are_those_of_scipys_cubic(arm, table):
    position, velocity = table
    pipeline = Pipeline(arm, DT, [Timetable(arm, position, STEP, velocity=velocity, start=0.3)])
    spline = CubicHermiteSpline(0.3 + STEP * np.arange(6), position, velocity)
    for t in np.linspace(0.3, 0.3 + 4.999 * STEP, 77):
        for order, value in enumerate(goals(pipeline, t)):
            np.testing.assert_allclose(value, spline(t, order), rtol=1e-9, atol=1e-9 * STEP**-order)


@pytest.mark.parametrize(("t", "row"), [(-7.0, 0), (0.0, 0), (5 * STEP, 5), (99.0, 5)])
def test_outside_of_the_table_the_joints_rest_at_its_ends(arm, table, t, row):
    position, _ = table
    found = goals(Pipeline(arm, DT, [Timetable(arm, position, STEP)]), t)
    assert np.array_equal(found[0], position[row])
    if t != 0.0:  # where the first row is due, the motion begins
        assert not np.any(found[1:])


def test_velocities_that_are_not_given_are_those_of_a_parabola(arm):
    t = STEP * np.arange(6)
    position = np.outer(1.0 + 2.0 * t - 30.0 * t**2, np.arange(11))
    pipeline = Pipeline(arm, DT, [Timetable(arm, position, STEP)])
    _, speed, acceleration = goals(pipeline, 2.25 * STEP)
    np.testing.assert_allclose(speed, (2.0 - 60.0 * 2.25 * STEP) * np.arange(11), atol=1e-12)
    np.testing.assert_allclose(acceleration, -60.0 * np.arange(11), atol=1e-9)


def test_torques_lie_on_lines_between_rows(arm, table):
    torque, _ = table
    pipeline = Pipeline(arm, DT, [TorqueTable(arm, torque, STEP, start=0.1)])
    times = 0.1 + STEP * np.array([-3.0, 0.0, 0.25, 1.5, 4.75, 5.0, 44.0])
    found = [pipeline(arm.home().replace(t=t)).copy() for t in times]
    wanted = [[np.interp(t, 0.1 + STEP * np.arange(6), torque[:, i]) for i in range(11)] for t in times]
    np.testing.assert_allclose(found, wanted, atol=1e-13)
    assert np.array_equal(found[0], torque[0])
    assert np.array_equal(found[-1], torque[5])


def test_compiled_and_from_python_they_give_the_same_bits(arm, table):
    position, torque = table
    stages = [Timetable(arm, 0.01 * position, STEP), TorqueTable(arm, 0.01 * torque, STEP)]
    pipeline = Pipeline(arm, DT, stages)
    trace = sf.Simulator(arm, DT).rollout(arm.home(), pipeline.policy(), duration=0.05)
    again = Pipeline(arm, DT, stages)
    assert np.array_equal(trace.torque, [again(trace.state(k)) for k in range(50)])


@pytest.mark.parametrize(
    ("kind", "arguments", "text"),
    [
        (Timetable, (np.zeros((1, 11)), 0.1), "position: expected at least 2 rows, got 1"),
        (Timetable, (np.zeros((3, 12)), 0.1), "position: expected shape (any, 11), got (3, 12)"),
        (Timetable, (np.zeros((3, 11)), 0.0), "step: expected a number above 0, got 0"),
        (Timetable, (np.zeros((3, 11)), np.inf), "step: expected a finite number, got inf"),
        (TorqueTable, (np.zeros((1, 11)), 0.1), "torque: expected at least 2 rows, got 1"),
        (TorqueTable, (np.zeros(11), 0.1), "torque: expected shape (any, 11), got (11,)"),
        (TorqueTable, (np.zeros((3, 11)), -1.0), "step: expected a number above 0, got -1"),
    ],
)
def test_bad_tables_are_named(arm, kind, arguments, text):
    with pytest.raises(sf.InputError) as found:
        kind(arm, *arguments)
    assert str(found.value) == text


def test_a_table_must_be_finite_and_of_one_shape(arm):
    rows = np.zeros((3, 11))
    rows[1, 4] = np.nan
    with pytest.raises(sf.InputError, match=r"^position: "):
        Timetable(arm, rows, 0.1)
    with pytest.raises(sf.InputError, match=r"^velocity: expected shape \(3, 11\), got \(4, 11\)$"):
        Timetable(arm, np.zeros((3, 11)), 0.1, velocity=np.zeros((4, 11)))
