"""One trace: a particle, built as its parameters say, under a policy that believes the nominal robot."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot.simulate.policy import Policy
from surefoot.simulate.simulator import Simulator
from surefoot.simulate.trace import Trace
from surefoot.solvers.status import Status
from surefoot.traces.distributions import Jitter
from surefoot.traces.disturbances import Disturbances, Fault, Push
from surefoot.traces.events import events_of
from surefoot.traces.fabricate import Built
from surefoot.traces.imperfect import Errors, Imperfect, ImperfectPython
from surefoot.traces.requirements import angles
from surefoot.traces.result import BROKEN, KNOWN, SUCCESS, UNKNOWN, Result
from surefoot.traces.span import Array, Span, last_moment, span_of_log
from surefoot.traces.witness import Witness, crossing, distances
from surefoot.traces.worker import told

LOOK = 250  # steps between two looks at the requirements


@dataclass(frozen=True)
class Task:
    """What all particles of a scenario have in common.

    Attributes:
        duration: s.
        dt: s, step of the plant.
        requirements: must hold in every step.
        objective: must hold at the end.
        telemetry_dt: s between two rows of telemetry.
    """

    duration: float
    dt: float
    requirements: Sequence[Witness]
    objective: Sequence[Witness]
    telemetry_dt: float


class Particle:
    """A particle on its way.

    Attributes:
        run: the roll-out.
        violated: number of the violated requirement, or None.
        at: steps until then.
        time: s of the violation, between two steps.
    """

    def __init__(
        self,
        task: Task,
        built: Built,
        plant: Simulator,
        policy: Any,
        values: Mapping[str, Any],
        noise: Mapping[str, Jitter],
        pushes: Sequence[Push],
        faults: Sequence[Fault],
        seed: int,
        particle: int,
    ) -> None:
        self.task, self.built = task, built
        errors = Errors(built.scene, plant.control_dt, values, noise, seed, particle)
        wrapped = policy
        if not errors.none or pushes or faults:
            wrapped = Imperfect(policy, errors) if isinstance(policy, Policy) else ImperfectPython(policy, errors)
        self.run = plant.begin(built.state, wrapped, task.duration)
        self._params = self.run.params if isinstance(wrapped, Policy) else getattr(wrapped, "params", self.run.params)
        self._disturbances = Disturbances(pushes, faults, built.scene, task.dt, errors)
        self._witnessed: list[list[Array]] = [[] for _ in task.requirements]
        self.violated: int | None = None
        self.at = self.run.steps
        self.time = 0.0

    def trace(self) -> None:
        """Run to the end or to the first violation."""
        run = self.run
        try:
            self._run()
        finally:
            self._disturbances.clear(run)
        if self.violated is None:
            self.at, self.time = run.done, run.now

    def _run(self) -> None:
        run = self.run
        while run.going and self.violated is None:
            first = run.done
            try:
                self._advance(first + LOOK)
            except Exception:  # of the policy; one that comes after a violation is none
                self._look(first, run.done)
                if self.violated is None:
                    raise
                break
            self._look(first, run.done)
        if self.violated is None and run.done == run.steps:
            self._witness(self._end(), run.done)

    def _advance(self, until: int) -> None:
        """Take steps until this many are done, with all that befalls the robot on the way."""
        run = self.run
        while run.going and run.done < until:
            self._disturbances.apply(run, self._params)
            run.advance(min(until, self._disturbances.next(run.done)))

    def _look(self, first: int, last: int) -> None:
        """Check the requirements in steps first..last-1."""
        if last > first:
            self._witness(self._span(first, last), first)

    def _span(self, first: int, last: int) -> Span:
        run = self.run
        return span_of_log(self.built.scene, run.log, run.start.t, self.task.dt, run.plant.space.detection, first, last)

    def _end(self) -> Span:
        """The moment after the last step."""
        run = self.run
        return last_moment(self._span(run.done - 1, run.done), run.log.q[run.done], run.log.v[run.done], run.now)

    def _witness(self, span: Span, first: int) -> None:
        """Check the requirements in a span that begins with step `first`."""
        task = self.task
        for i, requirement in enumerate(task.requirements):
            values = distances(f"requirement {requirement.name!r}", requirement.values(span), len(span))
            self._witnessed[i].append(values)
            below = np.flatnonzero(~(values >= 0.0))  # a NaN is a violation
            if not len(below):
                continue
            k = int(below[0])
            before = self._witnessed[i][-2][-1:] if k == 0 and len(self._witnessed[i]) > 1 else values[:0]
            values, t = np.concatenate([before, values]), span.t
            if len(before):
                t = np.concatenate([span.t[:1] - task.dt, span.t])
            at = crossing(t, values, k + len(before))
            if self.violated is None or at < self.time:
                self.violated, self.at, self.time = i, first + k, at

    def result(self, policy: str, particle: int, values: Mapping[str, Any], began: float) -> Result:
        """What it came to."""
        run, task, scene = self.run, self.task, self.built.scene
        witnessed = {
            requirement.name: np.concatenate(pieces)[: self.at + 1] if pieces else np.empty(0)
            for requirement, pieces in zip(task.requirements, self._witnessed, strict=True)
        }
        margins = {name: float(values.min(initial=np.inf)) for name, values in witnessed.items() if len(values)}
        outcome, requirement, message = SUCCESS, "", ""
        if self.violated is not None:
            outcome, requirement = KNOWN, task.requirements[self.violated].name
        elif run.done < run.steps:
            outcome, message = BROKEN, f"at t = {run.now:.6g} s: {Status.from_code(run.code)}"
        elif run.done:
            reached = self._objective()
            margins |= reached
            missed = next((name for name, value in reached.items() if not value >= 0.0), None)
            outcome, requirement = (SUCCESS, "") if missed is None else (UNKNOWN, missed)
        return Result(
            policy=policy,
            particle=particle,
            outcome=outcome,
            requirement=requirement,
            time=self.time,
            message=message,
            values=dict(values),
            margins=margins,
            final=self._final(),
            seconds=time.perf_counter() - began,
            events=events_of(scene, run.log, run.start.t, task.dt, self.at),
            telemetry=self._telemetry(witnessed),
        )

    def _objective(self) -> dict[str, float]:
        """Value of every objective at the end."""
        end = self._end()
        return {
            each.name: float(distances(f"objective {each.name!r}", each.values(end), 1)[0])
            for each in self.task.objective
        }

    def _final(self) -> dict[str, float]:
        """Pose at the end: of the base, or of the first loose object."""
        scene, log = self.built.scene, self.run.log
        name = scene.base or (scene.objects[0] if scene.objects else None)
        if name is None:
            return {}
        at = int(scene.model.jnt_qposadr[scene.model.body(name).jntadr[0]])
        pose = log.q[self.at, at : at + 7]
        names, head = ("x", "y", "z", "roll", "pitch", "yaw"), "" if scene.base else f"{name}."
        return {head + n: float(x) for n, x in zip(names, (*pose[:3], *angles(pose[None])[0]), strict=True)}

    def _telemetry(self, witnessed: Mapping[str, Array]) -> dict[str, Any]:
        """Columns, thinned; the last state is always among them."""
        run, scene = self.run, self.built.scene
        every = max(1, round(self.task.telemetry_dt / self.task.dt))
        rows = np.unique(np.append(np.arange(0, self.at + 1, every), self.at))
        steps = np.minimum(rows, max(self.at - 1, 0))  # torques and forces are of the step that led there at the end
        log = run.log
        columns: dict[str, Any] = {"t": run.start.t + self.task.dt * rows}
        columns |= {f"q{i}": log.q[rows, i] for i in range(scene.nq)}
        columns |= {f"v{i}": log.v[rows, i] for i in range(scene.nv)}
        columns |= {f"torque {joint}": log.torque[steps, i] for i, joint in enumerate(scene.joints)}
        columns |= {f"force {foot.name}": self._force(foot, steps) for foot in scene.feet}
        for name, values in witnessed.items():
            padded = np.append(values, values[-1:]) if len(values) <= self.at else values
            columns[f"witness {name}"] = padded[rows] if len(padded) > self.at else np.full(len(rows), np.nan)
        return columns

    def _force(self, foot: Any, steps: Any) -> Array:
        """(len(steps),) N, sum of the normal forces on a foot."""
        log, model = self.run.log, self.built.scene.model
        geoms = [model.geom(geom).id for geom in foot.geoms]
        used = int(log.start[self.at])
        mine = np.isin(log.geoms[:used], geoms).any(axis=1)
        total = np.concatenate([[0.0], np.cumsum(np.where(mine, log.forces[:used, 0], 0.0))])
        return total[log.start[steps + 1]] - total[log.start[steps]] if self.at else np.zeros(len(steps))

    def full_trace(self) -> Trace:
        """Every step until the end or the violation."""
        return self.run.trace(self.at)


def failed(policy: str, particle: int, values: Mapping[str, Any], error: BaseException, began: float) -> Result:
    """The result of a particle that could not be built or run."""
    return Result(
        policy, particle, BROKEN, message=told(error), values=dict(values), seconds=time.perf_counter() - began
    )
