"""Functions of the user's own Python files, by path and name, so that other processes can find them too."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
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
        known = [key for key, value in vars(module).items() if callable(value) or isinstance(value, Witness)]
        known = [key for key in known if not key.startswith("_")]
        checks.indices("function", [self.name], known, f"function of {Path(self.path).name}")
        return getattr(module, self.name)

    def digest(self) -> str:
        """A text that changes with the content of the file."""
        return blake2b(_read(Path(self.path)), digest_size=8).hexdigest()

    def __call__(self, *arguments: Any) -> Any:
        """Call it; what it raises becomes an InputError that says where."""
        function = self.load()
        with _blamed(self.path, self.name):
            return function(*arguments)


@dataclass(frozen=True)
class UserWitness:
    """A witness in a file: a function of a Span, or one made with `@sf.witness`.

    Attributes:
        function: where it is.
    """

    function: UserFunction

    def load(self) -> Witness:
        """The witness."""
        return _witness_of(self.function)

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.function.name

    def values(self, span: Span) -> Array:
        """(n,)."""
        witness = self.load()
        with _blamed(self.function.path, self.name):
            return witness.values(span)


@cache
def _witness_of(function: UserFunction) -> Witness:
    return as_witness("function", function.load())


@cache
def _module(path: str) -> Any:
    """The module of a file, run once in each process; it is known to Python by a name of its own."""
    file = Path(path)
    source = _read(file)
    name = f"surefoot_user_{blake2b(path.encode(errors='surrogateescape'), digest_size=8).hexdigest()}"
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module  # dataclasses and pickles look there
    try:
        with _blamed(path, "reading it"):
            exec(compile(source, path, "exec"), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _read(file: Path) -> bytes:
    if not file.is_file():
        raise InputError(f"function: no file is called {file.name!r} beside the scenario")
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"function: {file.name} cannot be read: {error.strerror}") from None


@contextmanager
def _blamed(path: str, name: str) -> Iterator[None]:
    """Say in one line what the user's code raised, and where."""
    try:
        yield
    except InputError:  # it says itself what is wrong
        raise
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        lines = [error.lineno] if isinstance(error, SyntaxError) else lines
        where = f" in line {lines[-1]}" if lines else ""
        told = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        raise InputError(f"function: {Path(path).name}: {name} raised {told}{where}") from error
