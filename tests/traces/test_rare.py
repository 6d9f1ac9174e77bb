import re

import numpy as np
import pytest
from scipy.stats import norm

import surefoot as sf
from surefoot.traces.rare import PLAIN, SUBSET, pulls, subset_simulation
from surefoot.traces.rates import wilson

NAMES = [f"p{k}" for k in range(175)]


def each(margin):
    return lambda zs: [margin(z) for z in zs]


@pytest.mark.parametrize("dimension", [1, 10, 175])
@pytest.mark.parametrize("beta", [2.0, 3.0902])
def test_probability_of_a_plane_is_unbiased_and_inside_its_interval(dimension, beta):
    truth, runs = norm.cdf(-beta), 100
    found = [subset_simulation(each(lambda z: beta - z[0]), dimension, seed=k, most=1000) for k in range(runs)]
    estimates = np.array([one.probability for one in found])
    error = estimates.std() / np.sqrt(runs)
    assert abs(estimates.mean() - truth) < 3 * error
    assert error < 0.12 * truth
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.89 <= covered <= 1.0
    assert np.median([one.high / one.low for one in found]) < 30


def test_a_plane_across_all_parameters_is_as_good():
    found = [subset_simulation(each(lambda z: 3.0902 - z.sum() / np.sqrt(175)), 175, seed=k) for k in range(40)]
    assert np.mean([one.probability for one in found]) == pytest.approx(1e-3, rel=0.4)
    assert np.mean([one.low <= 1e-3 <= one.high for one in found]) >= 0.89


MARGINS = {
    "straight": lambda z: 3.0902 - z[77],
    "both sides": lambda z: 3.2905 - abs(z[77]),
    "flat for most": lambda z: min(1.0, 3.0902 - z[77]),
    "bent": lambda z: 1.0 - np.exp(z[77] - 3.0902),
    "stretched by others": lambda z: (3.0902 - z[77]) * (1.0 + 0.5 * np.tanh(z[1] + z[2])),
}


@pytest.mark.parametrize("kind", MARGINS)
def test_one_failure_in_a_thousand_in_one_of_175_is_found_within_500_and_named_first(kind):
    named = 0
    for seed in range(40):
        found = subset_simulation(each(MARGINS[kind]), 175, seed=seed)
        assert found.evaluations <= 500
        assert all(MARGINS[kind](z) < 0.0 for z in found.failures)
        named += bool(found.failures) and pulls(found, NAMES)[0].name == "p77"
    assert named >= 38


def test_pulls_say_which_way():
    found = subset_simulation(each(MARGINS["straight"]), 175, seed=1)
    first = pulls(found, NAMES)[0]
    assert first.mean > 2.0
    assert first.size == pytest.approx(first.mean, rel=0.1)
    both = pulls(subset_simulation(each(lambda z: 2.0 - abs(z[0])), 3, seed=1, per_level=200), "abc")[0]
    assert (both.name, abs(both.mean) < 0.5 * both.size) == ("a", True)


def test_frequent_failures_are_a_plain_sample():
    found = subset_simulation(each(lambda z: 0.5 - z[0]), 4, seed=3)
    assert (found.levels, found.method, found.evaluations) == ([], PLAIN, 100)
    assert found.probability == len(found.failures) / 100
    assert (found.low, found.high) == wilson(len(found.failures), 100)
    assert len(found.near) == len(found.failures)


def test_failures_lie_below_zero_and_levels_fall():
    found = subset_simulation(each(lambda z: 3.5 - z[0]), 20, seed=4)
    assert found.method == SUBSET
    assert np.all(np.diff(found.levels) < 0)
    assert min(found.levels) > 0
    assert all(z[0] > 3.5 for z in found.failures)
    assert found.near.shape == (100, 20)
    assert (3.5 - found.near[:, 0] < found.levels[-1]).all()


def test_same_seed_same_bits_and_the_score_may_keep_or_change_what_it_gets():
    def rude(zs):
        margins = [3.0 - z[0] for z in zs]
        for z in zs:
            z[:] = 0.0
        return margins

    one, other = (subset_simulation(f, 8, seed=5) for f in (each(lambda z: 3.0 - z[0]), rude))
    assert (one.probability, one.low, one.high, one.levels) == (other.probability, other.low, other.high, other.levels)
    assert np.array_equal(one.near, other.near)
    assert subset_simulation(each(lambda z: 3.0 - z[0]), 8, seed=6).levels != one.levels


def test_never_failing_always_failing_and_no_margins():
    never = subset_simulation(each(lambda z: 1.0), 3, seed=0)
    assert (never.probability, never.low, never.evaluations) == (0.0, 0.0, 500)
    assert never.high == wilson(0, 500)[1]
    assert pulls(never, "abc") == []
    always = subset_simulation(each(lambda z: -1.0), 3, seed=0)
    assert (always.probability, always.high, always.evaluations) == (1.0, 1.0, 100)
    none = subset_simulation(each(lambda z: np.nan), 3, seed=0, most=150)
    assert (none.probability, none.missing, none.evaluations) == (0.0, 100, 100)
    some = subset_simulation(each(lambda z: np.nan if z[1] > 1 else 2.5 - z[0]), 2, seed=0)
    assert some.missing > 0
    assert some.failures
    assert all(z[1] <= 1 for z in some.failures)


def test_unreachable_failure_has_an_upper_bound_only():
    found = subset_simulation(each(lambda z: 60.0 - z[0]), 2, seed=0)
    assert (found.probability, found.low, found.failures) == (0.0, 0.0, [])
    assert 0.0 < found.high < 1e-2
    assert found.evaluations <= 500


def test_a_budget_of_one_and_steps_for_margins():
    one = subset_simulation(each(lambda z: 1.0 - z[0]), 1, seed=0, most=1)
    assert (one.evaluations, one.probability) == (1, 0.0)
    stairs = subset_simulation(each(lambda z: np.floor(3.0 - z[0])), 5, seed=0)
    assert stairs.low <= norm.cdf(-3) <= stairs.high
    cliff = subset_simulation(each(lambda z: 1.0 if z[0] < 2.0 else -1.0), 5, seed=0)
    assert cliff.low <= norm.cdf(-2) <= cliff.high


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"dimension": 0}, "dimension: expected a whole number of at least 1, got 0"),
        ({"seed": -1}, "seed: expected a whole number of at least 0, got -1"),
        ({"seed": 0.5}, "seed: expected a whole number of at least 0, got 0.5"),
        ({"per_level": 1}, "per_level: expected a whole number of at least 2, got 1"),
        ({"most": True}, "most: expected a whole number of at least 1, got True"),
        ({"p0": 0.6}, "p0: expected a number above 0 and at most 0.5, got 0.6"),
        ({"p0": np.nan}, "p0: expected a finite number, got nan"),
        ({"score": lambda zs: [0.0]}, "score: expected 100 margins for 100 vectors, got shape (1,)"),
    ],
)
def test_bad_arguments_are_named(changes, text):
    arguments = {"score": each(lambda z: 1.0 - z[0]), "dimension": 2, "seed": 0, **changes}
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        subset_simulation(arguments.pop("score"), arguments.pop("dimension"), **arguments)


def test_names_must_fit():
    found = subset_simulation(each(lambda z: 1.0 - z[0]), 2, seed=0)
    with pytest.raises(sf.InputError, match=r"^names: expected 2 names, one for each parameter, got 1$"):
        pulls(found, ["a"])
