"""A roll-out with a clock beside it, for commands that simulate."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from surefoot.robots.state import State


@dataclass(frozen=True)
class Run:
    """A roll-out and how long it took to compute.

    Attributes:
        trace: the roll-out.
        seconds: wall time of the roll-out, without compiling.
        statuses: how the steps ended, most frequent first.
    """

    trace: Any
    seconds: float
    statuses: tuple[tuple[str, int], ...]

    def rows(self) -> list[tuple[str, str]]:
        """Names and texts for a summary: how the steps ended, how fast they were."""
        trace = self.trace
        span = trace.t[-1] - trace.t[0]
        speed = f"{len(trace.torque) / self.seconds:,.0f} steps/s, {span / self.seconds:.3g} x real time"
        return [("steps", ", ".join(f"{count} {name}" for name, count in self.statuses)), ("computed at", speed)]


def timed(
    simulator: Any,
    policy: Any,
    start: State,
    duration: float,
    progress: Callable[[int, int], None] | None = None,
    **more: Any,
) -> Run:
    """Simulate and time it.

    Args:
        simulator: a `Simulator` or `MujocoPlant`, already compiled.
        policy: what the joints do.
        start: where the robot starts.
        duration: in s.
        progress: called with steps done and their total.
        more: other arguments of its `rollout`.

    Returns:
        The run.
    """
    began = time.perf_counter()
    trace = simulator.rollout(start, policy, duration=duration, progress=progress, **more)
    seconds = time.perf_counter() - began - getattr(simulator, "loading", 0.0)
    names = Counter(_status_name(code) for code in trace.status)
    return Run(trace, seconds, tuple(names.most_common()))


def _status_name(code: Any) -> str:
    from surefoot.solvers.status import Status

    return Status.from_code(code).name.lower().replace("_", " ")
