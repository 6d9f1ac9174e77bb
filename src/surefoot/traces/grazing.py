"""Grazing bifurcations: where behaviour changes from one way to another, and which direction in the parameters decides.

A trace that just misses an impact and one that just makes it can end far apart, though neither fails ([Zapolsky2017],
section 3.6.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.paired import successes
from surefoot.traces.sensitivity import Influence, ranking

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Graze:
    """Where a behaviour changes.

    Attributes:
        low: the last number at which the behaviour is still `before`.
        high: the next at which it is `after`; not farther from `low` than asked for, unless floats lie no closer.
        before: behaviour at `low`.
        after: behaviour at `high`.
        evaluations: number of traces that it took.
        others: further brackets (low, high) in which the behaviour was seen to change, not narrowed.
    """

    low: float
    high: float
    before: Hashable
    after: Hashable
    evaluations: int
    others: tuple[tuple[float, float], ...]

    @property
    def value(self) -> float:
        """The middle between both ends."""
        return self.low + 0.5 * (self.high - self.low)

    def __str__(self) -> str:
        text = f"between {self.low:.9g} and {self.high:.9g}"
        if not self.others:
            return text
        return f"{text}; behaviour changes again in {len(self.others)} other place{'s'[: len(self.others) > 1]}"


def bisect(
    flips: Callable[[float], Hashable], a: float, b: float, tolerance: float = 1e-6, looks: int = 7
) -> Graze | None:
    """Find where a behaviour changes between a and b, by halving; None if it never does.

    The behaviour is first looked at in `looks` places between a and b, so that more than one change is noticed; the
    first change from a on is narrowed down.

    Args:
        flips: behaviour at a number; anything that can be compared, as a signature or an outcome.
        a: one end.
        b: the other end, larger or smaller than a.
        tolerance: how near both sides of the change shall be.
        looks: places between the ends.
    """
    a, b = checks.number("a", a), checks.number("b", b)
    checks.number("tolerance", tolerance, above=0.0)
    if looks != checks.number("looks", looks, at_least=0.0) // 1:
        raise InputError(f"looks: expected a whole number, got {looks:g}")
    places = [float(x) for x in np.linspace(a, b, int(looks) + 2)]
    seen = [flips(x) for x in places]
    changes = [k for k in range(len(places) - 1) if seen[k] != seen[k + 1]]
    if not changes:
        return None
    others = [(places[k], places[k + 1]) for k in changes[1:]]
    x, y = places[changes[0]], places[changes[0] + 1]
    before, after = seen[changes[0]], seen[changes[0] + 1]
    evaluations = len(places)
    while abs(y - x) > tolerance:
        middle = x + 0.5 * (y - x)
        if middle in (x, y):
            break
        here = flips(middle)
        evaluations += 1
        if here == before:
            x = middle
        else:
            if here != after:
                others.append((middle, y))
            y, after = middle, here
    if x > y:
        x, y, before, after = y, x, after, before
        others = [(high, low) for low, high in others]
    return Graze(x, y, before, after, evaluations, tuple(sorted(others)))


@dataclass(frozen=True)
class Direction:
    """The direction in the scores of the parameters along which two behaviours lie apart.

    Attributes:
        vector: (parameters,) of length 1, from the first behaviour (false) to the second (true); zero if there is none.
        names: of the parameters, the largest share in the direction first.
        shares: (parameters,) share of each in that order; they add up to 1.
        correct: share of the traces whose behaviour the direction tells right when fitted without them; NaN if there
            are fewer than two traces of either behaviour.
    """

    vector: Array
    names: tuple[str, ...]
    shares: tuple[float, ...]
    correct: float


def direction(Z: Any, labels: Any, names: Sequence[str]) -> Direction:
    """The linear discriminant of two behaviours ([Fisher1936]), from fewer traces than parameters if need be.

    Only parameters enter whose means differ by more than the largest of as many chances would ([Donoho1994]), or all if
    none does; the covariance within the behaviours is drawn to the unit matrix as far as its own uncertainty asks
    ([LedoitWolf2004]).

    Args:
        Z: (particles, parameters) standard-normal scores.
        labels: (particles,) true or false: which of two behaviours each shows.
        names: of the parameters.
    """
    Z, second = checks.array("Z", Z, (None, len(names))), successes("labels", labels)
    if len(second) != len(Z):
        raise InputError(f"labels: expected {len(Z)} values, one for each particle, got {len(second)}")
    vector, _ = _discriminant(Z, second)
    shares = vector**2
    order = np.argsort(-shares, kind="stable")
    return Direction(vector, tuple(names[int(k)] for k in order), tuple(shares[order].tolist()), _correct(Z, second))


def deciding(Z: Any, labels: Any, names: Sequence[str], level: float = 0.05) -> Influence | None:
    """The one parameter that most surely decides between two behaviours; None if none does so beyond chance."""
    found = ranking(Z, successes("labels", labels), names)
    return found[0] if found and found[0].p < level else None


def _discriminant(Z: Array, second: NDArray[np.bool_]) -> tuple[Array, float]:
    """Unit vector and the threshold along it; zeros unless both behaviours occur."""
    vector = np.zeros(Z.shape[1])
    if second.all() or not second.any():
        return vector, 0.0
    means = Z[~second].mean(axis=0), Z[second].mean(axis=0)
    apart = means[1] - means[0]
    within = Z - np.where(second[:, None], means[1], means[0])
    chance = within.std(axis=0) * math.sqrt(1.0 / second.sum() + 1.0 / (~second).sum())
    enter = np.abs(apart) > chance * math.sqrt(2.0 * math.log(max(2, len(apart))))
    enter = enter if enter.any() else np.ones(len(apart), dtype=bool)
    vector[enter] = np.linalg.solve(_shrunk(within[:, enter]), apart[enter])
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        return vector, 0.0
    return vector / length, float((means[0] + means[1]) @ vector) / (2.0 * length)


def _shrunk(within: Array) -> Array:
    """Covariance of rows with mean zero, drawn to a multiple of the unit matrix ([LedoitWolf2004])."""
    n, size = within.shape
    covariance = within.T @ within / n
    level = max(float(np.trace(covariance)) / size, 1e-12)
    away = float(((covariance - level * np.eye(size)) ** 2).sum())
    noise = float(((within**2).sum(axis=1) ** 2).sum() / n - (covariance**2).sum()) / n
    share = 1.0 if away == 0.0 else min(1.0, max(noise / away, 1e-6))
    return (1.0 - share) * covariance + share * level * np.eye(size)


def _correct(Z: Array, second: NDArray[np.bool_]) -> float:
    """Share of rows told right by the discriminant of the others, in at most five folds that each hold both kinds."""
    least = min(int(second.sum()), int((~second).sum()))
    if least < 2:
        return math.nan
    folds = min(5, least)
    fold = np.empty(len(Z), dtype=int)
    for kind in (False, True):
        rows = np.flatnonzero(second == kind)
        fold[rows] = np.arange(len(rows)) % folds
    right = 0.0
    for k in range(folds):
        vector, threshold = _discriminant(Z[fold != k], second[fold != k])
        told = Z[fold == k] @ vector > threshold
        right += float((told == second[fold == k]).sum())
    return right / len(Z)
