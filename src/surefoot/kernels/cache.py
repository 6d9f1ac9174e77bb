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
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.experimental import function_type as _function_type  # noqa: F401  (registers what Pointers need)
from numba.extending import intrinsic

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
    """A kernel whose statements are copied into its callers before anything is compiled: it costs no call."""
    return kernel(function, inline="always")


def part(function: Callable[..., Any]) -> Any:
    """A kernel for other kernels only: without the door to Python, which for tuples of arrays takes long to compile."""
    made = kernel(function, no_cpython_wrapper=True)
    if isinstance(made, CPUDispatcher):  # not so when numba's compiler is switched off
        made.__class__ = _Part
    return made


class _Part(CPUDispatcher):
    """A dispatcher that refuses to be called from Python, where it would crash."""

    def __call__(self, *args: Any) -> Any:
        """Refuse."""
        raise TypeError(f"{self.py_func.__name__} is part of other kernels and cannot be called from Python")


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile with numba on first call and keep the machine code in our own folder.

    Sums may be reordered and contracted (as any compiler does at -O3 -ffp-contract=fast), but NaN and infinity keep
    their meaning. The global interpreter lock is released. Kernels own no memory, so numba's reference counts are
    left out (they cost more than a whole contact solve): a kernel may take views but not allocate or return arrays.
    """
    if function is None:
        return lambda f: kernel(f, **options)
    settings: dict[str, Any] = {
        "cache": True,
        "nogil": True,
        "error_model": "numpy",
        "fastmath": {"reassoc", "contract"},
        "_nrt": False,
        "no_cfunc_wrapper": True,
        **options,
    }
    with _own_folder():
        return numba.njit(**settings)(function)


class Pointer(types.WrapperAddressProtocol):
    """A function compiled for one signature, which kernels call through its address.

    Linked into its callers it would be optimised anew in each of them; behind a pointer it is compiled once, and only
    when it is first handed to a kernel.
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self._function = function
        self._signature = signature

    def __wrapper_address__(self) -> int:
        """Address of the machine code."""
        return _address(self._function, self._signature)

    def signature(self) -> Any:
        """Numba's view of the signature."""
        return self._signature


@cache
def _address(function: Callable[..., Any], signature: Any) -> int:
    settings = {"cache": True, "error_model": "numpy", "fastmath": {"reassoc", "contract"}, "_nrt": False}
    with _own_folder():
        code: Any = numba.cfunc(signature, **settings)(function)
    _ALIVE.append(code)
    return code.address


_ALIVE: list[Any] = []  # machine code lives as long as its owner


def caller(signature: Any) -> Any:
    """For kernels: `call(address, (arguments...))` of machine code with this signature, as a Pointer makes it."""

    @intrinsic
    def call(typingctx, address, arguments):
        def codegen(context, builder, _, values):
            kinds = [context.get_value_type(kind) for kind in signature.args]
            kind = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
            return builder.call(
                builder.inttoptr(values[0], kind.as_pointer()), cgutils.unpack_tuple(builder, values[1])
            )

        return signature.return_type(types.uintp, types.Tuple(signature.args)), codegen

    return call


@contextmanager
def _own_folder() -> Iterator[None]:
    """Set numba's cache folder around our own decorators only: other users of numba in this process keep theirs.

    One thread at a time: one that is done would take the folder from one that is not.
    """
    with global_compiler_lock:
        previous = config.CACHE_DIR  # pyright: ignore
        config.CACHE_DIR = str(CACHE_FOLDER)  # pyright: ignore
        try:
            yield
        finally:
            config.CACHE_DIR = previous  # pyright: ignore
