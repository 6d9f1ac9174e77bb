"""Walking and grasping tasks like those of [Zapolsky2015], table 6: is the task done, and do torques chatter?"""

import math
from collections.abc import Callable

import numpy as np
from trot_cycle import DT, SPEED, joint_motion

import surefoot as sf
from surefoot.laws import Law

LIMIT = 4.0  # N m, of every joint of the quadruped
HIGH, LOW = 0.9, 0.1
TASKS = {
    "two-footed gait, high friction": ("trot", HIGH),
    "two-footed gait, low friction": ("trot", LOW),
    "four-footed gait, high friction": ("crawl", HIGH),
    "four-footed gait, low friction": ("crawl", LOW),
    "grasp, high friction": ("grasp", HIGH),
    "grasp, low friction": ("grasp", LOW),
}


def run_task(task: str, mu: float, law: Law) -> str:
    """One cell: what happened, tracking error, median change of the torques from step to step."""
    return grasp(mu, law) if task == "grasp" else walk(task, mu, law)


def follower(
    robot: sf.Scene, law: Law, limit: float | None, motion: Callable[[float], tuple[np.ndarray, ...]]
) -> Callable[[sf.State], np.ndarray]:
    """Inverse dynamics of a motion (angles, velocities, accelerations), with feedback."""
    controller = sf.InverseDynamics(robot, DT, law, torque_limits=limit)

    def policy(state: sf.State) -> np.ndarray:
        q, v, a = motion(state.t)
        return controller(state, a + 400.0 * (q - state.q[robot.joint_positions]) + 40.0 * (v - state.v[robot.dofs]))

    return policy


def walk(gait: str, mu: float, law: Law) -> str:
    """1.2 s of a gait at 0.1 m/s on ground with Coulomb friction."""
    robot = sf.scene(sf.load("links"), terrain=sf.Plane(mu=mu))
    q, v, a = joint_motion(robot, gait)

    def motion(t: float) -> tuple[np.ndarray, ...]:
        k = round(t / DT) % len(q)
        return q[k], v[k], a[k]

    start, speed = robot.home().q.copy(), np.zeros(robot.nv)
    start[robot.joint_positions], speed[0], speed[robot.dofs] = q[0], SPEED, v[0]
    policy = follower(robot, law, LIMIT, motion)
    trace = sf.Simulator(robot, dt=DT).rollout(robot.state(start, speed), policy, duration=1.2)
    upright = (1.0 - 2.0 * (trace.q[:, 4] ** 2 + trace.q[:, 5] ** 2)).min()
    if not trace.ok or upright < math.cos(math.radians(45)):
        return "falls"
    wanted = np.array([motion(t)[0] for t in trace.t])
    error = np.sqrt(((trace.q[:, robot.joint_positions] - wanted) ** 2).mean())
    return f"walks {100 * trace.q[-1, 0]:.0f} cm, {1e3 * error:.0f} mrad, {jump(trace):.2f} N m"


def grasp(mu: float, law: Law) -> str:
    """0.3 s of holding a box of 0.1 kg in four fingers, every joint prescribed."""
    lever = 0.05 * math.cos(math.pi / 4)  # m from a finger's joint to its tip, across the push
    side = 2 * (lever - 0.01)
    box = sf.Box(size=(side,) * 3, mass=0.1, position=(0.25 + lever, 0.0, 0.2), mu=mu)
    scene = sf.scene(sf.load("arm"), objects=[box])
    home, rest = scene.home().q[scene.joint_positions], np.zeros(len(scene.joints))
    policy = follower(scene, law, None, lambda t: (home, rest, rest))
    trace = sf.Simulator(scene, dt=DT).rollout(scene.home(), policy, duration=0.3)
    fall = trace.q[0, -5] - trace.q[-1, -5]
    return f"holds, {jump(trace):.2f} N m" if trace.ok and fall < 1e-3 else "drops"


def jump(trace: sf.Trace) -> float:
    """Median over the steps of the largest change of a torque, N m."""
    return float(np.median(np.abs(np.diff(trace.torque, axis=0)).max(axis=1)))
