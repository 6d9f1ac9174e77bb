"""The graze of a policy: where its traces split, which parameter decides, and at what value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.traces.distributions import Normal, Uniform
from surefoot.traces.findings import TOGETHER, Finding
from surefoot.traces.grazing import Direction, Graze, bisect, direction
from surefoot.traces.groups import Group
from surefoot.traces.result import SUCCESS, Result
from surefoot.traces.scenario import Scenario
from surefoot.traces.sensitivity import Influence, ranking
from surefoot.traces.signatures import signature

Behaviour = Callable[[Result], Hashable]
FARTHEST = 4.0  # standard deviations to which a parameter is moved in search of the other behaviour
TRIES = 6  # particles, and parameters of each, that are tried


@dataclass(frozen=True, eq=False)
class Split:
    """A policy whose traces behave in two ways.

    Attributes:
        policy: its name.
        name: the parameter that was moved.
        particle: number of the particle in which it was moved, all else as drawn.
        graze: the value at which behaviour changes, to the tolerance asked for, and what it is on both sides.
        nominal: nominal value of the parameter.
        influences: all parameters by how surely they decide between the two behaviours.
        direction: in all parameters, along which the behaviours lie apart.
        shares: of the traces, in the first behaviour and in the second.
    """

    policy: str
    name: str
    particle: int
    graze: Graze
    nominal: Any
    influences: list[Influence]
    direction: Direction
    shares: tuple[float, float]

    def __str__(self) -> str:
        return (
            f"{self.policy}: behaviour splits ({100 * self.shares[0]:.0f} % to {100 * self.shares[1]:.0f} %); "
            f"{self.name} grazes at {self.graze.value:.9g} (particle {self.particle}, {self.graze})"
        )


def met(result: Result) -> Hashable:
    """What a trace met: which things were touched and struck by which, and how it ended."""
    events = result.events
    if not events:  # of a trace that broke
        return _met(result.outcome, ())
    order = signature(list(events["kind"]), list(events["feature"]), np.array(events["t"], dtype=float), TOGETHER)
    return _met(result.outcome, order)


def ended(result: Result) -> Hashable:
    """How a trace ended."""
    return result.outcome, result.requirement


def cloud(finding: Finding) -> Behaviour:
    """How a trace ended and, if well, in which of the two clouds in which the successes of a policy end."""
    group, clouds = finding.group, finding.scatter
    states = np.array([values[group.success] for values in group.final.values()]).T
    along = states @ clouds.direction
    between = 0.5 * (np.nanmax(along[~clouds.second]) + np.nanmin(along[clouds.second]))
    first = along[clouds.second].mean() > along[~clouds.second].mean()

    def which(result: Result) -> Hashable:
        if result.outcome != SUCCESS:
            return result.outcome, result.requirement
        pairs = zip(group.final, clouds.direction, strict=True)
        place = sum(part * result.final.get(name, np.nan) for name, part in pairs)
        return result.outcome, "second cloud" if (place > between) == first else "first cloud"

    return which


def find_split(scenario: Scenario, finding: Finding, *, seed: int = 0, method: str = "random") -> Split | None:
    """The graze of a policy, by whatever tells its traces apart; see `locate_graze`.

    That is how they ended, if some succeed and some fail; else the two clouds in which they end, if there are two; else
    what they met on the way. So also a policy is looked into of which no trace fails.
    """
    answered = finding.group.answered
    behaviour = met
    if len(set(zip(finding.group.outcome[answered], finding.group.requirement[answered], strict=True))) > 1:
        behaviour = ended
    elif finding.scatter.second.any():
        behaviour = cloud(finding)
    return locate_graze(scenario, finding, seed=seed, method=method, behaviour=behaviour)


def locate_graze(
    scenario: Scenario,
    finding: Finding,
    *,
    seed: int = 0,
    method: str = "random",
    behaviour: Behaviour = ended,
    tolerance: float = 1e-6,
) -> Split | None:
    """Find the parameter that decides between two behaviours, and the value at which it does.

    The most frequent behaviour is set against all others. In a particle of the first, the surest parameters are moved
    one by one, towards where the other behaviour lies and as far as 4 standard deviations, until behaviour changes; the
    change is then narrowed down by halving.

    Args:
        scenario: of the run.
        finding: what the run says of one policy.
        seed: of the run.
        method: of the run.
        behaviour: what counts as a behaviour of a trace, `ended`, `met` or `cloud(finding)`, or a function of a Result.
        tolerance: to which the value is found, in the parameter's own unit.

    Returns:
        The split, or None if all traces behave alike or no single parameter changes them.
    """
    group = finding.group
    parameters = {p.name: p for p in scenario.parameters() if isinstance(p.distribution, Normal | Uniform)}
    names = [name for name, values in group.values.items() if name in parameters and values.dtype.kind == "f"]
    if not names:
        raise InputError(f"scenario: {scenario.name!r} has no uncertain numbers that could be moved")
    orders = [each for each, kept in zip(finding.signatures, group.answered, strict=False) if kept]
    group = _answered(group)
    if behaviour is ended:  # as the run's table tells
        seen: list[Hashable] = list(zip(group.outcome.tolist(), group.requirement.tolist(), strict=True))
    elif behaviour is met and len(orders) == len(group):  # as its events tell
        seen = [_met(outcome, order) for outcome, order in zip(group.outcome.tolist(), orders, strict=True)]
    else:
        seen = [behaviour(_result(scenario, group.policy, int(k), seed, method)) for k in group.particle]
    if not seen:
        return None
    first = Counter(seen).most_common(1)[0][0]
    other = np.array([one != first for one in seen])
    if not other.any():
        return None
    scores = np.array([parameters[n].distribution.standard(group.values[n], parameters[n].nominal) for n in names]).T
    scores = np.where(np.isfinite(scores), scores, 0.0)
    ranked = ranking(scores, ~other, names)
    along = direction(scores, other, names)
    for particle in _nearest(scores, other, along)[:TRIES]:
        for influence in ranked[:TRIES]:
            parameter, place = parameters[influence.name], names.index(influence.name)
            towards = float(np.sign(along.vector[place])) or 1.0
            far = parameter.distribution.value(_share(towards * FARTHEST), parameter.nominal)
            number = int(group.particle[particle])

            def flips(x: float, number: int = number, name: str = influence.name) -> Hashable:
                return behaviour(_result(scenario, group.policy, number, seed, method, {name: x}))

            found = bisect(flips, float(group.values[influence.name][particle]), float(far), tolerance)
            if found is not None:
                shares = float((~other).mean()), float(other.mean())
                return Split(group.policy, influence.name, number, found, parameter.nominal, ranked, along, shares)
    return None


def _met(outcome: str, order: Iterable[str]) -> Hashable:
    return outcome, tuple(sorted(set(order)))


def _answered(group: Group) -> Group:
    """Without traces that gave no answer: one that crashed would take this process with it."""
    kept = group.answered
    fields = {name: getattr(group, name)[kept] for name in ("particle", "outcome", "requirement", "time", "message")}
    tables = {
        name: {key: values[kept] for key, values in getattr(group, name).items()}
        for name in ("margins", "final", "values")
    }
    return replace(group, **fields, **tables)


def _result(scenario: Scenario, policy: str, particle: int, seed: int, method: str, values: Any = None) -> Result:
    return scenario.trace(policy, particle, seed, method, values=values)


def _nearest(scores: NDArray[np.float64], other: NDArray[np.bool_], along: Direction) -> list[int]:
    """Particles of the first behaviour, the nearest to the other one first."""
    reach = scores @ along.vector
    return [int(k) for k in np.argsort(-reach, kind="stable") if not other[k]]


def _share(z: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(z))
