"""From results to Arrow tables: which columns there are, of which type, in which order.

Neither depends on which results happen to lie in one table, so that runs on any number of workers end in the same
tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from surefoot.traces.result import Result

TABLES = ("events", "telemetry", "particles")
_KEYS = {"policy": pa.string(), "particle": pa.int64()}
FIXED: dict[str, dict[str, pa.DataType]] = {
    "particles": {
        **_KEYS,
        "outcome": pa.string(),
        "requirement": pa.string(),
        "time": pa.float64(),
        "message": pa.string(),
        "seconds": pa.float64(),
    },
    "events": {**_KEYS, "t": pa.float64(), "kind": pa.string(), "feature": pa.string()},
    "telemetry": {**_KEYS, "t": pa.float64()},
}
"""Columns that every table of a kind has, first and in this order."""

_GROUPS = (r"p:", r"m:", r"f:", r"q\d", r"v\d", r"torque ", r"force ", r"witness ")


def schema_of(kind: str, tables: Iterable[pa.Schema], parameters: Sequence[str]) -> pa.Schema:
    """The columns of several tables of a kind as one: all that appear, ordered by their names alone.

    Args:
        kind: one of `TABLES`.
        tables: their schemas.
        parameters: names of the uncertain parameters; their columns keep this order.
    """
    found: dict[str, set[pa.DataType]] = {}
    for schema in tables:
        for column in schema:
            found.setdefault(column.name, set()).add(column.type)
    fixed = FIXED[kind]
    place = {f"p:{name}": i for i, name in enumerate(parameters)}
    others = sorted(found.keys() - fixed.keys(), key=lambda name: _place(name, place))
    columns = [pa.field(name, kept) for name, kept in fixed.items()]
    return pa.schema(columns + [pa.field(name, _common(found[name])) for name in others])


def fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with the columns of `schema`; what it does not have is null."""
    if table.schema == schema:
        return table
    there = dict(zip(table.column_names, table.columns, strict=True))
    columns = []
    for column in schema:
        values = there.get(column.name, pa.nulls(table.num_rows))
        if column.type == pa.string() and (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
            values = pa.array([None if v is None else _text(v) for v in values.to_pylist()], pa.string())
        columns.append(values.cast(column.type))
    return pa.Table.from_arrays(columns, schema=schema)


def particles_table(results: Sequence[Result], parameters: Sequence[str]) -> pa.Table:
    """One row a result, with p: parameters, m: margins and f: final values."""
    columns: dict[str, pa.Array] = {
        name: pa.array([getattr(result, name) for result in results], kind)
        for name, kind in FIXED["particles"].items()
        if name != "time"
    }
    times = [None if math.isnan(result.time) else result.time for result in results]
    columns["time"] = pa.array(times, pa.float64())
    for prefix, part in (("p:", "values"), ("m:", "margins"), ("f:", "final")):
        names = {name: None for result in results for name in getattr(result, part)}
        for name in names:
            columns[prefix + name] = _array([getattr(result, part).get(name) for result in results])
    table = pa.table(columns)
    return fitted(table, schema_of("particles", [table.schema], parameters))


def rows_table(kind: str, results: Iterable[Result]) -> pa.Table:
    """Events or telemetry of some results, one below the other."""
    parts = []
    for result in results:
        columns = {name: _column(values) for name, values in getattr(result, kind).items()}
        rows = len(next(iter(columns.values()))) if columns else 0
        if rows:
            keys = {"policy": pa.repeat(result.policy, rows), "particle": pa.repeat(int(result.particle), rows)}
            parts.append(pa.table({**keys, **columns}))
    schema = schema_of(kind, [part.schema for part in parts], ())
    return pa.concat_tables([fitted(part, schema) for part in parts]) if parts else schema.empty_table()


def sorted_rows(table: pa.Table, policies: Sequence[str]) -> pa.Table:
    """Rows by policy (in the order of `policies`), then by particle; rows of one trace keep their order."""
    if not table.num_rows:
        return table
    policy = table.column("policy").combine_chunks()
    names = policy.unique().to_pylist()
    ranks = np.array([policies.index(name) for name in names])
    rank = ranks[np.asarray(policy.dictionary_encode().indices)]
    particle = np.asarray(table.column("particle"))
    order = np.lexsort((particle, rank))
    return table if (np.diff(order) == 1).all() else table.take(order)


def _place(name: str, parameters: dict[str, int]) -> tuple[Any, ...]:
    """Where a column stands: by group, parameters as listed, then by name with its numbers as numbers."""
    group = next((i for i, start in enumerate(_GROUPS) if re.match(start, name)), len(_GROUPS))
    pieces = [(piece.isdigit(), int(piece) if piece.isdigit() else 0, piece) for piece in re.split(r"(\d+)", name)]
    return group, parameters.get(name, len(parameters)), pieces, name


def _common(kinds: set[pa.DataType]) -> pa.DataType:
    """The type that holds values of all of them: texts before numbers, fractions before whole numbers."""
    kinds = kinds - {pa.null()}
    if len(kinds) < 2:
        return next(iter(kinds), pa.float64())
    return pa.string() if pa.string() in kinds else pa.float64()


def _array(values: list[Any]) -> pa.Array:
    """Numbers as float64; with a text among them all as texts."""
    if all(v is None or _is_number(v) for v in values):
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    return pa.array([None if v is None else _text(v) for v in values], pa.string())


def _column(values: Any) -> pa.Array:
    values = np.asarray(values)
    if values.dtype.kind in "iu":
        return pa.array(values.astype(np.int64))
    if values.dtype.kind in "fb":
        return pa.array(values.astype(np.float64))
    return pa.array([str(v) for v in values.tolist()], pa.string())


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _text(value: Any) -> str:
    return str(float(value)) if _is_number(value) else str(value)
