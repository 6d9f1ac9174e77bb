import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels import status
from surefoot.kernels.rollout import Loop, roll
from surefoot.motion.workspace import Workspace
from surefoot.simulate.log import new_log
from surefoot.simulate.policy import KEEP_TORQUE
from tests.contact.scenes import ball, block


@sf.policy
def count_calls(t, q, v, torque_out, memory, params):
    memory[0] += 1.0
    torque_out[0] = memory[0]
    q[0] = 1e9  # a policy sees copies: this moves nothing
    v[0] = 1e9
    return 0


@sf.policy
def stop_at(t, q, v, torque_out, memory, params):
    return 1 if t >= params[0] else 0


def ready(scene, state=None, steps=10, memory=2, params=(), capacity=24, moved=()):
    """What `roll` takes for this scene."""
    state = scene.home() if state is None else state
    space = Workspace(scene, 1e-3, capacity=capacity)
    space.load(state)
    loop = Loop(
        dofs=scene.dofs,
        torque=np.zeros(len(scene.joints)),
        memory=np.zeros(memory),
        params=np.array(params, dtype=float),
        q=np.zeros(scene.nq),
        v=np.zeros(scene.nv),
        moved=np.array(moved, dtype=np.int64),
        places=scene.joint_positions[list(moved)],
        middle=np.zeros(len(moved)),
        before=np.zeros(len(moved)),
        position=np.zeros(len(moved)),
        catch_up=0.1,
        motion_memory=np.zeros(2),
        motion_params=state.q[scene.joint_positions[list(moved)]],
    )
    space.step.prescribed[scene.dofs[list(moved)]] = True
    return space, loop, new_log(steps, scene, state, len(moved))


def test_a_loop_is_the_same_steps_one_by_one():
    scene = sf.load("links")
    state = scene.state(v=0.1 * np.random.default_rng(0).normal(size=18))
    space, loop, log = ready(scene, state)
    assert roll(space.box, KEEP_TORQUE, KEEP_TORQUE, loop, log, 0, 10, 1, 0.0, False) == (status.SOLVED, 10)
    sim = sf.Simulator(scene, dt=1e-3)
    for k in range(10):
        assert np.array_equal(log.q[k], state.q)
        state, answer = sim.step(state)
        rows = slice(log.start[k], log.start[k + 1])
        assert np.array_equal(log.forces[rows], answer.forces)
        assert log.velocities[rows] == pytest.approx(answer.contact_velocity, abs=1e-12)
        assert np.array_equal(log.points[rows], answer.contacts.points)
        assert np.array_equal(log.frames[rows], answer.contacts.frames)
        assert np.array_equal(log.geoms[rows], answer.contacts.geoms)
        assert log.residual[k] == answer.residual
    assert np.array_equal(log.q[10], state.q)
    assert np.array_equal(log.v[10], state.v)


@pytest.mark.parametrize(("every", "calls"), [(1, 10), (2, 5), (3, 4), (10, 1)])
def test_the_policy_is_called_every_so_often_and_sees_copies(every, calls):
    scene = sf.load("arm")
    space, loop, log = ready(scene)
    assert roll(space.box, count_calls, KEEP_TORQUE, loop, log, 0, 10, every, 0.0, False)[0] == status.SOLVED
    assert loop.memory[0] == calls
    assert log.torque[:, 0].tolist() == [k // every + 1 for k in range(10)]
    assert np.abs(log.q).max() < 1e3


def test_a_resumed_step_does_not_call_the_policy_twice():
    scene = sf.load("arm")
    space, loop, log = ready(scene)
    roll(space.box, count_calls, KEEP_TORQUE, loop, log, 0, 4, 1, 0.0, False)
    assert roll(space.box, count_calls, KEEP_TORQUE, loop, log, 4, 10, 1, 0.0, True) == (status.SOLVED, 10)
    assert loop.memory[0] == 9


def test_a_policy_may_stop():
    scene = ball()
    space, loop, log = ready(scene, params=[0.0045])
    assert roll(space.box, stop_at, KEEP_TORQUE, loop, log, 0, 10, 1, 0.0, False) == (status.POLICY, 5)


def test_time_starts_where_it_is_told():
    scene = ball()
    space, loop, log = ready(scene, params=[1.0])
    assert roll(space.box, stop_at, KEEP_TORQUE, loop, log, 0, 10, 1, 0.9975, False) == (status.POLICY, 3)


def test_a_state_that_is_no_number_stops_it():
    scene = ball()
    space, loop, log = ready(scene)
    space.data.qvel[0] = np.nan
    assert roll(space.box, KEEP_TORQUE, KEEP_TORQUE, loop, log, 0, 10, 1, 0.0, False) == (status.NOT_FINITE, 0)


def test_too_little_room_for_contacts_stops_it_before_the_step():
    scene = block()
    space, loop, log = ready(scene, capacity=3)
    assert roll(space.box, KEEP_TORQUE, KEEP_TORQUE, loop, log, 0, 10, 1, 0.0, False) == (status.CAPACITY, 0)


def test_a_full_log_stops_it_before_the_step():
    scene = block()
    space, loop, log = ready(scene)
    small = log._replace(gaps=log.gaps[:10])
    code, done = roll(space.box, KEEP_TORQUE, KEEP_TORQUE, loop, small, 0, 10, 1, 0.0, False)
    assert (code, done) == (status.LOG_FULL, 2)  # four contacts a step
    assert roll(space.box, KEEP_TORQUE, KEEP_TORQUE, loop, log, done, 10, 1, 0.0, True) == (status.SOLVED, 10)
    assert log.start[10] == 40


@sf.joint_motion
def ramp(t, q, v, position_out, memory, params):
    memory[0] += 1.0
    position_out[0] = params[0] + 2.0 * (t - 0.5)
    return 0


def test_a_motion_is_asked_for_the_end_of_every_step():
    scene = sf.load("arm")
    space, loop, log = ready(scene, moved=[1])
    assert roll(space.box, KEEP_TORQUE, ramp, loop, log, 0, 4, 3, 0.5, False) == (status.SOLVED, 4)
    assert roll(space.box, KEEP_TORQUE, ramp, loop, log, 4, 10, 3, 0.5, True) == (status.SOLVED, 10)
    assert loop.motion_memory[0] == 9  # once a step; step 4 was resumed, and holds the position of step 3
    wanted = loop.motion_params[0] + 2e-3 * np.array([1, 2, 3, 4, 4, 6, 7, 8, 9, 10])
    assert log.wanted[:, 0] == pytest.approx(wanted, abs=1e-15)
    assert log.q[1:, scene.joint_positions[1]] == pytest.approx(wanted, abs=1e-14)
    assert not log.torque[:, [0, 2]].any()
    assert log.torque[:, 1].all()


@pytest.mark.parametrize(("position", "torque", "code"), [(np.nan, 0.0, status.MOTION), (0.0, 1.0, status.POLICY)])
def test_a_motion_that_is_no_number_or_has_a_torque_beside_it_stops_it(position, torque, code):
    scene = sf.load("arm")
    space, loop, log = ready(scene, moved=[0, 1])
    loop.position[0], loop.torque[1] = position, torque
    assert roll(space.box, KEEP_TORQUE, KEEP_TORQUE, loop, log, 0, 10, 1, 0.0, False) == (code, 0)
