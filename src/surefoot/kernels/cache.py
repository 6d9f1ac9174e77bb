"""The one decorator of all kernels, and where their machine code is kept.

numba's cache does not see edits in jitted functions of *other* files and freezes globals. So the cache folder is
keyed by a digest of every kernel source, MuJoCo's version and its struct layout: an edit anywhere starts a fresh
folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numba
import numpy
from numba.core import config

from surefoot.kernels.layout import layout_digest


def cache_root() -> Path:
    """Folder that holds all kernel caches: $SUREFOOT_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get("SUREFOOT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "surefoot"


def _digest() -> str:
    """Digest of all that compiled kernels depend on."""
    total = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        total.update(source.name.encode() + source.read_bytes())
    versions = (mujoco.__version__, numba.__version__, numpy.__version__, layout_digest())
    total.update("|".join(versions).encode())
    return total.hexdigest()[:16]


CACHE_FOLDER = cache_root() / f"kernels-{_digest()}"


def inlined(function: Callable[..., Any]) -> Any:
    """A kernel that is always inlined into its callers: a small part that would else copy whole tuples of arrays."""
    return kernel(function, forceinline=True)


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile with numba on first call and keep the machine code in our own folder.

    Sums may be reordered and contracted (as any compiler does at -O3 -ffp-contract=fast), but NaN and infinity keep
    their meaning. The global interpreter lock is released. Kernels own no memory, so numba's reference counts are
    left out (they cost more than a whole contact solve): a kernel may take views but not allocate or return arrays;
    one that opens a Box says `@kernel(_nrt=True)`.
    """
    if function is None:
        return lambda f: kernel(f, **options)
    settings: dict[str, Any] = {
        "cache": True,
        "nogil": True,
        "error_model": "numpy",
        "fastmath": {"reassoc", "contract"},
        "_nrt": False,
        **options,
    }
    with _own_folder():
        return numba.njit(**settings)(function)


@cache
def compiled_pointer(function: Callable[..., Any], signature: Any) -> int:
    """Compile a function for one signature, keep its machine code in our folder, and return its address."""
    with _own_folder():
        code: Any = numba.cfunc(signature, cache=True, error_model="numpy", fastmath={"reassoc", "contract"})(function)
    _ALIVE.append(code)
    return code.address


_ALIVE: list[Any] = []  # machine code lives as long as its owner


@contextmanager
def _own_folder() -> Iterator[None]:
    """Set numba's cache folder around our own decorators only: other users of numba in this process keep theirs."""
    previous = config.CACHE_DIR  # pyright: ignore
    config.CACHE_DIR = str(CACHE_FOLDER)  # pyright: ignore
    try:
        yield
    finally:
        config.CACHE_DIR = previous  # pyright: ignore
