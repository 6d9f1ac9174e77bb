"""One trace of a run as MCAP, the log format that Foxglove and other viewers open."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from surefoot.errors import InputError
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.scenario import Scenario

TOPICS = {
    "/q": r"q\d+",
    "/v": r"v\d+",
    "/torque": r"torque .+",
    "/force": r"force .+",
    "/witness": r"witness .+",
    "/event": r"kind|feature",
}
"""Columns of telemetry and events by topic; what fits none goes to /other."""


def export_mcap(
    folder: RunFolder | str | os.PathLike[str], policy: str, particle: int, path: str | os.PathLike[str]
) -> Path:
    """Write one trace as MCAP: JSON messages with their schemas, times in ns from its start.

    Topics /q and /v (m, rad and their rates, by number), /torque (N m, by joint), /force (N, by foot), /witness and
    /event (kind, feature); records `trace` (policy, particle, outcome ...) and `parameters` (by name) as metadata.

    Args:
        folder: of the run, or its path.
        policy: name of the policy.
        particle: number of the particle.
        path: of the file to write.

    Returns:
        The path.

    Raises:
        InputError: there is no such trace, or the extra `mcap` is not installed.
    """
    try:
        from mcap.writer import Writer
    except ImportError:
        raise InputError("export_mcap: needs the MCAP library; pip install 'surefoot[mcap]'") from None
    if not isinstance(folder, RunFolder):
        folder = RunFolder.open(folder)
    row = _row(folder, policy, particle)
    tables = folder.telemetry(policy, particle), folder.events(policy, particle)
    file = Path(path)
    aside = file.with_name(f"{file.name}.tmp")
    try:
        with aside.open("wb") as stream:
            writer = Writer(stream)
            writer.start(library=f"surefoot {folder.header['versions'].get('surefoot')}")
            values = {name.removeprefix("p:"): str(value) for name, value in row.items() if name.startswith("p:")}
            about = {name: str(row[name]) for name in row if not re.match(r"[pmf]:|seconds", name)}
            about |= {name: str(folder.header[name]) for name in ("scenario", "seed", "method")}
            writer.add_metadata("trace", about)
            writer.add_metadata("parameters", values)
            _write(writer, tables)
            writer.finish()
        aside.replace(file)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise InputError(f"path: {file} cannot be written: {error.strerror}") from None
    return file


def export_trace(
    scenario: Scenario,
    policy: str,
    particle: int,
    path: str | os.PathLike[str],
    seed: int = 0,
    method: str = "random",
) -> Path:
    """Run one particle and write its trace, every step of it, as MCAP; see `export_mcap`.

    Args:
        scenario: whose particle it is.
        policy: name of the policy.
        particle: number of the particle.
        path: of the file to write.
        seed: of all draws.
        method: "random" or "sobol".

    Returns:
        The path.
    """
    whole = replace(scenario, full_telemetry=(particle,))
    result = whole.trace(policy, particle, seed, method)
    own = {"policies": [policy], "particles": particle + 1, "seed": seed, "method": method}
    with tempfile.TemporaryDirectory() as place, RunFolder.create(place, {**whole.header(), **own}) as folder:
        folder.append([result])
        return export_mcap(folder, policy, particle, path)


def _row(folder: RunFolder, policy: str, particle: int) -> dict[str, Any]:
    rows = folder.particles(policy=policy, particle=particle).to_pylist()
    if not rows:
        raise InputError(f"particle: {folder.path} has no trace of particle {particle!r} under {policy!r}")
    return rows[0]


def _write(writer: Any, tables: tuple[pa.Table, ...]) -> None:
    """All messages in order of time."""
    channels, messages = {}, []
    for table in tables:
        for topic, columns in _topics(table).items():
            schema = writer.register_schema(
                f"surefoot{topic}", "jsonschema", json.dumps(_schema(table, columns)).encode()
            )
            channels[topic] = writer.register_channel(topic, "json", schema)
            messages += [(time, topic, row) for time, row in _messages(table, columns)]
    for number, (time, topic, row) in enumerate(sorted(messages, key=lambda message: message[0])):
        data = json.dumps(row, allow_nan=False).encode()
        writer.add_message(channels[topic], log_time=time, data=data, publish_time=time, sequence=number)


def _topics(table: pa.Table) -> dict[str, dict[str, str]]:
    """For every topic of a table its columns, by their names within the topic."""
    topics: dict[str, dict[str, str]] = {}
    for column in table.column_names:
        if column in ("policy", "particle", "t") or not table.num_rows:
            continue
        topic = next((topic for topic, names in TOPICS.items() if re.fullmatch(names, column)), "/other")
        topics.setdefault(topic, {})[column.removeprefix(f"{topic[1:]} ")] = column
    return topics


def _messages(table: pa.Table, columns: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """(time in ns, message) of every row that has something to tell; numbers that JSON does not know are null."""
    lists = [table[column].to_pylist() for column in columns.values()]
    for t, *values in zip(table["t"].to_pylist(), *lists, strict=True):
        if any(value is not None for value in values):
            finite = [None if isinstance(v, float) and not math.isfinite(v) else v for v in values]
            yield round(1e9 * t), {"t": t, **dict(zip(columns, finite, strict=True))}


def _schema(table: pa.Table, columns: Mapping[str, str]) -> dict[str, Any]:
    kinds = {name: "string" if table[column].type == pa.string() else "number" for name, column in columns.items()}
    properties = {name: {"type": [kind, "null"]} for name, kind in kinds.items()}
    return {"type": "object", "properties": {"t": {"type": "number"}, **properties}}
