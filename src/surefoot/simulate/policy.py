"""Policies: what decides the torques. Compiled ones join the compiled loop; plain Python ones are called every step."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.rollout import POLICY_SIGNATURE

_ARGUMENTS = ("t", "q", "v", "torque_out", "memory", "params")


class Policy(types.WrapperAddressProtocol):
    """A compiled policy with its parameters and memory.

    The function has the signature `int64 policy(t, q, v, torque_out, memory, params)`: time in s, positions,
    velocities, torques to fill (N m, in the order of `robot.joints`), and two float64 arrays of its own: `memory`
    lives from call to call, `params` are constants. It returns 0; any other code ends the roll-out.
    """

    def __init__(self, function: Callable[..., Any], params: Any = (), memory: int = 0) -> None:
        self.function = function
        self.params: NDArray[np.float64] = np.ascontiguousarray(params, dtype=np.float64).ravel()
        self.memory_size = int(checks.number("memory", memory, at_least=0))
        self._compiled: Any = None

    def bind(self, params: Any = (), memory: int = 0) -> Policy:
        """The same policy with these parameters and this many numbers of memory (zero at the start of a roll-out)."""
        bound = Policy(self.function, params, memory)
        bound._compiled = self._compiled
        return bound

    def __call__(self, t: float, q: Any, v: Any, torque_out: Any, memory: Any, params: Any) -> int:
        """Call it as plain Python does."""
        return self.function(t, q, v, torque_out, memory, params)

    def __wrapper_address__(self) -> int:
        """Address of the machine code, for numba's function pointers."""
        if self._compiled is None:
            self._compiled = numba.cfunc(POLICY_SIGNATURE)(self.function)
        return self._compiled.address

    def signature(self) -> Any:
        """Numba's view of the signature."""
        return POLICY_SIGNATURE


def policy(function: Callable[..., Any]) -> Policy:
    """Make a compiled policy of a function of (t, q, v, torque_out, memory, params) that returns 0.

    Example:
        @sf.policy
        def hold(t, q, v, torque_out, memory, params):
            for i in range(torque_out.shape[0]):
                torque_out[i] = params[0] * (params[2 + i] - q[7 + i]) - params[1] * v[6 + i]
            return 0
    """
    names = tuple(inspect.signature(function).parameters)
    if len(names) != len(_ARGUMENTS):
        raise InputError(
            f"policy: expected a function of ({', '.join(_ARGUMENTS)}), got {function.__name__}({', '.join(names)})"
        )
    return Policy(function)


def _keep(t, q, v, torque_out, memory, params):
    return 0


KEEP_TORQUE = Policy(_keep)
"""Leaves the torques as they are: the loop's policy when a Python function decides outside of it."""
