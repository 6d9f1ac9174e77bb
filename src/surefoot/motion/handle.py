"""How compiled code finds a controller that lives in Python: by a number that outlives it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PAGES: list[NDArray[np.uintp]] = []  # what handles point to stays for ever: one of a dead controller points to zeros
_HANDING = threading.Lock()


def _slots() -> Iterator[NDArray[np.uintp]]:
    """(2,) zeros, each given once."""
    while True:
        _PAGES.append(np.zeros((1024, 2), dtype=np.uintp))
        yield from _PAGES[-1]


_FRESH = _slots()


class Handle:
    """Two words, the address of a kernel and that of its Box; both are zero once the owner is gone."""

    def __init__(self, owner: Any) -> None:
        with _HANDING:
            self._words = next(_FRESH)
        weakref.finalize(owner, self._words.fill, 0)

    def point_to(self, function: Any, box: Any) -> None:
        """Let compiled code call this Pointer with this Box."""
        self._words[:] = function.__wrapper_address__(), box.address

    @property
    def number(self) -> float:
        """What fits in a policy's params."""
        return float(self._words.ctypes.data)
