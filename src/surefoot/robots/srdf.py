"""SRDF: the reference pose and the link pairs that need no collision check, from the file beside a URDF."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from surefoot.robots.scene import Note

# Group states that mean "how the robot stands", best first; else the first of the file.
POSES = ("standing", "half_sitting", "home", "default")


@dataclass(frozen=True)
class Srdf:
    """What Surefoot takes from an SRDF.

    Attributes:
        path: the file.
        pose: name of the group state taken as home, or None.
        values: numbers of that state by joint; `root_joint` holds x, y, z, qx, qy, qz, qw.
        disabled: pairs of links whose collisions the file switches off.
        passive: joints that the file calls passive.
    """

    path: Path
    pose: str | None
    values: dict[str, tuple[float, ...]]
    disabled: tuple[tuple[str, str], ...]
    passive: tuple[str, ...]


def find(urdf: Path) -> Path | None:
    """The SRDF of a URDF: in its folder or in `../srdf`, of the same name or of the longest name it starts with."""
    for folder in (urdf.parent, urdf.parent.parent / "srdf"):
        if folder.is_dir():
            files = [file for file in sorted(folder.glob("*.srdf")) if urdf.stem.startswith(file.stem)]
            if files:
                return max(files, key=lambda file: len(file.stem))
    return None


def read(urdf: Path, notes: list[Note]) -> Srdf | None:
    """Read the SRDF beside `urdf`, if there is one; an unreadable one is noted and left."""
    path = find(urdf)
    if path is None:
        return None
    try:
        xml = ET.fromstring(path.read_bytes())
        states = {state.get("name", ""): _values(state) for state in xml.findall("group_state")}
    except (OSError, ET.ParseError, ValueError) as error:
        notes.append(Note("ignored", path.name, f"this SRDF beside the URDF is not readable: {error}"))
        return None
    pose = next((name for name in POSES if name in states), next(iter(states), None))
    disabled = {
        (first, second)
        for pair in xml.findall("disable_collisions")
        for first, second in [sorted((pair.get("link1", ""), pair.get("link2", "")))]
    }
    if xml.find("rotor_params") is not None:
        notes.append(Note("ignored", path.name, "its rotor inertias are not added; set `armature` for them"))
    passive = tuple(joint.get("name", "") for joint in xml.findall("passive_joint"))
    return Srdf(path, pose, states.get(pose or "", {}), tuple(sorted(disabled)), passive)


def _values(state: ET.Element) -> dict[str, tuple[float, ...]]:
    return {
        joint.get("name", ""): tuple(float(number) for number in joint.get("value", "").split())
        for joint in state.findall("joint")
    }
