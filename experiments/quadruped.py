"""The quadruped of [Zapolsky2015, sections 7 and 8] between its waypoints: seven controllers, five grounds."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.control import (
    ActuatorLimits,
    FeedForward,
    Follow,
    GaitPlanner,
    InverseKinematics,
    JointPID,
    Pipeline,
    SensedForce,
    Stage,
    Waypoints,
)
from surefoot.gait import Gait, Legs, Planner
from surefoot.report.walking import Walking, walking

Array = NDArray[np.float64]

DT = 1e-3  # s, of control and simulation
SECONDS, QUICK = 30.0, 2.0  # s of a walk
WAYPOINTS = ((0.0, 0.0), (0.25, 0.0), (0.0, 0.25), (0.0, -0.25), (-0.25, 0.0))  # m, figure 17
SPEED = 0.2  # m/s
GAIT = Gait.named("trot", period=0.3, duty=0.75, step_height=0.015)  # section 7.6
KP, KD = 2e3, 90.0  # 1/s^2, 1/s: feedback as acceleration, critically damped, the same to all inverse dynamics
TORQUE_KP, TORQUE_KD = 20.0, 0.1  # N m/rad, N m s/rad: feedback as torque, Pacer's gains of 2015, to all controllers
MOST = 2.0  # N m that a motor gives, which bounds what late forces add up to; the paper's were not limited
SINK = 1e-3  # m that the compliant ground yields under the robot at rest
YIELDS = 10e-3  # s in which a controller expects yielding ground to stop a foot, instead of one step
HELD = sf.NoSlip(release=False)  # Moby's law where friction is infinite: closed contacts do not slip


@dataclass(frozen=True)
class Ground:
    """What the robot walks on.

    Attributes:
        terrain: shape and friction, which controllers know.
        law: how contacts behave, which they do not know.
        horizon: s in which a controller expects its accelerations to be reached.
    """

    terrain: Any
    law: sf.Law
    horizon: float = DT


def grounds(robot: Any, seed: int = 0) -> dict[str, Ground]:
    """The paper's four planes, and its rough ground, of which each `seed` draws another."""
    stiffness = robot.mass * 9.81 / len(robot.feet) / SINK  # N/m
    damping = 2.0 * np.sqrt(stiffness * robot.mass / len(robot.feet))  # N s/m, critical for a quarter of the robot
    soft = sf.Compliant(stiffness, damping)
    return {
        "rigid, mu 0.1": Ground(sf.Plane(mu=0.1), sf.Coulomb()),
        "rigid, mu inf": Ground(sf.Plane(mu=np.inf), HELD),
        "compliant, mu 0.1": Ground(sf.Plane(mu=0.1), soft, YIELDS),
        "compliant, mu inf": Ground(sf.Plane(mu=np.inf), soft, YIELDS),
        "rough": Ground(sf.HeightMap(seed, mu=(0.1, 1.5)), sf.Coulomb()),
    }


PLANES = ("rigid, mu 0.1", "rigid, mu inf", "compliant, mu 0.1", "compliant, mu inf")
LAWS: dict[str, Callable[[], sf.Law]] = {
    "ID(t) QP, mu": lambda: sf.Dissipative(),
    "ID(t) QP, inf": lambda: sf.Dissipative(mu=np.inf),
    "ID(t) LCP, mu": lambda: sf.Coulomb(),
    "ID(t) LCP, inf": lambda: HELD,
    "ID(t) energy QP, mu": lambda: sf.Dissipative(form="energy"),
}
SMOOTH: dict[str, Callable[[], sf.Law]] = {
    "ID(t) LCP, mu, stage II": lambda: sf.Coulomb(smooth=True),
}
OWN = "ID(t), the ground's own law"
DELAYS = {"ID(t-1)": 1, "ID(t-2)": 2}
PAPER = ("ID(t) QP, mu", "ID(t) QP, inf", "ID(t) LCP, mu", "ID(t) LCP, inf", "PID", "ID(t-1)", "ID(t-2)")
CONTROLLERS = (*PAPER, "ID(t) energy QP, mu")


class Sensed(Stage):
    """Control: inverse dynamics with the contact forces that sensors showed one or two steps before.

    They are what the last step's change of momentum leaves to contact: J'f = M (v - v-) / dt + h - tau, exact for a
    robot without damping in its joints; tau is all that the motors gave, which `Applied` tells.

    Attributes:
        applied: (joints,) N m, tau in the last step.
    """

    def __init__(self, scene: Any, delay: int) -> None:
        super().__init__("sensed", "control", reads=("q", "v", "acceleration"), adds=("torque",))
        self._scene, self._controller = scene, SensedForce(scene, DT, delay)
        self._model, self._data = scene.model, mujoco.MjData(scene.model)
        self._inertia = np.zeros((scene.nv, scene.nv))
        self._last: tuple[Array, Array] | None = None
        self.applied = np.zeros(len(scene.joints))

    def reset(self) -> None:
        """A run begins."""
        self._controller.reset()
        self._last = None

    def run(self, board: Any, t: float) -> None:
        """Add the torques."""
        state = sf.State(board["q"], board["v"], t)
        if self._last is None:  # it stands, and its sensors say so
            force = sf.inverse_dynamics(self._scene, state, np.zeros(len(self._scene.joints)), dt=DT).contact_force
        else:
            force = self.felt(*self._last, state.v)
        board["torque"] = self._controller(state, board["acceleration"], force)
        self._last = board["q"].copy(), board["v"].copy()

    def felt(self, q: Array, v: Array, after: Array) -> Array:
        """(nv,) generalised contact force of a step from (q, v) to the velocity `after`."""
        model, data = self._model, self._data
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_fullM(model, data, self._inertia)
        force = self._inertia @ (after - v) / DT + data.qfrc_bias - data.qfrc_passive
        force[self._scene.dofs] -= self.applied
        return force


class Applied(Stage):
    """Control, after all others: tells a `Sensed` stage what the motors give."""

    def __init__(self, sensed: Sensed) -> None:
        super().__init__("applied", "control", reads=("torque",))
        self._sensed = sensed

    def run(self, board: Any, t: float) -> None:
        """Keep the torques."""
        self._sensed.applied[:] = board["torque"]


def controller(
    name: str,
    robot: Any,
    scene: Any,
    ground: Ground,
    *,
    gait: Gait = GAIT,
    most: float = MOST,
    steering: str = "car",
    torque_feedback: bool = True,
) -> Pipeline:
    """One of `CONTROLLERS`, `SMOOTH` or `OWN`. All but PID follow the same accelerations.

    Args:
        name: of the controller.
        robot: the robot.
        scene: the robot on its ground.
        ground: how that behaves; controllers know of it what `Ground` says.
        gait: how it steps.
        most: N m that each motor gives.
        steering: of `Waypoints`.
        torque_feedback: whether the same feedback as torque is added in all of them.
    """
    legs = Legs(robot)
    stages: list[Stage] = [
        Waypoints(robot, WAYPOINTS, SPEED, steering=steering, cycle=True),
        GaitPlanner(Planner(legs, gait, DT)),
        InverseKinematics(legs, DT),
    ]
    last: list[Stage] = [ActuatorLimits(robot, most)]
    if name != "PID":
        stages += [FeedForward(robot), JointPID(robot, KP, KD, output="acceleration")]
    if name == OWN:
        stages.append(Follow(scene, DT, ground.law, torque_limits=most))
    elif name in LAWS or name in SMOOTH:
        stages.append(Follow(scene, ground.horizon, {**LAWS, **SMOOTH}[name](), torque_limits=most))
    elif name in DELAYS:
        sensed = Sensed(scene, DELAYS[name])
        stages.append(sensed)
        last.append(Applied(sensed))
    if torque_feedback:
        stages.append(JointPID(robot, TORQUE_KP, TORQUE_KD, name="torque_feedback"))
    return Pipeline(robot, DT, [*stages, *last])


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk and its numbers."""

    ground: str
    controller: str
    trace: Any
    pipeline: Pipeline
    numbers: Walking

    @property
    def fell(self) -> bool:
        """Whether it lay on the ground before the end, or was thrown out of all bounds."""
        return self.numbers.fell is not None or not self.trace.ok

    @property
    def steps(self) -> int:
        """How many steps it stood: to the fall or the end."""
        return round(self.numbers.seconds / DT)

    def joint_error(self) -> Array:
        """(steps,) rad: mean of |q* - q| over the joints in every step."""
        goal = self.pipeline.replay(self.trace, "joint_position")["joint_position"]
        return np.abs(goal - self.trace.q[:-1, self.trace.scene.joint_positions]).mean(axis=1)[: self.steps]

    def centre(self) -> Array:
        """(steps + 1, 2) m: where the centre of mass is in the horizontal plane."""
        scene = self.trace.scene
        data, root = mujoco.MjData(scene.model), scene.model.body(scene.base).id
        path = np.empty((self.steps + 1, 2))
        for place, q in zip(path, self.trace.q, strict=False):
            data.qpos[:] = q
            mujoco.mj_kinematics(scene.model, data)
            mujoco.mj_comPos(scene.model, data)
            place[:] = data.subtree_com[root, :2]
        return path


def walk(ground: str, name: str, seconds: float, *, seed: int = 0, **options: Any) -> Walk:
    """Let the robot go from waypoint to waypoint; `seed` is of the rough ground, `options` are of `controller`."""
    robot = sf.load("links")
    under = grounds(robot, seed)[ground]
    scene = sf.scene(robot, terrain=under.terrain)
    pipeline = controller(name, robot, scene, under, **options)
    trace = sf.Simulator(scene, DT, under.law).rollout(scene.home(), pipeline.policy(), duration=seconds)
    return Walk(ground, name, trace, pipeline, walking(trace, pipeline))


def walks(
    cells: Sequence[tuple[str, str]], seconds: float, progress: Callable[[int, int], None] | None = None, **options: Any
) -> list[Walk]:
    """One walk for each (ground, controller), on all cores; none depends on another."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = [pool.submit(walk, *cell, seconds, **options) for cell in cells]
        for done, _ in enumerate(as_completed(running), start=1):
            if progress is not None:
                progress(done, len(cells))
        return [each.result() for each in running]
