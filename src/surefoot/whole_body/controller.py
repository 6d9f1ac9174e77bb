"""A whole-body controller: tasks in, torques out, with contacts, limits and priorities kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.contact.contacts import Contacts
from surefoot.control.arguments import foot_numbers
from surefoot.dynamics import ContactChoice
from surefoot.errors import InputError, SolveError
from surefoot.kernels import dynamics_space, program_limits, task_program, task_rows
from surefoot.kernels import status as codes
from surefoot.kernels import whole_body as kernel
from surefoot.kernels.box import Box
from surefoot.kernels.plant import CLOSED
from surefoot.laws import Coulomb
from surefoot.motion.handle import Handle
from surefoot.motion.limits import torque_range
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status
from surefoot.whole_body import reading
from surefoot.whole_body.arguments import (
    distances_apart,
    edge_count,
    force_weights,
    goal_views,
    joint_ranges_of,
    largest_force,
    named_tasks,
    speed_limits_of,
    standing,
    task_table,
)
from surefoot.whole_body.program import Program, build
from surefoot.whole_body.reading import Foresight, Violation
from surefoot.whole_body.tasks import Task

Array = NDArray[np.float64]
CHECKS = ("trust", "tell", "correct")


class WholeBody:
    """Whole-body control by a quadratic program over accelerations, torques and contact forces [Ratliff2014].

    Closed contacts are held: their velocity goes to zero within `settle`.
    Forces stay within friction pyramids and push only; torques, speeds, joint ranges and distances between links keep
    their limits. Where limits contradict each other each gives way by as little as can be, the status is RELAXED
    and `violations()` names them.

    Example:
        controller = sf.whole_body.WholeBody(robot, dt=1e-3, tasks=[sf.whole_body.CentreOfMass(kp=50.0), ...])
        torque = controller(state)

    Attributes:
        robot: the robot that the controller believes in.
        dt: step in s.
        tasks: by name.
        goals: by name of the task, the references that it follows, as arrays to write to.
        status: how the last call ended.
    """

    def __init__(
        self,
        robot: Scene,
        dt: float,
        tasks: Sequence[Task] | None = None,
        *,
        mu: float | None = None,
        edges: int = 4,
        torque_limits: Any = None,
        speed_limits: Any = None,
        joint_ranges: bool = True,
        least_force: float = 0.0,
        most_force: float = np.inf,
        apart: Any = None,
        brake: float = 0.05,
        force_weight: Any = (1e-3, 1e-2),
        settle: float = 0.05,
        check: str = "tell",
    ) -> None:
        """Prepare.

        Args:
            robot: robot or scene that the controller believes in.
            dt: step in s, of the law that judges and of limits of speed.
            tasks: what to do; None: hold centre of mass, base orientation and posture (see `standing`).
            mu: friction that the program counts on; None: the scene's, with which the law judges in any case.
            edges: of the friction pyramids, at least 3.
            torque_limits: see `sf.solve`.
            speed_limits: largest joint speeds in rad/s: None, a number or an array (joints,).
            joint_ranges: whether joints are stopped before the ends of their ranges.
            least_force: N, of every contact point that is held.
            most_force: N.
            apart: least distances in m by pairs of geom names: `{("a", "b"): 0.02}`.
            brake: s in which a joint comes to its stop, and links to their least distance.
            force_weight: weights of normal forces (against an even share of the weight) and of tangential ones, in
                units of the weight.
            settle: s in which the velocity of a contact that is held goes to zero, at least dt. As short as dt it is
                exact on rigid ground; on ground that gives way, or in a push, it chatters.
            check: "tell": each call also asks Coulomb's law what the feet will really do (see `foresight`);
                "correct": if a contact will slip or lift, the program is solved again with the law's friction, and if
                that does not help with contacts that slip or lift as foreseen; "trust": neither.
        """
        if not isinstance(robot, Scene):
            raise InputError(f"robot: expected a robot or scene (see sf.load), got {type(robot).__name__}")
        if robot.model.neq:
            raise InputError(f"robot: expected no loops or coupled joints, but {robot.name} has {robot.model.neq}")
        self.robot = robot
        self._options = {
            "mu": mu, "edges": edges, "torque_limits": torque_limits, "speed_limits": speed_limits,
            "joint_ranges": joint_ranges, "least_force": least_force, "most_force": most_force, "apart": apart,
            "brake": brake, "force_weight": force_weight, "settle": settle, "check": check,
        }  # fmt: skip
        self.mu = None if mu is None else checks.friction("mu", mu)
        self.edges = edge_count(edges)
        law = Coulomb(edges=self.edges if self.edges in (4, 8, 16) else 16)
        self._space = Workspace(robot, dt, law=law.numbers(), remembers=True, capacity=32)
        self.dt = self._space.dt
        self.law = law
        self.settle = checks.number("settle", settle, at_least=self.dt)
        self.check = checks.choice("check", check, CHECKS)
        self.tasks = named_tasks(standing() if tasks is None else tasks)
        self._weight = robot.mass * max(float(np.linalg.norm(robot.model.opt.gravity)), 1e-3)
        self._calm = force_weights(force_weight)
        self._limits: dict[str, Any] = dict(
            low_high=torque_range(robot, torque_limits),
            speed=speed_limits_of(robot, speed_limits),
            ranges=joint_ranges_of(robot, joint_ranges),
            least=checks.number("least_force", least_force, at_least=0.0),
            most=largest_force(most_force, least_force),
            brake=checks.number("brake", brake, at_least=self.dt),
            apart=distances_apart(robot, apart),
        )
        entries = [(task, entry) for task in self.tasks.values() for entry in task.entries(robot)]
        levels = sorted({task.level for task in self.tasks.values()})
        self._made = task_table(entries, levels)
        self._levels = len(levels)
        self.goals = goal_views(self.tasks, robot, self._made)
        self._contacts = 4 * max(len(robot.feet), 1) + 8
        self._code = codes.SOLVED
        self._blocks = 0
        self._handle: Handle | None = None
        self._foot_of = foot_numbers(robot)
        self._stances: dict[tuple[str, ...], tuple[NDArray[np.bool_], set[float]]] = {}
        self._arrays()
        self.hold(robot.home())

    def _arrays(self) -> None:
        """Arrays of the kernels; again when there are more contacts than ever."""
        robot, space = self.robot, self._space
        model, data, joints = space.model, space.data, len(self.robot.joints)
        nv, c = model.nv, self._contacts
        limits = self._limits
        pairs, apart = limits["apart"]
        nb = nv + 3 * c
        rows = c * (self.edges + 2) + 4 * joints + len(pairs)
        angles = 2 * np.pi * (np.arange(self.edges) + 0.5) / self.edges
        low, high = limits["low_high"]
        strong = np.abs(np.concatenate([low, high]))
        base = -1 if robot.base is None else int(model.body(robot.base).id)
        self._c = kernel.Controller(
            step=space.box,
            space=dynamics_space.make_space(c, nv, joints),
            bodies=task_rows.Bodies(
                cdof_dot=data.cdof_dot, xpos=data.xpos, xquat=data.xquat, xmat=data.xmat, base=base,
                first=-1 if base < 0 else int(model.body_dofadr[base]),
                mass=float(model.body_subtreemass[base]) if base >= 0 else 1.0,
                gravity=model.opt.gravity.copy(), momentum=np.zeros((6, nv)), J=np.zeros((6, nv)),
            ),
            tasks=self._made,
            limits=program_limits.Limits(
                normals=np.stack([np.cos(angles), np.sin(angles)], axis=1),
                mu=np.array([np.nan, 1.0]), inside=float(np.cos(np.pi / self.edges)),
                least=limits["least"], most=limits["most"], low=low, high=high,
                friction=np.zeros(joints), speed=limits["speed"],
                stop_low=limits["ranges"][:, 0].copy(), stop_high=limits["ranges"][:, 1].copy(),
                address=robot.joint_positions, brake=limits["brake"], pairs=pairs, apart=apart, ends=np.zeros(6),
                J=np.zeros((1, nv)), load=self._weight, push=float(strong[np.isfinite(strong)].max(initial=0.0)) or 1.0,
                jerk=100.0, G=np.zeros((rows, nb)), g=np.zeros(rows), scale=np.ones(rows),
                what=np.zeros(rows, dtype=np.int64), which=np.zeros(rows, dtype=np.int64),
                distance=np.full(len(pairs), np.inf),
            ),
            program=task_program.make_quadratic(len(self._made.weight) + 3 * c, rows, nb, self._levels),
            levels=self._levels,
            settle=self.settle,
            unit=self._weight,
            weighs_torques=bool((self._made.kind == task_rows.TORQUE).any()),
            full=np.zeros(1, dtype=bool),
            calm=self._calm,
            share=self._weight,
            idle=np.array([i for i in range(nv) if i not in set(robot.dofs.tolist())], dtype=np.int64),
            mode=np.zeros(space.capacity, dtype=np.int64),
            chosen=np.zeros(space.capacity, dtype=np.int64),
            best_mode=np.zeros(space.capacity, dtype=np.int64),
            best_rub=np.zeros((space.capacity, 2)),
            best_mu=np.zeros(2),
            rub=np.zeros((space.capacity, 2)),
            rubs=np.zeros((space.capacity, 2)),
            counts_on=np.nan if self.mu is None else float(self.mu),
            given=np.zeros(1, dtype=np.int64),
            sizes=np.zeros(4, dtype=np.int64),
            acceleration=np.zeros(nv),
            force=np.zeros(3 * space.capacity),
            torque=np.zeros(joints),
            check=np.array([CHECKS.index(self.check)]),
            seen=np.zeros(3 * space.capacity),
            planned=np.zeros(3),
            foreseen=np.zeros(space.capacity, dtype=np.int64),
            law=np.zeros(3, dtype=np.int64),
            missed=np.zeros(1),
        )  # fmt: skip
        self.box = Box(self._c)
        if self._handle is not None:
            self._handle.point_to(kernel.state_controller(self.box), self.box)

    @property
    def handle(self) -> float:
        """What a compiled policy passes to `control_from` to call this controller, as long as the controller lives."""
        if self._handle is None:
            self._space.complete()
            self._space.make_room(self.robot.home())
            self._handle = Handle(self)
            self._arrays()
        return self._handle.number

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made anew, with arrays of their own and the goals as they are."""
        return _again, (self.robot, self.dt, list(self.tasks.values()), self._options, self._made.numbers.copy())

    def hold(self, state: State) -> None:
        """Let every task keep what it finds at a state."""
        self._space.load(state)
        model, data = self._space.model, self._space.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for name, task in self.tasks.items():
            self.goals[name][:] = task.start(self.robot, model, data)

    def __call__(self, state: State, *, contacts: ContactChoice = None, throw: bool = False) -> Array:
        """Torques (joints,) in N m. The array belongs to the controller and is overwritten by the next call.

        Without an answer (`status.is_answer` is false) it is zero, never an old one.

        Args:
            state: where the robot is.
            contacts: None: what is near the ground; or names of the feet that shall stand, or Contacts.
            throw: raise SolveError without an answer.
        """
        space = self._space
        space.load(state)
        planned = None
        if type(contacts) in (list, tuple):
            planned, given = self._planned(tuple(contacts)), -1  # pyright: ignore
        else:
            given = space.choose(contacts)
        complete = False
        while True:
            code, blocks = kernel.control_box(self.box, given)
            if code == codes.CAPACITY:
                self._grow()
            elif self._c.law[0] == codes.CAPACITY and not complete:  # the law needs more than it ever did
                space.complete()
                self._arrays()
                complete = True
            else:
                break
        self._code, self._blocks = code, blocks
        space.count = blocks
        if planned is not None and code != codes.NOT_FINITE:
            found = set(self._foot_of[space.step.rows.source[: self._c.sizes[0], 0]].tolist())
            if not planned <= found:
                space.found(code, contacts, blocks, 0, 0)  # says which is too far
        if code not in (codes.SOLVED, codes.RELAXED):
            self._forget()
            if throw:
                raise SolveError(reading.table(self))
        return self._c.torque

    def _forget(self) -> None:
        """Nothing of an earlier call is left; goals that are not finite are told from what has no answer."""
        for array in (self._c.torque, self._c.acceleration, self._c.force):
            array[:] = 0.0
        if reading.endless_goals(self):
            self._code = codes.NOT_FINITE

    def _planned(self, names: tuple[str, ...]) -> set[float]:
        """Let these feet stand; returns their numbers."""
        known = self._stances.get(names)
        if known is None:
            self._space.choose(names)
            mask = self._space.step.stance.copy()
            known = self._stances[names] = mask, set(self._foot_of[mask].tolist())
        step = self._space.step
        step.planned[0] = CLOSED
        step.stance[:] = known[0]
        return known[1]

    def build(self, state: State, *, contacts: ContactChoice = None, cone: str = "pyramid") -> Program:
        """The program of a state, to print and to solve by other means; see `sf.whole_body.build`."""
        return build(self, state, contacts=contacts, cone=cone)

    def _grow(self) -> None:
        if self._blocks > self._space.capacity // 2 or self._space.capacity < 3 * self._contacts:
            self._space.grow()
        self._contacts *= 2
        self._arrays()

    @property
    def status(self) -> Status:
        """How the last call ended; RELAXED: limits gave way."""
        return Status.from_code(self._code)

    @property
    def acceleration(self) -> Array:
        """(nv,) of the last call."""
        return self._c.acceleration

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last call."""
        return self._space.contacts()

    @property
    def forces(self) -> Array:
        """(contacts, 3) N, in the contacts' frames, of the last call."""
        n = int(self._c.sizes[0])
        return self._c.force[: 3 * n].reshape(n, 3).copy()

    @property
    def disagreements(self) -> int:
        """How many contacts the law sees slip or lift that the program of the last call holds; 0 if nobody asked it."""
        return int(self._c.law[1])

    def violations(self) -> tuple[Violation, ...]:
        """Limits that gave way in the last call, each with its name, how much and the unit; the worst first."""
        return reading.violations(self)

    def foresight(self) -> tuple[Foresight, ...]:
        """What every contact of the last call will really do; empty if the law was not asked or has no answer."""
        return reading.foresight(self)

    def table(self) -> str:
        """The last call as text for people."""
        return reading.table(self)


def _again(robot: Scene, dt: float, tasks: list[Task], options: dict[str, Any], goals: Array) -> WholeBody:
    made = WholeBody(robot, dt, tasks, **options)
    made._made.numbers[:] = goals
    return made
