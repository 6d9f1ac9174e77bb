"""From nominal parts and the values of a particle to the plant: its scene, its start, its contact law."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from surefoot import checks
from surefoot.laws import LAWS, Law, as_law
from surefoot.robots import families
from surefoot.robots.compose import KEEP
from surefoot.robots.compose import scene as composed
from surefoot.robots.families import Family
from surefoot.robots.objects import Loose
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.robots.terrains import Plane, Terrain
from surefoot.traces.fabricate_family import changed, part_names
from surefoot.traces.start import posed, start_names, started
from surefoot.traces.surroundings import changed_ground, changed_objects, ground_names, object_names

HEADS = ("robot", "ground", "object", "start", "law", "restitution")
"""First words of the names that a plant is built from; all others live in the loop."""


@dataclass(frozen=True)
class Parts:
    """The nominal plant, which the controller believes in.

    Attributes:
        robot: a bundled name, a bundled robot's dataclass, the path of an MJCF or URDF file, or a Scene.
        terrain: what it stands on; None for no ground; "keep" for its own.
        objects: boxes, balls and the like.
        law: contact law or its name.
        restitution: Newton's coefficient, 0 to 1.
        joints: start of some joints by name, in rad or m; the others, and all if None, start at home.
    """

    robot: Any
    terrain: Terrain | str | None = KEEP
    objects: tuple[Loose, ...] = ()
    law: Law | str = "coulomb"
    restitution: float = 0.0
    joints: Mapping[str, float] | None = field(default=None)

    def __post_init__(self) -> None:
        as_law(self.law)
        checks.number("restitution", self.restitution, at_least=0.0, at_most=1.0)
        object.__setattr__(self, "objects", tuple(self.objects))

    @cached_property
    def family(self) -> Family:
        """The bundled robot as a dataclass."""
        if isinstance(self.robot, Family):
            return self.robot
        return families.family(os.fspath(self.robot))

    @cached_property
    def ground(self) -> Terrain | None:
        """What it stands on, with the robot's own ground in place of "keep"."""
        if isinstance(self.terrain, str):
            return Plane(z=-getattr(self.family, "pedestal", 0.0))
        return self.terrain

    @cached_property
    def scene(self) -> Scene:
        """The nominal scene."""
        return _put_together(self.family, self.ground, self.objects)

    @cached_property
    def names(self) -> dict[str, Any]:
        """Nominal value by name of all that can be uncertain about the plant; None where there is none."""
        law = as_law(self.law)
        return {
            **_headed("robot", part_names(self.family)),
            **_headed("ground", ground_names(self.ground)),
            "restitution": float(self.restitution),
            "law": _law_name(law),
            **_headed("object", object_names(self.objects)),
            **_headed("start", start_names(self.scene)),
        }


@dataclass(frozen=True)
class Built:
    """A plant, ready to run.

    Attributes:
        scene: robot, ground and objects as built.
        state: how it starts.
        law: contact law.
        restitution: Newton's coefficient.
    """

    scene: Scene
    state: State
    law: Law
    restitution: float


def build(parts: Parts, values: Mapping[str, Any]) -> Built:
    """The plant of a particle.

    Args:
        parts: the nominal plant; it is not changed.
        values: value by name (see `Parts.names`); what is not given, or given its nominal value, is nominal bit for
            bit. Names of what lives in the loop (encoders, motors, lag) are passed over.

    Returns:
        Scene, start, law and restitution.

    Raises:
        InputError: an unknown name, or a value that a part refuses.
    """
    new: dict[str, dict[str, Any]] = {head: {} for head in HEADS}
    for name, value in values.items():
        head, _, rest = name.partition(".")
        if head not in HEADS:
            continue
        if name not in parts.names:
            checks.indices("values", [name], list(parts.names), "parameter")
        nominal = parts.names[name]
        if value is not nominal and value != nominal:
            new[head][rest] = value
    scene, ground = parts.scene, parts.ground
    if new["robot"] or new["ground"] or new["object"]:
        ground = changed_ground(parts.ground, new["ground"])
        robot = changed(parts.family, new["robot"], "robot")
        scene = _put_together(robot, ground, changed_objects(parts.objects, new["object"]))
    state = started(scene, posed(scene, parts.joints, ground), new["start"], ground)
    law = as_law(new["law"].get("", parts.law))
    restitution = checks.number("restitution", new["restitution"].get("", parts.restitution), at_least=0.0, at_most=1.0)
    return Built(scene, state, law, restitution)


def _put_together(robot: Family, ground: Terrain | None, objects: Any) -> Scene:
    scene = robot.scene(ground)
    return composed(scene, objects=objects) if objects else scene


def _law_name(law: Law) -> Law | str:
    """The name of a law that its name is enough for, else the law."""
    return law.name if law.name in LAWS and as_law(law.name) == law else law


def _headed(head: str, names: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{head}.{name}": value for name, value in names.items()}
