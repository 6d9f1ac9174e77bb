import math
import re
import sys

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.traces.falsify import falsify
from surefoot.traces.mcap_export import export_mcap
from surefoot.traces.result import Result
from tests.traces.fakes import Fake
from tests.traces.mcap_reader import read


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return falsify(Fake(), 3, out=tmp_path_factory.mktemp("runs") / "run", workers=0)


def test_a_trace_comes_back_as_it_was(run, tmp_path):
    path = export_mcap(run.folder, "firm", 2, tmp_path / "trace.mcap")
    assert list(tmp_path.iterdir()) == [path]
    messages, schemas, metadata = read(path)
    result = Fake().trace("firm", 2)
    assert set(messages) == {"/q", "/torque", "/witness", "/event"}
    t, q0 = result.telemetry["t"], result.telemetry["q0"]
    assert [time for time, _ in messages["/q"]] == [round(1e9 * s) for s in t]
    assert [data["q0"] for _, data in messages["/q"]] == q0.tolist()
    assert list(messages["/q"][0][1]) == ["t", "q0", "q2", "q10"]
    assert [data["knee"] for _, data in messages["/torque"]] == result.telemetry["torque knee"].tolist()
    assert messages["/event"][1] == (
        200_000_000,
        {"t": 0.2, "kind": "slip", "feature": result.events["feature"][1]},
    )
    assert schemas["/event"]["properties"]["kind"] == {"type": ["string", "null"]}
    for topic, sent in messages.items():
        assert set(sent[0][1]) == set(schemas[topic]["properties"])
    assert metadata["parameters"] == {name: str(value) for name, value in result.values.items()}
    assert metadata["trace"] == {
        "policy": "firm",
        "particle": "2",
        "outcome": result.outcome,
        "requirement": result.requirement,
        "time": str(result.time),
        "message": "",
        "scenario": "fake",
        "seed": "0",
        "method": "random",
    }


class Odd(Fake):
    def trace(self, policy, particle, seed=0, method="random", full=False):
        if particle == 1:
            return Result(policy, particle, "known failure")
        values = np.array([math.nan, math.inf, 1.0])
        return Result(policy, particle, "success", telemetry={"t": [0.0, 0.1, 0.2], "q0": values, "battery": values})


def test_numbers_that_json_does_not_know_are_null_and_a_trace_may_be_empty(tmp_path):
    run = falsify(Odd(), 2, out=tmp_path / "run", workers=0, policies=["firm"])
    messages, _, _ = read(export_mcap(tmp_path / "run", "firm", 0, tmp_path / "a.mcap"))
    assert [data["q0"] for _, data in messages["/q"]] == [None, None, 1.0]
    assert [data["battery"] for _, data in messages["/other"]] == [None, None, 1.0]
    messages, _, metadata = read(export_mcap(run.folder, "firm", 1, tmp_path / "b.mcap"))
    assert messages == {}
    assert metadata["trace"]["outcome"] == "known failure"


def test_what_is_not_there_is_named(run, tmp_path, monkeypatch):
    where = tmp_path / "trace.mcap"
    said = f"particle: {run.folder.path} has no trace of particle 9 under 'firm'"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        export_mcap(run.folder, "firm", 9, where)
    with pytest.raises(InputError, match=r"^policy: expected one of 'loose', 'firm', got 'bold'$"):
        export_mcap(run.folder, "bold", 0, where)
    said = f"path: {tmp_path / 'no' / 'x.mcap'} cannot be written: No such file or directory"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        export_mcap(run.folder, "firm", 0, tmp_path / "no" / "x.mcap")
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    said = "export_mcap: needs the MCAP library; pip install 'surefoot[mcap]'"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        export_mcap(run.folder, "firm", 0, where)
    assert list(tmp_path.iterdir()) == []
