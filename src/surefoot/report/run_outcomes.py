"""How a trace ended, as the page shows it: four kinds with a letter and a colour each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Kind:
    """One way to end.

    Attributes:
        key: its name in the page's style sheet.
        letter: as in [Zapolsky2017]; "B" is ours.
        word: what it is called.
        outcomes: the outcomes of a `Result` that belong to it.
        colour: on light and on dark ground alike.
        means: what it is, in a sentence.
    """

    key: str
    letter: str
    word: str
    outcomes: tuple[str, ...]
    colour: str
    means: str


KINDS = (
    Kind("success", "S", "success", ("success",), "#1a9b78", "kept every requirement and met the objective"),
    Kind("known", "K", "known failure", ("known failure",), "#e0532f", "violated a requirement, which ended the trace"),
    Kind("unknown", "U", "unknown failure", ("unknown failure",), "#c98a00", "missed the objective at the end"),
    Kind("broken", "B", "broken", ("broken", "crashed", "hung"), "#8b95a1", "gave no answer: broken, crashed or hung"),
)
SUCCESS, KNOWN, UNKNOWN, BROKEN = KINDS
_KIND = {outcome: k for k, kind in enumerate(KINDS) for outcome in kind.outcomes}


def kinds(outcomes: NDArray[np.str_]) -> NDArray[np.int64]:
    """(n,) places in `KINDS` of (n,) outcomes; one that is not known counts as broken."""
    return np.array([_KIND.get(str(outcome), len(KINDS) - 1) for outcome in outcomes], dtype=np.int64)


def counts(outcomes: NDArray[np.str_]) -> list[int]:
    """How many of (n,) outcomes are of each of `KINDS`."""
    return np.bincount(kinds(outcomes), minlength=len(KINDS)).tolist()
