"""What a whole-body controller found in its last call, in words: limits that gave way, and what the feet will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from surefoot.kernels import program_limits as limits
from surefoot.kernels.dynamics_space import OUT, SLIDES, STICKS
from surefoot.solvers.status import Status

if TYPE_CHECKING:
    from surefoot.whole_body.controller import WholeBody

_DOES = {OUT: "lifts", STICKS: "sticks", SLIDES: "slips"}
_OF_CONTACTS = {limits.FRICTION: "friction of", limits.LOAD: "least force of", limits.MOST_LOAD: "most force of"}
_OF_JOINTS = {
    limits.TORQUE_LOW: ("lowest torque of", "N m"),
    limits.TORQUE_HIGH: ("highest torque of", "N m"),
    limits.SPEED_LOW: ("lowest speed of", "rad/s^2"),
    limits.SPEED_HIGH: ("highest speed of", "rad/s^2"),
    limits.STOP_LOW: ("lower end of", "rad/s^2"),
    limits.STOP_HIGH: ("upper end of", "rad/s^2"),
}


class Violation(NamedTuple):
    """A limit that gave way.

    Attributes:
        name: of the limit.
        amount: by how much it is exceeded, 0 or more.
        unit: of the amount.
    """

    name: str
    amount: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name} by {self.amount:.4g} {self.unit}"


class Foresight(NamedTuple):
    """What Coulomb's law says of a contact under the torques just found.

    Attributes:
        contact: its name.
        planned: "sticks", "slips" or "lifts": what the program took it for.
        foreseen: what it will do by the law.
        velocity: (3,) m/s at the end of the step: normal, tangent 1, tangent 2.
    """

    contact: str
    planned: str
    foreseen: str
    velocity: tuple[float, float, float]

    @property
    def agrees(self) -> bool:
        """Whether the contact will do what the program counts on."""
        return self.planned == self.foreseen

    def __str__(self) -> str:
        normal, *slip = self.velocity
        speed = normal if self.foreseen == "lifts" else (slip[0] ** 2 + slip[1] ** 2) ** 0.5
        how = "" if self.foreseen == "sticks" else f" at {speed:.3g} m/s"
        return f"{self.contact}: planned {self.planned}, {self.foreseen}{how}"


def violations(controller: WholeBody) -> tuple[Violation, ...]:
    """Limits that gave way in the last call, the largest first in units of what matters."""
    c = controller._c
    found = []
    if not controller.status.is_answer:
        return ()
    names = controller.contacts.names
    for i in range(int(c.sizes[3])):
        if c.program.give[i] > 0.0:
            name, unit = _name(controller, names, int(c.limits.what[i]), int(c.limits.which[i]))
            found.append((c.program.give[i] / c.limits.scale[i], Violation(name, float(c.program.give[i]), unit)))
    return tuple(one for _, one in sorted(found, key=lambda pair: -pair[0]))


def _name(controller: WholeBody, contacts: tuple[str, ...], what: int, which: int) -> tuple[str, str]:
    if what in _OF_CONTACTS:
        return f"{_OF_CONTACTS[what]} {contacts[which]}", "N"
    if what in _OF_JOINTS:
        words, unit = _OF_JOINTS[what]
        return f"{words} {controller.robot.joints[which]}", unit
    first, second = (controller.robot.model.geom(int(geom)).name for geom in controller._c.limits.pairs[which])
    return f"distance of {first} and {second}", "m/s^2"


def foresight(controller: WholeBody) -> tuple[Foresight, ...]:
    """What each contact that carries a force will do by Coulomb's law; nothing if the law was not asked."""
    c = controller._c
    if controller.check == "trust" or not controller.status.is_answer or not Status.from_code(int(c.law[0])).is_answer:
        return ()
    found = []
    for i, name in enumerate(controller.contacts.names):
        if c.mode[i] != OUT:
            velocity = tuple(float(value) for value in c.seen[3 * i : 3 * i + 3])
            found.append(Foresight(name, _DOES[int(c.mode[i])], _DOES[int(c.foreseen[i])], velocity))  # pyright: ignore
    return tuple(found)


def endless_goals(controller: WholeBody) -> tuple[str, ...]:
    """Names of the tasks whose references are not finite."""
    return tuple(name for name, goal in controller.goals.items() if not np.isfinite(goal).all())


def table(controller: WholeBody) -> str:
    """The last call as text: status, contacts with forces and what they will do, torques, limits that gave way."""
    c = controller._c
    if not controller.status.is_answer:
        wrong = "".join(f"; goals[{name!r}] is not finite" for name in endless_goals(controller))
        return f"{controller.robot.name}: {controller.status}{wrong}"
    does = {one.contact: one for one in foresight(controller)}
    lines = [f"{controller.robot.name}: {controller.status.name.lower()}"]
    lines.append(f"  {'contact':<32}{'normal':>9}{'tangential':>12}  N")
    for name, force in zip(controller.contacts.names, controller.forces, strict=True):
        told = does.get(name)
        note = "" if told is None or told.agrees else f"  {told.foreseen}"
        lines.append(f"  {name:<32}{force[0]:>9.2f}{(force[1] ** 2 + force[2] ** 2) ** 0.5:>12.2f}{note}")
    if not controller.contacts:
        lines[1:] = ["  nothing touches: torques change the shape, and the robot falls"]
    strongest = int(abs(c.torque).argmax())
    lines.append(f"  largest torque {c.torque[strongest]:.3g} N m at {controller.robot.joints[strongest]}")
    lines += [f"  gave way: {one}" for one in violations(controller)]
    return "\n".join(lines)
