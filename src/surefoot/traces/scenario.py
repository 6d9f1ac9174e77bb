"""A scenario: a robot, its task, the policies to compare, and all that may not be as modelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.laws import Law
from surefoot.motion.workspace import step_size
from surefoot.robots.compose import KEEP
from surefoot.robots.families import parameters as numbers_of
from surefoot.robots.objects import Loose
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.robots.terrains import Terrain
from surefoot.simulate.arguments import check_function_of_state, control_rate, step_count
from surefoot.simulate.policy import Policy
from surefoot.simulate.simulator import Simulator
from surefoot.simulate.trace import Trace
from surefoot.traces.distributions import Choice, Distribution, Jitter
from surefoot.traces.disturbances import Fault, Push, disturbed
from surefoot.traces.draws import Draws
from surefoot.traces.fabricate import Built, Parts, build
from surefoot.traces.loop_names import is_noise, loop_names
from surefoot.traces.parameters import Parameter, Uncertainty, values
from surefoot.traces.particle import Particle, Task, failed
from surefoot.traces.result import Result
from surefoot.traces.scenario_checks import (
    check_disturbances,
    check_names,
    check_policies,
    check_values,
    check_witnesses,
    listed,
)
from surefoot.traces.scenario_header import header
from surefoot.traces.witness import as_witness

Controller = Callable[[Scene, float], Any]
WARM_UP = 0.05  # s of the traces that make all ready
MOST_STEPS = 5_000_000  # of a trace, which is kept as a whole: over an hour at 1 ms


@dataclass(frozen=True, eq=False)
class Scenario:
    """What is put to the test: every policy meets the same particles, robots that are not quite as modelled.

    Example:
        scenario = sf.Scenario(
            "stand",
            robot="links-light",
            policies={"soft": lambda scene, dt: hold(scene, 20.0), "stiff": lambda scene, dt: hold(scene, 60.0)},
            duration=1.0,
            requirements=[sf.traces.Upright()],
            uncertainty={"robot.*.length": sf.Normal(0.0025), "ground.mu": sf.Uniform(0.1, 0.8)},
        )
        result = scenario.trace("soft", particle=3)

    Attributes:
        name: short name.
        robot: a bundled name, a bundled robot's dataclass, the path of an MJCF or URDF file, or a Scene.
        policies: by name: functions of (scene, dt) that make a policy for the nominal scene, which is all that it
            knows: a `Pipeline`, an `@sf.policy`, or a function of a State.
        duration: s of every trace.
        requirements: witnesses that must stay at or above zero; the first that does not ends the trace.
        objective: witnesses that must be at or above zero at the end.
        uncertainty: distributions by name or pattern, see docs/falsify.md.
        terrain: what it stands on; "keep": the robot's own.
        objects: boxes, balls and the like.
        joints: start of some joints by name, in rad (m).
        law: contact law of the plant.
        restitution: of impacts, 0 to 1.
        pushes, faults: what befalls the robot; their numbers may be uncertain too ("push.0.force.1").
        dt: s, step of the plant.
        start: where to start instead of at home, such as the state that a robot is in now.
        telemetry_dt: s between two rows of telemetry.
        full_telemetry: numbers of the particles whose telemetry has a row a step.
        title: one sentence for people.
        source: text of the file that it was read from, or "".
    """

    name: str
    robot: Any
    policies: Mapping[str, Controller]
    duration: float
    requirements: Sequence[Any] = ()
    objective: Sequence[Any] = ()
    uncertainty: Mapping[str, Distribution] = field(default_factory=dict)
    terrain: Terrain | str | None = KEEP
    objects: Sequence[Loose] = ()
    joints: Mapping[str, float] | None = None
    law: Law | str = "coulomb"
    restitution: float = 0.0
    pushes: Sequence[Push] = ()
    faults: Sequence[Fault] = ()
    dt: float = 1e-3
    start: State | None = None
    telemetry_dt: float = 0.02
    full_telemetry: Sequence[int] = ()
    title: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        """Check all that can be checked without running anything."""
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"name: expected a short name, got {self.name!r}")
        check_policies(self.policies)
        steps = step_count(self.duration, step_size(self.dt))
        if steps > MOST_STEPS:
            raise InputError(f"duration: expected at most {MOST_STEPS} steps of {self.dt:g} s, got {self.duration:g} s")
        checks.number("telemetry_dt", self.telemetry_dt, above=0.0)
        full = listed("full_telemetry", self.full_telemetry, "numbers of particles")
        object.__setattr__(self, "full_telemetry", tuple(checks.whole("full_telemetry", number) for number in full))
        for what in ("requirements", "objective"):
            checked = tuple(as_witness(what, value) for value in listed(what, getattr(self, what), "requirements"))
            object.__setattr__(self, what, checked)
        check_names([witness.name for witness in (*self.requirements, *self.objective)])
        for what, kind in (("pushes", Push), ("faults", Fault)):
            given = listed(what, getattr(self, what), kind.__name__)
            if not all(isinstance(thing, kind) for thing in given):
                raise InputError(f"{what}: expected a list of {kind.__name__}, got {getattr(self, what)!r}")
            object.__setattr__(self, what, given)
        object.__setattr__(self, "objects", listed("objects", self.objects, "Loose"))
        if self.start is not None and not isinstance(self.start, State):
            raise InputError(f"start: expected a State, got {self.start!r}")

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: what was given, nothing that was built of it."""
        fields = self.__dataclass_fields__
        return {name: value for name, value in self.__dict__.items() if name in fields}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put together again."""
        self.__dict__.update(state)

    @cached_property
    def parts(self) -> Parts:
        """The nominal plant."""
        return Parts(self.robot, self.terrain, tuple(self.objects), self.law, self.restitution, self.joints)

    def nominal(self) -> Scene:
        """The scene that every policy believes in."""
        return self._nominal.scene

    @cached_property
    def _nominal(self) -> Built:
        built = build(self.parts, {})
        scene = built.scene
        home = Scene(
            scene.spec, name=scene.name, joints=scene.joints, base=scene.base, feet=scene.feet, objects=scene.objects,
            surfaces=scene.surfaces, notes=scene.notes, home=built.state.q,
        )  # fmt: skip
        return replace(built, scene=home)

    @cached_property
    def known(self) -> dict[str, Any]:
        """Nominal value of all that can be uncertain, by name; None: noise alone."""
        scene = self.nominal()
        disturbances = {
            f"{word}.{k}.{path}": value
            for word, things in (("push", self.pushes), ("fault", self.faults))
            for k, thing in enumerate(things)
            for path, value in numbers_of(thing).items()
        }
        return {**self.parts.names, **loop_names(scene), **disturbances}

    @cached_property
    def _parameters(self) -> list[Parameter]:
        found = Uncertainty(self.uncertainty).resolve(self.known)
        check_values(found)
        return found

    def parameters(self) -> list[Parameter]:
        """All that is uncertain, in order of appearance."""
        return list(self._parameters)

    def values(self, particle: int, seed: int = 0, method: str = "random") -> dict[str, Any]:
        """What is drawn once for a particle, by name; particle 0 is nominal."""
        return values(self._parameters, checks.whole("particle", particle), self._draws(seed, method))

    def _draws(self, seed: int, method: str) -> Draws:
        kept = self.__dict__.setdefault("_drawn", {})
        if (seed, method) not in kept:
            kept[seed, method] = Draws(seed, method, [p.name for p in self._parameters if not p.per_step])
        return kept[seed, method]

    def controller(self, policy: str) -> tuple[Any, float]:
        """A policy made for the nominal scene, and how often it must be called in s."""
        checks.indices("policy", [policy], list(self.policies), "policy")
        made = self.__dict__.setdefault("_controllers", {})
        with checks.told(f"policies: {policy!r}: "):
            control = made[policy] if policy in made else self.policies[policy](self.nominal(), self.dt)
            if control is None:
                raise InputError("expected a Pipeline, an @sf.policy or a function of a State, got None")
            dt, _ = control_rate(getattr(control, "control_dt", self.dt), self.dt)
            pipeline = hasattr(control, "policy") and not isinstance(control, Policy)
            if pipeline or isinstance(control, Policy):  # starts clean in every trace; a function may remember
                made[policy] = control
            if pipeline:
                control = control.policy()  # compiled if it can be, and reset
            if not isinstance(control, Policy):
                check_function_of_state(control)
        return control, dt

    def check(self) -> None:
        """Refuse what cannot work, before a step is taken: names, distributions, requirements and policies.

        Raises:
            InputError: the text says what does not suit the nominal robot.
        """
        self.parameters()
        scene, start = self.nominal(), self._nominal.state if self.start is None else self.start
        for what, size, given in (("q", scene.nq, start.q), ("v", scene.nv, start.v)):
            checks.array(f"start.{what}", given, (size,))
        check_disturbances(scene, self.pushes, self.faults)
        check_witnesses("requirements", self.requirements, scene, start, self.dt)
        check_witnesses("objective", self.objective, scene, start, self.dt)
        for policy in self.policies:
            self.controller(policy)

    def prepare(self) -> None:
        """Compile or load what traces need: a few steps of each kind. What a policy raises is told by its traces."""
        laws = {p.name: p.distribution for p in self._parameters}.get("law")
        for law in dict.fromkeys((self.law, *(laws.values if isinstance(laws, Choice) else ()))):
            short = replace(self, duration=min(self.duration, WARM_UP), law=law, uncertainty=self._without_law())
            for policy in self.policies:
                with suppress(Exception, SystemExit):
                    short.trace(policy, 1)

    def _without_law(self) -> dict[str, Distribution]:
        return {name: distribution for name, distribution in self.uncertainty.items() if name != "law"}

    def trace(
        self,
        policy: str,
        particle: int,
        seed: int = 0,
        method: str = "random",
        *,
        values: Mapping[str, Any] | None = None,
    ) -> Result:
        """One particle under one policy.

        Args:
            policy: name.
            particle: number of the particle, 0 for the nominal one.
            seed: of all draws.
            method: "random" or "sobol".
            values: other values of some parameters, in place of those drawn.

        Returns:
            How it ended; a particle that cannot be built or simulated, or whose policy raises, is "broken", and its
            message says why.
        """
        began = time.perf_counter()
        drawn = self._chosen(particle, seed, method, values)
        control = self.controller(policy)
        try:
            traced = self._traced(control, particle, seed, drawn)
        except (Exception, SystemExit) as error:  # of a policy, a requirement or the plant; `replay` raises it
            return failed(policy, particle, drawn, error, began)
        return traced.result(policy, particle, drawn, began)

    def replay(
        self,
        policy: str,
        particle: int,
        seed: int = 0,
        method: str = "random",
        *,
        values: Mapping[str, Any] | None = None,
    ) -> Trace:
        """The same trace again, bit for bit, with every step; see `trace`."""
        drawn = self._chosen(particle, seed, method, values)
        return self._traced(self.controller(policy), particle, seed, drawn).full_trace()

    def _chosen(self, particle: int, seed: int, method: str, values: Mapping[str, Any] | None) -> dict[str, Any]:
        """What is drawn for a particle, with some values in place of those drawn."""
        values = values or {}
        checks.indices("values", values, [name for name in self.known if not is_noise(name)], "parameter")
        return {**self.values(particle, seed, method), **values}

    def _traced(self, control: tuple[Any, float], particle: int, seed: int, drawn: Mapping[str, Any]) -> Particle:
        policy, control_dt = control
        built, plant = self._plant(drawn, control_dt)
        noise = {p.name: p.distribution for p in self._parameters if isinstance(p.distribution, Jitter)}
        every = self.dt if particle in self.full_telemetry else min(self.telemetry_dt, self.duration)
        task = Task(self.duration, self.dt, self.requirements, self.objective, every)
        traced = Particle(
            task, built, plant, policy, drawn, noise if particle else {}, disturbed("push", self.pushes, drawn),
            disturbed("fault", self.faults, drawn), seed, particle,
        )  # fmt: skip
        traced.trace()
        return traced

    def _plant(self, drawn: Mapping[str, Any], control_dt: float) -> tuple[Built, Simulator]:
        """The plant of a particle; the last one is kept, for the next policy and for one that only starts elsewhere."""
        kept = self.__dict__.get("_last")
        if kept is not None and kept[0] == drawn and kept[1] == control_dt:
            return kept[2], kept[3]
        built = build(self.parts, drawn, self.start)
        if kept is not None and kept[1] == control_dt and _same_plant(kept[2], built):
            plant = kept[3]
        else:
            plant = Simulator(built.scene, self.dt, built.law, control_dt, restitution=built.restitution)
        self.__dict__["_last"] = dict(drawn), control_dt, built, plant
        return built, plant

    def header(self) -> dict[str, Any]:
        """What a run's folder says of it: plain numbers and texts."""
        return header(self)


def _same_plant(one: Built, other: Built) -> bool:
    """Whether two particles differ in their start alone."""
    return one.scene is other.scene and one.law == other.law and one.restitution == other.restitution
