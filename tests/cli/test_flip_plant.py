"""The simulated robot of the flip: conservation laws, static loads, friction, steps."""

import math

import numpy as np
import pytest

from surefoot.cli import reproduce as command

command.load(command.experiments()["001-figure-12"])

from surefoot_experiments.flip_plant import BODY, TOES, Robot, advance, leg_rates, lying, slips  # noqa: E402

FLYING = 1.0  # m above the ground
NONE = np.zeros(3)
BARE = {"leg_stiffness": 0.0, "leg_damping": 0.0}  # toes that nothing holds


def flying(robot, swing=0.0):
    """At rest in the air, legs at their natural length; `swing`: m/s of the toes ahead."""
    state = lying(robot)
    state[1] = robot.half_height
    state[BODY::TOES] = np.array(robot.hips) + math.sqrt(robot.leg**2 - state[1] ** 2)
    state[1] += FLYING
    state[BODY + 1 :: TOES] = FLYING
    state[BODY + 2 :: TOES] = swing
    return state


def masses(robot):
    return np.array([robot.mass, *3 * [robot.toe]])


def places(state):
    """Places and velocities (4, 2) of body and toes."""
    toes = state[BODY:].reshape(3, TOES)
    return np.vstack([state[:2], toes[:, :2]]), np.vstack([state[3:5], toes[:, 2:]])


def spin(state, robot):
    """Angular momentum about the common centre of mass."""
    m = masses(robot)
    x, v = places(state)
    x, v = x - m @ x / m.sum(), v - m @ v / m.sum()
    return float(robot.inertia * state[5] + m @ (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]))


def energy(state, robot):
    m = masses(robot)
    x, v = places(state)
    c, s = math.cos(state[2]), math.sin(state[2])
    lengths = np.linalg.norm(x[1:] - x[0] - np.outer(robot.hips, [c, s]), axis=1)
    moving = 0.5 * m @ (v**2).sum(axis=1) + 0.5 * robot.inertia * state[5] ** 2
    springs = 0.5 * robot.leg_stiffness * ((lengths - robot.leg) ** 2).sum()
    return float(moving + springs + robot.gravity * m @ x[:, 1])


def test_a_robot_in_the_air_falls_and_does_not_turn():
    robot, dt, steps = Robot(), 1e-5, 1000
    state = flying(robot)
    seen = advance(state, NONE, 0.6, 0.4, dt, steps, robot)
    t = dt * steps
    assert state[3:6] == pytest.approx([0.0, -robot.gravity * t, 0.0], abs=1e-12)
    assert state[1] == pytest.approx(FLYING + robot.half_height - 0.5 * robot.gravity * t * (t + dt), abs=1e-12)
    assert seen.pitch_acceleration == pytest.approx(0.0, abs=1e-10)
    assert not seen.force.any()


def test_hips_turn_body_and_legs_against_each_other():
    """Torques are internal: neither momentum nor angular momentum changes, though everything moves."""
    robot = Robot()
    state = flying(robot)
    seen = advance(state, np.array([-2.0, 1.0, 3.0]), 0.6, 0.4, 1e-5, 2000, robot)
    assert abs(state[5]) > 0.1
    assert np.abs(leg_rates(state, robot)).min() > 5.0
    assert spin(state, robot) == pytest.approx(0.0, abs=1e-12)
    momentum = masses(robot) @ places(state)[1]
    assert momentum == pytest.approx([0.0, -masses(robot).sum() * robot.gravity * 0.02], abs=1e-11)
    assert seen.mean_square > seen.pitch_acceleration**2


def test_without_dampers_energy_stays_and_half_the_step_errs_half():
    robot = Robot(leg_damping=0.0)
    errors = []
    for dt in (2e-5, 1e-5):
        state = flying(robot, swing=1.0)
        start = energy(state, robot)
        advance(state, NONE, 0.0, 0.0, dt, round(0.02 / dt), robot)
        errors.append(abs(energy(state, robot) - start))
    assert errors[0] < 2e-3 * 3 * 0.5 * robot.toe
    assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.1)


def test_hips_do_the_work_that_their_angles_say():
    robot, dt, torque = Robot(leg_damping=0.0), 1e-6, np.array([-1.0, 0.5, 1.0])
    state = flying(robot)
    start, work = energy(state, robot), 0.0
    for _ in range(200):
        before = leg_rates(state, robot)
        advance(state, torque, 0.0, 0.0, dt, 50, robot)
        work += 50 * dt * float(torque @ (before + leg_rates(state, robot)) / 2.0)
    assert work > 0.05
    assert energy(state, robot) - start == pytest.approx(work, rel=1e-3)


def test_dampers_only_take_energy():
    robot = Robot()
    state = flying(robot, swing=1.0)
    energies = [energy(state, robot)]
    for _ in range(20):
        advance(state, NONE, 0.0, 0.0, 1e-5, 100, robot)
        energies.append(energy(state, robot))
    assert np.all(np.diff(energies) <= 1e-9)
    assert energies[0] - energies[-1] > 0.01


def test_the_padded_body_sinks_by_its_weight_over_the_stiffness():
    """Balanced on its end below its middle."""
    robot = Robot(half_length=0.0, **BARE)
    state = lying(robot)
    state[1] = robot.half_height
    seen = advance(state, NONE, 0.0, 0.0, 1e-5, 300_000, robot)
    assert state[1] == pytest.approx(robot.half_height - robot.mass * robot.gravity / robot.body_stiffness, abs=1e-8)
    assert seen.force[0] == pytest.approx([robot.mass * robot.gravity, 0.0], rel=1e-6)


def test_upright_legs_are_pressed_by_a_third_of_the_weight_each():
    robot = Robot(hips=(0.0, 0.0, 0.0), half_length=0.0)
    state = np.zeros(BODY + 3 * TOES)
    state[1] = robot.leg
    seen = advance(state, NONE, 0.6, 0.4, 1e-5, 150_000, robot)
    load = robot.mass * robot.gravity / 3.0
    assert state[1] == pytest.approx(robot.leg - load / robot.leg_stiffness, abs=1e-8)
    assert seen.force[1:, 0] == pytest.approx(3 * [load + robot.toe * robot.gravity], rel=1e-6)
    assert np.abs(slips(state, robot)).max() < 1e-9


@pytest.mark.parametrize("who", ["body", "toe"])
def test_friction_brakes_by_mu_g_and_then_holds(who):
    robot = Robot(half_length=0.0, half_height=0.0, **BARE)
    state = lying(robot)
    state[1] = -robot.mass * robot.gravity / robot.body_stiffness
    place = 3 if who == "body" else BODY + 2
    mu = 0.4 if who == "body" else 0.6
    state[place] = 0.5
    advance(state, NONE, 0.6, 0.4, 1e-5, 5_000, robot)
    assert state[place] == pytest.approx(0.5 - mu * robot.gravity * 0.05, rel=1e-3)
    advance(state, NONE, 0.6, 0.4, 1e-5, 20_000, robot)
    assert abs(state[place]) < 1e-9


def test_on_its_back_it_rests_half_on_its_end_until_torques_lift_its_nose():
    robot = Robot()
    state = lying(robot)
    seen = advance(state.copy(), NONE, 0.39, 0.4, 1e-6, 1, robot)
    assert seen.force[0, 0] == pytest.approx(0.5 * robot.mass * robot.gravity)
    seen = advance(state, np.full(3, -7.5), 0.39, 0.4, 2e-5, 500, robot)
    assert state[2] > 0.0
    assert seen.pitch_acceleration > 40.0
    assert np.all(seen.force[:, 0] > 30.0)
    assert np.all(np.abs(seen.force[1:, 1]) <= 0.39 * seen.force[1:, 0] + 1e-9)


def test_half_the_step_halves_the_error_of_a_thrust():
    pitches = []
    for dt in (4e-5, 2e-5, 1e-5):
        state = lying()
        advance(state, np.full(3, -7.5), 0.39, 0.4, dt, round(0.08 / dt))
        pitches.append(state[2])
    first, second = np.abs(np.diff(pitches))
    assert first < 5e-4 * pitches[-1]
    assert second == pytest.approx(0.5 * first, rel=0.3)


def test_it_is_the_same_bits_every_time():
    runs = []
    for _ in range(2):
        state = lying()
        advance(state, np.full(3, -7.5), 0.6, 0.4, 2e-5, 3000)
        runs.append(state)
    assert np.array_equal(*runs)
