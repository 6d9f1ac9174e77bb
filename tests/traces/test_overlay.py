import re

import numpy as np
import pandas as pd
import pytest

import surefoot as sf
from surefoot.traces.overlay import read_log


@pytest.fixture
def log(tmp_path):
    def write(text, **how):
        file = tmp_path / "real.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode(**how))
        return file

    return write


def test_known_columns_are_read_and_others_listed(log):
    file = log("t, yaw ,LF_HIP,battery,q7\n0.0,0.1,0.5,12.1,1\n0.5,-2e-3,,x,nan\n\n1,0,1,,3\n")
    found = read_log(file, joints=["LF_HIP", "RF_HIP"])
    assert found.t.tolist() == [0.0, 0.5, 1.0]
    assert list(found.columns) == ["yaw", "LF_HIP", "q7"]
    assert found.columns["yaw"].tolist() == [0.1, -2e-3, 0.0]
    assert np.array_equal(found.columns["LF_HIP"], [0.5, np.nan, 1.0], equal_nan=True)
    assert np.array_equal(found.columns["q7"], [1.0, np.nan, 3.0], equal_nan=True)
    assert found.ignored == ("battery",)


def test_what_pandas_writes_is_read_bit_for_bit(log, tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 3)), columns=["x", "y", "roll"])
    table.insert(0, "t", np.arange(50) / 30)
    table.to_csv(tmp_path / "pandas.csv", index=False)
    found = read_log(tmp_path / "pandas.csv")
    assert np.array_equal(found.t, table["t"])
    assert all(np.array_equal(found.columns[name], table[name]) for name in ("x", "y", "roll"))


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_other_delimiters_line_ends_and_a_mark_at_the_start(log, delimiter):
    text = f'"t"{delimiter}"x"\r\n0{delimiter}1\r\n1{delimiter}2\r\n'
    assert read_log(log(text, encoding="utf-8-sig")).columns["x"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ": expected a first line with the names of the columns, got an empty one"),
        (b"\xff\xfe\x00", ": expected a text file in UTF-8"),
        ("time,x\n0,1\n", ": expected a column t (time in s), got time, x"),
        ("t,x,x\n0,1,2\n", ": expected each column once, got 'x' twice"),
        ("t,a\n0,1\n", ": expected at least one of x, y, z, roll, pitch, yaw, q0, q1, ..., got t, a"),
        ("t,x\n", ": expected at least one row below the names of the columns, got none"),
        ("t,x\n0,1\n0.1\n", ", line 3: expected 2 cells as in the first line, got 1"),
        ("t,x\n0,1\n0.1,abc\n", ", line 3, column x: expected a finite number, got 'abc'"),
        ("t,x\n0,inf\n", ", line 2, column x: expected a finite number, got 'inf'"),
        ("t,x\n0,1\n,2\n", ": expected a time in every row, got none in row 2"),
        ("t,x\n0.2,1\n0.1,2\n", ": expected times that increase, got 0.1 s after 0.2 s"),
    ],
)
def test_a_bad_log_is_refused_in_a_sentence(log, text, complaint):
    file = log(text)
    with pytest.raises(sf.InputError, match=f"^{re.escape(str(file) + complaint)}$"):
        read_log(file)


def test_a_missing_log_is_named(tmp_path):
    file = tmp_path / "none.csv"
    with pytest.raises(sf.InputError, match=f"^{re.escape(str(file))}: cannot be read: No such file or directory$"):
        read_log(file)
