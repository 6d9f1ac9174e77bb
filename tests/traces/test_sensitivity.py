import re

import numpy as np
import pytest
from scipy import stats

import surefoot as sf
from surefoot.traces.sensitivity import Influence, ranking

NAMES = [f"p{k}" for k in range(175)]


def scores(seed, n=4096, size=175):
    return np.random.default_rng(seed).standard_normal((n, size))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fails", ["high", "low", "both ends"])
def test_of_175_parameters_the_one_behind_one_failure_in_a_thousand_comes_first(seed, fails):
    Z = scores(seed)
    at = {"high": Z[:, 77] > 3.0902, "low": Z[:, 77] < -3.0902, "both ends": np.abs(Z[:, 77]) > 3.2905}[fails]
    assert 1 <= at.sum() <= 10
    first, second, *_ = ranking(Z, ~at, NAMES)
    assert first.name == "p77"
    assert first.p < 0.05 < second.p or at.sum() < 3
    assert first.fails == fails or at.sum() < 4
    assert abs(first.effect) > 0.98


@pytest.mark.parametrize("seed", range(3))
def test_evenly_spread_particles_never_miss_it(seed):
    # 4096 Sobol points hold one value in each 4096th part of every parameter's range, so four or five lie beyond 0.999.
    u = stats.qmc.Sobol(175, rng=seed).random(4096)
    success = u[:, 140] < 0.999
    assert 4 <= (~success).sum() <= 5
    assert ranking(stats.norm.ppf(np.clip(u, 1e-12, 1 - 1e-12)), success, NAMES)[0].name == "p140"


def test_from_margins_the_right_one_comes_first_with_few_traces():
    Z = scores(11, n=100)
    found = ranking(Z, 3.09 - Z[:, 77] + 0.5 * Z[:, 3], NAMES)
    assert (found[0].name, found[0].fails, found[0].effect < -0.8) == ("p77", "high", True)
    assert found[1].name == "p3"
    assert found[2].p > 0.05
    both = ranking(Z, 2.0 - np.abs(Z[:, 77]), NAMES)[0]
    assert (both.name, both.fails) == ("p77", "both ends")
    middle = ranking(Z, np.abs(Z[:, 77]) - 0.1, NAMES)[0]
    assert (middle.name, middle.fails, middle.effect > 0.9) == ("p77", "middle", True)


def test_without_dependence_few_are_found():
    least = []
    for seed in range(60):
        Z = scores(seed, n=60, size=20)
        outcome = np.random.default_rng(1000 + seed)
        least.append(ranking(Z, outcome.random(60) < 0.8, NAMES[:20])[0].p)
        least.append(ranking(Z, outcome.standard_normal(60), NAMES[:20])[0].p)
    assert np.mean(np.array(least) < 0.05) <= 0.09


def test_p_and_effect_are_those_of_scipy():
    Z = scores(3, n=2000, size=1)
    success = scores(4, n=2000, size=1)[:, 0] + 0.08 * Z[:, 0] > -0.5
    found = ranking(Z, success, ["a"])[0]
    normal = stats.norm.ppf(stats.rankdata(Z[:, 0]) / 2001)
    theirs = stats.ttest_ind(normal[success], normal[~success]).pvalue
    assert found.p == pytest.approx(2 * theirs, rel=0.02)  # Holm: shift and spread are two tests
    area = stats.mannwhitneyu(Z[success, 0], Z[~success, 0]).statistic / (success.sum() * (~success).sum())
    assert found.effect == pytest.approx(2 * area - 1, abs=1e-12)
    margin = scores(4, n=2000, size=1)[:, 0] + 0.08 * Z[:, 0]
    correlation = stats.pearsonr(normal, stats.norm.ppf(stats.rankdata(margin) / 2001))
    found = ranking(Z, margin, ["a"])[0]
    assert (found.effect, found.p) == pytest.approx((correlation.statistic, 2 * correlation.pvalue), rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(correlation.confidence_interval()), abs=1e-9)


def test_intervals_cover_the_true_effect():
    inside, correlated = 0, 0
    for seed in range(200):
        a, b = np.random.default_rng(seed).standard_normal((2, 40))
        x = np.concatenate([a[:30] + 1.0, a[30:]])
        found = ranking(x[:, None], np.arange(40) < 30, ["x"])[0]
        truth = 2 * stats.norm.cdf(1 / np.sqrt(2)) - 1
        inside += found.low <= truth <= found.high or found.fails in ("both ends", "middle")
        pair = ranking(a[:, None], 0.6 * a + 0.8 * b, ["a"])[0]
        correlated += pair.low <= 0.6 <= pair.high
    assert inside / 200 >= 0.91
    assert 0.88 <= correlated / 200 <= 0.99


def test_nan_constants_ties_and_choices():
    Z = scores(5, n=200, size=4)
    success = Z[:, 2] < 1.0
    Z[:, 0] = 7.0
    Z[:, 1] = np.where(Z[:, 1] > 0, 0.67, -0.67)
    Z[::3, 2] = np.nan
    Z[:, 3] = np.nan
    found = ranking(Z, success, ["constant", "choice", "decides", "unknown"])
    assert [each.name for each in found] == ["decides", "choice", "constant", "unknown"]
    assert found[2:] == [Influence(name, 0.0, -1.0, 1.0, 1.0, "") for name in ("constant", "unknown")]
    margins = np.where(np.arange(200) % 5 == 0, np.nan, 1.0 - scores(5, n=200, size=4)[:, 2])
    assert ranking(Z, margins, ["constant", "choice", "decides", "unknown"])[0].name == "decides"


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_traces_say_nothing(n):
    Z = scores(6, n=n, size=3)
    for outcome in (np.ones(n, dtype=bool), np.zeros(n, dtype=bool), np.arange(n, dtype=float)):
        found = ranking(Z, outcome, ["a", "b", "c"])
        assert found == [Influence(name, 0.0, -1.0, 1.0, 1.0, "") for name in ("a", "b", "c")]


def test_all_succeed_or_fail_and_equal_margins_say_nothing():
    Z = scores(6, n=50, size=2)
    for outcome in (np.ones(50, dtype=bool), np.zeros(50, dtype=bool), np.full(50, 0.3), np.full(50, np.nan)):
        assert ranking(Z, outcome, ["a", "b"])[0] == Influence("a", 0.0, -1.0, 1.0, 1.0, "")
    assert ranking(np.zeros((5, 0)), np.ones(5, dtype=bool), []) == []


def test_infinite_margins_are_only_large():
    Z = scores(7, n=80, size=3)
    margins = np.where(Z[:, 1] < -1, np.inf, -Z[:, 1])
    assert ranking(Z, margins, ["a", "b", "c"])[0].name == "b"


def test_the_same_question_gets_the_same_answer():
    Z = scores(8, n=300, size=20)
    assert ranking(Z, Z[:, 4] < 1, NAMES[:20]) == ranking(Z, Z[:, 4] < 1, NAMES[:20])


@pytest.mark.parametrize(
    ("Z", "outcome", "text"),
    [
        (np.zeros((4, 2)), np.zeros(4), "Z: expected shape (any, 1), got (4, 2)"),
        (np.zeros((4, 1)), np.zeros(3), "outcome: expected shape (4,), got (3,)"),
        (np.zeros((1, 1)), ["success"], "outcome: expected an array of numbers, got ndarray"),
    ],
)
def test_bad_arguments_are_named(Z, outcome, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        ranking(Z, outcome, ["a"])
