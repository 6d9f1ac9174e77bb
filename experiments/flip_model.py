"""The robot of [Greenfield2005], section IV, as its controllers see it: rigid legs without mass.

Contacts are the lower rear corner of the body and the toes that stand on the ground. Coordinates are y, z and pitch of
the body and the hip angles of those legs; each hip has a torque. Hip angles have no inertia: their equations are (36),
with the sign of (5). The paper's dynamics (35) leave them out, but a toe that slides or is stuck turns its leg, so they
do belong to the accelerations at the contacts. With toes that weigh something they are coordinates like the others.

Velocities along the ground up to a threshold count as zero (section IV-C.3): a leg that gives seems to slide when it
is stuck.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.flip_plant import Robot

import surefoot as sf

Array = NDArray[np.float64]

CONTACTS = ("body", "rear", "middle", "front")
SLOW = 10.0  # m/s: no velocity towards or off the ground is taken for an impact or a take-off
UPRIGHT = 0.999  # share of a leg's length: with a higher hip its toe is out of reach


class Contacts(NamedTuple):
    """Where rigid legs and the body's end touch; legs are numbered 0, 1, 2 from the rear.

    Attributes:
        legs: legs of the model, in order.
        jacobian: (2k, nv) normal and tangent of the body's end, then of each toe.
        rate: (2k,) m/s^2, its time derivative times the velocity.
        velocity: (nv,) of y, z, pitch and of the hip angles.
    """

    legs: tuple[int, ...]
    jacobian: Array
    rate: Array
    velocity: Array

    @property
    def places(self) -> list[int]:
        """Which of `CONTACTS` they are."""
        return [0, *(1 + i for i in self.legs)]

    @property
    def slips(self) -> Array:
        """(4,) m/s along the ground of body and toes; NaN of legs that are left out."""
        found = np.full(4, np.nan)
        found[self.places] = (self.jacobian @ self.velocity)[1::2]
        return found


def on_its_end(pitch: float, rate: float, robot: Robot) -> Array:
    """(6,) state of a body of which only the pitch is known: its end stays where it is on rigid ground."""
    c, s = math.cos(pitch), math.sin(pitch)
    d, h = robot.half_length, robot.half_height
    return np.array([d * c - h * s, d * s + h * c, pitch, -rate * (d * s + h * c), rate * (d * c - h * s), rate])


def contacts(body: Array, standing: tuple[int, ...], robot: Robot) -> Contacts:
    """Kinematics of the contacts.

    Args:
        body: (6,) y, z, pitch of the body and their rates.
        standing: legs whose toes are on the ground; those out of reach of it are left out.
        robot: sizes.
    """
    c, s, turn = math.cos(body[2]), math.sin(body[2]), body[5]
    heights = body[1] + s * np.array(robot.hips)
    legs = tuple(i for i in standing if abs(heights[i]) < UPRIGHT * robot.leg)
    n = len(legs)
    by = -robot.half_length * c + robot.half_height * s
    bz = -robot.half_length * s - robot.half_height * c
    J, rate = np.zeros((2 + 2 * n, 3 + n)), np.zeros(2 + 2 * n)
    velocity = np.concatenate([body[3:], np.zeros(n)])
    J[:2, :3] = [[0.0, 1.0, by], [1.0, 0.0, -bz]]
    rate[:2] = -(turn**2) * bz, -(turn**2) * by
    for k, i in enumerate(legs):
        hy, hz = c * robot.hips[i], s * robot.hips[i]
        down = heights[i]
        ahead = math.sqrt(robot.leg**2 - down**2)
        swing = -(body[4] + turn * hy) / ahead  # of the leg in space: its toe stays on the ground
        velocity[3 + k] = swing - turn
        rows = slice(2 + 2 * k, 4 + 2 * k)
        J[rows, :3] = [[0.0, 1.0, hy + ahead], [1.0, 0.0, down - hz]]
        J[rows, 3 + k] = ahead, down
        rate[rows] = -(turn**2) * hz + swing**2 * down, -(turn**2) * hy - swing**2 * ahead
    return Contacts(legs, J, rate, velocity)


def rigid(
    where: Contacts, friction: tuple[float, float], limits: Array, thresholds: Array, toe: float, robot: Robot
) -> sf.modes.ContactSystem:
    """Build the rigid model.

    Args:
        where: kinematics of the contacts.
        friction: of toes and body.
        limits: (3, 2) lowest and highest torque of each hip [N m].
        thresholds: (4,) m/s of body and toes.
        toe: mass of a toe in kg.
        robot: masses.
    """
    n, toes = len(where.legs), where.jacobian[2:]
    inertia = np.diag(np.concatenate([[robot.mass, robot.mass, robot.inertia], np.zeros(n)])) + toe * toes.T @ toes
    fall = np.tile([robot.gravity, 0.0], n)
    bias = toe * toes.T @ (where.rate[2:] + fall)
    bias[1] += robot.mass * robot.gravity
    names = [CONTACTS[i] for i in where.places]
    return sf.modes.ContactSystem(
        inertia,
        bias,
        where.jacobian,
        [friction[1], *n * [friction[0]]],
        inputs=np.vstack([np.zeros((3, n)), np.eye(n)]),
        jacobian_rate=where.rate,
        velocity=where.velocity,
        torque_limits=limits[list(where.legs)].reshape(n, 2),
        threshold=np.column_stack([np.full(1 + n, SLOW), thresholds[where.places]]),
        names=names,
        torque_names=names[1:],
        coordinates=["y", "z", "pitch", *(f"{name} hip" for name in names[1:])],
    )
