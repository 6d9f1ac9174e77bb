"""A door from Python to what only kernels can call: parts, and functions behind a pointer."""

from functools import cache

import numba


@cache
def door(part):
    """A function for Python that does nothing but call `part`; compiled once per kind of arguments in a run."""

    @numba.njit(error_model="numpy")
    def through(*args):
        return part(*args)

    return through


@numba.njit(error_model="numpy")
def call(pointer, *args):
    """Call a function behind a Pointer."""
    return pointer(*args)
