"""Planar bodies and rods in contact, written from first principles, for the tests of this room."""

import numpy as np

from surefoot.modes import ContactSystem

NO_TORQUE = np.zeros((3, 0))
GRAVITY = 9.81


def body(points, normals, friction, *, mass=1.0, inertia=0.1, gravity=GRAVITY, **options):
    """A rigid body in the plane, coordinates x, y, angle; contact points relative to its centre."""
    rows = []
    for p, n in zip(points, normals, strict=True):
        n = np.array(n, dtype=float) / np.linalg.norm(n)
        for u in (n, np.array([n[1], -n[0]])):
            rows.append([u[0], u[1], p[0] * u[1] - p[1] * u[0]])
    return ContactSystem(
        np.diag([mass, mass, inertia]), [0.0, mass * gravity, 0.0], np.reshape(rows, (-1, 3)), friction, **options
    )


def block(friction=0.5, **options):
    """A block of 2 m by 1 m on the ground, pushed at its centre by forces along x and y and by a torque."""
    return body([(-1.0, -0.5), (1.0, -0.5)], [(0, 1), (0, 1)], friction, **options)


def rod(friction, angle, speed, turn=0.0, mass=1.0, half=1.0):
    """A rod whose lower end, left of its centre, slides along the ground with `speed` while it turns."""
    p = np.array([-half * np.cos(angle), -half * np.sin(angle)])
    jacobian = np.array([[0.0, 1.0, p[0]], [1.0, 0.0, -p[1]]])
    velocity = [speed + turn * p[1], -turn * p[0], turn]
    rate = -(turn**2) * p[::-1]  # towards the centre
    return ContactSystem(
        np.diag([mass, mass, mass * half**2 / 3]),
        [0.0, mass * GRAVITY, 0.0],
        jacobian,
        friction,
        velocity=velocity,
        jacobian_rate=rate,
        inputs=NO_TORQUE,
        names=["tip"],
    )
