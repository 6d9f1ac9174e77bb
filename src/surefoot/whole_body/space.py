"""The space of dynamics: every acceleration, torque and contact force that go together at one state.

M a + h = S'tau + J'lambda and J a = b leave an affine space of them, a point of it for every choice of canonical
coordinates beta [Ratliff2014] (7), (12), (13). M has an inverse, so its dimension is known beforehand: one for every
motor, and one for every force that contacts exert on each other through rigid bodies, which no torque changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.contact.contacts import Contacts
from surefoot.errors import InputError, SolveError
from surefoot.kernels import status as codes
from surefoot.modes.contact_rate import contact_rates
from surefoot.modes.of import closed_contacts, coordinate_name
from surefoot.motion.loops import equality_name
from surefoot.motion.workspace import Workspace
from surefoot.robots.ignored import MODELLED_EQUALITIES
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status
from surefoot.whole_body import costs, words
from surefoot.whole_body.affine import AffineMap
from surefoot.whole_body.maps import torque_maps

Array = NDArray[np.float64]

INSIDE = 1e-9
"""Relative residual up to which a point lies in the space."""


class Blocks(NamedTuple):
    """Acceleration, torque and force, as vectors or as the rows of a basis.

    Attributes:
        acceleration: (nv,) or (nv, d), m/s^2 and rad/s^2, in the order of `State.v`.
        torque: (joints,) or (joints, d), N m (N for slides), in the order of `robot.joints`.
        force: (3 nc,) or (3 nc, d), N on the robot: normal, tangent 1, tangent 2 of each contact.
    """

    acceleration: Array
    torque: Array
    force: Array

    def stack(self) -> Array:
        """All three below each other."""
        return np.concatenate(self)


@dataclass(frozen=True, eq=False)
class Membership:
    """How far a point is from the space; true if it lies in it.

    Attributes:
        dynamics: (nv,) M a + h - S'tau - J'lambda, N and N m.
        contact: (3 nc,) J a - b, m/s^2.
        residual: the larger of both, relative to the largest force and to the largest acceleration one alone causes.
    """

    dynamics: Array
    contact: Array
    residual: float

    def __bool__(self) -> bool:
        return self.residual <= INSIDE

    def __float__(self) -> float:
        return self.residual


@dataclass(frozen=True, eq=False)
class DynamicsSpace:
    """All (acceleration, torque, force) at one state; see `dynamics_space`.

    Attributes:
        robot: robot or scene.
        state: where it is and how it moves.
        contacts: the nc closed contacts that are held.
        inertia: M (nv, nv), kg, kg m, kg m^2.
        bias: h (nv,), N and N m: Coriolis, centrifugal and gravity, less springs and damping.
        jacobian: J (3 nc, nv).
        rate: b (3 nc,), m/s^2: what J a must be for contacts to stay; the nearest that can be.
        inconsistent: (3 nc,) m/s^2: what was asked of J a beyond that and cannot be; 0 unless contacts that hold each
            other move against each other.
        particular: the point of least norm, beta = 0.
        basis: d orthonormal directions, by blocks.
    """

    robot: Scene
    state: State
    contacts: Contacts
    inertia: Array
    bias: Array
    jacobian: Array
    rate: Array
    inconsistent: Array
    particular: Blocks
    basis: Blocks
    _force: AffineMap
    _acceleration: AffineMap

    @property
    def dimension(self) -> int:
        """How many numbers one may choose: d = motors + forces that no torque changes."""
        return self.basis.torque.shape[1]

    @property
    def rank(self) -> int:
        """Of the matrix [[M, -S', -J'], [J, 0, 0]] with nv + 3 nc rows."""
        return len(self.bias) + len(self.rate) - self._force.free.shape[1]

    @property
    def is_consistent(self) -> bool:
        """Whether the contacts can all stay as they are."""
        return not self.inconsistent.any()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences that say which contacts or joints leave forces open or motions out of reach."""
        return words.notes(self)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """(nv,) names of the velocities."""
        return tuple(coordinate_name(self.robot.model, i) for i in range(self.robot.nv))

    def at(self, beta: Any) -> Blocks:
        """The point of canonical coordinates beta (d,) [Ratliff2014] (17)."""
        beta = checks.array("beta", beta, (self.dimension,))
        return Blocks(*(v + V @ beta for v, V in zip(self.particular, self.basis, strict=True)))

    def nearest(self, acceleration: Any, torque: Any, force: Any) -> Array:
        """(d,) canonical coordinates of the nearest point of the space (plain sum of squares)."""
        point = self._point(acceleration, torque, force).stack()
        return self.basis.stack().T @ (point - self.particular.stack())

    def contains(self, acceleration: Any, torque: Any, force: Any) -> Membership:
        """Whether acceleration (nv,), torque (joints,) and force (3 nc,) or (nc, 3) go together, and how far off."""
        a, tau, lam = self._point(acceleration, torque, force)
        parts = np.array([self.inertia @ a, self.bias, -_spread(self.robot, tau), -self.jacobian.T @ lam])
        dynamics, contact = parts.sum(axis=0), self.jacobian @ a - self.rate
        # What each force alone would do: accelerations may cancel.
        alone = np.abs(np.linalg.solve(self.inertia, parts.T)).max(initial=0.0)
        moved = max(np.abs(self.jacobian).max(initial=0.0) * alone, np.abs(self.rate).max(initial=0.0))
        residual = max(
            np.abs(dynamics).max(initial=0.0) / (np.abs(parts).max(initial=0.0) or 1.0),
            np.abs(contact).max(initial=0.0) / (moved or 1.0),
        )
        return Membership(dynamics, contact, float(residual))

    def force_of_torque(self) -> AffineMap:
        """Contact forces (3 nc,) that answer to torques: zeta, [Ratliff2014] (9), (11).

        Contacts that hold each other through a rigid body leave some directions open (`free`); of these the least force
        is taken.
        """
        return self._force

    def acceleration_of_torque(self) -> AffineMap:
        """Accelerations (nv,) that answer to torques: eta, [Ratliff2014] (14). Always determined."""
        return self._acceleration

    def pull_back(self, cost: costs.Quadratic) -> costs.Quadratic:
        """A cost over acceleration, torque or force as one over beta; see `costs.pull_back`."""
        return costs.pull_back(cost, self.particular._asdict(), self.basis._asdict())

    def push(self, cost: costs.Quadratic, onto: str | Sequence[str]) -> costs.Quadratic:
        """A cost over beta as one over some of acceleration, torque and force; see `costs.push`."""
        return costs.push(cost, onto, self.particular._asdict(), self.basis._asdict())

    def table(self) -> str:
        """The space in words and numbers."""
        return words.table(self)

    def _point(self, acceleration: Any, torque: Any, force: Any) -> Blocks:
        n = len(self.rate)
        force = np.ravel(force) if np.shape(force) == (n // 3, 3) else force
        return Blocks(
            checks.array("acceleration", acceleration, (len(self.bias),)),
            checks.array("torque", torque, (len(self.robot.joints),)),
            checks.array("force", force, (n,)),
        )


def dynamics_space(
    robot: Scene, state: State, contacts: Contacts | Sequence[str] | None = None, *, touch: float = 1e-6
) -> DynamicsSpace:
    """Every acceleration, torque and contact force that go together while the closed contacts stay.

    Contacts are held as if glued: that friction has limits and the ground does not pull is for those who choose a point
    of the space. Joint limits and dry friction of joints are left out (torque is what the joint feels in all), and
    `notes` says so where it matters.

    Args:
        robot: robot or scene, floating or bolted down.
        state: where it is and how it moves.
        contacts: None: from the geometry; foot names: exactly these touch; or `Contacts.from_points(...)`.
        touch: gap in m up to which a contact is closed.
    """
    if not isinstance(robot, Scene):
        raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
    dt = np.sqrt(checks.number("touch", touch, at_least=1e-12, at_most=1e-2))
    space = Workspace(robot, float(dt))
    space.load(state)
    code = space.find(contacts)
    if code != codes.SOLVED:
        raise SolveError(f"{robot.name}: {Status.from_code(code)}")
    loops = np.flatnonzero(space.data.eq_active & np.isin(space.model.eq_type, MODELLED_EQUALITIES))
    if len(loops):
        names = ", ".join(equality_name(space.model, int(e)) for e in loops)
        raise InputError(f"robot: expected joints and contacts only, without loops or coupled joints, got {names}")
    closed = closed_contacts(space, contacts)
    M = np.empty((robot.nv, robot.nv))
    mujoco.mj_fullM(space.model, space.data, M)
    bias = space.data.qfrc_bias - space.data.qfrc_passive
    rate = -contact_rates(space.model, state, closed).ravel()
    maps = torque_maps(M, bias, closed.J.reshape(-1, robot.nv), rate, robot.dofs)
    point, basis = maps.solution()
    cuts = [robot.nv, robot.nv + len(robot.joints)]
    return DynamicsSpace(
        robot=robot,
        state=state,
        contacts=closed,
        inertia=M,
        bias=bias,
        jacobian=closed.J.reshape(-1, robot.nv),
        rate=maps.held,
        inconsistent=maps.inconsistent,
        particular=Blocks(*np.split(point, cuts)),
        basis=Blocks(*np.split(basis, cuts)),
        _force=maps.force,
        _acceleration=maps.acceleration,
    )


def _spread(robot: Scene, torque: Array) -> Array:
    """S'tau (nv,) [Ratliff2014] (3)."""
    result = np.zeros(robot.nv)
    result[robot.dofs] = torque
    return result
