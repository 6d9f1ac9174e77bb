"""What every engine shares: the order of the work, what is done, when to stop, when to write and when to tell."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from surefoot.traces.result import BROKEN, CRASHED, HUNG, SUCCESS, Result
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.stop import Stop
from surefoot.traces.worker import Work

WRITE_SECONDS = 2.0  # a finished trace waits no longer than this, s
WRITE_TRACES = 64  # nor for more than so many others
WRITE_BYTES = 16e6  # nor for more than so much telemetry
TELL_SECONDS = 0.2  # between two calls of `progress`, s

Progress = Callable[[int, int, dict[str, tuple[int, int]]], None]


class Ledger:
    """The traces of a run: which are to do, in which order, and what became of them.

    Particle by particle, each under every policy. An early stop is decided on the particles 0 to n - 1 of all policies
    in this order, once they are done, so that it does not depend on who did them or when.

    Attributes:
        stopped: number of particles of each policy after an early stop, else None.
    """

    def __init__(
        self,
        folder: RunFolder,
        scenario: Any,
        particles: int,
        stop: Stop | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.stopped: int | None = None
        self._folder, self._scenario, self._stop, self._progress = folder, scenario, stop, progress
        self._policies = folder.policies
        self._won = np.full((particles, len(self._policies)), -1, dtype=np.int8)  # -1: not done
        written = folder.particles(["outcome"])
        for policy, particle, outcome in zip(*(written[name].to_pylist() for name in _KEYS), strict=True):
            if 0 <= particle < particles:
                self._won[particle, self._policies.index(policy)] = outcome == SUCCESS
        self._todo = np.argwhere(self._won < 0)
        self._open = len(self._todo)
        self._given = 0
        self._checked = 0  # particles from 0 on that are done under every policy
        self._buffer: list[Result] = []
        self._bytes = 0
        self._written = self._told = time.monotonic()
        self._writer = ThreadPoolExecutor(1)  # so that no worker waits for the disk
        self._writing: Future[None] | None = None
        self._check()

    @property
    def left(self) -> int:
        """How many traces are still to be given out."""
        return 0 if self.stopped is not None else len(self._todo) - self._given

    @property
    def complete(self) -> bool:
        """Whether every trace that counts is done."""
        return self.stopped is not None or not self._open

    @property
    def done(self) -> int:
        """Number of traces done, written or not."""
        return self._won.size - self._open

    @property
    def total(self) -> int:
        """Number of traces wanted."""
        return self._won.size

    def next(self) -> Work:
        """The next trace to do."""
        particle, policy = self._todo[self._given]
        self._given += 1
        return Work(self._policies[policy], int(particle))

    def take(self, result: Result) -> None:
        """Note a result; a second one of the same trace is dropped."""
        place = result.particle, self._policies.index(result.policy)
        if self._won[place] >= 0:
            return
        self._won[place] = result.outcome == SUCCESS
        self._open -= 1
        if result.outcome in (BROKEN, CRASHED, HUNG) and not result.values:
            result = dataclasses.replace(result, values=self._values(result.particle))
        self._buffer.append(result)
        self._bytes += _bytes(result)
        self._check()

    def look(self) -> None:
        """Write and tell what is due."""
        now = time.monotonic()
        full = len(self._buffer) >= WRITE_TRACES or self._bytes >= WRITE_BYTES
        if full or (self._buffer and now - self._written >= WRITE_SECONDS):
            self.write()
        if now - self._told >= TELL_SECONDS:
            self.tell()

    def write(self) -> None:
        """Begin to write what is not yet written, once what was begun before is done."""
        if self._writing is not None:
            self._writing.result()
        results = [r for r in self._buffer if self.stopped is None or r.particle < self.stopped]
        self._buffer, self._bytes = [], 0
        self._written = time.monotonic()
        self._writing = self._writer.submit(self._folder.append, results)

    def close(self) -> None:
        """Write all that is finished."""
        try:
            self.write()
            self.write()  # nothing more, but waits for the first
        finally:
            self._writer.shutdown()
        self.tell()

    def tell(self) -> None:
        """Call `progress` with traces done, traces wanted, and (successes, done) of every policy."""
        self._told = time.monotonic()
        if self._progress is None:
            return
        won = self._won if self.stopped is None else self._won[: self.stopped]
        per = {name: (int((w > 0).sum()), int((w >= 0).sum())) for name, w in zip(self._policies, won.T, strict=True)}
        self._progress(int((won >= 0).sum()), won.size, per)

    def _check(self) -> None:
        """Go on over the particles that are done, in order, until one is not or the run may stop."""
        while self._checked < len(self._won) and self.stopped is None and (self._won[self._checked] >= 0).all():
            self._checked += 1
            early = self._checked < len(self._won)
            if early and self._stop and self._stop.met(self._won[: self._checked].sum(axis=0), self._checked):
                self.stopped = self._checked

    def _values(self, particle: int) -> dict[str, Any]:
        """Drawn parameters of a particle whose trace could not tell them."""
        try:
            return self._scenario.values(particle, self._folder.header["seed"], self._folder.header["method"])
        except Exception:  # what broke the trace may break this too
            return {}


_KEYS = ("policy", "particle", "outcome")


def _bytes(result: Result) -> int:
    columns: Sequence[Any] = [*result.events.values(), *result.telemetry.values()]
    return sum(getattr(column, "nbytes", 8 * len(column)) for column in columns)
