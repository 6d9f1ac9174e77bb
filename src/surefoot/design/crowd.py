"""Robots as built: a design is judged by how most of them do, not by the one that was drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.traces.distributions import Distribution
from surefoot.traces.draws import Draws
from surefoot.traces.fabricate import Parts, build
from surefoot.traces.parameters import Uncertainty, values

Array = NDArray[np.float64]
BUILT = ("robot", "ground")  # a course has its own start, and a problem its law


class Crowd:
    """Particles of a robot, about whatever its design is.

    Attributes:
        uncertainty: distributions by name or pattern, as in `sf.falsify`, of what the plant is built from.
        particles: how many; number 0 is the robot as drawn.
        quantile: share of them that may do worse than the value that counts.
        seed: of the draws.
    """

    def __init__(
        self, uncertainty: Mapping[str, Distribution], particles: int = 32, quantile: float = 0.05, seed: int = 0
    ) -> None:
        """Check.

        Args:
            uncertainty: distributions by name or pattern.
            particles: how many, at least 2.
            quantile: 0 for the worst of all, below 1.
            seed: of the draws.
        """
        self.uncertainty = Uncertainty(uncertainty)
        for pattern in self.uncertainty.patterns:
            if pattern.partition(".")[0] not in BUILT:
                raise InputError(f"uncertainty: {pattern!r} is nothing that a robot or its ground is built from")
        self.particles = checks.whole("particles", particles, at_least=2)
        self.quantile = checks.number("quantile", quantile, at_least=0.0)
        if self.quantile >= 1.0:
            raise InputError(f"quantile: expected a share from 0 to below 1, got {quantile:g}")
        self.seed = checks.whole("seed", seed)

    @property
    def members(self) -> range:
        """Numbers of the particles."""
        return range(self.particles)

    def scene(self, parts: Parts, particle: int) -> Scene:
        """A robot as built.

        Args:
            parts: the robot as drawn, on its ground.
            particle: its number.
        """
        known = {name: value for name, value in parts.names.items() if name.partition(".")[0] in BUILT}
        drawn = values(self.uncertainty.resolve(known), particle, Draws(self.seed, "random"))
        return build(parts, drawn).scene

    def quantile_of(self, stacked: Array) -> tuple[Array, NDArray[np.int64]]:
        """Values (n, w) at the quantile over the first axis of (particles, n, w), and whose they are."""
        order = np.argsort(stacked, axis=0, kind="stable")
        place = order[int(self.quantile * self.particles)]
        return np.take_along_axis(stacked, place[None], axis=0)[0], place.astype(np.int64)
