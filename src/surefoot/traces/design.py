"""Dataclasses as built (bundled robots, terrains, objects): numbers by name, densities, joint axes that lean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.families import parameters, with_values
from surefoot.robots.families.parts import Joint, Solid
from surefoot.robots.objects import Ball, Box
from surefoot.traces.axes import TILTS, leaning

SIZES = {"length", "radius", "width", "depth", "size.0", "size.1", "size.2"}
FRICTION = ("mu", "curb_mu")  # None there means MuJoCo's rule, and may become a number


class Design:
    """A frozen dataclass and all that can be uncertain about it.

    Attributes:
        part: a bundled robot, a terrain or an object.
        names: nominal value by path: its numbers; the density of every solid, even where its mass is given; two tilts,
            nominally 0, of every joint's axis; and friction, None where MuJoCo's rule is in force.
    """

    def __init__(self, part: Any, what: str) -> None:
        """Take stock of a dataclass.

        Args:
            part: the dataclass; anything else has no names.
            what: its name in error texts, such as "robot".
        """
        self.part = part
        self._what = what
        solids = dict(_within(part, (Solid, Ball, Box)))
        self._sizes = {path: frozenset(_join(path, size) for size in SIZES) for path in solids}
        self._joints = dict(_within(part, Joint))
        self._whole = {field.name for field in fields(part) if field.type in (int, "int")} if is_dataclass(part) else ()
        names: dict[str, Any] = {name: value for name, value in parameters(part).items() if "colour." not in name}
        names |= {_join(path, "density"): _density(solid) for path, solid in solids.items()}
        names |= {_join(path, f"axis{tilt}"): 0.0 for path in self._joints for tilt in TILTS}
        self.names = names | {name: None for name in FRICTION if getattr(part, name, 0.0) is None}

    def changed(self, values: Mapping[str, Any]) -> Any:
        """A copy of the dataclass with some of its values changed, by the paths of `names`.

        A solid of which a size or the density changes has the mass that follows from density times volume, unless its
        mass is among the values. Fields that hold whole numbers are rounded.
        """
        if not values:
            return self.part
        new = {path: round(value) if path in self._whole else value for path, value in values.items()}
        for path in self._sizes:
            self._settle_mass(path, new)
        for path, joint in self._joints.items():
            tilts = [new.pop(_join(path, f"axis{tilt}"), 0.0) for tilt in TILTS]
            if any(tilts):
                axis = [new.pop(_join(path, f"axis.{i}"), joint.axis[i]) for i in range(3)]
                new[_join(path, "axis")] = leaning(axis, *tilts)
        with checks.told(f"{self._what}: "):
            return with_values(self.part, new)

    def _settle_mass(self, path: str, new: dict[str, Any]) -> None:
        """Let the mass follow from the density, where a size or the density changes and the mass does not."""
        mass, density = _join(path, "mass"), _join(path, "density")
        if mass in new:
            if density in new:
                raise InputError(f"{self._what}.{mass}: expected either mass or density to be uncertain, got both")
            new[density] = None
        elif density in new or not self._sizes[path].isdisjoint(new):
            new.setdefault(density, self.names[density])
            new[mass] = None


def _density(solid: Any) -> float:
    """Density in kg/m^3, as given or from mass and volume."""
    if solid.density is not None:
        return float(solid.density)
    if isinstance(solid, Ball):
        return solid.kilograms / (4 / 3 * np.pi * solid.radius**3)
    return solid.kilograms / (float(np.prod(solid.size)) if isinstance(solid, Box) else solid.volume)


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
