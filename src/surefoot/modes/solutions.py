"""All solutions at one torque: none, one, several, or a continuum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot.modes.mode import Mode, Range, inner_point

if TYPE_CHECKING:
    from surefoot.modes.response import Painleve

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solution:
    """All solutions in one mode at one torque, and one of them.

    Attributes:
        mode: its name.
        torque: (t,).
        acceleration: (nv,) of one solution, well inside.
        force: (2k,) or (3k,) contact forces of that solution [N].
        dimension: of the set of solutions; 0: the solution is unique in its mode.
        ambiguity: what differs within the mode: "none", "forces" or "accelerations".
        residual: largest violation of dynamics and mode by that solution, without units.
    """

    mode: str
    torque: Array
    acceleration: Array
    force: Array
    dimension: int
    ambiguity: str
    residual: float
    _mode: Mode = field(repr=False)

    def range(self) -> Range:
        """Lowest and highest accelerations and contact forces in this mode at this torque."""
        return self._mode.extent(self.torque)


def solution_of(mode: Mode, torque: Array) -> Solution:
    """The solutions of a mode at a torque of its domain."""
    fibre = mode.fibre(torque)
    w, _ = inner_point(fibre) if fibre.space else (np.zeros(0), 0.0)
    acceleration, force = mode.respond(torque, w)
    shape = fibre.reduced() if fibre.space else fibre
    dimension = fibre.space - len(shape.equal) if fibre.space else 0
    return Solution(
        mode=mode.name,
        torque=torque,
        acceleration=acceleration,
        force=force,
        dimension=dimension,
        ambiguity=mode.open_to(shape) if dimension else "none",
        residual=mode.residual(torque, acceleration, force),
        _mode=mode,
    )


class Solutions(Sequence[Solution]):
    """Every solution at one torque, by mode.

    Attributes:
        torque: (t,).
        painleve: contacts whose sliding presses them together, if that is why there is no solution or more than one.
    """

    def __init__(self, torque: Array, found: list[Solution], painleve: tuple[Painleve, ...]) -> None:
        """Take the solutions of each mode."""
        self.torque, self._found = torque, found
        self.painleve = painleve if len(found) != 1 else ()

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, i):
        return self._found[i]

    def __iter__(self) -> Iterator[Solution]:
        return iter(self._found)

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the modes."""
        return tuple(solution.mode for solution in self._found)

    @property
    def kind(self) -> str:
        """How many there are: "none", "one", "several", or a "continuum" (within at least one mode)."""
        if any(solution.dimension for solution in self._found):
            return "continuum"
        return ("none", "one")[len(self)] if len(self) < 2 else "several"

    def __repr__(self) -> str:
        return f"Solutions({self.kind}: {', '.join(self.modes) or '-'})"

    def table(self) -> str:
        """The solutions as text for people."""
        lines = [f"{self.kind}: {len(self)} mode{'' if len(self) == 1 else 's'} at torque {_numbers(self.torque)}"]
        for s in self:
            more = f", {s.ambiguity} differ in {s.dimension} direction{'s' * (s.dimension > 1)}" if s.dimension else ""
            lines.append(f"  {s.mode}: acceleration {_numbers(s.acceleration)}, force {_numbers(s.force)}{more}")
        lines += [f"  {p.text}" for p in self.painleve]
        return "\n".join(lines)


def _numbers(values: Array) -> str:
    return "(" + ", ".join(f"{v + 0.0:.4g}" for v in np.where(np.abs(values) < 1e-12, 0.0, values)) + ")"
