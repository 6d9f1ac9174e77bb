import json
import math
import pickle
import re
import shutil

import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surefoot.errors import EngineError, InputError
from surefoot.traces import parts
from surefoot.traces.result import Result
from surefoot.traces.run_folder import RunFolder
from tests.traces.fakes import Fake, content, rows

HEADER = {**Fake().header(), "policies": ["loose", "firm"], "particles": 6, "seed": 0, "method": "random"}
RESULTS = [Fake().trace(policy, particle) for particle in range(6) for policy in ("loose", "firm")]


@pytest.fixture
def folder(tmp_path):
    with RunFolder.create(tmp_path / "run", HEADER) as made:
        yield made


def filled(folder, *chunks):
    for chunk in chunks:
        folder.append([RESULTS[i] for i in chunk])
    return folder


def exact(text):
    return f"^{re.escape(text)}$"


def test_a_result_comes_back_as_it_was(folder):
    filled(folder, [3])
    result = RESULTS[3]
    (row,) = folder.particles().to_pylist()
    assert row == {
        "policy": "firm",
        "particle": 1,
        "outcome": result.outcome,
        "requirement": result.requirement,
        "time": result.time,
        "message": "",
        "seconds": result.seconds,
        "p:mass": result.values["mass"],
        "p:law": result.values["law"],
        "m:upright": result.margins["upright"],
        "f:x": result.final["x"],
        "f:yaw": result.final["yaw"],
    }
    telemetry = folder.telemetry("firm", 1)
    for name, values in result.telemetry.items():
        np.testing.assert_array_equal(telemetry[name].to_numpy(), values)
    assert folder.events()["feature"].to_pylist() == result.events["feature"]


def test_tables_do_not_depend_on_how_the_results_were_parted(tmp_path):
    partings = ([range(12)], [[11, 0, 5], [1], [10, 9, 8, 7], [2, 3, 4, 6]], [[i] for i in reversed(range(12))])
    seen = []
    for k, parting in enumerate(partings):
        with RunFolder.create(tmp_path / str(k), HEADER) as folder:
            before = content(filled(folder, *parting))
            folder.compact()
            assert content(folder) == before
            assert [file.name for file in (folder.path / "telemetry").iterdir()] == [
                f"whole-{len(parting):06d}.parquet"
            ]
            seen.append(before)
    assert seen[0] == seen[1] == seen[2]


def test_rows_are_by_policy_and_particle_and_columns_by_name(folder):
    filled(folder, [7, 2, 0, 5])
    particles = folder.particles()
    keys = list(zip(particles["policy"].to_pylist(), particles["particle"].to_pylist(), strict=True))
    assert keys == [("loose", 0), ("loose", 1), ("firm", 2), ("firm", 3)]
    assert folder.done() == set(keys)
    assert folder.telemetry().column_names == [
        "policy", "particle", "t", "q0", "q2", "q10", "torque knee", "witness upright",
    ]  # fmt: skip


def test_what_a_trace_does_not_have_is_null(folder):
    crash = Result("firm", 0, "crashed", message="the process died twice on this trace")
    folder.append([crash])
    folder.append([RESULTS[0]])
    loose, firm = folder.particles().to_pylist()
    assert (firm["time"], firm["p:mass"], firm["p:law"], firm["m:upright"]) == (None, None, None, None)
    assert loose["p:law"] == "coulomb"
    assert folder.telemetry("firm").num_rows == folder.events("firm").num_rows == 0
    before = content(folder)
    folder.compact()
    assert content(folder) == before


def test_numbers_among_texts_become_texts_and_odd_numbers_stay(tmp_path):
    values = [1, "soft", math.inf, math.nan, np.float64(0.1), True, None]
    results = [Result("firm", i, "success", values={"law": v}, margins={"m": math.nan}) for i, v in enumerate(values)]
    seen = []
    for k, parting in enumerate(([results], [[result] for result in results])):
        with RunFolder.create(tmp_path / str(k), HEADER) as folder:
            for part in parting:
                folder.append(part)
            folder.compact()
            seen.append(folder.particles()["p:law"].to_pylist())
            assert all(math.isnan(m) for m in folder.particles()["m:m"].to_pylist())
    assert seen[0] == seen[1] == ["1.0", "soft", "inf", "nan", "0.1", "True", None]


def test_pandas_polars_and_duckdb_read_it_without_us(folder):
    filled(folder, [0, 3, 4], range(5, 12)).compact()
    expected = folder.telemetry()["q0"].to_pylist()
    glob = str(folder.path / "telemetry" / "*.parquet")
    assert pandas.read_parquet(folder.path / "telemetry")["q0"].tolist() == expected
    assert polars.read_parquet(glob)["q0"].to_list() == expected
    with duckdb.connect() as database:
        assert [row[0] for row in database.execute(f"SELECT q0 FROM '{glob}'").fetchall()] == expected
        particles = folder.path / "particles" / "*.parquet"
        assert database.execute(f"SELECT count(*) FROM '{particles}'").fetchall() == [(10,)]


def test_a_part_that_was_not_finished_does_not_count_and_is_removed(folder):
    filled(folder, [0, 1], [2, 3])
    before = content(folder)
    for kind in ("events", "telemetry"):  # killed before the particles' file was put in place
        shutil.copy(folder.path / kind / "part-000001.parquet", folder.path / kind / "part-000002.parquet")
    aside = folder.path / "particles" / "part-000002.parquet.tmp"
    aside.write_bytes(b"half")
    assert content(RunFolder.open(folder.path)) == before
    assert aside.exists(), "who only reads must not touch what another may be writing"
    folder.close()
    with RunFolder.open(folder.path, write=True) as again:
        assert content(again) == before
        assert sorted(file.name for file in (again.path / "events").iterdir()) == [
            "part-000000.parquet",
            "part-000001.parquet",
        ]
        assert not aside.exists()


def test_a_merge_that_was_not_cleaned_up_counts_once(folder):
    filled(folder, [0, 1], [2, 3])
    before = content(folder)
    kept = {file: file.read_bytes() for kind in parts.TABLES for file in (folder.path / kind).iterdir()}
    folder.compact()
    for file, data in kept.items():
        file.write_bytes(data)
    assert content(RunFolder.open(folder.path)) == before
    filled(folder, [4])
    folder.close()
    with RunFolder.open(folder.path, write=True) as again:
        assert len(again.done()) == 5
        assert sorted(file.name for file in (again.path / "particles").iterdir()) == [
            "part-000003.parquet",
            "whole-000002.parquet",
        ]


def test_after_an_early_stop_later_particles_are_gone(folder):
    filled(folder, range(4), range(4, 12))
    folder.update(stopped=3)
    before = content(folder)
    assert folder.done() == {(policy, i) for policy in ("loose", "firm") for i in range(3)}
    folder.compact()
    assert content(folder) == before
    assert pq.read_table(folder.path / "telemetry")["particle"].unique().to_pylist() == [0, 1, 2]


def test_the_header_is_plain_json_and_names_neither_host_nor_user(tmp_path):
    odd = {"mu": math.inf, "place": np.array([1.0, 2.0]), "count": np.int64(3), "path": tmp_path, "law": ("a",)}
    with RunFolder.create(tmp_path / "run", {**HEADER, "odd": odd}) as folder:
        folder.update(finished="2026-01-01")
    header = json.loads((tmp_path / "run" / "run.json").read_text(), parse_constant=pytest.fail)
    assert header["odd"] == {"mu": "inf", "place": [1.0, 2.0], "count": 3, "path": str(tmp_path), "law": ["a"]}
    assert header["finished"] == "2026-01-01"
    assert set(header) == {
        *HEADER, "odd", "format", "version", "versions", "started", "finished", "stopped",
    }  # fmt: skip
    assert set(header["versions"]) == {"surefoot", "mujoco", "numpy", "python", "platform"}


def test_nothing_is_ever_unpickled(folder, monkeypatch):
    filled(folder, range(12))
    monkeypatch.setattr(pickle, "loads", lambda *_, **__: pytest.fail("unpickled"))
    monkeypatch.setattr(pickle, "load", lambda *_, **__: pytest.fail("unpickled"))
    monkeypatch.setattr(pickle, "Unpickler", lambda *_, **__: pytest.fail("unpickled"))
    assert content(RunFolder.open(folder.path))
    folder.compact()
    for file in folder.path.rglob("*"):
        assert file.is_dir() or file.suffix in (".json", ".parquet") or file.name == ".lock"


def test_a_folder_with_a_run_or_other_files_is_refused(folder, tmp_path):
    folder.close()
    with pytest.raises(
        InputError, match=exact(f"out: {folder.path} holds a run already; resume it, or name another folder")
    ):
        RunFolder.create(folder.path, HEADER)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").touch()
    with pytest.raises(InputError, match=exact(f"out: {other} holds other files; name an empty folder or a new one")):
        RunFolder.create(other, HEADER)
    with pytest.raises(InputError, match=exact(f"out: {other / 'thesis.tex'} cannot be made: File exists")):
        RunFolder.create(other / "thesis.tex", HEADER)


def test_one_writer_at_a_time(folder):
    text = f"out: another run is writing to {folder.path}; wait for it, or name another folder"
    with pytest.raises(InputError, match=exact(text)):
        RunFolder.open(folder.path, write=True)
    with pytest.raises(InputError, match=exact(text)):
        RunFolder.create(folder.path, HEADER)
    reader = RunFolder.open(folder.path)
    with pytest.raises(InputError, match=exact(f"{folder.path}: opened to read; open it with write=True to change it")):
        reader.append(RESULTS[:1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not readable as JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[" * 100_000, "not readable as JSON: maximum recursion depth exceeded while decoding a JSON array"),
        ("[]", 'expected "format": "surefoot run", which a run of Surefoot has, got none'),
        ('{"format": "other"}', 'expected "format": "surefoot run", which a run of Surefoot has, got none'),
        ('{"format": "surefoot run", "version": 9}', "expected version 1 of the format, got 9"),
    ],
)
def test_a_foreign_run_json_is_refused(folder, text, said):
    (folder.path / "run.json").write_text(text)
    with pytest.raises(InputError, match="^" + re.escape(f"{folder.path / 'run.json'}: {said}")):
        RunFolder.open(folder.path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": "x"}, "seed: expected a whole number, got 'x'"),
        ({"seed": True}, "seed: expected a whole number, got True"),
        ({"policies": {}}, "policies: expected a list of names, got {}"),
        ({"policies": [1]}, "policies: expected a list of names, got [1]"),
        ({"parameters": [{}]}, "parameters: expected tables with a name each, got others"),
        ({"scenario": None}, "scenario: expected a name, got None"),
        ({"stopped": "x"}, "stopped: expected a whole number of at least 0, got 'x'"),
        ({"stopped": -3}, "stopped: expected a whole number of at least 0, got -3"),
    ],
)
def test_a_header_with_other_types_is_refused(folder, changes, said):
    (folder.path / "run.json").write_text(json.dumps({**folder.header, **changes}))
    with pytest.raises(InputError, match=exact(f"{folder.path / 'run.json'}: {said}")):
        RunFolder.open(folder.path)


def test_not_a_run_folder(tmp_path):
    with pytest.raises(InputError, match=exact(f"{tmp_path / 'x'}: expected the folder of a run, got nothing")):
        RunFolder.open(tmp_path / "x")
    (tmp_path / "f").touch()
    with pytest.raises(InputError, match=exact(f"{tmp_path / 'f'}: expected the folder of a run, got a file")):
        RunFolder.open(tmp_path / "f")
    with pytest.raises(InputError, match=exact(f"{tmp_path}: expected the folder of a run, got one without run.json")):
        RunFolder.open(tmp_path)


def test_corrupt_and_foreign_tables_are_named(folder):
    file = filled(folder, range(4)).path / "particles" / "part-000000.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=f"^{re.escape(f'{file}: not readable as Parquet: ')}[^\n]+$"):
        folder.particles()
    file.write_bytes(b"")
    with pytest.raises(InputError, match=f"^{re.escape(f'{file}: not readable as Parquet: ')}[^\n]+$"):
        folder.done()
    pq.write_table(pa.table({"policy": ["firm"]}), file)
    text = f"{file}: expected a column particle (int64), which a run of Surefoot has, got none"
    with pytest.raises(InputError, match=exact(text)):
        folder.particles()
    file.write_bytes(whole)
    (folder.path / "events" / file.name).unlink()
    with pytest.raises(InputError, match=r"part-000000\.parquet: not readable as Parquet: "):
        folder.events()
    shutil.rmtree(folder.path / "particles")
    text = f"{folder.path}: expected the folder particles, which a run of Surefoot has, got none"
    with pytest.raises(InputError, match=exact(text)):
        folder.particles()


def test_a_policy_that_run_json_does_not_list(folder):
    filled(folder, range(4)).update(policies=["loose"])
    text = f"{folder.path}: traces of policies that run.json does not list: 'firm'"
    with pytest.raises(InputError, match=exact(text)):
        folder.particles()
    with pytest.raises(InputError, match=exact(text)):
        folder.compact()
    with pytest.raises(InputError, match=exact("policy: expected one of 'loose', got 'bold'")):
        folder.telemetry("bold")


def test_a_full_disk_is_told(folder, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parts.os, "fsync", full)
    with pytest.raises(
        EngineError,
        match=exact(f"{folder.path}: cannot be written to: No space left on device; what is there is kept"),
    ):
        filled(folder, [0])
    monkeypatch.undo()
    assert folder.done() == set()
    assert rows(filled(folder, [0]).particles())
