"""Witness functions of a design: signed distances, without unit, to each limit of a robot [Zapolsky2017, table 4].

They are those of falsification (`sf.traces`): roll, pitch, torque and speed of motors, joint angles, self-collision,
and any of the user's own; beside them some that look at what was planned. `each`, where a witness has it, tells them
apart by joint, link or foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.design.rehearsal import Rehearsal
from surefoot.errors import InputError
from surefoot.gait.legs import IN_REACH
from surefoot.traces.contact_requirements import NoSelfCollision
from surefoot.traces.requirements import JointRange, Tilt, TorqueSpeed
from surefoot.traces.span import Array, Span, of_scene
from surefoot.traces.witness import Witness, as_witness, distances

FAR = 1e6  # what is farther from its limit than this counts as this far
MID_SWING = 0.5  # of the highest point of a foot's way: above it nothing should touch


@dataclass(frozen=True)
class Reach:
    """Feet, or the hand, can be where the plan has them, legs not quite stretched.

    Attributes:
        limit: largest distance of a foot from its leg's second joint, relative to the leg's length.
        near: m; a hand, or a foot too near to its hip, that misses by this much counts as 1.
        name: what tables call it.
    """

    limit: float = IN_REACH
    near: float = 0.01
    name: str = "reach"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("Reach.limit", self.limit, above=0.0, at_most=1.0)
        checks.number("Reach.near", self.near, above=0.0)

    def values(self, span: Span) -> Array:
        """(n,) the least over the parts."""
        return np.min(list(self.each(span).values()), axis=0)

    def each(self, span: Span) -> dict[str, Array]:
        """(n,) by part: 1 - stretch / limit, and less than what is missing as a share of `near` where it is."""
        rehearsal = _rehearsal(self.name, span)
        room = np.where(np.isnan(rehearsal.stretch), 1.0, 1.0 - rehearsal.stretch / self.limit)
        far = -rehearsal.missing / self.near
        room = np.where((rehearsal.missing > 0.0) & (room > far), np.where(room < 0.0, room, far), room)
        return {f"{self.name} {part}": room[:, k] for k, part in enumerate(rehearsal.parts)}


@dataclass(frozen=True)
class Answered:
    """The contact law has an answer: planned motion and contacts do not contradict each other.

    Attributes:
        name: what tables call it.
    """

    name: str = "contact law"

    def values(self, span: Span) -> Array:
        """(n,) 1, and -1 where there is none though all is in reach, then too."""
        rehearsal = _rehearsal(self.name, span)
        return np.where(rehearsal.solved | ~rehearsal.asked, 1.0, -1.0)


@dataclass(frozen=True)
class LinkClearance:
    """No link but the feet comes near the ground.

    Attributes:
        near: m; links farther away than this count as this far.
        name: what tables call it.
    """

    near: float = 0.01
    name: str = "link clearance"

    def __post_init__(self) -> None:
        """Check."""
        checks.number("LinkClearance.near", self.near, above=0.0)

    def values(self, span: Span) -> Array:
        """(n,) the least over the links."""
        return np.min(list(self.each(span).values()) or [np.ones(len(span))], axis=0)

    def each(self, span: Span) -> dict[str, Array]:
        """(n,) by link its distance to the ground as a share of `near`, at most 1."""
        found = {}
        for link, pairs in _ground_pairs(span.scene).items():
            room = span.clearances(np.array(pairs, dtype=np.int64), 1, self.near) / self.near
            found[f"{self.name} {link}"] = np.minimum(room, 1.0)
        return found


@dataclass(frozen=True)
class Footing:
    """Feet touch when they should, and only then: neither scuff nor stub; of interest where windows are simulated.

    Attributes:
        name: what tables call it.
    """

    name: str = "footing"

    def values(self, span: Span) -> Array:
        """(n,) the least over the feet."""
        return np.min(list(self.each(span).values()), axis=0)

    def each(self, span: Span) -> dict[str, Array]:
        """(n,) by foot: height of its sole as a share of the step in mid-swing, and 1 less that share in stance."""
        rehearsal = _rehearsal(self.name, span)
        geoms = {foot.name: foot.geoms for foot in span.scene.feet}
        planned = rehearsal.course.points[..., 2]
        step = max(float(np.ptp(planned)), 1e-6)
        found = {}
        for k, part in enumerate(rehearsal.parts):
            if part not in geoms:
                continue
            pairs = [(g, span.scene.model.geom(geom).id) for g in _ground(span.scene) for geom in geoms[part]]
            gap = (
                span.clearances(np.array(pairs, dtype=np.int64), 1, 2.0 * step) / step if pairs else np.ones(len(span))
            )
            lifted = (planned[rehearsal.samples, k] - planned[:, k].min()) / step
            swings = np.where(lifted > MID_SWING, gap, 1.0)
            found[f"{self.name} {part}"] = np.where(rehearsal.planned[:, k], 1.0 - np.maximum(gap, 0.0), swings)
        return found


def limits(torque: Any, speed: Any, *, roll: float = 0.5, pitch: float = 0.5, width: int = 1) -> list[Witness]:
    """The limits of [Zapolsky2017, table 4].

    Args:
        torque: (joints,) N m of the motors at standstill.
        speed: (joints,) rad/s of the motors without load.
        roll: rad that the base may lean.
        pitch: rad that the base may lean.
        width: of the windows; where nothing is simulated a planned base does not lean, nor do feet miss.
    """
    found: list[Any] = [
        Reach(),
        Answered(),
        TorqueSpeed(torque, speed),
        JointRange(),
        NoSelfCollision(every=1),
        LinkClearance(),
    ]
    if width > 1:
        found += [Tilt("roll", roll), Tilt("pitch", pitch), Footing()]
    return found


def measure(witnesses: Sequence[Any], rehearsal: Rehearsal) -> tuple[tuple[str, ...], Array]:
    """Names (m,) and values (n, m) of all witnesses.

    Where a course is out of reach nothing else is known, and other witnesses are infinite there.
    """
    found: list[tuple[str, Array, bool]] = []
    unknown = ~rehearsal.solved
    for witness in witnesses:
        one = as_witness("witnesses", witness)
        parts = one.each(rehearsal) if hasattr(one, "each") else {one.name: one.values(rehearsal)}
        for name, values in parts.items():
            values = distances(name, values, len(rehearsal))
            broken = np.flatnonzero(np.isnan(values) & rehearsal.solved)
            if len(broken):
                raise InputError(f"witness {name!r}: expected numbers, got nan at {rehearsal.t[broken[0]]:g} s")
            values = np.clip(values, -FAR, FAR)
            if isinstance(one, Reach):
                unknown |= values < 0.0
            found.append((name, values, isinstance(one, Reach | Answered)))
    if not found:
        raise InputError("witnesses: expected some, got none")
    columns = [values if told else np.where(unknown, np.inf, values) for _, values, told in found]
    return tuple(name for name, _, _ in found), np.stack(columns, axis=1)


def _rehearsal(name: str, span: Span) -> Rehearsal:
    if not isinstance(span, Rehearsal):
        raise InputError(f"witness {name!r}: looks at what was planned, and so at rehearsals only")
    return span


@of_scene
def _ground(scene: Any) -> list[int]:
    """Geoms that the robot stands on."""
    return [scene.model.geom(surface.geom).id for surface in scene.surfaces]


@of_scene
def _ground_pairs(scene: Any) -> dict[str, list[tuple[int, int]]]:
    """By link pairs of the ground and its geoms, those of feet left out."""
    model = scene.model
    feet = {model.geom(geom).id for foot in scene.feet for geom in foot.geoms}
    pairs: dict[str, list[tuple[int, int]]] = {}
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        if model.body_weldid[body] == 0 or geom in feet or model.geom_group[geom] > 2:
            continue
        pairs.setdefault(model.body(body).name, []).extend((g, geom) for g in _ground(scene))
    return {link: found for link, found in pairs.items() if found}
