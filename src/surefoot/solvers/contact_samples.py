"""Contact problems made to be hard: redundant, degenerate, badly scaled, and some without an answer.

Each has the shape of a real one. A legged robot has a base and legs of three joints with points of contact on its feet;
W is its contact Jacobian times the inverse Cholesky factor of a full inertia matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.solvers.contact_problem import ContactProblem

Array = NDArray[np.float64]

KINDS = ("forward", "inverse", "redundant", "degenerate", "mass_ratio", "grasp")
"""Kinds of contact problems.

forward: 18 free velocities, gaps, velocities that a motion of the robot makes: always has a solution.
inverse: 6 free velocities of a base, joint velocities prescribed; normals within reach of an escape upwards.
redundant: many coplanar points on the faces of box feet, some twice; forward or inverse.
degenerate: at rest, or falling straight down, on a regular grid of points; exact ties; some without friction.
mass_ratio: a stack of bodies whose masses differ up to a million times; forward.
grasp: an object of 6 velocities between prescribed fingers or chimney walls; may have no solution.
"""


class ContactCase(NamedTuple):
    """One problem of a set: its kind and the problem."""

    kind: str
    problem: ContactProblem


def contact_set(seed: int, count: int, max_contacts: int = 40) -> Iterator[ContactCase]:
    """Yield `count` problems of mixed kinds with 1 to `max_contacts` contacts; number i depends on (seed, i) only."""
    for i in range(count):
        yield contact_case(seed, i, max_contacts)


def contact_case(seed: int, index: int, max_contacts: int = 40, kinds: Sequence[str] = KINDS) -> ContactCase:
    """Return problem number `index` of `contact_set(seed, ...)`, of the kinds given in turn."""
    rng = np.random.default_rng([seed, index])
    kind = kinds[index % len(kinds)]
    return ContactCase(kind, random_contact(rng, int(rng.integers(1, max_contacts + 1)), kind))


def random_contact(rng: np.random.Generator, contacts: int, kind: str = "forward") -> ContactProblem:
    """Return a random problem with this many contacts of one of `KINDS`."""
    checks.number("contacts", contacts, at_least=0)
    maker = {
        "forward": _forward,
        "inverse": _inverse,
        "redundant": _redundant,
        "degenerate": _degenerate,
        "mass_ratio": _mass_ratio,
        "grasp": _grasp,
    }[checks.choice("kind", kind, KINDS)]
    return maker(rng, contacts)


def _forward(rng: np.random.Generator, n: int) -> ContactProblem:
    points, leg = _feet(rng, n)
    J = _legged_jacobian(rng, points, _frames(rng, n, tilt=0.6), leg)
    closed = rng.random(n) < 0.75
    gap_rate = np.where(closed, 0.0, rng.uniform(0, 1, n))
    velocity = rng.standard_normal(J.shape[1]) * _speed(rng)
    return _assemble(J, _inertia(rng, J.shape[1]), J @ velocity, gap_rate, _friction(rng, n), closed)


def _inverse(rng: np.random.Generator, n: int) -> ContactProblem:
    points, leg = _feet(rng, n)
    mu = _friction(rng, n)
    J = _legged_jacobian(rng, points, _frames(rng, n, tilt=0.8 * np.arctan(1 / max(mu.max(initial=0), 1.0))), leg)
    closed = rng.random(n) < 0.75
    gap_rate = np.where(closed, 0.0, rng.uniform(0, 1, n))
    velocity = rng.standard_normal(J.shape[1]) * _speed(rng)
    return _assemble(J[:, :6], _inertia(rng, 6), J @ velocity, gap_rate, mu, closed)


def _redundant(rng: np.random.Generator, n: int) -> ContactProblem:
    points, leg = _feet(rng, n, box=True)
    double = rng.random(n) < 0.2
    double[:1] = False
    source = np.where(double, np.arange(n) - 1, np.arange(n))
    points, leg = points[source], leg[source]
    J = _legged_jacobian(rng, points, _frames(rng, n, tilt=0.0), leg)
    mu = np.full(n, rng.choice([0.1, 0.5, 0.7, 1.0, 2.0]))
    velocity = rng.standard_normal(J.shape[1]) * _speed(rng)
    nu = int(rng.choice([6, J.shape[1]]))
    return _assemble(J[:, :nu], _inertia(rng, nu), J @ velocity, np.zeros(n), mu, np.ones(n, dtype=bool))


def _degenerate(rng: np.random.Generator, n: int) -> ContactProblem:
    side = max(1, int(np.ceil(np.sqrt(n))))
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:n] * 0.25
    points = np.column_stack([grid - 0.125 * (side - 1), np.full(n, -0.5)])
    J = _point_jacobian(points, np.tile(_UPRIGHT, (n, 1, 1)))
    velocity = np.zeros(6)
    velocity[2] = -rng.choice([0.0, 0.00981, 1.0])
    velocity[0] = rng.choice([0.0, 0.5])
    mu = rng.choice([0.0, 0.5, 1.0], n) if rng.random() < 0.5 else np.full(n, rng.choice([0.0, 0.5]))
    inertia = np.diag([4.0, 4.0, 4.0, 0.5, 0.5, 0.25])
    return _assemble(J, inertia, J @ velocity, np.zeros(n), mu, np.ones(n, dtype=bool))


def _mass_ratio(rng: np.random.Generator, n: int) -> ContactProblem:
    bodies = int(rng.integers(2, 4))
    masses = 10.0 ** rng.uniform(-3, 3, bodies)
    upper = rng.integers(0, bodies, n)
    J = np.zeros((3 * n, 6 * bodies))
    points = np.column_stack([rng.uniform(-0.2, 0.2, (n, 2)), np.full(n, -0.1)])
    above = _point_jacobian(points, np.tile(_UPRIGHT, (n, 1, 1))).reshape(n, 3, 6)
    below = _point_jacobian(points * [1, 1, -1], np.tile(_UPRIGHT, (n, 1, 1))).reshape(n, 3, 6)
    for i, body in enumerate(upper):  # body 0 stands on the ground, body 1 on body 0, ...
        J[3 * i : 3 * i + 3, 6 * body : 6 * body + 6] = above[i]
        if body > 0:
            J[3 * i : 3 * i + 3, 6 * body - 6 : 6 * body] = -below[i]
    inertia = np.diag(np.concatenate([m * np.array([1, 1, 1, 0.01, 0.01, 0.01]) for m in masses]))
    velocity = rng.standard_normal(6 * bodies) * _speed(rng)
    closed = rng.random(n) < 0.9
    gap_rate = np.where(closed, 0.0, rng.uniform(0, 1, n))
    return _assemble(J, inertia, J @ velocity, gap_rate, _friction(rng, n), closed)


def _grasp(rng: np.random.Generator, n: int) -> ContactProblem:
    normals = rng.standard_normal((n, 3))
    if rng.random() < 0.5:  # a chimney: two vertical walls
        normals = np.tile([1.0, 0.0, 0.0], (n, 1)) * rng.choice([-1.0, 1.0], n)[:, None]
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    J = _point_jacobian(-0.1 * normals + 0.02 * rng.standard_normal((n, 3)), _frames_of(rng, normals))
    prescribed = 0.1 * _speed(rng) * rng.standard_normal(3 * n) * (rng.random(3 * n) < 0.5)
    velocity = rng.standard_normal(6) * _speed(rng)
    ones = np.ones(n, dtype=bool)
    return _assemble(J, _inertia(rng, 6, mass=1.0), J @ velocity + prescribed, np.zeros(n), _friction(rng, n), ones)


_UPRIGHT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def _assemble(
    J: Array, inertia: Array, c0: Array, gap_rate: Array, mu: Array, closed: NDArray[np.bool_]
) -> ContactProblem:
    W = np.linalg.solve(np.linalg.cholesky(inertia), J.T).T
    return ContactProblem(W.astype(np.float64), c0, gap_rate, mu, closed)


def _speed(rng: np.random.Generator) -> float:
    return float(10.0 ** rng.uniform(-3, 1))


def _friction(rng: np.random.Generator, n: int) -> Array:
    return rng.choice([0.0, 0.1, 0.5, 0.7, 1.0, 3.0], n, p=[0.05, 0.15, 0.3, 0.3, 0.15, 0.05])


def _inertia(rng: np.random.Generator, nu: int, mass: float = 10.0) -> Array:
    """Full inertia matrix of a base, and of joints coupled to it."""
    scale = np.concatenate([np.full(3, np.sqrt(mass)), np.full(3, np.sqrt(0.02 * mass)), np.full(max(0, nu - 6), 0.2)])
    coupling = rng.standard_normal((nu, nu)) * 0.3 + 2.0 * np.eye(nu)
    return (coupling @ coupling.T / 4.0) * np.outer(scale[:nu], scale[:nu])


def _feet(rng: np.random.Generator, n: int, box: bool = False) -> tuple[Array, NDArray[np.int64]]:
    """Points of contact (n, 3) relative to the base, and the leg that each belongs to."""
    leg = rng.integers(0, 4, n)
    hips = np.array([[0.3, 0.2], [0.3, -0.2], [-0.3, 0.2], [-0.3, -0.2]])[leg]
    offset = rng.choice([-0.05, 0.0, 0.05], (n, 2)) if box else rng.uniform(-0.1, 0.1, (n, 2))
    height = np.full(n, -0.4) if box else -0.4 + rng.uniform(-0.05, 0.05, n)
    return np.column_stack([hips + offset, height]), leg


def _frames(rng: np.random.Generator, n: int, tilt: float) -> Array:
    """Contact frames (n, 3, 3), rows normal and tangents, normals within `tilt` [rad] of straight up."""
    if tilt == 0.0:
        return np.tile(_UPRIGHT, (n, 1, 1))
    angle, azimuth = rng.uniform(0, tilt, n), rng.uniform(0, 2 * np.pi, n)
    normals = np.column_stack([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)])
    return _frames_of(rng, normals)


def _frames_of(rng: np.random.Generator, normals: Array) -> Array:
    first: Array = np.cross(normals, rng.standard_normal(normals.shape)).astype(np.float64)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack([normals, first, np.cross(normals, first).astype(np.float64)], axis=1)


def _point_jacobian(points: Array, frames: Array) -> Array:
    """(3n, 6) velocity of points fixed to a free body, in the contact frames: frame (v + omega x r)."""
    skew = np.zeros((len(points), 3, 3))
    x, y, z = points.T
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -z, y, -x
    skew -= skew.transpose(0, 2, 1)
    return np.concatenate([frames, -frames @ skew], axis=2).reshape(-1, 6)


def _legged_jacobian(rng: np.random.Generator, points: Array, frames: Array, leg: NDArray[np.int64]) -> Array:
    """(3n, 18) Jacobian of a base with four legs of three revolute joints; a foot's points move as one rigid body."""
    J = np.zeros((3 * len(points), 18))
    J[:, :6] = _point_jacobian(points, frames)
    axes = rng.standard_normal((4, 3, 3))
    centres = np.array([0.3, 0.2, -0.2]) * rng.choice([-1.0, 1.0], (4, 3, 3)) + 0.05 * rng.standard_normal((4, 3, 3))
    for i, body in enumerate(leg):
        arms = np.cross(axes[body], points[i] - centres[body])  # rows: velocity of the point per joint
        J[3 * i : 3 * i + 3, 6 + 3 * body : 9 + 3 * body] = frames[i] @ arms.T
    return J
