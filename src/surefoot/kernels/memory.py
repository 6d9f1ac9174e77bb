"""What a control loop remembers from one call to the next: the mode of every contact, by which two geoms touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.plant import CONE


class Memory(NamedTuple):
    """Contacts of the last call, for up to `capacity` of them."""

    count: ndarray  # (1,) int64
    source: ndarray  # (capacity, 2) int64, as in Rows
    mode: ndarray  # (capacity,) int64


def make_memory(capacity: int) -> Memory:
    """Nothing remembered yet."""
    return Memory(np.zeros(1, np.int64), np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64))


@part
def remember(rows, n, mode, memory):
    """Keep the modes of closed contacts, joint limits and boxes."""
    memory.count[0] = n
    for i in range(n):
        memory.source[i, 0] = rows.source[i, 0]
        memory.source[i, 1] = rows.source[i, 1]
        memory.mode[i] = mode[i]


@part
def recall(rows, n, memory, mode_out):
    """Overwrite the modes of blocks met before: the k-th contact of two geoms is the k-th of the same two."""
    used = 0  # blocks come in nearly the same order: look from where the last was found
    for i in range(n):
        for look in range(memory.count[0]):
            j = (used + look) % memory.count[0]
            if memory.source[j, 0] == rows.source[i, 0] and memory.source[j, 1] == rows.source[i, 1]:
                if rows.kind[i] == CONE or memory.mode[j] < 2:  # an open contact neither sticks sideways nor slides
                    mode_out[i] = memory.mode[j]
                used = j + 1
                break
