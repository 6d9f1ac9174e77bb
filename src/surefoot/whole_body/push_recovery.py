"""How hard a robot may be pushed: the largest impulse that it survives, by bisection."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.robots.state import State
from surefoot.simulate.fall import first_fall, foot_places
from surefoot.simulate.push import Push
from surefoot.simulate.trace import Trace

DIRECTIONS = {"forward": 0.0, "backward": math.pi, "left": 0.5 * math.pi, "right": -0.5 * math.pi}
LASTS = 0.1  # s, of a push
SPEED = 1.0  # m/s that the first push tried would give the whole robot
SETTLES = 0.2  # s before a push
HARDEST = 64.0  # of the first push tried: more is not looked for


@dataclass(frozen=True)
class LargestPush:
    """A push that a robot survived, beside one that it did not.

    Attributes:
        survived: N s, the hardest push after which it stood.
        fell: N s, the lightest that it did not survive; inf if it survived all.
        tried: how many pushes.
    """

    survived: float
    fell: float
    tried: int


def largest_push(
    plant: Any,
    policy: Any,
    start: State,
    direction: Any,
    *,
    duration: float = 3.0,
    precision: float = 0.05,
    progress: Callable[[int], None] | None = None,
) -> LargestPush:
    """Push a robot that stands, harder or less hard by bisection, until the hardest push that it survives is known.

    It survives if it has not fallen when the time is over (see `first_fall`). Whether it does need not be monotone in
    the impulse: what is found is one place where standing ends.

    Args:
        plant: a `Simulator` or `MujocoPlant`.
        policy: what keeps it upright; it does not know of the push.
        start: where it stands.
        direction: (2,) horizontal direction of the force on the base, in the world's frame.
        duration: s of each try, with the push in it.
        precision: bisection ends when the interval is this share of its upper end.
        progress: called with the number of tries so far.
    """
    way = checks.array("direction", direction, (2,))
    length = float(np.linalg.norm(way))
    checks.number("length of direction", length, above=0.0)
    precision = checks.number("precision", precision, above=0.0)
    low, high, tried = 0.0, math.inf, 0
    impulse = first = SPEED * float(plant.scene.mass)
    while (high - low > precision * high if math.isfinite(high) else low < HARDEST * first) and impulse > 1e-6 * first:
        force = (*(way / length * impulse / LASTS), 0.0)
        trace = plant.rollout(start, policy, duration=duration, pushes=[Push(force, SETTLES, LASTS)])
        tried += 1
        if survives(trace):
            low = impulse
        else:
            high = impulse
        impulse = 2.0 * low if math.isinf(high) else 0.5 * (low + high)
        if progress is not None:
            progress(tried)
    return LargestPush(low, high, tried)


def survives(trace: Trace) -> bool:
    """Whether a robot stands at the end of a roll-out, and stood all the while."""
    return trace.ok and first_fall(trace, foot_places(trace, tuple(foot.name for foot in trace.scene.feet))) is None
