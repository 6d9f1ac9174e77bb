"""Ctrl-C at a moment of our choice, so that it never cuts a message or a note in half."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def held_back() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until the function given is called, which then raises it; a second one comes at once.

    Only the main thread hears of Ctrl-C; in others nothing is held back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    before = signal.getsignal(signal.SIGINT)
    came = False

    def note(*_: object) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGINT, before)

    def check() -> None:
        nonlocal came
        if came:
            came = False
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()
