"""Parquet files of a run folder: numbered parts in three folders that appear together, and what a killed run leaves.

A part is three files of one number, in `events`, `telemetry` and `particles`; that of `particles` is put in place last
and is what counts. A file `whole-N` holds all that was in the parts below N, which no longer count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from surefoot.errors import EngineError, InputError
from surefoot.traces.tables import FIXED, TABLES

_NAME = re.compile(r"(part|whole)-(\d{6,})\.parquet")
TEXTS = ["policy", "outcome", "requirement", "message", "kind", "feature"]  # worth a dictionary; numbers are not


@dataclass(frozen=True, order=True)
class Part:
    """Name of three files: the number, and whether it stands for all before it."""

    number: int
    whole: bool = False

    def file(self, folder: Path, kind: str) -> Path:
        """Where its table of that kind is."""
        return folder / kind / f"{'whole' if self.whole else 'part'}-{self.number:06d}.parquet"


def parts(folder: Path) -> list[Part]:
    """The parts that count, in order."""
    found = sorted(_part(file) for file in _files(folder, "particles") if _NAME.fullmatch(file.name))
    wholes = [part.number for part in found if part.whole]
    return [part for part in found if part.number >= wholes[-1]] if wholes else found


def clean(folder: Path) -> None:
    """Remove what a run that was killed left: files written aside, parts that are not all there or replaced."""
    counted = set(parts(folder))
    for kind in TABLES:
        for file in _files(folder, kind):
            known = _NAME.fullmatch(file.name)
            if file.name.endswith(".parquet.tmp") or (known and _part(file) not in counted):
                file.unlink()


def write(folder: Path, part: Part, tables: Mapping[str, Iterable[pa.Table]]) -> None:
    """Write the three files of a part aside, then put them in place.

    Args:
        folder: of the run.
        part: their name.
        tables: by kind, pieces of one table, each of the same columns and at least one; a row group a piece.
    """
    try:
        for kind in TABLES:
            aside = part.file(folder, kind).with_suffix(".parquet.tmp")
            with aside.open("wb") as file:
                _write(file, tables[kind])
                file.flush()
                os.fsync(file.fileno())
        for kind in TABLES:
            file = part.file(folder, kind)
            file.with_suffix(".parquet.tmp").replace(file)
    except OSError as error:
        raise EngineError(f"{folder}: cannot be written to: {error.strerror or error}; what is there is kept") from None


def schema(folder: Path, part: Part, kind: str) -> pa.Schema:
    """Columns of a part's table."""
    file = part.file(folder, kind)
    try:
        found = pq.read_schema(file)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(file, error) from None
    for name, wanted in FIXED[kind].items():
        if name not in found.names or found.field(name).type != wanted:
            raise InputError(f"{file}: expected a column {name} ({wanted}), which a run of Surefoot has, got none")
    return found.remove_metadata()


def read(
    folder: Path, part: Part, kind: str, columns: list[str] | None = None, policy: str | None = None,
    particle: int | None = None,
) -> pa.Table:  # fmt: skip
    """Read a part's table, or some of its columns, or the rows of one policy, one particle."""
    file = part.file(folder, kind)
    there = schema(folder, part, kind).names
    wanted = [("policy", "==", policy)] if policy is not None else []
    wanted += [("particle", "==", particle)] if particle is not None else []
    kept = there if columns is None else [name for name in there if name in columns]
    try:
        table = pq.read_table(file, columns=kept, filters=wanted or None, partitioning=None)  # pyright: ignore
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(file, error) from None
    return table.replace_schema_metadata()


def _write(file, pieces: Iterable[pa.Table]) -> None:
    writer = None
    try:
        for piece in pieces:
            if writer is None:
                texts = [name for name in TEXTS if name in piece.column_names]
                writer = pq.ParquetWriter(file, piece.schema, use_dictionary=texts)  # pyright: ignore
            if piece.num_rows:
                writer.write_table(piece, row_group_size=piece.num_rows)
    finally:
        if writer is not None:
            writer.close()


def _files(folder: Path, kind: str) -> list[Path]:
    if not (folder / kind).is_dir():
        raise InputError(f"{folder}: expected the folder {kind}, which a run of Surefoot has, got none")
    return sorted((folder / kind).iterdir())


def _part(file: Path) -> Part:
    whole, number = file.name.removesuffix(".parquet").split("-")
    return Part(int(number), whole == "whole")


def _unreadable(file: Path, error: Exception) -> InputError:
    lines = str(error).splitlines()
    return InputError(f"{file}: not readable as Parquet: {lines[0] if lines else type(error).__name__}")
