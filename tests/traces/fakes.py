"""A scenario in plain Python whose traces succeed, fail, raise, crash or hang, as their particle's number says."""

import hashlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from surefoot.traces.result import Result


def uniform(*key):
    """A number between 0 and 1 that depends on the key alone."""
    digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") / 2**64


@dataclass(frozen=True)
class Fake:
    """Policy "firm" succeeds in 8 of 10 particles, "loose" in 4 of 10.

    Attributes:
        seconds: that a trace takes.
        trouble: what becomes of a particle: "raise", "abort", "hang", "none", "lambda" or "exit".
        once: a folder in which a crash leaves a mark, so that it comes only once.
        rows: of telemetry.
        log: a file to which every trace adds a line when it begins.
    """

    seconds: float = 0.0
    trouble: dict[int, str] = field(default_factory=dict)
    once: Path | None = None
    rows: int = 5
    log: Path | None = None
    name: str = "fake"
    policies: dict[str, None] = field(default_factory=lambda: {"loose": None, "firm": None})

    def header(self):
        parameters = [{"name": "mass", "nominal": 1.0}, {"name": "law", "nominal": "coulomb"}]
        return {"scenario": self.name, "title": "Nothing that moves", "parameters": parameters}

    def values(self, particle, seed, method):
        if particle == 0:
            return {"mass": 1.0, "law": "coulomb"}
        u = uniform(seed, particle, "mass", method)
        return {"mass": 0.5 + u, "law": "soft" if u > 0.5 else "coulomb"}

    def replay(self, policy, particle, seed=0, method="random"):
        return self.trace(policy, particle, seed, method, full=True)

    def trace(self, policy, particle, seed=0, method="random", full=False):
        start = time.perf_counter()
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{policy} {particle}\n")
        if self.seconds:
            time.sleep(self.seconds)
        trouble = self._trouble(particle)
        if trouble is not None:
            return trouble
        values = self.values(particle, seed, method)
        u = uniform(seed, particle, "luck", method)
        won = u < {"loose": 0.4, "firm": 0.8}[policy]
        rows = self.rows * (2 if full else 1)
        t = np.linspace(0.0, 1.0, rows)
        return Result(
            policy=policy,
            particle=particle,
            outcome="success" if won else "known failure",
            requirement="" if won else "upright",
            time=1.0 if won else 0.25 + 0.5 * u,
            values=values,
            margins={"upright": 0.1 if won else -u},
            final={"x": u, "yaw": -u},
            seconds=time.perf_counter() - start,
            events={
                "t": np.array([0.1, 0.2]),
                "kind": ["touchdown", "slip"],
                "feature": ["FOOT/ground", "left/ground" if u < 0.2 else "right/ground"],
            },
            telemetry={"t": t, "q0": np.sin(t * u), "q10": t, "q2": t, "torque knee": u * t, "witness upright": t},
        )

    def _trouble(self, particle):
        what = self.trouble.get(particle)
        if self.once is not None and what is not None:
            mark = self.once / str(particle)
            if mark.exists():
                return None
            mark.touch()
        if what == "raise":
            raise ValueError(f"particle {particle} has no answer")
        if what == "abort":
            os.abort()
        if what == "exit":
            raise SystemExit(3)
        if what == "hang":
            time.sleep(3600.0)
        if what == "none":
            return "not a result"
        if what == "lambda":
            return Result("loose", particle, "success", values={"mass": lambda: 0})
        return None


def rows(table, *without):
    """The rows of a table as Python values, but for some columns; NaN compares equal to itself."""
    kept = table.drop_columns([name for name in without if name in table.column_names])
    return [(*kept.column_names, *map(str, kept.schema.types)), *(repr(row) for row in kept.to_pylist())]


def content(folder):
    """All that a run folder tells, without the seconds that traces took."""
    return rows(folder.particles(), "seconds"), rows(folder.events()), rows(folder.telemetry())
