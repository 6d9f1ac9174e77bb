"""When enough traces are done: intervals that hold at every look, so that one may look after each particle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from surefoot import checks
from surefoot.errors import InputError


@dataclass(frozen=True)
class Stop:
    """End a run early, once the rate of success of every policy is known well enough.

    It is known if its interval is at most `width` wide, or lies wholly at or above `above`, or at or below `below`;
    each interval holds at all numbers of particles at once with probability 1 - `alpha`.

    Args:
        width: of the interval, of 1.
        above: rate.
        below: rate.
        alpha: probability that an interval ever misses the rate.
    """

    width: float | None = None
    above: float | None = None
    below: float | None = None
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Check that all are rates and at least one is given."""
        if self.width is None and self.above is None and self.below is None:
            raise InputError("stop: expected width, above or below, got none of them")
        for name in ("width", "above", "below", "alpha"):
            value = getattr(self, name)
            if value is not None:
                checks.number(f"stop.{name}", value, above=0.0, at_most=1.0)
        if self.alpha == 1.0:
            raise InputError("stop.alpha: expected a number below 1, got 1")

    def met(self, successes: Iterable[int], n: int) -> bool:
        """Whether the rates of all policies are known, each from its `successes` out of `n`."""
        return all(self._known(int(count), n) for count in successes)

    def table(self) -> dict[str, Any]:
        """Its numbers by name."""
        return asdict(self)

    def _known(self, successes: int, n: int) -> bool:
        from surefoot.traces.rates import sequence

        low, high = sequence(successes, n, self.alpha)
        return (
            (self.width is not None and high - low <= self.width)
            or (self.above is not None and low >= self.above)
            or (self.below is not None and high <= self.below)
        )
