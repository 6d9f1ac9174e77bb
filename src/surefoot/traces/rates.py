"""Rates of success with their uncertainty: one look at the end, or a look after every trace."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from surefoot import checks
from surefoot.errors import InputError


@dataclass(frozen=True)
class Rate:
    """How often something happened, with its interval: Wilson's, or one that holds at every look.

    Attributes:
        successes: how often it happened.
        n: how often it was tried.
        confidence: of the interval, between 0 and 1.
        looked: whether one may have stopped at a number of one's liking; then the interval is that of `sequence`.
    """

    successes: int
    n: int
    confidence: float = 0.95
    looked: bool = False

    def __post_init__(self) -> None:
        """Check the counts."""
        wilson(self.successes, self.n, self.confidence)

    @property
    def rate(self) -> float:
        """Share of successes, NaN without a trial."""
        return self.successes / self.n if self.n else math.nan

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self._ends()[0]

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self._ends()[1]

    def _ends(self) -> tuple[float, float]:
        if self.looked:
            return sequence(self.successes, self.n, 1.0 - self.confidence)
        return wilson(self.successes, self.n, self.confidence)

    def __str__(self) -> str:
        if not self.n:
            return "0 of 0"
        return f"{self.successes} of {self.n}: {percent(self.rate)} % ({percent(self.low)} to {percent(self.high)} %)"


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of a rate from `successes` out of `n`: the score interval of [Wilson1927], (0, 1) for n = 0.

    Valid for one look, decided on beforehand; see `sequence` for many.
    """
    successes, n = counts(successes, n)
    z = ndtri(0.5 + 0.5 * _share("confidence", confidence))
    if n == 0:
        return 0.0, 1.0
    rate, extra = successes / n, z * z / n
    middle = (rate + 0.5 * extra) / (1.0 + extra)
    half = math.sqrt(rate * (1.0 - rate) * extra + 0.25 * extra * extra) / (1.0 + extra)
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return low, high


def sequence(successes: int, n: int, alpha: float = 0.05) -> tuple[float, float]:
    """Interval of a rate that holds at every n at once, with probability at least 1 - alpha.

    One may look after every trace and stop when one likes. All rates p are kept that the mixture of likelihood ratios
    over a Beta(1/2, 1/2) has not yet beaten 1 / alpha times: this ratio is a martingale under the true p, so that it
    ever gets there with probability alpha at most ([Ville1939], [Robbins1970], [Howard2021]).
    """
    successes, n = counts(successes, n)
    failures = n - successes
    limit = -math.log(_share("alpha", alpha))
    mixture = _log_beta(successes + 0.5, failures + 0.5) - _log_beta(0.5, 0.5)

    def stays(rate: float) -> bool:
        if (successes and rate <= 0.0) or (failures and rate >= 1.0):
            return False
        likelihood = successes * math.log(rate) if successes else 0.0
        likelihood += failures * math.log1p(-rate) if failures else 0.0
        return mixture - likelihood < limit

    if n == 0:
        return 0.0, 1.0
    low = 0.0 if successes == 0 else edge(stays, successes / n, 0.0)
    high = 1.0 if failures == 0 else edge(stays, successes / n, 1.0)
    return low, high


def edge(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """The number between `inside`, where `holds` is true, and `outside`, where it is not, from which on it is false."""
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside) or abs(outside - inside) < 1e-15:
            return outside
        if holds(middle):
            inside = middle
        else:
            outside = middle


def counts(successes: Any, n: Any) -> tuple[int, int]:
    """Return both as whole numbers, 0 <= successes <= n."""
    for name, value in (("n", n), ("successes", successes)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
            raise InputError(f"{name}: expected a whole number of at least 0, got {value!r}")
    if successes > n:
        raise InputError(f"successes: expected a whole number from 0 to {n}, got {successes}")
    return int(successes), int(n)


def percent(share: float) -> str:
    """A share in per cent with one decimal; 0 and 100 stand for nothing and everything only."""
    if 0.0 < share < 0.0005:
        return "<0.1"
    if 0.9995 <= share < 1.0:
        return ">99.9"
    return f"{100.0 * share:.1f}" if 0.0 < share < 1.0 else f"{100.0 * share:.0f}"


def _share(name: str, value: Any) -> float:
    """A number between 0 and 1, both left out."""
    result = checks.number(name, value)
    if not 0.0 < result < 1.0:
        raise InputError(f"{name}: expected a number between 0 and 1, got {result:g}")
    return result


def _log_beta(a: float, b: float) -> float:
    """Logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
