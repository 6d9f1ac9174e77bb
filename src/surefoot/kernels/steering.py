"""From a place to go to a velocity of the base: like a car, or sideways as well."""

from __future__ import annotations

import math

from surefoot.kernels.cache import kernel, part

EAGER = 3.0  # 1/s: turning rate over heading error, and speed over the distance that is left
TURN_IN_PLACE = 0.25 * math.pi  # at this error of heading a car stops driving and only turns, as PACER does


@part
def wrapped(angle):
    """The same direction, from -pi to pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@part
def limited(value, most):
    """`value` in the range from -most to most."""
    return min(max(value, -most), most)


@part
def heading_of(base):
    """Angle of the base's x axis in the world's plane; `base`: (7,) position and quaternion."""
    w, x, y, z = base[3], base[4], base[5], base[6]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@kernel
def steer(base, goal, speed, turning, sideways, look, out):
    """Command (3,) that leads to a point: forward and left in m/s, turning in rad/s.

    Args:
        base: (7,) position in m and quaternion of the base.
        goal: (2,) m.
        speed: the largest in m/s; less where the goal is near.
        turning: the largest rate in rad/s.
        sideways: 0: it drives forward and steers, the slower the more the goal lies aside, and turns in place beyond 45
            degrees; 1: any way at once.
        look: heading in rad that one who walks sideways takes, NaN: any.
        out: (3,) result.
    """
    away_x, away_y = goal[0] - base[0], goal[1] - base[1]
    heading = heading_of(base)
    aside = wrapped(math.atan2(away_y, away_x) - heading)
    pace = min(speed, EAGER * math.hypot(away_x, away_y))
    if sideways:
        out[0], out[1] = pace * math.cos(aside), pace * math.sin(aside)
        out[2] = 0.0 if math.isnan(look) else limited(EAGER * wrapped(look - heading), turning)
    else:
        out[0] = pace * max(1.0 - abs(aside) / TURN_IN_PLACE, 0.0)
        out[1], out[2] = 0.0, limited(EAGER * aside, turning)
