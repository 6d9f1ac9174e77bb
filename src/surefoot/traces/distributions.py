"""Distributions of uncertain numbers and choices, each drawn through the inverse of its distribution function.

Every distribution has four methods. `value(u, nominal)` turns a uniform number `u` between 0 and 1 (exclusive; an array
of them gives an array) into a draw, where `nominal` is the value of the robot that the controller believes in.
`nominal(nominal)` is the value of particle 0. `standard(value, nominal)` is the standard-normal score of a draw: how
far out it lies, whatever the shape of the distribution. `check(nominal)` refuses a nominal value that it cannot use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.truncated_normal import quantile, score, share


@dataclass(frozen=True)
class Normal:
    """A normal distribution, truncated where limits are given.

    Truncation really truncates: the distribution function between the limits is scaled to run from 0 to 1.

    Attributes:
        sd: standard deviation before truncation, above 0.
        mean: before truncation; None: the nominal value (1 if a factor).
        low: lower limit, or None.
        high: upper limit, or None.
        factor: True if what is drawn multiplies the nominal value.
    """

    sd: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    factor: bool = False

    def __post_init__(self) -> None:
        checks.number("Normal.sd", self.sd, above=0)
        for field in ("mean", "low", "high"):
            if getattr(self, field) is not None:
                checks.number(f"Normal.{field}", getattr(self, field))
        _check_order("Normal", self.low, self.high)
        checks.choice("Normal.factor", self.factor, (True, False))

    def check(self, nominal: Any) -> None:
        """Refuse a nominal value that is needed and is no number."""
        if self.factor or self.mean is None:
            _needs_number("a factor" if self.factor else "a normal distribution without a mean", nominal)

    def value(self, u: Any, nominal: Any = None) -> Any:
        """The draw that belongs to `u`."""
        scale, mean = self._scale_and_mean(nominal)
        drawn = mean + self.sd * quantile(u, *self._limits(mean))
        if self.low is not None or self.high is not None:
            drawn = _within(drawn, self.low, self.high)
        return drawn if scale is None else scale * drawn

    def nominal(self, nominal: Any = None) -> Any:
        """The nominal value."""
        return nominal

    def standard(self, value: Any, nominal: Any = None) -> Any:
        """The standard-normal score of a draw."""
        scale, mean = self._scale_and_mean(nominal)
        if scale == 0:
            return 0.0 * np.asarray(value, dtype=float)[()]
        z = (value / (scale or 1.0) - mean) / self.sd
        if self.low is None and self.high is None:
            return z
        return score(share(z, *self._limits(mean)))

    def _scale_and_mean(self, nominal: Any) -> tuple[float | None, float]:
        if self.factor:
            return nominal, 1.0 if self.mean is None else self.mean
        return None, nominal if self.mean is None else self.mean

    def _limits(self, mean: float) -> tuple[float, float]:
        """Limits in standard deviations from the mean."""
        low = -math.inf if self.low is None else (self.low - mean) / self.sd
        high = math.inf if self.high is None else (self.high - mean) / self.sd
        return low, high


def measured(value: float, resolution: float) -> Normal:
    """What a tool tells of a length or a mass: its standard deviation is one tick of the tool.

    Args:
        value: the reading.
        resolution: the finest figure of the tool (one tick of a ruler), in the same unit.

    Reference: [Zapolsky2017], section 4.2.
    """
    return Normal(
        sd=checks.number("resolution", resolution, above=0),
        mean=checks.number("value", value),
    )


@dataclass(frozen=True)
class Uniform:
    """Equally likely between two limits.

    Attributes:
        low: lower limit.
        high: upper limit.
        factor: True if what is drawn multiplies the nominal value.
    """

    low: float
    high: float
    factor: bool = False

    def __post_init__(self) -> None:
        checks.number("Uniform.low", self.low)
        checks.number("Uniform.high", self.high)
        _check_order("Uniform", self.low, self.high)
        checks.number("Uniform.high - low", self.high - self.low)
        checks.choice("Uniform.factor", self.factor, (True, False))

    def check(self, nominal: Any) -> None:
        """Refuse a nominal value that is needed and is no number."""
        if self.factor:
            _needs_number("a factor", nominal)

    def value(self, u: Any, nominal: Any = None) -> Any:
        """The draw that belongs to `u`."""
        drawn = _within(self.low + u * (self.high - self.low), self.low, self.high)
        return nominal * drawn if self.factor else drawn

    def nominal(self, nominal: Any = None) -> Any:
        """The nominal value."""
        return nominal

    def standard(self, value: Any, nominal: Any = None) -> Any:
        """The standard-normal score of a draw."""
        if self.factor and nominal == 0:
            return 0.0 * np.asarray(value, dtype=float)[()]
        drawn = value / nominal if self.factor else value
        return score((drawn - self.low) / (self.high - self.low))


@dataclass(frozen=True, init=False)
class Choice:
    """One of several values, each equally likely ([Zapolsky2017] equation 15).

    Attributes:
        values: what to choose from: numbers, texts, contact laws.
    """

    values: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        if not values:
            raise InputError("Choice: expected at least one value, got none")
        for i, value in enumerate(values):
            if _place(values, value) < i:
                raise InputError(f"Choice: expected values that differ, got {value!r} twice")
        object.__setattr__(self, "values", values)

    def check(self, nominal: Any) -> None:
        """Any nominal value will do."""

    def value(self, u: Any, nominal: Any = None) -> Any:
        """The choice that belongs to `u`; an array of objects for an array."""
        places = np.minimum((np.asarray(u) * len(self.values)).astype(int), len(self.values) - 1)
        if np.ndim(u) == 0:
            return self.values[int(places)]
        choices = np.empty(len(self.values), dtype=object)
        choices[:] = self.values
        return choices[places]

    def nominal(self, nominal: Any = None) -> Any:
        """The nominal value if it is among the choices, else the first of them."""
        place = _place(self.values, nominal)
        return self.values[place] if place < len(self.values) else self.values[0]

    def standard(self, value: Any, nominal: Any = None) -> Any:
        """The score of the middle of the choice's share, in the order in which the choices were given."""
        place = _place(self.values, value)
        if place == len(self.values):
            raise InputError(f"value: expected one of {', '.join(map(repr, self.values))}, got {value!r}")
        return float(ndtri((place + 0.5) / len(self.values)))


@dataclass(frozen=True)
class Jitter:
    """Noise of zero mean, drawn anew in every control step ([Zapolsky2017] equation 14), truncated where limits are.

    Attributes:
        sd: standard deviation before truncation, above 0.
        low: lower limit, at most 0, or None.
        high: upper limit, at least 0, or None.
    """

    sd: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        checks.number("Jitter.sd", self.sd, above=0)
        if self.low is not None:
            checks.number("Jitter.low", self.low, at_most=0)
        if self.high is not None:
            checks.number("Jitter.high", self.high, at_least=0)
        _check_order("Jitter", self.low, self.high)

    def check(self, nominal: Any) -> None:
        """Any nominal value will do: noise is added to it."""

    def value(self, u: Any, nominal: Any = None) -> Any:
        """The noise of one control step that belongs to `u`."""
        return Normal(self.sd, 0.0, self.low, self.high).value(u)

    def nominal(self, nominal: Any = None) -> float:
        """Particle 0 has no noise."""
        return 0.0

    def standard(self, value: Any, nominal: Any = None) -> Any:
        """The standard-normal score of the noise of one step."""
        return Normal(self.sd, 0.0, self.low, self.high).standard(value)


@dataclass(frozen=True)
class Constant:
    """The same value for every particle, particle 0 too.

    Attributes:
        number: the value; any object will do.
    """

    number: Any

    def check(self, nominal: Any) -> None:
        """Any nominal value will do."""

    def value(self, u: Any, nominal: Any = None) -> Any:
        """The value, whatever `u`; an array of it for an array."""
        return self.number if np.ndim(u) == 0 else np.full(np.shape(u), self.number)

    def nominal(self, nominal: Any = None) -> Any:
        """The value."""
        return self.number

    def standard(self, value: Any, nominal: Any = None) -> float:
        """Zero: it does not vary."""
        return 0.0


Distribution = Normal | Uniform | Choice | Jitter | Constant


def _check_order(kind: str, low: float | None, high: float | None) -> None:
    if low is not None and high is not None and not low < high:
        raise InputError(f"{kind}.low, {kind}.high: expected low below high, got {low:g}, {high:g}")


def _needs_number(what: str, nominal: Any) -> None:
    if isinstance(nominal, bool) or not isinstance(nominal, int | float | np.number) or not math.isfinite(nominal):
        raise InputError(f"{what} needs a finite nominal value, but that is {nominal!r}")


def _place(values: tuple[Any, ...], value: Any) -> int:
    """Place of `value` among `values`, their number if it is none of them; True is not 1."""
    same = (
        i for i, other in enumerate(values) if isinstance(other, bool) == isinstance(value, bool) and other == value
    )
    return next(same, len(values))


def _within(value: Any, low: float | None, high: float | None) -> Any:
    """Undo rounding beyond the limits."""
    if np.ndim(value):
        return np.clip(value, low, high)
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else float(value)
