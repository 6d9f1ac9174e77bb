import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.design import Answered, Course, Footing, GaitTask, LinkClearance, Reach, limits, rehearse
from surefoot.design.rows import violations
from surefoot.design.witnesses import measure
from surefoot.errors import InputError
from surefoot.traces import JointRange, NoSelfCollision, Tilt, TorqueSpeed
from surefoot.traces.span import Span
from tests.design import small

LAW = "dissipative"


@pytest.fixture(scope="module")
def ground():
    return sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.7))


@pytest.fixture(scope="module")
def trot(ground):
    task = GaitTask(small.TROT, dt=1e-2)
    return rehearse(ground, task.course(ground, 0.3), task.parts(ground), LAW)


@pytest.fixture(scope="module")
def wide(ground):
    task = GaitTask(small.TROT, dt=1e-2)
    return rehearse(ground, task.course(ground, 0.3), task.parts(ground), LAW, width=10)


def standing(ground, **kwargs):
    task = GaitTask(small.TROT, dt=4e-2, **kwargs)
    return rehearse(ground, task.course(ground, 0.0), task.parts(ground), LAW)


# Known answers


def test_torque_speed_is_what_the_motor_has_left(trot, ground):
    """1 - |v| / v_max - |torque| / torque_max, by joint [Zapolsky2017, with the erratum]."""
    torque, speed = np.linspace(1, 3, 12), np.linspace(5, 13, 12)
    each = TorqueSpeed(torque, speed).each(trot)
    for k, joint in enumerate(ground.joints):
        load = np.abs(trot.v[:, ground.dofs[k]]) / speed[k] + np.abs(trot.torque[:, k]) / torque[k]
        assert each[f"torque-speed {joint}"] == pytest.approx(1.0 - load, abs=1e-12)


def test_joint_range_is_the_distance_to_the_nearer_stop(trot, ground):
    each = JointRange(low=-1.5, high={"LF_X1": 0.5}).each(trot)
    q = trot.q[:, ground.joint_positions[0]]
    assert each["joint range LF_X1"] == pytest.approx(np.minimum(q + 1.5, 0.5 - q) / 1.0)


def test_reach_is_room_of_the_leg(trot):
    each = Reach(limit=0.9).each(trot)
    assert list(each) == [f"reach {foot}" for foot in trot.parts]
    assert each["reach RH_FOOT"] == pytest.approx(1.0 - trot.stretch[:, 3] / 0.9)


def test_reach_of_a_hand_is_what_is_missing_over_a_centimetre():
    robot = small.arm()
    course = small.resting().course(robot, 1.0)
    there = rehearse(robot, course, ("tip",), LAW)
    assert Reach().values(there).tolist() == [1.0] * len(there)
    far = rehearse(robot, replace(course, points=course.points + np.array([1.0, 0.0, 0.0])), ("tip",), LAW)
    assert Reach(near=0.02).values(far) == pytest.approx(-far.missing[:, 0] / 0.02)
    assert (Reach().values(far) < -1.0).all()


def test_reach_is_violated_before_a_leg_is_quite_stretched(ground):
    """A leg of `links` is 0.077 + 0.129 m long from its second joint: 97 % of it is beyond the limit of 95 %."""
    height = GaitTask(small.TROT, height=0.97, length=1.0, relative=True, width=1.0)
    rehearsal = rehearse(ground, height.course(ground, 0.0), height.parts(ground), LAW, samples=[0])
    assert rehearsal.missing.max() == 0.0
    assert Reach().values(rehearsal)[0] < 0.0


def test_a_link_on_the_ground_is_negative_and_far_ones_are_1(ground):
    up, down = (LinkClearance().each(standing(ground, height=height)) for height in (0.16, 0.02))
    assert up["link clearance BASE"].tolist() == [1.0] * 10
    assert (down["link clearance BASE"] < 0.0).all()
    base = LinkClearance(near=0.05).each(standing(ground, height=0.06))["link clearance BASE"]
    assert base == pytest.approx(np.full(10, (0.06 - 0.025) / 0.05), abs=1e-6)


def test_answered_tells_what_the_law_cannot_do_from_what_is_out_of_reach(trot):
    none, asked = np.zeros(len(trot), dtype=bool), np.arange(len(trot)) > 0
    assert Answered().values(trot).tolist() == [1.0] * len(trot)
    assert Answered().values(replace(trot, solved=none, asked=asked)).tolist() == [1.0] + [-1.0] * (len(trot) - 1)


def test_a_foot_that_stubs_or_floats_is_seen(ground):
    """A base that is sunk while a foot swings, and one that is lifted."""
    task = GaitTask(small.TROT, dt=1e-2)
    course, parts = task.course(ground, 0.2), task.parts(ground)
    on_course = Footing().each(rehearse(ground, course, parts, LAW))
    assert all(values.min() >= 0.0 for values in on_course.values())
    top, sunk = int(course.points[:, 0, 2].argmax()), course.base.copy()
    sunk[top, 2] -= 0.03
    stubs = Course(course.dt, sunk, course.base_velocity, course.points, course.velocities, course.stance, True)
    assert Footing().each(rehearse(ground, stubs, parts, LAW))["footing LF_FOOT"][top] < 0.0
    lifted = course.base.copy()
    lifted[:, 2] += 0.04
    floats = Course(course.dt, lifted, course.base_velocity, course.points, course.velocities, course.stance, True)
    values = Footing().each(rehearse(ground, floats, parts, LAW))["footing LF_FOOT"]
    assert (values[course.stance[:, 0]] < 0.0).all()


def test_the_limits_are_those_of_table_4():
    names = [one.name for one in limits(1.0, 1.0)]
    assert names == ["reach", "contact law", "torque-speed", "joint range", "no self-collision", "link clearance"]
    assert [one.name for one in limits(1.0, 1.0, width=2)] == [*names, "roll", "pitch", "footing"]
    tilt = limits(1.0, 1.0, width=2, roll=0.2, pitch=0.3)[-3:-1]
    assert tilt == [Tilt("roll", 0.2), Tilt("pitch", 0.3)]


# Properties


@pytest.mark.parametrize("name", ["trot", "wide"])
def test_values_are_the_least_of_each(name, request):
    rehearsal = request.getfixturevalue(name)
    for witness in (Reach(), TorqueSpeed(2.0, 8.0), JointRange(), LinkClearance(), Footing()):
        least = np.min(list(witness.each(rehearsal).values()), axis=0)
        assert (witness.values(rehearsal) == least).all()


@pytest.mark.parametrize("name", ["trot", "wide"])
def test_all_limits_are_measured_at_all_samples(name, request):
    rehearsal = request.getfixturevalue(name)
    names, values = measure(limits(2.0, 8.0, width=2), rehearsal)
    assert values.shape == (len(rehearsal), len(names))
    assert len(set(names)) == len(names)
    assert np.isfinite(values).all()


@given(st.floats(0.5, 10.0))
@settings(max_examples=20)
def test_distances_have_no_unit(trot, scale):
    """A motor with `scale` times the torque and the speed has 1 - (1 - phi) / scale left."""
    one, other = (TorqueSpeed(2.0 * k, 8.0 * k).values(trot) for k in (1.0, scale))
    assert other == pytest.approx(1.0 - (1.0 - one) / scale)


@given(st.integers(1, 30), st.floats(0.01, 0.99))
@settings(max_examples=20)
def test_crossings_are_located_between_samples(k, share):
    """A line that falls through zero at a known time."""
    problem = small.trotting(witnesses=[lambda span: 0.02 * (k + share) - span.t + 0.0], dt=1e-2)
    found = violations(problem.look(problem.morphology.start, 0.1), 0.0)
    assert [one.time for one in found] == pytest.approx([0.02 * (k + share)] if k + share < 19.5 else [], abs=1e-9)


# Edge cases


def test_where_a_course_is_out_of_reach_nothing_else_is_known(ground):
    task = GaitTask(small.TROT, height=0.5, dt=4e-2)
    far = rehearse(ground, task.course(ground, 0.1), task.parts(ground), LAW)
    names, values = measure(limits(2.0, 8.0), far)
    told = np.array([name.startswith(("reach", "contact law")) for name in names])
    assert np.isinf(values[:, ~told]).all()
    assert np.isfinite(values[:, told]).all()
    assert (values[:, told].min(axis=1) < 0.0).all()


def test_a_law_is_not_blamed_for_a_next_sample_out_of_reach(ground):
    task = GaitTask(small.TROT, dt=2e-2)
    fast = rehearse(ground, task.course(ground, 3.0), task.parts(ground), LAW)
    assert (fast.missing.max(axis=1) == 0.0).any()
    assert not fast.asked.all()
    assert Answered().values(fast)[~fast.asked].tolist() == [1.0] * int((~fast.asked).sum())


def test_infinities_count_as_far_and_not_as_unknown(trot):
    _, values = measure([lambda span: np.full(len(span), np.inf), lambda span: np.full(len(span), -np.inf)], trot)
    assert (values == [1e6, -1e6]).all()


def test_a_users_own_in_python_and_compiled(trot, ground):
    def gentle(span):
        return 1.0 - np.abs(span.torque).max(axis=1) / 5.0

    names, values = measure([gentle, small.slow.bind([9.0])], trot)
    assert names == ("gentle", "slow")
    assert values[:, 0] == pytest.approx(1.0 - np.abs(trot.torque).max(axis=1) / 5.0)
    assert values[:, 1] == pytest.approx(np.minimum(1.0, 1.0 - np.abs(trot.v[:, 6:]).max(axis=1) / 9.0))


def test_an_object_with_each_tells_its_parts_apart(trot):
    class Halves:
        name = "halves"

        def values(self, span):
            return np.zeros(len(span))

        def each(self, span):
            return {"front": np.zeros(len(span)), "hind": np.ones(len(span))}

    names, values = measure([Halves(), NoSelfCollision(every=1)], trot)
    assert names == ("front", "hind", "no self-collision")
    assert (values[:, :2] == [0.0, 1.0]).all()


# Error texts


@pytest.mark.parametrize(
    ("witnesses", "text"),
    [
        ([], "witnesses: expected some, got none"),
        ([None], "witnesses: expected a requirement such as Upright(), or a function of a Span, got None"),
        ([Reach], f"witnesses: expected a requirement such as Upright(), or a function of a Span, got {Reach!r}"),
    ],
)
def test_bad_witnesses_are_refused(trot, witnesses, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        measure(witnesses, trot)


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (None, "witness 'own': expected an array of numbers, got NoneType"),
        (1.0, "witness 'own': expected shape (40,), got ()"),
        (np.zeros(3), "witness 'own': expected shape (40,), got (3,)"),
        (np.ones(40, dtype=bool), "witness 'own': expected signed distances to violation, got true and false"),
        (np.where(np.arange(40) < 3, 1.0, np.nan), "witness 'own': expected numbers, got nan at 0.03 s"),
    ],
)
def test_a_users_own_that_returns_nonsense_is_refused(trot, returned, text):
    def own(span):
        return returned

    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        measure([own], trot)


@pytest.mark.parametrize("witness", [Reach(), Answered(), Footing()])
def test_those_of_a_plan_look_at_rehearsals_only(trot, witness):
    fields = {name: getattr(trot, name) for name in Span.__dataclass_fields__}
    with pytest.raises(InputError, match=f"^witness '{witness.name}': looks at what was planned, and so at rehearsals"):
        witness.values(Span(**fields))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Reach(limit=1.5), "Reach.limit: expected a number of at most 1, got 1.5"),
        (lambda: Reach(near=0), "Reach.near: expected a number above 0, got 0"),
        (lambda: LinkClearance(near=None), "LinkClearance.near: expected a finite number, got None"),
        (lambda: limits(1.0, 1.0, width=2, roll=-1), "Tilt.limit: expected a number above 0, got -1"),
    ],
)
def test_bad_limits_are_refused(make, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        make()
