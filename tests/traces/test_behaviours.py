import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.traces.behaviours import FIRST, MARKS, MOST, Mark, behaviours

SOME = st.lists(st.lists(st.sampled_from("abc"), max_size=6).map(tuple), max_size=40)


def chattering(rng, steps, rate):
    """A walk whose feet chatter, with strikes now and then: no two are the same."""
    found = []
    for _ in range(steps):
        for foot in ("LF", "RF"):
            found += [f"touchdown {foot}/ground"] * (1 + rng.poisson(0.7))
            found += [f"strike {foot}/curb"] * rng.poisson(rate if foot == "LF" else 0.2)
    return tuple(found)


@pytest.fixture(scope="module")
def walks():
    rng = np.random.default_rng(1)
    kinds = [(30, 0.1), (30, 1.5), (8, 0.1)]  # smooth, struck again and again, fallen early
    return [(kind, chattering(rng, *kinds[kind])) for kind in rng.choice(3, 150, p=[0.5, 0.3, 0.2])]


def test_planted_behaviours_are_found_though_no_two_traces_are_the_same(walks):
    kinds, traces = np.array([kind for kind, _ in walks]), [trace for _, trace in walks]
    assert len(set(traces)) == len(traces)
    found = behaviours(traces)
    assert 3 <= len(found) <= MOST
    for each in found.groups:
        assert len(set(kinds[each.members])) == 1  # no group mixes two
        assert each.example in each.members
    assert found.explained > 0.3
    struck = next(each for each in found.groups if kinds[each.example] == 1)
    assert struck.marks[0].events == ("strike LF/curb",)
    assert struck.marks[0].here > 3 * struck.marks[0].elsewhere
    assert len(struck.marks) <= MARKS


def test_order_tells_traces_apart_too():
    there, back = ("a", "b", "c") * 6, ("a", "c", "b") * 6
    found = behaviours([there] * 7 + [back] * 5)
    assert [len(each) for each in found.groups] == [7, 5]
    assert found.explained == pytest.approx(1.0)
    assert all(len(mark.events) == 2 for each in found.groups for mark in each.marks)  # each impact is as frequent
    assert found.groups[0].marks[0] == Mark(("a", "b"), here=6.0, elsewhere=0.0)


def test_what_the_example_meets_first_leaves_out_what_all_meet():
    traces = [("a", "x", "a", "y", "x", "z", "w")] * 4 + [("a", "a", "b")] * 3
    one, other = behaviours(traces).groups
    assert (one.first, other.first) == (("x", "y", "z"), ("b",))
    assert len(one.first) == FIRST
    assert behaviours([("a", "b")] * 3).groups[0].first == ("a", "b")


def test_the_same_are_one_behaviour_and_few_are_no_group():
    same = behaviours([("a", "b")] * 50)
    assert [len(each) for each in same.groups] == [50]
    assert (same.explained, same.groups[0].marks) == (0.0, ())
    stray = behaviours([("a",)] * 60 + [("b",)] * 40 + [("b", "b", "c", "c", "c")])
    assert [len(each) for each in stray.groups] == [60, 41]
    assert [len(each) for each in behaviours([("a",), ("b",)]).groups] == [2]


def test_nothing_to_group():
    assert len(behaviours([])) == 0
    assert behaviours([]).explained == 0.0
    [one] = behaviours([(), (), ()]).groups
    assert (len(one), one.first, one.marks) == (3, (), ())
    [one] = behaviours([("a",)]).groups
    assert (len(one), one.example, one.first) == (1, 0, ("a",))


@given(SOME)
def test_every_trace_has_one_behaviour_the_same_every_time(traces):
    found, again = behaviours(traces), behaviours(list(traces))
    places = np.concatenate([each.members for each in found.groups]) if len(found) else np.empty(0)
    assert sorted(places.tolist()) == list(range(len(traces)))
    assert len(found) <= MOST
    assert 0.0 <= found.explained <= 1.0 + 1e-12
    sizes = [len(each) for each in found.groups]
    assert sizes == sorted(sizes, reverse=True)
    assert not traces or min(sizes) >= min(2, len(traces))
    for one, other in zip(found.groups, again.groups, strict=True):
        assert np.array_equal(one.members, other.members)
        assert (one.example, one.first, one.marks) == (other.example, other.first, other.marks)
