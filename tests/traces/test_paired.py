import math
import re

import numpy as np
import pytest
from scipy import stats

import surefoot as sf
from surefoot.traces.paired import compare, holm, paired, tango


def outcomes(both, only_a, only_b, neither):
    a = [True] * (both + only_a) + [False] * (only_b + neither)
    b = [True] * both + [False] * only_a + [True] * only_b + [False] * neither
    return np.array(a), np.array(b)


@pytest.mark.parametrize("cells", [(1, 1, 7, 12), (59, 6, 16, 80), (0, 0, 5, 0), (3, 4, 4, 1), (0, 30, 10, 0)])
def test_mcnemar_is_the_binomial_test_of_those_that_differ(cells):
    found = paired(*outcomes(*cells))
    _, only_a, only_b, _ = cells
    assert (found.n, found.only_a, found.only_b) == (sum(cells), only_a, only_b)
    assert found.p == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue, rel=1e-12)
    assert found.difference == pytest.approx((only_a - only_b) / sum(cells))


def test_tango_is_what_fagerland_prints():
    # Complete response before and after therapy (Cavo 2012), in chapter 8 of Fagerland, Lydersen and Laake,
    # Statistical Analysis of Contingency Tables (2017): -0.0621 (-0.1240 to -0.0054).
    assert tango(6, 16, 161) == pytest.approx((-0.1240, -0.0054), abs=5e-5)
    assert tango(16, 6, 161) == pytest.approx((0.0054, 0.1240), abs=5e-5)


def test_the_interval_without_a_difference_has_a_closed_form():
    z2 = stats.norm.ppf(0.975) ** 2
    assert tango(0, 0, 40) == pytest.approx((-z2 / (40 + z2), z2 / (40 + z2)), abs=1e-12)


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(2)
    cells = rng.multinomial(60, [0.5, 0.25, 0.1, 0.15], size=2000)
    ends = np.array([tango(int(only_a), int(only_b), 60) for _, only_a, only_b, _ in cells])
    assert np.mean((ends[:, 0] <= 0.15) & (ends[:, 1] >= 0.15)) == pytest.approx(0.95, abs=0.015)


def test_edges():
    none = paired([], [])
    assert (none.n, none.p, none.low, none.high) == (0, 1.0, -1.0, 1.0)
    assert math.isnan(none.difference)
    one = paired([True], [False])
    assert (one.p, one.difference, one.high) == (1.0, 1.0, 1.0)
    assert -1.0 < one.low < 0.0
    same = paired([True, False, True], [True, False, True])
    assert (same.p, same.difference) == (1.0, 0.0)
    assert same.low < 0.0 < same.high
    opposite = paired(np.zeros(50, dtype=int), np.ones(50, dtype=int))
    assert (opposite.difference, opposite.low) == (-1.0, -1.0)
    assert opposite.high < -0.8


def test_holm_enlarges_as_in_his_steps():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([math.nan, 0.02, 0.01]) == pytest.approx([math.nan, 0.02, 0.02], nan_ok=True)
    assert len(holm([])) == 0


def test_several_policies_are_compared_two_by_two():
    good, bad = outcomes(20, 15, 1, 4)
    found = compare({"direct": good, "indirect": bad, "again": good})
    assert [(each.a, each.b) for each in found] == [
        ("direct", "indirect"),
        ("direct", "again"),
        ("indirect", "again"),
    ]
    assert [each.p for each in found] == pytest.approx([3 * found[0].paired.p, 1.0, 3 * found[0].paired.p])
    assert str(found[0]) == "direct beats indirect by 35.0 points (18.1 to 51.3), p = 0.0016."
    assert str(found[2]).startswith("again beats indirect by 35.0 points (18.1 to 51.3), p = ")
    assert str(found[1]) == "direct and again do not differ by more than chance (0 against 0, p = 1)."
    assert str(found[0].paired) == "+35.0 points (+18.1 to +51.3), 15 against 1, p = 0.00052"
    assert compare({"alone": good}) == []


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([True], [True, False], "b: expected 1 outcomes, one for each of a's particles, got 2"),
        ([[True]], [True], "a: expected shape (any,), got (1, 1)"),
        ([0.5], [True], "a: expected true or false for each particle, got float64 numbers or texts"),
        ([True], [np.nan], "b: expected true or false for each particle, got float64 numbers or texts"),
        ([True], ["success"], "b: expected true or false for each particle, got <U7 numbers or texts"),
    ],
)
def test_what_is_no_outcome_is_refused(a, b, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        paired(a, b)
