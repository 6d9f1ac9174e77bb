"""Ground and loose objects as they are: every number of their dataclasses by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from surefoot.robots.objects import Loose
from surefoot.robots.terrains import Terrain
from surefoot.traces.fabricate_family import changed, part_names

FRICTION = ("mu", "curb_mu")  # None there means MuJoCo's rule, and may become a number


def ground_names(terrain: Terrain | None) -> dict[str, Any]:
    """Nominal value by field of what can be uncertain of the ground; friction that is not given is None."""
    return _names(terrain)


def object_names(things: Sequence[Loose]) -> dict[str, Any]:
    """The same of loose objects, by name of the object and field, and the density of each."""
    return {f"{thing.name}.{name}": value for thing in things for name, value in _names(thing).items()}


def changed_ground(terrain: Any, values: Mapping[str, Any]) -> Any:
    """The ground with new values by field; fields that hold whole numbers are rounded."""
    whole = {field.name for field in fields(terrain) if field.type in (int, "int")} if values else ()
    rounded = {name: round(value) if name in whole else value for name, value in values.items()}
    return changed(terrain, rounded, "ground")


def changed_objects(things: Sequence[Any], values: Mapping[str, Any]) -> list[Any]:
    """The objects with new values by name of the object and field."""
    result = []
    for thing in things:
        prefix = f"{thing.name}."
        own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
        result.append(changed(thing, own, f"object.{thing.name}"))
    return result


def _names(thing: Any) -> dict[str, Any]:
    if not is_dataclass(thing):
        return {}
    names = {name: value for name, value in part_names(thing).items() if not name.startswith("colour.")}
    friction = [field.name for field in fields(thing) if field.name in FRICTION]
    return names | {name: None for name in friction if getattr(thing, name) is None}
