"""Planner, kinematics, feedback and inverse dynamics in one compiled loop: the quadruped goes where it is told."""

import pickle

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Command, stage, walker
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


def walk(robot, command, duration, *, gait="trot", mu=0.5, law="coulomb", limits=None, **numbers):
    ground = sf.scene(robot, terrain=sf.Plane(mu=mu))
    pipeline = walker(ground, command, Gait.named(gait, **numbers), DT, law=law, torque_limits=limits)
    trace = sf.Simulator(ground, dt=DT, law="coulomb").rollout(ground.home(), pipeline.policy(), duration=duration)
    return trace, pipeline


def heading(trace):
    """Turning of the base about the vertical in rad, and how upright it is, 1 for all."""
    w, x, y, z = trace.q[:, 3:7].T
    return np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y**2 + z**2))), 1 - 2 * (x**2 + y**2)


@pytest.mark.parametrize(("mu", "law"), [(0.5, "coulomb"), (0.1, "coulomb"), (0.5, "dissipative")])
def test_it_trots_forward(robot, mu, law):
    trace, _ = walk(robot, Command(0.2), 5.0, mu=mu, law=law)
    _, upright = heading(trace)
    assert trace.end is sf.Status.SOLVED
    assert upright.min() >= 0.99
    assert np.linalg.norm(trace.q[-1, :2]) == pytest.approx(1.0, abs=0.15)
    assert np.abs(trace.q[:, 2] - trace.q[0, 2]).max() <= 0.01


@pytest.mark.parametrize("law", ["coulomb", "no-slip"])
def test_where_no_foot_can_slip_it_needs_motors_that_give_way(robot, law):
    """A foot that lands a little early would throw the robot up with thousands of newtons."""
    trace, _ = walk(robot, Command(0.2, ramp=0.5), 10.0, mu=np.inf, law=law, limits=4.0)
    _, upright = heading(trace)
    assert upright.min() >= 0.99
    assert np.abs(trace.torque).max() <= 4.0 + 1e-9
    assert trace.q[-1, 0] >= 1.5
    assert np.abs(trace.q[:, 2] - trace.q[0, 2]).max() <= 0.02


@pytest.mark.parametrize(
    ("gait", "numbers", "command", "moves"),
    [
        ("walk", {}, (0.1, 0.0, 0.0), (0.5, 0.0)),
        ("pace", {}, (0.1, 0.0, 0.0), (0.5, 0.0)),
        ("trot", {}, (0.0, 0.1, 0.0), (0.0, 0.5)),
        ("trot", {"duty": 0.45}, (0.3, 0.0, 0.0), (1.5, 0.0)),
    ],
)
def test_other_gaits_and_ways(robot, gait, numbers, command, moves):
    trace, _ = walk(robot, Command(*command), 5.0, gait=gait, **numbers)
    _, upright = heading(trace)
    assert upright.min() >= 0.97
    assert trace.q[-1, :2] == pytest.approx(moves, abs=0.15)


def test_it_turns_in_place(robot):
    trace, _ = walk(robot, Command(turn=0.5), 5.0)
    turned, upright = heading(trace)
    assert upright.min() >= 0.99
    assert turned[-1] == pytest.approx(2.5, abs=0.3)
    assert np.linalg.norm(trace.q[-1, :2]) <= 0.02


def test_it_starts_and_stops(robot):
    @stage(phase="planning", reads=("time",), writes=("command",))
    def for_a_while(t, board, where, memory, params):
        board[where[1]] = 0.15 if 0.5 <= board[where[0]] < 2.0 else 0.0
        board[where[1] + 1] = 0.0
        board[where[1] + 2] = 0.0
        return 0

    trace, pipeline = walk(robot, for_a_while, 4.0)
    before, after = trace.t < 0.5, trace.t > 3.0
    assert np.abs(trace.v[before]).max() <= 1e-6
    assert np.abs(trace.v[after]).max() <= 1e-2
    assert trace.q[-1, 0] == pytest.approx(0.225, abs=0.04)
    assert pipeline.table()


def test_compiled_and_in_python_the_same_bits_every_time(robot):
    ground = sf.scene(robot, terrain=sf.Plane(mu=0.5))
    sim = sf.Simulator(ground, dt=DT)
    pipeline = walker(ground, Command(0.2), "trot", DT)
    first, again = (sim.rollout(ground.home(), pipeline.policy(), duration=0.5) for _ in range(2))
    assert np.array_equal(first.q, again.q)
    assert np.array_equal(first.torque, again.torque)
    pipeline.reset()
    python = sim.rollout(ground.home(), lambda state: pipeline(state), duration=0.5)
    assert np.array_equal(first.torque, python.torque)


def test_a_pickled_walker_walks_the_same(robot):
    ground = sf.scene(robot, terrain=sf.Plane(mu=0.5))
    pipeline = walker(ground, Command(0.2), "trot", DT)
    twin = pickle.loads(pickle.dumps(pipeline))
    first, other = (
        sf.Simulator(ground, dt=DT).rollout(ground.home(), walks.policy(), duration=0.3) for walks in (pipeline, twin)
    )
    assert np.array_equal(first.q, other.q)


def test_stages_do_what_planner_and_legs_do(robot):
    legs = Legs(robot)
    planner = Planner(legs, "trot", DT)
    ground = sf.scene(robot, terrain=sf.Plane(mu=0.5))
    pipeline = walker(ground, Command(0.2, 0.05, 0.1), "trot", DT)
    state, angles = ground.home(), None
    for k in range(200):
        pipeline(sf.State(state.q, state.v, k * DT))
        plan = planner(k * DT + DT, (0.2, 0.05, 0.1))
        assert pipeline.value("foot_position") == pytest.approx(plan.position, abs=1e-12)
        assert np.array_equal(pipeline.value("stance") > 0, plan.stance)
        if angles is not None:
            assert pipeline.value("joint_position") == pytest.approx(angles, abs=1e-7)
        angles = legs.angles(plan.position)
        assert pipeline.value("inverse_kinematics_missing") <= 1e-9
