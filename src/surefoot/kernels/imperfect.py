"""A policy as it fares on a real robot: sensors that err and come late, motors that are weak, noisy or late.

The policy sees readings, q, v and the torques that the motors gave in the last call, with errors added; a turn (three
numbers about the base's axes) is put on the quaternion. All errors lie in one vector, the same that one channel each
adds to:

    readings q | v | torque
    errors   readings | turn of the base | torque that motors add

A channel has a constant part and a part drawn at every call: a normal number, truncated, that depends on the
channel's key and the number of the call alone (a hash of the two), so that no draw depends on another.

A lag may be a part of a step: readings are then between those of two calls, and a torque is its mean over the step.

    params   numbers (see below) | channels, six numbers each | strength (joints) | held (readings) | the policy's own
    memory   calls | errors | readings as seen | torque | late readings | late torques | the policy's own

A policy that senses torque finds its reading in `torque` when it is called; any other finds what it gave last.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types, uint64

from surefoot.kernels.cache import caller, kernel, part
from surefoot.kernels.rollout import POLICY_SIGNATURE

# Numbers at the head of `params`; those marked "bits" are whole numbers as the bits of a float64.
POLICY = 0  # bits: address of the policy's machine code; 0: it is called from outside, between `sense` and `act`
NQ = 1
NV = 2
JOINTS = 3
TURNED = 4  # place in q of the quaternion that is turned; -1: none
DT = 5  # s between two calls
SENSOR_LAG = 6  # s by which readings are late: a channel without its place
TORQUE_LAG = 11  # s, the same
SENSOR_ROWS = 16  # most calls that readings can be late
TORQUE_ROWS = 17
CHANNELS = 18  # how many
OWN_MEMORY = 19  # length of the policy's own memory
SENSES = 20  # 1: the policy senses torque
HEAD = 21

# A channel.
PLACE = 0  # in errors
CONSTANT = 1
DEVIATION = 2
LOW = 3  # the normal distribution's share below the least and the largest draw
HIGH = 4
KEY = 5  # bits
CHANNEL = 6

_call = caller(POLICY_SIGNATURE)
_GOLDEN = 0x9E3779B97F4A7C15


@part
def _mixed(x):
    """A bijection of 64 bits that spreads every bit over all (Steele, Lea and Flood 2014, SplitMix64)."""
    x = (x ^ (x >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> uint64(27))) * uint64(0x94D049BB133111EB)
    return x ^ (x >> uint64(31))


@kernel
def share(key, call):
    """A number between 0 and 1, neither of them, of a key and the number of a call."""
    x = _mixed(_mixed(uint64(key) + uint64(_GOLDEN)) + uint64(_GOLDEN) * uint64(call + 1))
    return (float(x >> uint64(12)) + 0.5) * 2.0**-52  # with one bit more the sum would round, at the end to 1


@kernel
def normal_score(p):
    """The z with a share p of the standard normal distribution below it (Wichura 1988, AS 241, 16 digits)."""
    d = p - 0.5
    if abs(d) <= 0.425:
        r = 0.180625 - d * d
        top = 2509.0809287301226727
        for c in (
            33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
            1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
        ):  # fmt: skip
            top = top * r + c
        bottom = 5226.495278852854561
        for c in (
            28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
            687.1870074920579083, 42.313330701600911252, 1.0,
        ):  # fmt: skip
            bottom = bottom * r + c
        return d * top / bottom
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    if r <= 5.0:
        r -= 1.6
        top = 7.7454501427834140764e-4
        for c in (
            0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258, 3.64784832476320460504,
            5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
        ):  # fmt: skip
            top = top * r + c
        bottom = 1.05075007164441684324e-9
        for c in (
            5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459, 0.68976733498510000455,
            1.6763848301838038494, 2.05319162663775882187, 1.0,
        ):  # fmt: skip
            bottom = bottom * r + c
    else:
        r -= 5.0
        top = 2.01033439929228813265e-7
        for c in (
            2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093, 0.29656057182850489123,
            1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
        ):  # fmt: skip
            top = top * r + c
        bottom = 2.04426310338993978564e-15
        for c in (
            1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4, 0.0148753612908506148525,
            0.13692988092273580531, 0.59983220655588793769, 1.0,
        ):  # fmt: skip
            bottom = bottom * r + c
    return math.copysign(top / bottom, d)


@part
def _drawn(params, bits, at, call):
    """What the channel at a place of `params` gives in this call."""
    value = params[at + CONSTANT]
    if params[at + DEVIATION] > 0.0:
        low, high = params[at + LOW], params[at + HIGH]
        value += params[at + DEVIATION] * normal_score(low + (high - low) * share(bits[at + KEY], call))
    return value


@part
def _lateness(params, bits, place, call):
    """Seconds of a lag in this call; never below zero."""
    return max(_drawn(params, bits, place - CONSTANT, call), 0.0)


@part
def _turned(q, at, turn):
    """Put a turn, as a vector in rad about the body's axes, on the quaternion at a place of q."""
    angle = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    if angle == 0.0:
        return
    s = math.sin(0.5 * angle) / angle
    w, x, y, z = math.cos(0.5 * angle), s * turn[0], s * turn[1], s * turn[2]
    a, b, c, d = q[at], q[at + 1], q[at + 2], q[at + 3]
    q[at] = a * w - b * x - c * y - d * z
    q[at + 1] = a * x + b * w + c * z - d * y
    q[at + 2] = a * y - b * z + c * w + d * x
    q[at + 3] = a * z + b * y - c * x + d * w


@part
def _row(first, rows, size, call, late):
    """Place of the row of `late` calls ago in a ring of rows that begins at `first`; the first call's at the start."""
    return first + (call - min(late, call)) % (rows + 1) * size


@part
def _places(params):
    """How many readings there are, and where in memory lie those seen, the policy's torque, and the rings of both."""
    n = int(params[JOINTS])
    readings = int(params[NQ]) + int(params[NV]) + n
    seen = 1 + readings + 3 + n
    torque = seen + readings
    ring = torque + n
    return readings, seen, torque, ring, ring + (int(params[SENSOR_ROWS]) + 1) * readings


@kernel
def sense(q, v, torque, memory, params):
    """Fill the readings as seen into memory; `torque` is what the motors gave last."""
    bits = params.view(np.int64)
    nq, nv, n = int(params[NQ]), int(params[NV]), int(params[JOINTS])
    call = int(memory[0])
    size, at_seen, _, ring, _ = _places(params)
    errors = memory[1 : 1 + size + 3 + n]
    seen = memory[at_seen : at_seen + size]
    for i in range(errors.shape[0]):
        errors[i] = 0.0
    for c in range(int(params[CHANNELS])):
        at = HEAD + CHANNEL * c
        errors[int(params[at + PLACE])] += _drawn(params, bits, at, call)
    # Readings go into a ring; what is seen is the row of some calls ago.
    rows = int(params[SENSOR_ROWS])
    here = _row(ring, rows, size, call, 0)
    for i in range(nq):
        memory[here + i] = q[i]
    for i in range(nv):
        memory[here + nq + i] = v[i]
    for i in range(n):
        memory[here + nq + nv + i] = torque[i]
    late = min(_lateness(params, bits, SENSOR_LAG, call) / params[DT], float(rows))
    there = _row(ring, rows, size, call, int(late))
    before, share_ = _row(ring, rows, size, call, min(int(late) + 1, rows)), late - int(late)
    held = HEAD + CHANNEL * int(params[CHANNELS]) + n
    for i in range(size):
        if call == 0 or params[held + i] == 0.0:  # what fails at once still has a first reading
            seen[i] = (1.0 - share_) * memory[there + i] + share_ * memory[before + i] + errors[i]
    turned = int(params[TURNED])
    if turned >= 0 and (call == 0 or params[held + turned] == 0.0):
        _turned(seen, turned, errors[size : size + 3])


@kernel
def act(torque, torque_out, memory, params):
    """From the policy's torque to what the motors give; ends the call."""
    bits = params.view(np.int64)
    n = int(params[JOINTS])
    call = int(memory[0])
    size, _, _, _, ring = _places(params)
    rows = int(params[TORQUE_ROWS])
    here = _row(ring, rows, n, call, 0)
    for i in range(n):
        memory[here + i] = torque[i]
    late = min(_lateness(params, bits, TORQUE_LAG, call) / params[DT], float(rows))
    there = _row(ring, rows, n, call, int(late))
    before, share_ = _row(ring, rows, n, call, min(int(late) + 1, rows)), late - int(late)
    strength = HEAD + CHANNEL * int(params[CHANNELS])
    for i in range(n):
        given = (1.0 - share_) * memory[there + i] + share_ * memory[before + i]  # mean over the step
        torque_out[i] = params[strength + i] * (given + memory[4 + size + i])
    memory[0] = call + 1


def run_imperfect(t, q, v, torque_out, memory, params):
    """One call as a policy, with the policy inside; its errors are passed on in the last number of `memory`."""
    nq, nv, n = int(params[NQ]), int(params[NV]), int(params[JOINTS])
    size, at_seen, at_torque, _, _ = _places(params)
    sense(q, v, torque_out, memory, params)
    seen = memory[at_seen : at_seen + size]
    torque = memory[at_torque : at_torque + n]
    if params[SENSES] != 0.0:
        for i in range(n):
            torque[i] = seen[nq + nv + i]
    own = memory[memory.size - 1 - int(params[OWN_MEMORY]) : memory.size - 1]
    given = params[HEAD + CHANNEL * int(params[CHANNELS]) + n + size :]
    address = types.uintp(params.view(np.int64)[POLICY])
    code = _call(address, (t, seen[:nq], seen[nq : nq + nv], torque, own, given))
    if code != 0:
        memory[memory.size - 1] = own[own.size - 1]
        return code
    act(torque, torque_out, memory, params)
    return 0


def seen_place(nq: int, nv: int, joints: int) -> int:
    """Where in `memory` the readings as seen begin: q, v, torque."""
    return 4 + nq + nv + 2 * joints


def memory_size(nq: int, nv: int, joints: int, sensor_rows: int, torque_rows: int, own: int) -> int:
    """Length of `memory` without the last number, which every policy has."""
    size = nq + nv + joints
    return seen_place(nq, nv, joints) + size + joints + (sensor_rows + 1) * size + (torque_rows + 1) * joints + own
