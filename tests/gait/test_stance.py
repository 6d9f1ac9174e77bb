"""Stances: known places, what stays, and a robot that really stands so."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import surefoot as sf
from surefoot.control import Command, FeedForward, Follow, GaitPlanner, InverseKinematics, JointPID, Pipeline
from surefoot.gait import Gait, Legs, Planner, stance

DT = 1e-3
RADIUS = 0.01  # m, of the feet of `links`


@pytest.fixture(scope="module")
def legs():
    return Legs(sf.load("links"))


def test_nothing_asked_is_home(legs):
    assert np.array_equal(stance(legs), legs.home)


def test_home_is_the_stance_of_the_first_links(legs):
    """Its planner had 0.309926 m (twice the way of the front feet; the hind hips are longer) and 0.1344496 m."""
    assert 2.0 * legs.home[0, 0] == pytest.approx(0.309926, abs=2e-6)
    assert np.ptp(legs.home[:, 1]) == pytest.approx(0.1344496, abs=2e-6)
    places = stance(legs, length=float(np.ptp(legs.home[:, 0])), width=0.1344496)
    np.testing.assert_allclose(places, legs.home, atol=1e-6)


def test_absolute_lengths(legs):
    places = stance(legs, length=0.25, width=0.15, height=0.18)
    middle = legs.home[:, 0].mean()
    np.testing.assert_allclose(
        places,
        [
            [middle + 0.125, 0.075, -0.18],
            [middle + 0.125, -0.075, -0.18],
            [middle - 0.125, 0.075, -0.18],
            [middle - 0.125, -0.075, -0.18],
        ],
        atol=1e-12,
    )


def test_lengths_relative_to_hips_and_reach(legs):
    places = stance(legs, length=1.2, width=1.4, height=0.75, relative=True)
    down = -0.75 * 0.95 * (0.04 + 0.077 + 0.129)
    sides = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    np.testing.assert_allclose(places, [[1.2 * x * 0.115, 1.4 * y * 0.05, down] for x, y in sides], atol=1e-12)


def test_what_is_not_given_stays(legs):
    places = stance(legs, width=1.5, relative=True)
    assert np.array_equal(places[:, [0, 2]], legs.home[:, [0, 2]])
    assert places[:, 1].tolist() == pytest.approx([0.075, -0.075, 0.075, -0.075])


def test_any_number_of_feet(legs):
    three = Legs(legs.robot, feet=["LF_FOOT", "RF_FOOT", "LH_FOOT"])
    places = stance(three, length=0.3, width=0.1, height=0.17)
    assert np.ptp(places, axis=0) == pytest.approx([0.3, 0.1, 0.0])
    np.testing.assert_allclose(places.mean(axis=0)[:2], three.home.mean(axis=0)[:2], atol=1e-12)
    one = Legs(legs.robot, feet=["RH_FOOT"])
    assert stance(one, height=0.15)[0].tolist() == pytest.approx([*one.home[0, :2], -0.15])


@pytest.mark.parametrize("angles", [(0.1, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.2), (0.05, -0.1, 0.15)])
def test_the_base_moves_and_the_feet_stay(legs, angles):
    """Places seen from the turned base are, back in the world, where they were: by SciPy's rotations."""
    offset = np.array([0.01, -0.02, 0.005])
    places = stance(legs, height=0.16, offset=offset, orientation=angles)
    turn = Rotation.from_euler("ZYX", angles[::-1]).as_matrix()
    np.testing.assert_allclose(places @ turn.T + offset, stance(legs, height=0.16), atol=1e-12)


def test_signs_of_the_base(legs):
    down, left_up = stance(legs, orientation=(0.0, 0.1, 0.0)), stance(legs, orientation=(0.1, 0.0, 0.0))
    assert down[0, 2] > legs.home[0, 2]  # nose down: the front feet come nearer
    assert left_up[0, 2] < legs.home[0, 2]
    assert stance(legs, offset=(0.0, 0.0, 0.01))[:, 2] == pytest.approx(legs.home[:, 2] - 0.01)


# In simulation


def walk(robot, places, forward, duration):
    """A trot with its feet at these places, from home with the joints where the places want them."""
    legs, ground = Legs(robot), sf.scene(robot, terrain=sf.Plane(mu=0.5))
    gait = Gait.named("trot", period=0.3, duty=0.75, step_height=0.015)
    stages = [
        Command(forward, ramp=0.3),
        GaitPlanner(Planner(legs, gait, DT, places=places)),
        InverseKinematics(legs, DT),
        FeedForward(robot),
        JointPID(robot, kp=2e3, kd=60.0, output="acceleration"),
        Follow(ground, DT, "coulomb"),
    ]
    q = ground.home().q.copy()
    q[2], q[robot.joint_positions] = RADIUS - places[:, 2].min(), legs.angles(places)
    pipeline = Pipeline(robot, DT, stages)
    return sf.Simulator(ground, dt=DT).rollout(ground.state(q=q), pipeline.policy(), duration=duration)


@pytest.mark.parametrize("height", [0.14, 0.19])
def test_a_walker_stands_and_walks_at_this_height(legs, height):
    trace = walk(legs.robot, stance(legs, height=height), 0.15, 2.0)
    assert trace.end is sf.Status.SOLVED
    assert np.abs(trace.q[:, 2] - (height + RADIUS)).max() <= 0.002
    assert trace.q[-1, 0] == pytest.approx(0.28, abs=0.06)


def test_a_base_that_is_pitched_stays_so(legs):
    trace = walk(legs.robot, stance(legs, orientation=(0.0, 0.1, 0.0)), 0.0, 1.0)
    w, x, y, z = trace.q[-1, 3:7]
    assert np.arcsin(2.0 * (w * y - z * x)) == pytest.approx(0.1, abs=0.002)


MISTAKES = [
    (lambda legs: stance(legs.robot), "legs: expected Legs (see sf.gait), got Scene"),
    (lambda legs: stance(legs, length=-0.1), "length: expected a number of at least 0, got -0.1"),
    (lambda legs: stance(legs, width=np.nan), "width: expected a finite number, got nan"),
    (lambda legs: stance(legs, height=0.0), "height: expected a number above 0, got 0"),
    (lambda legs: stance(legs, offset=(0.0, 0.0)), "offset: expected shape (3,), got (2,)"),
    (
        lambda legs: stance(legs, orientation=(0.0, np.inf, 0.0)),
        "orientation: expected finite numbers, got inf at index 1",
    ),
    (
        lambda legs: stance(Legs(legs.robot, feet=["LF_FOOT", "RF_FOOT"]), length=0.1),
        "length: the feet have none that could be stretched to 0.1 m",
    ),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES)
def test_is_refused_in_these_words(legs, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(legs)


def test_what_is_out_of_reach_is_named(legs):
    text = (
        "places: LF_FOOT cannot reach (0.155, 0.0672, -0.23) m in the base's frame, 24.6 mm are missing; "
        "its leg reaches 0.234 m from its hip"
    )
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        stance(legs, height=0.23)
