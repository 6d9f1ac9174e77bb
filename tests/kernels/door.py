"""A door from Python to what only kernels can call: parts, and functions behind a pointer."""

from functools import cache

import numba

from surefoot.kernels.box import Box, BoxType


@cache
def door(part):
    """A function for Python that does nothing but call `part`; compiled once per kind of arguments in a run."""

    @numba.njit(error_model="numpy")
    def through(*args):
        return part(*args)

    return through


def call(pointer, *args):
    """Call a function behind a Pointer; tuples that it takes as a Box are put into one."""
    kinds = pointer.signature().args
    return _call(
        pointer,
        *(Box(a) if isinstance(k, BoxType) and isinstance(a, tuple) else a for k, a in zip(kinds, args, strict=True)),
    )


@numba.njit(error_model="numpy")
def _call(pointer, *args):
    return pointer(*args)
