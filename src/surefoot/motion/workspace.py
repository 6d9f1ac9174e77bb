"""A scene made ready for kernels: its own model and data, tables, and work arrays that grow when contacts do."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import mujoco
import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.contact.contacts import Contacts, contact_names
from surefoot.errors import InputError, ModelError
from surefoot.kernels import status as codes
from surefoot.kernels.box import Box
from surefoot.kernels.fallback import ALL, FIRST_GUESS, Ladder
from surefoot.kernels.plant import CLOSED, CONE, EVERYTHING, GIVEN, NORMAL
from surefoot.kernels.problem import SOFT
from surefoot.kernels.pyramid import pyramid_table
from surefoot.kernels.settings import LawNumbers, Settings
from surefoot.kernels.step import Step, find_rows, solve_rows
from surefoot.motion.arrays import make_plant, make_step
from surefoot.robots import ignored
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.contact_problem import edge_directions

Array = NDArray[np.float64]

MOST_BLOCKS = 10_000
FEW_GEOMS = 12  # while no body has more, to try all pairs of geoms is quicker than MuJoCo's trees of boxes


class Workspace:
    """One scene, one step size, one friction belief; belongs to one owner (a simulator, a controller, a call).

    Attributes:
        scene: what it was made from.
        model, data: its own copies.
        step: arrays of the kernels.
        settings: numbers of the kernels.
        count: blocks (contacts, limits, dry friction) found last.
        free_count: free velocities of the last solve.
        bilateral_count: bilateral rows of the last solve.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float,
        *,
        law: LawNumbers | None = None,
        speed: float = 3.0,
        restitution: float = 0.0,
        capacity: int = 24,
        tolerance: float = 1e-9,
        remembers: bool = False,
    ) -> None:
        """Copy the scene's model and prepare.

        Args:
            scene: robot or scene.
            dt: step in s.
            law: numbers of the contact law; None: Coulomb's.
            speed: largest approach speed in m/s that is surely caught before it penetrates; contacts are found to a
                distance of max(1 mm, 1.5 dt speed), and of 1 mm by the soft law, which feels no open ones.
            restitution: Newton's coefficient, 0 to 1.
            capacity: contacts, limits and dry frictions held at first; grows by itself.
            tolerance: residual of the law that counts as solved, relative to the largest contact velocity.
            remembers: start each solve from the contact modes of the last.
        """
        law = LawNumbers() if law is None else law
        self.scene = scene
        self.dt = step_size(dt)
        self.model: mujoco.MjModel = copy.copy(scene.model)
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)  # it asks for a factorised inertia
        if self.model.body_geomnum.max() <= FEW_GEOMS and self.model.nflex == 0:
            self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
        ignored.silence(self.model)
        self.detection = 1e-3 if law.form == SOFT else max(1e-3, 1.5 * self.dt * speed)
        self.model.geom_gap[:] = self.detection / 2  # the gaps of two geoms add; `margin` would make MuJoCo push early
        self.model.pair_gap[:] = self.detection
        self.model.body_margin[:] = self.detection / 2  # the largest gap of a body's geoms: its tree of boxes reads it
        self.data = mujoco.MjData(self.model)
        self.capacity = capacity
        if law.form == SOFT and law.kappa < 2.0 * self.dt:
            raise InputError(f"kappa: expected at least two steps of dt = {self.dt:g} s, got {law.kappa:g}")
        self.settings = Settings(
            dt=self.dt,
            touch=self.dt**2 * 1.0,  # the second-order error of a step at 1 m/s^2
            law=law,
            tolerance=tolerance,
            bilateral_rate=0.2,
            depth_rate=0.2 if np.isinf(law.stiffness) and law.form != SOFT else 0.0,  # a spring's depth is its load
            slop=self.dt**2 * 1.0,
            restitution=checks.number("restitution", restitution, at_least=0.0, at_most=1.0),
            bounce=max(2.0 * 9.81 * self.dt, 1e-3),
            remembers=remembers,
        )
        self.edges = pyramid_table(edge_directions(law.edges))
        self.plant = make_plant(scene, self.model, self.data)
        self._level = FIRST_GUESS
        self.step, self.ladder = self._arrays()
        self.box = Box(self.step)
        self._quaternions = quaternion_places(self.model)
        self._bodies = {self.model.body(i).name: i for i in range(self.model.nbody)}
        self.count = 0
        self.free_count = 0
        self.bilateral_count = 0

    def _arrays(self) -> tuple[Step, Ladder]:
        model, dofs = self.model, self.scene.dofs
        return make_step(self.settings, self.plant, self.edges, model, dofs, self.capacity, self._level)

    def load(self, state: State) -> None:
        """Put a state into the data; nothing of an earlier call is left."""
        if not isinstance(state, State):
            raise InputError(f"state: expected a State (see robot.home()), got {type(state).__name__}")
        # In every control loop: a State has looked at its numbers already, and plain views cost least.
        q, v, plant = state.q, state.v, self.plant
        if q.shape != plant.qpos.shape or v.shape != plant.qvel.shape:
            checks.array("state.q", q, plant.qpos.shape)
            checks.array("state.v", v, plant.qvel.shape)
        plant.qpos[:] = q
        plant.qvel[:] = v
        self.data.time = state.t
        check_quaternions(q, self._quaternions)
        self.step.v_next[:] = 0.0

    def prescribe(
        self, dofs: NDArray[np.int64], moved: NDArray[np.bool_], torque: Array, low: Array, high: Array
    ) -> None:
        """Say which of these velocities follow a motion (up to a torque from low to high) and what torque others feel.

        A motor of limited torque drives a free velocity: half the range to either side of the middle of the range.
        """
        limited = moved & np.isfinite(low)
        low, high = np.where(limited, low, 0.0), np.where(limited, high, 0.0)
        self.step.prescribed[dofs] = moved & ~limited
        self.step.motor[dofs] = np.where(limited, 0.5 * (high - low), -1.0)
        self.step.torque[dofs] = np.where(limited, 0.5 * (high + low), np.where(moved, 0.0, torque))

    def state(self) -> State:
        """The state in the data."""
        return State.from_mujoco(self.data)

    def choose(self, contacts: Contacts | Sequence[str] | None) -> int:
        """Say where contacts come from: geometry, a planned stance, or given; returns how many are given, else -1."""
        if isinstance(contacts, Contacts):
            while len(contacts) > self.capacity:
                self.grow()
            self._insert(contacts)
            return len(contacts)
        if contacts is not None or self.step.planned[0] != EVERYTHING:
            self.step.planned[0] = EVERYTHING if contacts is None else CLOSED
            self.step.stance[:] = False
        if contacts is not None:
            for geoms in self.scene.foot_geoms(_feet(contacts)):
                self.step.stance[geoms] = True
        return -1

    def find(self, contacts: Contacts | Sequence[str] | None = None) -> int:
        """Find rows at the loaded state; returns a status code. `contacts`: see `choose`."""
        given = self.choose(contacts)
        code, count = find_rows(self.box, given)
        while code == codes.CAPACITY:
            self.grow()
            code, count = find_rows(self.box, given)
        self.found(code, contacts, count, 0, 0)
        return code

    def found(
        self,
        code: int,
        contacts: Contacts | Sequence[str] | None,
        count: int,
        free_count: int,
        bilateral_count: int,
    ) -> None:
        """Note what a kernel found; a planned stance must be near the ground."""
        self.count, self.free_count, self.bilateral_count = count, free_count, bilateral_count
        if contacts is not None and code != codes.NOT_FINITE and not isinstance(contacts, Contacts):
            self._check_stance(_feet(contacts))

    def solve(self) -> tuple[int, float, int]:
        """Solve on the rows found; returns (status code, residual, method)."""
        self.ladder.certificate[:] = 0.0
        code, residual, method, self.free_count, self.bilateral_count = solve_rows(self.box, self.count)
        while code == codes.CAPACITY and self._level < ALL:
            self.grow()
            code, residual, method, self.free_count, self.bilateral_count = solve_rows(self.box, self.count)
        if code == codes.CAPACITY:
            raise ModelError(f"{self.scene.name}: an equality constraint of more than six rows is not supported")
        return code, residual, method

    def forces_undetermined(self) -> bool:
        """Whether closed contacts can push against each other and move nothing: y >= 0, y != 0, W_n'y = 0."""
        step, n = self.step, self.contact_count
        springs = np.isfinite(self.settings.law.stiffness) or self.settings.law.form == SOFT  # which tell
        if not step.prescribed.any() or n == 0 or springs:
            return False
        speed = (step.rows.J[: 3 * n] @ step.v_next).reshape(n, 3)
        opening = speed[:, 0] + step.offset[:n]
        if self.settings.law.dissipative:
            slip = np.linalg.norm(speed[:, 1:], axis=1)
            opening -= np.where(np.isfinite(step.rows.mu[:n]), step.rows.mu[:n], 0.0) * slip
        closed = np.flatnonzero((step.rows.kind[:n] == CONE) & (opening <= 1e-9))
        if not len(closed):
            return False
        normals = step.reduced.W[3 * closed, : self.free_count].T
        sizes = np.linalg.norm(normals, axis=0)
        if (sizes == 0.0).any():
            return True
        # Weights that sum to one and cancel: zero residual of a non-negative least squares problem.
        _, residual = scipy.optimize.nnls(
            np.vstack([normals / sizes, np.ones(len(closed))]), np.r_[np.zeros(self.free_count), 1.0]
        )
        return bool(residual < 1e-9)

    def contacts(self) -> Contacts:
        """The contacts found last, as copies."""
        rows = self.step.rows
        n = self.contact_count
        geoms = rows.source[:n].copy()
        model = self.model
        bodies = tuple((model.body(model.geom_bodyid[a]).name, model.body(model.geom_bodyid[b]).name) for a, b in geoms)
        return Contacts(
            points=rows.point[:n].copy(),
            frames=rows.frame[:n].copy(),
            gaps=rows.gap[:n].copy(),
            mu=rows.mu[:n].copy(),
            closed=rows.kind[:n] == CONE,
            bodies=bodies,
            names=contact_names(self.scene, geoms),
            geoms=geoms,
            J=rows.J[: 3 * n].reshape(n, 3, model.nv).copy(),
        )

    @property
    def contact_count(self) -> int:
        """How many of the blocks found last are contacts."""
        source = self.step.rows.source[: self.count, 1]
        return int(np.count_nonzero((source >= 0) | (source == GIVEN)))

    def _check_stance(self, feet: Sequence[str]) -> None:
        found = set(self.step.rows.source[: self.contact_count, 0].tolist())
        for foot, geoms in zip(feet, self.scene.foot_geoms(feet), strict=True):
            if found.isdisjoint(geoms.tolist()):
                raise InputError(
                    f"contacts: {foot!r} is not within {1e3 * self.detection:.3g} mm of the ground at this state, "
                    "so it cannot be a planned contact"
                )

    def _insert(self, contacts: Contacts) -> None:
        rows, n, nv = self.step.rows, len(contacts), self.model.nv
        if np.ndim(contacts.J) == 3 and contacts.J.shape[2] != nv:
            raise InputError(f"contacts: expected contacts of a scene with nv {nv}, got nv {contacts.J.shape[2]}")
        for body in {name for pair in contacts.bodies for name in pair} - self._bodies.keys():
            raise InputError(f"contacts: expected contacts of this scene, got some of a body {body!r} that it lacks")
        for name, shape in (("points", (n, 3)), ("frames", (n, 3, 3)), ("gaps", (n,)), ("J", (n, 3, nv))):
            checks.array(f"contacts.{name}", getattr(contacts, name), shape)
        for mu in checks.array("contacts.mu", contacts.mu, (n,), finite=False):
            checks.friction("contacts.mu", float(mu))
        closed = contacts.closed & (contacts.gaps <= self.settings.touch)
        rows.point[:n], rows.frame[:n], rows.gap[:n] = contacts.points, contacts.frames, contacts.gaps
        rows.mu[:n] = contacts.mu if np.isnan(self.settings.law.mu) else self.settings.law.mu
        rows.kind[:n] = np.where(closed, CONE, NORMAL)
        rows.bound[:n] = rows.drive[:n] = 0.0
        rows.turning[:n] = 0.0
        rows.source[:n, 0] = [self._bodies[a] * self.model.nbody + self._bodies[b] for a, b in contacts.bodies]
        rows.source[:n, 1] = GIVEN
        rows.J[: 3 * n] = np.where(np.repeat(closed, 3)[:, None], contacts.J.reshape(3 * n, nv), 0.0)
        rows.J[: 3 * n : 3] = contacts.J[:, 0]

    def complete(self) -> None:
        """Load all that a solve may need, for callers that cannot answer CAPACITY."""
        while self._level < ALL:
            self.grow()

    def make_room(self, state: State) -> None:
        """Room for twice the blocks of a state, for callers that cannot answer CAPACITY."""
        self.load(state)
        code, count = find_rows(self.box, np.int64(-1))
        while code == codes.CAPACITY:
            self.grow()
            code, count = find_rows(self.box, np.int64(-1))
        while self.capacity < 2 * count:
            self.grow()

    def grow(self) -> None:
        """Answer CAPACITY: load more of the law if some is missing, else double the room; what was found stays."""
        if self._level == ALL:
            if self.capacity > MOST_BLOCKS:
                raise ModelError(
                    f"{self.scene.name}: more than {MOST_BLOCKS} contacts, or an equality of over six rows"
                )
            self.capacity *= 2
        self._level = min(self._level + 1, ALL)
        old = self.step
        self.step, self.ladder = self._arrays()
        self.box = Box(self.step)
        for name in ("prescribed", "v_next", "torque", "motor", "last_force", "planned", "stance", "warnings"):
            getattr(self.step, name)[...] = getattr(old, name)
        for name in ("kind", "source", "point", "frame", "gap", "mu", "bound", "drive", "turning", "J"):
            kept = getattr(old.rows, name)
            getattr(self.step.rows, name)[: len(kept)] = kept


def step_size(dt: Any) -> float:
    """`dt` in s, checked: gaps within dt^2 x 1 m/s^2 count as closed, so that must be above rounding and below 1 m."""
    return checks.number("dt", dt, above=0.0, at_least=1e-7, at_most=1.0)


def _feet(names: Any) -> tuple[str, ...]:
    """A planned stance as names, if that is what it is."""
    if isinstance(names, str):
        raise InputError(f"contacts: expected a list of foot names, got the string {names!r}")
    if not isinstance(names, Iterable):
        raise InputError(f"contacts: expected None, a list of foot names or Contacts, got {type(names).__name__}")
    names = tuple(names)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"contacts: expected a list of foot names, got {type(name).__name__} in it")
    return names


def quaternion_places(model: mujoco.MjModel) -> list[int]:
    """Places in q where the quaternions of free and ball joints begin."""
    free = model.jnt_qposadr[model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)] + 3
    ball = model.jnt_qposadr[model.jnt_type == int(mujoco.mjtJoint.mjJNT_BALL)]
    return sorted(free.tolist() + ball.tolist())


def check_quaternions(q: Array, places: list[int]) -> None:
    """Raise InputError if one of the quaternions at these places is zero, which MuJoCo would take for upright."""
    for at in places:  # one by one: one look mostly does
        if abs(q[at]) < 1e-9 and max(abs(q[at + 1]), abs(q[at + 2]), abs(q[at + 3])) < 1e-9:
            raise InputError(f"state.q: expected a quaternion of some length at index {at} to {at + 3}, got zeros")


def reach_speed(scene: Scene, v: Array) -> float:
    """A speed in m/s that no point exceeds by much: 3 m/s, or translation plus rotation times the extent."""
    model = scene.model
    sliding = np.zeros(model.nv, dtype=bool)
    for joint in range(model.njnt):
        dof = model.jnt_dofadr[joint]
        if model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_FREE):
            sliding[dof : dof + 3] = True
        sliding[dof] |= model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_SLIDE)
    fastest = np.abs(v[sliding]).max(initial=0.0), np.abs(v[~sliding]).max(initial=0.0)
    return max(3.0, 2.0 * fastest[0] + 2.0 * fastest[1] * min(model.stat.extent, 2.0))
