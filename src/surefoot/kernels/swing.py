"""A foot's way through the air: four points joined by cubics with continuous acceleration, velocities at the ends.

With points p0..p3 at equal times h apart, the velocities m1, m2 at the inner ones follow from

    m0 + 4 m1 + m2 = 3 (p2 - p0) / h,        m1 + 4 m2 + m3 = 3 (p3 - p1) / h
"""

from __future__ import annotations

from surefoot.kernels.cache import kernel

SWING = 20  # numbers that describe a swing: start, duration, four points, two velocities


@kernel
def plan_swing(t, duration, here, velocity, there, arrival, height, overshoot, swing):
    """Describe the way from `here` to `there` [Zapolsky2017, 9.2.5].

    Args:
        t: start in s.
        duration: in s, positive.
        here, there: (3,) m.
        velocity, arrival: (3,) m/s at the ends.
        height: of the two points between above the ends, in m.
        overshoot: how far the second one lies beyond the end, relative to the way.
        swing: (SWING,) result.
    """
    swing[0], swing[1] = t, duration
    for k in range(3):
        up = height if k == 2 else 0.0
        beyond = 0.0 if k == 2 else overshoot * (there[k] - here[k])
        swing[2 + k] = here[k]
        swing[5 + k] = here[k] + up
        swing[8 + k] = there[k] + up + beyond
        swing[11 + k] = there[k]
        swing[14 + k] = velocity[k]
        swing[17 + k] = arrival[k]


@kernel
def redirect_swing(t, there, arrival, swing, position, velocity, acceleration):
    """Change the end of a swing at time t, between its start and its end, without a jump in velocity.

    From where the foot is now a new swing leads there in the time left, as high above the line between its ends as the
    old one was. `position`, `velocity` and `acceleration` (3,) are work.
    """
    left = swing[0] + swing[1] - t
    rise = there[2] - swing[13]
    for place in range(2):  # what is left of the old swing's heights; their points are no longer needed
        read_swing(t + (place + 1) * left / 3.0, swing, position, velocity, acceleration)
        if place == 0:
            first = position[2] + rise / 3.0
        else:
            second = position[2] + 2.0 * rise / 3.0
    read_swing(t, swing, position, velocity, acceleration)
    swing[0], swing[1] = t, left
    for k in range(3):
        swing[2 + k] = position[k]
        swing[5 + k] = position[k] + (there[k] - position[k]) / 3.0
        swing[8 + k] = position[k] + (there[k] - position[k]) * 2.0 / 3.0
        swing[11 + k] = there[k]
        swing[14 + k] = velocity[k]
        swing[17 + k] = arrival[k]
    swing[7], swing[10] = first, second


@kernel
def read_swing(t, swing, position, velocity, acceleration):
    """Position, velocity and acceleration (3,) at time t in s; before the start and after the end those of the ends."""
    h = swing[1] / 3.0
    time = min(max(t - swing[0], 0.0), swing[1])
    piece = min(int(time / h), 2)
    s = time / h - piece
    for k in range(3):
        p0, p1, p2, p3 = swing[2 + k], swing[5 + k], swing[8 + k], swing[11 + k]
        m0, m3 = h * swing[14 + k], h * swing[17 + k]
        first, second = 3.0 * (p2 - p0) - m0, 3.0 * (p3 - p1) - m3
        m1, m2 = (4.0 * first - second) / 15.0, (4.0 * second - first) / 15.0
        if piece == 0:
            a, b, va, vb = p0, p1, m0, m1
        elif piece == 1:
            a, b, va, vb = p1, p2, m1, m2
        else:
            a, b, va, vb = p2, p3, m2, m3
        # a + va s + c s^2 + d s^3
        c = 3.0 * (b - a) - 2.0 * va - vb
        d = 2.0 * (a - b) + va + vb
        position[k] = a + s * (va + s * (c + s * d))
        velocity[k] = (va + s * (2.0 * c + 3.0 * s * d)) / h
        acceleration[k] = (2.0 * c + 6.0 * s * d) / (h * h)
