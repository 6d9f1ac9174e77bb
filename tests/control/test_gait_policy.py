"""Gait policies: stance, command and changeover in the numbers of a table."""

import pickle
import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Changeover, Command, GaitPolicy, Waypoints
from surefoot.gait import Gait, Legs, stance

DT = 1e-3
TROT = GaitPolicy(Gait.named("trot", duty=0.6), forward=0.5)


@pytest.fixture(scope="module")
def robot():
    return sf.load("links-light")


def test_stance_and_joints(robot):
    policy = GaitPolicy(length=1.2, width=2.0, height=0.828)
    places = stance(Legs(robot), length=1.2, width=2.0, height=0.828, relative=True)
    assert np.array_equal(policy.places(robot), places)
    assert np.array_equal(policy(robot, DT).stages[2].planner.places, places)
    joints = policy.joints(robot)
    q = robot.home().q.copy()
    q[robot.joint_positions] = [joints[name] for name in robot.joints]
    assert np.allclose(Legs(robot).places(robot.state(q)), places, rtol=0, atol=1e-8)


def test_a_fixed_command_or_points(robot):
    fixed = GaitPolicy(forward=0.2, left=0.1, turn=-0.5, ramp=0.3).command(robot)
    assert isinstance(fixed, Command)
    assert fixed.params.tolist() == [0.2, 0.1, -0.5, 0.3]
    way = GaitPolicy(forward=0.1, turn=0.5, points=[(1.0, 0.0), (2.0, 0.5)])(robot, DT).stages[1]
    assert isinstance(way, Waypoints)
    assert np.array_equal(way.points, [[1.0, 0.0], [2.0, 0.5]])
    assert way.params[1:3].tolist() == [0.1, 0.5]


@pytest.mark.parametrize(("at", "time"), [(0.0, 1.2), (0.25, 1.275), (0.5, 1.05), (0.75, 1.125)])
def test_when_it_changes_over(robot, at, time):
    policy = GaitPolicy(Gait.named("walk", period=0.3), 0.1, then=TROT, at=at, after=1.0)
    assert policy.changeover() == pytest.approx(time, abs=1e-12)
    stages = policy(robot, DT).stages
    assert [type(stage) for stage in stages[1:3]] == [Changeover, Changeover]
    assert all(stage.time == policy.changeover() for stage in stages[1:3])
    assert stages[2].then.planner.gait == TROT.gait
    assert stages[1].then.params[0] == 0.5


def test_after_a_whole_number_of_periods_it_is_at_once():
    """3 x 0.3 = 0.9 in floating point is a little less; that must not cost a period."""
    walk = Gait.named("walk", period=0.3)
    assert GaitPolicy(walk, then=TROT, at=0.0, after=0.3 * 3).changeover() == pytest.approx(0.9, abs=1e-12)
    assert GaitPolicy(walk, then=TROT, at=0.0, after=0.9).changeover() == pytest.approx(0.9, abs=1e-12)


def test_points_may_change_over_to_a_faster_pace(robot):
    points = [(1.0, 0.0), (2.0, 0.0)]
    walk = GaitPolicy(forward=0.1, turn=0.5, points=points)
    fast = GaitPolicy(TROT.gait, forward=0.5, turn=1.0, points=points)
    pipeline = GaitPolicy(forward=0.1, turn=0.5, points=points, then=fast, after=0.2)(robot, DT)
    assert pipeline.stages[1].then.params[1:3].tolist() == [0.5, 1.0]
    with pytest.raises(sf.InputError, match=r"^then: expected a stage of the same kind as <Waypoints"):
        GaitPolicy(forward=0.1, turn=0.5, points=points, then=TROT)(robot, DT)
    assert walk(robot, DT).stages[1].params[1] == 0.1


def test_it_travels(robot):
    policy = GaitPolicy(width=1.3, then=TROT, at=0.5)
    again = pickle.loads(pickle.dumps(policy))
    assert again == policy
    ground = sf.scene(robot, terrain=sf.Plane(mu=1.0))
    one, two = (sf.Simulator(ground, DT).rollout(ground.home(), p(ground, DT).policy(), 0.2) for p in (policy, again))
    assert np.array_equal(one.q, two.q)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"gait": "walk"}, "gait: expected a Gait, got str"),
        ({"then": Gait.named("trot")}, "then: expected a GaitPolicy, got Gait"),
        ({"at": 1.0}, "at: expected a phase from 0 to below 1, got 1"),
        ({"at": -0.1}, "at: expected a phase from 0 to below 1, got -0.1"),
        ({"at": float("nan")}, "at: expected a finite number, got nan"),
        ({"after": -1.0}, "after: expected a number of at least 0, got -1"),
    ],
)
def test_refused(fields, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        GaitPolicy(**fields)


def test_points_leave_no_room_for_sideways(robot):
    text = "left: expected none beside points, which say where to go, got 0.1"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        GaitPolicy(left=0.1, turn=0.5, points=[(1.0, 0.0)])(robot, DT)


def test_a_stance_out_of_reach_is_named(robot):
    with pytest.raises(
        sf.InputError, match=r"^places: LF_FOOT cannot reach \(0\.0775, 0\.125, -0\.\d+\) m in the base's "
    ):
        GaitPolicy(length=1.0, width=2.0, height=0.9).places(robot)
