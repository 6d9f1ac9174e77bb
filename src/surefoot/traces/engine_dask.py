"""Traces on a Dask cluster: chunks of about two seconds, each run on a worker in a process of its own.

A trace that crashes or hangs takes that process with it and not the worker, so that it ends as it does on one machine.
A worker that dies has its chunk done by another; a chunk that no worker survives is done in halves.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from surefoot.errors import EngineError, InputError, SurefootError
from surefoot.traces import run_json
from surefoot.traces.chunk import dismiss, run_chunk
from surefoot.traces.interrupt import held_back
from surefoot.traces.result import CRASHED, Result
from surefoot.traces.worker import DIED, Job, Work, told

if TYPE_CHECKING:
    from surefoot.traces.engine import Ledger

CHUNK = 2.0  # s of traces in a chunk
MOST = 64  # traces in a chunk
AHEAD = 2  # chunks for each thread of the cluster, the one it is at among them
TICK = 0.25  # s between two looks at the ledger, at most
ANSWER = 10.0  # s for the scheduler to answer
JOIN = 60.0  # s for the first worker to join
COUNT = 1.0  # s between two counts of the cluster's threads


def run_dask(scenario: Any, ledger: Ledger, job: Job, cluster: Any) -> None:
    """Do what is left of a run on a cluster.

    Args:
        scenario: sent to the workers by value.
        ledger: of the run.
        job: what the traces share; its scenario is filled in here.
        cluster: address of the scheduler, or a `distributed.Client`.
    """
    distributed = _distributed()
    with _client(distributed, cluster) as client:
        run = _Run(distributed, client, ledger, job._replace(scenario=_sendable(scenario)))
        try:
            with held_back() as interrupted:
                run.go(interrupted)
        except SurefootError:
            raise
        except Exception as error:
            if client.status == "running" and not isinstance(error, distributed.comm.CommClosedError):
                raise
            raise EngineError("cluster: the scheduler is gone; what is finished is written, resume it") from None
        finally:
            run.end()


class _Run:
    """A run on a cluster: which chunks are under way, and how large the next should be."""

    def __init__(self, distributed: Any, client: Any, ledger: Ledger, job: Job) -> None:
        self._distributed, self._client, self._ledger, self._job = distributed, client, ledger, job
        self._name = uuid.uuid4().hex
        self._versions = run_json.versions()
        self._pending: dict[Any, list[Work]] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()  # futures
        self._again: deque[list[Work]] = deque()
        self._seconds, self._count = 0.0, 0
        self._threads, self._counted = 0, -COUNT

    def go(self, interrupted: Callable[[], None]) -> None:
        """Submit and gather until the ledger has all it wants, or `interrupted` raises."""
        while not self._ledger.complete:
            while len(self._pending) < AHEAD * self._size() and (self._again or self._ledger.left):
                works = self._again.popleft() if self._again else self._next()
                key = f"surefoot-{self._name}-{uuid.uuid4().hex}"
                future = self._client.submit(
                    run_chunk, self._name, self._job, works, self._versions, key=key, pure=False
                )
                self._pending[future] = works
                future.add_done_callback(self._ended.put)
            with suppress(queue.Empty):
                for result in self._gather(self._ended.get(timeout=TICK)):
                    self._ledger.take(result)
            self._ledger.look()
            interrupted()

    def end(self) -> None:
        """Leave nothing behind on the cluster."""
        with suppress(Exception):  # the cluster may be gone
            self._client.cancel(list(self._pending), force=True)
            self._client.run(dismiss, self._name, on_error="ignore")

    def _gather(self, future: Any) -> list[Result]:
        """Results of a chunk, or none yet if it has to be done again."""
        works = self._pending.pop(future)
        try:
            results = future.result()
        except self._distributed.KilledWorker:
            if len(works) == 1:
                return [Result(*works[0], CRASHED, message=DIED)]
            half = len(works) // 2
            self._again += [works[:half], works[half:]]
            return []
        except EngineError as error:
            raise EngineError(f"cluster: {str(error).removeprefix('workers: ')}") from None
        except Exception as error:
            if self._client.status != "running":
                raise
            if future.status not in ("cancelled", "lost"):
                raise EngineError(f"cluster: a worker could not run traces: {told(error)}") from None
            self._again.append(works)
            return []
        finally:
            future.release()
        self._seconds += sum(result.seconds for result in results)
        self._count += len(results)
        return results

    def _next(self) -> list[Work]:
        """The next traces, as many as fill a chunk; towards the end fewer, so that all workers end together."""
        size = int(min(CHUNK * self._count / max(self._seconds, 1e-9), MOST)) if self._count else 1
        fair = self._ledger.left // (2 * max(self._size(), 1))
        return [self._ledger.next() for _ in range(min(max(min(size, fair), 1), self._ledger.left))]

    def _size(self) -> int:
        """Threads of the cluster, counted anew now and then: workers come and go."""
        if time.monotonic() - self._counted >= COUNT:
            self._threads = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return self._threads


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError("cluster: needs Dask; pip install 'surefoot[cluster]'") from None
    return distributed


@contextmanager
def _client(distributed: Any, cluster: Any) -> Iterator[Any]:
    """A client of the cluster, closed afterwards unless it was given."""
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    if not isinstance(cluster, str):
        raise InputError(f"cluster: expected the address of a Dask scheduler or a Client, got {cluster!r}")
    try:
        client = distributed.Client(cluster, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError, TimeoutError):
        raise InputError(f"cluster: no Dask scheduler answers at {cluster}") from None
    try:
        try:
            client.wait_for_workers(1, timeout=JOIN)
        except TimeoutError:
            raise InputError(f"cluster: no worker has joined the scheduler at {cluster} within {JOIN:g} s") from None
        yield client
    finally:
        client.close()


def _sendable(scenario: Any) -> bytes:
    import cloudpickle  # comes with Dask; functions of a script travel with it

    try:
        return cloudpickle.dumps(scenario)
    except Exception as error:
        raise InputError(f"scenario: cannot be sent to a cluster: {told(error)}") from None
