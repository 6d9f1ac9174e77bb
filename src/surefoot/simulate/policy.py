"""Policies: what decides the torques. Compiled ones join the compiled loop; plain Python ones are called every step."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.cache import Pointer
from surefoot.kernels.rollout import POLICY_SIGNATURE, Loop

_ARGUMENTS = ("t", "q", "v", "torque_out", "memory", "params")


class Policy(types.WrapperAddressProtocol):
    """A compiled policy with its parameters and memory.

    The function has the signature `int64 policy(t, q, v, torque_out, memory, params)`: time in s, positions,
    velocities, torques to fill (N m, in the order of `robot.joints`), and two float64 arrays of its own: `memory`
    lives from call to call, `params` are constants. It returns 0; any other code ends the roll-out. An error in it, an
    index out of bounds among them, ends the roll-out with an InputError.
    """

    def __init__(self, function: Callable[..., Any], params: Any = (), memory: int = 0, *, kept: bool = False) -> None:
        """Bind; `kept`: for our own policies, whose machine code is cached and which raise no errors."""
        self.function = function
        self.params = _numbers(params)
        self.memory_size = _size(memory)
        self._code: _Code | Pointer = Pointer(function, POLICY_SIGNATURE) if kept else _Code(function)

    def bind(self, params: Any = (), memory: int = 0) -> Policy:
        """The same policy with these parameters and this many numbers of memory (zero at the start of a roll-out)."""
        bound = Policy(self.function, params, memory)
        bound._code = self._code
        return bound

    def __call__(self, t: float, q: Any, v: Any, torque_out: Any, memory: Any, params: Any) -> int:
        """Call it as plain Python does."""
        return self.function(t, q, v, torque_out, memory, params)

    def __wrapper_address__(self) -> int:
        """Address of the machine code, for numba's function pointers."""
        return self._code.__wrapper_address__()

    def signature(self) -> Any:
        """Numba's view of the signature."""
        return POLICY_SIGNATURE


class _Code:
    """Machine code of a function, made when first asked for and shared by all policies bound to it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._compiled: Any = None

    def __wrapper_address__(self) -> int:
        """Address of the machine code."""
        with _COMPILING:  # two threads must not make it twice: what one of them calls would be freed
            if self._compiled is None:
                self._compiled = _compiled(self.function)
        return self._compiled.address


_COMPILING = threading.Lock()


def policy(function: Callable[..., Any]) -> Policy:
    """Make a compiled policy of a function of (t, q, v, torque_out, memory, params) that returns 0.

    Example:
        @sf.policy
        def hold(t, q, v, torque_out, memory, params):
            for i in range(torque_out.shape[0]):
                torque_out[i] = params[0] * (params[2 + i] - q[7 + i]) - params[1] * v[6 + i]
            return 0
    """
    if not inspect.isfunction(function):
        raise InputError(f"policy: expected a function of ({', '.join(_ARGUMENTS)}), got {function!r}")
    names = tuple(inspect.signature(function).parameters)
    if len(names) != len(_ARGUMENTS):
        raise InputError(
            f"policy: expected a function of ({', '.join(_ARGUMENTS)}), got {function.__name__}({', '.join(names)})"
        )
    return Policy(function)


def _compiled(function: Callable[..., Any]) -> Any:
    """Machine code of a policy. An error in it sets the last number of `memory`, which the policy never sees."""
    try:
        inner = numba.njit(POLICY_SIGNATURE, boundscheck=True)(function)

        def guarded(t, q, v, torque_out, memory, params):
            try:
                return inner(t, q, v, torque_out, memory[:-1], params)
            except Exception:
                memory[memory.size - 1] = 1.0
                return 1

        return numba.cfunc(POLICY_SIGNATURE)(guarded)
    except Exception as error:
        raise InputError(
            f"policy: numba cannot compile {function.__name__}: {why_not_compiled(error)}; "
            "it must be plain numeric code that returns 0"
        ) from error


def why_not_compiled(error: Exception) -> str:
    """The line of numba's error that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in nopython")), type(error).__name__)


def raise_error_of(policy: Policy, t: float, loop: Loop) -> None:
    """Raise InputError if the last call of a compiled policy ended in an error, found by calling it in Python."""
    if not loop.memory[-1]:
        return
    name, cause = policy.function.__name__, "an error"
    try:
        policy(t, loop.q, loop.v, loop.torque.copy(), loop.memory[:-1].copy(), loop.params)
    except InputError:  # it says itself what failed
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
    raise InputError(f"policy: {name} raised {cause}, at t = {t:.6g} s")


def check_function_of_state(function: Any) -> None:
    """Raise InputError unless `function` can be called with one argument, a State."""
    if not callable(function):
        raise InputError(f"policy: expected @sf.policy, a function of a State, or None, got {type(function).__name__}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind(None)
    except TypeError:
        hint = "; decorate it with @sf.policy" if len(signature.parameters) == len(_ARGUMENTS) else ""
        name = getattr(function, "__name__", type(function).__name__)
        raise InputError(f"policy: expected a function of one State, got {name}{signature}{hint}") from None


def _numbers(params: Any) -> NDArray[np.float64]:
    """Any array of numbers, flat; infinities are allowed (a limit that never binds)."""
    return checks.array("params", params, (None,) * np.ndim(_regular(params)), finite=False).ravel()


def _regular(params: Any) -> Any:
    try:
        return np.asarray(params)
    except ValueError:  # ragged
        raise InputError(f"params: expected an array of numbers, got {type(params).__name__}") from None


def _size(memory: Any) -> int:
    size = checks.number("memory", memory, at_least=0, at_most=1e9)
    if size != int(size):
        raise InputError(f"memory: expected a whole number, got {memory!r}")
    return int(size)


def _keep(t, q, v, torque_out, memory, params):
    return 0


KEEP_TORQUE = Policy(_keep, kept=True)
"""Leaves the torques as they are: the loop's policy when a Python function decides outside of it."""
