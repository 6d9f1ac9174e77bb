"""Decide now: a few particles from the present state tell when to change over [Zapolsky2017, section 4.3.3]."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.state import State
from surefoot.traces.rates import Rate
from surefoot.traces.result import SUCCESS
from surefoot.traces.scenario import Scenario


@dataclass(frozen=True)
class Decision:
    """What a few particles say of each choice.

    Attributes:
        best: name of the policy that fared best, the first of equals; None if no trace was finished.
        safe: whether all of its traces, at least `least` of them, ended well.
        rates: successes and traces by policy.
        seconds: s that it took.
        complete: whether all particles were traced before the budget ran out.
    """

    best: str | None
    safe: bool
    rates: Mapping[str, Rate]
    seconds: float
    complete: bool

    def __bool__(self) -> bool:
        """Whether to go ahead."""
        return self.safe


def safe_to_switch(
    scenario: Scenario,
    state: State,
    *,
    particles: int = 8,
    budget: float = 0.5,
    least: int = 4,
    seed: int = 0,
    clock: Callable[[], float] = time.perf_counter,
) -> Decision:
    """Trace particles from the present state under every policy of a scenario, for as long as there is time.

    Particles are taken in turn, each under every policy, so that policies are compared on the same ones, and what the
    budget cuts off is the same for all. Particle 0, the nominal robot, comes first.

    Args:
        scenario: its policies are the choices (such as the moments of a change of gait), its duration the time to look
            ahead. Use it once before time counts: what is compiled and built is kept.
        state: where the robot is now.
        particles: how many at most.
        budget: s of wall time; a particle that is being traced is finished, under every policy.
        least: traces that must have succeeded for a policy to be called safe.
        seed: of all draws.
        clock: what tells the time in s.

    Example:
        decision = sf.safe_to_switch(scenario, state, budget=0.2)
        if decision:
            robot.switch(decision.best)
    """
    if not isinstance(scenario, Scenario):
        raise InputError(f"scenario: expected a Scenario, got {type(scenario).__name__}")
    if not isinstance(state, State):
        raise InputError(f"state: expected a State, got {type(state).__name__}")
    checks.number("budget", budget, above=0.0)
    wanted, enough = checks.whole("particles", particles, at_least=1), checks.whole("least", least, at_least=1)
    if enough > wanted:
        raise InputError(f"least: expected at most particles = {wanted}, got {enough}")
    began = clock()
    here = _from_here(scenario, state)
    names = list(scenario.policies)
    good, tried = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    complete = True
    for particle in range(wanted):
        if clock() - began > budget:
            complete = False
            break
        for name in names:
            outcome = here.trace(name, particle, seed).outcome
            tried[name] += 1
            good[name] += outcome == SUCCESS
    rates = {name: Rate(good[name], tried[name]) for name in names}
    ranked = sorted(names, key=lambda name: -good[name])
    best = ranked[0] if tried[ranked[0]] else None
    safe = best is not None and good[best] == tried[best] >= enough
    return Decision(best, safe, rates, clock() - began, complete)


def _from_here(scenario: Scenario, state: State) -> Scenario:
    """The scenario from another state, with all that was built for it before."""
    scene = scenario.nominal()
    for name, size, given in (("q", scene.nq, state.q), ("v", scene.nv, state.v)):
        checks.array(f"state.{name}", given, (size,))
    here = replace(scenario, start=state)
    for kept in ("parts", "_nominal", "known", "_parameters", "_drawn", "_controllers"):
        value: Any = scenario.__dict__.get(kept)
        if value is None and kept not in ("_drawn", "_controllers"):
            value = getattr(scenario, kept)
        here.__dict__[kept] = scenario.__dict__.setdefault(kept, {}) if value is None else value
    return here
