"""What a space of dynamics leaves open or out of reach, in sentences that name contacts and joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot.robots.scene import Scene
from surefoot.whole_body.affine import split

if TYPE_CHECKING:
    from surefoot.whole_body.space import DynamicsSpace

Array = NDArray[np.float64]
Groups = dict[str, list[int]]

NONE = 1e-8
"""Entries of an orthonormal basis below this are rounding."""
STRAIGHT = 1e-6
"""Share of a leg's largest reach below which it does not move its foot: rad that a straight knee is bent, about."""
MOST_NAMES = 6


def notes(space: DynamicsSpace) -> tuple[str, ...]:
    """Sentences, the most important first; none if every force follows from torques and all can be moved."""
    return (
        *_inconsistent(space),
        *_open_forces(space),
        *out_of_reach(space),
        *_still(space),
        *_singular_legs(space),
        *_left_out(space),
    )


def groups(space: DynamicsSpace) -> Groups:
    """Contacts of the same two parts together: "LF_FOOT", or "trunk on box", to their indices."""
    feet = {foot.name for foot in space.robot.feet}
    found: Groups = {}
    for i, name in enumerate(space.contacts.names):
        pair = name.split(" #")[0]
        part, _, other = pair.partition(" on ")
        found.setdefault(part if part in feet and other in ("ground", "world") else pair, []).append(i)
    return found


def rows(contacts: list[int]) -> list[int]:
    """Rows of these contacts in J."""
    return [3 * i + k for i in contacts for k in range(3)]


def listed(names: list[str]) -> str:
    """Names as "a", "a and b", "a, b and c"; many are cut."""
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def direction(vector: Array) -> str:
    """A unit vector as text, its largest entry positive."""
    vector = vector / (np.linalg.norm(vector) or 1.0)
    if vector[np.argmax(np.abs(vector))] < 0:
        vector = -vector
    return "(" + ", ".join(f"{x + 0.0:.3g}" for x in np.where(np.abs(vector) < 5e-4, 0.0, vector)) + ")"


def _inconsistent(space: DynamicsSpace) -> list[str]:
    if space.is_consistent:
        return []
    amount = np.linalg.norm(space.inconsistent.reshape(-1, 3), axis=1)
    worst = int(np.argmax(amount))
    involved = [name for name, which in groups(space).items() if amount[which].max() > NONE * amount[worst]]
    return [
        f"{listed(involved)} cannot stay in contact together at this velocity: what is nearest leaves "
        f"{space.contacts.names[worst]} an acceleration of {amount[worst]:.3g} m/s^2"
    ]


def _open_forces(space: DynamicsSpace) -> list[str]:
    free = space.force_of_torque().free
    left, told = free.shape[1], []
    for name, which in groups(space).items():
        inside = 3 * len(which) - len(split(space.jacobian[rows(which)]).sizes)
        if not inside:
            continue
        left -= inside
        if len(which) == 1:
            told.append(f"{name} can push against no motion: {inside} of its 3 force directions are open")
        else:
            told.append(
                f"the {len(which)} points of {name} hold each other: {inside} of {3 * len(which)} force directions "
                f"{'is' if inside == 1 else 'are'} internal"
            )
    if left > 0:
        names = [name for name, which in groups(space).items() if np.abs(free[rows(which)]).max() > NONE]
        told.append(f"{listed(names)} hold each other where no joint gives way: {_more(left, bool(told))} open")
    return told


def _more(count: int, further: bool) -> str:
    return f"{count} {'further ' if further else ''}force direction{'s are' if count > 1 else ' is'}"


def out_of_reach(space: DynamicsSpace) -> list[str]:
    """What no torque and no ground can do to a floating base."""
    robot = space.robot
    if robot.base is None:
        return []
    if not len(space.contacts):
        return ["no contact: torques change the shape; the centre of mass falls, and angular momentum stays as it is"]
    first = int(robot.model.body_dofadr[robot.model.body(robot.base).id])
    base = space.jacobian[:, first : first + 6]
    mine = [name for name, which in groups(space).items() if np.abs(base[rows(which)]).max() > 0]
    scaled = base * np.r_[np.ones(3), np.full(3, 1.0 / _extent(space))]
    missing = 6 - len(split(scaled).sizes)
    if not mine:
        return ["no contact holds the base: its centre of mass falls, and angular momentum stays as it is"]
    if not missing:
        return []
    points = np.unique(space.contacts.points.round(9), axis=0)
    if missing == 3 and len(points) == 1:
        return [f"{listed(mine)} alone touches: the ground turns the robot about no axis through that point"]
    if missing == 1:
        along = split(points - points.mean(axis=0)).right
        if along.shape[1] == 1:
            return [f"the ground cannot turn the robot about the line through {listed(mine)}, {direction(along[:, 0])}"]
    return [f"{listed(mine)} give the base {6 - missing} of 6 forces and moments"]


def _extent(space: DynamicsSpace) -> float:
    points = space.contacts.points
    return float(np.abs(points - points.mean(axis=0)).max(initial=0.0)) or 1.0


def _still(space: DynamicsSpace) -> list[str]:
    """Joints whose acceleration the contacts fix, whatever the torques."""
    if not len(space.contacts):
        return []
    moves = split(space.jacobian).right_null
    told = []
    for k, dof in enumerate(space.robot.dofs):
        if np.abs(moves[dof]).max(initial=0.0) <= NONE:
            touching = [
                name for name, which in groups(space).items() if np.abs(space.jacobian[rows(which), dof]).max() > 0
            ]
            told.append((space.robot.joints[k], tuple(touching)))
    return [
        f"{'joint' if len(joints) == 1 else 'joints'} {listed(joints)} cannot move: {listed(list(touching))} "
        f"{'holds' if len(touching) == 1 else 'hold'} {'it' if len(joints) == 1 else 'them'}"
        for touching, joints in _by_second(told).items()
    ]


def _by_second(pairs: list[tuple[str, tuple[str, ...]]]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for first, second in pairs:
        found.setdefault(second, []).append(first)
    return found


def _singular_legs(space: DynamicsSpace) -> list[str]:
    """Feet that the joints cannot move in some direction of space: a straight leg, or one with too few joints."""
    if space.robot.base is None:
        return []
    told = []
    for name, which in groups(space).items():
        all_ = space.jacobian[rows(which)]
        mine = all_[:, space.robot.dofs]
        ways, moved = len(split(all_).sizes), len(split(mine, STRAIGHT).sizes)
        if not 0 < moved < ways:
            continue
        if len(which) == 1:
            stiff = split(mine, STRAIGHT).left_null.T @ space.contacts.frames[which[0]]
            along = listed([direction(axis) for axis in stiff])
            told.append(f"no joint moves {name} along {along} in this posture: its force along it costs no torque")
        else:
            told.append(
                f"joints move {name} in {moved} of {ways} ways in this posture: {ways - moved} of its force directions "
                f"{'costs' if ways - moved == 1 else 'cost'} no torque"
            )
    return told


def _left_out(space: DynamicsSpace) -> list[str]:
    model = space.robot.model
    rubbing = [
        joint for joint, dof in zip(space.robot.joints, space.robot.dofs, strict=True) if model.dof_frictionloss[dof]
    ]
    told = [f"dry friction of {listed(rubbing)} is left out: motors must overcome it besides"] if rubbing else []
    stopped = [joint for joint in space.robot.joints if _at_limit(space.robot, space.state.q, joint)]
    return (
        [*told, f"{listed(stopped)} {'is' if len(stopped) == 1 else 'are'} at a joint limit, which is left out"]
        if stopped
        else told
    )


def _at_limit(robot: Scene, q: Array, joint: str) -> bool:
    j = robot.model.joint(joint)
    low, high = j.range
    return bool(j.limited[0]) and not low < float(q[j.qposadr[0]]) < high


def table(space: DynamicsSpace) -> str:
    """The space in words and numbers, one quantity a line."""
    robot, eta, zeta = space.robot, space.acceleration_of_torque(), space.force_of_torque()
    nv, joints, forces = len(space.bias), len(robot.joints), len(space.rate)
    names = listed(list(groups(space))) if len(space.contacts) else "nothing"
    felt = split(np.vstack([zeta.matrix.T, zeta.free.T])).sizes
    lines = [
        f"{robot.name} on {names}: {space.dimension} numbers to choose",
        f"  {'':<14}{'size':>6}{'free':>6}",
        f"  {'acceleration':<14}{nv:>6}{eta.rank:>6}   the rest follows from contact and from where there is no motor",
        f"  {'torque':<14}{joints:>6}{joints:>6}   {joints - eta.rank} press contacts together and move nothing",
        f"  {'force':<14}{forces:>6}{len(felt):>6}   {zeta.free.shape[1]} no torque decides",
        f"  equations {nv + forces}, of rank {space.rank}",
    ]
    return "\n".join([*lines, *(f"  - {note}" for note in space.notes)])
