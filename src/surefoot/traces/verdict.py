"""What the traces say of a policy, in a word and a sentence with the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surefoot.errors import InputError
from surefoot.traces.rates import Rate, percent

WORDS = ("robust", "unpredictable", "brittle", "fails", "untested")
ROBUST = 0.9
FAILS = 0.1
NOTABLE = 0.05


@dataclass(frozen=True)
class Verdict:
    """A policy in a word.

    Attributes:
        word: one of `WORDS`.
        because: one sentence with the numbers.
    """

    word: str
    because: str

    def __str__(self) -> str:
        return f"{self.word}: {self.because}"


def verdict(
    successes: int,
    n: int,
    behaviours: Mapping[Any, int] | Sequence[int] = (),
    decides: str = "",
    *,
    looked: bool = False,
) -> Verdict:
    """Judge a policy from its successes in n traces and its behaviours.

    - robust: the 95 % interval of its rate of success lies wholly at or above 0.9, and it behaves in one way.
    - unpredictable: the same interval, but two or more behaviours are each seen in more than 5 % of the traces.
    - fails: the interval lies wholly at or below 0.1.
    - brittle: all else; if the traces are too few to tell, the sentence says so.
    - untested: there are no traces.

    Args:
        successes: number of traces that succeeded.
        n: number of traces.
        behaviours: how many traces show each behaviour, such as ending in one of two clouds.
        decides: name of the parameter that decides, if one is known.
        looked: whether the run could stop early; then the interval is one that holds at every look.
    """
    rate = Rate(successes, n, looked=looked)
    seen = list(behaviours.values()) if isinstance(behaviours, Mapping) else list(behaviours)
    if any(count < 0 for count in seen):
        raise InputError(f"behaviours: expected counts of at least 0, got {min(seen)}")
    if n == 0:
        return Verdict("untested", "No trace was run.")
    notable = sorted((count / sum(seen) for count in seen if count > NOTABLE * sum(seen)), reverse=True)
    text = f"{successes} of {n} traces succeed, {percent(rate.rate)} % ({percent(rate.low)} to {percent(rate.high)} %)"
    if rate.low >= ROBUST and len(notable) > 1:
        shares = ", ".join(percent(share) for share in notable[:4]) + (", ..." if len(notable) > 4 else "")
        word, text = "unpredictable", f"{text}, but in {len(notable)} different ways ({shares} % of the traces)"
    elif rate.low >= ROBUST:
        word, text = "robust", f"{text}, in one way" if seen else text
    elif rate.high <= FAILS:
        word = "fails"
    else:
        word, text = "brittle", text + _doubt(rate)
    if decides and word != "robust":
        text = f"{text}; {decides} decides"
    return Verdict(word, f"{text}.")


def _doubt(rate: Rate) -> str:
    """What the interval leaves open, as the end of a sentence."""
    if rate.low < FAILS and rate.high > ROBUST:
        return ": too few traces to tell"
    if rate.high > ROBUST:
        return f": too few traces to call it robust (that needs {100 * ROBUST:.0f} % at the lower end)"
    if rate.low < FAILS:
        return f": too few traces to say that it fails (that needs {100 * FAILS:.0f} % at the upper end)"
    return ""
