"""Bundled robots as built: every number of the dataclass by name, densities, and joint axes that lean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from surefoot.errors import InputError
from surefoot.robots.families import parameters, with_values
from surefoot.robots.families.parts import Joint, Solid
from surefoot.robots.objects import Ball, Box
from surefoot.traces.axes import TILTS, leaning

Part = TypeVar("Part")
MASSIVE = (Solid, Ball, Box)


def part_names(part: Any) -> dict[str, Any]:
    """Nominal value of all that can be uncertain of a dataclass, by path.

    These are its numbers; the density of every solid, even where its mass is given; two tilts of every joint's axis.
    """
    names: dict[str, Any] = dict(parameters(part))
    for path, solid in _within(part, MASSIVE):
        names[_join(path, "density")] = density(solid)
    for path, _ in _within(part, Joint):
        names |= {_join(path, f"axis{tilt}"): 0.0 for tilt in TILTS}
    return names


def changed(part: Part, values: Mapping[str, Any], what: str) -> Part:
    """A copy of a dataclass with some of its values changed, by the paths of `part_names`.

    A solid of which a size or the density changes has the mass that follows from density times volume, unless its mass
    is among the values.

    Args:
        part: a robot, a terrain or an object.
        values: new value by path.
        what: its name in error texts, such as "robot".
    """
    if not values:
        return part
    new = dict(values)
    for path, solid in _within(part, MASSIVE):
        _settle_mass(path, solid, new, what)
    for path, joint in _within(part, Joint):
        tilts = [new.pop(_join(path, f"axis{tilt}"), 0.0) for tilt in TILTS]
        if any(tilts):
            axis = [new.pop(_join(path, f"axis.{i}"), joint.axis[i]) for i in range(3)]
            new[_join(path, "axis")] = leaning(axis, *tilts)
    return with_values(part, new)


def density(solid: Any) -> float:
    """Density in kg/m^3, as given or from mass and volume."""
    return solid.density if solid.density is not None else solid.kilograms / volume(solid)


def volume(solid: Any) -> float:
    """Volume in m^3 of a solid or an object."""
    if isinstance(solid, Ball):
        return 4 / 3 * np.pi * solid.radius**3
    return float(np.prod(solid.size)) if isinstance(solid, Box) else solid.volume


def _settle_mass(path: str, solid: Any, new: dict[str, Any], what: str) -> None:
    """Let the mass of a solid follow from its density, where a size or the density changes and the mass does not."""
    mass, dense = _join(path, "mass"), _join(path, "density")
    if mass in new:
        if dense in new:
            raise InputError(f"{what}.{mass}: expected either mass or density to be uncertain, got both")
        new[dense] = None
    elif dense in new or any(_join(path, size) in new for size in _sizes(solid)):
        new.setdefault(dense, density(solid))
        new[mass] = None


def _sizes(solid: Any) -> Iterator[str]:
    for field in fields(solid):
        if field.name in ("length", "radius", "width", "depth"):
            yield field.name
        elif field.name == "size":
            yield from (f"size.{i}" for i in range(3))


def _within(part: Any, kinds: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All parts of some kinds with their paths, the part itself included."""
    if isinstance(part, kinds):
        yield path, part
    elif is_dataclass(part):
        for field in fields(part):
            yield from _within(getattr(part, field.name), kinds, _join(path, field.name))
    elif isinstance(part, tuple):
        for i, item in enumerate(part):
            yield from _within(item, kinds, _join(path, str(i)))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
