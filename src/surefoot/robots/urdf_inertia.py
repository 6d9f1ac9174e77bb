"""Inertias of a URDF: read, check, repair; every message names the link and what to do."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ModelError
from surefoot.robots import inertia as inertias
from surefoot.robots.scene import Note
from surefoot.robots.urdf import Urdf

# A fixed link with less than this part of its rigid group's mass is a placeholder; its inertia need not stand alone.
NEGLIGIBLE = 1e-3


def check_inertias(urdf: Urdf, *, balance: bool, floating: bool) -> None:
    """Check every inertia, strip the empty ones, repair on request; edits the XML.

    An impossible inertia on a placeholder link (under 1/1000 of the mass of the links it is fixed to) is added to the
    heaviest of those, which leaves the dynamics exactly as the file says.

    Args:
        urdf: the file; links that are fixed to the world need no inertia.
        balance: repair what is impossible instead of refusing it; each repair is noted.
        floating: whether the root link moves too.

    Raises:
        ModelError: an inertia that no body can have, naming the link and the remedy.
    """
    empty = []
    for name, link in urdf.links.items():
        element = link.find("inertial")
        if element is None:
            continue
        mass, matrix = read_inertial(urdf, name)
        if mass == 0 and not matrix.any():
            link.remove(element)
            empty.append(name)
            continue
        problem = inertias.defect(mass, matrix)
        if problem is not None:
            if not _merge(urdf, name, problem):
                _balance(urdf, name, problem, balance)
        elif inertias.needs_rounding(matrix):
            _write_inertial(element, mass, inertias.rounded(matrix))
    if empty:
        urdf.notes.append(Note("repaired", ", ".join(empty), "an inertial of zero was removed, which changes nothing"))
    for link in urdf.moving_links() + ([urdf.root] if floating else []):
        _check_moves(urdf, link, balance=balance)


def _inertial(urdf: Urdf, link: str) -> ET.Element:
    """The link's inertial, a new empty one if it has none."""
    element = urdf.links[link].find("inertial")
    return ET.SubElement(urdf.links[link], "inertial") if element is None else element


def _balance(urdf: Urdf, name: str, problem: str, balance: bool) -> None:
    mass, matrix = read_inertial(urdf, name)
    repaired = inertias.balanced(matrix) if mass >= 0 else None
    if repaired is None or not balance:
        remedy = "" if repaired is None else ", or pass balance_inertia=True to replace them by their mean"
        raise ModelError(f"{urdf.path}: link {name!r}: {problem}; correct the file{remedy}")
    _write_inertial(_inertial(urdf, name), mass, repaired)
    urdf.notes.append(Note("repaired", name, f"{problem}; all three set to {repaired[0, 0]:.4g} kg m^2"))


def _merge(urdf: Urdf, name: str, problem: str) -> bool:
    """Add a placeholder's inertia to the heaviest link of its rigid group; return whether that was possible."""
    group = urdf.rigid_group(urdf.group_head(name))
    masses = {link: read_inertial(urdf, link)[0] for link in group}
    target = max(group, key=lambda link: masses[link])
    if target == name or not 0 <= masses[name] <= NEGLIGIBLE * sum(masses.values()):
        return False
    turn, shift = _between(urdf, target, name)
    own_mass, own_centre, own = _in_link_frame(urdf, name)
    mass, centre, matrix = _in_link_frame(urdf, target)
    own_centre, own = turn @ own_centre + shift, turn @ own @ turn.T
    total = mass + own_mass
    middle = (mass * centre + own_mass * own_centre) / total
    matrix = matrix + own + _steiner(mass, centre - middle) + _steiner(own_mass, own_centre - middle)
    if not np.isfinite(matrix).all() or inertias.defect(total, matrix) is not None:
        return False
    element = _inertial(urdf, target)
    for origin in element.findall("origin"):
        element.remove(origin)
    ET.SubElement(element, "origin", xyz=" ".join(repr(float(x)) for x in middle), rpy="0 0 0")
    _write_inertial(element, total, matrix)
    urdf.links[name].remove(_inertial(urdf, name))
    detail = f"alone {problem}; counted with the link {target!r} it is fixed to, which changes nothing"
    urdf.notes.append(Note("repaired", name, detail))
    return True


def _in_link_frame(urdf: Urdf, link: str) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass, centre of mass and inertia about it, in the axes of the link."""
    mass, matrix = read_inertial(urdf, link)
    element = urdf.links[link].find("inertial")
    turn, centre = _pose(urdf, link, None if element is None else element.find("origin"))
    return mass, centre, turn @ matrix @ turn.T


def _steiner(mass: float, r: NDArray[np.float64]) -> NDArray[np.float64]:
    return mass * (r @ r * np.eye(3) - np.outer(r, r))


def _between(urdf: Urdf, target: str, link: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation and translation that take coordinates in `link` to coordinates in `target`, of one rigid group."""
    (turn_t, shift_t), (turn, shift) = (_from_head(urdf, name) for name in (target, link))
    return turn_t.T @ turn, turn_t.T @ (shift - shift_t)


def _from_head(urdf: Urdf, link: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    turn, shift = np.eye(3), np.zeros(3)
    while (joint := urdf.parent_joint(link)) is not None and urdf.is_fixed(joint):
        outer, place = _pose(urdf, link, urdf.joints[joint].find("origin"))
        turn, shift = outer @ turn, outer @ shift + place
        link = urdf.parent(joint)
    return turn, shift


def _pose(urdf: Urdf, link: str, origin: ET.Element | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation and translation of an <origin>: fixed-axis roll, pitch, yaw."""
    if origin is None:
        return np.eye(3), np.zeros(3)
    try:
        xyz = np.array([float(x) for x in origin.get("xyz", "0 0 0").split()])
        roll, pitch, yaw = (float(x) for x in origin.get("rpy", "0 0 0").split())
        xyz = xyz.reshape(3)
    except ValueError:
        raise ModelError(f"{urdf.path}: link {link!r}: an <origin> needs three numbers in xyz and in rpy") from None
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    turn = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return turn, xyz


def read_inertial(urdf: Urdf, link: str) -> tuple[float, NDArray[np.float64]]:
    """Mass in kg and (3, 3) inertia in kg m^2 in the inertial's own axes; zeros if the link has none."""
    element = urdf.links[link].find("inertial")
    if element is None:
        return 0.0, np.zeros((3, 3))
    mass = element.find("mass")
    tensor = element.find("inertia")
    m = 0.0 if mass is None else _number(urdf, link, mass, "value")
    if tensor is None:
        return m, np.zeros((3, 3))
    xx, xy, xz, yy, yz, zz = (_number(urdf, link, tensor, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return m, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _number(urdf: Urdf, link: str, element: ET.Element, key: str) -> float:
    text = element.get(key, "0" if len(key) == 3 and key[1] != key[2] else None)
    try:
        return float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        shown = "nothing" if text is None else repr(text)
        raise ModelError(
            f"{urdf.path}: link {link!r}: <{element.tag} {key}=...> must be a number, got {shown}"
        ) from None


def _write_inertial(element: ET.Element, mass: float, matrix: NDArray[np.float64]) -> None:
    for tag in ("mass", "inertia"):
        for old in element.findall(tag):
            element.remove(old)
    ET.SubElement(element, "mass", value=repr(float(mass)))
    values = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    ET.SubElement(element, "inertia", {key: repr(float(matrix[place])) for key, place in values.items()})


def _check_moves(urdf: Urdf, link: str, *, balance: bool) -> None:
    """A link that moves must have inertia, its own or that of what is fixed to it."""
    group = [read_inertial(urdf, name) for name in urdf.rigid_group(link)]
    mass = sum(m for m, _ in group)
    if any(m > 1e-12 and np.trace(matrix) > 1e-12 for m, matrix in group):
        return
    lacks = "but has no mass" if mass <= 1e-12 else "and has mass, but no rotational inertia"
    if not balance:
        raise ModelError(
            f"{urdf.path}: link {link!r} moves {lacks}; give it a full <inertial>, or pass balance_inertia=True "
            f"to give it {inertias.TINY_MASS:g} kg and {inertias.TINY_INERTIA:g} kg m^2"
        )
    own, matrix = read_inertial(urdf, link)
    _write_inertial(_inertial(urdf, link), max(own, inertias.TINY_MASS), matrix + inertias.TINY_INERTIA * np.eye(3))
    detail = f"it moves {lacks}; given at least {inertias.TINY_MASS:g} kg and {inertias.TINY_INERTIA:g} kg m^2"
    urdf.notes.append(Note("repaired", link, detail))
