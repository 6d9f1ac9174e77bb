"""What only shows once a scenario meets its scene: names that are not there, values that do not suit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.laws import as_law
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.traces.distributions import Choice, Constant
from surefoot.traces.disturbances import Fault, Push
from surefoot.traces.parameters import Parameter
from surefoot.traces.span import Span
from surefoot.traces.witness import Witness, distances

LAW = "law"


def check_policies(policies: Any) -> None:
    """Refuse what is no table of functions of (scene, dt) by name."""
    if not isinstance(policies, Mapping) or not policies:
        raise InputError(f"policies: expected functions of (scene, dt) by name, got {policies!r}")
    for name, make in policies.items():
        if not isinstance(name, str) or not name.isprintable() or not name or not callable(make):
            raise InputError(f"policies: expected functions of (scene, dt) by name, got {make!r} as {name!r}")
        _check_maker(name, make)


def check_names(names: Sequence[Any]) -> None:
    """Refuse names of requirements and objectives that a table could not tell apart."""
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name.isprintable() or not name:
            raise InputError(f"requirements, objective: expected a name for each, got {name!r}")
        if name in names[:i]:
            raise InputError(f"requirements, objective: two are called {name!r}; give one another name")


def listed(what: str, given: Any, kind: str) -> tuple[Any, ...]:
    """A list as a tuple; `kind`: of what it is a list."""
    if not isinstance(given, list | tuple):
        raise InputError(f"{what}: expected a list of {kind}, got {given!r}")
    return tuple(given)


def _check_maker(name: str, make: Callable[..., Any]) -> None:
    """Refuse what makes a policy of that name unless it can be called with a scene and a time."""
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind(None, None)
    except TypeError:
        called = getattr(make, "__name__", type(make).__name__)
        raise InputError(f"policies: {name!r}: expected a function of (scene, dt), got {called}{signature}") from None


def check_values(parameters: Iterable[Parameter]) -> None:
    """Refuse choices and constants that are no numbers where numbers are wanted, and laws that are none."""
    for parameter in parameters:
        distribution = parameter.distribution
        with checks.told(f"uncertainty: {parameter.name!r}: "):
            if isinstance(distribution, Choice):
                given = distribution.values
            elif isinstance(distribution, Constant):
                given = (distribution.number,)
            elif parameter.name == LAW:
                raise InputError(f"expected a choice of contact laws, got {distribution!r}")
            else:
                continue
            for value in given:
                if parameter.name == LAW:
                    as_law(value)
                elif parameter.name.endswith("mu"):
                    checks.friction("value", value)
                else:
                    checks.number("value", value)


def check_disturbances(scene: Scene, pushes: Sequence[Push], faults: Sequence[Fault]) -> None:
    """Refuse pushes of bodies and faults of parts that the scene does not have."""
    for k, push in enumerate(pushes):
        with checks.told(f"pushes[{k}]: "):
            push.body_of(scene)
    for k, fault in enumerate(faults):
        with checks.told(f"faults[{k}]: "):
            fault.parts(scene)


def check_witnesses(what: str, witnesses: Sequence[Witness], scene: Scene, start: State, dt: float) -> None:
    """Refuse requirements that cannot be asked of the scene, by asking them once at the start, where nothing touches.

    Args:
        what: "requirements" or "objective".
        witnesses: to ask.
        scene: the nominal robot.
        start: where it starts.
        dt: s, step of the plant.
    """
    span = _moment(scene, start, dt)
    for witness in witnesses:
        with checks.told(f"{what}: {witness.name!r}: "):
            distances("values", witness.values(span), 1)


def _moment(scene: Scene, start: State, dt: float) -> Span:
    """One step without contacts."""
    return Span(
        scene=scene,
        t=np.array([start.t]),
        q=np.array(start.q)[None],
        v=np.array(start.v)[None],
        torque=np.zeros((1, len(scene.joints))),
        start=np.zeros(2, dtype=np.int64),
        geoms=np.zeros((0, 2), dtype=np.int64),
        points=np.zeros((0, 3)),
        frames=np.zeros((0, 3, 3)),
        gaps=np.zeros(0),
        forces=np.zeros((0, 3)),
        velocities=np.zeros((0, 3)),
        near=1.0,
        touch=dt * dt,
    )
