"""A robot that touches something, as a ContactSystem: inertia, bias, contacts and inputs of one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.contact.contacts import Contacts
from surefoot.errors import InputError, SolveError
from surefoot.kernels import status as codes
from surefoot.kernels.plant import CONE, DRY_FRICTION, LIMIT, TENDON
from surefoot.kernels.settings import LawNumbers
from surefoot.laws.choices import switch
from surefoot.modes.contact_rate import contact_rates
from surefoot.modes.system import ContactSystem
from surefoot.motion.limits import torque_range
from surefoot.motion.loops import equality_name
from surefoot.motion.workspace import Workspace
from surefoot.robots.ignored import MODELLED_EQUALITIES
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status

Array = NDArray[np.float64]

FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
AXES = ("x", "y", "z", "turn x", "turn y", "turn z")


def of(
    robot: Scene,
    state: State,
    *,
    edges: int = 8,
    contacts: Contacts | Sequence[str] | None = None,
    friction: float | None = None,
    actuated: Sequence[str] | None = None,
    torque_limits: Any = None,
    physical: Sequence[Any] = (),
    task: Sequence[Any] = (),
    threshold: Any = 1e-6,
    touch: float = 1e-6,
    dry_friction: bool = True,
) -> ContactSystem:
    """The contacts of a robot at one state, its dynamics and its motors, as a system whose modes can be listed.

    Contacts that are closed take part, and joint limits at their stop, as contacts without friction. Loops, coupled
    joints, dry joint friction and tendons at their limit cannot: they are refused. (`Answer.ambiguity` knows them all.)

    If all contacts move in planes across one and the same direction, the system is planar: two rows a contact, and
    contacts that differ only across the plane are one. Tangents are normals turned clockwise for someone who sees world
    x (else y) to the right and z (else y) up: "right" on a floor is to the right. Otherwise it is spatial, and the
    first tangent is the direction of the slip if that is over 1e-6 m/s, else world x in the tangent plane (y where x is
    normal).

    Args:
        robot: robot or scene.
        state: where it is and how it moves. The contact points' own wandering is part of the accelerations.
        edges: 4, 8 or 16 edges of the friction pyramids of a spatial system.
        contacts: None: from the geometry; foot names: exactly these touch; or `Contacts.from_points(...)`, sharp points
            of the first body on flat faces of the second.
        friction: coefficient of all contacts; None: the scene's.
        actuated: names of the joints that have a torque, out of `robot.joints`; None: all of these.
        torque_limits: N m (N): None, one number, an array (joints,) or (joints, 2) or a dict by name, over
            `robot.joints`.
        physical: linear constraints that hold in every solution, see `Linear`.
        task: linear constraints that are wishes, see `Linear`.
        threshold: m/s up to which a velocity counts as possibly zero, see `ContactSystem`. States of a simulation with
            steps dt have contact velocities of about dt times the accelerations.
        touch: gap in m (joint limits: rad) up to which a contact is closed; 1e-6 is what a step of 1 ms takes for it.
        dry_friction: False: leave dry friction of joints out.
    """
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
    law = LawNumbers() if friction is None else LawNumbers(mu=checks.friction("friction", friction))
    dt = np.sqrt(checks.number("touch", touch, at_least=1e-12, at_most=1e-2))
    space = Workspace(robot, float(dt), law=law)
    space.load(state)
    code = space.find(contacts)
    if code != codes.SOLVED:
        raise SolveError(f"{robot.name}: {Status.from_code(code)}")
    _refuse(space, switch("dry_friction", dry_friction))
    closed = closed_contacts(space, contacts)
    rates = contact_rates(space.model, state, closed)
    rows = _planar(closed, rates, state.v) or _Rows(closed.J, rates, closed.mu, closed.names, 3)
    rows = _with_limits(rows, space)
    M = np.empty((robot.nv, robot.nv))
    mujoco.mj_fullM(space.model, space.data, M)
    motors = range(len(robot.joints)) if actuated is None else _motors(robot, actuated)
    inputs = np.zeros((robot.nv, len(motors)))
    inputs[robot.dofs[list(motors)], range(len(motors))] = 1.0
    limits = None if torque_limits is None else np.column_stack(torque_range(robot, torque_limits))[list(motors)]
    return ContactSystem(
        inertia=M,
        bias=space.data.qfrc_bias - space.data.qfrc_passive,
        jacobian=rows.J.reshape(-1, robot.nv),
        friction=rows.mu,
        inputs=inputs,
        jacobian_rate=rows.rates.ravel(),
        velocity=state.v,
        torque_limits=limits,
        physical=tuple(physical),
        task=tuple(task),
        edges=edges if rows.dimension == 3 else None,
        threshold=threshold,
        names=rows.names,
        torque_names=tuple(robot.joints[i] for i in motors),
        coordinates=tuple(coordinate_name(robot.model, i) for i in range(robot.nv)),
    )


class _Rows(NamedTuple):
    """Rows of n contacts in `dimension` 2 or 3: normal, then tangents."""

    J: Array  # (n, dimension, nv)
    rates: Array  # (n, dimension)
    mu: Array  # (n,)
    names: tuple[str, ...]
    dimension: int


def coordinate_name(model: mujoco.MjModel, dof: int) -> str:
    """The name of a velocity: that of its joint, of a free body with the axis."""
    joint = int(model.dof_jntid[dof])
    count = dof - int(model.jnt_dofadr[joint])
    if model.jnt_type[joint] == FREE:
        return f"{model.body(int(model.jnt_bodyid[joint])).name} {AXES[count]}"
    return f"{model.joint(joint).name} {AXES[3 + count]}" if model.jnt_type[joint] == BALL else model.joint(joint).name


def _motors(robot: Scene, names: Any) -> list[int]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"actuated: expected a list of joint names, got {names!r}")
    motors = checks.indices("actuated", names, robot.joints, "actuated joint")
    for i in motors:
        if motors.count(i) > 1:
            raise InputError(f"actuated: expected every joint once, got {robot.joints[i]!r} twice")
    return motors


def _refuse(space: Workspace, dry_friction: bool) -> None:
    """Raise InputError for what acts between bodies or joints and is neither contact nor force."""
    model, n = space.model, space.count
    acting = np.flatnonzero(space.data.eq_active & np.isin(model.eq_type, MODELLED_EQUALITIES))
    what = [equality_name(model, int(e)) for e in acting]
    remedy = ""
    for index, kind in space.step.rows.source[:n][space.step.rows.gap[:n] <= space.settings.touch].tolist():
        if kind == TENDON:
            what.append(f"limit of tendon {model.tendon(index).name}")
        if kind == DRY_FRICTION and dry_friction:
            what.append(f"dry friction of {model.joint(int(model.dof_jntid[index])).name}")
            remedy = "; dry_friction=False leaves that out"
    if what:
        raise InputError(
            "robot: expected contacts and joint limits only; a ContactSystem cannot hold loops, coupled joints, dry "
            f"joint friction or limits of tendons, got {', '.join(what)}{remedy}"
        )


def closed_contacts(space: Workspace, contacts: Any) -> Contacts:
    """The contacts that touch, of those that `space.find(contacts)` has found last."""
    if isinstance(contacts, Contacts):
        rows, n = space.step.rows, len(contacts)
        found = replace(contacts, closed=rows.kind[:n] == CONE, mu=rows.mu[:n].copy())
    else:
        found = space.contacts()
    keep = np.flatnonzero(found.closed)
    return Contacts(
        points=found.points[keep],
        frames=found.frames[keep],
        gaps=found.gaps[keep],
        mu=found.mu[keep],
        closed=found.closed[keep],
        bodies=tuple(found.bodies[i] for i in keep),
        names=tuple(found.names[i] for i in keep),
        geoms=found.geoms[keep],
        J=found.J[keep],
    )


def _with_limits(rows: _Rows, space: Workspace) -> _Rows:
    """The rows, then one contact without friction for each joint limit that is reached."""
    found, n, count = space.step.rows, space.contact_count, space.count
    limits = [i for i in range(n, count) if found.source[i, 1] == LIMIT and found.gap[i] <= space.settings.touch]
    J = np.zeros((len(limits), rows.dimension, space.model.nv))
    J[:, 0] = found.J[[3 * i for i in limits]]
    return _Rows(
        J=np.concatenate([rows.J, J]),
        rates=np.concatenate([rows.rates, np.zeros((len(limits), rows.dimension))]),
        mu=np.append(rows.mu, np.zeros(len(limits))),
        names=rows.names + tuple(f"limit of {space.model.joint(int(found.source[i, 0])).name}" for i in limits),
        dimension=rows.dimension,
    )


def _planar(contacts: Contacts, rates: Array, v: Array) -> _Rows | None:
    """Rows of a planar system, each different contact once; None if contacts move in space."""
    across = _across(contacts, rates, v)
    if across is None:
        return None
    normals = contacts.frames[:, 0]
    within = np.stack([normals, np.cross(across, normals)], axis=1)  # (n, 2, 3)
    turn = within @ contacts.frames.transpose(0, 2, 1)  # from the contact's own frame
    J, rates = turn @ contacts.J, (turn @ rates[:, :, None])[:, :, 0]
    kept: list[int] = []
    for i in range(len(contacts)):
        if not any(_same(J[i], J[k]) and contacts.mu[i] == contacts.mu[k] for k in kept):
            kept.append(i)
    return _Rows(J[kept], rates[kept], contacts.mu[kept], tuple(contacts.names[i] for i in kept), 2)


def _same(J: Array, other: Array) -> bool:
    return bool(np.abs(J - other).max() <= 1e-9 * np.abs(J).max())


def _across(contacts: Contacts, rates: Array, v: Array) -> Array | None:
    """(3,) the direction along which no contact moves, pushes or begins to move; None if there is no such direction.

    Of two opposite ones that in which an onlooker looks who sees x to the right and z up, or what is nearest to it.
    """
    world = contacts.frames.transpose(0, 2, 1)
    moves = (world @ contacts.J).transpose(0, 2, 1).reshape(-1, 3)
    begins = (world @ rates[:, :, None])[:, :, 0]
    reach = np.abs(moves).max(initial=0.0) or 1.0
    fastest = np.abs(v).max(initial=0.0) or 1.0
    rough = 1e-3  # how far rates are trusted that come from contacts found by iteration
    rows = np.concatenate(
        [contacts.frames[:, 0], moves / reach, rough * begins / (reach * fastest**2), np.zeros((3, 3))]
    )
    _, sizes, axes = np.linalg.svd(rows)
    free = axes[sizes <= 1e-6]
    if not len(free):
        return None
    wished = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    possible = wished @ free.T @ free
    best = possible[np.argmax(np.linalg.norm(possible, axis=1).round(6))]
    return best / np.linalg.norm(best)
