"""Rare failures of a scenario, searched on purpose: subset simulation on the least margin of its traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.distributions import Constant, Jitter
from surefoot.traces.groups import ANSWERS
from surefoot.traces.parameters import Parameter
from surefoot.traces.rare import Pull, Rare, pulls, subset_simulation
from surefoot.traces.result import SUCCESS, Result
from surefoot.traces.scenario import Scenario

Array = NDArray[np.float64]
LEAST_SHARE = 2.0**-53


@dataclass(frozen=True, eq=False)
class RareFailures:
    """What an adaptive search has found.

    Attributes:
        rare: probability with its interval, and the failures as scores.
        pulls: parameters, the one that failure pulls farthest first.
        worst: values of the failure with the least margin, by name; of the nearest trace if none failed.
        margin: the least margin met.
    """

    rare: Rare
    pulls: list[Pull]
    worst: dict[str, Any]
    margin: float

    @property
    def evaluations(self) -> int:
        """Number of traces."""
        return self.rare.evaluations

    def rows(self) -> list[tuple[str, str]]:
        """Names and texts for a table."""
        rare = self.rare
        lost = [("without an answer", f"{rare.missing} of {rare.evaluations} traces; counted as no failure")]
        named = [f"{pull.name}: {pull.mean:+.2f} sd in the mean" for pull in self.pulls[:5]]
        return [
            ("failures met", f"{len(rare.failures)} of {rare.evaluations} traces"),
            *(lost if rare.missing else []),
            ("probability", f"{rare.probability:.3g} (95 %: {rare.low:.2g} to {rare.high:.2g})"),
            ("interval", rare.method),
            ("least margin", f"{self.margin:.4g}"),
            ("pulled by", "\n".join(named) or "nothing near failure was found"),
        ]


def rare_failures(
    scenario: Scenario,
    policy: str,
    *,
    most: int = 500,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> RareFailures:
    """Search for the failures of one policy that a plain sample would hardly meet.

    Args:
        scenario: what to try.
        policy: name of the policy.
        most: traces at most.
        seed: of all draws.
        progress: called with (traces done, most).

    Returns:
        Probability of failure with an interval, and the parameters that lead there.
    """
    if not isinstance(scenario, Scenario):
        raise InputError(f"scenario: expected a Scenario, got {type(scenario).__name__}")
    checks.indices("policy", [policy], list(scenario.policies), "policy")
    parameters = [p for p in scenario.parameters() if not isinstance(p.distribution, Jitter | Constant)]
    if not parameters:
        raise InputError(f"scenario: {scenario.name!r} has nothing uncertain that is drawn once for a particle")
    if not scenario.requirements and not scenario.objective:
        raise InputError(f"scenario: {scenario.name!r} has no requirement and no objective to come near to")
    scenario.check()
    search = _Search(scenario, policy, parameters, seed, most, progress)
    rare = subset_simulation(search.margins, len(parameters), seed=seed, most=most)
    ranked = pulls(rare, [p.name for p in parameters])
    return RareFailures(rare, ranked, search.worst, search.least)


class _Search:
    """Scores to margins, by tracing."""

    def __init__(
        self, scenario: Scenario, policy: str, parameters: list[Parameter], seed: int, most: int, progress: Any
    ) -> None:
        self.scenario, self.policy, self.parameters, self.seed = scenario, policy, parameters, seed
        self.most, self.progress, self.done = most, progress, 0
        self.least, self.worst = np.inf, {}

    def margins(self, scores: list[Array]) -> list[float]:
        return [self._margin(z) for z in scores]

    def _margin(self, z: Array) -> float:
        shares = np.clip(ndtr(z), LEAST_SHARE, 1.0 - LEAST_SHARE)
        pairs = zip(self.parameters, shares, strict=True)
        values = {p.name: p.distribution.value(float(u), p.nominal) for p, u in pairs}
        self.done += 1  # a particle of its own, for the noise in every step
        margin = least_margin(self.scenario.trace(self.policy, self.done, self.seed, values=values))
        if margin < self.least:
            self.least, self.worst = margin, values
        if self.progress is not None:
            self.progress(self.done, self.most)
        return margin


def least_margin(result: Result) -> float:
    """The least margin of a trace, below zero if it failed; NaN if it gave no answer."""
    known = [value for value in result.margins.values() if np.isfinite(value)]
    if result.outcome not in ANSWERS or (result.outcome == SUCCESS and not known):
        return float("nan")
    return min(known) if result.outcome == SUCCESS else min([*known, -1e-12])
