"""The process in which traces run: it takes (policy, particle) from a pipe and sends a result back for each."""

from __future__ import annotations

import faulthandler
import math
import os
import pickle
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from surefoot.traces.result import BROKEN, Result

LOADED = "loaded"
READY = "ready"
DIED = "the process died twice on this trace"
PREPARING = 180.0  # s for a scenario to prepare itself; a policy that hangs from its first step on takes them all
IDLE = 600.0  # s without work after which a process ends: whoever started it has forgotten it
SPARE = 30.0  # s after the limit at which a process ends itself, should nobody be left to end it


class Work(NamedTuple):
    """One trace to do."""

    policy: str
    particle: int


class Job(NamedTuple):
    """What all traces of a run share.

    Attributes:
        scenario: pickled; it never touches the run folder.
        seed: of the draws.
        method: of the draws.
        limit: s that a trace may take; infinite: any.
        prepares: whether a process lets the scenario prepare itself before its first trace.
    """

    scenario: bytes
    seed: int
    method: str
    limit: float = math.inf
    prepares: bool = True


def attempt(scenario: Any, work: Work, seed: int, method: str) -> Result:
    """The result of a trace; an exception in it is a result too, called broken."""
    start = time.perf_counter()
    try:
        result = scenario.trace(work.policy, work.particle, seed, method)
        if not isinstance(result, Result) or (result.policy, result.particle) != work:
            raise TypeError(f"expected the Result of particle {work.particle} under {work.policy}, got {result!r:.80}")
    except (Exception, SystemExit) as error:
        return Result(*work, BROKEN, message=told(error), seconds=time.perf_counter() - start)
    # Its own clock leaves out draws, and giving back memory.
    return replace(result, seconds=time.perf_counter() - start)


def serve(pipe: Connection, job: Job) -> None:
    """Do the traces that come through the pipe until it is closed; first tell loaded and ready, or why not."""
    try:
        scenario = pickle.loads(job.scenario)
        pipe.send(LOADED)
        if job.prepares and hasattr(scenario, "prepare"):
            with _Timer(PREPARING + SPARE) as timer:
                timer.set()
                scenario.prepare()
    except Exception as error:
        pipe.send(told(error))
        return
    try:
        with _Timer(job.limit + SPARE) as timer:
            pipe.send(READY)
            while _waits(pipe, timer):
                work = pipe.recv()
                timer.set()
                _send(pipe, attempt(scenario, work, job.seed, job.method))
    except (EOFError, OSError):
        return


class _Timer:
    """Ends this process some seconds after it was set, even where Python is not in charge.

    To set it starts a thread, which takes its time on a busy machine: within a second it stays as it was set.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._at = seconds, -math.inf
        self._nowhere = open(os.devnull, "w")  # noqa: SIM115

    def __enter__(self) -> _Timer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._nowhere.close()

    def set(self) -> None:
        now = time.monotonic()
        if math.isfinite(self._seconds) and now - self._at > 1.0:
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._nowhere)
            self._at = now

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        self._at = -math.inf


def _waits(pipe: Connection, timer: _Timer) -> bool:
    """Whether there is work; without any for long enough there is none to come."""
    if pipe.poll():
        return True
    timer.stop()
    return pipe.poll(IDLE)


def _send(pipe: Connection, result: Result) -> None:
    try:
        pipe.send(result)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        message = f"the result cannot be sent to another process: {told(error)}"
        pipe.send(Result(result.policy, result.particle, BROKEN, message=message, seconds=result.seconds))


def told(error: BaseException) -> str:
    """An exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
