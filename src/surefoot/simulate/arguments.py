"""Arguments that every plant takes, checked."""

from __future__ import annotations

from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.simulate.policy import KEEP_TORQUE, Policy, PythonPolicy, check_function_of_state

LONGEST = 2.0**53  # steps; more cannot be counted, and no memory holds them


def check_scene(scene: Any) -> Scene:
    """Return `scene` if it is one."""
    if not isinstance(scene, Scene):
        raise InputError(f"scene: expected a robot or scene (see sf.load), got {type(scene).__name__}")
    return scene


def control_rate(control_dt: Any, dt: float) -> tuple[float, int]:
    """How often the policy is called: the time between calls in s, None for every step, and how many steps that is."""
    control_dt = dt if control_dt is None else checks.number("control_dt", control_dt, above=0.0)
    every = round(min(control_dt / dt, LONGEST))
    if every < 1 or abs(every * dt - control_dt) > 1e-9 * control_dt:
        raise InputError(f"control_dt: expected a multiple of dt = {dt:g} s, got {control_dt:g}")
    return control_dt, every


def step_count(duration: Any, dt: float) -> int:
    """How many steps a roll-out of `duration` seconds takes."""
    steps = round(min(checks.number("duration", duration, above=0.0) / dt, LONGEST))
    if steps < 1:
        raise InputError(f"duration: expected at least one step of {dt:g} s, got {duration:g}")
    return steps


def policy_of(policy: Any, control_dt: float) -> tuple[Policy, PythonPolicy | None]:
    """What decides in the compiled loop, and what decides in Python, if anything does.

    A policy with a `control_dt` of its own, such as a pipeline, must be called that often.
    """
    wanted = getattr(policy, "control_dt", None)
    if wanted is not None and abs(wanted - control_dt) > 1e-9 * control_dt:
        raise InputError(
            f"policy: made to be called every {wanted:g} s, but this plant calls it every {control_dt:g} s; "
            f"give the plant control_dt={wanted:g}, or build the policy for {control_dt:g} s"
        )
    if isinstance(policy, Policy):
        return policy, None
    if policy is not None:
        check_function_of_state(policy)
    return KEEP_TORQUE, policy


def check_progress(progress: Any) -> None:
    """Raise InputError unless `progress` can be called or is None."""
    if progress is not None and not callable(progress):
        raise InputError(f"progress: expected a function of (done, steps) or None, got {type(progress).__name__}")
