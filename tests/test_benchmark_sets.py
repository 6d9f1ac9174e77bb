"""The sets on inverse dynamics, a few problems each: ours solves them, and peers are asked as they should be."""

import itertools
import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import batches, humanoid
from benchmarks.controllers import LAWS, TEXT, controller
from benchmarks.harness import Absent, Method, Problem, Record, Result, measure
from benchmarks.peers import mujoco_inverse, tsid
from benchmarks.sets import ALL, batch, inverse
from benchmarks.summary import row_of, summarise
from experiments.stance import motion

import surefoot as sf


def _measure(name, finders, problems, settings=None):
    settings = ALL[name].settings if settings is None else settings
    few = replace(ALL[name], finders=finders, problems=lambda quick: problems, settings=settings)
    return measure(few, repeats=1)


@pytest.mark.parametrize("name", LAWS)
def test_every_law_follows_a_sway(name):
    problems = [Problem(f"{n}", f"{n} contacts", motion([3, n], n, 5)) for n in (1, 4, 8)]
    settings = [replace(setting, options=setting.options | {"every": 2}) for setting in inverse.TEST_SET.settings]
    result = _measure("inverse", [controller(name)], problems, settings)
    assert len(result.records) == 3 * 3
    for record in result.records:
        assert record.error == ""
        assert len(record.laps) == 3
        assert record.claimed, record
        # The energy form calls solved what is not, by other code, on redundant contacts.
        assert record.residual < (1e-5 if name == "dissipative-energy" else 1e-8), record


def test_a_cold_call_remembers_nothing(monkeypatch):
    counts = []

    class Watched(sf.InverseDynamics):
        def __call__(self, *demand):
            counts.append(int(self._space.step.memory.count[0]))
            return super().__call__(*demand)

    monkeypatch.setattr(sf, "InverseDynamics", Watched)
    problem = Problem("p", "4 contacts", motion([3], 4, 3))
    for setting in inverse.TEST_SET.settings:
        task = controller("coulomb")().prepare(problem, replace(setting, options=setting.options | {"every": 1}))
        task.reset()
        counts.clear()
        task.call()
        assert counts == ([4, 4, 4] if setting.name == inverse.WARM else [0, 0, 0])


def test_laws_of_the_loop_are_all_laws():
    assert {law.name for law in LAWS.values()} == {"coulomb", "no-slip", "dissipative", "soft", "compliant"}
    assert LAWS.keys() == TEXT.keys()


def test_soft_inverse_and_forward_agree_and_mujoco_with_itself():
    problems = humanoid.cases(2, seed=1)
    assert [problem.size for problem in problems] == [humanoid.STAND, humanoid.LIE]
    ours = [humanoid.inverse, humanoid.forward, humanoid.inverse_stage, humanoid.forward_stage]
    result = _measure("soft", [*ours, mujoco_inverse.elliptic, mujoco_inverse.pyramidal], problems)
    assert len(result.records) == 6 * 2
    for record in result.records:
        assert record.error == ""
        assert record.claimed, record
        assert record.residual < 1e-9, record


def test_a_batch_and_processes_solve_the_same_states():
    sway = motion([3], batches.CONTACTS, 100)
    problems = [Problem("coulomb-0", "coulomb", sway, work=100)]
    result = _measure("batch", [batches.one_call, batches.processes], problems)
    ours, theirs = result.records
    assert (ours.claimed, theirs.claimed) == (True, True)
    assert ours.residual == theirs.residual <= 1e-9
    row = row_of(summarise(result), batch.NAME, "coulomb", "surefoot-batch")
    assert row.ratios["surefoot-processes"] > 0


def test_bars_of_the_inverse_set_compare_the_right_rows():
    def laps(setting, size, method):
        if method == "tsid":
            return (4.0,)
        if (setting, size) == (inverse.COLD, "40 contacts"):
            return (6.0,)
        return (1.0, 1.0, 3.0) if size == "16 contacts" else (1.0,)

    settings = [setting.name for setting in inverse.TEST_SET.settings]
    sizes = [inverse._size(n) for n in inverse.CONTACTS]
    methods = [
        Method(name, "none", lambda problem, setting: pytest.fail("asked")) for name in ("surefoot-coulomb", "tsid")
    ]
    records = [
        Record(
            *case, "p", method.name, np.median(laps(*case, method.name)), 5, True, 0.0, laps=laps(*case, method.name)
        )
        for case in itertools.product(settings, sizes)
        for method in methods
    ]
    rows = summarise(Result(inverse.TEST_SET, methods, [], records))
    assert {bar.text: (bar.measure(rows), bar.limit) for bar in inverse.TEST_SET.bars[:4]} == {
        "whole call on 4 contacts, Coulomb / TSID's cycle": (0.25, 0.5),
        "Coulomb, cold: 40 contacts / 4 contacts": (6.0, 4.0),
        "Coulomb, cold, at rest: 40 contacts / 4 contacts": (1.0, 4.0),
        "coulomb: worst call / p50 of its motion, of all motions and sizes the largest": (3.0, 5.0),
    }


def test_without_an_interpreter_tsid_is_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("TSID_PYTHON", str(tmp_path / "python"))
    with pytest.raises(Absent, match=r"tsid: no interpreter at .*python") as caught:
        tsid.interpreter()
    assert "tsid==1.7.1" in caught.value.remedy


def test_an_interpreter_without_tsid_is_absent_and_says_why(tmp_path):
    with pytest.raises(Absent, match=r"tsid: the process ended: .*Error") as caught:
        tsid.Worker(tsid.Path(sys.executable), tmp_path / "none.urdf")
    assert "pip install" in caught.value.remedy


def test_a_worker_answers_line_by_line_and_ends(monkeypatch, tmp_path):
    echo = tmp_path / "echo.py"
    echo.write_text("import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n")
    monkeypatch.setattr(tsid, "WORKER", echo)
    worker = tsid.Worker(tsid.Path(sys.executable), tmp_path / "none.urdf")
    assert worker.ask({"seed": [1], "count": 2}) == {"seed": [1], "count": 2}
    worker.close()
    assert worker._process.returncode == 0
