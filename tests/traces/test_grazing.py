import math
import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.traces.grazing import bisect, deciding, direction

NAMES = [f"p{k}" for k in range(175)]


@pytest.mark.parametrize("where", [math.pi / 7, -0.77777, 0.9999999, 1e-7])
def test_a_planted_graze_is_located_to_a_millionth(where):
    found = bisect(lambda x: ("touchdown", "strike") if x > where else ("touchdown",), -1.0, 1.0)
    assert found.low <= where <= found.high
    assert found.high - found.low <= 1e-6
    assert abs(found.value - where) <= 1e-6
    assert (found.before, found.after, found.others) == (("touchdown",), ("touchdown", "strike"), ())
    assert found.evaluations <= 9 + 18
    assert str(found) == f"between {found.low:.9g} and {found.high:.9g}"


def test_a_ball_that_just_clears_an_edge_is_found_by_its_fall():
    def behaviour(speed):  # thrown level from 1 m; a wall of 0.3 m stands 2 m away
        return 1.0 - 0.5 * 9.81 * (2.0 / speed) ** 2 > 0.3

    found = bisect(behaviour, 1.0, 20.0, tolerance=1e-9)
    assert found.value == pytest.approx(2.0 * math.sqrt(9.81 / 1.4), abs=1e-9)


def test_order_of_the_ends_does_not_matter():
    def flips(x):
        return x > 0.3

    there, back = bisect(flips, 0.0, 1.0), bisect(flips, 1.0, 0.0)
    assert (there.before, there.after) == (back.before, back.after) == (False, True)
    assert back.low <= 0.3 <= back.high
    assert back.high - back.low <= 1e-6


def test_more_changes_are_reported():
    found = bisect(lambda x: 0.3 < x < 0.6, 0.0, 1.0)  # the same at both ends
    assert found.low <= 0.3 <= found.high
    assert found.others == ((0.5, 0.625),)
    assert str(found).endswith("; behaviour changes again in 1 other place")
    third = bisect(lambda x: "a" if x < 0.51 else "b" if x < 0.54 else "c", 0.0, 1.0)
    assert (third.before, third.after) == ("a", "b")
    assert third.low <= 0.51 <= third.high
    (low, high), *_ = third.others
    assert low < 0.54 <= high
    backwards = bisect(lambda x: int(10 * x), 1.0, 0.0)
    assert all(low < high for low, high in backwards.others)
    assert str(backwards).endswith("other places")


def test_no_change_and_floats_that_lie_no_closer():
    assert bisect(lambda x: "same", 0.0, 1.0) is None
    assert bisect(lambda x: x > 0.5, 0.7, 0.7) is None
    large = bisect(lambda x: x > 1e18 + 1e5, 1e18, 1e18 + 1e6, looks=0)
    assert large.high == np.nextafter(large.low, np.inf)
    assert large.evaluations < 30


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((math.nan, 1.0), "a: expected a finite number, got nan"),
        ((0.0, math.inf), "b: expected a finite number, got inf"),
        ((0.0, 1.0, 0.0), "tolerance: expected a number above 0, got 0"),
        ((0.0, 1.0, 1e-6, 1.5), "looks: expected a whole number, got 1.5"),
    ],
)
def test_bad_ends_are_named(arguments, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        bisect(lambda x: x > 0.5, *arguments)


@pytest.mark.parametrize("n", [128, 1000])
def test_the_planted_direction_is_found(n):
    Z = np.random.default_rng(1).standard_normal((n, 175))
    labels = 3.0 * Z[:, 20] - 2.0 * Z[:, 90] > 1.0
    found = direction(Z, labels, NAMES)
    assert found.names[:2] == ("p20", "p90")
    assert np.linalg.norm(found.vector) == pytest.approx(1.0)
    assert found.vector[20] > 0 > found.vector[90]
    assert sum(found.shares) == pytest.approx(1.0)
    assert found.vector @ (np.eye(175)[20] * 3 - np.eye(175)[90] * 2) / np.sqrt(13) > (0.9 if n == 128 else 0.99)
    assert found.correct > (0.8 if n == 128 else 0.95)
    assert deciding(Z, labels, NAMES).name == "p20"


def test_the_direction_of_many_traces_is_exact_whatever_the_scales():
    rng = np.random.default_rng(2)
    Z = rng.standard_normal((4000, 3)) @ np.array([[1.0, 0.8, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0]])
    labels = Z @ [1.0, -1.0, 0.0] > 0
    wanted = np.array([1.0, -1.0, 0.0]) / np.sqrt(2)
    assert direction(Z, labels, "abc").vector @ wanted > 0.99


def test_chance_decides_nothing():
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((60, 30))
    labels = rng.random(60) < 0.5
    assert deciding(Z, labels, NAMES[:30]) is None
    assert 0.25 < direction(Z, labels, NAMES[:30]).correct < 0.75


def test_one_behaviour_constant_parameters_and_few_traces():
    Z = np.random.default_rng(4).standard_normal((20, 3))
    one = direction(Z, np.ones(20, dtype=bool), "abc")
    assert not one.vector.any()
    assert math.isnan(one.correct)
    assert one.names == ("a", "b", "c")
    assert deciding(Z, np.ones(20, dtype=bool), "abc") is None
    Z[:, 1] = 2.0
    still = direction(Z, Z[:, 0] > 0, "abc")
    assert still.names[0] == "a"
    assert still.vector[1] == pytest.approx(0.0, abs=1e-9)
    alone = direction(np.zeros((1, 2)), [True], "ab")
    assert alone.shares == (0.0, 0.0)
    same = direction(np.ones((4, 2)), [True, False, True, False], "ab")
    assert not same.vector.any()


@pytest.mark.parametrize(
    ("Z", "labels", "text"),
    [
        (np.zeros((3, 2)), [True] * 3, "Z: expected shape (any, 1), got (3, 2)"),
        (np.full((1, 1), np.nan), [True], "Z: expected finite numbers, got nan at index (0, 0)"),
        (np.zeros((3, 1)), [True], "labels: expected 3 values, one for each particle, got 1"),
    ],
)
def test_bad_tables_are_named(Z, labels, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        direction(Z, labels, ["a"])
