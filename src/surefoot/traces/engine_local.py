"""Traces on this machine: processes that may die or hang without harm to the others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Protocol

from surefoot.errors import EngineError
from surefoot.kernels.cache import CACHE_FOLDER
from surefoot.traces.interrupt import held_back
from surefoot.traces.result import CRASHED, HUNG, Result
from surefoot.traces.worker import DIED, LOADED, PREPARING, READY, Job, Work, attempt, serve

if TYPE_CHECKING:
    from surefoot.traces.engine import Ledger

SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
AHEAD = 0.3  # s of traces that a process has waiting, so that it need not wait for us
MOST_AHEAD = 32  # traces
TICK = 0.25  # s between two times that the caller hears from us, at most
LOADING = 900.0  # s for a process to start and load its scenario
KILLED = 3  # processes in a row that may be killed before they are ready
_STARTING = threading.Lock()


class Source(Protocol):
    """Where traces to do come from, in order."""

    @property
    def left(self) -> int:
        """How many are still to be given out."""
        ...

    def next(self) -> Work:
        """The next of them."""
        ...


class Hand:
    """A process and the traces given to it; it works on the first of them.

    Attributes:
        pipe: our end.
        works: what it was given and has not answered.
        prepares: whether it tries the policies before its first trace.
        loaded: whether it has said that it could load the scenario.
        ready: whether it has said so.
    """

    def __init__(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.works: deque[Work] = deque()
        self.prepares = job.prepares
        self.loaded = self.ready = False
        self._since = time.monotonic()
        self._process = context.Process(target=serve, args=(theirs, job), daemon=True, name="surefoot traces")
        resource_tracker.ensure_running()  # started with the first process otherwise, and lets Ctrl-C through to it
        with _STARTING, _surroundings():
            self._process.start()
        theirs.close()

    def give(self, work: Work) -> None:
        """Hand over a trace; that the process is gone will show when it is heard."""
        if not self.works:
            self._since = time.monotonic()
        self.works.append(work)
        try:
            self.pipe.send(work)
        except OSError:
            return

    def hear(self) -> Result | str | None:
        """What it sent: a result, or in words whether it is ready; None if it is gone."""
        try:
            heard = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self._since = time.monotonic()
        if isinstance(heard, Result):
            self.works.popleft()
        return heard

    @property
    def seconds(self) -> float:
        """How long the present trace, or the start, has taken."""
        return time.monotonic() - self._since

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def end(self, grace: float = 0.0) -> int:
        """End the process, if it does not end by itself within `grace` s; its exit code, or minus the signal."""
        self._process.join(grace)
        self._process.kill()
        self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        self.pipe.close()
        return code


def traces(crew: list[Hand], job: Job, size: int, source: Source) -> Iterator[Result | None]:
    """Results of all traces of `source` as they end, and None every now and then.

    A process that dies costs the trace it was at, which is tried once more and then called crashed; one that takes
    longer than the limit is ended, and its trace called hung. Where kernels are still to be compiled the first process
    prepares itself before others start, so that only one compiles; one that dies or hangs over its preparation is
    replaced by one that begins with its first trace.

    Args:
        crew: processes of this job, kept and replaced here; the caller ends them.
        job: what the traces share.
        size: number of processes.
        source: traces to do.
    """
    again: deque[Work] = deque()
    deaths: Counter[Work] = Counter()
    pace = _Pace()
    killed = 0
    while source.left or again or any(hand.works for hand in crew):
        while len(crew) < min(_wanted(crew, size), source.left + len(again) + len(crew)):
            crew.append(Hand(job))
        _feed(crew, source, again, pace.ahead)
        for pipe in wait([hand.pipe for hand in crew], TICK):
            hand = next(hand for hand in crew if hand.pipe is pipe)
            heard = hand.hear()
            if isinstance(heard, Result):
                pace.add(heard.seconds)
                yield heard
            elif heard == LOADED:
                hand.loaded = True
            elif heard == READY:
                hand.ready, killed = True, 0
            elif heard is None and hand.loaded and not hand.ready and hand.prepares:
                job = _unprepared(crew, hand, job)
            elif heard is None and not hand.ready:
                crew.remove(hand)
                code, killed = hand.end(grace=5.0), killed + 1
                if code >= 0 or killed == KILLED:
                    raise EngineError(_stillborn(code))
            elif heard is None:
                yield from _lost(crew, hand, again, deaths)
            else:
                raise EngineError(f"workers: a process could not load the scenario: {heard}. {_HINT}")
        for hand in list(crew):
            if hand.works and hand.seconds > job.limit and not hand.pipe.poll():
                yield _hung(crew, hand, again, job.limit)
            elif hand.loaded and not hand.ready and hand.prepares and hand.seconds > PREPARING:
                job = _unprepared(crew, hand, job)
            elif not hand.ready and hand.seconds > LOADING:
                raise EngineError(f"workers: a process was not ready after {LOADING:g} s")
        yield None


def run_local(ledger: Ledger, job: Job, size: int) -> None:
    """Do what is left of a run in `size` processes."""
    crew: list[Hand] = []
    try:
        with held_back() as interrupted:
            for result in traces(crew, job, size, ledger):
                if result is not None:
                    ledger.take(result)
                ledger.look()
                if ledger.complete:
                    return
                interrupted()
    except KeyboardInterrupt:
        for result in _last_words(crew):
            ledger.take(result)
        raise
    finally:
        for hand in crew:
            hand.end()


def run_here(scenario: Any, ledger: Ledger, job: Job) -> None:
    """Do what is left of a run in this process."""
    while ledger.left:
        ledger.take(attempt(scenario, ledger.next(), job.seed, job.method))
        ledger.look()


def _last_words(crew: list[Hand]) -> Iterator[Result]:
    """Results that were sent and not yet heard."""
    for hand in crew:
        while hand.pipe.poll():
            heard = hand.hear()
            if heard is None:
                break
            if isinstance(heard, Result):
                yield heard


class _Pace:
    """How long traces take, and so how many should wait at a process."""

    def __init__(self) -> None:
        self._seconds, self._count = 0.0, 0

    def add(self, seconds: float) -> None:
        self._seconds, self._count = self._seconds + seconds, self._count + 1

    @property
    def ahead(self) -> int:
        if not self._count:
            return 0
        return int(min(AHEAD * self._count / max(self._seconds, 1e-9), MOST_AHEAD))


def _feed(crew: list[Hand], source: Source, again: deque[Work], ahead: int) -> None:
    """Give everyone what it lacks, one each in turn; towards the end less, so that all end together."""
    for depth in range(min(len(hand.works) for hand in crew), ahead + 1):
        for hand in crew:
            left = len(again) + source.left
            if not left or (depth and left < 2 * len(crew)):
                return
            if hand.ready and len(hand.works) <= depth:
                hand.give(again.popleft() if again else source.next())


def _wanted(crew: list[Hand], size: int) -> int:
    """Number of processes: one until it is ready, if that may mean to compile."""
    return size if any(hand.ready for hand in crew) or any(CACHE_FOLDER.rglob("*.nbc")) else 1


def _unprepared(crew: list[Hand], hand: Hand, job: Job) -> Job:
    """The job for those that follow a process which did not survive its preparation."""
    crew.remove(hand)
    hand.end(grace=0.0 if hand.alive else 5.0)
    return job._replace(prepares=False)


def _lost(crew: list[Hand], hand: Hand, again: deque[Work], deaths: Counter[Work]) -> Iterator[Result]:
    """What to do once a process is gone: its traces are done by others, the one it was at perhaps not."""
    seconds = hand.seconds
    crew.remove(hand)
    hand.end(grace=5.0)
    if not hand.works:
        return
    work = hand.works[0]
    deaths[work] += 1
    if deaths[work] > 1:
        hand.works.popleft()
        yield Result(*work, CRASHED, message=DIED, seconds=seconds)
    again.extendleft(reversed(hand.works))


def _hung(crew: list[Hand], hand: Hand, again: deque[Work], limit: float) -> Result:
    crew.remove(hand)
    seconds = hand.seconds
    hand.end()
    work = hand.works.popleft()
    again.extendleft(reversed(hand.works))
    return Result(*work, HUNG, message=f"took longer than {limit:g} s", seconds=seconds)


_HINT = "Functions of a scenario must stand at the top of a module that can be imported; or use workers=0"


def _stillborn(code: int) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return (
        f"workers: a process ended before its first trace ({how}). A script that runs traces needs "
        'if __name__ == "__main__": around what it does; or use workers=0'
    )


@contextmanager
def _surroundings() -> Iterator[None]:
    """What a new process inherits: one thread for its linear algebra, and deafness to Ctrl-C, which is for us."""
    before = {name: os.environ.get(name) for name in SINGLE}
    os.environ.update(dict.fromkeys(SINGLE, "1"))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
