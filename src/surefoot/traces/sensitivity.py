"""Which parameter decides: all parameters ranked by how surely the outcome depends on each.

Every parameter is tested by itself, for a shift (large values go with failure, or small ones) and for a spread (values
far from the middle, on both sides, go with failure, or those near it). Only the order of the values counts, so that the
tests hold whatever a parameter's distribution. Of 175 parameters the one behind four failures in 4096 traces comes
first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata, t

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.paired import holm
from surefoot.traces.rates import edge

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Influence:
    """How the outcome depends on a parameter.

    Attributes:
        name: of the parameter.
        effect: -1 to 1. For successes, the probability that a success has the larger value less that of the contrary;
            for a margin, its correlation with the value. "Value" is the distance from the middle where `fails` says
            "both ends" or "middle".
        low: lower end of the effect's 95 % interval.
        high: upper end.
        p: probability of a dependence as sure as this, or surer, by chance, enlarged for the number of parameters.
        fails: which values go with failure: "high", "low", "both ends", "middle"; "" if nothing can be said.
    """

    name: str
    effect: float
    low: float
    high: float
    p: float
    fails: str


def ranking(Z: Any, outcome: Any, names: Sequence[str]) -> list[Influence]:
    """All parameters, the surest first; equally sure ones by the size of their effect, then in the order given.

    Args:
        Z: (particles, parameters) values, or their standard-normal scores; NaN: not known.
        outcome: (particles,) successes as true and false, or margins as numbers (larger is better; NaN: not known).
        names: of the parameters.
    """
    Z = checks.array("Z", Z, (None, len(names)), finite=False)
    outcome = np.asarray(outcome)
    if outcome.shape != (len(Z),):
        raise InputError(f"outcome: expected shape ({len(Z)},), got {outcome.shape}")
    if outcome.dtype.kind != "b":
        outcome = checks.array("outcome", outcome, (len(Z),), finite=False)
    test = _successes if outcome.dtype.kind == "b" else _margins
    known = ~np.isnan(outcome) if outcome.dtype.kind == "f" else np.ones(len(Z), dtype=bool)
    rows = []
    for column in Z.T:
        kept = known & ~np.isnan(column)
        values = column[kept]
        far = np.abs(values - np.median(values)) if len(values) else values
        rows.append([test(values, outcome[kept]), test(far, outcome[kept])])
    tests = np.array(rows).reshape(-1, 2, 5)
    logs = np.minimum(0.0, math.log(2.0) + t.logsf(np.abs(tests[..., 3]), tests[..., 4]))
    p = holm(np.exp(logs).ravel()).reshape(-1, 2)
    surer = np.argmin(logs, axis=1)
    found = []
    for j, k in enumerate(surer):
        effect, low, high = tests[j, k, :3].tolist()
        fails = WORDS[k][int(effect < 0.0)] if effect else ""
        found.append(Influence(names[j], effect, low, high, float(p[j, k]), fails))
    order = sorted(range(len(found)), key=lambda j: (logs[j, surer[j]], -abs(found[j].effect)))
    return [found[j] for j in order]


WORDS = (("low", "high"), ("middle", "both ends"))  # which values fail: of the value, of its distance from the middle
Found = tuple[float, float, float, float, float]  # effect, its interval's ends, statistic of Student, its freedom
NOTHING: Found = (0.0, -1.0, 1.0, 0.0, math.inf)


def _successes(values: Array, success: NDArray[np.bool_]) -> Found:
    """Test of two groups by normal scores ([Waerden1952]); the effect is twice the area under the curve, less 1."""
    n, good = len(values), int(success.sum())
    bad = n - good
    if min(good, bad) == 0 or values.min() == values.max():
        return NOTHING
    ranks = rankdata(values)
    scores = ndtri(ranks / (n + 1))
    scores -= scores.mean()
    deviation = math.sqrt(good * bad / (n * (n - 1)) * float(scores @ scores))
    area = (float(ranks[success].sum()) - good * (good + 1) / 2) / (good * bad)
    low, high = _area_interval(area, good, bad)
    return 2 * area - 1, 2 * low - 1, 2 * high - 1, float(scores[success].sum()) / deviation, math.inf


def _margins(values: Array, margin: Array) -> Found:
    """Correlation of the normal scores of two quantities, with Fisher's interval ([Fisher1921])."""
    n = len(values)
    if n < 4 or values.min() == values.max() or margin.min() == margin.max():
        return NOTHING
    a, b = (ndtri(rankdata(each) / (n + 1)) for each in (values, margin))
    a, b = a - a.mean(), b - b.mean()
    r = float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1 + 1e-15, 1 - 1e-15))
    half = ndtri(0.975) / math.sqrt(n - 3)
    low, high = math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)
    return r, low, high, r * math.sqrt((n - 2) / (1 - r * r)), n - 2


def _area_interval(area: float, good: int, bad: int) -> tuple[float, float]:
    """95 % interval of the probability that a success has the larger value: method 5 of [Newcombe2006].

    It holds every area whose own variance explains the distance to the one observed.
    """
    z2, half = float(ndtri(0.975)) ** 2, 0.5 * (good + bad) - 1.0

    def stays(a: float) -> bool:
        spread = 1.0 + half * ((1.0 - a) / (2.0 - a) + a / (1.0 + a))
        return (area - a) ** 2 <= z2 * a * (1.0 - a) * spread / (good * bad)

    low = 0.0 if area == 0.0 else edge(stays, area, 0.0)
    high = 1.0 if area == 1.0 else edge(stays, area, 1.0)
    return low, high
