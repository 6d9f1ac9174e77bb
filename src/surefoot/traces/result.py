"""What a trace, one particle under one policy, comes to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

SUCCESS = "success"
KNOWN = "known failure"  # a requirement was violated, which ends the trace
UNKNOWN = "unknown failure"  # the objective was missed at the end
BROKEN = "broken"  # the simulation found no answer
CRASHED = "crashed"  # the process died twice on it
HUNG = "hung"  # took longer than the limit
OUTCOMES = (SUCCESS, KNOWN, UNKNOWN, BROKEN, CRASHED, HUNG)


@dataclass(frozen=True, eq=False)
class Result:
    """How one trace ended.

    Attributes:
        policy: name of the policy.
        particle: number of the particle; 0 is the nominal one.
        outcome: one of `OUTCOMES`.
        requirement: name of the violated requirement or missed objective; "" if none.
        time: s, of the violation (located between steps), else the end of the trace; NaN where there is none.
        message: why it is broken, crashed or hung; else "".
        values: drawn parameters by name; numbers, and texts for choices.
        margins: least value of every witness and objective by name, the signed distance to violation.
        final: x, y, z (m), roll, pitch, yaw (rad) of the base at the end, or of the first object if it is bolted.
        seconds: s, wall time that it took.
        events: columns of equal length: t (s), kind, feature.
        telemetry: columns of equal length: t (s), then positions, velocities, torques, forces, witnesses.
    """

    policy: str
    particle: int
    outcome: str
    requirement: str = ""
    time: float = math.nan
    message: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    margins: dict[str, float] = field(default_factory=dict)
    final: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    events: dict[str, Any] = field(default_factory=dict)
    telemetry: dict[str, Any] = field(default_factory=dict)
