import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.traces.signatures import Tree, parting, signature

SOME = st.lists(st.lists(st.sampled_from("abc"), max_size=6).map(tuple), max_size=12)


def test_touchdowns_and_strikes_in_order():
    kinds = ["touchdown", "liftoff", "slip", "strike", "stick", "touchdown"]
    features = ["LF/ground", "LF/ground", "LF/ground", "RF/curb side", "RF/ground", "RF/curb top"]
    assert signature(kinds, features) == ("touchdown LF/ground", "strike RF/curb side", "touchdown RF/curb top")
    assert signature([], []) == ()


def test_events_at_about_the_same_time_have_no_order_and_chatter_is_one():
    kinds, one, other = ["touchdown"] * 4, ["LF", "RH", "RF", "LH"], ["RH", "LF", "LH", "RF"]
    times = [0.1, 0.101, 0.3, 0.3005]
    assert signature(kinds, one, times) != signature(kinds, other, times)
    assert signature(kinds, one, times, 0.005) == signature(kinds, other, times, 0.005)
    chatter = signature(kinds, ["LF", "LF", "RH", "LF"], [0.1, 0.102, 0.103, 0.3], 0.005)
    assert chatter == ("touchdown LF", "touchdown RH", "touchdown LF")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: signature(["strike"], []), "features: expected 1 names, one for each event, got 0"),
        (lambda: signature(["strike"], ["a"], [1.0, 2.0], 0.1), "times: expected shape (1,), got (2,)"),
        (
            lambda: signature(["strike"], ["a"], [np.nan], 0.1),
            "times: expected finite numbers, got nan at index 0",
        ),
        (lambda: signature(["strike"], ["a"], [1.0], -1), "together: expected a number of at least 0, got -1"),
        (lambda: Tree.of([("a",)], []), "outcomes: expected 1 words, one for each trace, got 0"),
    ],
)
def test_bad_arguments_are_named(call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call()


def test_a_tree_shows_what_is_shared_and_what_branches():
    traces = [("a", "b", "c")] * 3 + [("a", "b", "d")] + [("a", "b")] * 2
    tree = Tree.of(traces, ["success"] * 3 + ["known failure"] + ["success", "broken"])
    assert (tree.events, tree.count, tree.ends) == (("a", "b"), 6, 2)
    assert tree.outcomes == {"success": 4, "known failure": 1, "broken": 1}
    assert [(child.events, child.count, child.ends) for child in tree.children] == [(("c",), 3, 3), (("d",), 1, 1)]
    assert [(depth, node.events) for depth, node in tree.walk()] == [(0, ("a", "b")), (1, ("c",)), (1, ("d",))]


def test_edges_of_a_tree():
    none = Tree.of([])
    assert (none.events, none.count, none.children) == ((), 0, [])
    one = Tree.of([("a", "b")])
    assert (one.events, one.count, one.ends) == (("a", "b"), 1, 1)
    deep = Tree.of([("a",) * k for k in range(1500)])
    assert sum(1 for _ in deep.walk()) == 1500


@given(SOME)
def test_a_tree_loses_no_trace(traces):
    paths, found = {}, []
    for depth, node in Tree.of(traces).walk():
        paths[depth] = (*paths.get(depth - 1, ()), *node.events)
        found += [paths[depth]] * node.ends
        assert node.count == node.ends + sum(child.count for child in node.children)
    assert sorted(found) == sorted(traces)


def test_groups_part_where_the_first_planted_event_differs():
    rng = np.random.default_rng(3)
    good = [("a", "b", "c", *rng.choice(["d", "e"], 3)) for _ in range(40)]
    bad = [("a", "b", "strike", "f") for _ in range(12)]
    found = parting(good, bad)
    assert (found.position, found.before, found.a, found.b) == (2, ("a", "b"), "c", "strike")
    assert (found.share_a, found.share_b) == (1.0, 1.0)
    assert str(found) == "event 3, after b: c (100 %) against strike (100 %)"


def test_a_few_that_stray_early_do_not_hide_the_parting():
    good = [("a", "b", "c")] * 18 + [("x",), ("y",)]
    bad = [("a", "b", "d")] * 9 + [("z",)]
    found = parting(good, bad)
    assert (found.position, found.a, found.b) == (2, "c", "d")
    assert (found.share_a, found.share_b) == (0.9, 0.9)


def test_a_trace_that_ends_parts_too_and_the_same_do_not():
    found = parting([("a", "b")] * 3, [("a",)] * 2)
    assert (found.position, found.a, found.b) == (1, "b", "end")
    assert str(parting([("a",)], [("b",)])) == "event 1, from the start: a (100 %) against b (100 %)"
    assert parting([("a", "b")] * 3, [("a", "b")] * 7) is None
    assert parting([], [("a",)]) is None


@given(SOME, SOME)
def test_parting_is_symmetric_and_real(one, other):
    there, back = parting(one, other), parting(other, one)
    assert (there is None) == (back is None)
    if there is not None:
        assert there.a != there.b
        assert there.position == back.position == len(there.before)
        assert any((*each, "end")[: there.position + 1] == (*there.before, there.a) for each in one)
        assert any((*each, "end")[: there.position + 1] == (*there.before, there.b) for each in other)
