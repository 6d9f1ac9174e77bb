"""Checks at the door: each names the argument, what was expected, and what came."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError


def array(name: str, value: Any, shape: tuple[int | None, ...], *, finite: bool = True) -> NDArray[np.float64]:
    """Return `value` as a contiguous float64 array of `shape` (None: any length along that axis)."""
    try:
        given = np.asarray(value)
        if value is None or given.dtype.kind not in "biufO":
            raise TypeError
        result = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: expected an array of numbers, got {type(value).__name__}") from None
    if given.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, given.shape, strict=False)):
        wanted = ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "")
        raise InputError(f"{name}: expected shape ({wanted}), got {given.shape}")
    if finite and not np.isfinite(result).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        index = str(where[0]) if len(where) == 1 else str(where)
        raise InputError(f"{name}: expected finite numbers, got {result[where]} at index {index}")
    return result


def dimensions(name: str, value: Any) -> int:
    """Return how many axes `value` has as an array: 0 for one number; refuses lists of different lengths."""
    try:
        return np.ndim(value)
    except ValueError:
        raise InputError(f"{name}: expected an array of numbers, got rows of different lengths") from None


def number(
    name: str, value: Any, *, above: float | None = None, at_least: float | None = None, at_most: float | None = None
) -> float:
    """Return `value` as a finite float within bounds (see `friction` for the one number that may be infinite)."""
    if not _is_number(value) or not math.isfinite(float(value)):
        raise InputError(f"{name}: expected a finite number, got {value!r}")
    if above is not None and not value > above:
        raise InputError(f"{name}: expected a number above {above:g}, got {value:g}")
    if at_least is not None and not value >= at_least:
        raise InputError(f"{name}: expected a number of at least {at_least:g}, got {value:g}")
    if at_most is not None and not value <= at_most:
        raise InputError(f"{name}: expected a number of at most {at_most:g}, got {value:g}")
    return float(value)


def whole(name: str, value: Any, *, at_least: int = 0) -> int:
    """Return `value` as a whole number of at least `at_least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < at_least:
        raise InputError(f"{name}: expected a whole number of at least {at_least}, got {value!r}")
    return int(value)


def friction(name: str, value: Any) -> float:
    """Return a friction coefficient: zero, positive, or infinite."""
    if not _is_number(value) or np.isnan(float(value)) or value < 0:
        raise InputError(f"{name}: expected a friction coefficient of at least 0 (inf allowed), got {value!r}")
    return float(value)


def choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return `value` if it is one of `choices`."""
    choices = list(choices)
    if isinstance(value, np.ndarray) or value not in choices:
        raise InputError(f"{name}: {_not_one_of(value, choices)}")
    return value


def indices(name: str, names: Iterable[str], known: Sequence[str], what: str) -> list[int]:
    """Return the positions of `names` in `known`; `what` says what they are ("joint", "foot")."""
    known = list(known)
    result = []
    for item in names:
        if item not in known:
            raise InputError(f"{name}: no {what} is called {item!r}{_hint(item, known)}")
        result.append(known.index(item))
    return result


def toml(file: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{file}: not readable as TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{file}: not readable as TOML: nested too deeply") from None


@contextmanager
def told(where: str) -> Iterator[None]:
    """Put `where` in front of the text of an InputError from within."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}{error}") from None


def _is_number(value: Any) -> bool:
    """Whether it is a real number that a float can hold (infinities and NaN are left to the caller)."""
    if type(value) is float:
        return True
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return isinstance(value, float | np.floating) or abs(int(value)) < 10**300


def _not_one_of(value: Any, choices: Sequence[Any]) -> str:
    return f"expected one of {', '.join(map(repr, choices))}, got {value!r}"


def _hint(item: Any, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(item), known, n=1)
    start = f"; did you mean {near[0]!r}?" if near else ";"
    listed = ", ".join(known[:30]) + (", ..." if len(known) > 30 else "")
    return f"{start} The choices are: {listed}" if listed else f"{start} There are none"
