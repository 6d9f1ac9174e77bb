"""The folder of a run: `run.json` and Parquet tables of particles, events and telemetry, readable without Surefoot."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from surefoot.errors import InputError
from surefoot.traces import parts, run_json
from surefoot.traces.merge import merged
from surefoot.traces.parts import Part
from surefoot.traces.result import Result
from surefoot.traces.tables import TABLES, fitted, particles_table, rows_table, schema_of, sorted_rows

LOCK = ".lock"


class RunFolder:
    """Results of a run on disk; made by `create` or `open`.

    Attributes:
        path: of the folder.
        header: content of `run.json`: scenario, parameters, policies, particles, seed, method, versions, started,
            finished, stopped (particles of each policy after an early stop), and what else the scenario told.
    """

    def __init__(self, path: Path, header: dict[str, Any], lock: int | None = None) -> None:
        self.path = path
        self.header = header
        self._lock = lock

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Mapping[str, Any]) -> RunFolder:
        """Make the folder of a new run and keep others from writing to it until it is closed.

        Args:
            path: a folder that is empty or not there.
            header: scenario (its name), parameters (list of tables with a name each), policies, particles, seed,
                method, and anything else that JSON can hold.
        """
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = _lock(folder)
        except OSError as error:
            raise InputError(f"out: {folder} cannot be made: {error.strerror}") from None
        try:
            if (folder / run_json.NAME).exists():
                raise InputError(f"out: {folder} holds a run already; resume it, or name another folder")
            if {item.name for item in folder.iterdir()} - {LOCK, f"{run_json.NAME}.tmp", *TABLES}:
                raise InputError(f"out: {folder} holds other files; name an empty folder or a new one")
            for kind in TABLES:
                (folder / kind).mkdir(exist_ok=True)
            parts.clean(folder)
            own = {"format": run_json.FORMAT, "version": run_json.VERSION}
            times = {"started": run_json.now(), "finished": None, "stopped": None}
            run_json.write(folder, {**own, **header, "versions": run_json.versions(), **times})
            return cls(folder, run_json.read(folder), lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False) -> RunFolder:
        """Open the folder of a run, to read or, with `write`, to go on with it.

        Raises:
            InputError: it is not the folder of a run, or, with `write`, another process writes to it.
        """
        folder = Path(path)
        header = run_json.read(folder)
        if not write:
            return cls(folder, header)
        lock = _lock(folder)
        parts.clean(folder)
        return cls(folder, run_json.read(folder), lock)

    def close(self) -> None:
        """Let others write to the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def policies(self) -> list[str]:
        """Names of the policies, in their order."""
        return self.header["policies"]

    @property
    def parameters(self) -> list[str]:
        """Names of the uncertain parameters, in their order."""
        return [parameter["name"] for parameter in self.header["parameters"]]

    def update(self, **changes: Any) -> None:
        """Change keys of the header, on disk too."""
        self._writing()
        run_json.write(self.path, {**self.header, **changes})
        self.header = run_json.read(self.path)

    def append(self, results: Sequence[Result]) -> None:
        """Write results as one part: all of them are there afterwards, or none."""
        self._writing()
        if not results:
            return
        order = sorted(results, key=lambda result: (self.policies.index(result.policy), result.particle))
        by_policy = [[r for r in order if r.policy == policy] for policy in self.policies]
        pieces: dict[str, list[pa.Table]] = {"particles": [particles_table(order, self.parameters)]}
        for kind in ("events", "telemetry"):
            tables = [rows_table(kind, some) for some in by_policy if some]
            schema = schema_of(kind, [table.schema for table in tables], ())
            pieces[kind] = [fitted(table, schema) for table in tables]
        existing = parts.parts(self.path)
        parts.write(self.path, Part(existing[-1].number + 1 if existing else 0), pieces)

    def done(self) -> set[tuple[str, int]]:
        """(policy, particle) of every trace that is written."""
        found = self._read("particles", ["policy", "particle"])
        return set(zip(found["policy"].to_pylist(), found["particle"].to_pylist(), strict=True))

    def particles(
        self, columns: list[str] | None = None, policy: str | None = None, particle: int | None = None
    ) -> pa.Table:
        """One row a trace, by policy and particle: outcome, requirement, time, message, seconds, p:, m:, f: columns."""
        return self._read("particles", columns, policy, particle)

    def events(self, policy: str | None = None, particle: int | None = None) -> pa.Table:
        """Events of all traces, or of one policy, one particle: policy, particle, t, kind, feature."""
        return self._read("events", None, policy, particle)

    def telemetry(
        self, policy: str | None = None, particle: int | None = None, columns: list[str] | None = None
    ) -> pa.Table:
        """Telemetry of all traces, or of one policy, one particle; all of a large run may not fit into memory."""
        return self._read("telemetry", columns, policy, particle)

    def compact(self) -> None:
        """Merge all parts into one sorted file a table; after an early stop without the particles beyond it."""
        self._writing()
        existing, below = parts.parts(self.path), self.header.get("stopped")
        if not existing or (len(existing) == 1 and existing[0].whole and below is None):
            return
        lows = [self._lows(part) for part in existing]

        def pieces(kind: str):
            schema = self._schema(kind, existing)

            def rows(i: int, policy: str) -> pa.Table:
                return parts.read(self.path, existing[i], kind, policy=policy)

            return merged(lows, rows, self.policies, schema, below)

        whole = Part(existing[-1].number + 1, whole=True)
        parts.write(self.path, whole, {kind: pieces(kind) for kind in TABLES})
        parts.clean(self.path)

    def _read(
        self, kind: str, columns: list[str] | None, policy: str | None = None, particle: int | None = None
    ) -> pa.Table:
        if policy is not None and policy not in self.policies:
            raise InputError(f"policy: expected one of {', '.join(map(repr, self.policies))}, got {policy!r}")
        existing = parts.parts(self.path)
        schema = self._schema(kind, existing)
        if columns is not None:
            schema = pa.schema([column for column in schema if column.name in {"policy", "particle", *columns}])
        read = [fitted(parts.read(self.path, p, kind, schema.names, policy, particle), schema) for p in existing]
        table = pa.concat_tables([schema.empty_table(), *read])
        self._check_policies(table)
        if self.header.get("stopped") is not None:
            table = table.filter(pc.field("particle") < self.header["stopped"])
        return sorted_rows(table, self.policies)

    def _schema(self, kind: str, existing: Sequence[Part]) -> pa.Schema:
        return schema_of(kind, [parts.schema(self.path, part, kind) for part in existing], self.parameters)

    def _lows(self, part: Part) -> dict[str, int]:
        """The least particle of every policy in a part."""
        keys = parts.read(self.path, part, "particles", ["policy", "particle"])
        self._check_policies(keys)
        least = keys.group_by("policy").aggregate([("particle", "min")])
        return dict(zip(least["policy"].to_pylist(), least["particle_min"].to_pylist(), strict=True))

    def _check_policies(self, table: pa.Table) -> None:
        foreign = set(table.column("policy").unique().to_pylist()) - set(self.policies)
        if foreign:
            names = ", ".join(sorted(map(repr, foreign)))
            raise InputError(f"{self.path}: traces of policies that run.json does not list: {names}")

    def _writing(self) -> None:
        if self._lock is None:
            raise InputError(f"{self.path}: opened to read; open it with write=True to change it")


def _lock(folder: Path) -> int:
    """Hold the folder for this process; the system lets it go when the process ends, however it ends."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise InputError(f"out: another run is writing to {folder}; wait for it, or name another folder") from None
    return lock
