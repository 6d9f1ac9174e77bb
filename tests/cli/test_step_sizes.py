"""What the experiments on step sizes stand on: the search, the waves, the measure of errors, the paths."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.cli import reproduce as command


@pytest.fixture(scope="module")
def arm():
    return command.load(command.experiments()["004-table-16"])


@pytest.fixture(scope="module")
def quadruped():
    return command.load(command.experiments()["004-table-15"])


@pytest.fixture(scope="module")
def protocol(arm):
    from surefoot_experiments import step_sizes

    return step_sizes


@pytest.fixture(scope="module")
def waves(arm):
    return arm.Waves(sf.load("ur10", ground=None), arm.CENTRE, arm.SIZE, arm.RATE, 0.3, rise=1.5)


@pytest.mark.parametrize("limit", [1e-3, 1.5e-3, 2e-3, 0.0123, 0.0999])
def test_the_largest_step_is_found(protocol, limit):
    tried = []

    def good(dt):
        tried.append(dt)
        return dt <= limit

    found = protocol.largest_step(good)
    assert limit / (1.0 + protocol.SHARE) <= found <= limit
    assert tried[0] == protocol.FIRST
    assert max(tried) <= protocol.LAST


def test_no_step_is_larger_than_the_last(protocol):
    assert protocol.largest_step(lambda dt: True) == 0.1


def test_a_first_step_that_is_too_large_is_an_error(protocol):
    with pytest.raises(sf.SolveError) as caught:
        protocol.largest_step(lambda dt: False)
    assert str(caught.value) == "the first step, 1 ms, is too large already"


@pytest.mark.parametrize("t", [0.0, 0.4, 1.2, 1.4999, 2.0])
def test_velocities_and_accelerations_are_derivatives(waves, t):
    from surefoot_experiments.sinusoids import waves as function

    def at(time):
        out = np.zeros((3, 8))
        function(time, 8, waves.params, *out)
        return out

    h = 1e-5
    before, now, after = at(t - h), at(t), at(t + h)
    slope = (after - before) / (2.0 * h) if t > 0.0 else (after - now) / h
    tolerance = 1e-8 if t > 0.0 else 1e-3
    assert slope[0] == pytest.approx(now[1], abs=tolerance)
    if t != 0.0:  # the acceleration jumps when the waves begin
        assert slope[1] == pytest.approx(now[2], abs=1e-7)
    position, velocity = waves.at([t])
    assert np.array_equal(position[0], now[0])
    assert np.array_equal(velocity[0], now[1])


def test_the_error_of_a_prescribed_sine_is_that_of_its_chords(arm, protocol):
    # A chord over h is off by up to a h^2 / 8, on average over the step by a h^2 / 12.
    robot, h, t = sf.load("ur10", ground=None), 0.05, np.linspace(0.0, 5.0, 10_001)[:, None]
    waves = arm.Waves(robot, arm.CENTRE, arm.SIZE, arm.RATE, 0.0)
    run = protocol.Method("", waves, sf.Coulomb(), lambda dt: waves.prescribed()).run(h, 5.0)
    size, rate = np.array(arm.SIZE)[:6], np.array(arm.RATE)[:6]
    expected = np.abs(size * rate**2 * np.sin(rate * t)).mean() * h**2 / 12.0
    assert run.error == pytest.approx(expected, rel=0.01)
    assert run.stable


@pytest.mark.parametrize("gain", [1.0, 1e3])
def test_stable_is_what_stays_near(arm, protocol, gain):
    waves = arm.Waves(sf.load("ur10", ground=None), arm.CENTRE, arm.SIZE, arm.RATE, 0.0)
    slack = protocol.Method("", waves, sf.Coulomb(), lambda dt: waves.error_feedback(gain, gain))
    assert not slack.run(1e-3, 1.0).stable  # falls, or flies apart


def test_tuning_makes_gains_better_and_keeps_those_of_no_group(arm, protocol):
    waves, law = arm.Waves(sf.load("ur10", ground=None), arm.CENTRE, arm.SIZE, arm.RATE, 0.0), sf.Coulomb()
    start = np.array([arm.KP, arm.KD]) * [[1.0], [0.1]]
    gains = protocol.tuned(waves, law, start, arm.GROUPS, 0.5, 20)
    assert np.array_equal(np.array(gains)[:, 6:], start[:, 6:])
    first, last = (
        protocol.Method("", waves, law, lambda dt, pair=pair: waves.error_feedback(*pair)).run(1e-3, 0.5)
        for pair in (start, gains)
    )
    assert last.stable
    assert last.error < 0.5 * first.error
    again = protocol.tuned(waves, law, start, arm.GROUPS, 0.5, 20)
    assert np.array_equal(gains, again)


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0])
def test_the_prescribed_trot_does_not_skate(quadruped, mu):
    trot = quadruped.trotting(sf.load("links-light"))
    reference = quadruped.base_path(trot, mu, 1e-3)
    assert len(reference) == 51
    assert reference[-1, 0] > 0.4
    for dt in (2e-3, 5e-3, 1e-2, 2e-2):
        assert quadruped.deviation(quadruped.base_path(trot, mu, dt), reference) < 0.10, f"{1e3 * dt:g} ms"
    assert np.linalg.norm(quadruped.base_path(trot, 1e-3, 1e-3)[-1]) < 0.1  # m, on ice


def test_a_deviation_is_relative_to_the_length(quadruped):
    line = np.column_stack([np.linspace(0.0, 2.0, 11), np.zeros(11)])
    assert quadruped.deviation(line + np.array([0.0, 0.1]), line) == pytest.approx(0.05)
