import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.design import GaitTask, HandTask, Morphology, Problem
from surefoot.design.course import sole_depths
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs
from tests.design import small
from tests.traces.small import FLYER, flyer, scene

SPEEDS = st.floats(-0.5, 0.5)


@pytest.fixture(scope="module")
def ground():
    return sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.7))


def in_world(course):
    """(n, feet, 3) m, where the soles are."""
    yaw = 2.0 * np.arctan2(course.base[:, 6], course.base[:, 3])
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    x, y, z = np.moveaxis(course.points, 2, 0)
    return course.base[:, None, :3] + np.stack([c * x - s * y, s * x + c * y, z], axis=2)


# Known answers


def test_it_is_one_period_in_samples(ground):
    course = GaitTask(small.TROT, dt=3e-3).course(ground, 0.2)
    assert len(course) * course.dt == pytest.approx(small.TROT.period)
    assert course.dt == pytest.approx(3e-3, rel=0.05)
    assert course.closed


def test_every_foot_stands_for_its_share(ground):
    course = GaitTask(Gait.named("walk", period=0.4, duty=(0.6, 0.7, 0.75, 0.8)), dt=1e-3).course(ground, 0.1)
    assert course.stance.mean(axis=0) == pytest.approx([0.6, 0.7, 0.75, 0.8], abs=2.5e-3)


def test_feet_are_lifted_by_the_step_height(ground):
    course = GaitTask(Gait.named("trot", period=0.4, step_height=0.03), dt=1e-3).course(ground, 0.1)
    height = in_world(course)[..., 2]
    assert (height.max(axis=0) >= 0.03).all()
    assert (height.max(axis=0) <= 0.04).all()
    assert height.min() >= -1e-9


def test_the_base_goes_as_fast_as_commanded(ground):
    course = GaitTask(small.TROT, dt=1e-3, left=0.1).course(ground, 0.3)
    assert (course.base[-1, :2] - course.base[0, :2]) / (course.dt * (len(course) - 1)) == pytest.approx([0.3, 0.1])


def test_a_turning_base_goes_round_a_circle_of_speed_over_turn(ground):
    course = GaitTask(small.TROT, dt=1e-3, turn=0.8).course(ground, 0.4)
    centre = course.base[0, :2] + [0.0, 0.4 / 0.8]
    assert np.linalg.norm(course.base[:, :2] - centre, axis=1) == pytest.approx(np.full(len(course), 0.5), abs=1e-12)


def test_the_stance_is_that_of_home_unless_said(ground):
    task = GaitTask(small.TROT)
    home = Legs(ground).home
    assert task.soles(ground)[:, :2] == pytest.approx(home[:, :2])
    assert task.soles(ground)[:, 2] == pytest.approx(np.full(4, (home[:, 2] - sole_depths(ground)).mean()))


def test_length_width_and_height_are_those_of_the_stance(ground):
    soles = GaitTask(small.TROT, length=0.24, width=0.2, height=0.13).soles(ground)
    assert np.ptp(soles, axis=0) == pytest.approx([0.24, 0.2, 0.0])
    assert soles[:, 2] == pytest.approx([-0.13] * 4)
    assert (np.sign(soles[:, :2] - soles[:, :2].mean(axis=0)) == [[1, 1], [1, -1], [-1, 1], [-1, -1]]).all()


def test_a_relative_stance_follows_the_shape_of_the_robot(ground):
    """Shares of the distances of the hips, and of the shortest leg: thigh and shank of `links`."""
    hips = Legs(ground).hips
    soles = GaitTask(small.TROT, length=1.1, width=1.2, height=0.8, relative=True).soles(ground)
    assert np.ptp(soles, axis=0)[:2] == pytest.approx([1.1 * np.ptp(hips[:, 0]), 1.2 * np.ptp(hips[:, 1])])
    links = sf.load("links")
    thigh = np.linalg.norm(links.model.body("LF_SHANK").pos)
    shank = np.linalg.norm(links.model.geom("LF_FOOT").pos)
    assert soles[:, 2] == pytest.approx([-0.8 * (thigh + shank)] * 4)


def test_soles_lie_a_radius_below_the_centres(ground):
    assert sole_depths(ground) == pytest.approx([0.01] * 4)
    assert sole_depths(ground, ("RH_FOOT",)) == pytest.approx([0.01])


def test_a_hand_passes_through_its_points_and_rests_at_the_ends():
    points = np.array([[0.0, 0.0, 1.0], [0.1, 0.2, 1.1], [0.3, 0.0, 0.9], [0.2, 0.2, 1.0]])
    course = HandTask("tip", points, 0.9, dt=1e-2).course(small.arm(), 1.0)
    assert course.points[::30, 0] == pytest.approx(points)
    assert course.velocities[[0, -1], 0] == pytest.approx(np.zeros((2, 3)), abs=1e-12)
    assert not course.closed
    assert not course.stance.any()
    assert course.base is None
    assert course.base_velocity is None


def test_a_hand_at_twice_the_difficulty_is_twice_as_fast():
    task = HandTask("tip", [[0, 0, 1], [0.1, 0, 1.2], [0.3, 0, 1]], 1.0)
    slow, fast = (task.course(small.arm(), difficulty) for difficulty in (1.0, 2.0))
    assert (len(slow) - 1) * slow.dt == pytest.approx(2 * (len(fast) - 1) * fast.dt)
    assert np.abs(fast.velocities).max() == pytest.approx(2 * np.abs(slow.velocities).max(), rel=1e-2)


# Properties


@given(SPEEDS, SPEEDS, st.floats(-1.0, 1.0), st.sampled_from(["trot", "walk", "pace", "bound"]))
@settings(max_examples=25)
def test_soles_that_stand_do_so_in_the_world(ground, forward, left, turn, name):
    gait = Gait.named(name, period=0.3, duty=0.7)
    course = GaitTask(gait, dt=5e-3, left=left, turn=turn).course(ground, forward)
    places = in_world(course)
    both = course.stance[1:] & course.stance[:-1]
    assert np.abs(np.diff(places, axis=0)[both]).max() <= 1e-9
    assert np.abs(places[course.stance][:, 2]).max() <= 1e-9


@given(SPEEDS, SPEEDS, st.floats(-1.0, 1.0))
@settings(max_examples=15)
def test_velocities_are_derivatives_of_points_around_the_whole_period(ground, forward, left, turn):
    """Central differences, the last sample followed by the first; touchdown and lift-off bend but do not jump."""
    course = GaitTask(small.TROT, dt=1e-3, left=left, turn=turn).course(ground, forward)
    slopes = (np.roll(course.points, -1, axis=0) - np.roll(course.points, 1, axis=0)) / (2 * course.dt)
    apart = np.abs(slopes - course.velocities)
    assert apart.max() <= 0.02
    assert np.quantile(apart, 0.95) <= 1e-3


@given(SPEEDS, SPEEDS, st.floats(-2.0, 2.0))
@settings(max_examples=15)
def test_the_base_moves_with_its_velocity(ground, forward, left, turn):
    course = GaitTask(small.TROT, dt=1e-3, left=left, turn=turn).course(ground, forward)
    slopes = (course.base[2:] - course.base[:-2]) / (2 * course.dt)
    assert slopes[:, :3] == pytest.approx(course.base_velocity[1:-1, :3], abs=1e-5)
    yaw = 2.0 * np.arctan2(course.base[:, 6], course.base[:, 3])
    assert np.diff(yaw) / course.dt == pytest.approx(course.base_velocity[1:, 5], abs=1e-9)
    assert np.linalg.norm(course.base[:, 3:], axis=1) == pytest.approx(np.ones(len(course)))


@pytest.mark.parametrize("dt", [1e-2, 4e-3, 1e-3, 7e-4])
@pytest.mark.parametrize("duty", [0.5, 0.6, 0.75])
def test_the_last_sample_is_followed_by_the_first(ground, dt, duty):
    course = GaitTask(Gait.named("trot", period=0.4, duty=duty), dt=dt).course(ground, 0.4)
    steps = np.linalg.norm(np.diff(course.points, axis=0, append=course.points[:1]), axis=2)
    assert steps[-1].max() <= 1.05 * steps[:-1].max()
    predicted = course.points[-1] + 0.5 * course.dt * (course.velocities[-1] + course.velocities[0])
    assert course.points[0] == pytest.approx(predicted, abs=20.0 * course.dt**2)


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=2, max_size=6), st.floats(0.2, 5.0))
@settings(max_examples=25)
def test_any_hand_is_smooth(points, difficulty):
    course = HandTask("tip", points, 1.0, dt=2e-3).course(small.arm(), difficulty)
    slopes = (course.points[2:] - course.points[:-2]) / (2 * course.dt)
    assert slopes == pytest.approx(course.velocities[1:-1], abs=1e-2 * max(1.0, difficulty**3))
    assert course.points[0, 0] == pytest.approx(points[0], abs=1e-12)
    assert course.points[-1, 0] == pytest.approx(points[-1], abs=1e-9)


# Edge cases


def test_at_rest_all_feet_stand(ground):
    course = GaitTask(small.TROT, dt=1e-2).course(ground, 0.0)
    assert course.stance.all()
    assert not course.velocities.any()


def test_a_coarse_course_still_has_ten_samples(ground):
    assert len(GaitTask(small.TROT, dt=0.04).course(ground, 0.1)) == 10
    assert len(HandTask("tip", [[0, 0, 1], [0, 0, 1.1]], 1.0, dt=0.1).course(small.arm(), 5.0)) == 11


# Error texts


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"gait": "trot"}, "GaitTask.gait: expected a Gait, got 'trot'"),
        ({"length": 0}, "GaitTask.length: expected a number above 0, got 0"),
        ({"width": "wide"}, "GaitTask.width: expected a finite number, got 'wide'"),
        ({"height": -0.1}, "GaitTask.height: expected a number above 0, got -0.1"),
        ({"left": None}, "GaitTask.left: expected a finite number, got None"),
        ({"turn": np.nan}, "GaitTask.turn: expected a finite number, got nan"),
        ({"dt": 0.05}, "GaitTask.dt: expected a number of at most 0.04, got 0.05"),
    ],
)
def test_bad_gait_tasks_are_refused(arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        GaitTask(**{"gait": small.TROT, **arguments})


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"part": None}, "HandTask.part: expected the name of a foot or geom, got None"),
        ({"points": []}, "HandTask.points: expected shape (any, 3), got (0,)"),
        ({"points": [[0, 0, 0]]}, "HandTask.points: expected two or more, got 1"),
        ({"points": [[0, 0, 0], [0, 0, np.inf]]}, "HandTask.points: expected finite numbers, got inf at index (1, 2)"),
        ({"duration": 0}, "HandTask.duration: expected a number above 0, got 0"),
        ({"dt": 0.2}, "HandTask.dt: expected a number of at most 0.1, got 0.2"),
    ],
)
def test_bad_hand_tasks_are_refused(arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        HandTask(**{"part": "tip", "points": [[0, 0, 0], [1, 1, 1]], "duration": 1.0, **arguments})


def test_tasks_that_do_not_fit_the_robot_are_refused(ground):
    with pytest.raises(InputError, match=r"^HandTask: expected a robot that is bolted down, but links floats$"):
        small.resting().course(ground, 1.0)
    with pytest.raises(InputError, match=r"^robot: expected a floating base, but made is bolted down$"):
        GaitTask(small.TROT).course(small.arm(), 0.1)
    with pytest.raises(InputError, match=r"^gait: expected touchdowns of 4 feet, got 2$"):
        GaitTask(Gait((0.0, 0.5))).course(ground, 0.1)
    with pytest.raises(InputError, match=r"^difficulty: expected a number above 0, got 0$"):
        small.resting().course(small.arm(), 0.0)
    with pytest.raises(InputError, match=r"^difficulty: expected a finite number, got nan$"):
        GaitTask(small.TROT).course(ground, np.nan)


def test_a_stance_without_width_cannot_be_widened():
    with pytest.raises(InputError, match=r"^GaitTask.width: the hips of made have none$"):
        GaitTask(Gait((0.0,)), width=0.1).soles(flyer())
    with pytest.raises(InputError, match=r"^feet: expected at least one, but made has none"):
        GaitTask(small.TROT).soles(scene(FLYER, joints=("hip",), base="trunk"))


@pytest.mark.parametrize("z", [-0.1, 0.02])
def test_the_ground_may_lie_anywhere_as_long_as_it_is_level(z):
    """Courses lie on it, and witnesses are the same as on z = 0."""
    task = GaitTask(Gait.named("trot", step_height=0.02), dt=2e-2)
    worst = []
    for height in (0.0, z):
        problem = Problem(Morphology("links", [], {"*": "RX-24F"}, terrain=sf.Plane(mu=0.7, z=height)), task)
        worst.append(problem.look([], 0.2).values.min(axis=0))
    assert worst[1] == pytest.approx(worst[0], abs=1e-6)


@pytest.mark.parametrize("terrain", [sf.Slope(0.1), None])
def test_other_ground_is_refused(terrain):
    scene = sf.scene(sf.load("links"), terrain=terrain)
    with pytest.raises(
        InputError, match="terrain: expected one level plane, on which a gait's course is laid, under links"
    ):
        GaitTask(Gait.named("trot")).course(scene, 0.1)
