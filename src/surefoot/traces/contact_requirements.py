"""What robots are asked to touch and not to touch: the bundled witnesses that look at contacts and distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.traces.span import Array, Span, of_scene


@dataclass(frozen=True)
class NoBodyContact:
    """Nothing of the robot but its feet touches anything.

    Attributes:
        bodies: names of links that must not touch; None: all but feet.
        name: what tables call it.
    """

    bodies: tuple[str, ...] | None = None
    name: str = "no body contact"

    def values(self, span: Span) -> Array:
        """(n,) the least gap, as a share of the distance to which contacts are looked for; 1 if nothing is near."""
        chosen = _robot_geoms(span.scene) if self.bodies is None else _body_geoms(span.scene, self.bodies)
        mine = chosen[span.geoms]
        return _nearness(span, mine[:, 0] | mine[:, 1])


@dataclass(frozen=True)
class NoStrike:
    """No foot strikes the side of something: touches where the ground is steeper than a limit.

    Attributes:
        slope: rad from the horizontal; a surface steeper than this is a side.
        geoms: names of what must not be struck; None: everything.
        name: what tables call it.
    """

    slope: float = math.pi / 4
    geoms: tuple[str, ...] | None = None
    name: str = "no strike"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("NoStrike.slope", self.slope, above=0.0)

    def values(self, span: Span) -> Array:
        """(n,) as in `NoBodyContact`."""
        feet = _foot_geoms(span.scene)
        steep = np.abs(span.frames[:, 0, 2]) < math.cos(self.slope)
        rows = feet[span.geoms].any(axis=1) & steep
        if self.geoms is not None:
            struck = np.zeros(span.scene.model.ngeom, dtype=bool)
            struck[checks.indices("NoStrike.geoms", self.geoms, span.geom_names(), "geom")] = True
            rows &= struck[span.geoms].any(axis=1)
        return _nearness(span, rows)


@dataclass(frozen=True)
class NoSelfCollision:
    """Links that are not neighbours do not touch one another, whether they collide in the simulation or not.

    Attributes:
        near: m; links farther apart than this count as this far.
        every: looked at in every n-th step.
        ignored: pairs of names of links that may touch, such as those on both sides of a very short one.
        name: what tables call it.
    """

    near: float = 0.01
    every: int = 10
    ignored: tuple[tuple[str, str], ...] = ()
    name: str = "no self-collision"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("NoSelfCollision.near", self.near, above=0.0)
        checks.whole("NoSelfCollision.every", self.every, at_least=1)
        pairs = self.ignored if isinstance(self.ignored, list | tuple) else [self.ignored]
        for pair in pairs:
            if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(link, str) for link in pair):
                raise InputError(f"NoSelfCollision.ignored: expected pairs of names of links, got {self.ignored!r}")
        object.__setattr__(self, "ignored", tuple(tuple(pair) for pair in pairs))

    def values(self, span: Span) -> Array:
        """(n,) the least distance, as a share of `near`."""
        pairs = _apart(span.scene, tuple((one, other) for one, other in self.ignored))
        if not len(pairs):
            return np.ones(len(span))
        return span.clearances(pairs, self.every, self.near) / self.near


@dataclass(frozen=True)
class Held:
    """An object touches the robot and nothing else, such as a ball in a gripper.

    Attributes:
        thing: name of the object; None: the first.
        name: what tables call it.
    """

    thing: str | None = None
    name: str = "held"

    def values(self, span: Span) -> Array:
        """(n,) 1 if it is held, -1 if not."""
        scene, model = span.scene, span.scene.model
        if not scene.objects:
            raise InputError(f"Held: {scene.name!r} has no loose object")
        thing = self.thing or scene.objects[0]
        checks.indices("Held.thing", [thing], scene.objects, "object")
        mine = model.geom_bodyid == model.body(thing).id
        robot = _robot_geoms(scene) | _foot_geoms(scene)
        pushed = span.forces[:, 0] > 0.0
        touched = pushed & mine[span.geoms].any(axis=1) & robot[span.geoms].any(axis=1)
        rests = pushed & mine[span.geoms].any(axis=1) & ~robot[span.geoms].any(axis=1)
        holds = span.least(touched, -np.ones(len(span.gaps)), 0.0) < 0.0
        lies = span.least(rests, -np.ones(len(span.gaps)), 0.0) < 0.0
        return np.where(holds & ~lies, 1.0, -1.0)


def _nearness(span: Span, rows: NDArray[np.bool_]) -> Array:
    """(n,) see `NoBodyContact`; what pushes touches, also where it bounces back within the step."""
    gaps = np.where(span.forces[:, 0] > 0.0, np.minimum(span.gaps, 0.0), span.gaps)
    return span.least(rows, (gaps - span.touch) / span.near, 1.0)


@of_scene
def _foot_geoms(scene: Scene) -> NDArray[np.bool_]:
    """(ngeom,) which geoms are feet."""
    feet = np.zeros(scene.model.ngeom, dtype=bool)
    for foot in scene.feet:
        feet[[scene.model.geom(geom).id for geom in foot.geoms]] = True
    return feet


def _body_geoms(scene: Scene, bodies: tuple[str, ...]) -> NDArray[np.bool_]:
    """(ngeom,) which geoms belong to these bodies."""
    model = scene.model
    known = [model.body(i).name for i in range(model.nbody)]
    return np.isin(model.geom_bodyid, checks.indices("NoBodyContact.bodies", bodies, known, "body"))


@of_scene
def _robot_geoms(scene: Scene) -> NDArray[np.bool_]:
    """(ngeom,) which geoms belong to the robot, its feet left out."""
    model = scene.model
    loose = {model.body(thing).id for thing in scene.objects}
    fixed = model.body_weldid == 0  # a table, a wall
    mine = ~fixed & ~np.isin(model.body_rootid, list(loose))
    return mine[model.geom_bodyid] & ~_foot_geoms(scene)


@of_scene
def _apart(scene: Scene, ignored: tuple[tuple[str, str], ...]) -> NDArray[np.int64]:
    """(k, 2) pairs of the robot's geoms on links that are not neighbours and not ignored."""
    model = scene.model
    links = [model.body(i).name for i in range(model.nbody)]
    allowed = [set(checks.indices("NoSelfCollision.ignored", pair, links, "link")) for pair in ignored]
    mine = np.flatnonzero(_robot_geoms(scene) | _foot_geoms(scene))
    mine = [int(g) for g in mine if model.geom_rbound[g] > 0.0 and model.geom_group[g] < 3]
    pairs = []
    for i, a in enumerate(mine):
        for b in mine[i + 1 :]:
            one, other = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
            if one != other and not _neighbours(model, one, other) and {one, other} not in allowed:
                pairs.append((a, b))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _neighbours(model: Any, one: int, other: int) -> bool:
    """Whether a link carries the other, or both hang on the same one."""
    up, down = int(model.body_parentid[one]), int(model.body_parentid[other])
    return up in (other, down) or down == one
