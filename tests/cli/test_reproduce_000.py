"""Experiments of [Zapolsky2015]: what they claim holds in a quick run."""

import math
import sys

import mujoco
import numpy as np
import pytest

import surefoot as sf
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


@pytest.mark.parametrize(
    "name",
    ["000-figure-16", "000-figure-17", "000-figure-18", "000-figure-19", "000-section-3-2", "000-table-6"],
)
def test_every_line_has_the_same_columns_and_the_figure_is_there(quick, name):
    _, found = quick(name)
    assert len({tuple(row) for row in found.rows}) == 1
    assert found.figure.name == f"{name}.png"
    assert found.figure.stat().st_size > 30_000


# --- figure 16: rough ground --------------------------------------------------------------------------------------


def _quadruped(quick):
    """What the walking experiments share."""
    quick("000-figure-16")
    return sys.modules["surefoot_experiments.quadruped"]


def test_on_rough_ground_predicted_forces_track_best_and_pid_worst(quick):
    rows = {row["controller"]: row for row in quick("000-figure-16")[1].rows}
    error = {name: float(row["error, mrad"]) for name, row in rows.items()}
    assert max(error["ID(t) QP, mu"], error["ID(t) LCP, mu"]) < 0.5 * error["PID"]
    assert max(error["ID(t-1)"], error["ID(t-2)"]) < 0.81 * error["PID"]  # the paper's gain of ID(t) is 19 %
    assert rows["ID(t) QP, mu"]["fell"] == rows["ID(t) LCP, mu"]["fell"] == "0 of 1"


def test_a_sensor_feels_the_force_of_contact(quick, monkeypatch):
    """The simulator's own contact force is the oracle."""
    walk, sensor = _quadruped(quick).walk, _quadruped(quick).Sensed
    feel, felt = sensor.felt, []
    monkeypatch.setattr(sensor, "felt", lambda self, *last: felt.append(feel(self, *last)) or felt[-1])
    trace = walk("rigid, mu 0.1", "ID(t-1)", 0.05).trace
    plant = sf.Simulator(trace.scene, trace.dt, sf.Coulomb())
    true = [plant.solve(trace.state(k), trace.torque[k]).contact_force for k in range(49)]
    assert np.abs(np.array(felt[:49]) - true).max() < 1e-9


def test_the_error_over_time_has_the_mean_that_is_told(quick):
    walked = _quadruped(quick).walk("rough", "PID", 0.1)
    assert walked.joint_error().shape == (100,)
    assert walked.joint_error().mean() == pytest.approx(walked.numbers.position_error, rel=1e-12)


def test_another_seed_is_other_ground_and_the_same_seed_the_same(quick):
    walk = _quadruped(quick).walk
    first, again, other = (walk("rough", "PID", 0.1, seed=seed).trace.q for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# --- figure 17: waypoints -----------------------------------------------------------------------------------------


def _ways(found):
    return {(row["steers"], row["friction"], row["controller"]): row for row in found.rows}


@pytest.mark.parametrize("friction", ["high", "low"])
def test_predicted_forces_keep_to_the_line_and_pid_runs_past_its_end(quick, friction):
    """The first line is straight ahead; the next begins 30 mm before its end."""
    rows = _ways(quick("000-figure-17")[1])
    pid, predicted = (rows["car", friction, name] for name in ("PID", "ID(t) QP, mu"))
    assert float(predicted["off the line, mm"]) < 3.0 < float(pid["off the line, mm"])
    assert float(predicted["at most"]) < 30.0
    assert predicted["waypoints"] == "1"


def test_waypoints_are_counted_as_the_robot_does(quick):
    experiment, _ = quick("000-figure-17")
    walked = _quadruped(quick).walk("rigid, mu inf", "PID", 4.0, steering="holonomic")
    counted = experiment.next_points(walked.trace.q[:-1, :2])
    told = walked.pipeline.replay(walked.trace, "waypoints_next")["waypoints_next"].ravel()
    assert np.array_equal(counted, told)
    assert counted[-1] > 2


def test_distance_to_a_line_and_beyond_its_ends(quick):
    experiment, _ = quick("000-figure-17")
    place = np.array([[0.1, 0.02], [-0.03, 0.04], [0.28, -0.04], [0.2, 0.0]])
    start, end = np.zeros((4, 2)), np.tile([0.25, 0.0], (4, 1))
    assert experiment.distance(place, start, end) == pytest.approx([0.02, 0.05, 0.05, 0.0])


def test_the_centre_of_mass_is_the_mean_of_the_bodies(quick):
    """By hand from MuJoCo's masses and places of the bodies, in the last state."""
    walked = _quadruped(quick).walk("rigid, mu 0.1", "PID", 0.05)
    model = walked.trace.scene.model
    data = mujoco.MjData(model)
    data.qpos[:] = walked.trace.q[-1]
    mujoco.mj_kinematics(model, data)
    centre = model.body_mass @ data.xipos[:, :2] / model.body_mass.sum()
    assert walked.centre().shape == (51, 2)
    assert walked.centre()[-1] == pytest.approx(centre, abs=1e-12)


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


# --- table 6: who passes which task -------------------------------------------------------------------------------


def _tasks(found):
    return {(row["task"], row["controller"]): row for row in found.rows}


def test_six_tasks_by_four_controllers_and_one_with_stage_ii(quick):
    experiment, found = quick("000-table-6")
    assert list(_tasks(found)) == [(task, name) for task in experiment.TASKS for name in experiment.CONTROLLERS]
    assert (len(experiment.TASKS), len(experiment.CONTROLLERS)) == (6, 5)


def test_verdicts_are_the_papers_but_for_chatter_of_coulombs_lcp(quick):
    rows = _tasks(quick("000-table-6")[1])
    for (task, name), row in rows.items():
        trusts = name.startswith("no-slip") and task.endswith("low friction")  # in friction that is not there
        assert row["ours"][:4] == ("FAIL" if trusts else "PASS"), (task, name)
        chatters = name == "Coulomb LCP" and not task.startswith("two-footed")
        assert row["the paper"][:4] == ("" if "stage II" in name else "FAIL" if trusts or chatters else "PASS")
    assert sum("best" in row["the paper"] for row in rows.values()) == 6
    assert rows["grasp, low friction", "no-slip LCP"]["ours"] == "FAIL (drops at 0.13 s)"
    assert rows["walk on 2 to 4 feet, low friction", "no-slip QP"]["ours"] == "FAIL (torque chatter)"


def test_a_verdict_is_what_the_numbers_say(quick):
    experiment, found = quick("000-table-6")
    for row in found.rows:
        if "drops" not in row["ours"]:
            assert (float(row["torque change, N m"]) > experiment.CHATTER) == row["ours"].startswith("FAIL")
    forces = experiment.Marks(0.0, 0.0, 0.0, 0.0)
    fallen = experiment.Cell(1.5, 9.0, 0.0, forces, 0.0, "falls")
    assert fallen.verdict == "FAIL (falls at 1.50 s)"
    for chatter, verdict in ((0.5, "PASS"), (0.51, "FAIL (torque chatter)")):
        assert experiment.Cell(math.inf, chatter, 0.0, forces, 0.0, "falls").verdict == verdict


def test_no_slip_on_low_friction_predicts_excessive_forces(quick):
    rows = _tasks(quick("000-table-6")[1])
    for task in ("two-footed gait", "walk on 2 to 4 feet", "grasp"):
        wrong, right = (rows[f"{task}, low friction", name] for name in ("no-slip LCP", "Coulomb LCP"))
        assert float(wrong["large force, N"]) > 1.5 * float(right["large force, N"])
        assert float(wrong["joint error, mrad"]) > 10 * float(right["joint error, mrad"])


def test_stage_ii_evens_the_forces_of_coulombs_law_in_a_grasp(quick):
    rows = _tasks(quick("000-table-6")[1])
    first, even = (rows["grasp, high friction", f"Coulomb LCP{more}"] for more in ("", ", stage II"))
    assert float(first["large force, N"]) > 3 * float(even["large force, N"])
    assert float(first["torque change, N m"]) == pytest.approx(float(even["torque change, N m"]), abs=2e-4)


def test_a_standing_quadruped_chatters_by_lemkes_method_and_not_with_stage_ii(quick):
    experiment, _ = quick("000-table-6")
    changes = experiment.indeterminate(0, 20)
    assert changes["Lemke"] > 0.05
    assert changes["stage II"] < 1e-9
    assert changes == experiment.indeterminate(0, 20)


def test_marks_of_known_forces(quick):
    """Two feet that swap 3 N and 1 N in every second step, beside one that bears nothing."""
    experiment, _ = quick("000-table-6")
    forces = np.zeros((101, 3, 3))
    forces[:, 0, 2], forces[:, 1, 2] = 3.0, 1.0
    forces[1::4, :2, 2] = forces[2::4, :2, 2] = 1.0, 3.0
    found = experiment.marks(forces)
    assert found.mean_change == pytest.approx(0.5 * 4.0 / 3)
    assert found.share == 0.75
    assert found.large == 3.0
    assert found.change == pytest.approx(0.5 * 4.0 / 3, abs=0.67)
    alone = experiment.marks(forces[:, 2:])
    assert (alone.change, alone.large, math.isnan(alone.share)) == (0.0, 0.0, True)


def test_predicted_forces_of_a_walk_add_up_to_what_its_controller_said(quick):
    experiment, _ = quick("000-table-6")
    walk = experiment.quadruped.walk(experiment.ICE, "ID(t) LCP, mu", 0.05, gait=experiment.SHORT, most=4.0)
    forces, seconds = experiment.predicted(walk)
    assert forces.shape == (50, 4, 3)
    assert np.allclose(forces[:, :, 2].sum(axis=1), walk.numbers.predicted, rtol=1e-12)
    assert np.all(seconds > 0.0)
    assert np.abs(walk.trace.torque).max() <= 4.0
