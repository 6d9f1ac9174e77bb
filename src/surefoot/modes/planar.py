"""Contact systems of planar rigid bodies: free ones, and linkages of them with hinges.

Coordinates follow the bodies in their order. A free body has three, x and y of its mass centre and its angle; a body
that hangs on a hinge has one, its angle against the body (or the world) that carries it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes.bodies import WORLD, Body, Hinge, Push, Touch
from surefoot.modes.system import ContactSystem

GRAVITY = (0.0, -9.81)  # m/s^2


def planar(
    bodies: Sequence[Body],
    contacts: Sequence[Touch],
    *,
    hinges: Sequence[Hinge] = (),
    pushes: Sequence[Push] = (),
    gravity: Any = GRAVITY,
    **others: Any,
) -> ContactSystem:
    """The contact system of planar rigid bodies.

    Args:
        bodies: that move.
        contacts: where they touch the world or each other.
        hinges: between them.
        pushes: forces from outside that are free to choose; they come after the torques of the hinges with a motor.
        gravity: (2,) in m/s^2.
        others: torque_limits, physical, task and threshold of `ContactSystem`.

    Raises:
        InputError: a name or a number is not what it should be; the text says which.
    """
    linkage = _Linkage(bodies, hinges)
    gravity = checks.array("gravity", gravity, (2,))
    inertia, bias = np.zeros((linkage.nv, linkage.nv)), np.zeros(linkage.nv)
    for body in bodies:
        mass = checks.number(f"{body.name}: mass", body.mass, above=0.0)
        turning = checks.number(f"{body.name}: inertia", body.inertia, above=0.0)
        centre, spin = linkage.point(body.name, linkage.places[body.name]), linkage.spin(body.name)
        inertia += mass * centre.T @ centre + turning * np.outer(spin, spin)
        bias += mass * centre.T @ (linkage.drift(body.name, linkage.places[body.name]) - gravity)
    rows, rates = zip(*(linkage.contact(touch) for touch in contacts), strict=True) if contacts else ((), ())
    motors = [hinge for hinge in hinges if hinge.motor]
    columns = [linkage.turning(hinge.body) for hinge in motors] + [linkage.push(push) for push in pushes]
    return ContactSystem(
        inertia,
        bias,
        np.concatenate([np.zeros((0, linkage.nv)), *rows]),
        np.array([checks.friction(f"{touch.name}: friction", touch.friction) for touch in contacts]),
        inputs=np.array(columns).reshape(-1, linkage.nv).T,
        jacobian_rate=np.concatenate([np.zeros(0), *rates]),
        velocity=linkage.velocity,
        names=tuple(touch.name for touch in contacts),
        torque_names=(*(f"{hinge.name} [N m]" for hinge in motors), *(f"{push.name} [{push.unit}]" for push in pushes)),
        coordinates=linkage.coordinates,
        **others,
    )


class _Linkage:
    """How points of the bodies move with the coordinates.

    Attributes:
        nv: number of coordinates.
        velocity: (nv,) in m/s and rad/s.
        coordinates: (nv,) names of the coordinates.
        places: mass centres (2,) in m by body.
    """

    def __init__(self, bodies: Sequence[Body], hinges: Sequence[Hinge]) -> None:
        _unique("bodies", [WORLD, *(body.name for body in bodies)])
        _unique("hinges", [hinge.name for hinge in hinges])
        self.places = {body.name: checks.array(f"{body.name}: position", body.position, (2,)) for body in bodies}
        self._hinges: dict[str, Hinge] = {}
        for hinge in hinges:
            checks.indices(f"{hinge.name}: carrier", [hinge.carrier], [WORLD, *self.places], "body")
            checks.indices(f"{hinge.name}: body", [hinge.body], list(self.places), "body")
            if hinge.body in self._hinges:
                text = f"{self._hinges[hinge.body].name} and {hinge.name}"
                raise InputError(f"{hinge.name}: expected each body to be carried by one hinge, got {text}")
            self._hinges[hinge.body] = hinge
        self._pivots = {h.body: checks.array(f"{h.name}: at", h.at, (2,)) for h in hinges}
        for name in self.places:
            self._path(name)
        self._first: dict[str, int] = {}
        velocity: list[float] = []
        names: list[str] = []
        for body in bodies:
            self._first[body.name] = len(velocity)
            if body.name in self._hinges:
                if body.velocity is not None:
                    text = f"a body on a hinge takes its velocity from the rate of {self._hinges[body.name].name}"
                    raise InputError(f"{body.name}: velocity: expected none, since {text}")
                hinge = self._hinges[body.name]
                velocity.append(checks.number(f"{hinge.name}: rate", hinge.rate))
                names.append(hinge.name)
            else:
                own = (0.0, 0.0, 0.0) if body.velocity is None else body.velocity
                velocity.extend(checks.array(f"{body.name}: velocity", own, (3,)))
                names.extend(f"{body.name} {what}" for what in ("x", "y", "angle"))
        self.velocity, self.nv, self.coordinates = np.array(velocity), len(velocity), tuple(names)

    def spin(self, body: str) -> NDArray[np.float64]:
        """(nv,) row that gives the turning speed of a body in rad/s."""
        row = np.zeros(self.nv)
        if body != WORLD:
            row[[column for column, _ in self._turns(body)]] = 1.0
        return row

    def turning(self, body: str) -> NDArray[np.float64]:
        """(nv,) row that gives the turning speed of a body against the one that carries it."""
        row = np.zeros(self.nv)
        row[self._first[body]] = 1.0
        return row

    def point(self, body: str, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2, nv) Jacobian of the point of a body that is `at` a place."""
        rows = np.zeros((2, self.nv))
        if body == WORLD:
            return rows
        root = self._path(body)[-1]
        if root not in self._hinges:
            rows[:, self._first[root] : self._first[root] + 2] = np.eye(2)
        for column, pivot in self._turns(body):
            rows[:, column] = _across(at - pivot)
        return rows

    def drift(self, body: str, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2,) acceleration of the point of a body `at` a place while no coordinate accelerates, in m/s^2."""
        if body == WORLD:
            return np.zeros(2)
        speed = self.spin(body) @ self.velocity
        if body not in self._hinges:
            return -(speed**2) * (at - self.places[body])
        pivot = self._pivots[body]
        return self.drift(self._hinges[body].carrier, pivot) - speed**2 * (at - pivot)

    def contact(self, touch: Touch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(2, nv) normal and tangent row of a contact, and (2,) their acceleration while no coordinate accelerates."""
        checks.indices(f"{touch.name}: body", [touch.body], list(self.places), "body")
        checks.indices(f"{touch.name}: against", [touch.against], [WORLD, *self.places], "body")
        if touch.body == touch.against:
            raise InputError(f"{touch.name}: against: expected another body than {touch.body!r}, got the same")
        at = checks.array(f"{touch.name}: at", touch.at, (2,))
        normal = _unit(f"{touch.name}: normal", touch.normal)
        radius = checks.number(f"{touch.name}: radius", touch.radius, at_least=0.0)
        frame = np.array([normal, [normal[1], -normal[0]]])
        # A round outline touches with ever new points, but the centre of its curvature stays the same point.
        centre = at + radius * normal
        relative = self.point(touch.body, centre) - self.point(touch.against, centre)
        drift = self.drift(touch.body, centre) - self.drift(touch.against, centre)
        # The frame turns with the body that is touched: take off Coriolis' acceleration.
        drift -= 2.0 * (self.spin(touch.against) @ self.velocity) * _across(relative @ self.velocity)
        rows = self.point(touch.body, at) - self.point(touch.against, at)
        return frame @ rows, frame @ drift

    def push(self, push: Push) -> NDArray[np.float64]:
        """(nv,) force on the coordinates of a push of one newton or newton metre."""
        checks.indices(f"{push.name}: body", [push.body], list(self.places), "body")
        if push.direction is None:
            if push.at is not None:
                raise InputError(f"{push.name}: at: expected none, since a moment acts on the whole body")
            return self.spin(push.body)
        at = self.places[push.body] if push.at is None else checks.array(f"{push.name}: at", push.at, (2,))
        return _unit(f"{push.name}: direction", push.direction) @ self.point(push.body, at)

    def _path(self, body: str) -> list[str]:
        """A body, what carries it, what carries that, up to a free body or to one on the world."""
        path = [body]
        while path[-1] in self._hinges and self._hinges[path[-1]].carrier != WORLD:
            carrier = self._hinges[path[-1]].carrier
            if carrier in path:
                raise InputError(f"hinges: expected no loop, got one through {', '.join(path)}")
            path.append(carrier)
        return path

    def _turns(self, body: str) -> list[tuple[int, NDArray[np.float64]]]:
        """Coordinates that turn a body, each with the place in m that it turns about."""
        return [
            (self._first[name], self._pivots[name])
            if name in self._hinges
            else (self._first[name] + 2, self.places[name])
            for name in self._path(body)
        ]


def _across(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2,) a vector turned by a quarter turn to the left."""
    return np.array([-vector[1], vector[0]])


def _unit(name: str, value: Any) -> NDArray[np.float64]:
    vector = checks.array(name, value, (2,))
    length = np.linalg.norm(vector)
    if length < 1e-12:
        raise InputError(f"{name}: expected a direction, got {vector.tolist()}")
    return vector / length


def _unique(name: str, names: Sequence[str]) -> None:
    twice = [one for i, one in enumerate(names) if one in names[:i]]
    if twice:
        raise InputError(f"{name}: expected names that differ, got {twice[0]!r} twice")
