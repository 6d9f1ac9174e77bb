"""A real robot's log, to be laid over its traces: a CSV file with a header and a column t."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError

Array = NDArray[np.float64]
BASE = ("x", "y", "z", "roll", "pitch", "yaw")
DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Log:
    """What was measured.

    Attributes:
        t: (n,) times in s, increasing.
        columns: (n,) numbers by name, in m and rad; NaN where a cell is empty.
        ignored: names of columns that no trace has.
    """

    t: Array
    columns: dict[str, Array]
    ignored: tuple[str, ...]


def read_log(path: str | Path, joints: Iterable[str] = ()) -> Log:
    """Read a log.

    The first line names the columns: `t`, and any of x, y, z, roll, pitch, yaw of the base, q0, q1, ... and the names
    of the robot's joints; other columns are left out and listed. Cells are parted by commas, semicolons or tabs.
    """
    rows, delimiter = _lines(Path(path))
    header = [name.strip() for name in next(csv.reader([rows[0]], delimiter=delimiter))]
    known = (*BASE, *joints)
    wanted = [k for k, name in enumerate(header) if name in known or _is_coordinate(name)]
    _check_header(path, header, wanted, known)
    columns = {header[k]: [] for k in (header.index("t"), *wanted)}
    for number, row in enumerate(csv.reader(rows[1:], delimiter=delimiter), 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise InputError(
                f"{path}, line {number}: expected {len(header)} cells as in the first line, got {len(row)}"
            )
        for name, column in columns.items():
            column.append(_number(path, number, name, row[header.index(name)]))
    arrays = {name: np.array(column) for name, column in columns.items()}
    t = arrays.pop("t")
    _check_times(path, t)
    ignored = tuple(name for name in header if name not in columns)
    return Log(t, arrays, ignored)


def _lines(path: Path) -> tuple[list[str], str]:
    """Lines of a file, and what parts its cells."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: expected a text file in UTF-8") from None
    if not lines or not lines[0].strip():
        raise InputError(f"{path}: expected a first line with the names of the columns, got an empty one")
    counts = [lines[0].count(delimiter) for delimiter in DELIMITERS]
    return lines, DELIMITERS[counts.index(max(counts))]


def _check_header(path: str | Path, header: Sequence[str], wanted: Sequence[int], known: Sequence[str]) -> None:
    """Refuse a header without t, with a name twice, or without anything that a trace has."""
    if "t" not in header:
        raise InputError(f"{path}: expected a column t (time in s), got {_listed(header)}")
    twice = [name for k, name in enumerate(header) if name in header[:k] and (name == "t" or k in wanted)]
    if twice:
        raise InputError(f"{path}: expected each column once, got {twice[0]!r} twice")
    if not wanted:
        raise InputError(
            f"{path}: expected at least one of {_listed((*known, 'q0', 'q1, ...'))}, got {_listed(header)}"
        )


def _check_times(path: str | Path, t: Array) -> None:
    """Refuse a log without rows, or with times that are missing or do not increase."""
    if not len(t):
        raise InputError(f"{path}: expected at least one row below the names of the columns, got none")
    if np.isnan(t).any():
        raise InputError(f"{path}: expected a time in every row, got none in row {int(np.argmax(np.isnan(t))) + 1}")
    if (np.diff(t) <= 0.0).any():
        k = int(np.argmax(np.diff(t) <= 0.0))
        raise InputError(f"{path}: expected times that increase, got {t[k + 1]:g} s after {t[k]:g} s")


def _number(path: str | Path, line: int, name: str, cell: str) -> float:
    """A cell as a finite number, NaN if it is empty or says so."""
    try:
        value = float(cell) if cell.strip() else math.nan
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise InputError(f"{path}, line {line}, column {name}: expected a finite number, got {cell.strip()!r}")
    return value


def _is_coordinate(name: str) -> bool:
    """Whether it is q0, q1, ..."""
    return name[:1] == "q" and name[1:].isdecimal()


def _listed(names: Sequence[str]) -> str:
    """Names in a row, the first twenty."""
    return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
