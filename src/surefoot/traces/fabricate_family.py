"""Bundled robots as built, on their ground and among their objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.robots.compose import KEEP, compose
from surefoot.robots.families import Family, Quadruped
from surefoot.robots.objects import Loose
from surefoot.robots.placing import Standing
from surefoot.robots.scene import Scene
from surefoot.robots.terrains import Plane, Terrain
from surefoot.traces.design import Design


class FamilyRobot:
    """A bundled robot and all that can be uncertain about it.

    Attributes:
        ground: its own ground: a plane under its feet or its pedestal.
        names: nominal value by name (see `Design`).
    """

    def __init__(self, family: Family) -> None:
        """Take stock of a bundled robot's dataclass."""
        self._design = Design(family, "robot")
        self.names = self._design.names
        self.ground: Terrain | None = Plane(z=-getattr(family, "pedestal", 0.0))

    def redesigned(self, values: Mapping[str, Any]) -> Family:
        """The dataclass with new values."""
        return self._design.changed(values)

    def built(
        self, values: Mapping[str, Any], ground: Terrain | None, objects: Sequence[Loose]
    ) -> tuple[Scene, Standing | None]:
        """The scene with new values, and what finds the heights at which the robot touches, where that is at hand."""
        robot = self._design.changed(values)
        scene, standing = robot.stood(ground) if isinstance(robot, Quadruped) else (robot.scene(ground), None)
        return compose(scene, scene.spec, KEEP, objects) if objects else (scene, standing)
