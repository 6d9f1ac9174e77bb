"""Does a robot really trot? Its gait in simulation, under springs and dampers at the joints and its motors' limits.

What a rehearsal shows it shows one sample at a time, with the torques of inverse dynamics. Here nothing helps: the
joints follow the planned motion by error feedback alone, as the robots of [Zapolsky2017, figure 35] do, errors add up,
and whoever asks too much of the motors falls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control import Pipeline
from surefoot.control.arguments import gains
from surefoot.control.stages import ActuatorLimits, Command, GaitPlanner, InverseKinematics, JointPID
from surefoot.design.beginning import beginning
from surefoot.design.course import GaitTask, sole_depths
from surefoot.design.improvement import Improvement
from surefoot.errors import InputError
from surefoot.gait import Gait, Legs, Planner
from surefoot.laws import Law
from surefoot.robots.roles import lowest_point
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate import Simulator
from surefoot.simulate.fall import first_fall, foot_places
from surefoot.simulate.trace import Trace

Array = NDArray[np.float64]
GIVE = 0.05  # rad at which a joint's spring asks for all of its motor's torque
LAG = 0.02  # s: damping over stiffness
DAMPED = 1.0  # largest share of a joint's speed that dampers take away in one step; from 2 on they drive it
ENOUGH = 0.8  # share of the commanded speed


@dataclass(frozen=True, eq=False)
class Proof:
    """How a robot did.

    Attributes:
        name: of the robot.
        speed: m/s that were commanded.
        duration: s that were asked for.
        fell: s after which it fell; None: it did not.
        distance: m forward until it fell, or till the end.
        reached: m/s on average over the second half of that time.
        strayed: rad (m) by which a joint was off its goal at most in that time.
        refusal: why nothing was simulated; empty if it was.
        trace: the roll-out, its steps shorter than those of the plan; None after a refusal.
    """

    name: str
    speed: float
    duration: float
    fell: float | None = None
    distance: float = 0.0
    reached: float = 0.0
    strayed: float = 0.0
    refusal: str = ""
    trace: Trace | None = None

    @property
    def share(self) -> float:
        """Of the commanded speed that was reached."""
        return self.reached / self.speed

    @property
    def trots(self) -> bool:
        """Whether it neither fell nor stopped early, and reached at least 80 % of its speed."""
        return self.trace is not None and self.trace.ok and self.fell is None and self.share >= ENOUGH

    def __str__(self) -> str:
        if self.trace is None:
            return f"{self.name}: cannot stand: {self.refusal}"
        if self.fell is not None:
            return f"{self.name}: falls after {self.fell:.2f} s at {self.speed:g} m/s"
        if not self.trace.ok:
            return f"{self.name}: {self.trace.message}"
        verdict = "trots" if self.trots else "does not keep up"
        return (
            f"{self.name}: {verdict} at {self.speed:g} m/s: {self.reached:.2f} m/s ({self.share:.0%}), "
            f"{self.distance:.2f} m in {self.duration:g} s, joints off by up to {self.strayed:.3f} rad"
        )


def prove(
    scene: Scene,
    gait: Gait | str,
    speed: float,
    places: Any = None,
    torque: Any = None,
    motor_speed: Any = None,
    *,
    duration: float = 4.0,
    dt: float = 1e-3,
    law: Law | str | None = None,
    kp: Any = None,
    kd: Any = None,
    ramp: float = 1.0,
    name: str | None = None,
) -> Proof:
    """Let a robot trot straight on in simulation.

    The gait is planned every `dt`. The joints' springs and dampers, torque = kp (q* - q) + kd (v* - v), and the motors'
    limits, |torque| <= torque_max (1 - |v| / v_max), act at the simulator's step, which is the longest of dt, dt/2,
    dt/3, ... at which the dampers cannot drive what they should brake: kd times the joints' mobility times the step is
    at most 1. Light legs want short steps.

    Args:
        scene: robot on its ground.
        gait: a Gait or the name of one.
        speed: m/s forward.
        places: (feet, 3) m, where the centres of the feet stand, in the base's frame; None: as in `scene.home()`.
        torque: (joints,) N m of the motors at standstill; None: as in the robot's file.
        motor_speed: (joints,) rad/s of the motors without load, infinite for no limit; None: no limits.
        duration: s.
        dt: s between plans.
        law: contact law, `sf.Coulomb()` by default.
        kp: one gain for all joints in N m/rad, an array (joints,), or a dict by joint name; None: all of the motor's
            torque at an error of 0.05 rad.
        kd: the same for velocities, in N m s/rad; None: 0.02 s times kp.
        ramp: s in which the command grows from zero.
        name: of the robot in what is told; None: the scene's.

    Returns:
        The proof. A robot whose feet cannot reach their places is not an error.
    """
    legs = Legs(scene)
    joints = len(scene.joints)
    told = scene.name if name is None else name
    speed, duration = checks.number("speed", speed, above=0.0), checks.number("duration", duration, above=0.0)
    goals = legs.home if places is None else checks.array("places", places, (len(legs.feet), 3))
    own = np.abs(scene.torque_limits).min(axis=1)
    most = own if torque is None else _limits("torque", scene, torque)
    fastest = np.full(joints, np.inf) if motor_speed is None else _limits("motor_speed", scene, motor_speed)
    stiff, damped = _gains(scene, most, kp, kd)
    try:
        state = _standing(scene, legs.angles(goals))
    except InputError as refusal:
        return Proof(told, speed, duration, refusal=str(refusal))
    planner = Planner(legs, gait, dt, places=goals)
    every = max(1, math.ceil(dt * _fastest_damping(scene, state.q, damped) / DAMPED))
    stages = [
        Command(speed, ramp=ramp, every=every),
        GaitPlanner(planner, every=every),
        InverseKinematics(legs, dt, every=every),
        JointPID(scene, stiff, damped),
        ActuatorLimits(scene, most, {j: float(v) for j, v in zip(scene.joints, fastest, strict=True) if v < np.inf}),
    ]
    pipeline = Pipeline(scene, dt / every, stages)
    trace = Simulator(scene, dt / every, law).rollout(state, pipeline.policy(), duration)
    return _judged(Proof(told, speed, duration, trace=trace), planner, every, ramp)


def prove_both(found: Improvement, **options: Any) -> tuple[Proof, Proof] | None:
    """The robot at the start and at the end of an improvement, at the highest speed at which all limits hold.

    Args:
        found: an improvement; one that reached no speed is tried at the highest that was asked for.
        options: see `prove`.

    Returns:
        The two proofs; None for tasks other than a gait straight on.
    """
    task = found.problem.task
    if not isinstance(task, GaitTask) or task.left != 0.0 or task.turn != 0.0:
        return None
    speed = found.difficulty if math.isfinite(found.difficulty) else found.wanted
    proofs = []
    for when, problem, p in (("before", beginning(found), found.start), ("after", found.problem, found.p)):
        morphology = problem.morphology
        scene = morphology.scene(p)
        places = task.soles(scene) + np.outer(sole_depths(scene), [0.0, 0.0, 1.0])
        motors = morphology.torque, morphology.speed
        proofs.append(prove(scene, task.gait, speed, places, *motors, name=f"{scene.name} {when}", **options))
    return proofs[0], proofs[1]


def _limits(name: str, scene: Scene, given: Any) -> Array:
    """(joints,) of motors, infinite for no limit."""
    limits = checks.array(name, given, (len(scene.joints),), finite=False)
    for joint, limit in zip(scene.joints, limits, strict=True):
        if limit != np.inf:
            checks.number(f"{name} of {joint}", float(limit), above=0.0)
    return limits


def _gains(scene: Scene, torque: Array, kp: Any, kd: Any) -> tuple[Array, Array]:
    """(joints,) stiffness in N m/rad and damping in N m s/rad, from the motors where they are not given."""
    if kp is None:
        for joint, limit in zip(scene.joints, torque, strict=True):
            if not np.isfinite(limit):
                raise InputError(f"kp: {joint} has no torque limit that a gain could follow from; give kp, or torque")
    stiff = torque / GIVE if kp is None else gains(scene, "kp", kp)
    return stiff, LAG * stiff if kd is None else gains(scene, "kd", kd)


def _standing(scene: Scene, angles: Array) -> State:
    """At rest with the base level, on the ground that the feet touch at home."""
    model, q = scene.model, scene.home().q.copy()
    data = mujoco.MjData(model)
    soles = [int(geom) for mine in scene.foot_geoms(tuple(foot.name for foot in scene.feet)) for geom in mine]
    heights = []
    start = int(model.jnt_qposadr[model.body(scene.base).jntadr[0]])
    for _ in range(2):  # at home, then in the new pose
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        heights.append(min(lowest_point(model, data, geom) for geom in soles))
        q[scene.joint_positions] = angles
        q[start + 3 : start + 7] = [1.0, 0.0, 0.0, 0.0]
    q[start + 2] += heights[0] - heights[1]
    return State(q, np.zeros(scene.nv))


def _fastest_damping(scene: Scene, q: Array, kd: Array) -> float:
    """Largest eigenvalue of kd times the mobility of the joints of a robot in the air, in 1/s."""
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_forward(scene.model, data)
    inertia = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene.model, data, inertia)
    mobility = np.linalg.inv(inertia)[np.ix_(scene.dofs, scene.dofs)]
    root = np.sqrt(kd)
    return float(np.linalg.eigvalsh(root[:, None] * mobility * root).max())


def _judged(proof: Proof, planner: Planner, every: int, ramp: float) -> Proof:
    """The proof with what its trace shows at the times of the plan."""
    trace: Any = proof.trace
    seen = SimpleNamespace(scene=trace.scene, t=trace.t[::every], q=trace.q[::every])
    fall = first_fall(seen, foot_places(seen, planner.legs.feet))
    last = len(seen.t) - 1 if fall is None else fall
    x = seen.q[:, int(trace.scene.model.jnt_qposadr[trace.scene.model.body(trace.scene.base).jntadr[0]])]
    middle = last // 2
    return replace(
        proof,
        fell=None if fall is None else float(seen.t[fall]),
        distance=float(x[last] - x[0]),
        reached=float((x[last] - x[middle]) / (seen.t[last] - seen.t[middle])) if last > middle else 0.0,
        strayed=_strayed(seen.q[: last + 1, trace.scene.joint_positions], planner, proof.speed, ramp),
    )


def _strayed(q: Array, planner: Planner, speed: float, ramp: float) -> float:
    """Largest distance in rad (m) of joints (n + 1, joints) from their goals, one row a plan from its start on."""
    if len(q) < 2:
        return 0.0
    planner.reset()
    dt, count = planner.dt, len(q) - 1
    plans = []
    for k in range(count):
        share = min(k * dt / ramp, 1.0) if ramp > 0.0 else 1.0
        plans.append(planner((k + 1) * dt, (share * speed, 0.0, 0.0)))
    places, velocities = (np.array([getattr(plan, what) for plan in plans]) for what in ("position", "velocity"))
    goals, _, _ = planner.legs.track(places, velocities, start=q[0])
    return float(np.abs(goals - q[1:]).max())
