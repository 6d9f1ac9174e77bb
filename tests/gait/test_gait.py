import numpy as np
import pytest

import surefoot as sf
from surefoot.gait import GAITS, Gait


def test_diagonal_feet_trot_together_and_one_foot_at_a_time_walks():
    trot, walk = Gait.named("trot", duty=0.5), Gait.named("walk", duty=0.75)
    phases = np.linspace(0.0, 1.0, 200, endpoint=False)
    stands = trot.stance(phases)
    assert np.array_equal(stands[:, 0], stands[:, 3])
    assert np.array_equal(stands[:, 1], stands[:, 2])
    assert (stands.sum(axis=1) == 2).all()
    assert (walk.stance(phases).sum(axis=1) == 3).all()


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize("duty", [0.2, 0.5, 0.75])
def test_each_foot_stands_its_share_and_flight_is_what_is_left(name, duty):
    gait = Gait.named(name, duty=duty, period=0.4)
    stands = gait.stance(np.linspace(0.0, 1.0, 4000, endpoint=False))
    assert stands.mean(axis=0) == pytest.approx(duty, abs=1e-3)
    longest = run = 0
    for aloft in np.tile(~stands.any(axis=1), 2):  # twice round, for a flight over the period's end
        run = run + 1 if aloft else 0
        longest = max(longest, run)
    assert gait.flight() == pytest.approx(0.4 * longest / 4000, abs=4e-4)


def test_flight_of_a_running_trot():
    assert Gait.named("trot", duty=0.4, period=0.3).flight() == pytest.approx(0.03)
    assert Gait.named("trot", duty=0.6).flight() == 0.0
    assert Gait((0.0, 0.0), duty=(0.3, 0.2), period=1.0).flight() == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Gait.named("canter"), "gait: expected one of 'trot', 'walk', 'pace', 'bound', got 'canter'"),
        (lambda: Gait((0.0, 1.0)), "touchdown[1]: expected a share of the period from 0 to below 1, got 1"),
        (lambda: Gait((0.0, -0.1)), "touchdown[1]: expected a share of the period from 0 to below 1, got -0.1"),
        (lambda: Gait((0.0, 0.5), duty=0.0), "duty[0]: expected a share of the period between 0 and 1, got 0"),
        (lambda: Gait((0.0, 0.5), duty=(0.5, 1.0)), "duty[1]: expected a share of the period between 0 and 1, got 1"),
        (lambda: Gait((0.0, 0.5), duty=(0.5,)), "duty: expected shape (2,), got (1,)"),
        (lambda: Gait((0.0,), period=0.0), "period: expected a number above 0, got 0"),
        (lambda: Gait((0.0,), step_height=-1.0), "step_height: expected a number of at least 0, got -1"),
    ],
)
def test_impossible_gaits_are_named(make, text):
    with pytest.raises(sf.InputError) as error:
        make()
    assert text in str(error.value)
