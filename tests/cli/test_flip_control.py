"""The rigid model of the flip and its controllers, against differences, SciPy's linear programs and the plant."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import scipy

from surefoot.cli import reproduce as command

command.load(command.experiments()["001-figure-12"])

from surefoot_experiments import flip_control as control  # noqa: E402
from surefoot_experiments.flip import CHOSEN, SMOOTH, flip, mode_of  # noqa: E402
from surefoot_experiments.flip_model import contacts, on_its_end  # noqa: E402
from surefoot_experiments.flip_plant import BODY, Robot, advance, leg_rates, lying, slips  # noqa: E402

ROBOT = Robot()
BODIES = {
    "thrust": np.array([0.02, 0.07, 0.12, 0.3, 0.6, 3.0]),
    "slow": np.array([0.0, 0.06, 0.05, -0.05, 0.1, 0.5]),
    "rest": np.array([0.0, 0.047, 0.0, 0.0, 0.0, 0.0]),
    "up": np.array([0.1, 0.235, 1.1, -0.2, 0.1, 1.0]),
}


def measured(body, standing=(0, 1, 2)):
    """A state of the plant with this body, rigid legs that do not turn, and toes that stand."""
    state = lying()
    state[:BODY] = body
    return control.Measured(state, standing, 0.0)


def angles(body, legs):
    """Hip angles of rigid legs whose toes are on the ground ahead of their hips."""
    heights = body[1] + math.sin(body[2]) * np.array(ROBOT.hips)
    return np.arccos(heights[list(legs)] / ROBOT.leg) - body[2]


def points(q, legs):
    """Height and y of the body's end and the toes, from y, z, pitch and hip angles."""
    c, s = math.cos(q[2]), math.sin(q[2])
    end = q[:2] + np.array([[c, -s], [s, c]]) @ [-ROBOT.half_length, -ROBOT.half_height]
    found = [end[::-1]]
    for angle, i in zip(q[3:], legs, strict=True):
        hip = q[:2] + ROBOT.hips[i] * np.array([c, s])
        found.append((hip + ROBOT.leg * np.array([math.sin(q[2] + angle), -math.cos(q[2] + angle)]))[::-1])
    return np.concatenate(found)


@pytest.mark.parametrize("name", BODIES)
def test_jacobian_and_its_rate_are_those_of_the_geometry(name):
    body = BODIES[name]
    where = contacts(body, (0, 1, 2), ROBOT)
    legs = where.legs
    q, v = np.concatenate([body[:3], angles(body, legs)]), where.velocity
    h = 1e-6
    columns = [(points(q + h * e, legs) - points(q - h * e, legs)) / (2 * h) for e in np.eye(len(q))]
    assert where.jacobian == pytest.approx(np.column_stack(columns), abs=1e-8)
    h = 1e-4
    rate = (points(q + h * v, legs) - 2 * points(q, legs) + points(q - h * v, legs)) / h**2
    assert where.rate == pytest.approx(rate, abs=1e-4)
    assert points(q, legs)[2::2] == pytest.approx(np.zeros(len(legs)), abs=1e-12)
    assert (where.jacobian @ v)[2::2] == pytest.approx(np.zeros(len(legs)), abs=1e-12)
    assert where.slips[where.places] == pytest.approx((where.jacobian @ v)[1::2])


def test_legs_out_of_reach_are_left_out():
    assert contacts(BODIES["up"], (0, 1, 2), ROBOT).legs == (0,)
    assert contacts(BODIES["thrust"], (0, 2), ROBOT).legs == (0, 2)
    assert np.isnan(contacts(BODIES["thrust"], (0, 2), ROBOT).slips).tolist() == [False, False, True, False]


def test_a_body_of_which_only_the_pitch_is_known_stands_on_its_end():
    body = on_its_end(0.4, 2.0, ROBOT)
    where = contacts(body, (0, 1, 2), ROBOT)
    assert points(body[:3], ())[0] == pytest.approx(0.0, abs=1e-12)
    assert (where.jacobian @ where.velocity)[:2] == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("toe", [0.0, ROBOT.toe])
@pytest.mark.parametrize("name", BODIES)
def test_every_solution_balances_body_and_legs(name, toe):
    """Newton for the body and the balance of each leg about its hip, by hand: (35) and (36)."""
    task = _task(toe=toe)
    where = contacts(BODIES[name], (0, 1, 2), ROBOT)
    system = task.model(where, measured(BODIES[name]).state)
    torque = np.full(len(where.legs), -3.0)
    solutions = system.response().solutions(torque)
    assert len(solutions) == 1
    f, a = solutions[0].force.reshape(-1, 2), solutions[0].acceleration
    toes = (where.jacobian @ a + where.rate).reshape(-1, 2)[1:]
    f[1:] -= toe * (toes + np.array([ROBOT.gravity, 0.0]))  # what the toes themselves need
    total = f.sum(axis=0)
    assert ROBOT.mass * a[:2] == pytest.approx([total[1], total[0] - ROBOT.mass * ROBOT.gravity], abs=1e-6)
    for k, i in enumerate(where.legs):
        height = BODIES[name][1] + math.sin(BODIES[name][2]) * ROBOT.hips[i]
        ahead = math.sqrt(ROBOT.leg**2 - height**2)
        assert ahead * f[1 + k, 0] + height * f[1 + k, 1] == pytest.approx(-torque[k], abs=1e-6)


def _task(**changes):
    return replace(CHOSEN.task(SMOOTH), **changes)


def _best_by_scipy(system, floor):
    """The largest pitch acceleration over all modes, by SciPy, and its mode."""
    nv, nf, t = system.sizes
    best = (-np.inf, "")
    tokens = []
    for v, most in zip(system.contact_velocity[:, 1], system.threshold[:, 1], strict=True):
        tokens.append("SLRF" if abs(v) <= most else "SR" if v > 0 else "SL")
    for mode in itertools.product(*tokens):
        equal = [np.hstack([system.inertia, -system.jacobian.T, -system.inputs])]
        value, below, bound = [-system.bias], [], []
        for i, token in enumerate(mode):
            force, motion = np.zeros((2, nv + nf + t)), np.zeros((2, nv + nf + t))
            force[[0, 1], [nv + 2 * i, nv + 2 * i + 1]] = 1.0
            motion[:, :nv] = system.jacobian[2 * i : 2 * i + 2]
            rate, mu = system.jacobian_rate[2 * i : 2 * i + 2], system.friction[i]
            moving = abs(system.contact_velocity[i, 1]) > system.threshold[i, 1]
            if token == "S":
                equal.append(force)
                value.append(np.zeros(2))
                below.append(-motion[0])
                bound.append(rate[0])
                continue
            below.append(-force[0])
            bound.append(0.0)
            if token == "F":
                equal.append(motion)
                value.append(-rate)
                below += [force[1] - mu * force[0], -force[1] - mu * force[0]]
                bound += [0.0, 0.0]
            else:
                sign = 1.0 if token == "R" else -1.0
                equal += [motion[:1], (force[1] + sign * mu * force[0])[None]]
                value += [-rate[:1], np.zeros(1)]
                if not moving:
                    below.append(-sign * motion[1])
                    bound.append(sign * rate[1])
        below.append(-np.eye(nv + nf + t)[nv])
        bound.append(-floor)
        aim = np.zeros(nv + nf + t)
        aim[2] = -1.0
        bounds = [(None, None)] * (nv + nf) + [tuple(limits) for limits in system.torque_limits]
        found = scipy.optimize.linprog(aim, below, bound, np.vstack(equal), np.concatenate(value), bounds)
        if found.status == 0 and -found.fun > best[0]:
            best = (-found.fun, "".join(mode))
    return best


@pytest.mark.parametrize("name", ["thrust", "slow", "up"])
def test_all_modes_finds_what_scipy_finds_mode_by_mode(name):
    task, given = _task(), measured(BODIES[name])
    decision = control.AllModes(task)(given)
    where = contacts(BODIES[name], given.standing, ROBOT)
    value, mode = _best_by_scipy(task.model(where, given.state), task.floor)
    assert decision.sure
    assert decision.pressed
    assert decision.predicted == pytest.approx(value, rel=1e-5)
    assert [decision.modes[i] for i in where.places] == list(mode)
    assert np.isnan(decision.torque).tolist() == [i not in where.legs for i in range(3)]


def test_blind_foresees_what_its_modes_say():
    """Where its modes are the true ones, the response of that mode to its torque is its prediction."""
    given = measured(on_its_end(0.12, 3.0, ROBOT))
    decision = control.Blind(_task(), control.Jump(1e-3, 10.0, 2.0, 5.0))(given)
    body = on_its_end(0.12, 3.0, ROBOT)
    body[3] += 0.5  # body and rear toe slide ahead, the others back
    system = _task().model(contacts(body, (0, 1, 2), ROBOT), given.state)
    acceleration, force = system.response()[decision.modes].respond(decision.torque)
    assert decision.modes == "RRLL"
    assert decision.predicted == pytest.approx(acceleration[2], rel=1e-6)
    assert force[0] >= CHOSEN.floor - 1e-6


def test_blind_believes_in_a_stuck_toe_for_good_once_the_middle_leg_is_up():
    blind = control.Blind(_task(), control.Jump(1e-3, 10.0, 2.0, 5.0))
    low, high = measured(on_its_end(0.2, 2.0, ROBOT)), measured(on_its_end(0.8, 2.0, ROBOT))
    assert blind(low._replace(pitch_acceleration=-30.0)).modes == "RRLL"
    for _ in range(50):
        blind(low._replace(pitch_acceleration=30.0))
    assert not blind.stuck
    assert blind(high._replace(pitch_acceleration=30.0)).modes == "RFSS"
    for _ in range(500):
        blind(high._replace(pitch_acceleration=-30.0))
    assert blind.stuck


def test_a_jump_is_what_the_quick_filter_is_above_the_slow_one():
    jump = control.Jump(1e-3, 10.0, 2.0, 5.0)
    assert [jump.rise(-7.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    rises = np.array([jump.rise(3.0) for _ in range(500)])
    t = 1e-3 * np.arange(1, 501)
    assert rises == pytest.approx(10.0 * (np.exp(-4 * np.pi * t) - np.exp(-20 * np.pi * t)), abs=1e-9)


def test_motors_that_weaken_with_speed_give_nothing_at_their_no_load_speed():
    task = _task(no_load=30.0)
    for turn, push, lift in ((0.0, -7.5, 7.5), (-15.0, -3.75, 7.5), (-30.0, 0.0, 7.5), (15.0, -7.5, 3.75)):
        state = lying()
        legs = state[BODY:].reshape(3, 4)
        legs[:, 2] = -turn * (legs[:, 1] - state[1])
        legs[:, 3] = turn * (legs[:, 0] - np.array(ROBOT.hips))
        assert leg_rates(state, ROBOT) == pytest.approx(3 * [turn])
        assert task.limits(state) == pytest.approx(np.tile([push, lift], (3, 1)))


def test_a_stiff_robot_does_what_the_rigid_model_says():
    """Two programs, one physics: stiff legs with light toes under constant torques, against the model's response."""
    stiff = Robot(toe=1e-3, leg_stiffness=1e6, leg_damping=200.0, body_stiffness=1e6, body_damping=4e3)
    state, torque = lying(stiff), np.array([-6.0, -7.0, -7.5])
    seen = advance(state, torque, SMOOTH, 0.4, 5e-7, 60_000, stiff)
    where = contacts(state[:BODY], (0, 1, 2), stiff)
    modes = "".join(mode_of(*pair) for pair in zip(seen.force[:, 0], slips(state, stiff), strict=True))
    system = _task(robot=stiff, toe=stiff.toe).model(where, state)
    acceleration, force = system.response()[modes].respond(torque)
    after = advance(state, torque, SMOOTH, 0.4, 5e-7, 2000, stiff)
    assert after.pitch_acceleration == pytest.approx(acceleration[2], rel=0.02)
    assert after.force[:, 0] == pytest.approx(force[::2], rel=0.05)


def test_a_flip_repeats_bit_for_bit():
    choices = replace(CHOSEN, period=8e-3)
    first = flip("toes", SMOOTH, choices)
    flip.__globals__["_flip"].cache_clear()
    again = flip("toes", SMOOTH, choices)
    assert first is not again
    assert np.array_equal(first.state, again.state)
    assert np.array_equal(first.predicted, again.predicted)
