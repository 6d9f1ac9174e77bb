"""Feet that feel the ground, and controllers that take their contacts from the plan."""

import pickle

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import (
    Command,
    FeedForward,
    Follow,
    GaitPlanner,
    Hold,
    InverseKinematics,
    JointPID,
    Pipeline,
    Touch,
    stage,
)
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


def lifted(robot, foot, height):
    """Home, with one foot up."""
    legs = Legs(robot)
    places = legs.home.copy()
    places[foot, 2] += height
    q = robot.home().q.copy()
    q[robot.joint_positions] = legs.angles(places)
    return robot.state(q)


@pytest.mark.parametrize(
    ("height", "within", "feels"), [(0.0, 1e-4, 1), (9e-5, 1e-4, 1), (2e-4, 1e-4, 0), (0.01, 1e-3, 0)]
)
def test_a_foot_touches_what_is_near(robot, height, within, feels):
    pipeline = Pipeline(robot, DT, [Touch(robot, within), Hold(robot), JointPID(robot, 1.0, 0.0)])
    for foot in range(4):
        pipeline(lifted(robot, foot, height))
        expected = np.ones(4)
        expected[foot] = feels
        assert np.array_equal(pipeline.value("contact"), expected)


def test_in_the_air_nothing_touches(robot):
    q = robot.home().q.copy()
    q[2] += 0.1
    pipeline = Pipeline(robot, DT, [Touch(robot), Hold(robot), JointPID(robot, 1.0, 0.0)])
    pipeline(robot.state(q))
    assert np.array_equal(pipeline.value("contact"), np.zeros(4))


def walker(robot, ground, *, contacts="geometry", sensed=False):
    legs = Legs(robot)
    stages = [
        *([Touch(ground)] if sensed else []),
        Command(0.15, ramp=0.5),
        GaitPlanner(Planner(legs, Gait.named("trot"), DT), sensed=sensed),
        InverseKinematics(legs, DT),
        FeedForward(robot),
        JointPID(robot, kp=2e3, kd=60.0, output="acceleration"),
        Follow(ground, DT, "coulomb", contacts=contacts),
    ]
    return Pipeline(robot, DT, stages)


@pytest.mark.parametrize("options", [{"contacts": "stance"}, {"sensed": True}])
def test_it_trots_with_planned_contacts_and_with_sensed_ones(robot, options):
    ground = sf.scene(robot, terrain=sf.Plane(mu=0.5))
    pipeline = walker(robot, ground, **options)
    trace = sf.Simulator(ground, DT).rollout(ground.home(), pipeline.policy(), duration=3.0)
    assert trace.ok
    assert (1.0 - 2.0 * (trace.q[:, 4] ** 2 + trace.q[:, 5] ** 2)).min() >= 0.98
    assert trace.q[-1, 0] >= 0.3
    python = sf.Simulator(ground, DT).rollout(ground.home(), lambda state: pipeline(state), duration=0.3)
    assert np.array_equal(python.torque, trace.torque[:300])


def test_a_foot_that_misses_the_ground_reaches_for_it(robot):
    """Held 1 cm above the ground, feet that feel go down for it; others do as planned."""
    ground = sf.scene(robot, terrain=sf.Plane(mu=0.5))
    q = ground.home().q.copy()
    q[2] += 0.01

    def lowest(sensed):
        pipeline = walker(robot, ground, sensed=sensed)
        heights = []
        for k in range(400):
            pipeline(sf.State(q, np.zeros(18), k * DT))
            heights.append(pipeline.value("foot_position")[:, 2].min())
        return min(heights)

    assert lowest(sensed=True) < lowest(sensed=False) - 5e-3


def test_only_planned_feet_are_contacts(robot):
    """A swinging foot that still touches carries nothing in the controller's mind."""
    plan = np.array([1.0, 1.0, 1.0, 0.0])

    @stage(phase="planning", writes=("stance",), params=plan)
    def planned(t, board, where, memory, params):
        for i in range(4):
            board[where[0] + i] = params[i]
        return 0

    follow = Follow(robot, DT, contacts="stance")
    stages = [planned, Hold(robot), JointPID(robot, 0.0, 0.0, output="acceleration"), follow]
    pipeline = Pipeline(robot, DT, stages)
    torque = pipeline(robot.home())
    feet = [foot.name for foot in robot.feet]
    answer = sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=DT, contacts=feet[:3])
    assert torque == pytest.approx(answer.torque, abs=1e-7)  # the others count as closed there
    assert pipeline.value("follow_normal_force") == pytest.approx(answer.forces[:, 0].sum(), abs=1e-5)


def test_the_push_is_that_of_the_answer(robot):
    stages = [Hold(robot), JointPID(robot, 0.0, 0.0, output="acceleration"), Follow(robot, DT)]
    pipeline = Pipeline(robot, DT, stages)
    pipeline(robot.home())
    assert pipeline.value("follow_normal_force") == pytest.approx(robot.mass * 9.81, rel=1e-9)


def test_one_bad_measurement_does_not_stay(robot):
    """What a call made of numbers out of all bounds is forgotten by the next."""
    stages = [Hold(robot), JointPID(robot, 0.0, 0.0, output="acceleration"), Follow(robot, DT)]
    pipeline = Pipeline(robot, DT, stages)
    pipeline(robot.home())
    v = np.zeros(18)
    v[:6] = 9e11
    pipeline(sf.State(robot.home().q, v, 0.0))
    pipeline(robot.home())
    assert pipeline.value("follow_status") == 0.0
    assert pipeline.value("follow_normal_force") == pytest.approx(robot.mass * 9.81, rel=1e-9)


def test_a_pickled_touch_feels_the_same(robot):
    touch = pickle.loads(pickle.dumps(Touch(robot, 5e-4, name="switches", every=2)))
    assert (touch.name, touch.every, touch.within) == ("switches", 2, 5e-4)
    pipeline = Pipeline(robot, DT, [touch, Hold(robot), JointPID(robot, 1.0, 0.0)])
    pipeline(lifted(robot, 1, 4e-4))
    assert np.array_equal(pipeline.value("contact"), np.ones(4))


def test_errors_name_the_argument(robot):
    with pytest.raises(sf.InputError, match=r"^within: expected a number of at most 0.001, got 0.01$"):
        Touch(robot, 0.01)
    with pytest.raises(sf.InputError, match=r"^contacts: expected one of 'geometry', 'stance', got 'plan'$"):
        Follow(robot, DT, contacts="plan")


@pytest.fixture(scope="module")
def crowded(robot):
    """The robot beside boxes, whose 100 contacts are more than any controller has room for at first."""
    places = {f"box {k}": (1.0 + 0.3 * k, 1.0, 0.05) for k in range(25)}
    boxes = [sf.Box(size=(0.1, 0.1, 0.1), mass=1.0, position=at, name=name) for name, at in places.items()]
    return sf.scene(robot, terrain=sf.Plane(mu=0.5), objects=boxes)


def test_there_is_room_for_the_contacts_at_home(crowded):
    stages = [Touch(crowded), Hold(crowded), JointPID(crowded, 0.0, 0.0, output="acceleration"), Follow(crowded, DT)]
    pipeline = Pipeline(crowded, DT, stages)
    pipeline(crowded.home())
    assert np.array_equal(pipeline.value("contact"), np.ones(4))
    assert pipeline.value("follow_status") == 0.0
    assert pipeline.value("follow_normal_force") == pytest.approx(crowded.mass * 9.81, rel=1e-6)


def test_more_contacts_than_there_is_room_for_end_the_run(crowded):
    """Boxes that hang in the air at home, and all lie on the ground when the run begins."""
    home = crowded.home()
    q = home.q.copy()
    q[np.arange(len(q) - 7 * 25 + 2, len(q), 7)] += 1.0
    aloft = sf.Scene(
        crowded.spec.copy(), name="aloft", joints=crowded.joints, base=crowded.base, feet=crowded.feet,
        objects=crowded.objects, surfaces=crowded.surfaces, home=q,
    )  # fmt: skip
    why = "capacity: more contacts than the work arrays hold; calls from Python enlarge them, compiled code cannot"
    still = [Hold(aloft), JointPID(aloft, 0.0, 0.0, output="acceleration")]
    for name, stages in (("touch", [Touch(aloft), *still]), ("follow", [*still, Follow(aloft, DT)])):
        pipeline = Pipeline(aloft, DT, stages)
        with pytest.raises(sf.SolveError) as found:
            pipeline(aloft.state(home.q))
        assert str(found.value) == f"stage {name!r} ended the run with code 10, at t = 0 s: {why}"
        trace = sf.Simulator(aloft, DT).rollout(aloft.state(home.q), pipeline.policy(), duration=0.01)
        assert (len(trace), trace.end) == (0, sf.Status.POLICY)
