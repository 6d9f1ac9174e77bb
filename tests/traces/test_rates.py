import re

import numpy as np
import pytest
from scipy import stats

import surefoot as sf
from surefoot.traces.rates import Rate, percent, sequence, wilson


# Newcombe (1998), Statistics in Medicine 17, table I, method 3.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_what_newcombe_printed(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (35, 40), (25, 40), (4095, 4096), (0, 10**6)])
def test_wilson_is_what_scipy_finds(successes, n, confidence):
    theirs = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx(tuple(theirs), abs=1e-14)


def test_without_traces_nothing_is_known():
    assert wilson(0, 0) == (0.0, 1.0)
    assert sequence(0, 0) == (0.0, 1.0)
    assert np.isnan(Rate(0, 0).rate)
    assert str(Rate(0, 0)) == "0 of 0"


def test_all_or_none_reach_the_end_exactly():
    for n in (1, 7, 4096):
        assert wilson(0, n)[0] == 0.0
        assert wilson(n, n)[1] == 1.0
        assert sequence(0, n)[0] == 0.0
        assert sequence(n, n)[1] == 1.0
        assert 0.0 < sequence(n, n)[0] < 1.0


def test_a_rate_prints_its_interval():
    assert str(Rate(35, 40)) == "35 of 40: 87.5 % (73.9 to 94.5 %)"
    assert str(Rate(40, 40)) == "40 of 40: 100 % (91.2 to 100 %)"
    assert (Rate(35, 40).low, Rate(35, 40).high) == wilson(35, 40)
    assert [percent(share) for share in (1e-5, 0.9999, 0.0, 1.0, 0.5)] == ["<0.1", ">99.9", "0", "100", "50.0"]


def test_a_sequence_is_where_the_mixture_stays_below_its_limit():
    for successes, n, alpha in [(3, 10, 0.05), (90, 100, 0.01), (1, 2, 0.2), (4000, 4096, 0.05)]:
        for rate in sequence(successes, n, alpha):  # beta-binomial probability over binomial probability is 1 / alpha
            mixed = stats.betabinom.pmf(successes, n, 0.5, 0.5)
            assert mixed / stats.binom.pmf(successes, n, rate) == pytest.approx(1 / alpha, rel=1e-6)


def test_a_sequence_is_wider_than_one_look_and_shrinks():
    widths = []
    for n in (10, 100, 1000, 10000):
        low, high = sequence(9 * n // 10, n)
        once = wilson(9 * n // 10, n)
        assert low < once[0]
        assert once[1] < high
        widths.append(high - low)
    assert np.all(np.diff(widths) < 0)
    assert widths[-1] < 0.03


@pytest.mark.parametrize("rate", [0.02, 0.5, 0.95])
def test_looking_after_every_trace_keeps_a_sequence_valid_and_breaks_wilson(rate):
    runs, length, alpha = 400, 300, 0.1
    sums = np.cumsum(np.random.default_rng(5).random((runs, length)) < rate, axis=1)
    table = {
        n: ([sequence(k, n, alpha) for k in range(n + 1)], [wilson(k, n, 1 - alpha) for k in range(n + 1)])
        for n in range(1, length + 1, 7)
    }
    missed = np.zeros((2, runs), dtype=bool)
    for n, kinds in table.items():
        for row, intervals in enumerate(kinds):
            low, high = np.array(intervals)[sums[:, n - 1]].T
            missed[row] |= (rate < low) | (rate > high)
    assert missed[0].mean() <= alpha
    assert missed[0].any(), "an interval that never misses is too wide"
    assert missed[1].mean() > 2 * alpha


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: wilson(5, 4), "successes: expected a whole number from 0 to 4, got 5"),
        (lambda: wilson(-1, 4), "successes: expected a whole number of at least 0, got -1"),
        (lambda: wilson(1.0, 4), "successes: expected a whole number of at least 0, got 1.0"),
        (lambda: wilson(float("nan"), 4), "successes: expected a whole number of at least 0, got nan"),
        (lambda: wilson(1, True), "n: expected a whole number of at least 0, got True"),
        (lambda: wilson(1, 4, 1.0), "confidence: expected a number between 0 and 1, got 1"),
        (lambda: sequence(1, 4, 0.0), "alpha: expected a number between 0 and 1, got 0"),
        (lambda: sequence(1, -4), "n: expected a whole number of at least 0, got -4"),
        (lambda: Rate(3, 2), "successes: expected a whole number from 0 to 2, got 3"),
    ],
)
def test_impossible_counts_are_named(call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call()
