"""The set on contact modes, tiny: ours agrees with brute force, and a judge that sees a wrong answer says so."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import contact_modes
from benchmarks.contact_modes import Batch, One, every_mode, judge_batch, judge_one, programs, search
from benchmarks.harness import Problem, measure
from benchmarks.sets import modes
from benchmarks.summary import Row, summarise

from tests.modes.random_systems import at_rest

FEW = Batch(seed=2005, first=0, last=4)


@pytest.fixture
def alone(monkeypatch):
    """The oracle without processes of its own."""
    monkeypatch.setattr(
        contact_modes,
        "oracle",
        lambda batch: [contact_modes._judged(batch.seed, i) for i in range(batch.first, batch.last)],
    )


def two_contacts(full=True):
    sample = at_rest(3, 1, 2)
    return Problem("two", modes.SIX, One(sample, sample.system(), full))


def test_ours_agrees_with_brute_force(alone):
    problems = [Problem("few", modes.SMALL, FEW, work=4), two_contacts(), replace(two_contacts(False), name="some")]
    test_set = replace(modes.TEST_SET, problems=lambda quick: problems)
    result = measure(test_set, repeats=1)
    assert [(record.problem, record.method) for record in result.records] == [
        ("few", "surefoot-modes"),
        ("two", "scipy-linprog"),
        ("two", "surefoot-modes"),
        ("some", "surefoot-modes"),
        ("some", "scipy-linprog"),
    ]
    for record in result.records:
        assert record.error == ""
        assert record.claimed
        assert record.residual <= 1e-8, record
        assert record.counts["disagreements"] == 0
    few, two = result.records[0], result.records[1]
    assert len(few.laps) == few.counts["systems"] == 4
    assert (two.counts["combinations"], two.counts["judged"]) == (16, 16)
    assert {row.size for row in summarise(result)} == {modes.SMALL, modes.SIX}


def test_modes_that_are_missing_or_invented_are_counted():
    problem = two_contacts()
    found = every_mode(problem.data.plain)
    assert judge_one(problem, found).residual <= 1e-8
    name = next(iter(found))
    verdict = judge_one(problem, {other: x for other, x in found.items() if other != name})
    assert (verdict.residual, verdict.counts["disagreements"]) == (np.inf, 1)
    absent = next(other for other in ("SS", "FL", "LF", "RL", "LR") if other not in found)
    verdict = judge_one(problem, found | {absent: found[name]})
    assert verdict.counts["disagreements"] == 1
    assert judge_one(problem, found | {name: found[name] + 1.0}).residual > 1e-3


def test_a_batch_counts_what_a_response_lacks(alone):
    none = SimpleNamespace(modes=[], solutions=lambda torque: [])
    verdict = judge_batch(FEW, [none] * 4)
    every = [contact_modes.existing(judged)[0] for _, *both in contact_modes.oracle(FEW) for judged in both]
    assert verdict.counts["disagreements"] == sum(map(len, every)) > 0
    assert (verdict.residual, verdict.counts["systems"], verdict.counts["modes"]) == (np.inf, 4, 0)


def test_processes_of_the_oracle_say_what_this_one_says():
    few = Batch(seed=2005, first=0, last=2)
    for told, here in zip(contact_modes.oracle(few), map(contact_modes._judged, [2005] * 2, range(2)), strict=True):
        assert told[0].tobytes() == here[0].tobytes()
        assert told[1:] == here[1:]


def test_problems_of_a_quick_look():
    cases = modes.problems(True)
    assert [case.size for case in cases] == [modes.SMALL] * 2 + [modes.SIX, modes.TEN, modes.FEET]
    assert sum(case.work for case in cases[:2]) == modes.QUICK_SYSTEMS
    assert cases[-1].data.system.contacts == 4


def test_bars_compare_the_right_rows():
    def row(size, method, times, wrong):
        names = {"setting": modes.NAME, "size": size, "method": method, "ours": method != "scipy-linprog", "law": ""}
        shares = dict.fromkeys(("success", "wrong", "residual", "p50", "p99"), 0.0)
        numbers = {"problems": 1, "worst": max(times), "repeats": 1, "errors": 0, "times": times}
        return Row(**names, **shares, **numbers, counts={"disagreements": wrong})

    rows = [
        row(modes.SMALL, "surefoot-modes", (1.0,), 2),
        row(modes.SIX, "surefoot-modes", (0.1, 0.2, 0.3), 1),
        row(modes.SIX, "scipy-linprog", (8.0, 8.0, 9.0), 7),
        row(modes.TEN, "surefoot-modes", (3.0, 5.0), 0),
        row(modes.FEET, "surefoot-modes", (2.0,), 0),
    ]
    assert [bar.measure(rows) for bar in modes.TEST_SET.bars] == pytest.approx([3.0, 40.0, 5.0, 2.0])


def test_methods_say_what_is_timed():
    assert search().ours
    assert programs(modes.SIX).sizes == [modes.SIX]
