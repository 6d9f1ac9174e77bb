"""What is uncertain, by name: patterns, and the parameters that they stand for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.axes import TILTS
from surefoot.traces.distributions import Constant, Distribution, Jitter
from surefoot.traces.draws import Draws
from surefoot.traces.loop_names import BIAS, SENSORS, is_noise

AXIS = ".axis"


@dataclass(frozen=True)
class Parameter:
    """One uncertain number or choice.

    Attributes:
        name: such as "robot.lf.thigh.length".
        distribution: what it is drawn from.
        nominal: value of the robot that the controller believes in; None where there is none.
    """

    name: str
    distribution: Distribution
    nominal: Any = None

    @property
    def per_step(self) -> bool:
        """Whether it is noise, drawn anew in every control step."""
        return isinstance(self.distribution, Jitter)

    def value(self, particle: int, draws: Draws) -> Any:
        """Its value for a particle; particle 0 has the nominal one."""
        if particle == 0 or isinstance(self.distribution, Constant):
            return self.distribution.nominal(self.nominal)
        return self.distribution.value(draws.uniform(particle, self.name), self.nominal)


class Uncertainty:
    """Distributions by name or by pattern, in which * stands for any text.

    A pattern that ends in ".axis" stands for the two tilts of each joint axis that it matches. A pattern with a * and a
    Jitter stands for noise alone, with any other distribution for what is drawn once a particle: "encoder.*" is the
    noise of all encoders with a Jitter, and the offset of all with a Normal.

    Attributes:
        patterns: distribution by pattern, in the order given.
    """

    def __init__(self, patterns: Mapping[str, Distribution]) -> None:
        """Check that these are patterns and distributions.

        Args:
            patterns: distribution by name or pattern; where two match one name, the later one counts.
        """
        if not isinstance(patterns, Mapping):
            raise InputError(f"uncertainty: expected distributions by name, got {patterns!r}")
        for pattern, distribution in patterns.items():
            if not isinstance(pattern, str) or not pattern:
                raise InputError(f"uncertainty: expected a name or a pattern such as 'robot.*.length', got {pattern!r}")
            if not isinstance(distribution, Distribution):
                raise InputError(
                    f"uncertainty: {pattern!r}: expected a distribution such as Normal(0.01), got {distribution!r}"
                )
        self.patterns = dict(patterns)

    def resolve(self, known: Mapping[str, Any]) -> list[Parameter]:
        """The parameters that the patterns stand for, in the order of the patterns, then of the names.

        A later pattern overrides an earlier one for the same name, which keeps its first place.

        Args:
            known: nominal value by name, of all that can be uncertain; None where there is none.

        Raises:
            InputError: a pattern that matches no name, a distribution that needs a nominal value where none is, or
                noise where none can be.
        """
        chosen: dict[str, Distribution] = {}
        for pattern, distribution in self.patterns.items():
            wanted = _expression(pattern)
            matched = [name for name in known if wanted.fullmatch(name)]
            if not matched:
                _refuse(pattern, known)
            # A pattern stands only for names that its distribution suits, if there are any.
            suited = [name for name in matched if is_noise(name) == isinstance(distribution, Jitter)]
            for name in suited if suited and "*" in pattern else matched:
                chosen[name] = distribution
        for name, distribution in chosen.items():
            with checks.told(f"uncertainty: {name!r}: "):
                _check_kind(name, distribution)
                distribution.check(known[name])
        return [Parameter(name, distribution, known[name]) for name, distribution in chosen.items()]


def values(parameters: Iterable[Parameter], particle: int, draws: Draws) -> dict[str, Any]:
    """Value of every parameter for a particle, by name; noise that is drawn in every step is left out."""
    return {each.name: each.value(particle, draws) for each in parameters if not each.per_step}


def _expression(pattern: str) -> re.Pattern[str]:
    text = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.compile(text + "(?:" + "|".join(map(re.escape, TILTS)) + ")" if pattern.endswith(AXIS) else text, re.S)


def _check_kind(name: str, distribution: Distribution) -> None:
    """Noise is a jitter and nothing else is."""
    if is_noise(name) and not isinstance(distribution, Jitter):
        remedy = f"; for an offset that stays, name {name + BIAS!r}" if name.partition(".")[0] in SENSORS else ""
        raise InputError(f"expected a Jitter, since this is noise, got {distribution!r}{remedy}")
    if isinstance(distribution, Jitter) and not is_noise(name):
        raise InputError(f"expected a distribution that is drawn once a particle, got {distribution!r}")


def _refuse(pattern: str, known: Mapping[str, Any]) -> None:
    """Say which names come near."""
    names = list(dict.fromkeys(name.removesuffix(TILTS[0]).removesuffix(TILTS[1]) for name in known))
    near = difflib.get_close_matches(pattern, names, n=3, cutoff=0.3) or names[:3]
    hint = f"names that come near are: {', '.join(near)}" if near else "nothing can be uncertain here"
    raise InputError(f"uncertainty: no parameter matches {pattern!r}; {hint}")
