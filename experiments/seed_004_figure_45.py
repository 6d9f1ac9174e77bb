"""[Zapolsky2017], figure 45: torques over speeds of the reconfigurable quadruped's motors at 30 cm/s, before and after.

The small robot's start has no torques to draw: its feet do not reach the stance.

    surefoot reproduce 004-figure-45
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from surefoot_experiments.redesign import automatic

from surefoot.report.comparison import Comparison
from surefoot.report.improvement_plot import draw_clouds

SPEED = 0.3  # m/s, the figure's


def reproduce(folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None) -> Comparison:
    """Improve the large robot and look at both at 30 cm/s; `quick`: three updates."""
    found = automatic("reconfigurable-large", quick, progress)
    rows = []
    for name, p in (("initial", found.start), ("modified", found.p)):
        look = found.problem.look(p, SPEED)
        motors = [k for k, witness in enumerate(look.names) if witness.startswith("torque-speed")]
        values = look.values[:, motors]
        rows.append(
            {
                "robot": f"{name} large",
                "least torque-speed witness": f"{values.min():+.3f}",
                "samples beyond the line": f"{(values < 0.0).any(axis=1).mean():.0%}",
                "paper": "crosses the line" if name == "initial" else "does not",
            }
        )
    notes = ("The small robot cannot be drawn before: at rest already its feet are out of reach of the task's stance.",)
    at_speed = replace(found, difficulty=SPEED, wanted=SPEED)
    return Comparison(tuple(rows), notes, draw_clouds(at_speed, folder / "004-figure-45.png"))
