"""Draws follow their distributions, truncation truncates, and scores undo draws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot.errors import InputError
from surefoot.traces.distributions import Choice, Constant, Jitter, Normal, Uniform, measured

shares = st.floats(1e-6, 1 - 1e-6)
numbers = st.floats(-1e3, 1e3)
U = (np.arange(2000) + 0.5) / 2000


def test_a_normal_draw_is_the_quantile():
    np.testing.assert_allclose(Normal(0.0025).value(U, 0.077), stats.norm(0.077, 0.0025).ppf(U), rtol=1e-14)


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 2.0), (0.5, 3.0), (-3.0, -0.5), (-0.1, None), (None, 0.3), (4.0, 6.0)]
)
def test_truncation_is_that_of_scipy(low, high):
    a, b = -math.inf if low is None else low, math.inf if high is None else high
    wanted = stats.truncnorm((a - 0.25) / 0.5, (b - 0.25) / 0.5, loc=0.25, scale=0.5)
    drawn = Normal(0.5, low=low, high=high).value(U, 0.25)
    np.testing.assert_allclose(drawn, wanted.ppf(U), rtol=1e-12, atol=1e-12)
    assert drawn.mean() == pytest.approx(wanted.mean(), rel=2e-3)


def test_truncation_far_out_keeps_its_figures():
    drawn = Normal(1.0, mean=0.0, low=40.0, high=41.0).value(U)
    np.testing.assert_allclose(drawn, stats.truncnorm(40, 41).ppf(U), rtol=1e-12)
    mirrored = Normal(1.0, mean=0.0, low=-41.0, high=-40.0).value(1 - U)
    np.testing.assert_allclose(mirrored, -drawn, rtol=1e-12)


@settings(max_examples=100, deadline=None)
@given(u=shares, mean=numbers, sd=st.floats(1e-3, 1e3), low=numbers, width=st.floats(1e-3, 1e3))
def test_a_truncated_draw_keeps_its_limits_and_grows_with_u(u, mean, sd, low, width):
    normal = Normal(sd, mean=mean, low=low, high=low + width)
    value = normal.value(u)
    assert low <= value <= low + width
    assert normal.value(u / 2) <= value


@settings(max_examples=100, deadline=None)
@given(u=st.floats(0.001, 0.999), low=st.floats(-3, 1), width=st.floats(0.5, 5))
def test_the_score_undoes_the_draw(u, low, width):
    for made in (Normal(1.0, low=low, high=low + width), Uniform(low, low + width), Normal(2.0, mean=1.0)):
        assert made.standard(made.value(u, 0.3), 0.3) == pytest.approx(stats.norm.ppf(u), abs=1e-7)
    for made in (Normal(0.1, factor=True), Normal(0.1, low=0.9, factor=True), Uniform(0.5, 2.0, factor=True)):
        assert made.standard(made.value(u, -3.0), -3.0) == pytest.approx(stats.norm.ppf(u), abs=1e-7)


def test_a_single_draw_is_a_float_and_the_same_as_in_an_array():
    for made in (Normal(0.5), Normal(0.5, low=-0.1), Uniform(1.0, 2.0), Jitter(0.1, -0.1, 0.2)):
        single = made.value(0.3, 1.0)
        assert isinstance(single, float)
        assert single == made.value(np.array([0.3, 0.7]), 1.0)[0]


def test_a_factor_multiplies_the_nominal_value():
    assert Normal(0.1, factor=True).value(0.5, 7.0) == 7.0
    assert Uniform(0.5, 1.5, factor=True).value(0.25, 8.0) == 6.0
    assert Normal(0.1, mean=2.0, factor=True).value(0.5, 7.0) == 14.0


def test_particle_0_is_nominal():
    for made in (Normal(1.0), Normal(1.0, mean=5.0), Uniform(5.0, 6.0), Normal(0.1, factor=True)):
        assert made.nominal(0.25) == 0.25
        assert made.nominal(None) is None
    assert Choice("soft", "coulomb").nominal("coulomb") == "coulomb"
    assert Choice("soft", "coulomb").nominal("no-slip") == "soft"
    assert Jitter(0.1).nominal(3.0) == 0.0
    assert Constant(4.0).nominal(3.0) == 4.0


def test_choices_are_equally_likely_and_a_score_is_the_middle_of_its_share():
    choice = Choice("a", "b", "c", "d")
    assert [choice.value(u) for u in (1e-9, 0.2499, 0.25, 0.74, 1 - 1e-16)] == ["a", "a", "b", "c", "d"]
    drawn = choice.value(U)
    assert [int((drawn == name).sum()) for name in "abcd"] == [500] * 4
    assert choice.standard("b") == pytest.approx(stats.norm.ppf(3 / 8))


def test_true_is_not_one():
    assert Choice(1, True).values == (1, True)
    assert Choice(1, 2).nominal(True) == 1
    assert Choice(2, True).nominal(1) == 2


def test_a_measurement_has_its_reading_as_mean_and_a_tick_as_standard_deviation():
    assert measured(0.077, resolution=5e-4) == Normal(sd=5e-4, mean=0.077)


def test_jitter_has_no_mean_and_keeps_its_limits():
    drawn = Jitter(0.01, low=-0.01, high=0.01).value(U)
    np.testing.assert_allclose(drawn, stats.truncnorm(-1, 1, scale=0.01).ppf(U), rtol=1e-10, atol=1e-15)
    assert abs(drawn).max() <= 0.01
    assert Jitter(0.01).standard(0.02) == pytest.approx(2.0)


def test_a_constant_is_constant():
    assert Constant(3).value(0.2) == 3
    np.testing.assert_array_equal(Constant(3).value(np.array([0.1, 0.2])), [3, 3])
    assert Constant(3).standard(3) == 0.0


def test_scores_of_values_beyond_the_limits_are_finite():
    assert Uniform(0.0, 1.0).standard(2.0) == pytest.approx(8.2, abs=0.1)
    assert Normal(1.0, mean=0.0, low=-1.0, high=1.0).standard(-5.0) == pytest.approx(-8.2, abs=0.1)
    assert Normal(0.1, factor=True).standard(0.0, 0.0) == 0.0
    assert Uniform(0.5, 1.5, factor=True).standard(0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Normal(0.0), "Normal.sd: expected a number above 0, got 0"),
        (lambda: Normal(math.nan), "Normal.sd: expected a finite number, got nan"),
        (lambda: Normal("1"), "Normal.sd: expected a finite number, got '1'"),
        (lambda: Normal(1.0, mean=math.inf), "Normal.mean: expected a finite number, got inf"),
        (lambda: Normal(1.0, low=2, high=1), "Normal.low, Normal.high: expected low below high, got 2, 1"),
        (lambda: Normal(1.0, factor="yes"), "Normal.factor: expected one of True, False, got 'yes'"),
        (lambda: Uniform(1.0, 1.0), "Uniform.low, Uniform.high: expected low below high, got 1, 1"),
        (lambda: Uniform(-1.7e308, 1.7e308), "Uniform.high - low: expected a finite number, got inf"),
        (lambda: Choice(), "Choice: expected at least one value, got none"),
        (lambda: Choice("a", "b", "a"), "Choice: expected values that differ, got 'a' twice"),
        (lambda: Choice("a").standard("b"), "value: expected one of 'a', got 'b'"),
        (lambda: Jitter(-1.0), "Jitter.sd: expected a number above 0, got -1"),
        (lambda: Jitter(1.0, low=0.5), "Jitter.low: expected a number of at most 0, got 0.5"),
        (lambda: Jitter(1.0, low=0, high=0), "Jitter.low, Jitter.high: expected low below high, got 0, 0"),
        (lambda: measured(0.1, 0.0), "resolution: expected a number above 0, got 0"),
        (lambda: measured(None, 0.1), "value: expected a finite number, got None"),
        (
            lambda: Normal(1.0).check(None),
            "a normal distribution without a mean needs a finite nominal value, but that is None",
        ),
        (lambda: Uniform(0.5, 1, True).check("soft"), "a factor needs a finite nominal value, but that is 'soft'"),
        (lambda: Normal(0.5, factor=True).check(math.inf), "a factor needs a finite nominal value, but that is inf"),
    ],
)
def test_what_makes_no_sense_is_refused(make, text):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == text
