"""Experiments of [Zapolsky2015]: what they claim holds in a quick run."""

import math

import numpy as np
import pytest

from surefoot.cli import reproduce as command


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Quick runs by name, each made once."""
    made = {}

    def run(name):
        if name not in made:
            told = []
            folder = tmp_path_factory.mktemp(name)
            experiment = command.load(command.experiments()[name])
            found = experiment.reproduce(folder, quick=True, progress=lambda *now: told.append(now))
            assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))
            made[name] = experiment, found
        return made[name]

    return run


@pytest.mark.parametrize("name", ["000-figure-18", "000-figure-19", "000-section-3-2"])
def test_every_line_has_the_same_columns_and_the_figure_is_there(quick, name):
    _, found = quick(name)
    assert len({tuple(row) for row in found.rows}) == 1
    assert found.figure.name == f"{name}.png"
    assert found.figure.stat().st_size > 30_000


# --- figure 18: grasp ---------------------------------------------------------------------------------------------


def _grasps(found):
    return {(row["friction"], row["controller"]): row for row in found.rows}


def test_predicted_forces_track_far_better_than_pid(quick):
    rows = _grasps(quick("000-figure-18")[1])
    pid, predicted = (float(rows["inf", name]["error, rad"]) for name in ("PID", "ID(t_i) QP mu"))
    assert 0.05 < pid < 0.15  # .1005 in the paper's files
    assert predicted < 1e-3


def test_friction_of_1_drops_the_box_and_the_error_stays_small(quick):
    rows = _grasps(quick("000-figure-18")[1])
    for name in ("PID", "ID(t_i) QP mu", "ID(t_i-1)"):
        assert float(rows["1", name]["held for, s"]) < 0.4
    assert rows["inf", "ID(t_i) QP mu"]["held for, s"] == "all the time"
    assert float(rows["1", "ID(t_i) QP mu"]["error, rad"]) < 0.02
    assert float(rows["1", "PID"]["error, rad"]) > 0.04


def test_sensed_forces_run_away_where_fingers_are_told_to_stand(quick):
    rows = _grasps(quick("000-figure-18")[1])
    assert float(rows["inf", "ID(t_i-1), fingers still"]["largest torque, N m"]) > 100.0
    assert float(rows["inf", "ID(t_i-1)"]["largest torque, N m"]) < 5.0


def test_the_grip_cannot_hold_the_box_at_rest_at_friction_1(quick):
    """By hand: a quarter of the weight down, and its moment about the tips over four levers of 0.02 m."""
    experiment, _ = quick("000-figure-18")
    need, per_spring = experiment._needed()
    weight = 6000 * 0.05071**3 * 9.81
    lever = 0.31 - 0.25 - 0.05 / math.sqrt(2)
    assert need == pytest.approx(math.hypot(weight / 4, weight * lever / 0.08))
    assert 10.0 * per_spring < need < 12.0 * per_spring


def test_a_grasp_repeats_bit_for_bit(quick):
    experiment, _ = quick("000-figure-18")
    first, second = (experiment.run("ID(t_i) QP mu", 1.0, 0.05) for _ in range(2))
    assert np.array_equal(first.error, second.error)
    assert np.array_equal(first.torque, second.torque)
    assert first.press.shape == (50, 4)
    assert first.unsolved == 0
    assert first.held == math.inf


def test_fingers_press_as_their_spring_says(quick):
    """Nothing slips at infinite friction: 10 N m/rad and 0.01 rad over the lever of a tip, but for inertia."""
    experiment, _ = quick("000-figure-18")
    run = experiment.run("ID(t_i) QP mu", math.inf, 0.02)
    assert run.press.mean(axis=1) == pytest.approx(0.1 / (0.05 * math.sqrt(0.5)), rel=0.1)


# --- figure 19: times ---------------------------------------------------------------------------------------------


def test_coulombs_law_grows_far_less_with_contacts_than_the_papers(quick):
    rows = {(row["ID(t_i)"], row["contacts"]): row for row in quick("000-figure-19")[1].rows}
    assert len(rows) == 12
    for row in rows.values():
        assert 0.0 < float(row["p50, ms"]) <= float(row["p95, ms"])
        assert row["unsolved"] == "0"
    many = rows["LCP mu", "31-40"]
    assert float(many["p50, ms"]) < 1.0
    assert float(many["times the first"]) < 0.2 * float(many["paper's times"])
    assert (many["paper's p50"], many["paper's p95"], many["paper's times"]) == ("50", "70", "116.3")


# --- section 3.2: early and late ----------------------------------------------------------------------------------


def _landings(found):
    return {row["contact assumed"]: row for row in found.rows}


def test_a_contact_by_its_distance_is_predicted_exactly(quick):
    row = _landings(quick("000-section-3-2")[1])["by its distance"]
    assert float(row["load error, N"]) == 0.0
    assert float(row["joint error, mrad"]) == 0.0
    assert float(row["sinks, mm"]) == 0.0


@pytest.mark.parametrize("what", ["load error, N", "force on the foot, N", "torque, N m", "joint error, mrad"])
def test_the_earlier_a_contact_is_assumed_the_worse(quick, what):
    rows = _landings(quick("000-section-3-2")[1])
    values = [float(rows[f"{k} ms early"][what]) for k in (2, 4, 6, 8, 10)]
    assert values == sorted(values)
    assert values[0] > 2 * float(rows["by its distance"][what])


def test_an_early_contact_pitches_the_robot_forward(quick):
    back, forward = _landings(quick("000-section-3-2")[1])["4 ms early"]["pitch, degrees"].split(" to ")
    assert float(back) < 0.0 < 0.5 < float(forward)


def test_the_later_a_contact_is_assumed_the_more_it_sinks(quick):
    rows = _landings(quick("000-section-3-2")[1])
    late = [rows[f"{k} ms late"] for k in (2, 4, 6, 8, 10)]
    for what in ("joint error, mrad", "sinks, mm"):
        values = [float(row[what]) for row in late]
        assert values == sorted(values)
        assert values[0] > 0.0
    on_time = rows["by its distance"]
    assert all(float(row["torque, N m"]) > 1.5 * float(on_time["torque, N m"]) for row in late)
    assert all(float(row["force on the foot, N"]) < 2 * float(on_time["force on the foot, N"]) for row in late)


def test_the_foot_touches_when_the_plan_says(quick):
    experiment, _ = quick("000-section-3-2")
    landing = experiment.Step().land(0)
    assert np.flatnonzero(landing.foot > 0.0)[0] in (experiment.TOUCHDOWN - 1, experiment.TOUCHDOWN)
    assert landing.felt[: experiment.TOUCHDOWN - 1] == pytest.approx(landing.predicted[: experiment.TOUCHDOWN - 1])
