"""Stages: the parts of a pipeline, in Python or compiled."""

from __future__ import annotations

import copy
import inspect
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numba
import numpy as np

from surefoot import checks
from surefoot.control.blackboard import PHASES, Board, Value, names_of
from surefoot.errors import InputError
from surefoot.kernels.cache import Pointer
from surefoot.kernels.pipeline import RAISED, STAGE_SIGNATURE
from surefoot.simulate.policy import why_not_compiled

_PYTHON = ("board", "t")
_COMPILED = ("t", "board", "where", "memory", "params")
_KINDS = "a function of (board, t), or of (t, board, where, memory, params) to be compiled"
_MOST = 1e9  # ticks, and numbers of memory


class Stage:
    """A part of a pipeline: reads values, writes values, adds to values.

    A stage in Python has a function `run(board, t)`, or is a subclass with this method; `board["q"]` are its values by
    name. A compiled stage has a function `int64 stage(t, board, where, memory, params)`: time in s, the blackboard as
    one flat array, where on it each read, write and add begins (in the order declared), and two float64 arrays of its
    own: `memory` lives from call to call (zero at the start of a roll-out), `params` are constants. It returns 0; any
    other code ends the roll-out.

    What a stage adds is zero when it is called. A stage that both reads and writes a value changes it.

    Attributes:
        name: what errors and tables call it.
        phase: "perception", "planning" or "control".
        reads: names of values, or Values.
        writes: the same.
        adds: the same.
        every: runs at every n-th tick; what it gave holds in between.
        function: see above.
        memory: how many numbers of memory a compiled stage has.
        params: constants of a compiled stage.
        period: time in s between two runs that it is made for; None: any.
        kept: whether it is a compiled stage of this package, whose codes are those of a Status.
    """

    period: float | None = None

    def __init__(
        self,
        name: str,
        phase: str,
        *,
        reads: Iterable[str | Value] = (),
        writes: Iterable[str | Value] = (),
        adds: Iterable[str | Value] = (),
        every: int = 1,
        function: Callable[..., Any] | None = None,
        memory: int = 0,
        params: Any = (),
        kept: bool = False,
    ) -> None:
        """Declare; `kept`: for our own stages, whose machine code is cached and which raise no errors."""
        self.name = _checked_name(name)
        self.phase = checks.choice(f"stage {name!r}: phase", phase, PHASES)
        self.reads = _items(name, "reads", reads)
        self.writes = _items(name, "writes", writes)
        self.adds = _items(name, "adds", adds)
        for value in names_of(self.adds):
            if value in names_of(self.reads + self.writes):
                raise InputError(f"stage {name!r}: {value!r} stands in adds, and in reads or writes as well")
        self.every = _whole(f"stage {name!r}: every", every, 1)
        self.memory = _whole(f"stage {name!r}: memory", memory, 0)
        self._given = checks.array(f"stage {name!r}: params", params, (None,), finite=False).copy()
        self.function = function
        self.compiled = _is_compiled(self)
        self.kept = kept

    @property
    def params(self) -> Any:
        """(n,) float64."""
        return self._given

    def run(self, board: Board, t: float) -> None:
        """One run of a stage in Python, at time t in s."""
        if self.function is not None:
            self.function(board, t)

    def reset(self) -> None:
        """A run begins: forget. For stages in Python that remember; the memory of compiled ones is cleared for them."""

    def bind(self, params: Any = None, *, name: str | None = None, every: int | None = None) -> Stage:
        """The same stage with other parameters, another name or another rate; its values keep their names.

        Stages of this package have their parameters from their arguments, and no others.
        """
        bound = copy.copy(self)
        if params is not None and self.kept:
            kind = type(self).__name__
            raise InputError(f"stage {self.name!r}: params: those of {kind} follow from its arguments; make a new one")
        if params is not None:
            bound._given = checks.array(f"stage {self.name!r}: params", params, (None,), finite=False).copy()
        if name is not None:
            bound.name = _checked_name(name)
        if every is not None:
            bound.every = _whole(f"stage {self.name!r}: every", every, 1)
        return bound

    def address(self) -> int:
        """Where the machine code is; 0 for a stage in Python."""
        if self.function is None or not self.compiled:
            return 0
        if self.kept:
            return Pointer(self.function, STAGE_SIGNATURE).__wrapper_address__()
        with _COMPILING:  # two threads must not make it twice: what one of them calls would be freed
            return _machine_code(self.function, self.name).address

    def __repr__(self) -> str:
        kind = "compiled" if self.compiled else "Python"
        return f"<{type(self).__name__} {self.name!r}: {self.phase}, {kind}, every {self.every}>"


def stage(
    *,
    phase: str,
    reads: Iterable[str | Value] = (),
    writes: Iterable[str | Value] = (),
    adds: Iterable[str | Value] = (),
    every: int = 1,
    memory: int = 0,
    params: Any = (),
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Stage]:
    """Make a stage of a function: of (board, t) in Python, of (t, board, where, memory, params) compiled.

    Args:
        phase: "perception", "planning" or "control".
        reads: names of values, or Values.
        writes: the same.
        adds: the same.
        every: run at every n-th tick.
        memory: numbers of memory of a compiled stage.
        params: (n,) constants of a compiled stage.
        name: by default that of the function.

    Example:
        @sf.control.stage(phase="control", reads=("v",), adds=("torque",))
        def damp(board, t):
            board["torque"] = -0.1 * board["v"][6:]

        @sf.control.stage(phase="control", reads=("v",), adds=("torque",), params=[0.1])
        def damp_compiled(t, board, where, memory, params):
            for i in range(12):
                board[where[1] + i] = -params[0] * board[where[0] + 6 + i]
            return 0
    """

    def made(function: Callable[..., Any]) -> Stage:
        if not inspect.isfunction(function):
            raise InputError(f"stage: expected {_KINDS}, got {function!r}")
        return Stage(
            name or function.__name__,
            phase,
            reads=reads,
            writes=writes,
            adds=adds,
            every=every,
            function=function,
            memory=memory,
            params=params,
        )

    return made


_COMPILING = threading.Lock()


@cache
def _machine_code(function: Callable[..., Any], name: str) -> Any:
    """Machine code of a user's stage. An error in it is a code."""
    try:
        inner = numba.njit(STAGE_SIGNATURE, boundscheck=True)(function)

        def guarded(t, board, where, memory, params):
            try:
                return inner(t, board, where, memory, params)
            except Exception:
                return RAISED

        return numba.cfunc(STAGE_SIGNATURE)(guarded)
    except Exception as error:
        raise InputError(
            f"stage {name!r}: numba cannot compile {function.__name__}: {why_not_compiled(error)}; "
            "it must be plain numeric code that returns 0"
        ) from error


def _is_compiled(stage: Stage) -> bool:
    """Whether its function is of the compiled kind."""
    if stage.function is None:
        if type(stage).run is Stage.run:
            raise InputError(f"stage {stage.name!r}: expected {_KINDS}, or a subclass with a method run(board, t)")
        return False
    arguments = tuple(inspect.signature(stage.function).parameters)
    if len(arguments) not in (len(_PYTHON), len(_COMPILED)):
        shown = f"{stage.function.__name__}({', '.join(arguments)})"
        raise InputError(f"stage {stage.name!r}: expected {_KINDS}, got {shown}")
    return len(arguments) == len(_COMPILED)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"name: expected the name of a stage, got {name!r}")
    return name


def _items(stage: str, what: str, items: Any) -> tuple[str | Value, ...]:
    """Names or Values, each once."""
    if isinstance(items, str | Value) or not isinstance(items, Iterable):
        raise InputError(f"stage {stage!r}: {what}: expected a tuple of names or Values, got {items!r}")
    items = tuple(items)
    for item in items:
        if not isinstance(item, str | Value):
            raise InputError(f"stage {stage!r}: {what}: expected a tuple of names or Values, got {item!r} in it")
    names = names_of(items)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"stage {stage!r}: {what}: {name!r} stands there twice")
    return items


def _whole(name: str, value: Any, least: int) -> int:
    number = checks.number(name, value, at_least=least, at_most=_MOST)
    if number != np.floor(number):
        raise InputError(f"{name}: expected a whole number, got {value!r}")
    return int(number)
