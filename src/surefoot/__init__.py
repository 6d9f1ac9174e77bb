"""Surefoot: what contact will do to a robot. The public list, nothing else; names load on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surefoot import control as control
    from surefoot import design as design
    from surefoot import gait as gait
    from surefoot import modes as modes
    from surefoot import traces as traces
    from surefoot import whole_body as whole_body
    from surefoot.answer import Answer as Answer
    from surefoot.batch import BatchAnswer as BatchAnswer
    from surefoot.batch import inverse_dynamics_batch as inverse_dynamics_batch
    from surefoot.contact import Contacts as Contacts
    from surefoot.dynamics import forward_dynamics as forward_dynamics
    from surefoot.dynamics import inverse_dynamics as inverse_dynamics
    from surefoot.dynamics import solve as solve
    from surefoot.errors import EngineError as EngineError
    from surefoot.errors import InputError as InputError
    from surefoot.errors import ModelError as ModelError
    from surefoot.errors import SolveError as SolveError
    from surefoot.errors import SurefootError as SurefootError
    from surefoot.inverse import InverseDynamics as InverseDynamics
    from surefoot.kernels.follow import follow as follow
    from surefoot.laws import Compliant as Compliant
    from surefoot.laws import Coulomb as Coulomb
    from surefoot.laws import Dissipative as Dissipative
    from surefoot.laws import NoSlip as NoSlip
    from surefoot.laws import Soft as Soft
    from surefoot.robots.check import check as check
    from surefoot.robots.compose import scene as scene
    from surefoot.robots.gears import geared as geared
    from surefoot.robots.load import load as load
    from surefoot.robots.objects import Ball as Ball
    from surefoot.robots.objects import Box as Box
    from surefoot.robots.scene import Scene as Scene
    from surefoot.robots.state import State as State
    from surefoot.robots.terrains import Curb as Curb
    from surefoot.robots.terrains import HeightMap as HeightMap
    from surefoot.robots.terrains import Plane as Plane
    from surefoot.robots.terrains import Slope as Slope
    from surefoot.robots.write_mjcf import write_mjcf as write_mjcf
    from surefoot.robots.write_urdf import write_urdf as write_urdf
    from surefoot.simulate import JointMotion as JointMotion
    from surefoot.simulate import MujocoPlant as MujocoPlant
    from surefoot.simulate import Policy as Policy
    from surefoot.simulate import Simulator as Simulator
    from surefoot.simulate import Trace as Trace
    from surefoot.simulate import joint_motion as joint_motion
    from surefoot.simulate import policy as policy
    from surefoot.simulate.push import Push as Push
    from surefoot.solvers.status import Status as Status
    from surefoot.traces.distributions import Choice as Choice
    from surefoot.traces.distributions import Jitter as Jitter
    from surefoot.traces.distributions import Normal as Normal
    from surefoot.traces.distributions import Uniform as Uniform
    from surefoot.traces.distributions import measured as measured
    from surefoot.traces.disturbances import Fault as Fault
    from surefoot.traces.falsify import falsify as falsify
    from surefoot.traces.online import safe_to_switch as safe_to_switch
    from surefoot.traces.scenario import Scenario as Scenario
    from surefoot.traces.witness import witness as witness

_HOMES = {
    "Answer": "answer",
    "Ball": "robots.objects",
    "BatchAnswer": "batch",
    "Box": "robots.objects",
    "Choice": "traces.distributions",
    "Compliant": "laws",
    "Contacts": "contact",
    "Coulomb": "laws",
    "Curb": "robots.terrains",
    "Dissipative": "laws",
    "EngineError": "errors",
    "Fault": "traces.disturbances",
    "HeightMap": "robots.terrains",
    "InputError": "errors",
    "InverseDynamics": "inverse",
    "Jitter": "traces.distributions",
    "JointMotion": "simulate",
    "ModelError": "errors",
    "MujocoPlant": "simulate",
    "NoSlip": "laws",
    "Normal": "traces.distributions",
    "Plane": "robots.terrains",
    "Policy": "simulate",
    "Push": "simulate.push",
    "Scenario": "traces.scenario",
    "Scene": "robots.scene",
    "Simulator": "simulate",
    "Slope": "robots.terrains",
    "Soft": "laws",
    "SolveError": "errors",
    "State": "robots.state",
    "Status": "solvers.status",
    "SurefootError": "errors",
    "Trace": "simulate",
    "Uniform": "traces.distributions",
    "check": "robots.check",
    "falsify": "traces.falsify",
    "follow": "kernels.follow",
    "forward_dynamics": "dynamics",
    "geared": "robots.gears",
    "inverse_dynamics": "dynamics",
    "inverse_dynamics_batch": "batch",
    "joint_motion": "simulate",
    "load": "robots.load",
    "measured": "traces.distributions",
    "policy": "simulate",
    "safe_to_switch": "traces.online",
    "scene": "robots.compose",
    "solve": "dynamics",
    "witness": "traces.witness",
    "write_mjcf": "robots.write_mjcf",
    "write_urdf": "robots.write_urdf",
}

_ROOMS = ("control", "design", "gait", "modes", "traces", "whole_body")  # public as a whole: sf.control.PID

__all__ = sorted([*_HOMES, *_ROOMS])  # pyright: ignore


def __getattr__(name: str) -> Any:
    """Import a public name on first use: `surefoot --help` need not load the engine."""
    if name in _ROOMS:
        return importlib.import_module(f"surefoot.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"surefoot.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
