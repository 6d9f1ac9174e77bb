"""Virtual forces under the feet that stand, for a base that shall be level and at its height.

Each may push the ground with f_i >= 0; together they come nearest to the wanted moments and force on the robot:

    min |A f - w|^2 + short^2 |f|^2  subject to  f >= 0,        column i of A: r_i x up about x and y, and the lever arm

r_i is the foot's place from the robot's centre of mass, up the vertical, all in the base's frame. The lever arm makes a
moment of the vertical force, so that all rows have one unit. Two feet nearly in line with the centre of mass could turn
the robot over that line with enormous forces only: what has a lever arm shorter than `short` is hardly used.
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.legs import foot_places, take_joints
from surefoot.kernels.nonnegative import nonnegative_least_squares

# Places in params: wanted height in m, lever arm in m, a short lever arm in m, gains of roll, pitch and height.
HEIGHT, ARM, SHORT, KP, KD = 0, 1, 2, 3, 6


def work_size(feet: int) -> int:
    """How many numbers of work `balance_feet` needs."""
    return feet * (9 + 2 * feet)


@kernel
def balance_feet(legs, q, turn, twist, stance, params, work, force, push):
    """Virtual forces of the n feet.

    Args:
        legs: see kernels/legs.py.
        q: (nq,) positions.
        turn: (4,) the base's quaternion.
        twist: (6,) its velocity: linear in the world, angular in its own frame.
        stance: (n,) not zero for feet that stand.
        params: see the places above.
        work: (work_size(n),).
        force: (n,) result: f_i in N.
        push: (n, 3) result: what each foot pushes with, in the base's frame in N.
    """
    feet = stance.shape[0]
    places, columns = work[: 3 * feet].reshape(feet, 3), work[3 * feet : 6 * feet].reshape(feet, 3)
    take_joints(legs, q)
    foot_places(legs, places)
    up = _upward(turn)
    wanted = _wanted(up, twist, stance, places, params)
    _columns(legs, up, stance, params, places, columns)
    _nearest(wanted, columns, params[SHORT], work[6 * feet :], force)
    for foot in range(feet):
        for k in range(3):
            push[foot, k] = -force[foot] * up[k]


@part
def _upward(turn):
    """The vertical in the base's frame, from its quaternion (4,)."""
    w, x, y, z = turn[0], turn[1], turn[2], turn[3]
    return 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z


@part
def _wanted(up, twist, stance, places, params):
    """Moments about x and y in N m, and the force along the vertical times the lever arm."""
    roll, pitch = math.atan2(up[1], up[2]), math.atan2(-up[0], math.sqrt(up[1] * up[1] + up[2] * up[2]))
    height, standing = 0.0, 0
    for foot in range(stance.shape[0]):
        if stance[foot] != 0.0:
            standing += 1
            height -= up[0] * places[foot, 0] + up[1] * places[foot, 1] + up[2] * places[foot, 2]
    error = params[HEIGHT] - height / standing if standing > 0 else 0.0
    return (
        -params[KP] * roll - params[KD] * twist[3],
        -params[KP + 1] * pitch - params[KD + 1] * twist[4],
        params[ARM] * (params[KP + 2] * error - params[KD + 2] * twist[2]),
    )


@part
def _columns(legs, up, stance, params, places, columns):
    """What a push of 1 N under each foot that stands does of all that is wanted: r x up, and the lever arm."""
    root = legs.body_rootid[legs.body[0]]
    for foot in range(stance.shape[0]):
        x = places[foot, 0] - legs.subtree_com[root, 0]
        y = places[foot, 1] - legs.subtree_com[root, 1]
        z = places[foot, 2] - legs.subtree_com[root, 2]
        columns[foot, 0] = y * up[2] - z * up[1]
        columns[foot, 1] = z * up[0] - x * up[2]
        columns[foot, 2] = params[ARM]
        for k in range(3):
            if stance[foot] == 0.0 or params[KP + k] + params[KD + k] == 0.0:
                columns[foot, k] = 0.0


@part
def _nearest(wanted, columns, short, work, force):
    """The pushes (feet,) in N that come nearest to what is wanted."""
    feet = force.shape[0]
    g, free, trial = work[:feet], work[feet : 2 * feet], work[2 * feet : 3 * feet]
    G = work[3 * feet : feet * (3 + feet)].reshape(feet, feet)
    factor = work[feet * (3 + feet) : feet * (3 + 2 * feet)].reshape(feet, feet)
    largest = 0.0
    for i in range(feet):
        g[i] = columns[i, 0] * wanted[0] + columns[i, 1] * wanted[1] + columns[i, 2] * wanted[2]
        largest = max(largest, abs(g[i]))
        for j in range(feet):
            G[i, j] = columns[i, 0] * columns[j, 0] + columns[i, 1] * columns[j, 1] + columns[i, 2] * columns[j, 2]
        G[i, i] += short * short
    nonnegative_least_squares(G, g, 1e-12 * largest, force, free, trial, factor)
