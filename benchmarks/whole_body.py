"""Surefoot's whole-body controller, with the tasks, weights and gains that its peers get."""

from __future__ import annotations

import time
from typing import Any

import mujoco
import numpy as np

from benchmarks.harness import Laps, Method, Problem, Setting, Task, Verdict
from benchmarks.stances import COM, DT, LEAST, MOST, MU, POSTURE, TURN, Stance, Sway
from surefoot.robots.state import State
from surefoot.whole_body import CentreOfMass, Orientation, Posture, WholeBody

LOOKS = 5  # states of a motion whose answers are judged


def checked() -> Method:
    """As it comes: each cycle asks Coulomb's law what the feet will do."""
    return _method("surefoot", "tell", "contacts found from the geometry, torques checked by Coulomb's law")


def trusting() -> Method:
    """Without that question."""
    return _method("surefoot-trust", "trust", "contacts found from the geometry, torques not checked")


def planned() -> Method:
    """Contacts as the caller plans them."""
    return _method("surefoot-planned", "tell", "contacts planned by naming the feet, torques checked", planned=True)


def controller(stance: Stance, torque: float | None = None, check: str = "tell", settle: float = 0.05) -> WholeBody:
    """One that holds the centre of mass, the base's orientation and the posture.

    Args:
        stance: the robot and where it stands.
        torque: N m, see `torque_limits` of `WholeBody`.
        check: see `WholeBody`.
        settle: s in which points of contact are brought to rest.
    """
    tasks = [
        CentreOfMass(name="com", **_gains(COM)),
        Orientation(name="base", **_gains(TURN)),
        Posture(name="posture", **_gains(POSTURE)),
    ]
    robot = stance.robot
    forces: dict[str, Any] = {"least_force": LEAST, "most_force": MOST * robot.mass * 9.81}
    options: dict[str, Any] = {"torque_limits": torque, "joint_ranges": False, "check": check, "settle": settle}
    control = WholeBody(robot, DT, tasks, mu=MU, **options, **forces)
    control.hold(stance.home)
    return control


def residual(control: WholeBody, state: State, torque: np.ndarray) -> float:
    """Of the last call: imbalance of the equations of motion and excess over cones, relative to the weight.

    Inertia, bias and the points' Jacobians are MuJoCo's.
    """
    robot = control.robot
    model, data = robot.model, mujoco.MjData(robot.model)
    state.to_mujoco(data)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    balance = M @ control.acceleration + data.qfrc_bias
    balance[robot.dofs] -= torque
    contacts, forces = control.contacts, control.forces
    J = np.zeros((3, model.nv))
    for (first, second), point, frame, force in zip(
        contacts.geoms, contacts.points, contacts.frames, forces, strict=True
    ):
        for geom, sign in ((first, 1.0), (second, -1.0)):
            mujoco.mj_jac(model, data, J, None, point, model.geom_bodyid[geom])
            balance -= sign * J.T @ (frame.T @ force)
    excess = np.linalg.norm(forces[:, 1:], axis=1) - MU * forces[:, 0]
    return float(max(np.abs(balance).max(), excess.max(), 0.0) / (9.81 * robot.mass))


def _gains(numbers: tuple[float, float, float]) -> dict[str, Any]:
    return dict(zip(("weight", "kp", "kd"), numbers, strict=True))


def _method(name: str, check: str, text: str, *, planned: bool = False) -> Method:
    def prepare(problem: Problem, setting: Setting) -> Task:
        motion: Sway = problem.data
        control = controller(motion.stance, check=check)
        feet = [foot.name for foot in motion.stance.robot.feet] if planned else None
        return _task(control, motion, feet)

    law = "rigid contacts that neither slip nor lift, forces in a pyramid within the cone; tasks weighed"
    return Method(name, law, prepare, ours=True, note=f"Timed: `controller(state)` from Python, {text}")


def _task(control: WholeBody, motion: Sway, feet: Any) -> Task:
    def call() -> Laps:
        clock, seconds, ok = time.perf_counter_ns, np.empty(len(motion.states)), True
        for k, state in enumerate(motion.states):
            start = clock()
            control(state, contacts=feet)
            seconds[k] = clock() - start
            ok = ok and control.status.is_answer
        return Laps((1e-9 * seconds).tolist(), ok)

    def judge(ok: bool) -> Verdict:
        worst = 0.0
        for state in motion.states[:: max(1, len(motion.states) // LOOKS)]:
            torque = control(state, contacts=feet)
            worst = max(worst, residual(control, state, torque))
            ok = ok and int(control.contacts.closed.sum()) == motion.stance.points
        return Verdict(ok, worst)

    return Task(call, judge, lambda: control(motion.states[0], contacts=feet))
