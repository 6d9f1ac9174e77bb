import math
import re

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.laws import LAWS
from surefoot.traces.disturbances import Disturbances, Fault, Push
from surefoot.traces.imperfect import Errors
from tests.traces import small
from tests.traces.small import DT

BALL = sf.Ball(radius=0.1, mass=2.0, position=(0.5, 0.0, 3.0))


@pytest.fixture(scope="module")
def flyer():
    return small.flyer()


@pytest.fixture(scope="module")
def rod():
    return small.rod()


def run(robot, duration=0.1, policy=None, **given):
    return small.traced(robot, small.idle if policy is None else policy, duration, **given).full_trace()


def momentum(robot, q, v, body=1):
    """(6,) linear and angular momentum of a body and all it carries, in the world, the latter about its centre."""
    data = mujoco.MjData(robot.model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(robot.model, data)
    mujoco.mj_subtreeVel(robot.model, data)
    mass = robot.model.body_subtreemass[body]
    return np.concatenate([mass * data.subtree_linvel[body], data.subtree_angmom[body]])


def energy(robot, trace):
    """(n + 1,) J."""
    model, data, total = robot.model, mujoco.MjData(robot.model), []
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    for q, v in zip(trace.q, trace.v, strict=True):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        total.append(data.energy.sum())
    return np.array(total)


FORCE = np.array([3.0, -20.0, 7.0])
TIMES = [(0.0, 0.1), (0.0, 0.05), (0.03, 0.02), (0.0304, 0.0199), (0.0304, 0.0196), (0.02, 4e-4), (0.02, 9.0)]


def impulse(time, duration, mass):
    """(3,) N s of a push and of gravity within 0.1 s, whatever the steps; only the start is rounded to one."""
    return FORCE * min(duration, 0.1 - round(time / DT) * DT) + np.array([0.0, 0.0, -9.81 * mass * 0.1])


@pytest.mark.parametrize(("time", "duration"), TIMES)
def test_a_free_body_gains_force_times_duration(time, duration):
    ball = sf.scene(None, terrain=None, objects=[BALL])
    start = ball.state(v=[1, 2, 3, 4, 5, 6])
    trace = run(ball, state=start, pushes=[Push(tuple(FORCE), time, duration)])
    assert 2.0 * (trace.v[-1] - start.v)[:3] == pytest.approx(impulse(time, duration, 2.0), rel=1e-9)
    assert trace.v[-1][3:] == pytest.approx(start.v[3:], rel=1e-12)


@pytest.mark.parametrize("policy", [small.idle, small.nothing])
@pytest.mark.parametrize(("time", "duration"), TIMES)
def test_a_robot_in_the_air_gains_force_times_duration(flyer, policy, time, duration):
    trace = run(flyer, policy=policy, pushes=[Push(tuple(FORCE), time, duration)])
    gained = (momentum(flyer, trace.q[-1], trace.v[-1]) - momentum(flyer, trace.q[0], trace.v[0]))[:3]
    error = np.abs(gained - impulse(time, duration, flyer.mass))  # of first order in the step: links turn
    assert error.max() < 5e-4 * np.linalg.norm(impulse(time, duration, flyer.mass))


def test_pushes_add_up_and_a_push_of_no_duration_is_none(flyer):
    twice = run(flyer, pushes=[Push((2, 0, 0), 0.02, 0.03), Push((3, 0, 0), 0.02, 0.03), Push((99, 0, 0), 0.02, 0.0)])
    once = run(flyer, pushes=[Push((5, 0, 0), 0.02, 0.03)])
    assert twice.q == pytest.approx(once.q, abs=1e-13)
    none = run(flyer, pushes=[Push((99, 0, 0), 0.05, 0.0), Push((99, 0, 0), 7.0)])
    assert none.q.tobytes() == run(flyer).q.tobytes()


def test_a_torque_turns_and_does_not_move(flyer):
    start = flyer.state(v=np.zeros(flyer.nv))
    free = small.flyer('<option gravity="0 0 0"/>')
    trace = run(free, state=start, duration=0.05, pushes=[Push((0, 0, 0), 0.01, 0.02, torque=(0.0, 0.0, 0.4))])
    gained = momentum(free, trace.q[-1], trace.v[-1])
    assert gained[:3] == pytest.approx(np.zeros(3), abs=2e-5)  # of first order in the step
    assert gained[3:] == pytest.approx([0.0, 0.0, 0.4 * 0.02], abs=5e-6)


def step_by_mujoco(robot, q, v, push, body):
    """Velocity after one step, by MuJoCo's xfrc_applied and its own forward dynamics."""
    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[:], data.qvel[:] = q, v
    data.xfrc_applied[model.body(body).id] = [*push.force, *push.torque]
    mujoco.mj_forward(model, data)
    return v + DT * data.qacc


@pytest.mark.parametrize("body", ["upper", "lower"])
def test_a_push_on_a_link_is_mujocos_xfrc_applied(rod, body):
    push = Push((4.0, 9.0, -13.0), 0.0, 1.0, torque=(0.3, -0.2, 0.7), body=body)
    start = rod.state([0.4, -0.7], [3.0, -5.0])
    trace = run(rod, duration=0.03, state=start, pushes=[push])
    for k in (0, 10, 20):  # where it is laid on anew
        assert trace.v[k + 1] == pytest.approx(
            step_by_mujoco(rod, trace.q[k], trace.v[k], push, body), rel=1e-10, abs=1e-10
        )
    gone = [trace.v[k + 1] - step_by_mujoco(rod, trace.q[k], trace.v[k], push, body) for k in range(30)]
    assert np.abs(gone).max() < 0.06 * np.abs(trace.v[1] - trace.v[0]).max()  # between, where it was


def test_a_push_on_the_base_of_a_robot_that_tumbles_is_mujocos(flyer):
    push = Push((4.0, 9.0, -13.0), 0.004, 1.0, torque=(0.3, -0.2, 0.7))
    start = flyer.state(v=[1, 2, 3, 4, -5, 6, 7])
    trace = run(flyer, duration=0.03, state=start, pushes=[push])
    for k in (4, 14, 24):
        wanted = step_by_mujoco(flyer, trace.q[k], trace.v[k], push, "trunk")
        assert trace.v[k + 1] == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_the_first_loose_object_is_pushed_where_nothing_floats(rod):
    world = sf.scene(rod, objects=[BALL, sf.Ball(radius=0.1, mass=1.0, position=(2, 0, 3), name="other")])
    trace = run(world, pushes=[Push((0.0, 6.0, 0.0), 0.02, 0.05)])
    at = int(world.model.joint("ball").dofadr[0])
    assert trace.v[-1][at + 1] == pytest.approx(6.0 * 0.05 / 2.0, rel=1e-9)
    other = int(world.model.joint("other").dofadr[0])
    assert trace.v[-1][other + 1] == 0.0
    named = run(world, pushes=[Push((0.0, 6.0, 0.0), 0.02, 0.05, body="other")])
    assert named.v[-1][other + 1] == pytest.approx(6.0 * 0.05, rel=1e-9)


def test_a_push_on_what_stands_is_held_by_friction_or_not():
    box = sf.scene(
        None, terrain=sf.Plane(mu=0.5), objects=[sf.Box(size=(0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))]
    )
    held = run(box, pushes=[Push((0.49 * 9.81, 0, 0), 0.0, 0.1)])
    slid = run(box, pushes=[Push((0.60 * 9.81, 0, 0), 0.0, 0.1)])
    assert np.abs(held.q[-1][0]) < 1e-9
    assert slid.v[-1][0] == pytest.approx(0.1 * 9.81 * 0.1, rel=1e-6)


@pytest.mark.parametrize("law", [law for law in LAWS if law != "soft"])
def test_a_stuck_joint_holds_under_load(rod, law):
    fault = Fault("stuck", "shoulder", 0.05)
    trace = run(rod, 0.2, law=sf.Simulator(rod, law=law).law, faults=[fault])
    shoulder = trace.q[:, 0]
    assert shoulder[50] > 0.03  # it fell before
    assert np.abs(shoulder[51:] - shoulder[51]).max() < 1e-9
    assert np.abs(shoulder[51] - shoulder[50]) <= DT * np.abs(trace.v[50][0])
    assert np.abs(trace.q[-1][1] - trace.q[51][1]) > 0.1  # the elbow is free


def test_a_stuck_joint_creeps_where_friction_is_soft(rod):
    trace = run(rod, 0.2, law=sf.Soft(), faults=[Fault("stuck", "shoulder", 0.05)])
    assert np.abs(trace.v[100:, 0]).max() < 0.02  # rad/s; 1.9 when it sticks
    assert trace.q[-1, 0] - trace.q[50, 0] < 0.03


def test_a_stuck_joint_takes_energy_and_gives_none(rod):
    trace = run(rod, 0.3, faults=[Fault("stuck", "shoulder", 0.1)])
    total = energy(rod, trace)
    assert total[101] < total[100] - 0.1  # it stops dead
    assert np.diff(total)[100:].max() < 5e-5  # the step's own error while the elbow swings
    assert np.abs(total[102:] - total[102]).max() < 5e-3


def test_a_stuck_joint_is_a_joint_prescribed_to_stay(rod):
    start = rod.state([0.3, 0.5])
    stuck = run(rod, 0.2, state=start, faults=[Fault("stuck", "shoulder", 0.0)])
    held = sf.Simulator(rod, DT).rollout(start, duration=0.2, motion={"shoulder": 0.3})
    assert stuck.q == pytest.approx(held.q, abs=1e-9)
    assert np.ptp(stuck.q[:, 1]) > 0.1


def test_a_stuck_joint_comes_loose_again(rod):
    trace = run(rod, 0.15, faults=[Fault("stuck", "*", 0.0, until=0.1)])
    assert np.abs(trace.q[:101]).max() < 1e-15
    free = run(rod, 0.05)
    assert trace.q[100:] == pytest.approx(free.q, abs=1e-12)


def test_a_stuck_leg_holds_a_standing_robot():
    robot = sf.load("links-light")
    trace = run(robot, 0.1, faults=[Fault("stuck", "*", 0.0)])
    assert np.abs(trace.q[-1][7:] - trace.q[0][7:]).max() < 1e-9
    assert np.abs(trace.q[-1][2] - trace.q[0][2]) < 1e-4
    assert trace.ok


@pytest.mark.parametrize("make", [small.telling, small.telling_python])
def test_weak_and_dead_motors_and_their_times(rod, make):
    faults = [Fault("weak", "shoulder", 0.01, strength=0.25), Fault("dead", "sh*", 0.02, until=0.025)]
    faults += [Fault("weak", "shoulder", 0.03), Fault("dead", "elbow", 0.0)]
    trace = run(rod, 0.035, make(rod, calls=1.0), faults=faults, values={"motor.shoulder.strength": 0.8})
    factor = np.repeat([0.8, 0.2, 0.0, 0.2, 0.1], [10, 10, 5, 5, 5])
    assert trace.torque[:, 0] == pytest.approx(factor * np.arange(1, 36), rel=1e-15)


@pytest.mark.parametrize("make", [small.telling, small.telling_python])
def test_a_dropout_repeats_the_last_reading(rod, make):
    fault = Fault("dropout", "encoder.elbow", 0.01, until=0.02)
    trace = run(rod, 0.03, make(rod, q=[1], factor=0.1), faults=[fault], values={"encoder.elbow.bias": 0.5})
    held = np.minimum(np.arange(30), 9)
    rows = np.where(np.arange(30) < 20, held, np.arange(30))
    assert trace.torque[:, 0] == pytest.approx(0.1 * (trace.q[rows, 1] + 0.5), abs=1e-15)
    assert np.ptp(trace.q[:, 1]) > 1e-4


def test_a_dropout_of_the_magnetometer_keeps_the_whole_turn(flyer):
    start = flyer.state(v=[1, 1, 0, 3, 2, 1, 0])
    for part in ("magnetometer.yaw", "magnetometer.*"):
        told = [
            run(flyer, 0.02, small.telling(flyer, q=[place], factor=1e-3), state=start,
                faults=[Fault("dropout", part, 0.01)])
            for place in (3, 4, 5, 6, 0)
        ]  # fmt: skip
        for trace, place in zip(told[:4], (3, 4, 5, 6), strict=True):
            assert trace.torque[:, 0] == pytest.approx(1e-3 * trace.q[np.minimum(np.arange(20), 9), place], abs=1e-16)
        assert told[4].torque[:, 0] == pytest.approx(1e-3 * told[4].q[:20, 0], abs=1e-16)  # GPS goes on


def test_a_sensor_that_fails_at_once_gives_its_first_reading(flyer):
    start = flyer.state(v=[1, 1, 0, 3, 2, 1, 0], t=0.0)
    trace = run(flyer, 0.01, small.telling(flyer, q=[3], factor=0.01), state=start, faults=[Fault("dropout", "*", 0.0)])
    assert trace.torque[:, 0].tolist() == [0.01 * start.q[3]] * 10


def test_pieces_do_not_matter_where_nothing_befalls(flyer):
    """Faults that come after the end leave no trace."""
    faults = [Fault("stuck", "hip", 5.0), Fault("dead", "hip", 5.0), Fault("dropout", "*", 5.0)]
    policy = small.telling(flyer, factor=0.1, q=[7], v=[6])
    assert run(flyer, 0.25, policy, faults=faults).q.tobytes() == run(flyer, 0.25, policy).q.tobytes()


def test_what_comes_next(rod):
    errors = Errors(rod, DT, {}, {}, 0, 1)
    pushes = [Push((1, 0, 0), 0.02, 0.025, body="lower")]
    disturbances = Disturbances(pushes, [Fault("dead", "elbow", 0.01)], rod, DT, errors)
    assert disturbances.steps == [10, 20, 45, 2**62]
    assert [disturbances.next(k) for k in (0, 10, 20, 30, 40, 45)] == [10, 20, 30, 40, 45, 2**62]
    assert Disturbances([], [], rod, DT, errors).next(0) == 2**62


def test_patterns_name_all_that_match():
    robot = sf.load("links-light")
    assert Fault("dead", "LF_*", 0.0).parts(robot) == ["LF_X1", "LF_Y2", "LF_Y3"]
    assert Fault("dropout", "gps.*", 0.0).parts(robot) == ["gps.x", "gps.y"]
    assert Fault("dropout", "encoder.??_X1", 0.0).parts(robot) == [
        f"encoder.{leg}_X1" for leg in ("LF", "RF", "LH", "RH")
    ]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Push((1, 2), 0.0), "Push.force: expected shape (3,), got (2,)"),
        (lambda: Push("xyz", 0.0), "Push.force: expected an array of numbers, got str"),
        (lambda: Push((1, np.nan, 2), 0.0), "Push.force: expected finite numbers, got nan at index 1"),
        (lambda: Push((1, 2, 3), -1.0), "Push.time: expected a number of at least 0, got -1"),
        (lambda: Push((1, 2, 3), 0.0, -0.1), "Push.duration: expected a number of at least 0, got -0.1"),
        (lambda: Push((1, 2, 3), 0.0, math.inf), "Push.duration: expected a finite number, got inf"),
        (lambda: Push((1, 2, 3), 0.0, torque=(0,)), "Push.torque: expected shape (3,), got (1,)"),
        (
            lambda: Fault("broken", "hip", 0.0),
            "Fault.kind: expected one of 'stuck', 'weak', 'dead', 'dropout', got 'broken'",
        ),
        (lambda: Fault("dead", 3, 0.0), "Fault.part: expected the name of a joint or of a reading, got 3"),
        (lambda: Fault("dead", "hip", -1.0), "Fault.time: expected a number of at least 0, got -1"),
        (lambda: Fault("dead", "hip", 1.0, 0.5), "Fault.until: expected at least time = 1 s, got 0.5"),
        (lambda: Fault("dead", "hip", 1.0, np.nan), "Fault.until: expected a finite number, got nan"),
        (lambda: Fault("weak", "hip", 0.0, strength=-1), "Fault.strength: expected a number of at least 0, got -1"),
    ],
)
def test_what_is_no_push_and_no_fault(make, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        make()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda rod, flyer: Push((1, 0, 0), 0.0).body_of(rod),
            "Push.body: 'made' has no base that floats and no loose object; name a body",
        ),
        (
            lambda rod, flyer: Push((1, 0, 0), 0.0, body="legs").body_of(flyer),
            "Push.body: no body is called 'legs'; did you mean 'leg'? The choices are: trunk, leg",
        ),
        (
            lambda rod, flyer: Push((1, 0, 0), 0.0, body="world").body_of(rod),
            "Push.body: no body is called 'world'; The choices are: upper, lower",
        ),
        (
            lambda rod, flyer: Fault("dead", "knee*", 0.0).parts(rod),
            "Fault.part: no joint is called 'knee*'; The choices are: shoulder, elbow",
        ),
        (
            lambda rod, flyer: Fault("dropout", "gps.x", 0.0).parts(rod),
            "Fault.part: no reading is called 'gps.x'; The choices are: encoder.shoulder, encoder.elbow, "
            "encoder_rate.shoulder, encoder_rate.elbow, torque_sensor.shoulder, torque_sensor.elbow",
        ),
    ],
)
def test_what_a_robot_has_not(rod, flyer, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(rod, flyer)
