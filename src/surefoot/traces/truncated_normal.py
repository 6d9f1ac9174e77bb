"""The standard normal distribution between two limits: quantiles, their inverse, and scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtri, ndtri_exp

LEAST = 2.0**-53  # of a share, and of its distance from 1; scores lie within +-8.3


def quantile(u: Any, low: float, high: float) -> Any:
    """The standard-normal quantile of `u` between two limits: Phi(z) = (1 - u) Phi(low) + u Phi(high).

    Logarithms keep the figures where both limits lie far out; beyond the mean the mirror image is used.
    """
    if low == -math.inf and high == math.inf:
        return ndtri(u)
    if low > 0:
        return -quantile(1.0 - u, -high, -low)
    return ndtri_exp(np.logaddexp(np.log1p(-u) + log_ndtr(low), np.log(u) + log_ndtr(high)))


def share(z: Any, low: float, high: float) -> Any:
    """The inverse of `quantile`: the distribution function at `z` between two limits."""
    if low > 0:
        return 1.0 - share(-z, -high, -low)
    top = log_ndtr(high)
    least = math.exp(log_ndtr(low) - top)
    return (np.exp(log_ndtr(z) - top) - least) / (1.0 - least)


def score(u: Any) -> Any:
    """The standard-normal score of a share; a value outside of the limits counts as one at the limit."""
    return ndtri(np.clip(u, LEAST, 1.0 - LEAST))[()]
