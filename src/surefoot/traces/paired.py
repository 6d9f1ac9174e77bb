"""Policies against each other on the same particles: who wins where the other loses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtri

from surefoot.errors import InputError
from surefoot.traces.rates import edge


@dataclass(frozen=True)
class Paired:
    """Two policies on the same n particles.

    Attributes:
        n: number of particles that both met.
        only_a: how many of them a alone masters.
        only_b: how many of them b alone masters.
        p: probability of a split as uneven as this, or more, if neither were better (exact test of [McNemar1947]).
        difference: rate of a minus rate of b (NaN without particles).
        low: lower end of its 95 % interval (score interval of [Tango1998]).
        high: upper end.
    """

    n: int
    only_a: int
    only_b: int
    p: float
    difference: float
    low: float
    high: float

    def __str__(self) -> str:
        ends = f"{100 * self.low:+.1f} to {100 * self.high:+.1f}"
        return f"{100 * self.difference:+.1f} points ({ends}), {self.only_a} against {self.only_b}, p = {self.p:.2g}"


@dataclass(frozen=True)
class Comparison:
    """Two of several policies.

    Attributes:
        a: name of the first.
        b: name of the second.
        paired: how they did.
        p: the p-value made larger for the number of pairs that were compared ([Holm1979]).
    """

    a: str
    b: str
    paired: Paired
    p: float

    def __str__(self) -> str:
        split = f"{self.paired.only_a} against {self.paired.only_b}"
        if self.p >= 0.05:
            return f"{self.a} and {self.b} do not differ by more than chance ({split}, p = {self.p:.2g})."
        better, worse = (self.a, self.b) if self.paired.difference > 0 else (self.b, self.a)
        least, most = sorted((abs(self.paired.low), abs(self.paired.high)))
        points = f"{100 * abs(self.paired.difference):.1f} points ({100 * least:.1f} to {100 * most:.1f})"
        return f"{better} beats {worse} by {points}, p = {self.p:.2g}."


def paired(a: Any, b: Any) -> Paired:
    """Compare two policies by their successes, (n,) true or false, over the same particles in the same order."""
    a, b = successes("a", a), successes("b", b)
    if len(a) != len(b):
        raise InputError(f"b: expected {len(a)} outcomes, one for each of a's particles, got {len(b)}")
    n, only_a, only_b = len(a), int((a & ~b).sum()), int((b & ~a).sum())
    split = only_a + only_b
    p = min(1.0, 2.0 * float(bdtr(min(only_a, only_b), split, 0.5))) if split else 1.0
    low, high = tango(only_a, only_b, n)
    return Paired(n, only_a, only_b, p, (only_a - only_b) / n if n else math.nan, low, high)


def compare(outcomes: Mapping[str, Any]) -> list[Comparison]:
    """Every pair of policies, in order; `outcomes` has each one's successes over the same particles."""
    names = list(outcomes)
    found = [(a, b, paired(outcomes[a], outcomes[b])) for a, b in combinations(names, 2)]
    adjusted = holm([each.p for _, _, each in found])
    return [Comparison(a, b, each, float(p)) for (a, b, each), p in zip(found, adjusted, strict=True)]


def tango(only_a: int, only_b: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two rates over the same n particles, from where they differ ([Tango1998]).

    It holds every difference d whose score statistic is below the normal quantile; the rate of b alone under d is the
    positive root of a quadratic equation.
    """
    if n == 0:
        return -1.0, 1.0
    z2 = float(ndtri(0.5 + 0.5 * confidence)) ** 2
    observed = (only_a - only_b) / n

    def stays(d: float) -> bool:
        half = 0.5 * (-only_a - only_b + (2 * n - only_a + only_b) * d)
        alone_b = (math.sqrt(half * half + 2 * n * only_b * d * (1.0 - d)) - half) / (2 * n)
        variance = n * (2.0 * alone_b + d * (1.0 - d))
        return (only_a - only_b - n * d) ** 2 <= z2 * variance

    low = -1.0 if only_b == n else edge(stays, observed, -1.0)
    high = 1.0 if only_a == n else edge(stays, observed, 1.0)
    return low, high


def holm(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """P-values of several tests, enlarged so that any at all is falsely small as seldom as one alone ([Holm1979]).

    NaN (a test that could not be made) stays and is not counted.
    """
    p = np.array(p_values, dtype=np.float64)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    p[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return p


def successes(name: str, value: Any) -> NDArray[np.bool_]:
    """Return `value` as an (n,) array of true and false; whole numbers 0 and 1 will do."""
    result = np.asarray(value)
    if result.ndim != 1:
        raise InputError(f"{name}: expected shape (any,), got {result.shape}")
    if result.size and result.dtype.kind != "b" and not np.isin(result, (0, 1)).all():
        raise InputError(f"{name}: expected true or false for each particle, got {result.dtype} numbers or texts")
    return result.astype(bool)
