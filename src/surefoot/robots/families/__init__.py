"""Bundled robots: frozen dataclasses that build an MjSpec. Vary one with `dataclasses.replace` or `with_values`."""

from __future__ import annotations

from surefoot import checks
from surefoot.robots.families.links import LINKS, LINKS_LIGHT
from surefoot.robots.families.quadruped import Quadruped
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Terrain

Family = Quadruped

FAMILIES: dict[str, Family] = {family.name: family for family in (LINKS, LINKS_LIGHT)}


def build(name: str, ground: Terrain | str | None = "default") -> Scene:
    """The bundled robot called `name`, at home on `ground` (see its `scene`)."""
    return FAMILIES[checks.choice("robot", name, FAMILIES)].scene(ground)
