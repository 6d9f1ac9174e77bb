"""Runs TSID in its own interpreter: `python tsid_worker.py solo12.urdf`, then one JSON line in, one out.

In: {"seed": [..], "count": N}. Out: {"seconds": [..], "solved": bool, "residual": float} for N cycles along a random
motion of Solo12 near standing. Needs tsid, pinocchio and NumPy only.
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

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
CROUCH = np.array([0.0, 0.8, -1.6, 0.0, 0.8, -1.6, 0.0, -0.8, 1.6, 0.0, -0.8, 1.6])
MU = 0.7
DT = 1e-3  # s
SWAY = 0.05  # rad


class Controller:
    """CoM and posture tasks, four point contacts, eiquadprog-fast."""

    def __init__(self, urdf: str) -> None:
        self.pin = pin = importlib.import_module("pinocchio")
        # The wheel of 1.7.1 has lost its __init__.py on the way.
        tsid: Any = importlib.import_module("tsid.tsid_pywrap")
        folders = pin.StdVec_StdString()
        folders.append(os.path.dirname(urdf))
        self.robot = tsid.RobotWrapper(urdf, folders, pin.JointModelFreeFlyer(), False)
        self.model = self.robot.model()
        self.home = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], CROUCH])
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, self.home)
        self.frames = [self.model.getFrameId(foot) for foot in FEET]
        self.home[2] = -data.oMf[self.frames[0]].translation[2]

        self.problem = tsid.InverseDynamicsFormulationAccForce("tsid", self.robot, False)
        self.problem.computeProblemData(0.0, self.home, np.zeros(self.model.nv))
        data = self.problem.data()
        self.kept = []  # the formulation does not own its tasks
        for foot, frame in zip(FEET, self.frames, strict=True):
            contact = tsid.ContactPoint(foot, self.robot, foot, np.array([0.0, 0.0, 1.0]), MU, 0.1, 100.0)
            contact.setKp(100 * np.ones(3))
            contact.setKd(20 * np.ones(3))
            contact.useLocalFrame(False)
            contact.setReference(self.robot.framePosition(data, frame))
            self.problem.addRigidContact(contact, 1e-5)
            self.kept.append(contact)
        com = tsid.TaskComEquality("com", self.robot)
        com.setKp(20 * np.ones(3))
        com.setKd(9 * np.ones(3))
        posture = tsid.TaskJointPosture("posture", self.robot)
        posture.setKp(10 * np.ones(12))
        posture.setKd(6 * np.ones(12))
        for task, weight, place in ((com, 1.0, self.robot.com(data)), (posture, 1e-2, CROUCH)):
            task.setReference(tsid.TrajectoryEuclidianConstant(task.name, place).computeNext())
            self.problem.addMotionTask(task, weight, 1, 0.0)
            self.kept.append(task)
        self.solver = tsid.SolverHQuadProgFast("qp")
        self.solver.resize(self.problem.nVar, self.problem.nEq, self.problem.nIn)

    def motion(self, seed: list[int], count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """States of a random smooth motion of the joints."""
        rng = np.random.default_rng(seed)
        rates, phases = 2 * np.pi * rng.uniform(0.3, 1.5, (3, 12)), rng.uniform(0.0, 2 * np.pi, (3, 12))
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
        acceleration = self.problem.getAccelerations(solution)
        forces = self.problem.getContactForces(solution).reshape(4, 3)
        balance = M @ acceleration + data.nle
        balance[6:] -= torque
        for frame, force in zip(self.frames, forces, strict=True):
            J = pin.getFrameJacobian(self.model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            balance -= J[:3].T @ force
        excess = np.abs(forces[:, :2]).max(axis=1) - MU * forces[:, 2]
        weight = 9.81 * sum(inertia.mass for inertia in self.model.inertias)
        return float(max(np.abs(balance).max(), excess.max(), 0.0) / weight)


def main() -> None:
    """Answer lines until there are no more."""
    controller = Controller(sys.argv[1])
    for line in sys.stdin:
        wish = json.loads(line)
        states = controller.motion(wish["seed"], wish["count"])
        clock, seconds, solved = time.perf_counter_ns, [], True
        torque, solution = controller.cycle(0.0, *states[0])
        for k, (q, v) in enumerate(states):
            start = clock()
            torque, solution = controller.cycle(DT * k, q, v)
            seconds.append(1e-9 * (clock() - start))
            solved = solved and solution.status == 0
        residual = controller.residual(*states[-1], torque, solution)
        print(json.dumps({"seconds": seconds, "solved": solved, "residual": residual}), flush=True)


if __name__ == "__main__":
    main()
