"""Runs TSID in its own interpreter: `python tsid_worker.py robot.urdf [ROBOT]`, then one JSON line in, one out.

ROBOT is JSON that says which robot stands how, see `SOLO12` (the default) for its words. What can be asked:

- {"seed": [..], "count": N}: N cycles along a random motion of the joints near standing are timed.
- {"states": [[q, v], ..]}: cycles at these states are timed.
- {"state": [q, v]}: one cycle; the answer is {"torque": [..], "solved": bool}.

What is timed is answered with {"seconds": [..], "solved": bool, "residual": float, "torque": [..]}, the last two of the
last cycle. A base is as Pinocchio has it (place, quaternion x y z w; velocities in its own frame), joints are in the
order of ROBOT's `joints`. Needs tsid, pinocchio and NumPy only.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

CROUCH = (0.0, 0.8, -1.6, 0.0, 0.8, -1.6, 0.0, -0.8, 1.6, 0.0, -0.8, 1.6)
SOLO12 = {
    "joints": [],  # none: Pinocchio's order
    "q": [0.0, 0.0, None, 0.0, 0.0, 0.0, 1.0, *CROUCH],  # None: such that the first foot is at height 0
    "feet": ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"],
    "corners": [],  # m, in a foot's frame, of flat soles; none: feet are points
    "base": "",  # the link whose orientation is held, if any
    "com": [1.0, 20.0, 9.0],  # weight, kp, kd
    "orientation": [0.0, 0.0, 0.0],
    "posture": [1e-2, 10.0, 6.0],
    "mu": 0.7,
    "force": [0.1, 100.0],  # N, least and most of a foot's normal force
    "torque": None,  # N m, largest of a joint; None: any
}
DT = 1e-3  # s
SWAY = 0.05  # rad


class Controller:
    """CoM, posture and perhaps orientation tasks, contacts of points or of soles, eiquadprog-fast."""

    def __init__(self, urdf: str, robot: dict[str, Any]) -> None:
        self.pin = pin = importlib.import_module("pinocchio")
        # The wheel of 1.7.1 has lost its __init__.py on the way.
        self.tsid = tsid = importlib.import_module("tsid.tsid_pywrap")
        folders = pin.StdVec_StdString()
        folders.append(os.path.dirname(urdf))
        self.robot = tsid.RobotWrapper(urdf, folders, pin.JointModelFreeFlyer(), False)
        self.model = self.robot.model()
        self.mu = robot["mu"]
        self.joints = [self.model.joints[self.model.getJointId(name)].idx_v - 6 for name in robot["joints"]]
        self.joints = self.joints or list(range(self.model.nv - 6))
        self.frames = [self.model.getFrameId(foot) for foot in robot["feet"]]
        self.corners = np.array(robot["corners"]).reshape(-1, 3).T
        self.home = self._home(robot["q"])

        self.problem = tsid.InverseDynamicsFormulationAccForce("tsid", self.robot, False)
        self.problem.computeProblemData(0.0, self.home, np.zeros(self.model.nv))
        self.kept: list[Any] = []  # the formulation does not own its tasks
        self.contacts = [self._contact(foot, robot["force"]) for foot in robot["feet"]]
        self._tasks(robot)
        self.solver = tsid.SolverHQuadProgFast("qp")
        self.solver.resize(self.problem.nVar, self.problem.nEq, self.problem.nIn)

    def _home(self, told: list[float | None]) -> np.ndarray:
        q = self.inwards([0.0 if number is None else number for number in told], [0.0] * self.model.nv)[0]
        if told[2] is None:
            data = self.model.createData()
            self.pin.framesForwardKinematics(self.model, data, q)
            q[2] = -data.oMf[self.frames[0]].translation[2]
        return q

    def _contact(self, foot: str, force: list[float]) -> Any:
        frame, data, up = self.model.getFrameId(foot), self.problem.data(), np.array([0.0, 0.0, 1.0])
        if self.corners.size:
            contact = self.tsid.Contact6d(foot, self.robot, foot, self.corners, up, self.mu, *force)
            contact.setReference(self.robot.framePosition(data, frame))
            rows = 6
        else:
            contact = self.tsid.ContactPoint(foot, self.robot, foot, up, self.mu, *force)
            contact.useLocalFrame(False)
            contact.setReference(self.robot.framePosition(data, frame))
            rows = 3
        contact.setKp(100 * np.ones(rows))
        contact.setKd(20 * np.ones(rows))
        self.problem.addRigidContact(contact, 1e-5)
        return contact

    def _tasks(self, robot: dict[str, Any]) -> None:
        tsid, data = self.tsid, self.problem.data()
        com = tsid.TaskComEquality("com", self.robot)
        com.setReference(tsid.TrajectoryEuclidianConstant("com", self.robot.com(data)).computeNext())
        self._add(com, 3, *robot["com"])
        posture = tsid.TaskJointPosture("posture", self.robot)
        posture.setReference(tsid.TrajectoryEuclidianConstant("posture", self.home[7:]).computeNext())
        self._add(posture, self.model.nv - 6, *robot["posture"])
        if robot["base"]:
            turn = tsid.TaskSE3Equality("orientation", self.robot, robot["base"])
            place = self.robot.framePosition(data, self.model.getFrameId(robot["base"]))
            turn.setReference(tsid.TrajectorySE3Constant("orientation", place).computeNext())
            turn.setMask(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
            turn.useLocalFrame(False)
            self._add(turn, 6, *robot["orientation"])
        if robot["torque"] is not None:
            limits = tsid.TaskActuationBounds("torque", self.robot)
            limits.setBounds(
                -robot["torque"] * np.ones(self.model.nv - 6), robot["torque"] * np.ones(self.model.nv - 6)
            )
            self.problem.addActuationTask(limits, 1.0, 0, 0.0)
            self.kept.append(limits)

    def _add(self, task: Any, rows: int, weight: float, kp: float, kd: float) -> None:
        task.setKp(kp * np.ones(rows))
        task.setKd(kd * np.ones(rows))
        self.problem.addMotionTask(task, weight, 1, 0.0)
        self.kept.append(task)

    def inwards(self, q: list[float], v: list[float]) -> tuple[np.ndarray, np.ndarray]:
        """A state with its joints in Pinocchio's order."""
        ours, speeds = np.array(q), np.array(v)
        ours[7:][self.joints], speeds[6:][self.joints] = q[7:], v[6:]
        return ours, speeds

    def motion(self, seed: list[int], count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """States of a random smooth motion of the joints."""
        rng, n = np.random.default_rng(seed), self.model.nv - 6
        rates, phases = 2 * np.pi * rng.uniform(0.3, 1.5, (3, n)), rng.uniform(0.0, 2 * np.pi, (3, n))
        states = []
        for t in DT * np.arange(count):
            q, v = self.home.copy(), np.zeros(self.model.nv)
            q[7:] += SWAY * np.sin(rates * t + phases).mean(axis=0)
            v[6:] = SWAY * (rates * np.cos(rates * t + phases)).mean(axis=0)
            states.append((q, v))
        return states

    def cycle(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, Any]:
        """State in, torques out."""
        solution = self.solver.solve(self.problem.computeProblemData(t, q, v))
        return self.problem.getActuatorForces(solution), solution

    def residual(self, q: np.ndarray, v: np.ndarray, torque: np.ndarray, solution: Any) -> float:
        """Imbalance of the equations of motion and excess over the friction pyramid, relative to the weight."""
        pin = self.pin
        data = self.model.createData()
        pin.computeAllTerms(self.model, data, q, v)
        pin.updateFramePlacements(self.model, data)
        M = np.triu(data.M) + np.triu(data.M, 1).T
        forces = self.problem.getContactForces(solution).reshape(len(self.frames), -1)
        balance = M @ self.problem.getAccelerations(solution) + data.nle
        balance[6:] -= torque
        flat = self.corners.size > 0
        axes = pin.ReferenceFrame.LOCAL if flat else pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for frame, contact, force in zip(self.frames, self.contacts, forces, strict=True):
            J = pin.getFrameJacobian(self.model, data, frame, axes)
            balance -= J.T @ (contact.getForceGeneratorMatrix @ force) if flat else J[:3].T @ force
        points = forces.reshape(-1, 3)
        excess = np.abs(points[:, :2]).max(axis=1) - self.mu * points[:, 2]
        weight = 9.81 * sum(inertia.mass for inertia in self.model.inertias)
        return float(max(np.abs(balance).max(), excess.max(), 0.0) / weight)

    def timed(self, states: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
        """Cycles one after another."""
        clock, seconds, solved = time.perf_counter_ns, [], True
        torque, solution = self.cycle(0.0, *states[0])
        for k, (q, v) in enumerate(states):
            start = clock()
            torque, solution = self.cycle(DT * k, q, v)
            seconds.append(1e-9 * (clock() - start))
            solved = solved and solution.status == 0
        residual = self.residual(*states[-1], torque, solution)
        return {"seconds": seconds, "solved": solved, "residual": residual, "torque": torque[self.joints].tolist()}

    def answer(self, wish: dict[str, Any]) -> dict[str, Any]:
        """One line."""
        if "state" in wish:
            torque, solution = self.cycle(0.0, *self.inwards(*wish["state"]))
            return {"torque": torque[self.joints].tolist(), "solved": solution.status == 0}
        if "states" in wish:
            return self.timed([self.inwards(*state) for state in wish["states"]])
        return self.timed(self.motion(wish["seed"], wish["count"]))


def main() -> None:
    """Answer lines until there are no more."""
    controller = Controller(sys.argv[1], SOLO12 | json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}"))
    for line in sys.stdin:
        print(json.dumps(controller.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
