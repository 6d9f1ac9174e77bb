"""Scattering against bifurcation: do the traces end in one cloud or in two?

After [Zapolsky2017], section 3.6.1: a perturbation scatters if the final states are one Gaussian, and bifurcates if
they are split in two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks

Array = NDArray[np.float64]
EVIDENCE = 10.0
LEAST_TRACES = 16
LEAST_SHARE, LEAST_COUNT = 0.05, 4
VALLEY = 0.2
NARROWEST = 0.1


@dataclass(frozen=True)
class Scatter:
    """How final states are spread.

    Attributes:
        word: "scatters" (one cloud), "bifurcates" (two), or "" for fewer than 16 traces.
        bias: (k,) mean of the final states, less the nominal one if that was given.
        spread: (k,) standard deviation.
        separation: distance of the two clouds' middles in standard deviations within them; 0 if there is one.
        direction: (k,) unit vector along which they lie apart, in the units of the states; zero if there is one.
        shares: share of the traces in the first and in the second cloud along the direction; (1, 0) if there is one.
        second: (traces,) which traces belong to the second cloud.
        evidence: by how much two clouds explain the states better than one (difference of the information criterion of
            [Schwarz1978] along the direction that shows it best, less twice the logarithm of the number of directions
            tried); above 10 is very strong ([Kass1995]).
    """

    word: str
    bias: Array
    spread: Array
    separation: float
    direction: Array
    shares: tuple[float, float]
    second: NDArray[np.bool_]
    evidence: float


def scatter(states: Any, nominal: Any = None) -> Scatter:
    """Tell scattering from bifurcation.

    Two clouds are fitted along every coordinate and along the leading principal direction; there are two if they
    explain the states better by far, each has at least 5 % of the traces and four of them, and the density between them
    falls below a fifth of that at the lower peak.

    Args:
        states: (traces, k) final states, angles without jumps by a turn; rows with NaN are left out.
        nominal: (k,) final state of the nominal particle.
    """
    states = checks.array("states", states, (None, None), finite=False)
    k = states.shape[1]
    nominal = np.zeros(k) if nominal is None else checks.array("nominal", nominal, (k,))
    known = np.isfinite(states).all(axis=1)
    rows = states[known]
    second = np.zeros(len(states), dtype=bool)
    bias = rows.mean(axis=0) - nominal if len(rows) else np.full(k, math.nan)
    spread = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.full(k, math.nan)
    if len(rows) < LEAST_TRACES:
        return Scatter("", bias, spread, 0.0, np.zeros(k), (1.0, 0.0), second, 0.0)
    lines = _lines(rows, spread)
    fits = [(_fit(rows @ line, len(lines)), line) for line in lines]
    if not fits:
        return Scatter("scatters", bias, spread, 0.0, np.zeros(k), (1.0, 0.0), second, 0.0)
    best, line = max(fits, key=lambda pair: (pair[0].two, pair[0].evidence))
    if not best.two:
        return Scatter("scatters", bias, spread, 0.0, np.zeros(k), (1.0, 0.0), second, best.evidence)
    second[known] = best.second
    share = float(best.second.mean())
    return Scatter("bifurcates", bias, spread, best.separation, line, (1.0 - share, share), second, best.evidence)


@dataclass(frozen=True)
class _Fit:
    """Two Gaussians on a line: their evidence, whether they count as two, their distance, who is in the second."""

    evidence: float
    two: bool
    separation: float
    second: NDArray[np.bool_]


def _lines(rows: Array, spread: Array) -> list[Array]:
    """Unit vectors: each coordinate that varies, and the leading principal direction of all, each over its spread."""
    vary = np.flatnonzero(spread > 1e-12 * np.abs(rows).max(axis=0, initial=0.0))
    lines = [np.eye(rows.shape[1])[j] for j in vary]
    if len(vary) > 1:
        scaled = (rows[:, vary] - rows[:, vary].mean(axis=0)) / spread[vary]
        leading = np.linalg.eigh(scaled.T @ scaled)[1][:, -1] / spread[vary]
        line = np.zeros(rows.shape[1])
        line[vary] = leading * np.sign(leading[np.argmax(np.abs(leading))]) / np.linalg.norm(leading)
        lines.append(line)
    return lines


def _fit(x: Array, tried: int) -> _Fit:
    """Fit two Gaussians to numbers by expectation and maximisation ([Dempster1977]) and weigh them against one.

    Neither may be narrower than a tenth of the other, lest two traces that happen to be near make a cloud.
    """
    n = len(x)
    x = (x - x.mean()) / x.std()
    belongs, last = _split(x), -math.inf
    while True:
        sizes = belongs.sum(axis=1) + 1e-9
        means = belongs @ x / sizes
        away = x - means[:, None]
        sds = np.sqrt((belongs * away**2).sum(axis=1) / sizes)
        sds = np.maximum(sds, max(NARROWEST * sds.max(), 1e-3))
        logs = np.log(sizes / n / sds)[:, None] - 0.5 * (away / sds[:, None]) ** 2
        total = np.logaddexp(logs[0], logs[1])
        belongs = np.exp(logs - total)
        if total.sum() < last + 1e-3:
            break
        last = float(total.sum())
    # Against one Gaussian's likelihood, exp(-n / 2), with the price of three numbers more.
    evidence = 2.0 * last + n - 3.0 * math.log(n) - 2.0 * math.log(tried)
    separation = float(abs(means[1] - means[0]) / math.sqrt(0.5 * float(sds @ sds)))
    second = belongs[1] > 0.5
    fewer = min(int(second.sum()), int((~second).sum()))
    enough = fewer >= max(LEAST_COUNT, LEAST_SHARE * n)
    two = enough and evidence > EVIDENCE and _valley(means, sds, sizes) < VALLEY
    return _Fit(evidence, two, separation, second)


def _split(x: Array) -> Array:
    """First guess, (2, n) of ones and zeros: the split in two with the least squares within both parts."""
    order = np.argsort(x, kind="stable")
    sums, sizes = np.cumsum(x[order]), np.arange(1, len(x))
    between = sums[:-1] ** 2 / sizes + (sums[-1] - sums[:-1]) ** 2 / (len(x) - sizes)
    belongs = np.zeros((2, len(x)))
    first = int(np.argmax(between)) + 1
    belongs[0, order[:first]] = belongs[1, order[first:]] = 1.0
    return belongs


def _valley(means: Array, sds: Array, sizes: Array) -> float:
    """Least density between the middles of two Gaussians over that at the lower of both."""
    at = np.linspace(means[0], means[1], 201)
    density = (sizes / sds) @ np.exp(-0.5 * ((at - means[:, None]) / sds[:, None]) ** 2)
    return float(density.min() / min(density[0], density[-1]))
