"""What a Dask worker does: a chunk of traces, in a process that waits for the next chunk of the same run."""

from __future__ import annotations

import multiprocessing
import threading
from collections import deque
from collections.abc import Mapping, Sequence

from surefoot.errors import EngineError
from surefoot.traces import run_json
from surefoot.traces.engine_local import Hand, traces
from surefoot.traces.result import Result
from surefoot.traces.worker import Job, Work

_LOCK = threading.Lock()
_IDLE: list[tuple[str, Hand]] = []  # processes that wait, with the run that they belong to
_DISMISSED: set[str] = set()  # runs that have ended


class _Listed:
    """Traces of a list, in order."""

    def __init__(self, works: Sequence[Work]) -> None:
        self._works = deque(works)

    @property
    def left(self) -> int:
        return len(self._works)

    def next(self) -> Work:
        return self._works.popleft()


def run_chunk(run: str, job: Job, works: Sequence[Work], versions: Mapping[str, str]) -> list[Result]:
    """Results of some traces.

    Args:
        run: its name; processes are kept from chunk to chunk of a run.
        job: what the traces share.
        works: traces to do.
        versions: of the packages where the run was begun; here they must be the same.
    """
    _check_versions(versions)
    crew = _hired(run)
    results = []
    try:
        for result in traces(crew, job, 1, _Listed(works)):
            if run in _DISMISSED:
                break
            if result is not None:
                results.append(result)
    except BaseException:
        for hand in crew:
            hand.end()
        raise
    with _LOCK:
        _IDLE.extend((run, hand) for hand in crew)
    if run in _DISMISSED:
        dismiss(run)
    return results


def dismiss(run: str) -> None:
    """End the processes of a run, and what they are doing."""
    _DISMISSED.add(run)
    with _LOCK:
        for name, hand in list(_IDLE):
            if name == run:
                hand.end()
                _IDLE.remove((name, hand))


def _hired(run: str) -> list[Hand]:
    """A process of this run that waits, if there is one; those of other runs go."""
    multiprocessing.current_process().daemon = False  # a Dask worker is one, and daemons may not start processes
    with _LOCK:
        mine = [hand for name, hand in _IDLE if name == run and hand.alive]
        for name, hand in list(_IDLE):
            if hand not in mine:
                hand.end()
                _IDLE.remove((name, hand))
        if not mine:
            return []
        _IDLE.remove((run, mine[0]))
        return mine[:1]


def _check_versions(versions: Mapping[str, str]) -> None:
    here = run_json.versions()
    for name in run_json.PACKAGES:
        if here[name] != versions[name]:
            told = f"a worker has {name} {here[name]}, the run was begun with {versions[name]}"
            raise EngineError(f"{told}; results would not be those of one run")
