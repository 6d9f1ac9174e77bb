"""What a designer may say to a suggested change: accept, scale, zero a parameter, symmetrise, undo, quit.

accept                 take it as it is now
scale 0.5              make all of it half as large, and ask again
zero NAME              leave a parameter alone, and ask again
symmetrise NAME        give front and hind the mean of their changes, and ask again
motor PATTERN NAME     fit another motor of the catalogue, and look again
undo                   take the last update back, and look again
quit                   stop here
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.design.history import Step
from surefoot.design.motors import CATALOGUE
from surefoot.errors import InputError

Array = NDArray[np.float64]
VERBS = {"accept": 0, "scale": 1, "zero": 1, "symmetrise": 1, "motor": 2, "undo": 0, "quit": 0}
SIDES = ("front", "hind")
Ask = Callable[[Step], str]
"""A function of the step so far, with its suggestion, that returns one answer."""


@dataclass(frozen=True)
class Said:
    """An answer, understood.

    Attributes:
        verb: one of VERBS.
        words: what follows it.
        text: as it was said.
    """

    verb: str
    words: tuple[str, ...]
    text: str


def understood(text: str, names: tuple[str, ...]) -> Said:
    """Take an answer apart.

    Args:
        text: such as "scale 0.5".
        names: of the parameters.

    Raises:
        InputError: it is none of those above; the text says what is wrong.
    """
    if not isinstance(text, str):
        raise InputError(f"answer: expected a text such as 'accept', got {text!r}")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"answer {text!r}: {error}") from None
    if not words or words[0] not in VERBS:
        raise InputError(f"answer {text!r}: expected one of {', '.join(VERBS)}")
    verb, rest = words[0], words[1:]
    if verb in ("zero", "symmetrise"):
        rest = [" ".join(rest)] if rest else []
    if verb == "motor" and len(rest) > 2:
        rest = [rest[0], " ".join(rest[1:])]
    if len(rest) != VERBS[verb]:
        wanted = {0: "nothing", 1: "one thing", 2: "two things"}[VERBS[verb]]
        raise InputError(f"answer {text!r}: expected {wanted} after {verb!r}, got {len(rest)}")
    if verb == "scale":
        try:
            factor = float(rest[0])
        except ValueError:
            raise InputError(f"answer {text!r}: expected a number after 'scale', got {rest[0]!r}") from None
        checks.number(f"answer {text!r}: scale", factor, above=0.0, at_most=10.0)
    if verb in ("zero", "symmetrise"):
        checks.indices(f"answer {text!r}", rest, names, "parameter")
    if verb == "symmetrise":
        counterpart(rest[0], names)
    if verb == "motor":
        checks.choice(f"answer {text!r}: motor", rest[1], CATALOGUE)
    return Said(verb, tuple(rest), text.strip())


def counterpart(name: str, names: tuple[str, ...]) -> str:
    """The same parameter of the other end: "hind thigh length" for "front thigh length".

    Raises:
        InputError: there is none.
    """
    for one, other in (SIDES, SIDES[::-1]):
        if one in name.split():
            found = " ".join(other if word == one else word for word in name.split())
            if found in names:
                return found
    raise InputError(f"symmetrise: {name!r} has no counterpart at the other end of the robot")


def changed(change: Array, said: Said, names: tuple[str, ...]) -> Array:
    """A suggested change (m,) after "scale", "zero" or "symmetrise"."""
    change = change.copy()
    if said.verb == "scale":
        return change * float(said.words[0])
    k = names.index(said.words[0])
    if said.verb == "zero":
        change[k] = 0.0
    else:
        j = names.index(counterpart(said.words[0], names))
        change[k] = change[j] = 0.5 * (change[k] + change[j])
    return change


def script(lines: Iterable[str]) -> Ask:
    """Answers from a list, one after the other; empty lines and what follows a # are passed over.

    When it has no more it says quit.
    """
    if isinstance(lines, str) or not isinstance(lines, Iterable):
        raise InputError(f"script: expected a list of answers, got {lines!r}")
    lines = list(lines)
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise InputError(f"script: line {number}: expected a text such as 'accept', got {line!r}")
    rest: Iterator[str] = iter([text for line in lines if (text := line.partition("#")[0].strip())])
    return lambda step: next(rest, "quit")


def read_script(path: str | Path, names: tuple[str, ...]) -> Ask:
    """A script from a file, each line checked beforehand.

    Args:
        path: of the file.
        names: of the parameters.

    Raises:
        InputError: it cannot be read, or a line is no answer.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, TypeError) as error:
        raise InputError(f"script: {str(path)!r} cannot be read: {getattr(error, 'strerror', error)}") from None
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text:
            with checks.told(f"script: line {number}: "):
                understood(text, names)
    return script(lines)


def accept(_: Any) -> str:
    """Whoever takes everything."""
    return "accept"
