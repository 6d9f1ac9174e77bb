"""A design problem: which robot, which task, which law, which limits; and how near to each limit a design comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.design.course import GaitTask, HandTask, Task
from surefoot.design.crowd import Crowd
from surefoot.design.morphology import Morphology
from surefoot.design.rehearsal import Rehearsal, rehearse
from surefoot.design.witnesses import Answered, Reach, limits, measure
from surefoot.errors import InputError
from surefoot.laws import Law, as_law
from surefoot.robots.scene import Scene
from surefoot.traces.requirements import TorqueSpeed

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Look:
    """A design seen at all samples of a course.

    Attributes:
        p: (m,) its parameters.
        difficulty: of the task.
        names: (w,) of the witnesses.
        values: (n, w) how far each is from its limit; of a crowd at its quantile.
        whose: (n, w) number of the particle that has this value; 0 everywhere without a crowd.
        rehearsals: of the particles, the nominal robot's first.
    """

    p: Array
    difficulty: float
    names: tuple[str, ...]
    values: Array
    whose: NDArray[np.int64]
    rehearsals: tuple[Rehearsal, ...]

    @property
    def worst(self) -> float:
        """The least of all values."""
        return float(self.values.min())

    @property
    def merit(self) -> tuple[float, float]:
        """What an update shall raise: first the least value where a course is out of reach (0: nowhere), then `worst`.

        What is out of reach hides all other witnesses, so these may get worse while it comes into reach.
        """
        blind = np.isinf(self.values).any(axis=1)
        return (min(0.0, float(self.values[blind].min())) if blind.any() else 0.0), self.worst

    @property
    def first(self) -> int:
        """The first sample at which a limit is violated; the number of samples if none is."""
        bad = np.flatnonzero((self.values < 0.0).any(axis=1))
        return int(bad[0]) if len(bad) else len(self.values)

    @property
    def progress(self) -> float:
        """Share of the course, 0 to 1, before that."""
        return self.first / len(self.values)


class Problem:
    """What `improve` solves.

    Attributes:
        morphology: robot, parameters, motors.
        task: what it shall do.
        law: contact law of the rehearsal.
        width: samples of a window; 1: nothing is simulated.
        crowd: robots as built, at whose quantile witnesses are taken; None: the robot as drawn.
    """

    def __init__(
        self,
        morphology: Morphology,
        task: Task,
        *,
        law: Law | str = "dissipative",
        witnesses: Sequence[Any] | None = None,
        width: int = 1,
        crowd: Crowd | None = None,
    ) -> None:
        """Put it together.

        Args:
            morphology: robot, parameters, motors.
            task: a GaitTask, a HandTask, or anything like them.
            law: contact law. Under one whose motion is unique and whose torques are the least witnesses are smooth but
                for a few samples, at which the slip between two standing feet changes its sign.
            witnesses: None: all of `limits`, for the motors of the morphology. A TorqueSpeed without limits of its own
                takes them too. `Reach` and `Answered` are always among them: what is out of reach, or has no answer,
                must not pass because nobody looked.
            width: see `rehearse`.
            crowd: robots as built.
        """
        if not isinstance(morphology, Morphology):
            raise InputError(f"morphology: expected a Morphology, got {morphology!r}")
        if not (hasattr(task, "course") and hasattr(task, "parts")) or isinstance(task, type):
            raise InputError(f"task: expected a {GaitTask.__name__} or {HandTask.__name__}, got {task!r}")
        if crowd is not None and not isinstance(crowd, Crowd):
            raise InputError(f"crowd: expected a Crowd, got {crowd!r}")
        self.morphology, self.task, self.law = morphology, task, as_law(law)
        self.width, self.crowd = checks.whole("width", width, at_least=1), crowd
        if witnesses is not None and (isinstance(witnesses, str) or not isinstance(witnesses, Iterable)):
            raise InputError(f"witnesses: expected a list of them, got {witnesses!r}")
        self._given = None if witnesses is None else tuple(witnesses)

    def __reduce__(self) -> tuple[Any, ...]:
        """For workers."""
        return _remade, (self.morphology, self.task, self.law, self._given, self.width, self.crowd)

    def with_morphology(self, morphology: Morphology) -> Problem:
        """The same problem of another robot, or of one with other motors."""
        return _remade(morphology, self.task, self.law, self._given, self.width, self.crowd)

    @property
    def as_drawn(self) -> Problem:
        """The same problem without its crowd."""
        return _remade(self.morphology, self.task, self.law, self._given, self.width, None)

    @property
    def witnesses(self) -> list[Any]:
        """That are looked at, with the motors' limits."""
        motors = self.morphology.torque, self.morphology.speed
        if self._given is None:
            return limits(*motors, width=self.width)
        found = [TorqueSpeed(*motors, name=one.name) if _is_bare(one) else one for one in self._given]
        return found + [kind() for kind in (Reach, Answered) if not any(isinstance(one, kind) for one in found)]

    def look(self, p: Any, difficulty: float) -> Look:
        """All witnesses at all samples.

        Args:
            p: (m,) parameters.
            difficulty: of the task.
        """
        p = self.morphology.checked(p)
        if self.crowd is None:
            rehearsal = self.rehearse(p, difficulty)
            names, values = measure(self.witnesses, rehearsal)
            return Look(p, difficulty, names, values, np.zeros(values.shape, dtype=np.int64), (rehearsal,))
        rehearsals = tuple(self.rehearse(p, difficulty, particle) for particle in self.crowd.members)
        seen = [measure(self.witnesses, rehearsal) for rehearsal in rehearsals]
        values, whose = self.crowd.quantile_of(np.stack([values for _, values in seen]))
        return Look(p, difficulty, seen[0][0], values, whose, rehearsals)

    def rehearse(
        self, p: Any, difficulty: float, particle: int = 0, samples: Any = None, start: Array | None = None
    ) -> Rehearsal:
        """Of one robot; see `rehearse`.

        Args:
            p: (m,) parameters.
            difficulty: of the task.
            particle: of the crowd; 0: the robot as drawn.
            samples: see `rehearse`.
            start: see `rehearse`.
        """
        nominal = self.morphology.scene(p)
        scene = self.scene(p, particle)
        course, parts = self.task.course(nominal, difficulty), self.task.parts(nominal)
        return rehearse(scene, course, parts, self.law, width=self.width, samples=samples, start=start)

    def scene(self, p: Any, particle: int = 0) -> Scene:
        """The robot, as drawn or as built."""
        if particle == 0 or self.crowd is None:
            return self.morphology.scene(p)
        return self.crowd.scene(self.morphology.at(p), particle)


def _is_bare(witness: Any) -> bool:
    """Whether it is a TorqueSpeed without limits of its own."""
    return isinstance(witness, TorqueSpeed) and witness.torque is None and np.array_equal(witness.speed, np.inf)


def _remade(morphology: Any, task: Any, law: Any, given: Any, width: int, crowd: Any) -> Problem:
    return Problem(morphology, task, law=law, witnesses=given, width=width, crowd=crowd)
