"""Kinematics of feet in the base's frame: where they are, and joint angles that bring them to given places.

The base stands at the origin of a model of its own. Angles come from Newton's method, foot by foot on the joints
between it and the base, with the least change of the joints where there are more than three; where a place is out of
reach the foot goes to the nearest, since damping as large as what is missing stops a stretched knee from swinging:

    dq = J'(J J' + damping)^-1 (x* - x),        damping = |x* - x| |J| / 5

What a foot feels goes the other way: joint torques J'f push it with a force f.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy import ndarray

from surefoot.kernels.box import box_type
from surefoot.kernels.cache import kernel, part
from surefoot.kernels.engine import positions
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve


class Legs(NamedTuple):
    """A model with its base at the origin, as addresses and live views, and its n feet; see MuJoCo for the names."""

    m: int
    d: int
    qpos: ndarray
    cdof: ndarray
    subtree_com: ndarray
    body_rootid: ndarray
    xpos: ndarray
    xmat: ndarray  # (nbody, 9)
    body: ndarray  # (n,) int64: that carries the foot
    point: ndarray  # (n, 3) of the foot in the frame of its body
    chain: ndarray  # (n, longest) int64: joints between base and foot, -1 behind the last
    dof: ndarray  # (joints,) int64: each actuated joint's place in v
    address: ndarray  # (joints,) int64: and in q
    J: ndarray  # (3, longest) work
    A: ndarray  # (3, 3) work
    x: ndarray  # (3,) work


def _empty(*shape: int, dtype: Any = np.float64) -> ndarray:
    return np.zeros(shape, dtype=dtype)


_INTEGERS = _empty(0, dtype=np.int64)
_EMPTY = Legs(
    m=0, d=0, qpos=_empty(0), cdof=_empty(0, 6), subtree_com=_empty(0, 3), body_rootid=_INTEGERS, xpos=_empty(0, 3),
    xmat=_empty(0, 9), body=_INTEGERS, point=_empty(0, 3), chain=_empty(0, 0, dtype=np.int64), dof=_INTEGERS,
    address=_INTEGERS, J=_empty(3, 0), A=_empty(3, 3), x=_empty(3),
)  # fmt: skip
LEGS_TYPE = box_type(_EMPTY)
"""Type of the Box of every Legs."""


@intrinsic
def _legs_at(typingctx, address):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return LEGS_TYPE(types.uintp), codegen


legs_at: Any = _legs_at  # numba passes the first argument
"""The Box of Legs at an address, for compiled stages."""


@kernel
def take_joints(legs, q):
    """Take the joints' positions from q (nq,) into `legs.qpos`."""
    for i in range(legs.address.shape[0]):
        legs.qpos[legs.address[i]] = q[legs.address[i]]


@kernel
def foot_places(legs, out):
    """Places (n, 3) of the feet in the base's frame for the joints in `legs.qpos`."""
    positions(legs.m, legs.d)
    for foot in range(legs.body.shape[0]):
        _place(legs, foot, out[foot])


@kernel
def reach_places(legs, goal, tolerance, rounds):
    """Move the joints in `legs.qpos` until the feet are at `goal` (n, 3) m. Returns the largest distance left in m."""
    worst = math.inf
    for round in range(rounds + 1):
        positions(legs.m, legs.d)
        worst = 0.0
        for foot in range(legs.body.shape[0]):
            _place(legs, foot, legs.x)
            distance = 0.0
            for k in range(3):
                legs.x[k] = goal[foot, k] - legs.x[k]
                distance += legs.x[k] ** 2
            worst = max(worst, math.sqrt(distance))
            if distance > tolerance**2 and round < rounds:
                length = _jacobian(legs, foot)
                _least_change(legs, length, 0.2 * math.sqrt(distance))
                for a in range(length):
                    legs.qpos[legs.address[legs.chain[foot, a]]] += _times_column(legs, a)
        if not worst > tolerance:
            break
    return worst


@kernel
def joint_velocities(legs, velocity, out):
    """Joint velocities (joints,) that move the feet with `velocity` (n, 3) m/s, at the pose found last."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    for foot in range(legs.body.shape[0]):
        for k in range(3):
            legs.x[k] = velocity[foot, k]
        length = _jacobian(legs, foot)
        _least_change(legs, length, 0.0)
        for a in range(length):
            out[legs.chain[foot, a]] = _times_column(legs, a)


@kernel
def foot_velocities(legs, v, out):
    """Velocities (n, 3) m/s of the feet in the base's frame that stands still, for v (nv,), at the pose found last."""
    for foot in range(legs.body.shape[0]):
        length = _jacobian(legs, foot)
        for k in range(3):
            out[foot, k] = 0.0
            for a in range(length):
                out[foot, k] += legs.J[k, a] * v[legs.dof[legs.chain[foot, a]]]


@kernel
def joint_torques(legs, force, out):
    """Joint torques (joints,) that push the feet with `force` (n, 3) N, at the pose found last: the sum of J'f."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    for foot in range(legs.body.shape[0]):
        for k in range(3):
            legs.x[k] = force[foot, k]
        length = _jacobian(legs, foot)
        for a in range(length):
            out[legs.chain[foot, a]] += _times_column(legs, a)


@part
def _place(legs, foot, out):
    """Place (3,) of a foot in the world, which is the base's frame."""
    body = legs.body[foot]
    for k in range(3):
        out[k] = legs.xpos[body, k]
        for j in range(3):
            out[k] += legs.xmat[body, 3 * k + j] * legs.point[foot, j]


@part
def _jacobian(legs, foot):
    """Velocity of a foot per unit of each joint of its chain, into `legs.J`; returns the chain's length."""
    body, J = legs.body[foot], legs.J
    root = legs.body_rootid[body]
    r = (legs.xpos[body, 0], legs.xpos[body, 1], legs.xpos[body, 2])
    x, y, z = r[0] - legs.subtree_com[root, 0], r[1] - legs.subtree_com[root, 1], r[2] - legs.subtree_com[root, 2]
    for j in range(3):
        x += legs.xmat[body, j] * legs.point[foot, j]
        y += legs.xmat[body, 3 + j] * legs.point[foot, j]
        z += legs.xmat[body, 6 + j] * legs.point[foot, j]
    length = 0
    while length < legs.chain.shape[1] and legs.chain[foot, length] >= 0:
        dof = legs.dof[legs.chain[foot, length]]
        a, b, c = legs.cdof[dof, 0], legs.cdof[dof, 1], legs.cdof[dof, 2]
        J[0, length] = legs.cdof[dof, 3] + b * z - c * y
        J[1, length] = legs.cdof[dof, 4] + c * x - a * z
        J[2, length] = legs.cdof[dof, 5] + a * y - b * x
        length += 1
    return length


@part
def _least_change(legs, length, soft):
    """`legs.x` <- (J J' + soft |J|)^-1 x, soft in m; J' of it is the least change of the joints."""
    A, J = legs.A, legs.J
    trace = 0.0
    for i in range(3):
        for j in range(i + 1):
            A[i, j] = 0.0
            for a in range(length):
                A[i, j] += J[i, a] * J[j, a]
        trace += A[i, i]
    for i in range(3):
        A[i, i] += 1e-9 * trace + soft * math.sqrt(trace) + 1e-300
    if cholesky(A, 3):
        cholesky_solve(A, 3, legs.x)


@part
def _times_column(legs, a):
    return legs.J[0, a] * legs.x[0] + legs.J[1, a] * legs.x[1] + legs.J[2, a] * legs.x[2]
