"""The robot of [Greenfield2005], section IV, as its controllers see it: rigid legs, hardly any mass in them.

Contacts are the lower rear corner of the body and the toes that stand on the ground. Coordinates are y, z and pitch of
the body and the hip angles of those legs; each hip has a torque. The paper gives its legs no mass: their hip angles are
no coordinates of its dynamics (35), and their balance is a constraint (36). But a toe that slides or is stuck turns
its leg, so hip angles do belong to the accelerations at the contacts. Here they are coordinates like the others, with
toes that weigh next to nothing: their equations are (36), with the sign of (5).

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


class Rigid(NamedTuple):
    """The rigid model at a state; legs are numbered 0, 1, 2 from the rear.

    Attributes:
        system: its dynamics and contacts.
        legs: legs of the model, in order.
        slips: (4,) m/s along the ground of body and toes; NaN of legs that are left out.
    """

    system: sf.modes.ContactSystem
    legs: tuple[int, ...]
    slips: Array


def reach(height: float, robot: Robot) -> bool:
    """Whether a leg that is rigid reaches the ground from a hip of this height in m, and is not upright."""
    return abs(height) < 0.999 * robot.leg


def hip_heights(body: Array, robot: Robot) -> Array:
    """(3,) m; body (6,) y, z, pitch and their rates."""
    return body[1] + math.sin(body[2]) * np.array(robot.hips)


def on_its_end(pitch: float, rate: float, robot: Robot) -> Array:
    """(6,) state of a body of which only the pitch is known: its end stays where it is on rigid ground."""
    c, s = math.cos(pitch), math.sin(pitch)
    d, h = robot.half_length, robot.half_height
    return np.array([d * c - h * s, d * s + h * c, pitch, -rate * (d * s + h * c), rate * (d * c - h * s), rate])


def rigid(
    body: Array,
    standing: tuple[int, ...],
    friction: tuple[float, float],
    limits: Array,
    thresholds: Array,
    toe: float,
    robot: Robot,
) -> Rigid:
    """Build the rigid model.

    Args:
        body: (6,) y, z, pitch of the body and their rates.
        standing: legs whose toes are on the ground.
        friction: of toes and body.
        limits: (3, 2) lowest and highest torque of each hip [N m].
        thresholds: (4,) m/s of body and toes.
        toe: mass of a toe in kg, for the model.
        robot: sizes and masses.
    """
    heights = hip_heights(body, robot)
    legs = tuple(i for i in standing if reach(heights[i], robot))
    n = len(legs)
    c, s, turn = math.cos(body[2]), math.sin(body[2]), body[5]
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
    toes = J[2:]
    inertia = np.diag(np.concatenate([[robot.mass, robot.mass, robot.inertia], np.zeros(n)])) + toe * toes.T @ toes
    fall = np.tile([robot.gravity, 0.0], n)
    bias = toe * toes.T @ (rate[2:] + fall)
    bias[1] += robot.mass * robot.gravity
    shown = [0, *(1 + i for i in legs)]
    system = sf.modes.ContactSystem(
        inertia,
        bias,
        J,
        [friction[1], *n * [friction[0]]],
        inputs=np.vstack([np.zeros((3, n)), np.eye(n)]),
        jacobian_rate=rate,
        velocity=velocity,
        torque_limits=limits[list(legs)].reshape(n, 2),
        threshold=np.column_stack([np.full(1 + n, SLOW), thresholds[shown]]),
        names=[CONTACTS[i] for i in shown],
        torque_names=[CONTACTS[1 + i] for i in legs],
        coordinates=["y", "z", "pitch", *(f"{CONTACTS[1 + i]} hip" for i in legs)],
    )
    slips = np.full(4, np.nan)
    slips[shown] = (J @ velocity)[1::2]
    return Rigid(system, legs, slips)
