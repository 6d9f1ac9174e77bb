"""Mechanisms with random sizes, touched at random points: what `random_systems` draws from.

Bodies and chains have the inertia, gravity, Coriolis terms and drift of contacts that their kinematics gives; `dense`
systems are random matrices. A `Sample` holds plain arrays: `Sample.system()` makes the package's `ContactSystem` of
it, other code may read it as it is.
"""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

GRAVITY = 9.81
REST, MOVING = "rest", "moving"


@dataclass(frozen=True)
class Sample:
    """The arguments of a `ContactSystem`, and where they came from."""

    kind: str
    inertia: np.ndarray
    bias: np.ndarray
    jacobian: np.ndarray
    friction: Any
    inputs: np.ndarray | None = None
    jacobian_rate: np.ndarray | None = None
    velocity: np.ndarray | None = None
    torque_limits: Any = None
    physical: tuple = ()
    edges: int | None = None
    threshold: Any = 1e-9

    @property
    def contacts(self):
        return len(self.jacobian) // (2 if self.edges is None else 3)

    @property
    def torques(self):
        return len(self.bias) if self.inputs is None else self.inputs.shape[1]

    def system(self):
        """The package's own."""
        import surefoot as sf

        names = ("inputs", "jacobian_rate", "velocity", "torque_limits", "edges", "threshold")
        rest = {name: getattr(self, name) for name in names}
        physical = tuple(sf.modes.Linear(**vars(linear)) for linear in self.physical)
        return sf.modes.ContactSystem(self.inertia, self.bias, self.jacobian, self.friction, physical=physical, **rest)


def linear(acceleration=None, force=None, torque=None, equals=None, at_least=None):
    """A physical constraint in plain arrays."""
    return SimpleNamespace(acceleration=acceleration, force=force, torque=torque, equals=equals, at_least=at_least)


def chain_rows(lengths, angles, rates, fixed, link, along, across):
    """(2, nv) Jacobian of a point of a planar chain and (2,) its drift; coordinates (x, y, angle, joint angles)."""
    n = len(lengths)
    reach = np.where(np.arange(n) < link, lengths, 0.0)
    reach[link] = along
    side = np.zeros(n)
    side[link] = across
    u, w = np.array([np.cos(angles), np.sin(angles)]), np.array([-np.sin(angles), np.cos(angles)])
    turning = (reach * w - side * u) @ np.tril(np.ones((n, n)))  # link i turns with joints 0 to i
    drift = -(reach * u + side * w) @ rates**2
    return np.hstack([np.eye(2)[:, : 0 if fixed else 2], turning]), drift


def chain_forces(lengths, masses, angles, rates, fixed):
    """Inertia and bias (Coriolis terms and gravity) of a chain of rods."""
    n = len(lengths)
    nv = n + (0 if fixed else 2)
    inertia, bias = np.zeros((nv, nv)), np.zeros(nv)
    for i in range(n):
        J, drift = chain_rows(lengths, angles, rates, fixed, i, lengths[i] / 2, 0.0)
        spin = np.r_[np.zeros(nv - n), (np.arange(n) <= i).astype(float)]
        inertia += masses[i] * (J.T @ J + lengths[i] ** 2 / 12 * np.outer(spin, spin))
        bias += masses[i] * J.T @ (drift + np.array([0.0, GRAVITY]))
    return inertia, bias


def chain(rng, contacts, motion, links=None, fixed=False):
    """A chain of links, free or hinged to the world, touched at random points."""
    n = links or int(rng.integers(2, 4))
    lengths, masses = rng.uniform(0.3, 1.0, n), rng.uniform(0.5, 3.0, n)
    bends = rng.uniform(-1.5, 1.5, n)
    angles = np.cumsum(bends)
    nv = n + (0 if fixed else 2)
    velocity = np.zeros(nv) if motion == REST else rng.standard_normal(nv)
    points = [(int(rng.integers(n)), *rng.uniform([-0.2, -0.2], [1.0, 0.2])) for _ in range(contacts)]
    frames = [_frame(_slope(rng)) for _ in range(contacts)]
    if motion == MOVING:
        rows, _ = _contact_rows(lengths, angles, np.zeros(n), fixed, points, frames)
        velocity, frames = _slide(rng, rows, velocity, frames)
    rates = np.cumsum(velocity[-n:])
    inertia, bias = chain_forces(lengths, masses, angles, rates, fixed)
    rows, drift = _contact_rows(lengths, angles, rates, fixed, points, frames)
    at_all = motion == MOVING
    return Sample("", inertia, bias, rows, 1.0, jacobian_rate=drift if at_all else None, velocity=velocity)


def _contact_rows(lengths, angles, rates, fixed, points, frames):
    rows, drift = zip(*(chain_rows(lengths, angles, rates, fixed, *point) for point in points), strict=True)
    return (
        np.vstack([frame @ J for frame, J in zip(frames, rows, strict=True)]),
        np.concatenate([frame @ d for frame, d in zip(frames, drift, strict=True)]),
    )


def _slope(rng):
    """Angle of the ground: flat, gentle, or anything."""
    return float(rng.choice([0.0, rng.uniform(-0.6, 0.6), rng.uniform(-np.pi, np.pi)], p=[0.3, 0.4, 0.3]))


def _frame(angle):
    """Rows normal and tangent of ground that rises to the right by an angle."""
    return np.array([[-np.sin(angle), np.cos(angle)], [np.cos(angle), np.sin(angle)]])


def _slide(rng, rows, velocity, frames):
    """A velocity that opens no contact of a random choice, and frames turned over where it would close one."""
    k = len(frames)
    held = [2 * i + j for i in range(k) for j in (0, 1) if rng.random() < (0.7, 0.4)[j]]
    held = held[: max(len(velocity) - 1, 0)]
    velocity = velocity - np.linalg.pinv(rows[held]) @ (rows[held] @ velocity) if held else velocity
    normals = (rows @ velocity)[::2]
    return velocity, [-frame if v < -1e-9 else frame for frame, v in zip(frames, normals, strict=True)]


def _body(rng, contacts, motion):
    return chain(rng, contacts, motion, links=1)


def _arm(rng, contacts, motion):
    return chain(rng, contacts, motion, links=int(rng.integers(1, 4)), fixed=True)


def dense(rng, contacts, motion, width=2):
    nv = int(rng.integers(1, 7)) if width == 2 else int(rng.integers(2, 7))
    A = rng.standard_normal((nv, nv))
    inertia = A @ A.T / nv + 0.3 * np.eye(nv)
    rows = rng.standard_normal((width * contacts, nv))
    sample = Sample("", inertia, 5 * rng.standard_normal(nv), rows, 1.0)
    return moving(rng, sample, width) if motion == MOVING else sample


def moving(rng, sample, width):
    """The same with a velocity that opens or slides, and a rate of its Jacobian."""
    rows, nv = sample.jacobian.copy(), len(sample.bias)
    held = [i for i in range(len(rows)) if rng.random() < (0.3 if i % width else 0.7)][: nv - 1]
    velocity = rng.standard_normal(nv)
    velocity = velocity - np.linalg.pinv(rows[held]) @ (rows[held] @ velocity) if held else velocity
    closing = (rows @ velocity)[::width] < -1e-9
    rows[::width][closing] *= -1.0
    return replace(sample, jacobian=rows, velocity=velocity, jacobian_rate=rng.standard_normal(rows.shape))


def _table(rng, contacts, motion):
    """A rigid body on flat ground, all normals up: forces are not unique."""
    x, height = rng.uniform(-1.0, 1.0, contacts), rng.uniform(0.2, 1.0)
    rows = np.concatenate([[[0.0, 1.0, p], [1.0, 0.0, height]] for p in x])
    mass = rng.uniform(0.5, 5.0)
    velocity = np.array([rng.choice([-1.0, 1.0]), 0.0, 0.0]) if motion == MOVING else None
    return Sample(
        "", np.diag([mass, mass, 0.3 * mass]), np.array([0.0, mass * GRAVITY, 0.0]), rows, 1.0, velocity=velocity
    )


def _ball(rng, contacts, motion):
    """A ball that walls touch from the directions of a box; moving, it spins in place."""
    angles = np.pi / 2 * rng.permutation(4)[:contacts]
    rows = np.concatenate([np.hstack([_frame(a), [[0.0], [1.0]]]) for a in angles])
    mass = rng.uniform(0.5, 2.0)
    velocity = np.array([0.0, 0.0, rng.choice([-3.0, 3.0])]) if motion == MOVING else None
    return Sample(
        "", np.diag([mass, mass, 0.4 * mass]), np.array([0.0, mass * GRAVITY, 0.0]), rows, 1.0, velocity=velocity
    )


def _corner(rng, contacts, motion):
    """A point mass where walls meet: more rows than velocities."""
    rows = np.concatenate([_frame(_slope(rng)) for _ in range(contacts)])
    mass = rng.uniform(0.5, 2.0)
    sample = Sample("", mass * np.eye(2), np.array([0.0, mass * GRAVITY]), rows, 1.0)
    return sample if motion == REST else _along_a_wall(rng, sample)


def _along_a_wall(rng, sample):
    """A velocity along the first wall; the others are turned over where it would run into them."""
    rows = sample.jacobian.copy()
    velocity = rng.choice([-1.0, 1.0]) * rows[1]
    rows[::2][(rows @ velocity)[::2] < -1e-9] *= -1.0
    return replace(sample, velocity=velocity, jacobian=rows)


def _twin(rng, contacts, motion):
    """A body, one contact of which is there twice."""
    sample = _body(rng, max(contacts - 1, 1), motion)
    copy = 2 * int(rng.integers(sample.contacts)) + np.arange(2)
    rate = sample.jacobian_rate
    return replace(
        sample,
        jacobian=np.vstack([sample.jacobian, sample.jacobian[copy]]),
        jacobian_rate=None if rate is None else np.concatenate([rate, rate[copy]]),
    )


def _leg(rng, contacts, motion):
    """A body whose first contact is a massless leg: the torque of its hip is set by the force of its foot."""
    sample = _body(rng, contacts, motion)
    lever = np.zeros((1, 2 * sample.contacts))
    lever[0, :2] = rng.uniform(-1.0, 1.0, 2)
    inputs = np.zeros((3, 1 + int(rng.integers(0, 2))))
    inputs[:, 1:] = rng.standard_normal((3, inputs.shape[1] - 1))
    hip = np.eye(1, inputs.shape[1])
    return replace(sample, inputs=inputs, physical=(linear(force=lever, torque=hip, equals=np.zeros(1)),))


BUILDERS = {
    "body": _body,
    "chain": chain,
    "arm": _arm,
    "dense": dense,
    "table": _table,
    "ball": _ball,
    "corner": _corner,
    "twin": _twin,
    "leg": _leg,
}


def space_body(rng, contacts):
    """A rigid body in space; rows normal and two tangents of each contact."""
    mass, rows = rng.uniform(0.5, 3.0), []
    for _ in range(contacts):
        frame = np.linalg.qr(rng.standard_normal((3, 3)))[0] if rng.random() < 0.5 else np.eye(3)[[2, 0, 1]]
        x, y, z = rng.uniform(-0.5, 0.5, 3)
        rows.append(frame @ np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]]))
    inertia = np.diag(mass * np.r_[np.ones(3), rng.uniform(0.05, 0.3, 3)])
    bias = np.array([0.0, 0.0, mass * GRAVITY, 0.0, 0.0, 0.0])
    return Sample("", inertia, bias, np.vstack(rows), 1.0)
