"""Robots, states, answers and traces go to other processes and come back: no bit of a roll-out changes."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import surefoot as sf

COPIES = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


def roll(robot, start):
    return sf.Simulator(robot, dt=1e-3, law=sf.Coulomb(mu=0.4)).rollout(start, duration=0.05)


@pytest.fixture(scope="module")
def fall():
    robot = sf.load("links")
    home = robot.home()
    start = home.replace(q=home.q + 0.01 * (np.arange(robot.nq) == 2), v=np.linspace(-1, 1, robot.nv))
    return roll(robot, start)


def same_steps(first, second):
    for name in ("t", "q", "v", "torque", "status", "contact_start", "contact_forces", "contact_velocities"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name


@pytest.mark.parametrize("through", COPIES)
def test_a_copy_rolls_out_to_the_same_bits(fall, through):
    again = through(fall)
    same_steps(again, fall)
    same_steps(roll(again.scene, again.state(0)), fall)
    assert (again.end, again.law, again.message) == (fall.end, fall.law, fall.message)


def test_another_process_rolls_out_to_the_same_bits(fall):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        same_steps(pool.submit(roll, fall.scene, fall.state(0)).result(), fall)


@pytest.mark.parametrize("through", COPIES)
def test_an_answer_keeps_its_problem(fall, through):
    answer = fall.replay(20)
    again = through(answer)
    assert again.residuals() == answer.residuals()
    assert again.table() == answer.table()
    assert again.status is answer.status
    assert np.array_equal(again.ground_force, answer.ground_force)


@pytest.mark.parametrize("through", COPIES)
def test_a_simulator_comes_back_with_its_settings_and_arrays_of_its_own(fall, through):
    first = sf.Simulator(fall.scene, 1e-3, sf.Coulomb(mu=0.4), 5e-3, restitution=0.5, speed=7.0)
    second = through(first)
    same_steps(*(sim.rollout(fall.state(0), duration=0.02) for sim in (first, second)))
    assert (second.control_dt, second.restitution, second.speed) == (5e-3, 0.5, 7.0)
    assert second.space is not first.space


@pytest.mark.parametrize("through", COPIES)
def test_a_controller_comes_back_with_its_belief_and_arrays_of_its_own(fall, through):
    first = sf.InverseDynamics(fall.scene, 1e-3, sf.NoSlip())
    second = through(first)
    mine = first(fall.state(0), np.ones(12))
    kept = mine.copy()
    assert np.array_equal(second(fall.state(0), np.ones(12)), kept)
    second(fall.state(0), np.zeros(12))
    assert np.array_equal(mine, kept)
    assert second.law == sf.NoSlip()


def test_an_error_brings_its_answer_along():
    robot = sf.load("arm")
    answer = sf.forward_dynamics(robot, robot.home(), dt=1e-3)
    error = pickle.loads(pickle.dumps(sf.SolveError("no answer", answer)))
    assert str(error) == "no answer"
    assert np.array_equal(error.result.velocity, answer.velocity)
