"""From nominal parts and the values of a particle to the plant: its scene, its start, its contact law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from surefoot import checks
from surefoot.laws import LAWS, Law, as_law
from surefoot.robots.compose import KEEP
from surefoot.robots.families import FAMILIES, Family
from surefoot.robots.load import load
from surefoot.robots.objects import Loose
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.robots.terrains import Terrain
from surefoot.traces.design import Design
from surefoot.traces.fabricate_family import FamilyRobot
from surefoot.traces.fabricate_file import FileRobot
from surefoot.traces.start import Start

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
    joints: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        as_law(self.law)
        checks.number("restitution", self.restitution, at_least=0.0, at_most=1.0)
        object.__setattr__(self, "objects", tuple(self.objects))

    @cached_property
    def scene(self) -> Scene:
        """The nominal scene."""
        return self._robot.built({}, self._ground.part, self.objects)[0]

    @cached_property
    def names(self) -> dict[str, Any]:
        """Nominal value by name of all that can be uncertain about the plant; None where there is none."""
        objects = {
            f"{thing}.{name}": value for thing, each in self._things.items() for name, value in each.names.items()
        }
        return {
            **_headed("robot", self._robot.names),
            **_headed("ground", self._ground.names),
            "restitution": float(self.restitution),
            "law": _law_name(as_law(self.law)),
            **_headed("object", objects),
            **_headed("start", self._start.names),
        }

    def redesigned(self, values: Mapping[str, Any]) -> Parts:
        """The same plant with other numbers of its robot, by names of `names`; they are its nominal ones then."""
        new = _differing(self, values)["robot"]
        return replace(self, robot=self._robot.redesigned(new)) if new else self

    @cached_property
    def _robot(self) -> FamilyRobot | FileRobot:
        if isinstance(self.robot, Family):
            return FamilyRobot(self.robot)
        if isinstance(self.robot, Scene):
            return FileRobot(self.robot)
        if isinstance(self.robot, str) and self.robot in FAMILIES:
            return FamilyRobot(FAMILIES[self.robot])
        return FileRobot(load(self.robot))

    @cached_property
    def _ground(self) -> Design:
        keep = isinstance(self.terrain, str) and self.terrain == KEEP
        return Design(self._robot.ground if keep else self.terrain, "ground")

    @cached_property
    def _things(self) -> dict[str, Design]:
        return {thing.name: Design(thing, f"object.{thing.name}") for thing in self.objects}

    @cached_property
    def _start(self) -> Start:
        return Start(self.scene, self.joints)


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


def build(parts: Parts, values: Mapping[str, Any], origin: State | None = None) -> Built:
    """The plant of a particle.

    Args:
        parts: the nominal plant; it is not changed.
        values: value by name (see `Parts.names`); what is not given, or given its nominal value, is nominal bit for
            bit. Names of what lives in the loop (encoders, motors, lag) are passed over.
        origin: where to start from instead of home.

    Returns:
        Scene, start, law and restitution.

    Raises:
        InputError: an unknown name, or a value that a part refuses.
    """
    new = _differing(parts, values)
    scene, ground, standing = parts.scene, parts._ground.part, None
    if new["robot"] or new["ground"] or new["object"]:
        ground = parts._ground.changed(new["ground"])
        objects = [
            design.changed(
                {k.removeprefix(f"{name}."): v for k, v in new["object"].items() if k.startswith(f"{name}.")}
            )
            for name, design in parts._things.items()
        ]
        scene, standing = parts._robot.built(new["robot"], ground, objects)
    state = parts._start.state(scene, ground, new["start"], standing, origin)
    law = as_law(new["law"].get("", parts.law))
    restitution = checks.number("restitution", new["restitution"].get("", parts.restitution), at_least=0.0, at_most=1.0)
    return Built(scene, state, law, restitution)


def _differing(parts: Parts, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By first word, the rest of the name and the value of all that differs from the nominal plant."""
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
    return new


def _law_name(law: Law) -> Law | str:
    """The name of a law that its name is enough for, else the law."""
    return law.name if law.name in LAWS and as_law(law.name) == law else law


def _headed(head: str, names: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{head}.{name}": value for name, value in names.items()}
