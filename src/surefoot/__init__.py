"""Surefoot: what contact will do to a robot. The public list, nothing else; names load on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surefoot import control as control
    from surefoot import gait as gait
    from surefoot import modes as modes
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
    from surefoot.simulate import JointMotion as JointMotion
    from surefoot.simulate import MujocoPlant as MujocoPlant
    from surefoot.simulate import Policy as Policy
    from surefoot.simulate import Simulator as Simulator
    from surefoot.simulate import Trace as Trace
    from surefoot.simulate import joint_motion as joint_motion
    from surefoot.simulate import policy as policy
    from surefoot.solvers.status import Status as Status

_HOMES = {
    "Answer": "answer",
    "Ball": "robots.objects",
    "BatchAnswer": "batch",
    "Box": "robots.objects",
    "Compliant": "laws",
    "Contacts": "contact",
    "Coulomb": "laws",
    "Curb": "robots.terrains",
    "Dissipative": "laws",
    "EngineError": "errors",
    "HeightMap": "robots.terrains",
    "InputError": "errors",
    "InverseDynamics": "inverse",
    "JointMotion": "simulate",
    "ModelError": "errors",
    "MujocoPlant": "simulate",
    "NoSlip": "laws",
    "Plane": "robots.terrains",
    "Policy": "simulate",
    "Scene": "robots.scene",
    "Simulator": "simulate",
    "Slope": "robots.terrains",
    "Soft": "laws",
    "SolveError": "errors",
    "State": "robots.state",
    "Status": "solvers.status",
    "SurefootError": "errors",
    "Trace": "simulate",
    "check": "robots.check",
    "follow": "kernels.follow",
    "forward_dynamics": "dynamics",
    "geared": "robots.gears",
    "inverse_dynamics": "dynamics",
    "inverse_dynamics_batch": "batch",
    "joint_motion": "simulate",
    "load": "robots.load",
    "policy": "simulate",
    "scene": "robots.compose",
    "solve": "dynamics",
}

_ROOMS = ("control", "gait", "modes")  # public as a whole: sf.control.PID

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
