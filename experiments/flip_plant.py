"""The robot of [Greenfield2005], section IV, as it is: springy legs with toes that weigh, and a padded body.

A body in the plane, y ahead and z up, and three legs, each for a pair of RHex's. A leg is a radial spring with a
damper between its hip and a toe that is a point mass. The hip's torque pushes the toe square to the leg, with
torque / length, and the body the other way. Toes meet the ground rigidly, the lower rear corner of the body presses
into it, both with Coulomb's friction: what would slide within a step is stopped by at most mu times the normal force.
Nothing but that corner of the body is stopped by the ground: the front one leaves it as soon as the robot thrusts.

Steps are small and of first order, velocities before places.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BODY, TOES = 6, 4  # numbers of a state that are the body's, and a toe's


class Robot(NamedTuple):
    """Table IV of [Greenfield2005]."""

    half_length: float = 0.25  # m, d
    half_height: float = 0.05  # m, h
    hips: tuple[float, float, float] = (-0.19, 0.015, 0.22)  # m, d_1 to d_3: rear, middle, front
    leg: float = 0.17  # m, l
    mass: float = 8.5  # kg, m
    inertia: float = 0.144  # kg m^2, I
    toe: float = 0.05  # kg, m_t
    body_stiffness: float = 1e4  # N/m, k_b
    body_damping: float = 2e3  # N s/m, d_b
    leg_stiffness: float = 5e3  # N/m, k_l
    leg_damping: float = 5e2  # N s/m, d_l
    gravity: float = 9.81  # m/s^2


class Seen(NamedTuple):
    """What a stretch of time showed."""

    pitch_acceleration: float  # rad/s^2, mean
    mean_square: float  # of the same
    force: Array  # (4, 2) N, normal and tangential: body, rear, middle and front toe in the last step


@numba.njit
def _advance(state, torque, mu_toe, mu_body, dt, steps, robot, force):
    """Take steps; returns mean and mean square of the pitch acceleration."""
    total = square = 0.0
    for _ in range(steps):
        c, s = math.cos(state[2]), math.sin(state[2])
        fy, fz, moment = 0.0, -robot.mass * robot.gravity, 0.0
        for i in range(3):
            toe = state[BODY + TOES * i : BODY + TOES * (i + 1)]
            hy, hz = c * robot.hips[i], s * robot.hips[i]
            ry, rz = toe[0] - state[0] - hy, toe[1] - state[1] - hz
            length = math.sqrt(ry * ry + rz * rz)
            uy, uz = ry / length, rz / length
            growth = (toe[2] - state[3] + state[5] * hz) * uy + (toe[3] - state[4] - state[5] * hy) * uz
            along = robot.leg_stiffness * (robot.leg - length) - robot.leg_damping * growth
            across = torque[i] / length
            py, pz = along * uy - across * uz, along * uz + across * uy
            fy -= py
            fz -= pz
            moment -= hy * pz - hz * py + torque[i]
            toe[2] += dt * py / robot.toe
            toe[3] += dt * (pz / robot.toe - robot.gravity)
            force[1 + i, :] = 0.0
            if toe[1] <= 0.0 and toe[3] <= 0.0:
                normal = -toe[3] * robot.toe / dt
                toe[3] = 0.0
                friction = min(max(-toe[2] * robot.toe / dt, -mu_toe * normal), mu_toe * normal)
                toe[2] += dt * friction / robot.toe
                force[1 + i, 0], force[1 + i, 1] = normal, friction
            toe[0] += dt * toe[2]
            toe[1] = max(0.0, toe[1] + dt * toe[3])
        by = -robot.half_length * c + robot.half_height * s
        bz = -robot.half_length * s - robot.half_height * c
        depth = -(state[1] + bz)
        normal = 0.0
        if depth > 0.0:
            normal = max(0.0, robot.body_stiffness * depth - robot.body_damping * (state[4] + state[5] * by))
        vy = state[3] + dt * fy / robot.mass
        vz = state[4] + dt * (fz + normal) / robot.mass
        turn = state[5] + dt * (moment + by * normal) / robot.inertia
        give = 1.0 / robot.mass + bz * bz / robot.inertia
        friction = min(max(-(vy - turn * bz) / (give * dt), -mu_body * normal), mu_body * normal)
        force[0, 0], force[0, 1] = normal, friction
        vy += dt * friction / robot.mass
        turn -= dt * bz * friction / robot.inertia
        acceleration = (turn - state[5]) / dt
        total += acceleration
        square += acceleration * acceleration
        state[3], state[4], state[5] = vy, vz, turn
        state[0] += dt * vy
        state[1] += dt * vz
        state[2] += dt * turn
    return total / steps, square / steps


def advance(
    state: Array, torque: Array, mu_toe: float, mu_body: float, dt: float, steps: int, robot: Robot | None = None
) -> Seen:
    """Move a state, in place, by some steps under constant hip torques.

    Args:
        state: (18,) y, z, pitch of the body, their rates, and y, z and their rates of each toe [m, rad, s].
        torque: (3,) N m at the hips, rear to front; negative ones turn a toe ahead of its hip down and the body's nose
            up.
        mu_toe: friction of the toes.
        mu_body: friction of the body.
        dt: step in s.
        steps: their number.
        robot: who moves; default that of table IV.
    """
    force = np.zeros((4, 2))
    mean, square = _advance(state, torque, mu_toe, mu_body, dt, steps, robot or Robot(), force)
    return Seen(mean, square, force)


def lying(robot: Robot | None = None) -> Array:
    """(18,) state at rest: flat on its back, toes on the ground ahead of their hips, half the weight on the rear."""
    robot = robot or Robot()
    state = np.zeros(BODY + 3 * TOES)
    state[1] = robot.half_height - 0.5 * robot.mass * robot.gravity / robot.body_stiffness
    state[BODY::TOES] = np.array(robot.hips) + math.sqrt(robot.leg**2 - state[1] ** 2)
    return state


def leg_rates(state: Array, robot: Robot) -> Array:
    """(3,) rad/s: how fast the legs turn against the body."""
    c, s = math.cos(state[2]), math.sin(state[2])
    toes = state[BODY:].reshape(3, TOES)
    hips = np.outer(robot.hips, [c, s])
    leg = toes[:, :2] - state[:2] - hips
    speed = toes[:, 2:] - state[3:5] - state[5] * np.column_stack([-hips[:, 1], hips[:, 0]])
    return (leg[:, 0] * speed[:, 1] - leg[:, 1] * speed[:, 0]) / (leg**2).sum(axis=1) - state[5]


def slips(state: Array, robot: Robot) -> Array:
    """(4,) m/s: velocities along the ground of the body's end and the toes."""
    height = -robot.half_length * math.sin(state[2]) - robot.half_height * math.cos(state[2])
    return np.concatenate([[state[3] - state[5] * height], state[BODY + 2 :: TOES]])
