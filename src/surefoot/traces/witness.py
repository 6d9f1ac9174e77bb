"""Witness functions: signed distances, without unit, to what a robot must not do; negative where it does.

A requirement of a task is a witness that must stay at or above zero in every step; an objective is one that must be
there at the end. The user's own may be a function of a Span that returns (n,) numbers, or compiled with `@sf.witness`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Protocol, runtime_checkable

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.simulate.policy import why_not_compiled
from surefoot.traces.span import Array, Span

_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
_SIGNATURE = types.float64(types.float64, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
_ARGUMENTS = ("t", "q", "v", "torque", "params")
NO_DISTANCE = "expected signed distances to violation, got true and false"  # false is 0, which violates nothing


@runtime_checkable
class Witness(Protocol):
    """Anything with a name and this method."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def values(self, span: Span) -> Array:
        """(n,) signed distance to the limit in each step, without unit."""
        ...


class FunctionWitness:
    """A function of a Span as a witness.

    Attributes:
        name: that of the function unless said.
        function: returns (n,) numbers.
    """

    def __init__(self, function: Callable[[Span], Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or getattr(function, "__name__", type(function).__name__)

    def values(self, span: Span) -> Array:
        """(n,)."""
        return distances(f"witness {self.name!r}", self.function(span), len(span))


class CompiledWitness:
    """A compiled function of (t, q, v, torque, params) as a witness.

    Attributes:
        name: that of the function.
        function: as the user wrote it.
        params: (n,) constants.
    """

    def __init__(self, function: Callable[..., Any], params: Any = (), name: str | None = None) -> None:
        self.function = function
        self.params = checks.array("params", params, (None,), finite=False)
        self.name = name or function.__name__

    def bind(self, params: Any, name: str | None = None) -> CompiledWitness:
        """The same witness with other constants and, if wanted, another name."""
        return CompiledWitness(self.function, params, name or self.name)

    def __repr__(self) -> str:
        return f"{self.name}({self.params.tolist()})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code does not travel: copies and pickles are compiled anew."""
        name = self.function.__qualname__
        if "<" in name:
            raise InputError(f"witness {self.name!r}: cannot be copied or pickled; define it at the top of a module")
        return _remade, (self.function.__module__, name, self.params, self.name)

    def values(self, span: Span) -> Array:
        """(n,)."""
        code, out = _compiled(self.function, self.name), np.empty(len(span))
        try:
            code(span.t, span.q, span.v, span.torque, self.params, out)
        except Exception as error:
            raise InputError(f"witness {self.name!r}: raised {type(error).__name__}: {error}") from error
        return out


def _remade(module: str, name: str, params: Any, called: str) -> CompiledWitness:
    """The witness of that name in a module, or made of the function of that name."""
    found = attrgetter(name)(import_module(module))
    return CompiledWitness(getattr(found, "function", found), params, called)


@cache
def _compiled(function: Callable[..., Any], name: str) -> Any:
    """A loop over all steps with the user's function in it."""
    try:
        inner = numba.njit(_SIGNATURE.args, boundscheck=True)(function)
        returned = inner.nopython_signatures[0].return_type
        if not isinstance(returned, types.Boolean):
            inner = numba.njit(_SIGNATURE, boundscheck=True)(function)
    except Exception as error:
        raise InputError(f"witness {name!r}: numba cannot compile it: {why_not_compiled(error)}") from error
    if isinstance(returned, types.Boolean):
        raise InputError(f"witness {name!r}: {NO_DISTANCE}")

    @numba.njit
    def loop(t, q, v, torque, params, out):
        for k in range(t.shape[0]):
            out[k] = inner(t[k], q[k], v[k], torque[k], params)

    return loop


def witness(function: Callable[..., Any]) -> CompiledWitness:
    """Make a compiled witness of a function of (t, q, v, torque, params) that returns one number.

    Example:
        @sf.witness
        def low(t, q, v, torque, params):
            return 1.0 - q[2] / params[0]

        requirement = low.bind([0.3])
    """
    wanted = f"witness: expected a function of ({', '.join(_ARGUMENTS)}), got"
    if not inspect.isfunction(function):
        raise InputError(f"{wanted} {function!r}")
    names = tuple(inspect.signature(function).parameters)
    if names != _ARGUMENTS:
        raise InputError(f"{wanted} {function.__name__}({', '.join(names)})")
    return CompiledWitness(function)


def as_witness(what: str, value: Any) -> Witness:
    """A Witness as it is, or made of a function of a Span."""
    if isinstance(value, Witness) and not isinstance(value, type):
        return value
    if callable(value) and not isinstance(value, type):
        return FunctionWitness(value)
    raise InputError(f"{what}: expected a requirement such as Upright(), or a function of a Span, got {value!r}")


def distances(name: str, value: Any, n: int) -> Array:
    """What a witness returned for n steps, as (n,) numbers.

    Raises:
        InputError: it is something else; truth values too, since false, as the number 0, would violate nothing.
    """
    if np.asarray(value).dtype.kind == "b":
        raise InputError(f"{name}: {NO_DISTANCE}")
    return checks.array(name, value, (n,), finite=False)


def crossing(t: NDArray[np.float64], values: Array, k: int) -> float:
    """Time in s at which a witness that is negative at step k crossed zero, between that step and the one before."""
    if k == 0 or not np.isfinite(values[k - 1] - values[k]):  # a NaN or an infinity has no place between
        return float(t[k])
    share = values[k - 1] / (values[k - 1] - values[k])
    return float(t[k - 1] + share * (t[k] - t[k - 1]))
