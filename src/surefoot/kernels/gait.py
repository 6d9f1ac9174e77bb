"""Where the feet go: touchdowns in turn, stance against the ground, swing through the air [Zapolsky2017, chapter 9].

Everything is told in the base's frame, for a base that moves as commanded: forward, left and turning (vx, vy, w).

    stance      dx/dt = -(v + w x x)                                  the ground passes by                       (9.2.4)
    touchdown   x = d + R(w T/2) o,  T the time of stance             over it stands the foot's place o
                                                                      when half of the stance is over            (9.2.5)

d is the way of the base during T/2. A foot that should stand but feels no ground reaches down for it; one that should
lift off while another reaches goes on supporting (algorithm 7, with the errata: modes persist, intervals wrap, a swing
has a duration, reaching has a least speed). In gaits with flight the stance lets the base fall and throws it up again.
"""

from __future__ import annotations

import math

from numba import int64

from surefoot.kernels.cache import kernel, part
from surefoot.kernels.swing import SWING, plan_swing, read_swing, redirect_swing

STANCE, SWINGS, SUPPORT, REACH = 0, 1, 2, 3

# Places in params: numbers for all feet, then TOUCHDOWN, DUTY, REACHES (n,), and PLACES, HIPS (n, 3).
DT, PERIOD, HEIGHT, OVERSHOOT, TAKE_OFF, REACH_SPEED, REDIRECT, RESTS, COMMON = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Places in memory, for each foot: mode, goal (3), the command of its plan (3), its swing.
MODE, GOAL, PLANNED, WAY, PER_FOOT = 0, 1, 4, 7, 7 + SWING


@part
def stance_velocity(command, x, out):
    """-(v + w x x): how the ground passes a point x (3,) of the base that moves as commanded, in m/s."""
    out[0] = -(command[0] - command[2] * x[1])
    out[1] = -(command[1] + command[2] * x[0])
    out[2] = 0.0


@kernel
def foothold(command, place, time, out):
    """Where a foot must land to be at `place` (3,) after `time` in s, in the base's frame of the landing."""
    vx, vy, turn = command[0], command[1], command[2]
    angle = turn * time
    c, s = math.cos(angle), math.sin(angle)
    # integrals of cos and sin along the way; by series near zero
    along = time * (1.0 - angle * angle / 6.0) if abs(angle) < 1e-4 else s / turn
    across = 0.5 * time * angle if abs(angle) < 1e-4 else (1.0 - c) / turn
    out[0] = vx * along - vy * across + c * place[0] - s * place[1]
    out[1] = vx * across + vy * along + s * place[0] + c * place[1]
    out[2] = place[2]


@kernel
def start_gait(feet, memory, params):
    """Memory of a robot that stands with every foot at its place."""
    places = COMMON + 3 * feet
    for foot in range(feet):
        first = foot * PER_FOOT
        for k in range(PER_FOOT):
            memory[first + k] = 0.0
        memory[first + MODE] = STANCE
        for k in range(3):
            memory[first + GOAL + k] = params[places + 3 * foot + k]


@kernel
def plan_feet(t, feet, command, sensed, memory, params, position, velocity, acceleration, stance):
    """Goals of all feet for time t, one step after the last call. Returns the gait's phase, 0 to 1.

    Args:
        t: time in s.
        feet: their number n.
        command: (3,) forward and left in m/s, turning in rad/s.
        sensed: (n,) 1: the foot feels the ground, 0: it does not, -1: nobody knows, and it is taken to.
        memory: (n PER_FOOT,) see `start_gait`.
        params: see the places above.
        position, velocity, acceleration: (n, 3) results in the base's frame.
        stance: (n,) result, 1 for feet that push.
    """
    period, dt = params[PERIOD], params[DT]
    phase = t / period - math.floor(t / period)
    moves = params[RESTS] == 0.0 or command[0] != 0.0 or command[1] != 0.0 or command[2] != 0.0
    reaching = False
    for foot in range(feet):
        reaching = reaching or memory[foot * PER_FOOT + MODE] == REACH
    for foot in range(feet):
        touchdown, duty = params[COMMON + foot], params[COMMON + feet + foot]
        since = phase - touchdown - math.floor(phase - touchdown)  # since touchdown, of a period
        planned_stance = since < duty
        own = memory[foot * PER_FOOT : (foot + 1) * PER_FOOT]
        goal, swing = own[GOAL : GOAL + 3], own[WAY : WAY + SWING]
        place = params[COMMON + 3 * feet + 3 * foot : COMMON + 3 * feet + 3 * foot + 3]
        hip = params[COMMON + 6 * feet + 3 * foot : COMMON + 6 * feet + 3 * foot + 3]
        x, dx, ddx = position[foot], velocity[foot], acceleration[foot]
        mode = int64(own[MODE])
        if mode == SWINGS and planned_stance:
            mode = STANCE if sensed[foot] != 0.0 else REACH
        elif mode == REACH and sensed[foot] != 0.0:
            mode = STANCE
        elif (mode == STANCE or mode == REACH) and not planned_stance and moves:
            mode = SUPPORT
        elif mode == SUPPORT and planned_stance:
            mode = STANCE
        if mode == SUPPORT and (not reaching or _distance(goal, hip) > params[COMMON + 2 * feet + foot]):
            left = period * (1.0 - since)
            if left > 0.3 * period * (1.0 - duty):  # else it waits for its next turn
                mode = SWINGS
                _plan(t - dt, left + dt, command, period * duty, params, place, goal, swing, x, dx)
                _remember(command, own)
        elif mode == SWINGS and _differs(command, own):
            left = swing[0] + swing[1] - (t - dt)
            if left > (1.0 - params[REDIRECT]) * period * (1.0 - duty):
                foothold(command, place, 0.5 * period * duty, own[PLANNED : PLANNED + 3])
                stance_velocity(command, own[PLANNED : PLANNED + 3], goal)
                redirect_swing(t - dt, own[PLANNED : PLANNED + 3], goal, swing, x, dx, ddx)
                _remember(command, own)
        own[MODE] = mode
        if mode == SWINGS:
            read_swing(t, swing, x, dx, ddx)
            for k in range(3):
                goal[k] = x[k]
        else:
            _push(dt, since / duty, period * duty, command, mode == REACH, place, params, goal, x, dx, ddx)
        stance[foot] = 0.0 if mode == SWINGS else 1.0
    return phase


@part
def _plan(t, duration, command, stance_time, params, place, goal, swing, there, arrival):
    """A swing from where the stance has led to the next foothold; `there`, `arrival` (3,) are work."""
    foothold(command, place, 0.5 * stance_time, there)
    stance_velocity(command, there, arrival)
    leave = swing[14:17]
    stance_velocity(command, goal, leave)
    leave[2] = -params[TAKE_OFF]
    arrival[2] = params[TAKE_OFF]
    plan_swing(t, duration, goal, leave, there, arrival, params[HEIGHT], params[OVERSHOOT], swing)


@part
def _push(dt, share, stance_time, command, reaches, place, params, goal, x, dx, ddx):
    """Stance: the goal moves with the ground; its height is the place's, or follows the base's landing and take-off."""
    foothold(command, goal, -dt, x)
    goal[0], goal[1] = x[0], x[1]
    stance_velocity(command, goal, dx)
    ddx[0], ddx[1], ddx[2] = command[2] * dx[1], -command[2] * dx[0], 0.0
    rate = params[TAKE_OFF]
    if reaches:
        dx[2] = -max(params[REACH_SPEED], math.sqrt(dx[0] * dx[0] + dx[1] * dx[1]))
        goal[2] += dt * dx[2]
    elif rate > 0.0 and share <= 1.0:
        goal[2] = place[2] - rate * stance_time * (share * share - share)
        dx[2] = -rate * (2.0 * share - 1.0)
        ddx[2] = -2.0 * rate / stance_time
    else:
        goal[2] = place[2] if goal[2] >= place[2] else min(goal[2] + dt * params[REACH_SPEED], place[2])
    for k in range(3):
        x[k] = goal[k]


@part
def _differs(command, own):
    """Whether the command is not that of the foot's plan."""
    for k in range(3):
        if command[k] != own[PLANNED + k]:
            return True
    return False


@part
def _remember(command, own):
    for k in range(3):
        own[PLANNED + k] = command[k]


@part
def _distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
