"""Which contacts a whole-body program holds: all that are closed, but of a body with many only those farthest out."""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import part
from surefoot.kernels.dynamics_space import OUT, SLIDES, STICKS
from surefoot.kernels.plant import CONE, GIVEN

FEW = 4  # points of contact of a body that take part: more cannot push otherwise


@part
def choose_contacts(c, n):
    """Take every closed contact as one that sticks, but of a body with many only those farthest out.

    Returns the number of blocks at the front that are contacts.
    """
    rows, plant, mode = c.step.rows, c.step.plant, c.mode
    contacts = 0
    while contacts < n and (rows.source[contacts, 1] >= 0 or rows.source[contacts, 1] == GIVEN):
        contacts += 1
    if c.given[0] == 1:
        return contacts
    for i in range(contacts):
        mode[i] = STICKS if rows.kind[i] == CONE else OUT
    for i in range(contacts):
        if mode[i] != STICKS or rows.source[i, 1] < 0:
            continue
        body, many = plant.geom_bodyid[rows.source[i, 0]], 0
        for j in range(contacts):
            if mode[j] == STICKS and rows.source[j, 1] >= 0 and plant.geom_bodyid[rows.source[j, 0]] == body:
                many += 1
        if many > FEW:
            _keep_corners(c, contacts, body)
    return contacts


@part
def _keep_corners(c, contacts, body):
    """Of a body's points keep those farthest out along the four diagonals of its two axes nearest to the ground."""
    rows, plant, mode, R = c.step.rows, c.step.plant, c.mode, c.bodies.xmat[body]
    first = int64(-1)
    for i in range(contacts):
        if first < 0 and mode[i] == STICKS and plant.geom_bodyid[rows.source[i, 0]] == body:
            first = i
    upright, most = 0, -1.0
    for k in range(3):
        along = abs(
            R[k] * rows.frame[first, 0, 0] + R[3 + k] * rows.frame[first, 0, 1] + R[6 + k] * rows.frame[first, 0, 2]
        )
        if along > most:
            upright, most = k, along
    x, y = (upright + 1) % 3, (upright + 2) % 3
    for corner in range(4):
        a, b = 1.0 - 2.0 * (corner % 2), 1.0 - 2.0 * (corner // 2)
        best, farthest = int64(-1), -math.inf
        for i in range(contacts):
            if mode[i] != OUT and plant.geom_bodyid[rows.source[i, 0]] == body and rows.source[i, 1] >= 0:
                reach = 0.0
                for k in range(3):
                    reach += rows.point[i, k] * (a * R[3 * k + x] + b * R[3 * k + y])
                if reach > farthest + 1e-9:
                    best, farthest = i, reach
        mode[best] = SLIDES  # marked
    for i in range(contacts):
        if rows.source[i, 1] >= 0 and plant.geom_bodyid[rows.source[i, 0]] == body:
            mode[i] = STICKS if mode[i] == SLIDES else OUT
