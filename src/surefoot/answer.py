"""What a solve returns: torques, forces, motion, status, and a check of all of it from the problem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.contact.contacts import Contacts
from surefoot.errors import InputError, SolveError
from surefoot.kernels import fallback
from surefoot.kernels import status as codes
from surefoot.kernels.cone_laws import NEWTON
from surefoot.kernels.plant import CONE, DRY_FRICTION, MOTOR, TENDON, TURN
from surefoot.kernels.soft_inverse import PROJECTION
from surefoot.laws import Law
from surefoot.laws.conditions import law_conditions
from surefoot.modes.step import Step, step_solutions
from surefoot.modes.step_solutions import StepSolutions
from surefoot.motion.consistent import joints_to_blame
from surefoot.motion.loops import contradictions, equality_rows
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status

Array = NDArray[np.float64]

SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
METHODS = {
    0: "none",
    fallback.GUESS: "guessed modes",
    fallback.CONVEX: "convex problems",
    fallback.SWEEPS: "sweeps",
    fallback.PIVOTS: "pivoting",
    NEWTON: "Newton's method",
    PROJECTION: "projection",
}
NEVER_POSED = (Status.NOT_FINITE, Status.CONTACTS_DROPPED, Status.INERTIA)


@dataclass(frozen=True)
class JointRow:
    """A joint limit, a joint's dry friction or a motor of limited torque that was part of the problem.

    Attributes:
        joint: name; of a tendon's limit that of the tendon.
        kind: "limit", "dry friction" or "motor" (its torque less the middle of its range).
        force: N m (N) that it exerts on the joint.
        velocity: rad/s (m/s) of the joint at the end of the step.
    """

    joint: str
    kind: str
    force: float
    velocity: float


@dataclass(frozen=True, eq=False)
class Answer:
    """One solved step.

    Attributes:
        robot: robot or scene.
        state: state at the start of the step.
        dt: step in s.
        law: contact law.
        status: how the solve ended; its text is a sentence.
        torque: (len(robot.joints),) N m (N): what the actuated joints exert, given or found.
        velocity: (nv,) at the end of the step.
        contacts: where it touches.
        forces: (n, 3) N on the robot in each contact's frame: normal, tangent 1, tangent 2.
        contact_velocity: (n, 3) m/s at the end of the step, in each contact's frame.
        joint_rows: joint limits and dry friction that took part.
        residual: largest violation of the law, relative to the largest contact velocity; checked before "solved".
        method: which solver found it.
        missed: (len(robot.joints),) rad/s (m/s): how far joints at their torque limit stay behind their motion.
        moments: (n, 3) N m on the robot about each contact's normal and tangents: torsional and rolling friction.
        unactuated: (nv,) N (N m) that a fully prescribed motion needs where there is no motor: how far it is from
            being physical; zero otherwise.
        adjusted: (len(robot.joints),) rad/s (m/s) by which a demand was changed to be consistent.
        culprits: contacts, limits and loops that an impossible demand runs against, then the prescribed joints whose
            motion takes part, by name.
    """

    robot: Scene
    state: State
    dt: float
    law: Law
    status: Status
    torque: Array
    velocity: Array
    contacts: Contacts
    forces: Array
    contact_velocity: Array
    joint_rows: tuple[JointRow, ...]
    residual: float
    method: str
    missed: Array
    moments: Array
    unactuated: Array
    adjusted: Array
    culprits: tuple[str, ...] = ()
    _problem: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        """Whether it can be used: solved, softened a little (REGULARISED), or one of many (INDETERMINATE)."""
        return self.status.is_answer

    @property
    def acceleration(self) -> Array:
        """(nv,) change of velocity over the step, per second."""
        return (self.velocity - self.state.v) / self.dt

    @property
    def slipping(self) -> NDArray[np.bool_]:
        """(n,) loaded contacts that slide at the end of the step."""
        speed = np.linalg.norm(self.contact_velocity[:, 1:], axis=1)
        return (self.forces[:, 0] > 0) & (speed > 1e-9 * max(1.0, speed.max(initial=0.0)))

    @property
    def ground_force(self) -> Array:
        """(3,) N: sum of the contact forces that the fixed world exerts, in world axes."""
        world = np.array([second == "world" for _, second in self.contacts.bodies], dtype=bool)
        return np.einsum("ij,ijk->k", self.forces[world], self.contacts.frames[world])

    @property
    def contact_force(self) -> Array:
        """(nv,) N (N m): all contact forces and moments as one generalised force, J'f/dt."""
        p, n = self._problem, len(self.contacts)
        of_contacts = np.repeat((np.arange(len(p["kind"])) < n) | (p["kind"] == TURN), 3)
        return p["J"][of_contacts].T @ p["f"][of_contacts] / self.dt

    def residuals(self) -> dict[str, float]:
        """Recompute every condition from the problem itself, with plain linear algebra.

        Returns:
            `dynamics` (N s): largest imbalance of M v+ = kappa + J'f + dt tau; `reduction` (m/s): largest |c+ - (W
            W'f + c0)|; `loops` (m/s, rad/s): largest miss of a loop's or a joint coupling's velocity; `normal`,
            `friction`, `joints`: the law's violation, relative to the largest contact velocity; `penetration` (m):
            depth at the start of the step.
        """
        p = self._problem
        balance = p["M"] @ self.velocity - p["kappa"] - p["J"].T @ p["f"] - self.dt * p["tau"]
        if len(p["bilateral"]):
            balance -= p["bilateral"].T @ np.linalg.lstsq(p["bilateral"].T, balance, rcond=None)[0]
        W = p["W"][:, : p["nu"]]  # the others are velocities of contact springs
        miss = p["J"] @ self.velocity - p["drive"] - W @ (W.T @ p["f"]) - p["c0"]
        opening = p["bilateral"] @ self.velocity - p["target"]
        result = {
            "dynamics": float(np.abs(balance).max(initial=0.0)),
            "reduction": float(np.abs(miss).max(initial=0.0)),
            "loops": float(np.abs(opening).max(initial=0.0)),
        }
        result.update(law_conditions(p))
        result["penetration"] = float(self.contacts.depth.max(initial=0.0))
        return result

    def ambiguity(self, progress: bool = False) -> StepSolutions:
        """Every solution that the law allows in this step: none, one, several, or a continuum; see `StepSolutions`.

        Exact in the law's own friction pyramid. Up to about eight loaded contacts take well under a second; joints with
        dry friction or limited torque make it longer.

        Args:
            progress: show a bar.
        """
        if self.status in NEVER_POSED or (self.status is Status.INCONSISTENT and len(self._problem["bilateral"])):
            raise InputError(
                f"ambiguity: expected an answer whose problem could be posed, got one that is {self.status}"
            )
        rows = [f"{row.kind} of {row.joint}" for row in self.joint_rows]
        k = len(self.contacts)
        step = Step(
            problem=self._problem,
            law=self.law.name,
            dt=self.dt,
            velocity=self.velocity,
            names=(*self.contacts.names, *rows),
            contacts=k,
            dofs=self.robot.dofs,
            motors=tuple(k + i for i, row in enumerate(self.joint_rows) if row.kind == "motor"),
            solved=self.status in (Status.SOLVED, Status.INDETERMINATE),
        )
        return step_solutions(step, progress)

    def table(self) -> str:
        """The contacts and torques as text for people."""
        lines = [f"{self.robot.name}, {self.law.name}, dt {1e3 * self.dt:g} ms: {self.status}"]
        if len(self.contacts):
            lines.append(f"{'contact':<28}{'gap mm':>9}{'normal N':>10}{'friction N':>12}{'slip mm/s':>11}  state")
        slipping = self.slipping
        for i, name in enumerate(self.contacts.names):
            normal, friction = self.forces[i, 0], np.linalg.norm(self.forces[i, 1:])
            slip = np.linalg.norm(self.contact_velocity[i, 1:])
            what = "slips" if slipping[i] else "holds" if normal > 0 else "open"
            gap = 1e3 * self.contacts.gaps[i]
            lines.append(f"{name:<28}{gap:>9.3f}{normal:>10.3f}{friction:>12.3f}{1e3 * slip:>11.3f}  {what}")
        if len(self.torque):
            lines.append(f"{'joint':<28}{'torque N m':>10}{'accel rad/s2':>14}")
        for joint, torque, dof in zip(self.robot.joints, self.torque, self.robot.dofs, strict=True):
            lines.append(f"{joint:<28}{torque:>10.4f}{self.acceleration[dof]:>14.4f}")
        lines += [f"{row.joint} {row.kind}: {row.force:.4g} N m" for row in self.joint_rows if row.force]
        slides = self.robot.model.jnt_type[self.robot.model.dof_jntid[self.robot.dofs]] == SLIDE
        for i in np.flatnonzero(self.adjusted):
            unit = "m/s" if slides[i] else "rad/s"
            lines.append(f"{self.robot.joints[i]}: demand changed by {self.adjusted[i]:+.4g} {unit}")
        return "\n".join(lines)

    def raise_if(self, throw: bool, remedy: str = "") -> Answer:
        """Return self, or raise SolveError, with a remedy, if there is no answer and `throw` is set."""
        if throw and not self.ok:
            named = f" (at {', '.join(self.culprits)})" if self.culprits else ""
            raise SolveError(f"{self.robot.name}, {self.law.name} law: {self.status}{named}{remedy}", self)
        return self


def answer_from(
    space: Workspace, state: State, law: Law, given: Contacts | None, code: int, residual: float, method: int
) -> Answer:
    """Copy what a workspace holds after a solve into an Answer."""
    step, scene, n = space.step, space.scene, space.count
    if given is None or n < len(given):  # what is not finite was never looked at
        contacts = space.contacts()
    else:
        rows, count = step.rows, len(given)
        contacts = replace(given, closed=rows.kind[:count] == CONE, mu=rows.mu[:count].copy())
    k = len(contacts)
    f = step.f[: 3 * n].copy() if code != codes.NOT_FINITE else np.zeros(3 * n)
    prescribed = step.prescribed.copy()
    velocity = step.v_next.copy()
    torque = np.where(prescribed, step.force, step.torque)
    missed = np.zeros(len(velocity))
    applied = torque.copy()
    for i in np.flatnonzero(step.rows.source[:n, 1] == MOTOR):
        dof = step.rows.source[i, 0]
        applied[dof] += f[3 * i + 1] / space.dt
        missed[dof] = step.rows.drive[i] - velocity[dof]
    missed[np.abs(missed) <= 1e-9 * np.abs(velocity).max(initial=1.0)] = 0.0
    J = step.rows.J[: 3 * n].copy()
    c = (J @ velocity).reshape(n, 3)
    reduced, rows = step.reduced, step.rows
    moments = np.zeros((k, 3))
    for i in np.flatnonzero(rows.kind[:n] == TURN):
        moments[rows.source[i, 0]] = f[3 * i : 3 * i + 3] / space.dt
    unactuated = np.where(prescribed, applied, 0.0)
    unactuated[scene.dofs] = 0.0
    nu = space.free_count
    bilateral, target = equality_rows(space)
    problem = {
        "M": reduced.M.copy(),
        "kappa": reduced.kappa - space.dt * step.torque,
        "tau": torque,
        "J": J,
        "f": f,
        "drive": np.ravel(np.column_stack([np.zeros(n), rows.drive[:n], np.zeros(n)])),
        "bilateral": bilateral,
        "target": target,
        "W": np.hstack([reduced.W[: 3 * n, :nu], _springs(space)]),
        "nu": nu,
        "c0": reduced.c0[: 3 * n].copy(),
        "kind": rows.kind[:n].copy(),
        "offset": step.offset[:n].copy(),
        "mu": rows.mu[:n].copy(),
        "bound": step.impulse_bound[:n].copy(),
        "edges": step.edges,
        "form": space.settings.law.form,
        "R": step.solver.R[: 3 * n].copy(),
        "aim": step.solver.target[: 3 * n].copy(),
        "turn": step.solver.turn[:n].copy(),
        "dissipative": space.settings.law.dissipative,
        "prescribed": prescribed,
    }
    return Answer(
        robot=scene,
        state=state,
        dt=space.dt,
        law=law,
        status=Status.from_code(code),
        torque=applied[scene.dofs],
        missed=missed[scene.dofs],
        velocity=velocity,
        contacts=contacts,
        forces=f[: 3 * k].reshape(k, 3) / space.dt,
        contact_velocity=c[:k],
        joint_rows=tuple(_joint_row(space, i, f, c) for i in range(k, n) if rows.kind[i] != TURN),
        moments=moments,
        unactuated=unactuated,
        residual=residual,
        method=METHODS[method],
        adjusted=np.zeros(len(scene.joints)),
        culprits=_culprits(space, contacts, code),
        _problem=problem,
    )


def _springs(space: Workspace) -> Array:
    """(3n, n or 0) columns of W that belong to the contacts' springs: their squares are R_n = 1 / (dt (dt k + d))."""
    law, n = space.settings.law, space.count
    if np.isinf(law.stiffness):
        return np.zeros((3 * n, 0))
    columns = np.zeros((n, 3, n))
    contacts = np.arange(space.contact_count)
    damping = np.where(space.step.rows.gap[contacts] <= 0.0, law.damping, 0.0)
    columns[contacts, 0, contacts] = (space.dt * (space.dt * law.stiffness + damping)) ** -0.5
    return columns.reshape(3 * n, n)


def _joint_row(space: Workspace, i: int, f: Array, c: Array) -> JointRow:
    index, kind = space.step.rows.source[i]
    of_dof = kind in (DRY_FRICTION, MOTOR)
    column = 1 if of_dof else 0
    if kind == TENDON:
        joint, direction = space.model.tendon(int(index)).name, 1.0
    else:
        joint = space.model.joint(int(space.model.dof_jntid[index]) if of_dof else int(index)).name
        direction = space.step.rows.J[3 * i + column].sum()
    name = {DRY_FRICTION: "dry friction", MOTOR: "motor"}.get(int(kind), "limit")
    return JointRow(joint, name, direction * f[3 * i + column] / space.dt, direction * c[i, column])


def _limited(space: Workspace, i: int) -> str:
    """The joint or tendon whose limit block i is, by name."""
    index, kind = space.step.rows.source[i].tolist()
    return space.model.tendon(index).name if kind == TENDON else space.model.joint(index).name


def _culprits(space: Workspace, contacts: Contacts, code: int) -> tuple[str, ...]:
    """Names of the contacts, limits, loops and prescribed joints that a failed solve blames."""
    if code not in (codes.INFEASIBLE, codes.INCONSISTENT):
        return ()
    loops = contradictions(space) if code == codes.INCONSISTENT else ()
    if loops:  # found before any contact was looked at
        return loops
    blamed = np.flatnonzero(space.ladder.certificate[: space.count] > 0)
    k = len(contacts)
    named = tuple(contacts.names[i] if i < k else f"limit of {_limited(space, int(i))}" for i in blamed)
    # Where slip is not part of the contradiction the normals alone have proven it.
    friction = code == codes.INCONSISTENT or space.settings.law.dissipative
    return named + joints_to_blame(space, blamed.tolist(), friction=friction)
