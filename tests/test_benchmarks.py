"""The benchmark harness on a toy test set: what it counts, and what it writes."""

import csv
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from benchmarks import machine, ours, report
from benchmarks.__main__ import main
from benchmarks.harness import (
    Absent,
    Bar,
    Laps,
    Method,
    Problem,
    Record,
    Result,
    Setting,
    Task,
    TestSet,
    Verdict,
    measure,
    require,
)
from benchmarks.sets import ALL
from benchmarks.summary import row_of, summarise
from typer.testing import CliRunner

app = typer.Typer()
app.command()(main)


def _problems(quick):
    return [Problem(f"p{i}", "small" if i < 2 else "large", i, work=2) for i in range(3 if quick else 5)]


def _method(name, answer, ours=False):
    """A method whose `answer(i)` is (claimed, residual)."""
    return Method(
        name,
        "x = i",
        lambda problem, setting: Task(lambda: problem.data, lambda i: Verdict(*answer(i))),
        ours,
        "Timed: a look",
    )


def _raises(problem, setting):
    def call():
        raise RuntimeError("singular")

    return Task(call, lambda answer: Verdict(True, 0.0))


def _absent():
    raise Absent("gone", "no module named 'gone'", "pip install gone")


def _toy(finders, problems=_problems):
    strict = [Setting("strict", 1e-8)]
    return TestSet("toy", "Toys", "Numbers.", "solve", problems, strict, finders, ["peer"], ["Toys prove little."])


TOY = _toy(
    [
        lambda: _method("ours", lambda i: (True, 1e-12), ours=True),
        lambda: _method("peer", lambda i: (i != 0, 1e-10)),
        lambda: _method("bluff", lambda i: (True, 1e-3 if i == 3 else 0.0)),
        lambda: Method("broken", "none", _raises),
        _absent,
    ]
)


def _records(method, size, seconds, **rest):
    values = {"claimed": True, "residual": 0.0, "repeats": 5, **rest}
    return [Record("strict", size, f"p{i}", method, s, **values) for i, s in enumerate(seconds)]


def test_every_method_meets_every_problem_and_failures_are_kept():
    result = measure(TOY)
    assert [method.name for method in result.methods] == ["ours", "peer", "bluff", "broken"]
    assert len(result.records) == 4 * 5
    broken = [record for record in result.records if record.method == "broken"]
    assert {record.error for record in broken} == {"RuntimeError: singular"}
    assert all(math.isnan(record.seconds) and not record.claimed for record in broken)


def test_methods_take_turns_problem_by_problem():
    order = [record.method for record in measure(TOY).records]
    assert order[:8] == ["ours", "peer", "bluff", "broken", "peer", "bluff", "broken", "ours"]


def test_success_needs_a_claim_and_a_residual_within_tolerance():
    rows = {(row.method, row.size): row for row in summarise(measure(TOY))}
    assert rows["ours", "small"].success == 1.0
    assert (rows["peer", "small"].success, rows["peer", "small"].wrong) == (0.5, 0.0)
    assert (rows["bluff", "large"].success, rows["bluff", "large"].wrong) == pytest.approx((2 / 3, 1 / 3))
    assert rows["bluff", "large"].residual == 1e-3
    assert (rows["broken", "large"].success, rows["broken", "large"].errors) == (0.0, 3)
    assert math.isnan(rows["broken", "large"].p50)


def test_a_claim_whose_residual_is_not_a_number_is_wrong():
    row = summarise(measure(_toy([lambda: _method("peer", lambda i: (True, math.nan))])))[0]
    assert (row.success, row.wrong, row.residual) == (0.0, 1.0, math.inf)


def test_percentiles_and_ratios_of_known_times():
    methods = [_method("ours", lambda i: (True, 0.0), ours=True), _method("peer", lambda i: (True, 0.0))]
    times = [float(i) for i in range(1, 102)]
    records = _records("ours", "small", times) + _records("peer", "small", [4 * t for t in times])
    ours, peer = summarise(Result(TOY, methods, [], records))
    assert (ours.p50, ours.p99, ours.worst) == (51.0, 100.0, 101.0)
    assert (ours.ratios, ours.worst_ratios) == ({"peer": 0.25}, {"peer": 0.25})
    assert peer.ratios == {"peer": 1.0}


def test_what_judges_count_is_summed_over_problems_and_reported(tmp_path):
    def counting(problem, setting):
        return Task(lambda: problem.data, lambda i: Verdict(True, 0.0, {"seen": i, "missed": 0}))

    finders = [lambda: Method("ours", "none", counting, ours=True), lambda: _method("peer", lambda i: (True, 0.0))]
    result = measure(_toy(finders))
    rows = {(row.method, row.size): row.counts for row in summarise(result)}
    assert rows["ours", "small"] == {"seen": 1, "missed": 0}
    assert rows["ours", "large"] == {"seen": 2 + 3 + 4, "missed": 0}
    assert rows["peer", "large"] == {}
    text = report.markdown(result, {})
    assert "## Counted\n\n| size | method | seen | missed |\n|---|---|---|---|\n| small | ours | 1 | 0 |\n" in text
    assert "## Counted" not in report.markdown(measure(TOY), {})
    with report.write(result, {}, tmp_path)[1].open(newline="") as file:
        first, second = list(csv.DictReader(file))[:2]
    assert (first["seen"], first["missed"], second["seen"]) == ("1", "0", "")


class _Clock:
    """Time that passes only when told to."""

    def __init__(self, monkeypatch):
        self.now = 0
        monkeypatch.setattr("benchmarks.harness.time.perf_counter_ns", lambda: self.now)

    def wait(self, milliseconds):
        self.now += int(1e6 * milliseconds)


def _one_record(prepare, repeats, work):
    one = [Problem("p", "small", 0, work=work)]
    return measure(_toy([lambda: Method("peer", "none", prepare)], lambda quick: one), repeats=repeats).records[0]


def test_best_of_the_repeats_per_unit_of_work_without_the_reset(monkeypatch):
    clock, waits = _Clock(monkeypatch), iter([1, 1, 50, 20, 40])  # two calls warm up

    def prepare(problem, setting):
        return Task(lambda: clock.wait(next(waits)), lambda answer: Verdict(True, 0.0), lambda: clock.wait(500))

    record = _one_record(prepare, repeats=3, work=10)
    assert record.seconds == pytest.approx(0.002)
    assert record.repeats == 3


def test_a_task_that_does_its_work_several_times_is_timed_per_unit(monkeypatch):
    clock = _Clock(monkeypatch)

    def prepare(problem, setting):
        return Task(lambda: clock.wait(20), lambda answer: Verdict(True, 0.0), units=5)

    assert _one_record(prepare, repeats=1, work=2).seconds == pytest.approx(0.002)


def test_a_call_that_takes_very_long_is_not_repeated(monkeypatch):
    clock = _Clock(monkeypatch)

    def prepare(problem, setting):
        return Task(lambda: clock.wait(6000), lambda answer: Verdict(True, 0.0))

    assert _one_record(prepare, repeats=5, work=1).repeats == 2


def test_quick_and_only():
    result = measure(TOY, quick=True, only=["peer"])
    assert [record.problem for record in result.records] == ["p0", "p1", "p2"]
    assert {record.method for record in result.records} == {"peer"}


def test_progress_reaches_its_total():
    seen, totals = [], []
    measure(TOY, on_progress=seen.append, on_start=totals.append)
    assert totals == [len(seen)]
    assert "large, ours" in seen


def test_report_names_absent_peers_machine_law_and_limitations():
    text = report.markdown(measure(TOY), machine.facts())
    assert "- **gone**: no module named 'gone' (`pip install gone`)" in text
    assert "| size | method | problems | solved | wrong | residual | p50 per solve | p99 | worst | p50 / peer |" in text
    assert "| small | **ours** | 2 | 100 % | 0 % | 1e-12 |" in text
    assert "| small | peer | 2 | 50.0 % | 0 % | 1e-10 |" in text
    assert "- broken on p0: RuntimeError: singular" in text
    for fact in ("- processor: ", "- cores: ", "numba ", "Toys prove little.", "compare within a run"):
        assert fact in text


def test_a_set_without_problems_says_so():
    text = report.markdown(measure(_toy(TOY.finders, problems=lambda quick: _absent())), {})
    assert "Nothing was measured: see Absent." in text
    assert "pip install gone" in text


def test_files_hold_the_tables_and_every_record(tmp_path):
    result = measure(TOY)
    paths = report.write(result, machine.facts(), tmp_path / "new")
    assert [path.name for path in paths] == ["toy.md", "toy.csv", "toy-problems.csv"]
    with paths[1].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 4
    assert float(rows[0]["p50 / peer"]) == pytest.approx(float(rows[0]["p50"]) / float(rows[1]["p50"]))
    with paths[2].open(newline="") as file:
        assert sum(1 for _ in csv.DictReader(file)) == len(result.records)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.234e-5, "12.3 us"), (0.0045, "4.5 ms"), (1.2, "1.2 s"), (1.5e-4, "150 us"), (math.nan, "-")],
)
def test_durations_have_a_unit_that_fits(seconds, text):
    assert report.duration(seconds) == text


def test_shares_never_round_to_all_or_none():
    rows = _records("ours", "small", [1.0] * 2000)
    rows[0] = Record("strict", "small", "p0", "ours", 1.0, 5, False, math.nan)
    text = report.markdown(Result(TOY, [_method("ours", lambda i: (True, 0.0))], [], rows), {})
    assert "| 99.9 % | 0 % |" in text


def test_a_missing_module_gives_the_pip_line():
    with pytest.raises(Absent, match="no_such_peer: No module named 'no_such_peer'") as caught:
        require("no_such_peer", "no_such_peer", "no-such-peer")
    assert caught.value.remedy == "pip install no-such-peer"


@pytest.mark.parametrize(
    ("name", "finders", "count"), [("lcp", [ours.coulomb, ours.lemke], 6), ("step", [ours.simulator], 1)]
)
def test_our_methods_solve_their_problems(name, finders, count):
    few = ALL[name].problems(True)[:count]
    result = measure(replace(ALL[name], finders=finders, problems=lambda quick: few), repeats=1)
    assert len(result.records) == len(finders) * len(few) * len(ALL[name].settings)
    for record in result.records:
        assert record.claimed, record
        assert record.residual < 1e-9, record


def test_the_command_line_names_its_test_sets():
    root = Path(__file__).parents[1]
    run = [sys.executable, "-m", "benchmarks", "nonsense"]
    done = subprocess.run(
        run, cwd=root, capture_output=True, text=True, env={"COLUMNS": "200", "PATH": ""}, check=False
    )
    assert done.returncode == 2
    assert (
        "no test set is called nonsense; the choices are lcp, contact, step, walk, inverse, soft, batch, modes, "
        "traces, whole_body" in done.stderr
    )
    assert list(ALL) == ["lcp", "contact", "step", "walk", "inverse", "soft", "batch", "modes", "traces", "whole_body"]


def test_the_command_line_lists_its_test_sets():
    shown = CliRunner().invoke(app, ["--list"])
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.output.splitlines()] == list(ALL)
    assert "inverse    Inverse dynamics in a control loop" in shown.output


def _laps(problem, setting):
    """Three calls of 1, 5, 3 ms, when called again of 3, 2, 4 ms."""
    turns = iter([[1e-3, 5e-3, 3e-3], [3e-3, 2e-3, 4e-3]])
    return Task(lambda: Laps(next(turns), "answer"), lambda answer: Verdict(answer == "answer", 0.0))


def test_laps_count_each_for_itself_and_keep_their_best():
    finders = [lambda: Method("ours", "none", _laps, ours=True)]
    result = measure(_toy(finders, lambda quick: [Problem("p", "small", 0, work=3)]), repeats=2)
    (record,) = result.records
    assert record.laps == (1e-3, 2e-3, 3e-3)
    assert (record.seconds, record.repeats, record.claimed) == (2e-3, 2, True)
    row = summarise(result)[0]
    assert (row.problems, row.p50, row.worst) == (1, 2e-3, 3e-3)


def test_laps_are_not_written_problem_by_problem(tmp_path):
    finders = [lambda: Method("ours", "none", _laps, ours=True)]
    result = measure(_toy(finders, lambda quick: [Problem("p", "small", 0, work=3)]), repeats=2)
    with report.write(result, {}, tmp_path)[2].open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert "laps" not in row
    assert float(row["seconds"]) == 2e-3


def test_a_method_meets_only_the_sizes_it_is_meant_for():
    method = replace(_method("peer", lambda i: (True, 0.0)), sizes=("large",))
    seen, totals = [], []
    finders = [lambda: method, lambda: _method("ours", lambda i: (True, 0.0), ours=True)]
    result = measure(_toy(finders), on_progress=seen.append, on_start=totals.append)
    assert {record.size for record in result.records if record.method == "peer"} == {"large"}
    assert totals == [len(seen)]
    rows = summarise(result)
    assert [(row.size, row.method) for row in rows] == [("small", "ours"), ("large", "peer"), ("large", "ours")]
    assert rows[0].ratios == {}


@pytest.mark.parametrize(
    ("at_least", "value", "line"),
    [
        (False, 2.0, "| speed | at most 2 | 2 | yes |"),
        (False, 2.5, "| speed | at most 2 | 2.5 | no |"),
        (True, 2.5, "| speed | at least 2 | 2.5 | yes |"),
        (True, 1.5, "| speed | at least 2 | 1.5 | no |"),
        (True, math.nan, "| speed | at least 2 | nan | no |"),
    ],
)
def test_bars_say_whether_they_are_met(at_least, value, line):
    bar = Bar("speed", lambda rows: value, 2.0, at_least)
    assert line in report.markdown(measure(replace(TOY, bars=[bar])), {})


def test_a_bar_whose_rows_are_missing_says_so():
    bar = Bar("speed", lambda rows: row_of(rows, "strict", "small", "gone").p50, 2.0)
    assert "| speed | at most 2 | - | not measured |" in report.markdown(measure(replace(TOY, bars=[bar])), {})
