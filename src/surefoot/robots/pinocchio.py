"""Pinocchio's configurations and velocities: other quaternion order, other frame, other joint order.

For a free body at rotation R: Pinocchio's q has the quaternion as x, y, z, w (MuJoCo: w, x, y, z) and its linear
velocity in the body frame, v_mj = diag(R, I) v_pin; both have the angular velocity in the body frame. When Pinocchio
reads a URDF, joints follow depth-first with the names of siblings sorted; a continuous joint is a cosine and a sine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError

if TYPE_CHECKING:
    from surefoot.robots.urdf import Urdf

ORDER, CONTINUOUS = "pinocchio_joints", "pinocchio_continuous"
SEPARATOR = "|"
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)


def urdf_order(urdf: Urdf) -> list[str]:
    """Names of the moving joints in the order in which Pinocchio's URDF reader puts them."""
    order: list[str] = []
    waiting = sorted(urdf.children[urdf.root], reverse=True)
    while waiting:
        joint = waiting.pop()
        if not urdf.is_fixed(joint):
            order.append(joint)
        waiting.extend(sorted(urdf.children[urdf.child(joint)], reverse=True))
    return order


def remember(spec: mujoco.MjSpec, order: Iterable[str], continuous: Iterable[str]) -> None:
    """Write Pinocchio's joint order into the spec as custom text, so that copies of the spec keep it."""
    for name, joints in ((ORDER, order), (CONTINUOUS, continuous)):
        data = SEPARATOR.join(joints)
        if data:
            spec.add_text(name=name, data=data)


@dataclass(frozen=True)
class Place:
    """Where one joint is in both worlds: its kind, then its first index in q and v here and there."""

    kind: int
    q: int
    v: int
    q_pin: int
    v_pin: int
    continuous: bool = False


@dataclass(frozen=True)
class Layout:
    """All joints that both worlds know, and the sizes of Pinocchio's vectors."""

    places: tuple[Place, ...]
    nq_pin: int
    nv_pin: int


def layout(model: mujoco.MjModel, base: str | None, skip: Iterable[str], pin_model: Any = None) -> Layout:
    """Match the joints of a scene with those of a Pinocchio model.

    Args:
        model: the scene's.
        base: name of the floating base's body, or None.
        skip: names of loose objects, which Pinocchio's model does not hold.
        pin_model: `pinocchio.Model`; None for the one that `buildModelFromUrdf` makes (with `JointModelFreeFlyer()` if
            the robot floats), or, for a robot that was no URDF, the scene's own joint order.
    """
    free = -1 if base is None else int(model.body(base).jntadr[0])
    if pin_model is not None:
        return _from_pin_model(model, free, pin_model)
    continuous = _recall(model, CONTINUOUS)
    loose = {int(model.body(name).jntadr[0]) for name in skip}
    named = _recall(model, ORDER) or [model.joint(j).name for j in range(model.njnt) if j not in loose | {free}]
    places, nq, nv = [], 0, 0
    for j in ([free] if free >= 0 else []) + [model.joint(name).id for name in named]:
        wide = model.joint(j).name in continuous
        kind = int(model.jnt_type[j])
        places.append(Place(kind, int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), nq, nv, wide))
        nq += {FREE: 7, BALL: 4}.get(kind, 2 if wide else 1)
        nv += {FREE: 6, BALL: 3}.get(kind, 1)
    return Layout(tuple(places), nq, nv)


def _recall(model: mujoco.MjModel, name: str) -> list[str]:
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, name)
    if index < 0:
        return []
    start, size = model.text_adr[index], model.text_size[index]
    return bytes(model.text_data[start : start + size]).rstrip(b"\0").decode().split(SEPARATOR)


def _from_pin_model(model: mujoco.MjModel, free: int, pin_model: Any) -> Layout:
    names = [model.joint(j).name for j in range(model.njnt)]
    places = []
    for name, joint in list(zip(pin_model.names, pin_model.joints, strict=True))[1:]:
        if joint.nq == 7 and free >= 0:
            j = free
        else:
            j = checks.indices("pin_model", [name], names, "joint")[0]
        kind = int(model.jnt_type[j])
        sizes = {FREE: ((7, 6),), BALL: ((4, 3),)}.get(kind, ((1, 1), (2, 1)))
        if (joint.nq, joint.nv) not in sizes:
            raise InputError(f"pin_model: joint {name!r} has nq = {joint.nq}, nv = {joint.nv}; expected one of {sizes}")
        q, v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        places.append(Place(kind, q, v, joint.idx_q, joint.idx_v, (joint.nq, joint.nv) == (2, 1)))
    return Layout(tuple(places), int(pin_model.nq), int(pin_model.nv))


def to_pinocchio(
    layout: Layout, q: NDArray[np.float64], v: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pinocchio's q and v of a MuJoCo state."""
    q_pin, v_pin = np.zeros(layout.nq_pin), np.zeros(layout.nv_pin)
    for p in layout.places:
        if p.kind == FREE:
            q_pin[p.q_pin : p.q_pin + 3] = q[p.q : p.q + 3]
            q_pin[p.q_pin + 3 : p.q_pin + 7] = np.roll(q[p.q + 3 : p.q + 7], -1)
            v_pin[p.v_pin : p.v_pin + 3] = rotation(q[p.q + 3 : p.q + 7]).T @ v[p.v : p.v + 3]
            v_pin[p.v_pin + 3 : p.v_pin + 6] = v[p.v + 3 : p.v + 6]
        elif p.kind == BALL:
            q_pin[p.q_pin : p.q_pin + 4] = np.roll(q[p.q : p.q + 4], -1)
            v_pin[p.v_pin : p.v_pin + 3] = v[p.v : p.v + 3]
        else:
            v_pin[p.v_pin] = v[p.v]
            if p.continuous:
                q_pin[p.q_pin : p.q_pin + 2] = np.cos(q[p.q]), np.sin(q[p.q])
            else:
                q_pin[p.q_pin] = q[p.q]
    return q_pin, v_pin


def from_pinocchio(
    layout: Layout,
    q_pin: NDArray[np.float64],
    v_pin: NDArray[np.float64],
    q: NDArray[np.float64],
    v: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """MuJoCo's q and v of a Pinocchio state; `q`, `v` supply the joints that Pinocchio's model lacks."""
    q, v = q.copy(), v.copy()
    for p in layout.places:
        if p.kind == FREE:
            q[p.q : p.q + 3] = q_pin[p.q_pin : p.q_pin + 3]
            q[p.q + 3 : p.q + 7] = np.roll(q_pin[p.q_pin + 3 : p.q_pin + 7], 1)
            v[p.v : p.v + 3] = rotation(q[p.q + 3 : p.q + 7]) @ v_pin[p.v_pin : p.v_pin + 3]
            v[p.v + 3 : p.v + 6] = v_pin[p.v_pin + 3 : p.v_pin + 6]
        elif p.kind == BALL:
            q[p.q : p.q + 4] = np.roll(q_pin[p.q_pin : p.q_pin + 4], 1)
            v[p.v : p.v + 3] = v_pin[p.v_pin : p.v_pin + 3]
        else:
            v[p.v] = v_pin[p.v_pin]
            if p.continuous:
                q[p.q] = np.arctan2(q_pin[p.q_pin + 1], q_pin[p.q_pin])
            else:
                q[p.q] = q_pin[p.q_pin]
    return q, v


def rotation(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 3) rotation from body to world of a quaternion w, x, y, z."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.ascontiguousarray(quaternion))
    return matrix.reshape(3, 3)
