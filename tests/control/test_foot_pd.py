"""Error feedback of the feet: the force in known numbers, and a quadruped that trots on it."""

import re

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.control import (
    Balance,
    Command,
    FeedForward,
    Follow,
    FootPD,
    ForwardKinematics,
    GaitPlanner,
    InverseKinematics,
    Pipeline,
    Stage,
)
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3


def goals(position, velocity):
    """A planner that says these goals, functions of t."""

    def say(board, t):
        board["foot_position"], board["foot_velocity"] = position(t), velocity(t)

    return Stage("goals", "planning", writes=("foot_position", "foot_velocity"), function=say)


def anywhere(robot, seed=0):
    rng = np.random.default_rng(seed)
    q, v = robot.home().q.copy(), rng.standard_normal(robot.nv)
    q[3:7] = rng.standard_normal(4)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[robot.joint_positions] += 0.3 * rng.standard_normal(12)
    return robot.state(q=q, v=v)


def jacobian(robot, state):
    """(feet, 3, joints) of the feet in the base's frame, by MuJoCo."""
    model = robot.model
    data, rows = mujoco.MjData(model), []
    data.qpos[:] = state.q
    mujoco.mj_forward(model, data)
    turn = data.xmat[model.body(robot.base).id].reshape(3, 3)
    for foot in robot.feet:
        full, geom = np.zeros((3, model.nv)), model.geom(foot.geoms[0]).id
        mujoco.mj_jac(model, data, full, None, data.geom_xpos[geom], model.body(foot.body).id)
        rows.append(turn.T @ full[:, robot.dofs])
    return np.array(rows)


def feedback(robot, state, kp, kd, output="torque", seed=1):
    """What the stage adds in its second tick, and the force that it should be made of."""
    rng = np.random.default_rng(seed)
    wanted, moves = rng.standard_normal((2, 4, 3))
    stages = [ForwardKinematics(Legs(robot)), goals(lambda t: wanted, lambda t: moves)]
    pipeline = Pipeline(robot, DT, [*stages, FootPD(Legs(robot), kp, kd, output=output)])
    pipeline(state)
    assert not pipeline.value(output).any()
    pipeline(state)
    now, speed = pipeline.value("foot_position_now"), pipeline.value("foot_velocity_now")
    by_foot = [np.broadcast_to(np.reshape(gain, (-1, 1)), (4, 1)) for gain in (kp, kd)]
    return pipeline.value(output).copy(), by_foot[0] * (wanted - now) + by_foot[1] * (moves - speed)


@pytest.mark.parametrize("seed", range(3))
def test_torques_push_each_foot_with_its_force(links, seed):
    state = anywhere(links, seed)
    torque, force = feedback(links, state, [1e3, 2e3, 0.0, 5e2], [30.0, 0.0, 20.0, 0.0])
    np.testing.assert_allclose(torque, np.einsum("fk,fkj->j", force, jacobian(links, state)), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_of_the_joints_give_each_foot_its_own(links, seed):
    state = anywhere(links, seed)
    acceleration, force = feedback(links, state, 2e3, 60.0, "acceleration")
    np.testing.assert_allclose(jacobian(links, state) @ acceleration, force, rtol=1e-4, atol=1e-3)


def test_the_goals_are_those_that_the_last_tick_named_for_its_end(links):
    """A foot that is where its plan says is left alone, though the plan is a tick ahead of it."""
    legs, speed = Legs(links), np.array([0.2, 0.0, 0.1])
    stages = [goals(lambda t: legs.home + (t + DT) * speed, lambda t: np.tile(speed, (4, 1)))]
    pipeline = Pipeline(links, DT, [ForwardKinematics(legs), *stages, FootPD(legs, 1e3, 30.0)])
    for k in range(5):
        q, v = links.home().q.copy(), np.zeros(18)
        q[7:] = legs.angles(legs.home + k * DT * speed)
        v[6:] = legs.velocities(np.tile(speed, (4, 1)))
        pipeline(links.state(q=q, v=v, t=k * DT))
        assert np.abs(pipeline.value("torque")).max() <= 1e-6


def test_gains_by_name_move_only_that_foot(links):
    legs = Legs(links)
    stages = [ForwardKinematics(legs), goals(lambda t: legs.home + 0.01, lambda t: np.zeros((4, 3)))]
    pipeline = Pipeline(links, DT, [*stages, FootPD(legs, {"LH_FOOT": 1e3}, 0.0)])
    pipeline(links.home())
    torque = pipeline(links.home())
    assert np.flatnonzero(torque).tolist() == [6, 7, 8]


def test_a_lost_sensor_is_not_hidden_and_leaves_nothing_behind(links):
    def lose(board, t):
        if t == 1.0:
            board["q"][7] = np.nan

    legs = Legs(links)
    stages = [Stage("lose", "perception", reads=("q",), writes=("q",), function=lose), ForwardKinematics(legs)]
    stages += [goals(lambda t: legs.home, lambda t: np.zeros((4, 3))), FootPD(legs)]
    pipeline = Pipeline(links, DT, stages)
    before, lost, after = (pipeline(links.home().replace(t=t)).copy() for t in (0.0, 1.0, 2.0))
    assert np.isnan(lost).all()
    assert np.abs([before, after]).max() <= 1e-9


# In simulation


def trot(robot, feedback, duration=3.0, mu=0.5):
    legs = Legs(robot)
    ground = sf.scene(robot, terrain=sf.Plane(mu=mu))
    planner = Planner(legs, Gait.named("trot", period=0.3, duty=0.75, step_height=0.015), DT)
    stages = [ForwardKinematics(legs), Command(0.2, ramp=0.3), GaitPlanner(planner), *feedback(legs, ground)]
    pipeline = Pipeline(robot, DT, stages)
    simulator = sf.Simulator(ground, dt=DT)
    return simulator.rollout(ground.home(), pipeline.policy(), duration=duration), pipeline, simulator


def upright(trace):
    return 1.0 - 2.0 * (trace.q[:, 4] ** 2 + trace.q[:, 5] ** 2)


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0])
def test_it_trots_on_forces_of_the_feet_and_balance_without_inverse_dynamics(links, mu):
    trace, _, _ = trot(links, lambda legs, ground: [FootPD(legs, 1e3, 30.0), Balance(legs)], mu=mu)
    assert trace.end is sf.Status.SOLVED
    assert upright(trace).min() >= np.cos(np.radians(3.0))
    assert trace.q[-1, 0] == pytest.approx(0.57, abs=0.1)
    assert trace.q[0, 2] - trace.q[:, 2].min() <= 0.02  # it sags: nothing carries the weight but the error
    assert np.abs(trace.torque).max() <= 10.0


@pytest.mark.parametrize(("kp", "kd"), [(2e3, 60.0), (1e6, 1e3)])
def test_it_trots_on_accelerations_of_the_feet(links, kp, kd):
    def feedback(legs, ground):
        feet = FootPD(legs, kp, kd, output="acceleration")
        return [InverseKinematics(legs, DT), FeedForward(legs.robot), feet, Follow(ground, DT, "coulomb")]

    trace, pipeline, _ = trot(links, feedback)
    assert trace.end is sf.Status.SOLVED
    assert upright(trace).min() >= np.cos(np.radians(2.0))
    assert trace.q[-1, 0] == pytest.approx(0.57, abs=0.05)
    assert np.abs(trace.q[:, 2] - trace.q[0, 2]).max() <= 0.003
    assert "foot_position_now" in pipeline.table()


def test_compiled_and_in_python_the_same_bits_every_time(links):
    first, pipeline, simulator = trot(links, lambda legs, ground: [FootPD(legs), Balance(legs)], 0.3)
    again, _, _ = trot(links, lambda legs, ground: [FootPD(legs), Balance(legs)], 0.3)
    python = simulator.rollout(first.state(0), lambda state: pipeline(state), duration=0.3)
    assert np.array_equal(first.torque, again.torque)
    assert np.array_equal(first.torque, python.torque)
    assert np.abs(first.torque).max() > 0.5


MISTAKES = [
    (lambda legs: FootPD(legs.robot), "legs: expected Legs (see sf.gait), got Scene"),
    (lambda legs: FootPD(legs, kp=-1.0), "kp: expected a number of at least 0, got -1"),
    (lambda legs: FootPD(legs, kp=np.nan), "kp: expected a finite number, got nan"),
    (lambda legs: FootPD(legs, kd=[1.0, 2.0]), "kd: expected shape (4,), got (2,)"),
    (lambda legs: FootPD(legs, kd=[1.0, -2.0, 0.0, 0.0]), "kd['RF_FOOT']: expected a number of at least 0, got -2"),
    (
        lambda legs: FootPD(legs, {"LF": 1.0}),
        "kp: no foot is called 'LF'; The choices are: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT",
    ),
    (lambda legs: FootPD(legs, {"LF_FOOT": "a"}), "kp['LF_FOOT']: expected a finite number, got 'a'"),
    (
        lambda legs: FootPD(legs, output="force"),
        "output: expected one of 'torque', 'acceleration', got 'force'",
    ),
    (
        lambda legs: Pipeline(legs.robot, DT, [goals(lambda t: legs.home, lambda t: np.zeros((4, 3))), FootPD(legs)]),
        "stages: 'foot_pd' reads 'foot_position_now', which no stage before it writes",
    ),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES)
def test_is_refused_in_these_words(links, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(Legs(links))
