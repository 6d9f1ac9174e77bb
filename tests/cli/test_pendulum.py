"""The pendulum that swings past a ball, drawn pseudo-randomly and by Sobol's sequence."""

import mujoco
import numpy as np
import pytest

from surefoot.cli import reproduce as command

NAME = "004-section-3-2-3"


@pytest.fixture(scope="module")
def pendulum():
    return command.load(command.experiments()[NAME])


@pytest.fixture(scope="module")
def scenario(pendulum):
    return pendulum.swing()


def _least_distance(trace):
    """Least distance in m between the ball and a rod, as MuJoCo's own narrow phase has it."""
    model = trace.scene.model
    data = mujoco.MjData(model)
    ball, rods = model.geom("ball").id, [model.geom(f"rod{k}").id for k in range(1, 13)]
    least = np.inf
    for q in trace.q:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        least = min(least, *(mujoco.mj_geomDistance(model, data, ball, rod, 1.0, None) for rod in rods))
    return least


def test_the_state_has_24_dimensions_and_the_start_is_the_given_one(pendulum, scenario):
    names = [parameter.name for parameter in scenario.parameters()]
    assert names == [f"start.{what}hinge{k}" for what in ("", "velocity.") for k in range(1, 13)]
    trace = scenario.replay("limp", 0)
    assert trace.q[0, 0] == pendulum.ANGLE
    assert trace.v[0, 0] == pendulum.RATE
    assert np.all(trace.q[0, 1:12] == 0.0)
    drawn = scenario.values(3, seed=1)
    moved = scenario.replay("limp", 3, seed=1)
    assert moved.q[0, 4] == drawn["start.hinge5"] != 0.0
    assert moved.v[0, 0] == pendulum.RATE + drawn["start.velocity.hinge1"]


def test_the_ball_flies_as_a_stone_does_and_is_missed(pendulum, scenario):
    trace = scenario.replay("limp", 0)
    k = round(pendulum.MEET / trace.dt)
    assert trace.q[k, 12:15] == pytest.approx(pendulum.WHERE, abs=9.81 * pendulum.MEET * trace.dt)
    assert trace.v[k, 12:15] == pytest.approx([0.0, pendulum.SPEED, 0.0], abs=1e-9)
    assert _least_distance(trace) > 1e-3


def test_a_strike_is_where_another_program_sees_them_touch(scenario):
    outcomes = {k: scenario.trace("limp", k, seed=1).outcome for k in range(1, 101)}
    struck = [k for k, outcome in outcomes.items() if outcome == "known failure"]
    assert 1 <= len(struck) <= 5
    for k in struck:
        assert _least_distance(scenario.replay("limp", k, seed=1)) < 1e-5
    for k in range(1, 101, 12):
        if k not in struck:
            assert _least_distance(scenario.replay("limp", k, seed=1)) > 0.0


def test_a_plant_that_served_before_changes_no_bit(pendulum, scenario):
    scenario.trace("limp", 7)
    again, fresh = scenario.replay("limp", 8), pendulum.swing().replay("limp", 8)
    assert np.array_equal(again.q, fresh.q)
    assert np.array_equal(again.v, fresh.v)


def test_waits_and_rates_of_a_known_table(pendulum):
    strikes = np.zeros((3, 10), dtype=bool)
    strikes[0, [3, 7]] = strikes[1, 0] = True  # the third seed sees none
    sampled = pendulum.Sampled(strikes)
    assert sampled.first.tolist() == [4, 1, 11]
    assert sampled.seen == 2
    assert (sampled.rate.successes, sampled.rate.n) == (3, 30)
    mean, low, high = sampled.mean_first()
    assert mean == (4 + 1 + 10) / 2
    assert low < mean < high
    assert pendulum.Sampled(strikes[2:]).mean_first()[0] == np.inf


def test_the_interval_of_the_mean_wait_covers(pendulum):
    rng = np.random.default_rng(5)
    p, covered = 0.02, 0
    for _ in range(400):
        _, low, high = pendulum.Sampled(rng.random((24, 128)) < p).mean_first()
        covered += low <= 1 / p <= high
    assert 0.92 <= covered / 400 <= 0.99


def test_both_ways_find_the_same(quick):
    found = quick(NAME)
    rows = {row["of a strike"]: row for row in found.rows}
    for way in ("pseudo-random", "Sobol"):
        share = float(rows["likelihood, %"][way].split()[0])
        assert 0.0 < share < 5.0
        assert 1 <= int(rows["seeds that saw one"][way].split()[0]) <= 4
        assert int(rows["samples until the first, fewest"][way]) <= 65
    assert rows["likelihood, %"]["the paper"] == rows["samples until the first, mean"]["the paper"] == "about the same"
    assert found.notes[0] == "4 seeds of 64 samples each way; intervals of 95 %."
    assert found.figure.stat().st_size > 10_000
