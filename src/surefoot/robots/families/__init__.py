"""Bundled robots: frozen dataclasses that build an MjSpec. Vary one with `dataclasses.replace` or `with_values`."""

from __future__ import annotations

from surefoot import checks
from surefoot.robots.families.arm import ARM, Arm
from surefoot.robots.families.links import LINKS, LINKS_FEET, LINKS_LIGHT
from surefoot.robots.families.parameters import parameters, with_values
from surefoot.robots.families.quadruped import Quadruped
from surefoot.robots.families.ur10 import UR10, Ur10
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Terrain

__all__ = ["FAMILIES", "Arm", "Family", "Quadruped", "Ur10", "build", "family", "parameters", "with_values"]

Family = Quadruped | Arm | Ur10

FAMILIES: dict[str, Family] = {robot.name: robot for robot in (LINKS, LINKS_LIGHT, LINKS_FEET, ARM, UR10)}


def family(name: str) -> Family:
    """The bundled robot called `name`, as a dataclass to vary: `family("links").scene()` builds it."""
    return FAMILIES[checks.choice("robot", name, FAMILIES)]


def build(name: str, ground: Terrain | str | None = "default") -> Scene:
    """The bundled robot called `name`, at home on `ground`: a terrain, None, or "default" for its own plane."""
    return family(name).scene(ground)
