"""The compiled whole-body controller: known answers, the laws, limits, errors; its program has tests of its own."""

import copy
import pickle
import tracemalloc

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.whole_body import (
    Acceleration,
    CentreOfMass,
    ContactForce,
    Momentum,
    Orientation,
    Pose,
    Position,
    Posture,
    Torque,
    WholeBody,
    standing,
)

DT = 1e-3
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


@pytest.fixture(scope="module")
def home(robot):
    return robot.home()


def moving(robot, seed, speed=0.2):
    """Standing feet at rest, all else in motion: joints follow the base."""
    rng = np.random.default_rng(seed)
    v = np.zeros(robot.nv)
    v[:6] = speed * rng.standard_normal(6)
    legs = sf.gait.Legs(robot)
    legs.angles(legs.home)
    x = legs.home
    v[robot.dofs] = legs.velocities(-(v[:3] + np.cross(v[3:6], x)))
    return robot.state(v=v)


def test_at_rest_it_is_inverse_dynamics(robot, home):
    wanted = sf.inverse_dynamics(robot, home, np.zeros(12), dt=DT, law=sf.Coulomb(mu=0.7, smooth="load"))
    controller = WholeBody(robot, DT)
    torque = controller(home)
    assert controller.status is sf.Status.SOLVED
    assert controller.forces[:, 0].sum() == pytest.approx(robot.mass * 9.81, rel=1e-6)
    assert np.abs(controller.acceleration).max() < 1e-4
    assert np.abs(torque - wanted.torque).max() < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_forward_dynamics_does_what_the_program_says(robot, seed):
    """With contacts that settle within a step, the law's motion is the program's to the last digits."""
    state = moving(robot, seed)
    controller = WholeBody(robot, DT, settle=DT, mu=0.5)
    torque = controller(state, contacts=FEET)
    assert controller.status is sf.Status.SOLVED
    again = sf.forward_dynamics(robot, state, torque, dt=DT, contacts=list(FEET))
    assert np.abs(again.velocity - (state.v + DT * controller.acceleration)).max() < 1e-9
    assert controller.disagreements == 0


def test_the_centre_of_mass_gets_the_acceleration_it_is_given(robot, home):
    controller = WholeBody(robot, DT, [CentreOfMass(name="com"), Orientation(name="base"), Posture(weight=1e-8)])
    controller.goals["com"][6:9] = 0.3, -0.2, 0.5
    controller(home)
    force = np.zeros(3)
    for frame, push in zip(controller.contacts.frames, controller.forces, strict=True):
        force += frame.T @ push
    assert force / robot.mass + [0.0, 0.0, -9.81] == pytest.approx([0.3, -0.2, 0.5], abs=1e-4)


def test_levels_are_strict(robot, home):
    """The centre of mass comes first: a posture that wants the contrary, however heavy, changes nothing of it."""
    light, heavy = (
        [CentreOfMass(name="com"), Posture(name="posture", weight=weight, level=1), Acceleration(level=2)]
        for weight in (1e-3, 1e3)
    )
    found = []
    for tasks in (light, heavy):
        controller = WholeBody(robot, DT, tasks)
        controller.goals["com"][6] = 1.0
        controller.goals["posture"][:12] += 0.2
        controller(home)
        M, data = np.zeros((robot.nv, robot.nv)), controller._space.data
        mujoco.mj_fullM(controller._space.model, data, M)
        found.append((M[0] @ controller.acceleration + data.qfrc_bias[0]) / robot.mass)
    assert found == pytest.approx([1.0, 1.0], abs=1e-8)


def test_without_contact_the_base_falls(robot, home):
    q = home.q.copy()
    q[2] += 1.0
    controller = WholeBody(robot, DT)
    controller(robot.state(q=q))
    assert controller.status is sf.Status.SOLVED
    assert len(controller.forces) == 0
    assert controller.foresight() == ()
    answer = sf.forward_dynamics(robot, robot.state(q=q), controller._c.torque, dt=DT)
    assert np.abs(answer.velocity - DT * controller.acceleration).max() < 1e-9


def test_it_says_that_feet_will_slip_and_on_request_heeds_it(robot, home):
    ice = sf.scene(robot, terrain=sf.Plane(mu=0.05))
    told = WholeBody(ice, DT, mu=0.7)
    told.goals["com"][6] = 2.0
    torque = told(home).copy()
    assert told.disagreements == 4
    assert {one.foreseen for one in told.foresight()} == {"slips"}
    assert str(told.foresight()[0]).startswith("LF_FOOT on ground: planned sticks, slips at 0.0")
    assert "slips" in told.table()
    slip = sf.forward_dynamics(ice, home, torque, dt=DT)
    assert slip.slipping.all()
    heeded = WholeBody(ice, DT, mu=0.7, check="correct")
    heeded.goals["com"][6] = 2.0
    torque = heeded(home)
    assert heeded.disagreements == 0
    again = sf.forward_dynamics(ice, home, torque, dt=DT)
    assert np.abs(again.velocity - DT * heeded.acceleration).max() < 1e-9
    known = WholeBody(ice, DT)
    known.goals["com"][6] = 2.0
    assert not sf.forward_dynamics(ice, home, known(home), dt=DT).slipping.any()


def test_limits_that_contradict_each_other_give_way_by_name(robot, home):
    controller = WholeBody(robot, DT, torque_limits=0.0, least_force=5.0)
    torque = controller(home)
    assert controller.status is sf.Status.RELAXED
    assert str(controller.status).startswith("relaxed: the limits of the program contradict each other")
    assert np.isfinite(torque).all()
    names = [one.name for one in controller.violations()]
    assert "least force of LF_FOOT on ground" in names
    assert "gave way: least force of" in controller.table()


def test_torque_limits_hold(robot, home):
    controller = WholeBody(robot, DT, torque_limits=0.4)
    assert np.abs(controller(home)).max() <= 0.4 + 1e-9
    assert controller.status is sf.Status.SOLVED


def test_speeds_hold(robot):
    controller = WholeBody(robot, DT, [Posture(kp=1e4, weight=1.0)], speed_limits=0.5)
    controller.goals["Posture"][:12] += 1.0
    q = robot.home().q.copy()
    q[2] += 1.0
    state = robot.state(q=q)
    controller(state)
    assert (DT * controller.acceleration[robot.dofs]).max() == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_joints_stop_at_the_ends_of_their_ranges(robot, home, way):
    """In flight, every joint is sent far beyond its range: it ends there if ranges are heeded, and goes on if not."""
    low, high = (robot.model.jnt_range[[robot.model.joint(name).id for name in robot.joints], i] for i in range(2))
    q = home.q.copy()
    q[2] += 1.0
    for heeded in (True, False):
        controller = WholeBody(robot, DT, [Posture(weight=1.0)], joint_ranges=heeded)
        controller.goals["Posture"][:12] = np.where(way > 0, high, low) + way
        at, least = robot.state(q=q), np.inf
        for _ in range(400):
            controller(at)
            assert controller.status is sf.Status.SOLVED
            q_next, v = at.q.copy(), at.v + DT * controller.acceleration
            v[:6] = 0.0
            q_next[robot.joint_positions] += DT * v[robot.dofs]
            at = robot.state(q=q_next, v=v)
            angles = q_next[robot.joint_positions]
            least = min(least, (angles - low).min(), (high - angles).min())
        assert -1e-9 < least < 1e-2 if heeded else least < -0.5


def test_links_keep_their_distance(robot, home):
    geoms = [robot.feet[0].geoms[0], robot.feet[1].geoms[0]]
    tasks = [Position(name="foot", body="LF_FOOT", kp=400.0), Acceleration()]
    q = home.q.copy()
    q[2] += 1.0
    state = robot.state(q=q)
    for apart in (None, {tuple(geoms): 0.2}):
        controller = WholeBody(robot, DT, tasks, apart=apart, joint_ranges=False)
        controller.hold(state)
        controller.goals["foot"][1] -= 0.3
        at = state
        for _ in range(300):
            controller(at)
            v = at.v + DT * controller.acceleration
            v[:6] = 0.0
            q = at.q.copy()
            q[7:] += DT * v[6:]
            at = robot.state(q=q, v=v)
        data = mujoco.MjData(robot.model)
        at.to_mujoco(data)
        mujoco.mj_kinematics(robot.model, data)
        ids = [robot.model.geom(name).id for name in geoms]
        distance = mujoco.mj_geomDistance(robot.model, data, *ids, 1.0, None)
        assert distance < 0.17 if apart is None else distance >= 0.199


@pytest.mark.parametrize(
    "task",
    [
        Momentum(),
        Pose(body="LF_FOOT"),
        Position(),
        ContactForce(foot="LF_FOOT", weight=1e-3),
        Torque(),
    ],
    ids=lambda task: type(task).__name__,
)
def test_every_task_can_be_added_to_standing(robot, home, task):
    controller = WholeBody(robot, DT, [*standing(), task])
    controller(home)
    assert controller.status is sf.Status.SOLVED


def test_a_force_task_is_followed(robot, home):
    controller = WholeBody(robot, DT, [*standing(), ContactForce(name="push", foot="LF_FOOT", weight=1.0)])
    controller.goals["push"][:] = 0.0, 0.0, 8.0
    controller(home)
    row = controller.contacts.names.index("LF_FOOT on ground")
    assert controller.forces[row, 0] == pytest.approx(8.0, abs=0.05)


def test_the_same_call_again_gives_the_same_bits(robot):
    state = moving(robot, 3)
    controller = WholeBody(robot, DT, torque_limits=2.0)
    first = controller(state).copy()
    controller(robot.home())
    assert np.abs(controller(state) - first).max() < 1e-10


def test_copies_have_goals_and_limits_of_their_own(robot, home):
    controller = WholeBody(robot, DT, torque_limits=0.5)
    controller.goals["com"][2] += 0.01
    for other in (copy.deepcopy(controller), pickle.loads(pickle.dumps(controller))):
        assert np.array_equal(other(home), controller(home))
        other.goals["com"][2] += 1.0
        assert not np.array_equal(other.goals["com"], controller.goals["com"])


@pytest.mark.parametrize("contacts", [None, FEET], ids=["found", "planned"])
@pytest.mark.parametrize("check", ["trust", "tell", "correct"])
def test_no_array_is_made_in_a_call(robot, home, check, contacts):
    """Neither kept nor for a moment: at no time in a call is there as much as one small array more than before."""
    controller = WholeBody(robot, DT, check=check, torque_limits=2.0)
    for _ in range(3):
        controller(home, contacts=contacts)
    tracemalloc.start()
    try:
        controller(home, contacts=contacts)
        most = 0
        for _ in range(20):
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            controller(home, contacts=contacts)
            most = max(most, tracemalloc.get_traced_memory()[1] - before)
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        np.zeros((12, 12))
        array = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert array > 1152, "arrays are seen"
    assert most < 800


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"tasks": CentreOfMass()}, "tasks: expected a list of tasks, got CentreOfMass"),
        ({"tasks": []}, "tasks: expected at least one, got none"),
        ({"tasks": [1]}, "tasks: expected tasks, got int among them"),
        ({"tasks": [Posture(), Posture()]}, "tasks: two are called 'Posture'; give each a name of its own"),
        ({"tasks": [Posture(level=-1)]}, "Posture: level: expected a whole number of at least 0, got -1"),
        ({"tasks": [Posture(weight=-1.0)]}, "Posture: weight: expected numbers of at least 0, got -1"),
        ({"tasks": [Posture(kp=[1.0])]}, "Posture: kp: expected shape (12,), got (1,)"),
        ({"tasks": [Posture(joints="all")]}, "Posture: joints: expected a list of names, got the string 'all'"),
        ({"edges": 2}, "edges: expected a number of at least 3, got 2"),
        ({"edges": 4.5}, "edges: expected a whole number, got 4.5"),
        ({"settle": 1e-4}, "settle: expected a number of at least 0.001, got 0.0001"),
        ({"check": "maybe"}, "check: expected one of 'trust', 'tell', 'correct', got 'maybe'"),
        ({"most_force": 1.0, "least_force": 2.0}, "most_force: expected at least least_force = 2 N, got 1"),
        ({"speed_limits": 0.0}, "speed_limits['LF_X1']: expected a positive number, got 0"),
        ({"speed_limits": "fast"}, "speed_limits: expected an array of numbers, got str"),
        ({"speed_limits": {"LF_X1": 1.0}}, "speed_limits: expected an array of numbers, got dict"),
        ({"speed_limits": [1.0]}, "speed_limits: expected shape (12,), got (1,)"),
        ({"speed_limits": np.nan}, "speed_limits['LF_X1']: expected a positive number, got nan"),
        ({"apart": 5}, "apart: expected a dict of distances by pairs of geom names, got int"),
        (
            {"apart": {("BASE", "BASE"): 0.1}},
            "apart: expected pairs of names of different geoms, got ('BASE', 'BASE')",
        ),
        (
            {"apart": {("LF_FOOT", "RF_FOOT"): np.nan}},
            "apart[('LF_FOOT', 'RF_FOOT')]: expected a finite number, got nan",
        ),
        ({"apart": {"a": 1.0}}, "apart: expected pairs of names of different geoms, got 'a'"),
    ],
)
def test_bad_arguments_are_named(robot, change, text):
    with pytest.raises(sf.InputError) as error:
        WholeBody(robot, DT, **change)
    assert str(error.value) == text


def test_unknown_names_are_told_with_the_choices(robot):
    with pytest.raises(sf.InputError, match=r"^Position: body: .*'nose'"):
        WholeBody(robot, DT, [Position(body="nose")])
    with pytest.raises(sf.InputError, match=r"^ContactForce: foot: .*'nose'.*LF_FOOT"):
        WholeBody(robot, DT, [ContactForce(foot="nose")])


def test_a_bolted_robot_has_no_centre_of_mass_task():
    arm = sf.load("arm")
    with pytest.raises(sf.InputError) as error:
        WholeBody(arm, DT, [CentreOfMass()])
    assert str(error.value) == "CentreOfMass: expected a floating base, but arm is bolted down"
    controller = WholeBody(arm, DT, [Posture(weight=1.0)])
    torque = controller(arm.home())
    assert controller.status is sf.Status.SOLVED
    assert np.abs(torque - sf.inverse_dynamics(arm, arm.home(), np.zeros(11), dt=DT).torque).max() < 1e-9
