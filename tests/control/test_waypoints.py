"""From point to point: the paper's path on slippery and on sticky ground, under every law."""

import math

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import FeedForward, Follow, GaitPlanner, InverseKinematics, JointPID, Pipeline, Waypoints, stage
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3
PATH = ((0.0, 0.0), (0.25, 0.0), (0.0, 0.25), (0.0, -0.25), (-0.25, 0.0))
HELD = sf.NoSlip(release=False)


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


def walk(robot, waypoints, duration, *, mu=0.5, law="coulomb", plant="coulomb", limits=None):
    ground = sf.scene(robot, terrain=sf.Plane(mu=mu))
    legs = Legs(robot)
    stages = [
        waypoints,
        GaitPlanner(Planner(legs, Gait.named("trot"), DT)),
        InverseKinematics(legs, DT),
        FeedForward(robot),
        JointPID(robot, kp=2e3, kd=90.0, output="acceleration"),  # critically damped
        Follow(ground, DT, law, torque_limits=limits),
    ]
    pipeline = Pipeline(robot, DT, stages)
    return pipeline, sf.Simulator(ground, DT, plant).rollout(ground.home(), pipeline.policy(), duration=duration)


def upright(trace):
    return (1.0 - 2.0 * (trace.q[:, 4] ** 2 + trace.q[:, 5] ** 2)).min()


def visited(trace, points, within=0.04):
    """In how many of the points, one after the other, it has been."""
    k, number = 0, 0
    for number, point in enumerate(points):
        near = np.flatnonzero(np.linalg.norm(trace.q[k:, :2] - point, axis=1) <= within)
        if len(near) == 0:
            return number
        k += near[0]
    return number + 1


@pytest.mark.parametrize(
    ("mu", "law", "plant", "limits"),
    [
        (0.1, "coulomb", "coulomb", None),
        (0.1, "dissipative", "coulomb", None),
        (np.inf, "coulomb", "coulomb", 4.0),
        (np.inf, "dissipative", "coulomb", 4.0),
        (np.inf, "no-slip", "coulomb", 4.0),
        (np.inf, HELD, HELD, 12.0),
    ],
)
def test_it_trots_between_the_papers_waypoints_for_half_a_minute(robot, mu, law, plant, limits):
    waypoints = Waypoints(robot, PATH, 0.2, cycle=True)
    _, trace = walk(robot, waypoints, 30.0, mu=mu, law=law, plant=plant, limits=limits)
    assert trace.ok
    assert upright(trace) >= 0.9
    assert trace.q[:, 2].min() >= 0.165
    assert visited(trace, PATH) >= 4


def test_under_the_simulators_own_law_forces_are_foreseen_exactly(robot):
    for mu, law, limits in ((0.1, "coulomb", None), (np.inf, HELD, 12.0)):
        pipeline, trace = walk(robot, Waypoints(robot, PATH), 3.0, mu=mu, law=law, plant=law, limits=limits)
        expected = pipeline.replay(trace, "follow_normal_force")["follow_normal_force"]
        step = np.repeat(np.arange(len(trace)), np.diff(trace.contact_start))
        real = np.bincount(step, trace.contact_forces[:, 0], len(trace))
        assert np.abs(expected - real).max() <= 1e-6 * 47.0
        assert real.mean() == pytest.approx(47.0, rel=0.05)


def test_it_stops_at_the_last_point(robot):
    pipeline, trace = walk(robot, Waypoints(robot, [(0.1, 0.0)], 0.2), 3.0)
    assert np.linalg.norm(trace.q[-1, :2] - [0.1, 0.0]) <= 0.04
    assert np.abs(trace.v[-1]).max() <= 1e-2
    found = pipeline.replay(trace, "waypoints_next", "command")
    assert found["waypoints_next"][0] == 0.0
    assert found["waypoints_next"][-1] == 1.0
    assert np.array_equal(found["command"][-1], np.zeros(3))
    assert np.abs(np.diff(found["command"], axis=0)).max() <= 0.5 * DT / 0.5 + 1e-12  # the ramp


def test_sideways_it_looks_where_it_is_told(robot):
    waypoints = Waypoints(robot, [(0.0, 0.15)], 0.1, steering="holonomic", heading=0.0)
    _, trace = walk(robot, waypoints, 3.0)
    assert trace.q[-1, :2] == pytest.approx([0.0, 0.15], abs=0.04)
    assert abs(2.0 * math.atan2(trace.q[-1, 6], trace.q[-1, 3])) <= 0.05


def test_replay_gives_values_of_every_tick(robot):
    @stage(phase="control", reads=("time",), adds=("torque",))
    def push(board, t):
        board["torque"] = np.full(12, 0.1 * t)

    pipeline = Pipeline(robot, 2e-3, [push])
    simulator = sf.Simulator(robot, 1e-3, control_dt=2e-3)
    trace = simulator.rollout(robot.home(), pipeline.policy(), duration=0.01)
    found = pipeline.replay(trace, "time", "torque")
    assert found["time"] == pytest.approx(2e-3 * np.arange(5))
    assert np.array_equal(found["torque"], trace.torque[::2])


def test_replay_refuses_what_it_did_not_make(robot):
    pipeline, trace = walk(robot, Waypoints(robot, PATH), 0.1)
    other, _ = walk(robot, Waypoints(robot, PATH), 0.01, law="dissipative", mu=0.1)
    with pytest.raises(
        sf.InputError, match=r"^trace: at t = 0 s this pipeline gives other torques; it did not make this trace$"
    ):
        other.replay(trace, "torque")
    with pytest.raises(sf.InputError, match=r"^names: no value is called 'speed'"):
        pipeline.replay(trace, "speed")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"points": []}, "points: expected shape (any, 2), got (0,)"),
        ({"points": np.zeros((0, 2))}, "points: expected at least one (x, y), got none"),
        ({"points": [(0.0, np.nan)]}, "points: "),
        ({"speed": 0.0}, "speed: expected a number above 0, got 0"),
        ({"turn": -1.0}, "turn: expected a number above 0, got -1"),
        ({"tolerance": 0.0}, "tolerance: expected a number above 0, got 0"),
        ({"steering": "boat"}, "steering: expected one of 'car', 'holonomic', got 'boat'"),
        ({"heading": 0.0}, "heading: is for steering='holonomic'; a car looks where it goes"),
    ],
)
def test_bad_paths_are_named(robot, arguments, text):
    with pytest.raises(sf.InputError) as found:
        Waypoints(robot, **{"points": PATH, **arguments})
    assert str(found.value).startswith(text)


def test_a_bolted_robot_goes_nowhere():
    with pytest.raises(sf.InputError, match=r"^robot: expected a floating base, but ur10 is bolted down$"):
        Waypoints(sf.load("ur10"), PATH)
