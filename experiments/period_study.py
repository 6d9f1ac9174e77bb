"""What experiments on section 4.4 of [Zapolsky2017] share: a quadruped that walks with gait periods of 0.6 to 1.5 s.

The scenario is the bundled `gait_period`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.curb_study import Array, Progress, motions, traced

import surefoot as sf
from surefoot.simulate.plot import roll_pitch_yaw
from surefoot.traces.findings import Finding
from surefoot.traces.scenario_file import load_scenario

PARTICLES, FEW = 16, 2
QUICK_DURATION, QUICK_POLICIES = 2.0, ("0.6 s", "1.5 s")
STABLE = 1.0  # s, the longest period of the paper without a fall


@dataclass(frozen=True)
class Walks:
    """The walks with one gait period.

    Attributes:
        finding: what the run says of them.
        period: s.
        duration: s that a walk lasts unless the robot falls.
        t: (n,) s, of every walk.
        q: (n, nq) configurations, of every walk.
    """

    finding: Finding
    period: float
    duration: float
    t: list[Array]
    q: list[Array]

    @property
    def up(self) -> NDArray[np.bool_]:
        """(walks,) whether the robot is upright at the end."""
        return self.finding.group.success

    @property
    def fell(self) -> NDArray[np.bool_]:
        """(walks,) whether the robot fell or touched the ground with more than its feet."""
        return self.finding.group.answered & ~self.up

    @property
    def lasted(self) -> Array:
        """(k,) s until a fall or the end, of the walks that have an answer."""
        return np.minimum(self.finding.group.time[self.finding.group.answered], self.duration)

    def roll(self, k: int) -> Array:
        """(n,) degrees: turn of the base about its x axis in walk k."""
        return np.degrees(roll_pitch_yaw(self.q[k][:, 3:7])[:, 0])


def walks(quick: bool, progress: Progress, step_height: float | None = None) -> tuple[sf.Scenario, list[Walks]]:
    """Run the scenario.

    Args:
        quick: few particles, a short walk, two periods.
        progress: called with walks done and walks wanted.
        step_height: m, instead of the scenario's.
    """
    scenario, particles = load_scenario("gait_period"), PARTICLES
    policies: Any = scenario.policies
    if step_height is not None:
        policies = {name: replace(policy, step_height=step_height) for name, policy in policies.items()}
        scenario = replace(scenario, policies=policies)
    policies = list(policies)
    if quick:
        scenario, particles, policies = replace(scenario, duration=QUICK_DURATION), FEW, list(QUICK_POLICIES)
    total = particles * len(policies)
    run = traced(scenario, particles, policies, lambda done: progress(done, total))
    return scenario, [_walks(run, one) for one in run.findings()]


def _walks(run: sf.traces.Run, finding: Finding) -> Walks:
    policy: Any = run.scenario.policies[finding.policy]
    t, q = zip(*motions(run, finding.group), strict=True)
    return Walks(finding, policy.period, run.scenario.duration, list(t), list(q))


def differences(scenario: sf.Scenario, found: list[Walks]) -> str:
    """What differs from the paper, for people."""
    policy: Any = scenario.policies[found[0].finding.policy]
    return (
        f"{len(found[0].up)} particles (the paper: four), the same for all periods, {scenario.duration:g} s each. What "
        "differs from the paper: there is no robot in situ; its stance in shares of base and legs is one in shares of "
        f"this robot's hips; steps are {100 * policy.step_height:g} cm high (3 cm), chosen after 3 cm were tried, with "
        f"which fewer fall; this robot of {scenario.nominal().mass:.1f} kg weighs 2.6 times as much as the paper's on "
        f"the same springs of {policy.kp:g} N/m."
    )
