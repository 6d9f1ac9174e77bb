"""Policies: what decides the torques. Compiled ones join the compiled loop; plain Python ones are called every step.

What every function of the user in the compiled loop has in common, a motion too, is here as well.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.cache import Pointer
from surefoot.kernels.rollout import POLICY_SIGNATURE
from surefoot.robots.state import State

PythonPolicy = Callable[[State], Any]


class Compiled(types.WrapperAddressProtocol):
    """A function of the user that runs in the compiled loop, with its parameters and memory.

    Attributes:
        what: how errors call it.
        arguments: what the function takes.
        function: as the user wrote it.
        params: constants, flat.
        memory_size: numbers that live from call to call.
    """

    what = ""
    arguments: tuple[str, ...] = ()

    def __init__(self, function: Callable[..., Any], params: Any = (), memory: int = 0) -> None:
        self.function = function
        self.params = _numbers(params)
        self.memory_size = _size(memory)
        self._code: _Code | Pointer = _Code(function, self.what)

    def __call__(self, *values: Any, **named: Any) -> int:
        """Call it as plain Python does."""
        return self.function(*values, **named)

    def __wrapper_address__(self) -> int:
        """Address of the machine code, for numba's function pointers."""
        return self._code.__wrapper_address__()

    def signature(self) -> Any:
        """Numba's view of the signature."""
        return POLICY_SIGNATURE

    def new_memory(self) -> NDArray[np.float64]:
        """Memory for one roll-out; its last number, which the function never sees, tells of an error in it."""
        return np.zeros(self.memory_size + 1)

    def raise_error(self, t: float, q: Any, v: Any, out: Any, memory: Any, params: Any) -> None:
        """Raise InputError if the last call in the loop ended in an error, found by calling it in Python."""
        if not memory[-1]:
            return
        cause = "an error"
        try:
            self(t, q, v, out.copy(), memory[:-1].copy(), params)
        except InputError:  # it says itself what failed
            raise
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
        raise InputError(f"{self.what}: {self.function.__name__} raised {cause}, at t = {t:.6g} s")


class Policy(Compiled):
    """A compiled policy with its parameters and memory.

    The function has the signature `int64 policy(t, q, v, torque_out, memory, params)`: time in s, positions,
    velocities, torques to fill (N m, in the order of `robot.joints`), and two float64 arrays of its own: `memory`
    lives from call to call, `params` are constants. It returns 0; any other code ends the roll-out. An error in it, an
    index out of bounds among them, ends the roll-out with an InputError.

    `torque_out` holds, when it is called, what it gave last (zero in the first call): what it leaves alone stays. Bound
    with `senses_torque` it holds what a sensor says of the last call instead. Nothing but a particle of a scenario,
    whose motors and sensors may err, makes a difference between the two.

    Attributes:
        senses_torque: whether it reads `torque_out` as measured.
    """

    what = "policy"
    arguments = ("t", "q", "v", "torque_out", "memory", "params")

    def __init__(
        self,
        function: Callable[..., Any],
        params: Any = (),
        memory: int = 0,
        *,
        senses_torque: bool = False,
        kept: bool = False,
    ) -> None:
        """Bind; `kept`: for our own policies, whose machine code is cached and which raise no errors."""
        super().__init__(function, params, memory)
        if not isinstance(senses_torque, bool):
            raise InputError(f"senses_torque: expected True or False, got {senses_torque!r}")
        self.senses_torque = senses_torque
        if kept:
            self._code = Pointer(function, POLICY_SIGNATURE)

    def bind(self, params: Any = (), memory: int = 0, *, senses_torque: bool = False) -> Policy:
        """The same policy with parameters and memory of its own.

        Args:
            params: constants.
            memory: how many numbers live from call to call; zero at the start of a roll-out.
            senses_torque: `torque_out` holds, at every call, the torques of the last call as measured: as the motors
                gave them, with the errors of the sensors. All of it must then be filled: what is left alone would be
                a measurement given as a command.
        """
        bound = Policy(self.function, params, memory, senses_torque=senses_torque)
        bound._code = self._code
        return bound


class _Code:
    """Machine code of a function, made when first asked for and shared by all that are bound to it."""

    def __init__(self, function: Callable[..., Any], what: str) -> None:
        self.function = function
        self.what = what
        self._compiled: Any = None

    def __wrapper_address__(self) -> int:
        """Address of the machine code."""
        with _COMPILING:  # two threads must not make it twice: what one of them calls would be freed
            if self._compiled is None:
                self._compiled = _compiled(self.function, self.what)
        return self._compiled.address


_COMPILING = threading.Lock()
_Kind = TypeVar("_Kind", bound=Compiled)


def policy(function: Callable[..., Any]) -> Policy:
    """Make a compiled policy of a function of (t, q, v, torque_out, memory, params) that returns 0.

    Example:
        @sf.policy
        def hold(t, q, v, torque_out, memory, params):
            for i in range(torque_out.shape[0]):
                torque_out[i] = params[0] * (params[2 + i] - q[7 + i]) - params[1] * v[6 + i]
            return 0
    """
    return checked_function(Policy, function)


def checked_function(kind: type[_Kind], function: Any) -> _Kind:
    """A Compiled of this kind, if the function takes the arguments that it should."""
    wanted = f"{kind.what}: expected a function of ({', '.join(kind.arguments)}), got"
    if not inspect.isfunction(function):
        raise InputError(f"{wanted} {function!r}")
    names = tuple(inspect.signature(function).parameters)
    if len(names) != len(kind.arguments):
        raise InputError(f"{wanted} {function.__name__}({', '.join(names)})")
    return kind(function)


def _compiled(function: Callable[..., Any], what: str) -> Any:
    """Machine code of a function. An error in it sets the last number of `memory`, which it never sees."""
    try:
        inner = numba.njit(POLICY_SIGNATURE, boundscheck=True)(function)

        def guarded(t, q, v, out, memory, params):
            try:
                return inner(t, q, v, out, memory[:-1], params)
            except Exception:
                memory[memory.size - 1] = 1.0
                return 1

        return numba.cfunc(POLICY_SIGNATURE)(guarded)
    except Exception as error:
        raise InputError(
            f"{what}: numba cannot compile {function.__name__}: {why_not_compiled(error)}; "
            "it must be plain numeric code that returns 0"
        ) from error


def why_not_compiled(error: Exception) -> str:
    """The line of numba's error that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in nopython")), type(error).__name__)


def check_function_of_state(function: Any) -> None:
    """Raise InputError unless `function` can be called with one argument, a State."""
    if isinstance(function, Compiled):
        raise InputError(f"policy: {function.function.__name__} is a motion; pass it as motion=")
    if not callable(function):
        raise InputError(f"policy: expected @sf.policy, a function of a State, or None, got {type(function).__name__}")
    check_one_argument(function, "policy", "one State", "@sf.policy")


def check_one_argument(function: Callable[..., Any], name: str, argument: str, decorator: str) -> None:
    """Raise InputError unless `function` can be called with one argument."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind(None)
    except TypeError:
        hint = f"; decorate it with {decorator}" if len(signature.parameters) == len(Policy.arguments) else ""
        called = getattr(function, "__name__", type(function).__name__)
        raise InputError(f"{name}: expected a function of {argument}, got {called}{signature}{hint}") from None


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
