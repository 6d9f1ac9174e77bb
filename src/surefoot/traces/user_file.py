"""Functions of the user's own Python files, by path and name, so that other processes can find them too."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.span import Array, Span
from surefoot.traces.witness import Witness, as_witness


@dataclass(frozen=True)
class UserFunction:
    """A function in a file.

    Attributes:
        path: of the file.
        name: of the function.
    """

    path: str
    name: str

    def load(self) -> Any:
        """The function."""
        module = _module(self.path)
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        checks.indices("function", [self.name], known, f"function of {Path(self.path).name}")
        return getattr(module, self.name)

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        return self.load()(*arguments)


@dataclass(frozen=True)
class UserWitness:
    """A witness in a file: a function of a Span, or one made with `@sf.witness`.

    Attributes:
        function: where it is.
    """

    function: UserFunction

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.function.name

    def values(self, span: Span) -> Array:
        """(n,)."""
        return self._witness.values(span)

    @property
    def _witness(self) -> Witness:
        return _witness_of(self.function)


@cache
def _witness_of(function: UserFunction) -> Witness:
    return as_witness("function", function.load())


@cache
def _module(path: str) -> Any:
    file = Path(path)
    spec = importlib.util.spec_from_file_location(f"surefoot_user_{file.stem}", file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise InputError(f"function: no file is called {file.name!r} beside the scenario")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"function: {file.name} raised {type(error).__name__}: {error}") from None
    return module
