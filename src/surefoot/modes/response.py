"""Every mode of a system, and what follows: all solutions at a torque, sure torques, the best torque."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes.linear import rows_of
from surefoot.modes.mode import Mode
from surefoot.modes.optimum import Optimum, maximise
from surefoot.modes.painleve import Painleve, painleve
from surefoot.modes.region import Region
from surefoot.modes.scaling import scaled
from surefoot.modes.search import contact_blocks, inequalities, names_of, search
from surefoot.modes.solutions import Solutions, solution_of
from surefoot.modes.system import ContactSystem
from surefoot.solvers.polyhedron import Polyhedron

Array = NDArray[np.float64]


class Modes(Sequence[Mode]):
    """Modes that are made when they are looked at; there may be very many."""

    def __init__(self, response: Response, leaves: NDArray[np.int64]) -> None:
        self._response, self._leaves = response, leaves

    def __len__(self) -> int:
        return len(self._leaves)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._response.mode(leaf) for leaf in self._leaves[i]]
        return self._response.mode(self._leaves[i])

    def __iter__(self) -> Iterator[Mode]:
        return (self._response.mode(leaf) for leaf in self._leaves)

    def __repr__(self) -> str:
        return f"{len(self)} modes"


class Outcomes(NamedTuple):
    """Lowest and highest value of an objective over all solutions at a torque; NaN if there is none."""

    low: float
    high: float


class Response:
    """The dynamic response of a system to all torques, mode by mode: (23) of [Greenfield2005].

    Attributes:
        system: the system.
        modes: every combination of contact modes that some torque allows; a lazy sequence.
        combinations: how many there are on paper, 4^k in the plane.
        considered: how many the velocities leave, table III.
        nodes: linear programs that were solved to find the modes.
    """

    def __init__(
        self, system: ContactSystem, *, progress: bool = False, friction: tuple[Array, Array] | None = None
    ) -> None:
        """Search all modes; `progress` shows a bar; `friction` (k,) and (k,) if it is only known to lie between."""
        self.system = system
        self._units = scaled(system)
        self._blocks = contact_blocks(system, *(friction or (system.friction, system.friction)))
        self._problem = inequalities(system, self._blocks, self._units)
        found = search(self._problem, progress=progress)
        self._made: dict[tuple[int, ...], Mode] = {}
        self.modes = Modes(self, found.leaves)
        each = 4 if system.edges is None else 2 + 2 * system.edges
        self.combinations = each**system.contacts
        self.considered = int(np.prod([len(tokens) for tokens in self._problem.tokens], dtype=object))
        self.nodes = found.nodes

    def __repr__(self) -> str:
        return f"Response({len(self.modes)} modes of {self.combinations}, {self.system.contacts} contacts)"

    @property
    def torque_units(self) -> Array:
        """(t,) torques that do about as much as the accelerations without contact."""
        return self._units.torque

    def mode(self, leaf: NDArray[np.int64]) -> Mode:
        """The mode with these numbers of tokens (k,), made once."""
        key = tuple(leaf.tolist())
        if key not in self._made:
            self._made[key] = Mode(self.system, self._units, self._blocks, leaf)
        return self._made[key]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all modes."""
        return names_of(self.system, self._problem, self.modes._leaves)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._places

    def __getitem__(self, name: str) -> Mode:
        if name not in self:
            checks.indices("mode", [name], self.names, "feasible mode")
        return self.modes[self._places[name]]

    def modes_at(self, torque: Any) -> list[Mode]:
        """Modes that can happen at torques (t,)."""
        tau = checks.array("torque", torque, (self.system.torques,))
        return [self.mode(leaf) for leaf in search(self._problem, torque=tau / self._units.torque).leaves]

    def modes_within(self, torques: Polyhedron) -> list[Mode]:
        """Modes that can happen somewhere in a set of torques."""
        rows, equal = torques.rows * self.torque_units, torques.equal * self.torque_units
        bounds = np.concatenate([torques.offset, torques.value])
        return [self.mode(leaf) for leaf in search(self._problem.with_rows(rows, equal, bounds)).leaves]

    def solutions(self, torque: Any = None) -> Solutions:
        """All solutions at torques (t,), default none applied: which modes, which forces, how many."""
        tau = (
            np.zeros(self.system.torques) if torque is None else checks.array("torque", torque, (self.system.torques,))
        )
        return Solutions(tau, [solution_of(mode, tau) for mode in self.modes_at(tau)], self.painleve)

    @cached_property
    def painleve(self) -> tuple[Painleve, ...]:
        """Contacts that a slide would press together: Painleve's paradox."""
        return painleve(self.system, self._blocks)

    def unambiguous(self, mode: str | Mode) -> Region:
        """T_c*: torques at which this mode happens and no other can, (34)."""
        chosen = mode if isinstance(mode, Mode) else self[mode]
        return Region(chosen.name, chosen.torques, self)

    def maximise(
        self,
        acceleration: Any = None,
        force: Any = None,
        torque: Any = None,
        *,
        subject_to: Any = (),
        ambiguity: str = "avoid",
    ) -> Optimum | None:
        """The torque that makes `acceleration qdd + force f + torque tau` largest, over all modes.

        Args:
            acceleration: (nv,) coefficients, or None.
            force: (2k,) or (3k,) coefficients, or None.
            torque: (t,) coefficients, or None.
            subject_to: further `Linear` constraints beside the system's task.
            ambiguity: "avoid": only torques at which no other mode can happen; "ignore": hope for the best mode;
                "worst": the torque whose worst outcome, over all modes and what they leave open, is best.

        Returns:
            The optimum; None if no torque will do (with "worst": if every torque may be bad without end).

        Raises:
            SolveError: it grows for ever; give torque limits.
        """
        checks.choice("ambiguity", ambiguity, ("avoid", "ignore", "worst"))
        if acceleration is None and force is None and torque is None:
            raise InputError("maximise: expected coefficients of acceleration, force or torque, got none")
        extra = (self.system.task_rows, rows_of("subject_to", subject_to, self.system.sizes))
        return maximise(self, (acceleration, force, torque), extra, ambiguity)

    def outcomes(self, torque: Any, acceleration: Any = None, force: Any = None) -> Outcomes:
        """Lowest and highest `acceleration qdd + force f` over all solutions at torques (t,)."""
        tau = checks.array("torque", torque, (self.system.torques,))
        low, high = [], []
        for mode in self.modes_at(tau):
            c, rest = mode.objective(acceleration, force, None)
            fixed, c = rest + c[: len(tau)] @ tau, c[len(tau) :]
            fibre = mode.fibre(tau)
            high.append(fixed + fibre.maximise(c).value)
            low.append(fixed - fibre.maximise(-c).value)
        return Outcomes(min(low), max(high)) if low else Outcomes(np.nan, np.nan)

    def table(self) -> str:
        """The modes as text for people."""
        head = f"{len(self.modes)} of {self.combinations} modes, {self.considered} after velocities, {self.nodes} nodes"
        lines = [head, f"{'mode':<12}{'case':>5}{'rank':>6}{'w':>4}{'rows':>6}  ambiguity"]
        for mode in self.modes:
            lines.append(
                f"{mode.name:<12}{mode.case:>5}{mode.rank:>6}{mode.ambiguity_variables:>4}"
                f"{len(mode.domain.rows):>6}  {mode.ambiguity}"
            )
        return "\n".join([*lines, *(p.text for p in self.painleve)])

    def plot(self, path: Any = None, **options: Any) -> Any:
        """Draw the torque plane coloured by mode; see `surefoot.modes.plot.plot_torques`."""
        from surefoot.modes.plot import plot_torques

        return plot_torques(self, path, **options)
