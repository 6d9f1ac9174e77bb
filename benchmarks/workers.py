"""Processes of one's own, each of which does one kind of work, again and again."""

from __future__ import annotations

import atexit
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class Worker:
    """A process of its own; it ends with this one.

    Example:
        worker = Worker(solve)  # a function at the top of a module
        worker.send(problem)
        answer = worker.receive()
        worker.send(None)  # the same problem again
    """

    def __init__(self, work: Callable[[Any], Any]) -> None:
        fresh = multiprocessing.get_context("spawn")
        self._pipe, theirs = fresh.Pipe()
        self._process = fresh.Process(target=_serve, args=(theirs, work), daemon=True)
        self._process.start()
        theirs.close()
        atexit.register(self.close)

    def send(self, wish: Any) -> None:
        """What to work on, or None: the same again."""
        self._pipe.send(wish)

    def receive(self) -> Any:
        """What the work came to; an exception there is raised here."""
        answer = self._pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """End the process."""
        atexit.unregister(self.close)
        self._pipe.close()
        self._process.join()


def together(workers: list[Worker], wishes: list[Any]) -> list[Any]:
    """Send each worker its wish, then wait for all answers."""
    for worker, wish in zip(workers, wishes, strict=True):
        worker.send(wish)
    return [worker.receive() for worker in workers]


def _serve(pipe: Connection, work: Callable[[Any], Any]) -> None:
    kept: Any = None
    while True:
        try:
            wish = pipe.recv()
        except EOFError:
            return
        kept = kept if wish is None else wish
        try:
            pipe.send(work(kept))
        except Exception as error:
            pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))
