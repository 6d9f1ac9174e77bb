"""What every answer of a task program must satisfy: dynamics, contacts held, and limits, as rows with names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.contact.contacts import Contacts
from surefoot.robots.scene import Scene
from surefoot.whole_body.program_parts import Cones, Equalities, Inequalities

if TYPE_CHECKING:
    from surefoot.whole_body.controller import WholeBody

Array = NDArray[np.float64]

JERK = 100.0
"""rad/s^2: how much an acceleration must be wrong to be as bad as a force by the robot's weight."""
NEAR = 0.2
"""m beyond their least distance: geoms that are farther apart are not looked at."""


class Held(NamedTuple):
    """Contacts that are held: what programs need of them."""

    contacts: Contacts
    J: Array  # (3 nc, nv)
    bodies: tuple[int, ...]  # that are pushed
    index: tuple[int, ...]  # of each among those that are closed


def held_contacts(robot: Scene, model: mujoco.MjModel, data: mujoco.MjData, closed: Contacts) -> Held:
    """Closed contacts, of a body with more than four only the outermost, and their Jacobian by `mj_jac`."""
    given = len(closed) and closed.geoms[0, 0] < 0
    bodies = [
        int(model.body(first).id) if a < 0 else int(model.geom_bodyid[a])
        for (first, _), (a, _) in zip(closed.bodies, closed.geoms, strict=True)
    ]
    keep = list(range(len(closed))) if given else _outermost(data, closed, bodies)
    arrays: dict[str, Any] = {
        name: np.asarray(getattr(closed, name))[keep]
        for name in ("points", "frames", "gaps", "mu", "closed", "geoms", "J")
    }
    texts: dict[str, Any] = {name: tuple(getattr(closed, name)[i] for i in keep) for name in ("bodies", "names")}
    kept = Contacts(**arrays, **texts)
    J = np.zeros((3 * len(keep), model.nv))
    for i, (point, frame, geoms) in enumerate(zip(kept.points, kept.frames, kept.geoms, strict=True)):
        if given:
            J[3 * i : 3 * i + 3] = kept.J[i]
            continue
        for geom, sign in zip(geoms, (1.0, -1.0), strict=True):
            Jp = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, Jp, None, point, int(model.geom_bodyid[geom]))
            J[3 * i : 3 * i + 3] += sign * frame @ Jp
    return Held(kept, J, tuple(bodies[i] for i in keep), tuple(keep))


def _outermost(data: mujoco.MjData, closed: Contacts, bodies: list[int]) -> list[int]:
    """Of a body's points those farthest along the four diagonals of its two axes nearest to the ground."""
    keep: set[int] = set()
    for body in set(bodies):
        mine = [i for i, other in enumerate(bodies) if other == body]
        if len(mine) > 4:
            R = data.xmat[body].reshape(3, 3)
            upright = int(np.argmax(np.abs(R.T @ closed.frames[mine[0], 0])))
            x, y = R[:, (upright + 1) % 3], R[:, (upright + 2) % 3]
            corners = []
            for a, b in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
                reach = closed.points[mine] @ (a * x + b * y)
                corners.append(mine[_first_largest(reach)])
            mine = corners
        keep.update(mine)
    return sorted(keep)


def _first_largest(reach: Array) -> int:
    best = 0
    for i in range(len(reach)):
        if reach[i] > reach[best] + 1e-9:
            best = i
    return best


def equalities(
    robot: Scene, model: mujoco.MjModel, data: mujoco.MjData, dt: float, settle: float, held: Held,
    names: tuple[str, ...], turning: NDArray[np.bool_],
) -> list[Equalities]:  # fmt: skip
    """Dynamics M~ a - S'tau - J'lambda = p - h, and contacts held: J a = -J v / settle."""
    nv, joints, forces = model.nv, len(robot.joints), len(held.J)
    M = np.empty((nv, nv))
    mujoco.mj_fullM(model, data, M)
    M += dt * np.diag(model.dof_damping)
    S = np.zeros((nv, joints))
    S[robot.dofs, np.arange(joints)] = 1.0
    found = [
        Equalities(
            "dynamics",
            names,
            np.hstack([M, -S, -held.J.T]),
            data.qfrc_passive - data.qfrc_bias,
            tuple("N m" if turns else "N" for turns in turning[:nv]),
        )
    ]
    if forces:
        axes = ("normal", "tangent 1", "tangent 2")
        found.append(
            Equalities(
                "contacts held",
                tuple(f"{name}, {axis}" for name in held.contacts.names for axis in axes),
                np.hstack([held.J, np.zeros((forces, joints + forces))]),
                -held.J @ data.qvel / settle,
                ("m/s^2",) * forces,
            )
        )
    return found


def inequalities(
    controller: WholeBody, model: mujoco.MjModel, data: mujoco.MjData, held: Held, turning: NDArray[np.bool_],
    cone: str,
) -> list[Inequalities | Cones]:  # fmt: skip
    """All limits of a controller, by family; families without a row are left out."""
    makers = (_pushes(controller, held, model.nv), _friction(controller, held, model.nv, cone),
              _torques(controller, held, model.nv, turning), *_speeds(controller, held, model, data, turning),
              _distances(controller, held, model, data))  # fmt: skip
    return [family for family in makers if family is not None]


def _family(name: str, names: list[str], rows: list[Array], offset: list[float], units: list[str], scale: float):
    if not rows:
        return None
    return Inequalities(
        name, tuple(names), np.array(rows), np.array(offset, dtype=float), tuple(units), np.full(len(rows), scale)
    )


def _unit(n: int, at: int, value: float) -> Array:
    row = np.zeros(n)
    row[at] = value
    return row


def _pushes(controller: WholeBody, held: Held, nv: int) -> Inequalities | None:
    first = nv + len(controller.robot.joints)
    n = first + len(held.J)
    least, most = controller._limits["least"], controller._limits["most"]
    names, rows, offset = [], [], []
    for i, name in enumerate(held.contacts.names):
        names.append(f"least force of {name}")
        rows.append(_unit(n, first + 3 * i, 1.0))
        offset.append(-least)
        if np.isfinite(most):
            names.append(f"most force of {name}")
            rows.append(_unit(n, first + 3 * i, -1.0))
            offset.append(most)
    return _family("force", names, rows, offset, ["N"] * len(rows), controller._weight)


def frictions(controller: WholeBody, held: Held) -> Array:
    """(nc,) the friction that the program counts on."""
    return held.contacts.mu if controller.mu is None else np.full(len(held.contacts), controller.mu)


def _friction(controller: WholeBody, held: Held, nv: int, cone: str) -> Inequalities | Cones | None:
    first = nv + len(controller.robot.joints)
    n, edges = first + len(held.J), controller.edges
    names, rows = [], []
    for i, (name, mu) in enumerate(zip(held.contacts.names, frictions(controller, held), strict=True)):
        if np.isinf(mu):
            continue
        normal, one, two = (_unit(n, first + 3 * i + k, 1.0) for k in range(3))
        if cone == "exact":
            names.append(f"friction of {name}")
            rows.append(np.array([mu * normal, one, two]))
            continue
        for k in range(edges):
            angle = 2 * np.pi * (k + 0.5) / edges
            names.append(f"friction of {name}, face {k + 1} of {edges}")
            rows.append(mu * np.cos(np.pi / edges) * normal - np.cos(angle) * one - np.sin(angle) * two)
    if cone == "exact" and rows:
        units = ("N",) * len(rows)
        return Cones("friction", tuple(names), np.array(rows), units, np.full(len(rows), controller._weight))
    return _family("friction", names, rows, [0.0] * len(rows), ["N"] * len(rows), controller._weight)


def _torques(controller: WholeBody, held: Held, nv: int, turning: NDArray[np.bool_]) -> Inequalities | None:
    joints = controller.robot.joints
    n = nv + len(joints) + len(held.J)
    low, high = controller._limits["low_high"]
    largest = np.abs(np.concatenate([low, high]))
    scale = float(largest[np.isfinite(largest)].max(initial=0.0)) or 1.0
    names, rows, offset, units = [], [], [], []
    for i, joint in enumerate(joints):
        for word, sign, limit in (("lowest", 1.0, low[i]), ("highest", -1.0, high[i])):
            if np.isfinite(limit):
                names.append(f"{word} torque of {joint}")
                rows.append(_unit(n, nv + i, sign))
                offset.append(-sign * limit)
                units.append("N m" if turning[nv + i] else "N")
    return _family("torque", names, rows, offset, units, scale)


def _speeds(
    controller: WholeBody, held: Held, model: mujoco.MjModel, data: mujoco.MjData, turning: NDArray[np.bool_]
) -> list[Inequalities | None]:
    """Joint speeds at the end of the step: within their limits, and such that the joint stops before its range ends."""
    robot, limits = controller.robot, controller._limits
    n = model.nv + len(robot.joints) + len(held.J)
    made: dict[str, tuple[list, list, list, list]] = {"speed": ([], [], [], []), "range": ([], [], [], [])}
    for i, joint in enumerate(robot.joints):
        dof, q = robot.dofs[i], data.qpos[robot.joint_positions[i]]
        for end, sign in enumerate((1.0, -1.0)):
            most, stop = limits["speed"][i], sign * (limits["ranges"][i, end] - q) / limits["brake"]
            family, bound = ("range", stop) if stop > -most else ("speed", -most)
            if not np.isfinite(bound):
                continue
            word = {"range": ("lower end", "upper end"), "speed": ("lowest speed", "highest speed")}[family][end]
            names, rows, offset, units = made[family]
            names.append(f"{word} of {joint}")
            rows.append(_unit(n, dof, sign))
            offset.append((sign * data.qvel[dof] - bound) / controller.dt)
            units.append("rad/s^2" if turning[dof] else "m/s^2")
    return [_family(f"joint {family}", *made[family], JERK) for family in ("speed", "range")]


def _distances(controller: WholeBody, held: Held, model: mujoco.MjModel, data: mujoco.MjData) -> Inequalities | None:
    """Two geoms come no nearer than they may: d + brake d' >= least, with d' at the end of the step."""
    limits = controller._limits
    n = model.nv + len(controller.robot.joints) + len(held.J)
    names, rows, offset = [], [], []
    for (first, second), least in zip(*limits["apart"], strict=True):
        ends = np.zeros((2, 3))
        distance = mujoco.mj_geomDistance(model, data, int(first), int(second), least + NEAR, ends.reshape(6, 1))
        between = np.linalg.norm(ends[1] - ends[0])
        if not distance < least + NEAR or between == 0.0:
            continue
        direction = np.copysign(1.0, distance) * (ends[1] - ends[0]) / between
        row = np.zeros(n)
        for geom, end, sign in ((first, ends[0], -1.0), (second, ends[1], 1.0)):
            Jp = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, Jp, None, end, int(model.geom_bodyid[geom]))
            row[: model.nv] += sign * direction @ Jp
        names.append(f"distance of {model.geom(int(first)).name} and {model.geom(int(second)).name}")
        rows.append(row)
        offset.append(((distance - least) / limits["brake"] + row[: model.nv] @ data.qvel) / controller.dt)
    return _family("distance", names, rows, offset, ["m/s^2"] * len(rows), JERK)
