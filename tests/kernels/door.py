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
def call_law(law, p, solver, f):
    """Call a contact law behind its pointer."""
    return law(p, solver, f)


@numba.njit(error_model="numpy")
def call_working_set(pointer, p, s, box, best, f):
    """Call the solver of a working set behind its pointer."""
    return pointer(p, s, box, best, f)
