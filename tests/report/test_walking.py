"""Numbers of a walk against sums done here, step by step, and against motions whose numbers are known."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from PIL import Image

import surefoot as sf
from surefoot.control import Command, GaitPlanner, Hold, InverseKinematics, JointPID, Pipeline, Walk, walker
from surefoot.control.walk import walking_limits
from surefoot.gait import Legs, Planner
from surefoot.report.walking import walking
from surefoot.report.walking_plot import figure, plot_walk, runs
from surefoot.simulate.fall import first_fall, foot_places

DT = 1e-3


def walk(mu=0.5, duration=1.0, **numbers):
    chosen = Walk(**numbers)
    ground = chosen.stand_on(sf.Plane(mu=mu))
    pipeline = chosen.pipeline(ground, DT)
    return sf.Simulator(ground, DT).rollout(ground.home(), pipeline.policy(), duration=duration), pipeline


@pytest.fixture(scope="module")
def trot():
    trace, pipeline = walk(turn=0.3)
    return trace, pipeline, walking(trace, pipeline)


def test_sums_of_errors_torques_and_forces(trot):
    trace, pipeline, found = trot
    robot = trace.scene
    pipeline.reset()
    off, drift, wrong, forces = 0.0, 0.0, 0.0, 0.0
    controller = sf.InverseDynamics(robot, DT, torque_limits=walking_limits(robot))
    for k in range(len(trace)):
        state = trace.state(k)
        pipeline(state)
        off += np.abs(pipeline.value("joint_position") - state.q[robot.joint_positions]).sum()
        drift += np.abs(pipeline.value("joint_velocity") - state.v[robot.dofs]).sum()
        controller(state, pipeline.value("acceleration"))
        actual = trace.contact_forces[trace.contacts_of(k), 0].sum()
        wrong += abs(controller.answer().forces[:, 0].sum() - actual)
        forces += actual
    assert found.position_error == pytest.approx(off / 12 / len(trace), rel=1e-9)
    assert found.velocity_error == pytest.approx(drift / 12 / len(trace), rel=1e-9)
    assert found.force_error == pytest.approx(wrong / len(trace), abs=1e-6)
    assert found.force_share == pytest.approx(wrong / forces, abs=1e-7)
    changes = [np.abs(a - b).mean() for a, b in zip(trace.torque[1:], trace.torque[:-1], strict=True)]
    assert found.chatter == pytest.approx(np.mean(changes))
    assert found.torque == pytest.approx(np.abs(trace.torque).mean())
    assert found.peak_torque == np.abs(trace.torque).max()


def test_where_it_went(trot):
    trace, _, found = trot
    w, _, _, z = trace.q[-1, 3:7]
    assert found.end[:2] == pytest.approx(trace.q[-1, :2])
    assert found.end[2] == pytest.approx(2 * np.arctan2(z, w), abs=1e-3)  # it hardly leans
    assert found.command == pytest.approx([0.2 * 0.7495, 0.0, 0.3 * 0.7495])  # half of it while it grows, for 0.5 s
    assert found.velocity[2] == pytest.approx(found.end[2])
    assert found.velocity[0] == pytest.approx(found.command[0], rel=0.15)
    corners = trace.q[[0, 300, 600, 900, 1000], :2]
    assert found.distance == pytest.approx(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())
    assert found.height == (trace.q[:, 2].min(), trace.q[:, 2].max())
    assert (found.fell, found.seconds) == (None, pytest.approx(1.0))
    assert found.waypoints.shape == (0, 2)


def test_the_base_leans_as_its_axis_says(trot):
    trace, _, found = trot
    up = []
    for q in trace.q:
        frame = np.empty(9)
        mujoco.mju_quat2Mat(frame, q[3:7])
        up.append(frame[8])
    assert found.lean == pytest.approx(np.arccos(min(up)), abs=1e-7)


def test_which_feet_stand_and_touch(trot):
    trace, pipeline, found = trot
    assert found.names == ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
    assert found.legs == ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11))
    gait = pipeline.stages[1].planner.gait
    phases = (trace.t[1:] / gait.period) % 1.0
    agree = found.stance == gait.stance(phases)
    assert agree.mean() >= 0.98  # edges may be a step apart
    model, data = trace.scene.model, mujoco.MjData(trace.scene.model)
    for k in (0, 137, 555):
        rows = trace.contacts_of(k)
        pressed = {
            model.geom(g).name
            for row, f in zip(trace.contact_geoms[rows], trace.contact_forces[rows], strict=True)
            for g in row
            if f[0] > 0
        }
        assert found.touching[k].tolist() == [bool(set(foot.geoms) & pressed) for foot in trace.scene.feet]
        data.qpos[:] = trace.q[k]
        mujoco.mj_forward(model, data)
        places = [data.geom(foot.geoms[0]).xpos for foot in trace.scene.feet]
        assert found.feet[k] == pytest.approx(np.array(places))
    # where one touches that the plan has in the air, it lands a little early
    assert (found.touching & ~found.stance).mean() <= 0.02


def test_a_robot_that_knows_nothing_of_soft_ground_falls():
    """A rigid law on ground that gives way: the report ends where the robot lies."""
    chosen = Walk()
    ground = chosen.stand_on(sf.Plane(mu=0.7))
    pipeline = chosen.pipeline(ground, DT, "coulomb")
    soft = sf.Compliant(ground.mass * 9.81 / 4 / 1e-3, 240.0)
    trace = sf.Simulator(ground, DT, soft).rollout(ground.home(), pipeline.policy(), duration=1.0)
    found = walking(trace, pipeline)
    assert found.fell is not None
    assert 0.1 < found.fell < 0.9
    assert found.seconds == found.fell
    until = round(found.fell / DT)
    assert found.peak_torque == np.abs(trace.torque[:until]).max()
    assert found.force_share > 0.05
    assert found.end[:2] == pytest.approx(trace.q[until, :2])


@pytest.mark.parametrize(
    ("folded", "turn", "fallen"), [(False, 0.0, None), (False, 0.79, 10), (True, 0.0, 10), (False, 0.78, None)]
)
def test_what_counts_as_a_fall(trot, folded, turn, fallen):
    """45 degrees, or half the height over the feet."""
    trace, _, found = trot
    q = np.tile(trace.q[0], (len(trace.q), 1))
    q[10:, 3:7] = [np.cos(turn / 2), np.sin(turn / 2), 0.0, 0.0]
    if folded:  # feet beside the trunk
        q[10:, 7:] = np.tile([0.0, 0.1, 3.0], 4)
    changed = replace(trace, q=q)
    assert first_fall(changed, foot_places(changed, found.names)) == fallen


def test_a_walk_on_the_spot_goes_nowhere():
    trace, pipeline = walk(duration=0.4, forward=0.0)
    found = walking(trace, pipeline)
    assert found.distance <= 1e-6
    assert found.command == pytest.approx(np.zeros(3))
    assert found.stance.all()


def test_what_is_no_walk(trot):
    trace, pipeline, _ = trot
    robot = trace.scene
    standing = Pipeline(robot, DT, [Hold(robot), JointPID(robot, 30.0, 0.2)])
    with pytest.raises(sf.InputError) as caught:
        walking(trace, standing)
    assert str(caught.value) == (
        "pipeline: expected one with a GaitPlanner, such as sf.control.walker makes, got hold, joint_pid"
    )
    with pytest.raises(sf.InputError) as caught:
        walking(trace, None)
    assert str(caught.value) == (
        "pipeline: expected one with a GaitPlanner, such as sf.control.walker makes, got NoneType"
    )
    with pytest.raises(sf.InputError, match=r"^trace: expected one step a tick of 0.002 s, got steps of 0.001 s$"):
        walking(trace, walker(robot, Command(0.2), dt=2e-3))
    none = replace(trace, torque=trace.torque[:0])
    with pytest.raises(sf.InputError, match=r"^trace: expected at least one step, got none$"):
        walking(none, pipeline)


# The figure


def test_runs_of_true_values():
    assert runs(np.array([True, True, False, True])) == [(0, 2), (3, 4)]
    assert runs(np.zeros(3, dtype=bool)) == []
    assert runs(np.ones(3, dtype=bool)) == [(0, 3)]


@pytest.mark.parametrize("fell", [None, 0.4])
def test_a_figure(trot, tmp_path, fell):
    trace, _, found = trot
    path = plot_walk(trace, replace(found, fell=fell, seconds=fell or found.seconds), tmp_path / "walk.png")
    with Image.open(path) as image:
        assert image.size == (1650, 1100)
    with pytest.raises(sf.InputError) as caught:
        plot_walk(trace, found, tmp_path / "walk.txt")
    expected = f"path: expected a file name ending in .png, .pdf, .svg, .jpg, .webp, got '{tmp_path / 'walk.txt'}'"
    assert str(caught.value) == expected


def test_bars_of_the_footfall_are_the_planned_ones(trot):
    trace, _, found = trot
    bars = figure(trace, found).axes[0].collections
    planned = bars[0].get_paths()
    assert len(planned) == len(runs(found.stance[:, 0]))
    first, last = runs(found.stance[:, 0])[-1]
    assert planned[-1].vertices[:, 0].min() == pytest.approx(trace.t[first])
    assert planned[-1].vertices[:, 0].max() == pytest.approx(trace.t[last])


def test_waypoints_are_drawn():
    points = [(0.1, 0.0), (0.0, 0.1)]
    trace, pipeline = walk(duration=0.2, waypoints=points)
    found = walking(trace, pipeline)
    assert found.waypoints.tolist() == [[0.1, 0.0], [0.0, 0.1]]
    lines = {line.get_label(): line for panel in figure(trace, found).axes for line in panel.lines}
    assert lines["waypoints"].get_xydata().tolist() == [[0.1, 0.0], [0.0, 0.1], [0.1, 0.0]]


def test_a_walk_that_predicts_no_force_has_a_figure(links, tmp_path):
    legs = Legs(links)
    stages = [Command(0.1), GaitPlanner(Planner(legs, "trot", DT)), InverseKinematics(legs, DT)]
    pipeline = Pipeline(links, DT, [*stages, JointPID(links, 30.0, 0.2)])
    trace = sf.Simulator(links, DT).rollout(links.home(), pipeline.policy(), duration=0.05)
    found = walking(trace, pipeline)
    assert np.isnan(found.force_error)
    labels = {line.get_label() for panel in figure(trace, found).axes for line in panel.lines}
    assert "actual" in labels
    assert "predicted" not in labels
    plot_walk(trace, found, tmp_path / "walk.svg")


def test_what_is_no_trace_and_what_is_no_file_name(trot):
    trace, pipeline, found = trot
    with pytest.raises(sf.InputError, match=r"^trace: expected a Trace of sim\.rollout, got NoneType$"):
        walking(None, pipeline)
    with pytest.raises(sf.InputError, match=r"^path: expected a file name, got None$"):
        plot_walk(trace, found, None)


def test_steps_without_an_answer_are_counted(trot):
    """Gains out of all bounds ask for accelerations that are not finite: the plant goes on, with no torque."""
    assert trot[2].unanswered == 0
    trace, pipeline = walk(duration=0.05, kp=1e300)
    found = walking(trace, pipeline)
    codes = pipeline.replay(trace, "follow_status")["follow_status"]
    assert found.unanswered == np.count_nonzero(codes == sf.Status.NOT_FINITE.code) > 30
