"""What the contact law allows in one step, as a list: none, one, several, or a continuum of solutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.modes.painleve import Painleve

Array = NDArray[np.float64]


class StepRange(NamedTuple):
    """Lowest and highest of all solutions in one mode: velocities (nv,), contact forces (n, 3), torques (joints,)."""

    velocity_low: Array
    velocity_high: Array
    forces_low: Array
    forces_high: Array
    torque_low: Array
    torque_high: Array


@dataclass(frozen=True, eq=False)
class StepSolution:
    """All solutions of a step in one mode, and one of them.

    Attributes:
        mode: tokens of all contacts, joint limits, dry frictions and motors, in the order of `StepSolutions.names`.
        tokens: the same one by one.
        velocity: (nv,) at the end of the step.
        forces: (n, 3) N on the robot in each contact's frame.
        torque: (joints,) N m (N) that the actuated joints exert.
        dimension: of the set of solutions; 0: the solution is unique in its mode.
        ambiguity: what differs within the mode: "none", "forces" or "motion" (and forces).
        residual: largest violation of the law, as in `Answer.residuals`.
    """

    mode: str
    tokens: tuple[str, ...]
    velocity: Array
    forces: Array
    torque: Array
    dimension: int
    ambiguity: str
    residual: float
    _range: Callable[[], StepRange] = field(repr=False)

    def range(self) -> StepRange:
        """Lowest and highest velocities, forces and torques of all solutions in this mode."""
        return self._range()


class StepSolutions(Sequence[StepSolution]):
    """Every solution of a step, by mode; different modes are different motions.

    A contact separates (S), holds (F), or slides in a sector of its friction pyramid ("0" is along its first tangent)
    or between two ("0|1"). An open contact that closes, or a limit, pushes along its normal (N). A joint with dry
    friction or a motor of limited torque holds (F), slips back (L) or forth (R).

    Attributes:
        names: of contacts, limits, dry frictions and motors, in the order of the tokens.
        own: number of the solution that the answer is, None if it is none of them (a softened or failed one).
        painleve: slides that press their own contact together, if there is more than one motion.
    """

    def __init__(
        self, names: tuple[str, ...], found: list[StepSolution], own: int | None, slides: tuple[Painleve, ...]
    ) -> None:
        """Take the solutions of each mode."""
        self.names, self._found, self.own = names, found, own
        self.painleve = slides if self.motions not in ("none", "one") else ()

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, i: Any) -> Any:
        return self._found[i]

    @property
    def kind(self) -> str:
        """How many there are: "none", "one", "several", or a "continuum" (within at least one mode)."""
        return self._count(any(solution.dimension for solution in self._found))

    @property
    def motions(self) -> str:
        """How many motions there are: "none", "one" (whose forces may differ), "several" or a "continuum"."""
        return self._count(any(solution.ambiguity == "motion" for solution in self._found))

    def _count(self, endless: bool) -> str:
        return "continuum" if endless else "several" if len(self) > 1 else ("none", "one")[len(self)]

    def __repr__(self) -> str:
        return f"StepSolutions({self.kind}: {', '.join(s.mode or '-' for s in self) or '-'})"

    def table(self) -> str:
        """The solutions as text for people."""
        lines = [f"solutions: {self.kind}; motions: {self.motions}"]
        if len(self) and self.names:
            lines.append(f"{'':<36}{'mode':>5}{'normal N':>12}{'friction N':>12}")
        for i, s in enumerate(self):
            own = " (the answer)" if i == self.own else ""
            free = f": {s.ambiguity} free in {s.dimension} direction{'s' * (s.dimension > 1)}" if s.dimension else ""
            lines.append(f"{i + 1}{own}{free}")
            for k, (name, token) in enumerate(zip(self.names, s.tokens, strict=True)):
                pushes = [(f[0] + 0.0, np.linalg.norm(f[1:])) for f in s.forces[k : k + 1].round(9)]
                lines.append(f"  {name:<34}{token:>5}{''.join(f'{a:>12.4f}{b:>12.4f}' for a, b in pushes)}")
        return "\n".join(lines + [p.text for p in self.painleve])
