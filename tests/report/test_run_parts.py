"""Numbers behind the page of a run: who is typical, what decides, where traces part, how a log compares."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.report import (
    run_behaviours,
    run_curves,
    run_log,
    run_motion,
    run_pictures,
    run_scatter,
    run_sensitivity,
    run_traces,
    run_tree,
)
from surefoot.report.run_motion import Motion, free_body, motions
from surefoot.report.run_outcomes import KINDS, counts
from surefoot.report.run_verdict import headline
from surefoot.traces.findings import BY_SUCCESS, Finding, deciding, influences, signatures_of
from surefoot.traces.groups import Group, groups
from surefoot.traces.result import OUTCOMES
from surefoot.traces.scatter import scatter
from surefoot.traces.sensitivity import Influence
from surefoot.traces.verdict import Verdict
from tests.report.synthetic_run import DECIDES, STEPS, Synthetic, fill


def group(outcomes, time=None, policy="p", **columns):
    """A group by hand."""
    n = len(outcomes)
    full = {"margins": {}, "final": {}, "values": {}, "requirement": np.full(n, "upright"), **columns}
    return Group(
        policy=policy,
        place=0,
        particle=np.arange(n),
        outcome=np.array(outcomes),
        time=np.full(n, 1.0) if time is None else np.array(time, dtype=float),
        message=np.full(n, ""),
        **full,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("run") / "run", Synthetic())


@pytest.fixture(scope="module")
def found(folder):
    return groups(folder.particles(), folder.policies)


S, K, U, B = "success", "known failure", "unknown failure", "broken"


class TestFacts:
    def test_every_outcome_has_a_kind(self):
        assert {outcome for kind in KINDS for outcome in kind.outcomes} == set(OUTCOMES)
        assert counts(np.array([S, K, K, "crashed", "hung", "new"])) == [1, 2, 0, 3]

    def test_the_table_comes_back_as_it_was(self, found):
        results = Synthetic().results()
        assert [each.policy for each in found] == list(STEPS)
        for each in found:
            own = [result for result in results if result.policy == each.policy]
            assert each.outcome.tolist() == [result.outcome for result in own]
            assert each.values["law"].tolist() == [result.values["law"] for result in own]
            np.testing.assert_array_equal(each.values[DECIDES], [result.values[DECIDES] for result in own])
            np.testing.assert_array_equal(each.margins["upright"], [result.margins["upright"] for result in own])

    def test_causes_the_most_frequent_first(self):
        one = group([K, K, U, S, B], [1.0, 3.0, 5.0, 5.0, 0.1], requirement=np.array(["a", "a", "b", "", ""]))
        assert one.causes() == [("a", 2, 2.0), ("b", 1, 5.0)]

    def test_causes_without_a_time(self):
        ((name, often, time),) = group([K], [np.nan]).causes()
        assert (name, often) == ("upright", 1)
        assert np.isnan(time)


def judged_as(policy, word, decides=""):
    ranked = [Influence(decides, 1.0, 0.9, 1.0, 1e-6, "high")] if decides else []
    nowhere = scatter(np.empty((0, 1)))
    return Finding(group([S], policy=policy), Verdict(word, ""), BY_SUCCESS, ranked, [], nowhere, None)


def test_behaviours_escape_names_and_leave_out_what_is_not_there():
    evil = "touchdown <b>&foot"
    nowhere = scatter(np.empty((0, 1)))
    one = Finding(
        group([S, S, K, K, K], policy="<i>p"), Verdict("brittle", ""), "", [], [("a", "a")] * 2 + [("a", evil)] * 3,
        nowhere, None,
    )  # fmt: skip
    shown = run_behaviours.section([one, judged_as("bare", "brittle")])
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "↓\u00a0&lt;b&gt;&amp;foot 1.0 times (others 0.0)" in shown
    assert "3 of 5, 60\u00a0%" in shown
    assert "0 of 3: 0 % (0 to 56.1 %)" in shown
    assert "bare" not in shown  # no trace of it meets anything
    assert "100 % (&lt;i&gt;p)" in shown
    assert run_behaviours.section([judged_as("bare", "brittle")]) is None


def test_headline_groups_the_words_and_begins_with_the_best():
    words = {"a": "fails", "b": "robust", "c": "fails", "d": "unpredictable", "e": "fails"}
    judged = [judged_as(name, word) for name, word in words.items()]
    assert headline(judged) == "b is robust; d succeeds, but unpredictably; a, c and e fail."
    assert headline(judged[:1] * 5 + judged[1:2]) == "b is robust; 5 of 6 policies fail."
    assert headline([]) == "Nothing was run."


def test_headline_names_what_decides_if_it_is_one():
    brittle = [judged_as(name, "brittle", f"mu of {name}") for name in "ab"]
    assert headline(brittle[:1]) == "a is brittle, decided by mu of a."
    assert headline(brittle) == "a and b are brittle."


class TestPictures:
    def test_typical_is_in_the_middle_of_what_most_do(self):
        one = group([S, S, S, K, B], final={"x": np.array([0.0, 1.1, 3.0, 1.0, np.nan])})
        assert run_pictures.typical(one) == 1

    def test_worst_is_what_failed_first(self):
        assert run_pictures.worst(group([S, K, U, K, B], [9.0, 2.0, 9.0, 1.5, 0.1])) == 3

    def test_worst_of_good_ones_came_nearest_to_a_violation_for_its_kind(self):
        near = {"a": np.array([10.0, 9.0, 11.0]), "b": np.array([0.1, 0.1, 0.01])}
        assert run_pictures.worst(group([S, S, S], margins=near)) == 2

    def test_nothing_to_show(self):
        broken = group([B, B])
        assert (run_pictures.typical(broken), run_pictures.worst(broken)) == (None, None)
        assert run_pictures.worst(group([S, S])) is None

    def test_one_trace_may_be_both(self):
        shown = run_pictures.figures(group([K], [1.0]), lambda policy, particle: None)
        assert len(shown) == 1
        assert "typical and worst" in shown[0]


class TestTimeToFailure:
    def test_nobody_failed(self):
        assert run_curves.time_to_failure([group([S, S])]) is None

    def test_share_at_the_end_by_hand(self):
        # [Kaplan1958]: of four one fails at 1, then one breaks at 2, then one of two fails at 3: 3/4 times 1/2.
        one = group([K, B, K, S], [1.0, 2.0, 3.0, 4.0])
        assert "p: 38 %." in run_curves.time_to_failure([one])

    def test_all_fail(self):
        assert "p: 0 %." in run_curves.time_to_failure([group([K, K], [1.0, 2.0])])

    def test_no_times(self):
        assert run_curves.time_to_failure([group([K], [np.nan])]) is None


class TestMargins:
    def test_those_violated_most_come_first_then_those_nearest_to_it(self, found):
        assert run_curves.shown_margins(found) == ["foot does not strike", "beyond the curb", "upright"]
        by_hand = {"far": np.array([9.0, 10.0]), "near": np.array([1.0, 10.0]), "none": np.array([np.nan, np.nan])}
        assert run_curves.shown_margins([group([S, S], margins=by_hand)]) == ["near", "far"]

    def test_words_of_the_histogram(self):
        one = group([S, K, B], margins={"a": np.array([3.0, -1.0, np.nan])})
        assert "p, least margin of a: median 1, 1 below zero." in run_curves.margin_histogram([one], one, "a", "k")

    def test_all_alike_or_none(self):
        same = group([S, S], margins={"a": np.array([0.0, 0.0])})
        assert "median 0, 0 below zero" in run_curves.margin_histogram([same], same, "a", "k")
        assert run_curves.margin_histogram([same], same, "b", "k") is None


class TestWhatDecides:
    def test_the_parameter_that_was_planted_comes_first(self, found):
        by, ranked = influences(found[2], "upright")
        assert (by, deciding(ranked)) == (BY_SUCCESS, DECIDES)

    def test_without_a_failure_the_margin_is_ranked(self):
        z = np.random.default_rng(0).standard_normal(40)
        one = group([S] * 40, margins={"a": -z}, values={"b": z, "c": np.array(["u", "v"] * 20)})
        by, ranked = influences(one, "a")
        assert (by, ranked[0].name, ranked[0].fails) == ("a", "b", "high")

    def test_nothing_to_rank(self):
        one = group([S] * 4, values={"b": np.arange(4.0)})
        assert influences(one, None) == ("", [])
        assert "All traces end alike: nothing to rank." in run_sensitivity.figure(one, "", [])


class TestTree:
    def test_the_sentence_names_the_event_that_was_planted(self, folder, found):
        sentence = run_tree.parting_sentence(found[2], signatures_of(folder, found[2]))
        assert re.search(r"^Successes and failures part at event \d+, .*\(100 % of successes\) against", sentence)
        assert "against ✕\u00a0LF_FOOT/curb side" in sentence

    def test_traces_that_end_alike_do_not_part(self):
        sentences = [run_tree.parting_sentence(group(ends), [("a",), ("b",)]) for ends in ([S, S], [K, U], [S, B])]
        verbs = ("fails", "succeeds", "fails")
        assert sentences == [f"No trace {verb}, so there are no two groups that could part." for verb in verbs]
        assert run_tree.parting_sentence(group([S, K]), [("a",), ("a",)]).endswith("go through the same events.")

    def test_counts_of_the_tree_by_hand(self):
        orders = [("touchdown a", "strike b")] * 3 + [("touchdown a", "touchdown c")] * 2 + [("touchdown a",)]
        text = re.sub(r"<[^>]*>", "|", run_tree.figure(group([K] * 3 + [S] * 3), orders))
        assert "|6 of 6|: ↓\u00a0a; 1 end here|" in text
        assert "|3 of 6|: ✕\u00a0b|" in text
        assert "|2 of 6|: ↓\u00a0c|" in text

    def test_a_large_run_is_read_in_part(self, folder, found, monkeypatch):
        whole = signatures_of(folder, found[2])
        monkeypatch.setattr(sys.modules["surefoot.traces.findings"], "MOST_TRACES", 5)
        assert signatures_of(folder, found[2]) == whole[:5]


class TestMotion:
    def test_first_particles_and_further_failures_are_read(self, folder, found, monkeypatch):
        monkeypatch.setattr(run_motion, "FIRST", 3)
        monkeypatch.setattr(run_motion, "FURTHER", 2)
        read = motions(folder, found[2])
        later = found[2].kind[3:]
        assert [each.kind for each in read] == [*found[2].kind[:3], *later[later > 0][:2]]

    def test_the_free_body_is_found_by_its_quaternion(self):
        t, yaw = np.linspace(0.0, 1.0, 9), np.linspace(0.0, 7.0, 9)
        q = [0.3 * t, 0.1 + t, t, 2 * t, 3 * t, np.cos(yaw / 2), 0 * t, 0 * t, np.sin(yaw / 2)]
        body = free_body({"t": t, **{f"q{k}": values for k, values in enumerate(q)}})
        np.testing.assert_array_equal(body["z"], 3 * t)
        np.testing.assert_allclose(body["yaw"], np.degrees(yaw))

    def test_no_free_body(self):
        t = np.linspace(0.0, 1.0, 9)
        assert free_body({"t": t, **{f"q{k}": 0.1 * t for k in range(9)}}) == {}
        assert free_body({"t": t}) == {}


class TestLog:
    def write(self, path, **columns):
        rows = np.array(list(columns.values())).T
        np.savetxt(path, rows, delimiter=",", header=",".join(columns), comments="")
        return path

    def test_angles_come_in_degrees_without_jumps(self, tmp_path):
        yaw = np.array([3.0, 3.1, 3.2 - 2 * np.pi])
        read = run_log.columns(self.write(tmp_path / "a.csv", t=[0, 1, 2], yaw=yaw, x=[1, 2, 3]))
        np.testing.assert_allclose(read["yaw"], np.degrees([3.0, 3.1, 3.2]))
        np.testing.assert_array_equal(read["x"], [1, 2, 3])

    def test_share_inside_by_hand(self):
        t = np.linspace(0.0, 1.0, 11)
        traces = [Motion(0, t, {"x": np.full(11, float(k))}) for k in range(101)]
        log = {"t": t, "x": np.where(t < 0.45, 50.0, 97.0)}
        assert run_log.inside(traces, log, "x") == pytest.approx(5 / 11)
        assert run_log.inside(traces, {"t": t, "x": np.full(11, np.nan)}, "x") is None
        assert run_log.inside([], log, "x") is None

    def test_a_log_is_not_compared_where_traces_have_ended(self):
        t = np.linspace(0.0, 1.0, 11)
        traces = [Motion(0, t[:6], {"x": np.zeros(6)}) for _ in range(9)]
        assert run_log.inside(traces, {"t": t, "x": np.where(t <= 0.5, 0.0, 9.0)}, "x") == 1.0

    def test_what_cannot_be_read(self, tmp_path):
        (tmp_path / "bad.csv").write_text("time,x\n0,1\n")
        with pytest.raises(InputError, match=r"bad\.csv: expected a column t \(time in s\), got time, x$"):
            run_log.columns(tmp_path / "bad.csv")


class TestEnds:
    def test_two_places_are_told_from_one(self):
        draw = np.random.default_rng(0).standard_normal(60)
        one = group([S] * 60, final={"yaw": 0.01 * draw, "x": draw})
        two = replace(one, final={"yaw": 0.01 * draw, "x": draw + 30 * (np.arange(60) < 20)})
        text = re.sub(r"<[^>]*>", "|", run_scatter.section([one, two]))
        assert "|scatters|" in text
        assert "|bifurcates along x, 67 % against 33 %|" in text
        assert text.index("x [m]") < text.index("yaw [°]")
        assert f"± {np.degrees(0.01 * draw.std(ddof=1)):.2g}|" in text

    def test_early_failures_do_not_count(self):
        one = group([S] * 9 + [K] * 9, final={"x": np.r_[np.linspace(0, 1, 9), np.full(9, 99.0)]})
        assert ">9</td>" in run_scatter.section([one])

    def test_few_and_none(self):
        assert "too few to tell" in run_scatter.section([group([S], final={"x": np.zeros(1)})])
        assert run_scatter.section([group([S])]) is None


def test_axes_end_where_the_numbers_do_though_a_witness_is_infinite():
    """A requirement that looks at the start alone is infinite from then on; a log may be without a number."""
    t = np.array([0.0, 1.0, 2.0])
    moved = [
        Motion(0, t, {"witness w": np.array([0.5, np.inf, np.inf])}),
        Motion(0, t, {"witness w": np.full(3, np.inf)}),
    ]
    view = run_traces.View("Margin", "t", "witness w", "time [s]", "margin", 0.0)
    assert run_traces.limits(view, moved, None) == [(0.0, 2.0), (-0.5, 1.5)]
    assert run_traces.limits(view, moved, {"t": t, "witness w": np.full(3, np.nan)}) == [(0.0, 2.0), (-0.5, 1.5)]
    assert run_traces.limits(view, moved[1:], None)[1] == pytest.approx((-0.05, 1.05))
