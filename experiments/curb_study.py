"""What experiments on section 4.3.2 of [Zapolsky2017] share: a quadruped that turns into a curb, scenario `curb`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.simulate.plot import roll_pitch_yaw
from surefoot.traces.groups import Group
from surefoot.traces.scenario_file import load_scenario

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
PARTICLES, QUICK = 128, 12
RULER = "ground.height"
"""What the curb's height is called, which is read off a ruler."""


def curb(*, ruler: bool = True, strikes: bool = True) -> sf.Scenario:
    """The scenario.

    Args:
        ruler: whether the curb's height is only as sure as read off a ruler; the paper does not vary it.
        strikes: whether a foot may strike the side of the curb; in the paper it may not.
    """
    scenario = load_scenario("curb")
    uncertainty = {name: how for name, how in scenario.uncertainty.items() if ruler or name != RULER}
    requirements = scenario.requirements if strikes else [*scenario.requirements, sf.traces.NoStrike()]
    return replace(scenario, uncertainty=uncertainty, requirements=requirements)


def differences(scenario: sf.Scenario) -> str:
    """What differs from the paper, for people."""
    policy: Any = scenario.policies["3 cm"]
    lag: Any = scenario.uncertainty["lag.torque"]
    ruler: Any = scenario.uncertainty[RULER]
    return (
        f"What differs from the paper: walks last {scenario.duration:g} s (its text says 1.5 s, its files 3 s); feet "
        f"are on springs of {policy.kp:g} N/m with {policy.kd:g} N s/m under a robot of {scenario.nominal().mass:.1f} "
        "kg (1000 N/m; its particles weigh 1.0 to 1.9 kg); the curb's height is known to a standard deviation of "
        f"{1e3 * ruler.sd:g} mm (not varied); torques are late by up to {1e3 * lag.high:g} ms; a foot may strike the "
        "side of the curb."
    )


def traced(scenario: sf.Scenario, particles: int, policies: list[str], tell: Callable[[int], None]) -> sf.traces.Run:
    """Particles of a scenario on all cores (a few: in this process), in a folder that goes with the run."""
    workers = 0 if particles <= QUICK else None
    return sf.falsify(scenario, particles, workers=workers, policies=policies, progress=lambda done, *_: tell(done))


def silent(done: int, total: int) -> None:
    """Tell nobody."""


def motions(run: sf.traces.Run, group: Group) -> list[tuple[Array, Array]]:
    """Times (n,) in s and configurations (n, nq) of every trace of a policy; n = 0 if the trace has none."""
    names = [f"q{k}" for k in range(run.scenario.nominal().nq)]
    table = run.folder.telemetry(policy=group.policy, columns=["t", *names])
    particle, t = np.asarray(table["particle"]), np.asarray(table["t"], dtype=np.float64)
    q = np.array([np.asarray(table[name], dtype=np.float64) for name in names]).T
    return [(t[particle == k], q[particle == k]) for k in group.particle]


def yaw(q: Array) -> Array:
    """(n,) turn of the base in degrees, without jumps by a turn, of configurations (n, nq)."""
    return np.degrees(np.unwrap(roll_pitch_yaw(q[:, 3:7])[:, 2]))


def feet_over(scenario: sf.Scenario, q: Array) -> int:
    """How many feet of the robot as modelled are beyond the curb at q (nq,)."""
    scene, far = scenario.nominal(), scenario.objective[0]
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(scene.model, data)
    places = np.array([data.geom(foot.geoms[0]).xpos[:2] for foot in scene.feet])
    return int(((places - far.point) @ [np.cos(far.heading), np.sin(far.heading)] >= 0.0).sum())
