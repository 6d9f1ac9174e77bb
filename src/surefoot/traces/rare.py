"""Rare failures found on purpose: subset simulation in the space of the standard-normal scores of the parameters.

The failure is reached through a chain of milder events, each about ten times as rare as the one before: the particles
with the least margins are kept and multiplied by random moves that stay below the margin reached ([Au2001]). A move
keeps the normal distribution of all parameters, however many ([Cotter2013], [Papaioannou2015]). What the margin does
not lead to can be missed: a failure behind a margin that first grows, or of another kind than the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, ndtri, polygamma

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.rates import wilson

Array = NDArray[np.float64]
Score = Callable[[list[Array]], Sequence[float]]
ACCEPTED = 0.44
NEIGHBOURS = 0.3
PLAIN = "Wilson interval of a plain sample"
SUBSET = "log-normal interval of a product of beta-distributed shares, one for each level"


@dataclass(frozen=True)
class Rare:
    """A rare failure.

    Attributes:
        probability: estimate of the probability of failure, 0 if none was found.
        low: lower end of its 95 % interval.
        high: upper end.
        method: of the interval, in words.
        failures: (dimension,) scores of every failure that was met, in the order met.
        evaluations: number of traces that it took.
        missing: how many of them gave no margin (NaN); they count as no failure.
        levels: the margins at which the levels were cut.
        near: (n, dimension) scores of the last level's particles, all as near to failure as it got; of the failures
            alone if the first level was the last.
    """

    probability: float
    low: float
    high: float
    method: str
    failures: list[Array]
    evaluations: int
    missing: int
    levels: list[float]
    near: Array


@dataclass(frozen=True)
class Pull:
    """How far failure pulls a parameter from where it usually is.

    Attributes:
        name: of the parameter.
        size: root mean square of its standard-normal score near failure; 1 if failure does not care.
        mean: mean of the same, above 0 if large values fail, near 0 if both ends do.
    """

    name: str
    size: float
    mean: float


def pulls(rare: Rare, names: Sequence[str]) -> list[Pull]:
    """All parameters, the one that failure pulls farthest first; empty if nothing near failure was found."""
    if len(names) != rare.near.shape[1]:
        raise InputError(f"names: expected {rare.near.shape[1]} names, one for each parameter, got {len(names)}")
    if not len(rare.near):
        return []
    sizes, means = np.sqrt((rare.near**2).mean(axis=0)), rare.near.mean(axis=0)
    order = np.argsort(-sizes, kind="stable")
    return [Pull(names[int(k)], float(sizes[k]), float(means[k])) for k in order]


def subset_simulation(
    score: Score, dimension: int, *, seed: int, per_level: int = 100, p0: float = 0.1, most: int = 500
) -> Rare:
    """Estimate how often `score` is negative when its arguments are standard normal, and find examples.

    Args:
        score: margins of a list of (dimension,) vectors z, as many numbers; below 0 is a failure.
        dimension: number of parameters.
        seed: same seed, same answer.
        per_level: particles of each level.
        p0: share of a level that seeds the next.
        most: number of scores that may be asked for.
    """
    search = _Search(score, np.random.default_rng(_whole("seed", seed, 0)), _whole("most", most, 1))
    dimension, size = _whole("dimension", dimension, 1), min(_whole("per_level", per_level, 2), search.most)
    if not 0.0 < checks.number("p0", p0) <= 0.5:
        raise InputError(f"p0: expected a number above 0 and at most 0.5, got {p0:g}")
    seeds = max(1, round(p0 * size))
    z = search.rng.standard_normal((size, dimension))
    margins = search.ask(z)
    while margins.min() == margins.max() >= 0.0 and search.left >= size:  # nothing shows the way: look farther
        z = np.concatenate([z, search.rng.standard_normal((size, dimension))])
        margins = np.concatenate([margins, search.ask(z[-size:])])
    chains = np.arange(len(z))
    passed: list[tuple[float, float]] = []  # successes and trials of each level, as if they were independent
    levels: list[float] = []
    step = 0.6
    while True:
        limit = _cut(margins, seeds)
        last = limit <= 0.0 or limit == math.inf or search.left < size - int((margins < limit).sum())
        inside = margins < (0.0 if last else limit)
        worth = 1.0 / (1.0 + _correlation(inside, chains))
        passed.append((worth * int(inside.sum()), worth * len(z)))
        if last:
            break
        levels.append(limit)
        z, margins, chains, step = search.move(z[inside], margins[inside], limit, size, step)
    probability = math.prod(good / n for good, n in passed)
    low, high = _interval(passed, len(z))
    near = z[inside] if not levels else z
    method = SUBSET if levels else PLAIN
    return Rare(probability, low, high, method, search.failures, search.asked, search.missing, levels, near)


class _Search:
    """Asks for scores and counts them."""

    def __init__(self, score: Score, rng: np.random.Generator, most: int) -> None:
        self.score, self.rng, self.most = score, rng, most
        self.asked = self.missing = 0
        self.failures: list[Array] = []

    @property
    def left(self) -> int:
        """How many scores may still be asked for."""
        return self.most - self.asked

    def ask(self, z: Array) -> Array:
        """(n,) margins of (n, dimension) vectors; infinity where there is none."""
        margins = np.asarray(self.score([row.copy() for row in z]), dtype=np.float64)
        if margins.shape != (len(z),):
            raise InputError(f"score: expected {len(z)} margins for {len(z)} vectors, got shape {margins.shape}")
        self.asked += len(z)
        self.missing += int(np.isnan(margins).sum())
        margins = np.where(np.isnan(margins), np.inf, margins)
        self.failures += [z[k].copy() for k in np.flatnonzero(margins < 0.0)]
        return margins

    def move(self, z: Array, margins: Array, limit: float, size: int, step: float) -> Any:
        """Multiply vectors with margins below `limit` up to `size`; the chains move together, a step at a time.

        Returns the vectors, their margins, the chain of each, and the step, which adapts so that 44 % are accepted.
        """
        order = self.rng.permutation(len(z))  # so that longer chains are not those of one kind
        here, at = z[order], margins[order]
        all_z, all_margins, chains = [here], [at], [np.arange(len(here))]
        count = len(here)
        for round_ in range(1, size):
            n = min(len(here), size - count)
            if n <= 0:
                break
            noise = self.rng.standard_normal((n, z.shape[1]))
            there = math.sqrt(1.0 - step * step) * here[:n] + step * noise
            new = self.ask(there)
            accepted = new < limit
            here, at = np.where(accepted[:, None], there, here[:n]), np.where(accepted, new, at[:n])
            all_z.append(here)
            all_margins.append(at)
            chains.append(np.arange(n))
            count += n
            step = min(1.0, step * math.exp((accepted.mean() - ACCEPTED) / math.sqrt(round_)))
        return np.concatenate(all_z), np.concatenate(all_margins), np.concatenate(chains), step


def _cut(margins: Array, seeds: int) -> float:
    """The margin that `seeds` particles stay below; fewer, or more, where many particles share a margin.

    With the particles strictly below the next one, their share is an unbiased factor: the probability U to be below the
    (k + 1)th of n independent margins has a mean of 1 / U of n / k. Infinite if all are equal: nothing shows the way.
    """
    ordered = np.sort(margins)
    if ordered[0] == ordered[-1]:
        return math.inf
    limit = ordered[seeds]
    return float(limit if ordered[0] < limit else ordered[ordered > limit][0])


def _correlation(inside: NDArray[np.bool_], chains: NDArray[np.int64]) -> float:
    """By how much the correlation along the chains enlarges the variance of a share ([Au2001], eq. 29)."""
    n, share = len(inside), float(inside.mean())
    if share in (0.0, 1.0) or len(set(chains.tolist())) == n:
        return 0.0
    runs = [inside[chains == chain].astype(float) for chain in range(int(chains.max()) + 1)]
    longest = max(map(len, runs))
    total = 0.0
    for lag in range(1, longest):
        pairs = [run[:-lag] * run[lag:] for run in runs if len(run) > lag]
        count = sum(map(len, pairs))
        covariance = sum(map(np.sum, pairs)) / count - share**2
        total += 2.0 * count / n * covariance / (share * (1.0 - share))
    return max(0.0, total)


def _interval(passed: Sequence[tuple[float, float]], traces: int) -> tuple[float, float]:
    """95 % interval of a product of shares; each is a pair of effective counts, of those inside and of all.

    One level is a plain sample of so many traces. Else the logarithm of each share has the mean and the variance of its
    beta distribution ([Zuev2012]), and neighbouring levels, which share their seeds, are correlated by `NEIGHBOURS`.
    """
    inside, n = np.array(passed).T
    if len(passed) == 1:
        return wilson(round(inside[0]), traces)
    a, b = inside + 1.0, np.maximum(n - inside, 0.5)
    if inside[-1] > 0.0:
        a[-1], b[-1] = a[-1] - 0.5, b[-1] + 0.5
    mean = float((digamma(a) - digamma(a + b)).sum())
    spread = np.sqrt(polygamma(1, a) - polygamma(1, a + b))
    lag = np.abs(np.subtract.outer(np.arange(len(a)), np.arange(len(a))))
    half = float(ndtri(0.975)) * math.sqrt(spread @ NEIGHBOURS**lag @ spread)
    return 0.0 if inside[-1] == 0.0 else math.exp(mean - half), min(1.0, math.exp(mean + half))


def _whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name}: expected a whole number of at least {least}, got {value!r}")
    return int(value)
