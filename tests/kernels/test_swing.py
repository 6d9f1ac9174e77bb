import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from surefoot.kernels.swing import SWING, plan_swing, read_swing, redirect_swing

seeds = st.integers(0, 2**32 - 1)


def random_swing(seed, height=0.03, overshoot=0.2):
    rng = np.random.default_rng(seed)
    here, velocity, there, arrival = 0.1 * rng.standard_normal((4, 3))
    t, duration = rng.uniform(0, 10), rng.uniform(0.02, 1.0)
    swing = np.zeros(SWING)
    plan_swing(t, duration, here, velocity, there, arrival, height, overshoot, swing)
    return swing, t, duration, here, velocity, there, arrival


def read(t, swing):
    out = np.zeros((3, 3))
    read_swing(t, swing, *out)
    return out


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_as_scipys_clamped_spline(seed):
    swing, t, duration, here, velocity, there, arrival = random_swing(seed)
    up = np.array([0, 0, 0.03])
    beyond = 0.2 * (there - here) * [1, 1, 0]
    points = [here, here + up, there + up + beyond, there]
    spline = CubicSpline(t + duration * np.arange(4) / 3, points, bc_type=((1, velocity), (1, arrival)))
    for time in t + duration * np.linspace(0.0, 1.0, 13):
        for order, found in enumerate(read(time, swing)):
            scale = 1.0 / duration**order
            np.testing.assert_allclose(found, spline(time, order), atol=1e-9 * max(scale, 1.0))


def test_it_rests_before_and_after():
    swing, t, duration, here, velocity, there, arrival = random_swing(1)
    np.testing.assert_allclose(read(t - 1.0, swing)[:2], [here, velocity], atol=1e-12)
    np.testing.assert_allclose(read(t + duration + 1.0, swing)[:2], [there, arrival], atol=1e-12)


@given(seeds, st.floats(0.05, 0.9))
@settings(max_examples=60, deadline=None)
def test_a_new_end_makes_no_jump(seed, share):
    swing, t, duration, *_ = random_swing(seed)
    end, arrival = 0.1 * np.random.default_rng(seed + 1).standard_normal((2, 3))
    now = t + share * duration
    before = read(now, swing)
    redirect_swing(now, end, arrival, swing, *np.zeros((3, 3)))
    after = read(now, swing)
    np.testing.assert_allclose(after[:2], before[:2], atol=1e-9 / duration)
    np.testing.assert_allclose(read(t + duration, swing)[:2], [end, arrival], atol=1e-9 / duration)
    assert swing[0] + swing[1] == pytest.approx(t + duration)


def test_the_same_end_keeps_the_height():
    swing, t, duration, here, _, there, arrival = random_swing(3)
    now = t + 0.4 * duration
    height = max(read(time, swing)[0, 2] for time in np.linspace(now, t + duration, 50))
    redirect_swing(now, there, arrival, swing, *np.zeros((3, 3)))
    again = max(read(time, swing)[0, 2] for time in np.linspace(now, t + duration, 50))
    assert again == pytest.approx(height, abs=0.2 * abs(height - min(here[2], there[2])) + 1e-3)
